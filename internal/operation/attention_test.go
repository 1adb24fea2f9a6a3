package operation_test

import (
	"testing"

	"platen/internal/company/attention"
	"platen/internal/company/office"
	"platen/internal/operation"
	"platen/internal/sandbox"
)

// TestAProposedOrderNamesTheRequisitionThatItFulfils: else the requisition stays open, and is
// proposed again.
func TestAProposedOrderNamesTheRequisitionThatItFulfils(t *testing.T) {
	t.Parallel()
	id := "rqn_1"
	order := &office.CreatePurchaseOrder{
		SupplierID: "sup_mill", RequisitionID: &id, Lines: []office.MaterialLine{{SKU: "mat_ink", Quantity: 4}},
	}
	remedy := attention.Remedy{Do: attention.Purchase, Body: order}
	shown := operation.AttentionOf(&sandbox.Attention{Concerns: []attention.Concern{{Remedy: &remedy}}})
	if got := shown.Items[0].Command.Body["requisition_id"]; got != id {
		t.Errorf("the order of %s has the requisition %v", id, got)
	}
	order.RequisitionID = nil
	shown = operation.AttentionOf(&sandbox.Attention{Concerns: []attention.Concern{{Remedy: &remedy}}})
	if got, there := shown.Items[0].Command.Body["requisition_id"]; there {
		t.Errorf("an order for no requisition has the requisition %v", got)
	}
}
