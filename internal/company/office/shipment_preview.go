package office

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// PaymentWaits says which goods a customer wants to have before paying a bill.
type PaymentWaits string

// Goods that a payment waits for.
const (
	WaitsForGoods PaymentWaits = "goods"
	WaitsForOrder PaymentWaits = "order"
)

// ShipmentPreview is the expected bill of a shipment that Head Office records now.
type ShipmentPreview struct {
	_ struct{} `doc:"The result of a dry run: the bill of a shipment recorded now, with nothing changed."`

	DryRun            bool         `json:"dry_run" doc:"Always true: nothing was billed."`
	SalesOrderID      *string      `json:"sales_order_id" doc:"The order that it would bill; null for a contract lot."`
	ContractLotID     *string      `json:"contract_lot_id" doc:"The lot that it would bill; null for a sales order."`
	Quantity          int64        `json:"quantity" doc:"Units that it would bill."`
	QuantityLeft      int64        `json:"quantity_left" doc:"Units of the order that would still not be billed."`
	GrossMinor        money.Minor  `json:"gross_minor" doc:"The price of the goods before deductions, in minor units."`
	LateDiscountMinor money.Minor  `json:"late_discount_minor" doc:"Taken off for goods that come late, in minor units, if they come today at the latest."`
	TotalMinor        money.Minor  `json:"total_minor" doc:"gross_minor less late_discount_minor."`
	Currency          string       `json:"currency" doc:"Always XTS. Amounts count its hundredths."`
	DueDate           moment.Date  `json:"due_date" doc:"The last date for the payment."`
	PaymentWaitsFor   PaymentWaits `json:"payment_waits_for" enum:"goods,order" doc:"goods: the customer pays once the goods of this bill have come; order: the customer takes no parts, so disputes it until the last part has come."`
}

// PreviewBill returns the expected bill of an order, which must be shippable. It changes nothing.
func (o *Office) PreviewBill(r *record.Recorder, order *SalesOrder, b Bill) ShipmentPreview {
	terms := o.terms(r, order, b)
	preview := ShipmentPreview{
		DryRun: true, SalesOrderID: &order.ID, Quantity: b.Quantity, Currency: money.Currency, DueDate: terms.dueDate,
		QuantityLeft: max(0, order.Quantity-order.QuantityBilled-b.Quantity),
		GrossMinor:   order.UnitPriceMinor.Times(b.Quantity), PaymentWaitsFor: WaitsForGoods,
	}
	if !o.billed(order, b.FactoryRef) {
		preview.LateDiscountMinor = order.lateDiscount(preview.GrossMinor, terms.lateDays)
	}
	preview.TotalMinor = preview.GrossMinor - preview.LateDiscountMinor
	customer, _ := catalog.CustomerByID(order.CustomerID)
	if preview.QuantityLeft > 0 && !b.Final && !customer.AcceptsParts {
		preview.PaymentWaitsFor = WaitsForOrder
	}
	return preview
}

// PreviewLot returns the expected bill of a contract lot, which must be shippable. It changes nothing.
func (o *Office) PreviewLot(r *record.Recorder, lot *ContractLot) ShipmentPreview {
	customer, _ := catalog.CustomerByID(lot.CustomerID)
	return ShipmentPreview{
		DryRun: true, ContractLotID: &lot.ID, Quantity: lot.Quantity, GrossMinor: lot.TotalMinor,
		TotalMinor: lot.TotalMinor, Currency: money.Currency, PaymentWaitsFor: WaitsForGoods,
		DueDate: sim.DayFrom(r.Date().AddDays(customer.Terms)).Date(),
	}
}
