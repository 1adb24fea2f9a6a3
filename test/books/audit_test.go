package books

import "slices"

// audit judges the books by all that is written of them.
func audit(b *books) *tally {
	a := &auditor{
		books: b, tally: newTally(), event: index(b.events, "id"), left: map[string]row{}, ledgerOf: map[string][]row{},
		made: index(b.list[products], "sku"), asked: map[string]row{},
	}
	for _, path := range lists() {
		if path != operators && path != products && path != presses && path != stock {
			a.is("list: an id is there once", len(index(b.list[path], "id")) == len(b.list[path]), "%s", path)
		}
	}
	for _, s := range b.list[departures] {
		if name := foldedReference(s); a.left[name] == nil {
			a.left[name] = s
		}
	}
	for _, o := range slices.Concat(b.list[orders], b.list[lots]) {
		a.asked[folded(text(o, "id"))], a.asked[folded(text(o, "number"))] = o, o
	}
	for _, l := range b.list[ledger] {
		a.ledgerOf[text(l, "reference_id")] = append(a.ledgerOf[text(l, "reference_id")], l)
	}
	for _, part := range []func(){
		a.feed, a.projection, a.money, a.moneyOfTheFeed, a.stockOnHand, a.stockOfTheFeed, a.reserved, a.requisitions,
		a.invoices, a.payments, a.promises, a.lots, a.departures, a.workOrders, a.printRuns, a.occupation,
		a.purchases, a.trucks, a.supplierBills, a.weeks, a.payrolls, a.attendance, a.market, a.counts, a.score, a.worth,
	} {
		part()
	}
	return a.tally
}

type auditor struct {
	*books
	*tally

	// event finds the events by their ids, left the first goods that left for a reference, ledgerOf the entries of a
	// record.
	event, left map[string]row
	ledgerOf    map[string][]row
	// made is how each product is made, asked finds orders and lots by their ids and numbers.
	made, asked map[string]row
}

// arrival is the working day on which a customer got the goods of an order or a lot: those that left with its id or its
// number on them (contract: OPEN.STATE.FACTORY_SHIPMENT.REFERENCE).
func (a *auditor) arrival(o row) (day int, arrived bool) {
	for _, name := range []string{text(o, "id"), text(o, "number")} {
		if s := a.left[folded(name)]; s != nil && (!arrived || dayOf(text(s, "shipped_on")) < day) {
			day, arrived = dayOf(text(s, "shipped_on")), true
		}
	}
	return day, arrived
}
