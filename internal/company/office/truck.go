package office

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

// Timers of suppliers. Their Ref is the purchase order's id.
const (
	// TimerTruck brings a delivery to the Factory's gate.
	TimerTruck = "supplier.truck"
	// TimerSupplierBills brings the bill for it.
	TimerSupplierBills = "supplier.bills"
)

// Shares of a load that is short or damaged, in parts per million.
const (
	shortLeast, maxShort     = 800_000, 950_000
	damagedLeast, maxDamaged = 50_000, 120_000
)

// Load is one line on a supplier's truck: the quantity on the delivery note,
// the quantity on the truck, and the unfit part of it.
type Load struct {
	SKU                       string
	Advised, Counted, Damaged int64
	// CostMinor is the price of one on the purchase order.
	CostMinor money.Minor
}

// Truck loads a supplier's truck, and has the supplier bill for it on the next
// working day. Shortfalls and damage were drawn when the order was made: no
// action of the client shifts it.
func (o *Office) Truck(r *record.Recorder, orderID string) (order *PurchaseOrder, loads []Load) {
	order, _ = o.PurchaseOrders.Find(orderID)
	supplier, _ := catalog.SupplierByID(order.SupplierID)
	for _, line := range order.Lines {
		loads = append(loads,
			Load{SKU: line.SKU, Advised: line.Quantity, Counted: line.Quantity, CostMinor: line.UnitPriceMinor})
	}
	private := record.EditPrivate(o.PurchaseOrders, r, orderID)
	o.spoil(loads, supplier, private.Nth)
	private.spoilOnPurpose(loads)
	for _, load := range loads {
		private.DeliveredMinor += load.CostMinor.Times(load.Counted - load.Damaged)
	}
	r.Set(sim.Timer{
		Due: (r.Today() + 1).At(sim.PaymentMinute), Class: sim.ClassDay, Kind: TimerSupplierBills, Ref: orderID,
	})
	return order, loads
}

// spoil makes one line of a load short or damaged, if it is drawn to be.
func (o *Office) spoil(loads []Load, supplier catalog.Supplier, nth int64) {
	if nth == 0 {
		return // an order of the opening
	}
	s := o.suppliers[supplier.ID]
	load := &loads[s.shortLine.Below(int64(len(loads)), nth)]
	if s.short.PPM(nth) < supplier.ShortPPM {
		load.Counted = max(1, scale(load.Advised, between(s.shortShare, shortLeast, maxShort, nth)))
	}
	if s.damaged.PPM(nth) < supplier.DamagedPPM {
		load.Damaged = scale(load.Counted, between(s.damagedShare, damagedLeast, maxDamaged, nth))
	}
}

// between draws an integer in [least, most].
func between(s sim.Stream, least, most, coordinate int64) int64 {
	return least + s.Below(most-least+1, coordinate)
}

// TakenIn notes the worth of goods that went into the warehouse. The company
// owes for them until it has paid the bill, regardless of the documents.
func (o *Office) TakenIn(r *record.Recorder, orderID string, worth money.Minor) {
	private := record.EditPrivate(o.PurchaseOrders, r, orderID)
	private.DeliveredMinor = worth
	if order, _ := o.PurchaseOrders.Find(orderID); order.BillingStatus == BillingPaid {
		return
	}
	private.TakenInMinor += worth
	o.State.TakenInMinor += worth
}
