package books

import "slices"

// fate is the story of an order or a lot: the parcels that its customer took, and the bills, in the order of the
// feed.
type fate struct {
	asked row
	lot   bool
	// least is the smallest quantity that the customer takes as the whole.
	least int64
	// opened is set for an order of the opening, whose goods left before it.
	opened bool

	answered, over bool
	parcels        []taken
	came           int64
	// whole is set once the customer has all, wholeOn is the working day on which the last of it came.
	whole   bool
	wholeOn int

	bills  []*bill
	billed int64
	// closed is set once all is billed, or the last bill was final.
	closed, final bool
}

// taken is a parcel that a customer took: how much had come with it, and on which working day.
type taken struct {
	upTo int64
	day  int
}

// bill is an invoice and the units that it is for: the last so many of the first upTo.
type bill struct {
	invoice        row
	quantity, upTo int64
}

// complete tells whether all has come and all is billed: the order counts, once.
func (f *fate) complete() bool { return f.whole && f.closed && !f.opened }

// cameOn is the working day on which the customer had so many units (contract: OPEN.PART.LATE).
func (f *fate) cameOn(upTo int64) (day int, came bool) {
	for _, p := range f.parcels {
		if p.upTo >= upTo {
			return p.day, true
		}
	}
	return 0, false
}

// takes lets the customer take a parcel.
func (f *fate) takes(s row) {
	if f.over || f.whole || text(s, "sku") != text(f.asked, "sku") || f.lot && !f.answered {
		return
	}
	f.came += number(s, "quantity")
	day := dayOf(text(s, "shipped_on"))
	f.parcels = append(f.parcels, taken{f.came, day})
	last := !f.lot && (yes(s, "final") || f.final)
	if f.came >= number(f.asked, "quantity") || last && f.came >= f.least {
		f.whole, f.wholeOn = true, day
	}
}

// isBilled adds an invoice and its shipment at Head Office.
func (f *fate) isBilled(invoice, shipment row) {
	quantity := number(shipment, "quantity")
	f.billed += quantity
	f.bills = append(f.bills, &bill{invoice, quantity, f.billed})
	f.closed = f.closed || f.billed >= number(f.asked, "quantity") || yes(shipment, "final")
	if yes(shipment, "final") && f.billed < number(f.asked, "quantity") {
		f.final = true
	}
	if n := len(f.parcels); yes(shipment, "final") && n > 0 && f.came >= f.least && !f.whole {
		f.whole, f.wholeOn = true, f.parcels[n-1].day // the bill tells the customer that no more comes
	}
}

// fates follows the orders and the lots through the feed: the events say what came before what, the rows how much.
func (a *auditor) fates() {
	a.fate, a.satisfied = map[string]*fate{}, map[string]int64{}
	terms := index(a.list[customers], "id")
	for id := range terms {
		a.satisfied[id] = satisfiedAtFirst
	}
	for _, list := range []string{orders, lots} {
		for _, o := range a.list[list] {
			quantity := number(o, "quantity")
			tolerance := number(terms[text(o, "customer_id")], "delivery_tolerance_pct")
			a.fate[text(o, "id")] = &fate{
				asked: o, lot: list == lots, least: quantity - quantity*tolerance/hundredPercent,
			}
		}
	}
	parcels, shipments, of := index(a.list[departures], "id"), index(a.list[bills], "id"), index(a.list[invoices], "id")
	for _, s := range a.list[bills] {
		if f := a.fate[text(s, "sales_order_id")]; text(s, "source") == "opening" && f != nil {
			f.opened, f.whole, f.came = true, true, number(f.asked, "quantity")
			f.isBilled(of[text(object(s, "invoice"), "id")], s)
		}
	}
	for _, e := range a.events {
		data := object(e, "data")
		switch text(e, "type") {
		case "factory.shipment.created":
			s := parcels[text(data, "id")]
			for _, name := range []string{"reference", "sku", "quantity", "final", "part_ref", "source"} {
				same(a.tally, "shipment: its event tells it", text(data, "id")+" "+name, data[name], s[name])
			}
			if o := a.asked[folded(text(data, "reference"))]; o != nil {
				f := a.fate[text(o, "id")]
				before := f.complete()
				awaited := f.answered && !f.over && !f.whole && !f.lot
				f.takes(s)
				if awaited && a.auto() && yes(s, "final") {
					a.is("part: a final parcel makes as much as the customer takes", f.whole, "%s: %d of %d",
						text(s, "id"), f.came, number(o, "quantity"))
				}
				a.completes(f, before)
			}
		case "office.customer_invoice.created":
			s := shipments[text(data, "shipment_id")]
			for _, name := range []string{"sales_order_id", "contract_lot_id", "quantity", "final", "source"} {
				same(a.tally, "shipment: its event tells it", text(data, "shipment_id")+" "+name, data[name], s[name])
			}
			if f := a.fateOf(s); f != nil && !f.opened {
				before := f.complete()
				f.isBilled(of[text(data, "id")], s)
				a.completes(f, before)
			}
		default:
			a.answers(text(e, "type"), data)
		}
	}
}

