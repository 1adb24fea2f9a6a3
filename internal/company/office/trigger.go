package office

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

// This file triggers what customers and suppliers otherwise do by themselves. The
// caller has checked that it can happen.

// Wish is a customer's order or lot that is triggered.
type Wish struct {
	Product  catalog.Product
	Quantity int64
	// Customer orders, nil for the next one in turn. Lots have theirs.
	Customer *catalog.Customer
	// Price is that of a unit, nil for the usual one.
	Price *money.Minor
	// Due is the number of working days until the goods are wanted, PricePct the price in
	// per cent of the list price.
	Due, PricePct int64
	// Rush orders have the terms of those that come by themselves.
	Rush bool
}

// Order lets a customer order, and returns the order's id. Customers take turns.
func (o *Office) Order(r *record.Recorder, w Wish) string {
	customers := catalog.Customers()
	customer := customers[o.SalesOrders.Rows.Len()%len(customers)]
	if w.Customer != nil {
		customer = *w.Customer
	}
	order := orderFor(customer, w.Product, w.Quantity)
	order.UnitPriceMinor = max(1, w.Product.ListPriceMinor.PerCent(w.PricePct))
	if w.Price != nil {
		order.UnitPriceMinor = *w.Price
	}
	order.DueDate, order.Rush = (r.Today() + sim.Day(w.Due)).Date(), w.Rush
	return o.receive(r, order).ID
}

// Terms of a triggered lot where the preset has none.
const (
	lotSheets, lotPricePct, lotAnswerDays, lotDeliverDays = 2_000, 85, 3, 10
)

// LotAnswerDays is how many working days a triggered lot waits for an answer.
func (o *Office) LotAnswerDays() int64 {
	if o.preset.Lots.EveryDays > 0 {
		return o.preset.Lots.AnswerDays
	}
	return lotAnswerDays
}

// OfferLotOf offers a lot, and returns its id. The terms that the wish leaves at zero are the usual ones.
func (o *Office) OfferLotOf(r *record.Recorder, w Wish) string {
	terms := lotTerms{
		product: w.Product, quantity: lotSheets / w.Product.SheetsPerUnit, deliverDays: lotDeliverDays,
		answerDays: o.LotAnswerDays(), price: w.Product.ListPriceMinor.PerCent(lotPricePct),
	}
	if o.preset.Lots.EveryDays > 0 {
		terms.deliverDays = o.preset.Lots.DeliverDays[1]
	}
	if w.Quantity > 0 {
		terms.quantity = w.Quantity
	}
	if w.Due > 0 {
		terms.deliverDays = w.Due
	}
	if w.Price != nil {
		terms.price = *w.Price
	}
	return o.offer(r, terms)
}

// Payable returns the oldest invoice that its customer means to pay, or the one with an
// id, if it is one. A customer disputes only what is not due yet: from the due date on it is
// either disputed or owed. Who has paid half has found the goods.
func (o *Office) Payable(id *string, disputed bool) (found *CustomerInvoice, ok bool) {
	for invoice := range o.CustomerInvoices.All {
		if (id == nil || invoice.ID == *id) && invoice.BalanceMinor > 0 && o.Reached(invoice) &&
			(!disputed || invoice.Status == InvoiceOpen && invoice.AmountPaidMinor == 0) {
			return invoice, true
		}
	}
	return nil, false
}

// PutOff lets a customer pay an invoice some working days after its due date. One that
// disputes says then that the goods have not come.
func (o *Office) PutOff(r *record.Recorder, invoiceID string, days int64, disputes bool) sim.Minute {
	invoice, _ := o.CustomerInvoices.Find(invoiceID)
	day := max(sim.DayFrom(invoice.DueDate), r.Today()) + sim.Day(days)
	if disputes {
		record.EditPrivate(o.CustomerInvoices, r, invoiceID).Disputes = true
	}
	r.Withdraw(TimerPayment, invoiceID)
	o.schedulePayment(r, invoiceID, day)
	return day.At(sim.PaymentMinute)
}

// UnderWay returns the oldest purchase order whose truck is under way, or the one with an
// id, if it is one.
func (o *Office) UnderWay(r *record.Recorder, id *string) (*PurchaseOrder, bool) {
	return o.purchaseWhere(id, func(order *PurchaseOrder, _ *PurchaseOrderPrivate) bool {
		return r.Waits(TimerTruck, order.ID)
	})
}

