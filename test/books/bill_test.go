package books

import "fmt"

// This file is about orders that come on two trucks, and bills that come twice.

// billsOfOrders are the bills for materials by their orders.
func (a *auditor) billsOfOrders() map[string][]row {
	return grouped(a.list[supplierBills], "purchase_order_id")
}

// goods name what a bill is for: suppliers never bill the same goods of an order twice but by mistake.
func goods(b row) (name string) {
	for _, l := range lines(b, "lines") {
		name += fmt.Sprint(text(l, "sku"), number(l, "quantity"), number(l, "unit_price_minor"), " ")
	}
	return name
}

// covers reports whether a bill is for the goods of a truck.
func covers(b, order, truck row) bool {
	whole, noted := index(lines(order, "lines"), "sku"), index(lines(truck, "lines"), "sku")
	for _, l := range lines(b, "lines") {
		sku, billed := text(l, "sku"), number(l, "quantity")
		if billed != number(whole[sku], "quantity") && billed != number(noted[sku], "quantity_advised") {
			return false
		}
	}
	return true
}

// billedAndPaid is the billing status of an order, by its bills. Their sums are on its lines.
func (a *auditor) billedAndPaid(order row, bills []row) string {
	id, once, open := text(order, "id"), map[string]int64{}, map[string]int64{}
	seen, unpaid := map[string]int{}, false
	for _, b := range bills {
		unpaid = unpaid || text(b, "status") != "paid"
		if seen[goods(b)]++; seen[goods(b)] > 2 {
			a.is("purchase: a bill comes twice at most", false, "%s: %s", id, goods(b))
		}
		for _, l := range lines(b, "lines") {
			if !given(b, "duplicate_of") {
				open[text(l, "sku")] += number(l, "quantity")
			}
			if seen[goods(b)] == 1 {
				once[text(l, "sku")] += number(l, "quantity")
			}
		}
	}
	a.is("purchase: two bills at most, and one that came again", len(seen) <= 2 && len(bills) <= len(seen)+1,
		"%s has %d", id, len(bills))
	if len(bills) > len(seen) {
		a.seen("a bill that came twice")
	}
	whole := true
	for _, l := range lines(order, "lines") {
		sku := text(l, "sku")
		same(a.tally, "purchase: quantity_billed is the bills", id, number(l, "quantity_billed"), open[sku])
		whole = whole && once[sku] == number(l, "quantity")
		a.is("purchase: goods are billed once", once[sku] <= number(l, "quantity"), "%s: %d", id, once[sku])
	}
	switch {
	case len(bills) == 0:
		return "none"
	case unpaid || !whole:
		return "billed"
	default:
		return "paid"
	}
}

// takenBefore are the quantities that the bill of a first truck takes of what was received, none for a bill of that
// truck or of all. Of one that has been paid they are not known, unless its receipts say the same today.
func (a *auditor) takenBefore(b, order row) (taken map[string]int64, known bool) {
	taken, received := map[string]int64{}, index(lines(order, "lines"), "sku")
	for _, first := range a.billsOfOrders()[text(order, "id")] {
		if text(first, "id") == text(b, "id") || goods(first) == goods(b) || given(first, "duplicate_of") ||
			number(lines(first, "lines")[0], "quantity") < number(lines(b, "lines")[0], "quantity") {
			continue
		}
		matched := int64(0)
		for _, l := range lines(first, "lines") {
			sku := text(l, "sku")
			taken[sku] = min(number(l, "quantity"), number(received[sku], "quantity_received"))
			matched += taken[sku] * number(received[sku], "unit_price_minor")
		}
		if matched != number(first, "matched_minor") {
			return nil, false
		}
	}
	return taken, true
}
