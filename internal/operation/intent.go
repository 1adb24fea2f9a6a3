package operation

import (
	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/integration"
	"platen/internal/company/market"
	"platen/internal/company/office"
	"platen/internal/desk/activity"
)

// Intent says what a write carries from one system to the other, or decides (contract: OPEN.INTEGRATION.HIT). The id is
// that of the path. It is nil for all other operations, and for a write that names no record where one is carried.
func (o *Operation) Intent(id string, body any) *activity.Intended {
	step, named, part := integration.Kind(""), &id, ""
	switch o.ID {
	case "accept_sales_order", "decline_sales_order", "accept_contract_lot", "decline_contract_lot":
		step = integration.Answer
	case "approve_requisition", "reject_requisition":
		step = integration.Approval
	case "pay_supplier_invoice":
		step = integration.Payment
	}
	switch in := body.(type) {
	case *factory.CreateWorkOrder:
		step, named = integration.Order, in.Reference
	case *office.CreateOfficeShipment:
		step, named = integration.Parcel, in.SalesOrderID
		if named == nil {
			named = in.ContractLotID
		}
		if in.FactoryShipmentRef != nil {
			part = catalog.Folded(*in.FactoryShipmentRef)
		}
	case *office.CreateRequisition:
		step, named = integration.Requisition, in.Reference
	case *office.CreateOfficeGoodsReceipt:
		step, named = integration.Receipt, &in.PurchaseOrderID
	case *office.CreatePurchaseOrder:
		step, named = integration.Purchase, in.RequisitionID
		if named == nil {
			step, named = integration.Decision, new("")
		}
	case *market.TradeOnMarket:
		step, named = integration.Decision, new("")
	case *hr.CreateTimesheet:
		step, named = integration.Week, new(in.WeekStart.String())
	}
	if step == "" || named == nil {
		return nil
	}
	return &activity.Intended{Operation: o.ID, Step: string(step), Subject: *named, Part: part}
}
