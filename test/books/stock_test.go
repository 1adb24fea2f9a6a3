package books

import (
	"fmt"
	"slices"
	"strings"
)

// stockOnHand checks the warehouse by its moves.
func (a *auditor) stockOnHand() {
	onHand := map[string]int64{}
	for _, m := range a.list[moves] {
		sku := text(m, "sku")
		onHand[sku] += number(m, "quantity")
		same(a.tally, "stock: the balance runs", text(m, "id"), number(m, "balance_after"), onHand[sku])
		a.is("stock: it is never negative", onHand[sku] >= 0, "%s: %d after %s", sku, onHand[sku], text(m, "id"))
		a.is("stock: all but the opening names its event", (text(m, "kind") == "opening") == !given(m, "event_id") ||
			a.event[text(m, "event_id")] != nil, "%s", text(m, "id"))
	}
	for _, item := range a.list[stock] {
		sku, there := text(item, "sku"), number(item, "on_hand")
		same(a.tally, "stock: it is the opening and the moves", sku, there, onHand[sku])
		low := there < number(item, "reorder_point")
		same(a.tally, "stock: low is below the reorder point", sku, text(item, "status") == "low", low)
	}
}

// stockOfTheFeed compares the goods that each event tells with the moves that name it.
func (a *auditor) stockOfTheFeed() {
	byEvent := map[string]map[string]int64{}
	for _, m := range a.list[moves] {
		id := text(m, "event_id")
		if byEvent[id] == nil {
			byEvent[id] = map[string]int64{}
		}
		byEvent[id][text(m, "sku")] += number(m, "quantity")
	}
	for _, e := range a.events {
		data, told := object(e, "data"), map[string]int64{}
		for _, move := range lines(data, "stock") {
			told[text(move, "sku")] += number(move, "quantity")
		}
		if text(e, "type") == "factory.market_delivery.received" && len(told) == 0 {
			told[text(data, "sku")] = number(data, "quantity")
		}
		moved := byEvent[text(e, "id")]
		if text(e, "type") == "office.market_trade.executed" && len(told) == 0 { // it tells the trade, not the shelf
			continue
		}
		for sku := range told {
			same(a.tally, "stock: an event tells its moves", fmt.Sprintf("event %d, %s", number(e, "seq"), sku),
				moved[sku], told[sku])
		}
		a.is("stock: an event tells its moves", len(moved) <= len(told), "event %d: %v", number(e, "seq"), moved)
	}
}

// over tells whether the order or the lot of a work order takes no goods any more: it is answered with no, it is
// expired, or its customer has the goods (contract: OPEN.STATE.WORK_ORDER.OVER).
func (a *auditor) over(w row) (over, expired bool) {
	o := a.asked[foldedReference(w)]
	if o == nil {
		return false, false
	}
	_, arrived := a.arrival(o)
	expired = text(o, "status") == "expired"
	return arrived || expired || text(o, "status") == "declined", expired
}

func folded(name string) string { return strings.ToLower(name) }

// foldedReference is the reference of a work order or of goods that left.
func foldedReference(r row) string { return folded(text(r, "reference")) }

// reserved checks that the shelf keeps exactly the goods of orders that are not over.
func (a *auditor) reserved() {
	want := map[string]int64{}
	for _, w := range a.list[work] {
		over, expired := a.over(w)
		if text(w, "status") == "ready" && !over {
			want[text(w, "sku")] += max(0, number(w, "quantity_from_stock")-number(w, "quantity_shipped"))
		}
		gone := slices.Contains([]string{"shipped", "stocked"}, text(w, "status"))
		if a.auto() {
			same(a.tally, "work: order_expired is for work of an expired order", text(w, "id"), yes(w, "order_expired"),
				expired)
			if over || gone {
				same(a.tally, "work: nothing is waited for once it is over", text(w, "id"), text(w, "waits_for"),
					"nothing")
			}
		} else {
			same(a.tally, "work: order_expired is for work of an expired order", text(w, "id"), yes(w, "order_expired"),
				false)
		}
		if !gone && !over {
			a.is("work: what is not over waits for something", text(w, "waits_for") != "nothing", "%s", text(w, "id"))
		}
	}
	for _, item := range a.list[stock] {
		same(a.tally, "stock: reserved is what open work holds", text(item, "sku"), number(item, "reserved"),
			want[text(item, "sku")])
	}
}

// requisitions checks that the Factory asks exactly for what is low, once, and that the bridge copies it.
func (a *auditor) requisitions() {
	open := map[string]int{}
	copies := grouped(a.list[requests], "reference")
	for _, q := range a.list[requisitions] {
		if text(q, "status") == "open" {
			open[text(q, "sku")]++
		}
		name, copied := text(q, "number"), copies[text(q, "id")]
		if !a.auto() {
			continue
		}
		same(a.tally, "requisition: the bridge copies it once", name, len(copied), 1)
		for _, c := range copied {
			first := lines(c, "lines")[0]
			same(a.tally, "requisition: the copy is equal", name+" quantity", number(first, "quantity"), number(q,
				"quantity"))
			same(a.tally, "requisition: the copy is equal", name+" sku", text(first, "sku"), text(q, "sku"))
			same(a.tally, "requisition: the copy is equal", name+" needed_by", text(c, "needed_by"), text(q,
				"needed_by"))
		}
	}
	for _, item := range a.list[stock] {
		want := 0
		if text(item, "status") == "low" {
			want = 1
		}
		same(a.tally, "requisition: a low item has one open, no other has", text(item, "sku"), open[text(item,
			"sku")], want)
	}
}
