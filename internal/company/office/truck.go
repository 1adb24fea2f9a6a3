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
	// TimerSupplierBills brings the bill for it, TimerBilledTwice that bill a second time. Index is how many days a
	// second one has waited for a bookkeeper.
	TimerSupplierBills = "supplier.bills"
	TimerBilledTwice   = "supplier.billed_twice"
)

// Shares of a load that is short or damaged, and of what the first of two trucks brings, in parts per million.
const (
	shortLeast, maxShort     = 800_000, 950_000
	damagedLeast, maxDamaged = 50_000, 120_000
	firstLeast, maxFirst     = 560_000, 700_000
)

const (
	// The second truck comes so many working days after the first.
	secondTruckLeast, maxSecondTruck = 1, 3
	// leastInTwo is the least quantity of a line that comes on two trucks: the loads are never alike, so the same
	// lines twice are the same bill twice.
	leastInTwo = 10
	// apartPPM is the probability that two trucks are billed apart.
	apartPPM = 500_000
)

// Load is one line on a supplier's truck: the quantity on the delivery note,
// the quantity on the truck, and the unfit part of it.
type Load struct {
	SKU                       string
	Advised, Counted, Damaged int64
	// CostMinor is the price of one on the purchase order.
	CostMinor money.Minor
}

// Truck is a part of a purchase order that comes on one truck.
type Truck struct {
	// Quantities are those on its delivery note, one for each line of the order.
	Quantities []int64 `json:"quantities"`
	// BillOn is the day of its bill, 0 until that is known: until it has come, and for a bill of all trucks until the
	// last one has.
	BillOn sim.Day `json:"bill_on,omitzero"`
	Came   bool    `json:"came,omitzero"`
	Billed bool    `json:"billed,omitzero"`
	Paid   bool    `json:"paid,omitzero"`
	// TakenInMinor is the worth of the goods that the warehouse took in and the
	// company has not paid for: it owes that, regardless of the documents.
	TakenInMinor money.Minor `json:"taken_in_minor,omitzero"`
	// DeliveredMinor is the worth of the goods that the supplier knows it has
	// delivered: those that its truck brought undamaged, less those that went
	// back with the driver.
	DeliveredMinor money.Minor `json:"delivered_minor,omitzero"`
}

// onOneTruck is an order that comes whole.
func onOneTruck(lines []PurchaseOrderLine) []Truck {
	quantities := make([]int64, len(lines))
	for i := range lines {
		quantities[i] = lines[i].Quantity
	}
	return []Truck{{Quantities: quantities}}
}

// onTwoTrucks parts an order, of which a first truck brings such a share, rounded up: more than half of each line.
func onTwoTrucks(lines []PurchaseOrderLine, sharePPM int64) []Truck {
	first, second := make([]int64, len(lines)), make([]int64, len(lines))
	for i := range lines {
		second[i] = scale(lines[i].Quantity, sim.Million-sharePPM)
		first[i] = lines[i].Quantity - second[i]
	}
	return []Truck{{Quantities: first}, {Quantities: second}}
}

// partable reports whether an order is large enough for two trucks.
func partable(lines []PurchaseOrderLine) bool {
	for i := range lines {
		if lines[i].Quantity < leastInTwo {
			return false
		}
	}
	return true
}

// load draws on how many trucks an order comes, and how they are billed.
func (o *Office) load(order *PurchaseOrder, private *PurchaseOrderPrivate, supplier catalog.Supplier) {
	s := o.suppliers[supplier.ID]
	private.Trucks = onOneTruck(order.Lines)
	rare := s.twoTrucks.PPM(private.Nth) >= scale(supplier.TwoTrucksPPM, int64(o.preset.Supply.TwoTrucksFactor))
	if rare || !partable(order.Lines) {
		return
	}
	private.Trucks = onTwoTrucks(order.Lines, between(s.firstShare, firstLeast, maxFirst, private.Nth))
	private.BilledApart = s.apart.PPM(private.Nth) < apartPPM
}

// Truck loads the next truck of an order, and has the supplier bill for it on the next
// working day, unless one bill is for all trucks and another one comes. Shortfalls and damage were drawn when the order
// was made: no action of the client shifts it. The trucks of an order are counted from 0.
func (o *Office) Truck(r *record.Recorder, orderID string) (order *PurchaseOrder, truck int, loads []Load) {
	order, private := o.PurchaseOrders.Edit(r, orderID)
	supplier, _ := catalog.SupplierByID(order.SupplierID)
	for private.Trucks[truck].Came {
		truck++
	}
	at := &private.Trucks[truck]
	for i := range order.Lines {
		line := &order.Lines[i]
		line.QuantityExpected -= at.Quantities[i]
		loads = append(loads, Load{SKU: line.SKU, Advised: at.Quantities[i], Counted: at.Quantities[i],
			CostMinor: line.UnitPriceMinor})
	}
	if truck == 0 {
		o.spoil(loads, supplier, private.Nth)
	}
	private.spoilOnPurpose(loads)
	for _, load := range loads {
		at.DeliveredMinor += load.CostMinor.Times(load.Counted - load.Damaged)
	}
	at.Came = true
	last := truck+1 == len(private.Trucks)
	if !last {
		days := between(o.suppliers[supplier.ID].secondTruck, secondTruckLeast, maxSecondTruck, private.Nth)
		r.Set(sim.Timer{
			Due: (r.Today() + sim.Day(days)).At(sim.TruckMinute), Class: sim.ClassDay, Kind: TimerTruck, Ref: orderID,
		})
	}
	if last || private.BilledApart {
		o.billTomorrow(r, orderID, private)
	}
	return order, truck, loads
}

// billTomorrow has the supplier bill for the trucks that have come and have no day of their bill yet.
func (*Office) billTomorrow(r *record.Recorder, orderID string, private *PurchaseOrderPrivate) {
	tomorrow := r.Today() + 1
	for i := range private.Trucks {
		if at := &private.Trucks[i]; at.Came && at.BillOn == 0 {
			at.BillOn = tomorrow
		}
	}
	r.Set(sim.Timer{
		Due: tomorrow.At(sim.PaymentMinute), Class: sim.ClassDay, Kind: TimerSupplierBills, Ref: orderID,
	})
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

// TakenIn notes the worth of goods of a truck that went into the warehouse. The company
// owes for them until it has paid the bill, regardless of the documents.
func (o *Office) TakenIn(r *record.Recorder, orderID string, truck int, worth money.Minor) {
	at := &record.EditPrivate(o.PurchaseOrders, r, orderID).Trucks[truck]
	at.DeliveredMinor = worth
	if at.Paid {
		return
	}
	at.TakenInMinor += worth
	o.State.TakenInMinor += worth
}
