package office

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// PurchaseOrderPreview is the expected result of a purchase order written now.
type PurchaseOrderPreview struct {
	_ struct{} `doc:"The result of a dry run: a purchase order as it would be written now, with nothing changed."`

	DryRun           bool                `json:"dry_run" doc:"Always true: nothing was ordered."`
	SupplierID       string              `json:"supplier_id" doc:"The supplier it would go to."`
	RequisitionID    *string             `json:"requisition_id" doc:"The requisition that it would fulfil; null without one."`
	Lines            []PurchaseOrderLine `json:"lines" doc:"The materials with their prices of now, each in one line."`
	TotalMinor       money.Minor         `json:"total_minor" doc:"The sum of the lines, in minor units."`
	Currency         string              `json:"currency" doc:"Always XTS. Amounts count its hundredths."`
	ApprovalRequired bool                `json:"approval_required" doc:"True when total_minor is above the approval limit: the order would wait for approval."`
	ExpectedOn       moment.Date         `json:"expected_on" doc:"When the supplier would promise the truck, if the order is approved today."`
	CreditLeftMinor  money.Minor         `json:"credit_left_minor" doc:"How much more the supplier would lend after this order, in minor units."`
}

// Preview returns what would come of a plan. It changes nothing.
func (o *Office) Preview(r *record.Recorder, p PurchasePlan) PurchaseOrderPreview {
	supplier, _ := o.Suppliers.Find(p.in.SupplierID)
	known, _ := catalog.SupplierByID(supplier.ID)
	_, available := o.credit(supplier)
	return PurchaseOrderPreview{
		DryRun: true, SupplierID: supplier.ID, RequisitionID: p.in.RequisitionID, Lines: p.lines, TotalMinor: p.total,
		Currency: money.Currency, ApprovalRequired: p.required, ExpectedOn: o.promisedOn(r, known),
		CreditLeftMinor: available - p.total,
	}
}
