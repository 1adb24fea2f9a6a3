package factory

import (
	"fmt"

	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
)

// RequisitionStatus is the status of a requisition.
//
//	open ──refilled to the reorder point, or the point falls to the stock──▶ closed
//	  └──as much as it asks for has come──▶ closed, and another one is open
type RequisitionStatus string

// Statuses.
const (
	RequisitionOpen   RequisitionStatus = "open"
	RequisitionClosed RequisitionStatus = "closed"
)

// BelowReorderPoint is why the Factory asks for material: the only reason.
const BelowReorderPoint = "below_reorder_point"

// neededDays is how many working days the Factory gives Head Office.
const neededDays = 5

// Requisition is the Factory's wish for material, written by its own reorder
// rule. There is at most one open for an item.
type Requisition struct {
	_ struct{} `doc:"The Factory's own request for material, from its reorder rule."`

	record.Head
	Number          string            `json:"number" doc:"The number of the requisition on paper, such as FR-9001."`
	SKU             string            `json:"sku" doc:"The material that ran low, such as mat_coated."`
	Quantity        int64             `json:"quantity" doc:"The quantity asked for, in the unit of the material: its reorder_quantity."`
	Reason          string            `json:"reason" enum:"below_reorder_point" doc:"Always below_reorder_point."`
	OnHandWhenFiled int64             `json:"on_hand_when_filed" doc:"The stock on hand when this was written."`
	NeededBy        moment.Date       `json:"needed_by" doc:"The date by which the Factory wants it: five working days after this was written. Nothing happens when it passes."`
	Status          RequisitionStatus `json:"status" enum:"open,closed" doc:"open until the item is at its reorder point again, or until as much has come as it asks for by the delivery notes, then closed. If the item is still low, the Factory writes another one."`
	record.Stamps
}

// Resource implements record.Row.
func (*Requisition) Resource() string { return "factory_requisition" }

// State implements record.Row.
func (q *Requisition) State() string { return string(q.Status) }

func newRequisitions() *record.Table[Requisition, struct{}] {
	return record.NewTable(record.Definition{Resource: "factory_requisition", Prefix: "frq"},
		[]record.Filter[Requisition, struct{}]{
			{Name: "status", Of: (*Requisition).State},
		})
}

// reorder marks the items among skus that fell below their reorder points, and asks for them. It returns the ids of
// the new requisitions.
func (f *Factory) reorder(r *record.Recorder, skus ...string) []string {
	f.reportLow(r, skus...)
	return f.ask(r, skus...)
}

// ask writes a requisition for each item among skus that is low and has none, and returns their ids.
func (f *Factory) ask(r *record.Recorder, skus ...string) []string {
	ids := []string{}
	for _, sku := range skus {
		item := f.item(sku)
		if item.Status != StockLow || record.Private(f.Stock, item.ID).RequisitionID != "" {
			continue
		}
		q, _ := f.Requisitions.Add(r, Requisition{
			Number: fmt.Sprintf("FR-%04d", f.State.NextRequisition), SKU: item.SKU, Quantity: item.ReorderQuantity,
			Reason: BelowReorderPoint, OnHandWhenFiled: item.OnHand, NeededBy: (r.Today() + sim.Day(neededDays)).Date(),
			Status: RequisitionOpen,
		}, struct{}{})
		f.State.NextRequisition++
		record.EditPrivate(f.Stock, r, item.ID).RequisitionID = q.ID
		r.Born(q)
		r.Emit(event.FactoryRequisitionCreated, q, &event.FactoryRequisitionCreatedData{
			Number: q.Number, SKU: q.SKU, Quantity: q.Quantity, OnHand: q.OnHandWhenFiled, NeededBy: q.NeededBy,
		})
		ids = append(ids, q.ID)
	}
	return ids
}

// OpenRequisition asks for an item that ran out before the first morning, and
// which a delivery of the opening refills. It returns the requisition's id.
func (f *Factory) OpenRequisition(r *record.Recorder, sku string) string {
	return f.reorder(r, sku)[0]
}

// refilled closes the requisition of an item that has reached its reorder point, or for which as much has come as
// was asked: riders of the event that brought the goods. sent is how many the note of the carrier says: goods that are
// missing or go back are not on their way any more. The caller asks again after the event, since a raised point may be
// out of reach of the quantity that was asked for (contract: OPEN.STATE.FACTORY_REQUISITION).
func (f *Factory) refilled(r *record.Recorder, sku string, incoming, sent int64) {
	item := f.item(sku)
	if item.Status != StockLow {
		return
	}
	private := record.EditPrivate(f.Stock, r, item.ID)
	private.Sent += sent
	if item.OnHand+incoming >= item.ReorderPoint {
		item, _ = f.Stock.Edit(r, item.ID)
		record.Move(r, item, &item.Status, StockOK)
	} else if q, _ := f.Requisitions.Find(private.RequisitionID); private.Sent < q.Quantity {
		return
	}
	q, _ := f.Requisitions.Edit(r, private.RequisitionID)
	private.RequisitionID, private.Sent = "", 0
	record.Move(r, q, &q.Status, RequisitionClosed)
}

// relieved closes the requisition of an item whose reorder point fell to its stock or below. No goods came, so it
// has an event of its own: that of the reorder point, with the status ok.
func (f *Factory) relieved(r *record.Recorder, sku string) {
	if item := f.item(sku); item.Status == StockLow && item.OnHand >= item.ReorderPoint {
		f.refilled(r, sku, 0, 0)
		f.reportPoint(r, item)
	}
}

// Wanted returns the open requisition of a SKU.
func (f *Factory) Wanted(sku string) (*Requisition, bool) {
	return f.Requisitions.Find(record.Private(f.Stock, StockItemID(sku)).RequisitionID)
}

func (f *Factory) checkRequisitions() error {
	open := map[string]string{}
	for q := range f.Requisitions.All {
		if q.Status != RequisitionOpen {
			continue
		}
		if open[q.SKU] != "" {
			return fmt.Errorf("two requisitions for %s are open: %s and %s", q.SKU, open[q.SKU], q.ID)
		}
		open[q.SKU] = q.ID
	}
	for item, private := range f.Stock.All {
		if private.RequisitionID != open[item.SKU] || (item.Status == StockLow) != (private.RequisitionID != "") {
			return fmt.Errorf("%s is %s with the requisition %q, open is %q",
				item.SKU, item.Status, private.RequisitionID, open[item.SKU])
		}
	}
	return nil
}
