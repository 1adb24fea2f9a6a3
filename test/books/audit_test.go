package books

import "slices"

// audit judges the books by all that is written of them.
func audit(b *books) *tally {
	a := &auditor{
		books: b, tally: newTally(), event: index(b.events, "id"), ledgerOf: map[string][]row{},
		made: index(b.list[products], "sku"), asked: map[string]row{}, customers: index(b.list[customers], "id"),
	}
	for _, path := range lists() {
		if path != operators && path != products && path != presses && path != stock {
			a.is("list: an id is there once", len(index(b.list[path], "id")) == len(b.list[path]), "%s", path)
		}
	}
	for _, o := range slices.Concat(b.list[orders], b.list[lots]) {
		a.asked[folded(text(o, "id"))], a.asked[folded(text(o, "number"))] = o, o
	}
	for _, l := range b.list[ledger] {
		a.ledgerOf[text(l, "reference_id")] = append(a.ledgerOf[text(l, "reference_id")], l)
	}
	for _, part := range []func(){
		a.fates, a.feed, a.projection, a.money, a.moneyOfTheFeed, a.stockOnHand, a.stockOfTheFeed, a.reserved,
		a.requisitions, a.orders, a.invoices, a.discounts, a.payments, a.collections, a.disputes, a.satisfaction,
		a.promises, a.lots, a.departures, a.parcels, a.workOrders, a.ready, a.printRuns, a.occupation, a.purchases,
		a.trucks, a.supplierBills, a.weeks, a.payrolls, a.attendance, a.market, a.counts, a.score, a.worth,
	} {
		part()
	}
	return a.tally
}

type auditor struct {
	*books
	*tally

	// event finds the events by their ids, ledgerOf the entries of a record.
	event    map[string]row
	ledgerOf map[string][]row
	// made is how each product is made, asked finds orders and lots by their ids and numbers.
	made, asked, customers map[string]row
	// fate is that of each order and lot, satisfied the satisfaction of each customer, in tenths of a per cent.
	fate      map[string]*fate
	satisfied map[string]int64
}
