package company

import (
	"fmt"
	"slices"
	"strings"

	"platen/internal/company/catalog"
	"platen/internal/company/lore"
	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/problem"
)

// Values of triggers that name none.
const (
	orderDays, rushPct        = 6, 135
	lateDays, lateTruckDays   = 5, 3
	spoiledPct, movePct       = 20, 20
	sickDays, leaveDays       = 2, 2
	leastMovePct, mostMovePct = -50, 100
)

// Bounds of what can wait because of triggers: a company takes memory with each record.
const (
	// maxWaitingOrders and maxWaitingLots are the most orders that are open, and the most
	// lots that wait for an answer, with which another one is given.
	maxWaitingOrders, maxWaitingLots = 500, 100
	// maxTold is the most that the world has told.
	maxTold = 1_000
)

func or(given *int64, otherwise int64) int64 {
	if given != nil {
		return *given
	}
	return otherwise
}

// product is the one of a SKU, the first when none is named.
func product(sku *string, among []catalog.Product) (catalog.Product, error) {
	if sku == nil {
		return among[0], nil
	}
	i := slices.IndexFunc(among, func(p catalog.Product) bool { return p.SKU == *sku })
	if i < 0 {
		return catalog.Product{}, problem.Invalid(problem.Field{
			Field: fieldSKU, Rule: "exists", Message: fmt.Sprintf("%q is no product that can be asked for so.", *sku),
		})
	}
	return among[i], nil
}

func (c *Company) order(in *PullTrigger, wish office.Wish) (Triggered, error) {
	p, err := product(in.SKU, catalog.Products())
	if err != nil {
		return Triggered{}, err
	}
	wish.Product, wish.Quantity, wish.Price = p, or(in.Quantity, p.OrderMin), in.UnitPriceMinor
	if in.CustomerID != nil {
		if wish.Customer, err = customer(*in.CustomerID); err != nil {
			return Triggered{}, err
		}
	}
	fields := priced(in, p)
	wish.Due, fields = c.dueIn(in, or(in.Days, wish.Due), 1, fields)
	switch {
	case len(fields) > 0:
		return Triggered{}, problem.Invalid(fields...)
	case c.office.State.OpenOrders >= maxWaitingOrders:
		return Triggered{}, impossible("Too many orders wait for an answer or for their goods, and " +
			"customers stay away.")
	}
	return Triggered{"sales_order", c.office.Order(c.rec, wish), c.now}, nil
}

func (c *Company) offerLot(in *PullTrigger) (Triggered, error) {
	p, err := product(in.SKU, catalog.LotProducts())
	if err != nil {
		return Triggered{}, err
	}
	wish := office.Wish{Product: p, Quantity: or(in.Quantity, 0), Price: in.UnitPriceMinor}
	fields := priced(in, p)
	if wish.Quantity > maxLotQuantity {
		fields = append(fields, problem.Field{Field: fieldQuantity, Rule: "maximum",
			Message: fmt.Sprintf("quantity must be at most %d for a lot, as for a work order.", maxLotQuantity)})
	}
	wish.Due, fields = c.dueIn(in, 0, c.office.LotAnswerDays()+1, fields)
	switch {
	case len(fields) > 0:
		return Triggered{}, problem.Invalid(fields...)
	case c.office.State.OfferedLots >= maxWaitingLots:
		return Triggered{}, impossible("Too many lots wait for an answer: framework customers stay away.")
	}
	return Triggered{"contract_lot", c.office.OfferLotOf(c.rec, wish), c.now}, nil
}

// customer is the one with an id.
func customer(id string) (*catalog.Customer, error) {
	if c, ok := catalog.CustomerByID(id); ok {
		return &c, nil
	}
	var ids []string
	for _, c := range catalog.Customers() {
		ids = append(ids, c.ID)
	}
	return nil, problem.Invalid(problem.Field{Field: fieldCustomer, Rule: "exists",
		Message: fmt.Sprintf("%q is no customer; there are %s.", id, strings.Join(ids, ", "))})
}

// priced refuses a price that nobody would pay.
func priced(in *PullTrigger, p catalog.Product) []problem.Field {
	most := p.ListPriceMinor.Times(maxPriceTimes)
	if in.UnitPriceMinor == nil || *in.UnitPriceMinor >= 1 && *in.UnitPriceMinor <= most {
		return nil
	}
	return []problem.Field{{Field: fieldPrice, Rule: "maximum",
		Message: fmt.Sprintf("unit_price_minor must be from 1 to %d, ten times the list price of %s.", most, p.SKU)}}
}