// answers follows the answers to orders and lots, and their ends.
func (a *auditor) answers(kind string, data row) {
	f := a.fate[text(data, "id")]
	if f == nil {
		return
	}
	switch kind {
	case "office.sales_order.accepted", "office.contract_lot.accepted":
		f.answered = true
	case "office.sales_order.declined", "office.contract_lot.declined":
		f.over = true
		a.pleases(f, -15)
	case "office.sales_order.expired", "office.contract_lot.expired":
		f.over = true
		a.pleases(f, map[string]int64{"answer_lapsed": -60, "delivery_missed": -300}[text(data, "reason")])
	}
}

// satisfiedAtFirst is the satisfaction of a customer at the opening, in tenths of a per cent.
const satisfiedAtFirst, wholly = 600, 1000

// completes moves the satisfaction of a customer with an order that is complete now, once, by the day of its last part
// (contract: OPEN.PART.LATE, OPEN.STATE.CUSTOMER.SATISFACTION).
func (a *auditor) completes(f *fate, before bool) {
	if before || !f.complete() {
		return
	}
	if late := int64(f.wholeOn - dayOf(text(f.asked, dueOf(f)))); late > 0 {
		a.pleases(f, -min(240, 80*late))
	} else {
		a.pleases(f, 40)
	}
}

func dueOf(f *fate) string {
	if f.lot {
		return "deliver_by"
	}
	return "due_date"
}

// pleases moves the satisfaction of the customer of an order; lots move none.
func (a *auditor) pleases(f *fate, tenths int64) {
	if id := text(f.asked, "customer_id"); !f.lot {
		a.satisfied[id] = min(wholly, max(0, a.satisfied[id]+tenths))
	}
}

// satisfaction compares what customers think with the fate of their orders.
func (a *auditor) satisfaction() {
	for _, c := range a.list[customers] {
		const tenthsOfAPercent = 10
		same(a.tally, "customer: satisfaction follows the fate of the orders", text(c, "id"),
			decimal(c, "satisfaction_pct"), float64(a.satisfied[text(c, "id")])/tenthsOfAPercent)
	}
}

// fateOf is that of the order or the lot which an invoice or a shipment of Head Office bills.
func (a *auditor) fateOf(billed row) *fate {
	if given(billed, "contract_lot_id") {
		return a.fate[text(billed, "contract_lot_id")]
	}
	return a.fate[text(billed, "sales_order_id")]
}

// reached is the working day on which the last unit of an invoice came, and whether its customer means to pay it: one
// who accepts no parts has to have all (contract: OPEN.PART.CUSTOMER).
func (a *auditor) reached(invoice row) (day int, pays bool) {
	f := a.fateOf(invoice)
	at := slices.IndexFunc(f.bills, func(b *bill) bool { return text(b.invoice, "id") == text(invoice, "id") })
	if f.opened || at < 0 {
		return 0, f.opened
	}
	day, came := f.cameOn(f.bills[at].upTo)
	return day, came && (f.whole || !f.lot && yes(a.customer(invoice), "accepts_parts"))
}

func (a *auditor) customer(r row) row { return a.customers[text(r, "customer_id")] }

// arrival is the working day on which a customer had the whole of an order or a lot: goods left with its id or its
// number on them (contract: OPEN.STATE.FACTORY_SHIPMENT.REFERENCE).
func (a *auditor) arrival(o row) (day int, arrived bool) {
	f := a.fate[text(o, "id")]
	return f.wholeOn, f.whole && !f.opened
}
