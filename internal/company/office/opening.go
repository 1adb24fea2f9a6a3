package office

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

func roundedMinor(millionths int64) money.Minor {
	return money.Minor((millionths + sim.Million/2) / sim.Million)
}

func orderFor(c catalog.Customer, p catalog.Product, quantity int64) SalesOrder {
	return SalesOrder{
		CustomerID: c.ID, CustomerName: c.Name, SKU: p.SKU, ProductName: p.Name, Unit: p.Unit, Quantity: quantity,
	}
}

// openingOrder is an order that every company has on its first morning, the
// same for every seed, so that tutorials can be literal.
type openingOrder struct {
	customerID, sku string
	quantity        int64
	price           money.Minor
	dueDay          sim.Day
	// paidOn is the day on which a shipped order's invoice is paid, 0 for
	// orders that wait for an answer.
	paidOn sim.Day
}

// OpenShipped writes three orders that were shipped last week and are yet to
// be paid.
func (o *Office) OpenShipped(r *record.Recorder) {
	shipped := []openingOrder{
		{"cus_brightwell", "prd_poster", 84, 2500, 0, 1},
		{"cus_halden", "prd_brochure", 100, 3400, 0, 3},
		{"cus_kestrel", "prd_flyer", 280, 1000, 0, 6},
	}
	o.State.FirstOrderNumber -= len(shipped)
	for _, opening := range shipped {
		o.openShipped(r, opening.order(), opening.paidOn)
	}
}

// OpenReceived writes three orders that wait for an answer.
func (o *Office) OpenReceived(r *record.Recorder) {
	for _, opening := range []openingOrder{
		{"cus_lumen", "prd_card", 10, 2200, 5, 0},
		{"cus_brightwell", "prd_flyer", 120, 960, 6, 0},
		{"cus_halden", "prd_poster", 30, 2550, 7, 0},
	} {
		o.receive(r, opening.order())
	}
}

func (opening openingOrder) order() SalesOrder {
	customer, _ := catalog.CustomerByID(opening.customerID)
	product, _ := catalog.ProductBySKU(opening.sku)
	order := orderFor(customer, product, opening.quantity)
	order.UnitPriceMinor = opening.price
	order.DueDate = opening.dueDay.Date()
	return order
}

// OpeningPurchase is a purchase order from before the first morning.
type OpeningPurchase struct {
	SupplierID, SKU      string
	RequisitionID        *string
	Quantity             int64
	UnitPriceMinor       money.Minor
	By                   string
	ApprovedOn, Promised moment.Date
	// Truck is the day of the delivery, 0 when it has been.
	Truck sim.Day
}

// OpenPurchase writes a purchase order that its supplier has. Nothing of it is
// drawn: it comes as ordered.
func (o *Office) OpenPurchase(r *record.Recorder, p OpeningPurchase) *PurchaseOrder {
	total := p.UnitPriceMinor.Times(p.Quantity)
	order := o.write(r, PurchaseOrder{
		SupplierID: p.SupplierID, RequisitionID: p.RequisitionID, TotalMinor: total, ApprovalRequired: p.By == ByClient,
		Lines: []PurchaseOrderLine{{Line: 1, SKU: p.SKU, Quantity: p.Quantity, UnitPriceMinor: p.UnitPriceMinor,
			AmountMinor: total, QuantityExpected: p.Quantity}},
	})
	if p.RequisitionID != nil {
		o.order(r, *p.RequisitionID, order.ID)
	}
	if order.ApprovalRequired {
		o.askApproval(r, order)
	}
	record.EditPrivate(o.PurchaseOrders, r, order.ID).Trucks = onOneTruck(order.Lines)
	o.approve(r, order, p.By, approval{on: p.ApprovedOn, truck: p.Truck, promised: p.Promised})
	return order
}

// openingDueDay is when the bill of the opening is due.
const openingDueDay = 4

// OpenBill bills an order of the opening, of one line, at a price that is not
// the one agreed. Its early discount is over.
func (o *Office) OpenBill(r *record.Recorder, orderID string, price money.Minor) {
	order, private := o.PurchaseOrders.Edit(r, orderID)
	supplier, _ := catalog.SupplierByID(order.SupplierID)
	line := order.Lines[0]
	private.Trucks[0].Came, private.Trucks[0].BillOn = true, 1
	order.Lines[0].QuantityExpected = 0
	due := sim.Day(openingDueDay).Date()
	o.billOrder(r, orderID, []int{0}, SupplierInvoice{
		Lines: []SupplierInvoiceLine{{SKU: &line.SKU, Quantity: line.Quantity, UnitPriceMinor: price,
			AmountMinor: price.Times(line.Quantity)}},
		IssuedOn: due.AddDays(-supplier.Terms), DueDate: due,
	})
}