// dueIn is the number of working days until the due date of a trigger, which is from a least on, or the usual one. It
// adds what is wrong to bad.
func (c *Company) dueIn(in *PullTrigger, usual, least int64, bad []problem.Field) (int64, []problem.Field) {
	if in.DueDate == nil {
		return usual, bad
	}
	if in.Days != nil {
		bad = append(bad, problem.Field{Field: fieldDays, Rule: "excludes",
			Message: "Send days or due_date, not both."})
	}
	today, due := c.rec.Today(), *in.DueDate
	first, last := (today + sim.Day(least)).Date(), (today + MaxTriggerDays).Date()
	if day := sim.DayFrom(due); day.Date() == due && due >= first && due <= last {
		return int64(day - today), bad
	}
	return usual, append(bad, problem.Field{Field: fieldDue, Rule: "maximum",
		Message: fmt.Sprintf("due_date must be a working day from %s to %s.", first, last)})
}

// payable finds the invoice that a trigger is about.
func (c *Company) payable(in *PullTrigger, disputed bool) (*office.CustomerInvoice, error) {
	if id := in.CustomerInvoiceID; id != nil {
		if _, ok := c.office.CustomerInvoices.Find(*id); !ok {
			return nil, problem.Missing("customer_invoice", *id)
		}
	}
	invoice, ok := c.office.Payable(in.CustomerInvoiceID, disputed)
	switch {
	case ok:
		return invoice, nil
	case disputed:
		return nil, notThat(in.CustomerInvoiceID,
			"This invoice is not one that is not due yet, and whose customer has the goods.",
			"No customer has goods that are not due for payment yet.")
	default:
		return nil, notThat(in.CustomerInvoiceID,
			"This invoice is not one whose customer has the goods and owes for them.",
			"No customer has goods and owes for them.")
	}
}

func (c *Company) customerPays(in *PullTrigger) (Triggered, error) {
	invoice, err := c.payable(in, false)
	if err != nil {
		return Triggered{}, err
	}
	if c.office.State.Conditions.PaymentsWaitUntil > c.rec.Today() {
		return Triggered{}, impossible("No payment arrives while the payment network is out.")
	}
	for c.rec.Waits(office.TimerPayment, invoice.ID) { // again for the second half
		c.rec.Withdraw(office.TimerPayment, invoice.ID)
		c.paymentArrives(sim.Timer{Ref: invoice.ID})
	}
	return Triggered{"customer_invoice", invoice.ID, c.now}, nil
}

func (c *Company) customerWaits(in *PullTrigger, disputes bool) (Triggered, error) {
	invoice, err := c.payable(in, disputes)
	if err != nil {
		return Triggered{}, err
	}
	at := c.office.PutOff(c.rec, invoice.ID, or(in.Days, lateDays), disputes)
	return Triggered{"customer_invoice", invoice.ID, at}, nil
}

// purchase refuses a purchase order that there is not.
func (c *Company) purchase(in *PullTrigger) error {
	if id := in.PurchaseOrderID; id != nil {
		if _, ok := c.office.PurchaseOrders.Find(*id); !ok {
			return problem.Missing("purchase_order", *id)
		}
	}
	return nil
}

func (c *Company) truck(in *PullTrigger, do func(*office.PurchaseOrder) sim.Minute) (Triggered, error) {
	if err := c.purchase(in); err != nil {
		return Triggered{}, err
	}
	order, ok := c.office.UnderWay(c.rec, in.PurchaseOrderID)
	if !ok {
		return Triggered{}, notThat(in.PurchaseOrderID,
			"The truck of this purchase order is not under way.", "No truck is under way.")
	}
	return Triggered{"purchase_order", order.ID, do(order)}, nil
}

// spoiledTruck changes what is on a truck. It comes when it would have come.
func (c *Company) spoiledTruck(in *PullTrigger, do func(id string, pct int64)) (Triggered, error) {
	pct := or(in.Pct, spoiledPct)
	if pct < 1 {
		return Triggered{}, problem.Invalid(problem.Field{
			Field: fieldPct, Rule: "minimum", Message: "pct must be at least 1.",
		})
	}
	return c.truck(in, func(order *office.PurchaseOrder) sim.Minute {
		do(order.ID, pct)
		return c.dueOf(office.TimerTruck, order.ID)
	})
}