// Unbilled returns the oldest purchase order that its supplier has and has not billed, or
// the one with an id, if it is one.
func (o *Office) Unbilled(id *string) (*PurchaseOrder, bool) {
	return o.purchaseWhere(id, func(order *PurchaseOrder, private *PurchaseOrderPrivate) bool {
		return order.Status == PurchaseApproved && !private.billed() && !private.Overbilled
	})
}

// Partable returns the oldest purchase order that is under way on one truck and can come on two, or the one with an id,
// if it is one.
func (o *Office) Partable(r *record.Recorder, id *string) (*PurchaseOrder, bool) {
	return o.purchaseWhere(id, func(order *PurchaseOrder, private *PurchaseOrderPrivate) bool {
		return r.Waits(TimerTruck, order.ID) && len(private.Trucks) == 1 && partable(order.Lines)
	})
}

// Part lets a purchase order come on two trucks, of which the first brings so many per cent, with a bill for each.
func (o *Office) Part(r *record.Recorder, orderID string, pct int64) {
	order, private := o.PurchaseOrders.Edit(r, orderID)
	private.Trucks, private.BilledApart, private.Parted = onTwoTrucks(order.Lines, pct*pctPPM), true, true
}

// Repeatable returns the oldest purchase order whose bills have come once each, or the one with an id, if it is one.
func (o *Office) Repeatable(id *string) (*PurchaseOrder, bool) {
	return o.purchaseWhere(id, func(_ *PurchaseOrder, private *PurchaseOrderPrivate) bool {
		return private.billed() && len(private.InvoiceIDs) == private.bills() && !private.SecondBillDue
	})
}

// Repeat brings the last bill of a purchase order a second time, and returns the new one's id.
func (o *Office) Repeat(r *record.Recorder, orderID string) string {
	ids := record.Private(o.PurchaseOrders, orderID).InvoiceIDs
	return o.repeatBill(r, ids[len(ids)-1])
}

func (o *Office) purchaseWhere(
	id *string, fits func(*PurchaseOrder, *PurchaseOrderPrivate) bool,
) (*PurchaseOrder, bool) {
	for order, private := range o.PurchaseOrders.All {
		if (id == nil || order.ID == *id) && fits(order, private) {
			return order, true
		}
	}
	return nil, false
}

// Hurry takes a truck off the road: it is about to come, with the whole order unless that was parted by a trigger, and
// no bill of it comes twice by itself.
func (o *Office) Hurry(r *record.Recorder, orderID string) {
	r.Withdraw(TimerTruck, orderID)
	order, private := o.PurchaseOrders.Edit(r, orderID)
	private.Called = true
	if !private.Parted && !private.Trucks[0].Came {
		private.Trucks, private.BilledApart = onOneTruck(order.Lines), false
	}
}

// Delay lets a truck come so many working days later, and returns when.
func (o *Office) Delay(r *record.Recorder, orderID string, days int64) sim.Minute {
	late := sim.Minute(0)
	for _, t := range r.Withdraw(TimerTruck, orderID) {
		t.Due = (t.Due.Day() + sim.Day(days)).At(sim.TruckMinute)
		late = t.Due
		r.Set(t)
	}
	return late
}

// Spoil lets a truck come with so many per cent of its first line missing, or damaged.
func (o *Office) Spoil(r *record.Recorder, orderID string, missingPct, damagedPct int64) {
	private := record.EditPrivate(o.PurchaseOrders, r, orderID)
	private.MissingPct, private.DamagedPct = max(private.MissingPct, missingPct), max(private.DamagedPct, damagedPct)
}

// Overbill lets the bill of a purchase order be wrong.
func (o *Office) Overbill(r *record.Recorder, orderID string) {
	record.EditPrivate(o.PurchaseOrders, r, orderID).Overbilled = true
}

// overbilledPPM is by how much such a bill is too high.
const overbilledPPM = 100_000

// spoilOnPurpose makes the first line of a load short or damaged as was asked for.
func (p *PurchaseOrderPrivate) spoilOnPurpose(loads []Load) {
	first := &loads[0]
	if p.MissingPct > 0 {
		first.Counted = max(1, scale(first.Advised, sim.Million-p.MissingPct*pctPPM))
		first.Damaged = min(first.Damaged, first.Counted)
	}
	if p.DamagedPct > 0 {
		first.Damaged = min(first.Counted, max(1, scale(first.Counted, p.DamagedPct*pctPPM)))
	}
	p.MissingPct, p.DamagedPct = 0, 0 // of this truck alone
}