// dueOf is when the timer of a kind that is about a record fires.
func (c *Company) dueOf(kind, ref string) sim.Minute {
	for _, t := range c.rec.Sorted() {
		if t.Kind == kind && t.Ref == ref {
			return t.Due
		}
	}
	return c.now
}

func (c *Company) overbill(in *PullTrigger) (Triggered, error) {
	if err := c.purchase(in); err != nil {
		return Triggered{}, err
	}
	order, ok := c.office.Unbilled(in.PurchaseOrderID)
	if !ok {
		return Triggered{}, notThat(in.PurchaseOrderID,
			"This purchase order does not wait for its bill.", "No purchase order waits for its bill.")
	}
	c.office.Overbill(c.rec, order.ID)
	at := c.dueOf(office.TimerSupplierBills, order.ID)
	if c.rec.Waits(office.TimerTruck, order.ID) {
		at = (c.dueOf(office.TimerTruck, order.ID).Day() + 1).At(sim.PaymentMinute)
	}
	return Triggered{"purchase_order", order.ID, at}, nil
}

// The shares of an order that the first of two triggered trucks may bring, in per cent.
const partedPct, leastPartedPct, mostPartedPct = 60, 55, 90

// partTruck lets an order come on two trucks. The first comes when the only one would have come.
func (c *Company) partTruck(in *PullTrigger) (Triggered, error) {
	if err := c.purchase(in); err != nil {
		return Triggered{}, err
	}
	pct := or(in.Pct, partedPct)
	if pct < leastPartedPct || pct > mostPartedPct {
		return Triggered{}, problem.Invalid(problem.Field{
			Field: fieldPct, Rule: "minimum",
			Message: fmt.Sprintf("pct must be %d to %d.", leastPartedPct, mostPartedPct),
		})
	}
	order, ok := c.office.Partable(c.rec, in.PurchaseOrderID)
	if !ok {
		return Triggered{}, notThat(in.PurchaseOrderID, "This purchase order is not under way on one truck, or has a "+
			"line that is too small for two.", "No purchase order that two trucks could bring is under way.")
	}
	c.office.Part(c.rec, order.ID, pct)
	return Triggered{"purchase_order", order.ID, c.dueOf(office.TimerTruck, order.ID)}, nil
}

func (c *Company) billTwice(in *PullTrigger) (Triggered, error) {
	if err := c.purchase(in); err != nil {
		return Triggered{}, err
	}
	order, ok := c.office.Repeatable(in.PurchaseOrderID)
	if !ok {
		return Triggered{}, notThat(in.PurchaseOrderID,
			"This purchase order has not been billed, or its bill has come twice.",
			"No purchase order has been billed once.")
	}
	return Triggered{"supplier_invoice", c.office.Repeat(c.rec, order.ID), c.now}, nil
}

// badge refuses a badge that nobody has.
func (c *Company) badge(in *PullTrigger) error {
	if in.BadgeNo != nil && !c.people.Employed(*in.BadgeNo) {
		return problem.Missing("employee", *in.BadgeNo)
	}
	return nil
}

// tomorrow is when people come to work, or do not.
func (c *Company) tomorrow() sim.Minute { return (c.rec.Today() + 1).Open() }

func (c *Company) fallsIll(in *PullTrigger) (Triggered, error) {
	if err := c.badge(in); err != nil {
		return Triggered{}, err
	}
	e, ok := c.people.Healthy(c.rec, in.BadgeNo)
	if !ok {
		return Triggered{}, notThat(in.BadgeNo,
			"This employee is not well, or not at work tomorrow.", "No employee is well and at work tomorrow.")
	}
	c.people.FallsIll(c.rec, e.ID, or(in.Days, sickDays))
	return Triggered{"employee", e.ID, c.tomorrow()}, nil
}

func (c *Company) getsWell(in *PullTrigger) (Triggered, error) {
	if err := c.badge(in); err != nil {
		return Triggered{}, err
	}
	e, ok := c.people.Ill(c.rec, in.BadgeNo)
	if !ok {
		return Triggered{}, notThat(in.BadgeNo,
			"This employee would not be ill tomorrow.", "No employee would be ill tomorrow.")
	}
	c.people.GetsWell(c.rec, e.ID)
	return Triggered{"employee", e.ID, c.tomorrow()}, nil
}

func (c *Company) quits(in *PullTrigger) (Triggered, error) {
	if err := c.badge(in); err != nil {
		return Triggered{}, err
	}
	e, ok := c.people.Healthy(c.rec, in.BadgeNo)
	if !ok {
		return Triggered{}, notThat(in.BadgeNo,
			"This employee is not well, or not at work tomorrow.", "No employee is well and at work tomorrow.")
	}
	c.people.Quits(c.rec, e.ID)
	return Triggered{"employee", e.ID, c.tomorrow()}, nil
}

func (c *Company) asksForLeave(in *PullTrigger) (Triggered, error) {
	if err := c.badge(in); err != nil {
		return Triggered{}, err
	}
	e, ok := c.people.Unplanned(c.rec, in.BadgeNo)
	if !ok {
		return Triggered{}, notThat(in.BadgeNo,
			"This employee has a holiday ahead already.", "Each employee has a holiday ahead already.")
	}
	return Triggered{"leave_request", c.people.AsksForLeave(c.rec, e.ID, or(in.Days, leaveDays)), c.now}, nil
}

func (c *Company) runsLow(in *PullTrigger) (Triggered, error) {
	if in.SKU != nil {
		if known, ok := catalog.ItemBySKU(*in.SKU); !ok || known.Class != catalog.Material {
			return Triggered{}, problem.Invalid(problem.Field{
				Field: fieldSKU, Rule: "exists", Message: fmt.Sprintf("%q is no material.", *in.SKU),
			})
		}
	}
	item, ok := c.factory.Plentiful(in.SKU)
	if !ok {
		return Triggered{}, notThat(in.SKU,
			"This material is below its reorder point already.", "Each material is below its reorder point already.")
	}
	c.carryRequisitions(c.factory.RaiseReorderPoint(c.rec, item.SKU)...)
	return Triggered{"stock_item", item.ID, c.now}, nil
}

func (c *Company) marketMoves(in *PullTrigger) (Triggered, error) {
	sku, pct := catalog.Coated, or(in.Pct, movePct)
	if in.SKU != nil {
		sku = *in.SKU
	}
	if !c.market.Wanders(sku) {
		return Triggered{}, problem.Invalid(problem.Field{
			Field: fieldSKU, Rule: "exists",
			Message: fmt.Sprintf("The market has no price of %q that moves by itself.", sku),
		})
	}
	if pct == 0 || pct < leastMovePct || pct > mostMovePct {
		return Triggered{}, problem.Invalid(problem.Field{
			Field: fieldPct, Rule: "minimum", Message: fmt.Sprintf("pct must be between %d and %d, and not 0.",
				leastMovePct, mostMovePct),
		})
	}
	c.market.Shift(c.rec, sku, pct)
	return Triggered{"market_quote", sku, c.now}, nil
}

func (c *Company) tellsStory(*PullTrigger) (Triggered, error) {
	if c.lore.Events.Rows.Len() >= maxTold {
		return Triggered{}, impossible("The world has told all that it can.")
	}
	return Triggered{"lore_event", c.lore.Tell(c.rec), c.now}, nil
}

func (c *Company) opensMajorOrder(*PullTrigger) (Triggered, error) {
	if !c.lore.CanOpen() {
		return Triggered{}, impossible("A major order is open already.")
	}
	return Triggered{"major_order", c.lore.OpenNow(c.rec), c.now}, nil
}

func (c *Company) disruptNow(kind event.DisruptionKind, in *PullTrigger) (Triggered, error) {
	press := ""
	if kind == event.PressFault {
		press = catalog.Presses()[0].ID
		if in.PressID != nil {
			press = *in.PressID
		}
		if _, ok := catalog.PressByID(press); !ok {
			return Triggered{}, problem.Missing("press", press)
		}
	}
	if c.lore.Runs(kind) {
		return Triggered{}, impossible("A disruption of this kind runs already.")
	}
	d := lore.Planned(kind, c.now, or(in.Days, 0), press)
	c.disrupt(d)
	return Triggered{"lore_event", c.lore.Begin(c.rec, d), c.now}, nil
}
