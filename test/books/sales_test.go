package books

import "slices"

// source is the order or the lot that an invoice bills.
func (a *auditor) source(invoice row) (r row, lot bool) {
	if given(invoice, "contract_lot_id") {
		return a.asked[text(invoice, "contract_lot_id")], true
	}
	return a.asked[text(invoice, "sales_order_id")], false
}

// orders compares each order with its bills: all that it says of them is their sum, and its status follows.
func (a *auditor) orders() {
	for _, o := range a.list[orders] {
		id, f, last := text(o, "id"), a.fate[text(o, "id")], row(nil)
		var ids []string
		paid, gross, discounts := true, int64(0), int64(0)
		for _, b := range f.bills {
			last = b.invoice
			ids, paid = append(ids, text(last, "id")), paid && text(last, "status") == "paid"
			gross, discounts = gross+number(last, "gross_minor"), discounts+number(last, "late_discount_minor")
		}
		same(a.tally, "invoice: quantity times price", id, number(o, "total_minor"),
			number(o, "quantity")*number(o, "unit_price_minor"))
		same(a.tally, "order: billed is the sum of its bills", id, number(o, "quantity_billed"), f.billed)
		a.is("order: billed is the sum of its bills", f.billed <= number(o, "quantity"), "%s: %d of %d", id, f.billed,
			number(o, "quantity"))
		a.is("order: it names all its invoices", slices.Equal(texts(o, "invoice_ids"), ids), "%s: %v, I have %v", id,
			o["invoice_ids"], ids)
		same(a.tally, "order: the discount is that of its invoices", id, number(o, "late_discount_minor"), discounts)
		if last != nil {
			same(a.tally, "order: its last bill", id, text(o, "invoice_id"), text(last, "id"))
			same(a.tally, "order: its last bill", id, text(o, "shipment_id"), text(last, "shipment_id"))
			same(a.tally, "order: its last bill", id, text(o, "shipped_on"), text(last, "issued_on"))
		}
		if f.closed && f.billed == number(o, "quantity") {
			same(a.tally, "order: the invoices make its total", id, gross, number(o, "total_minor"))
		}
		status := text(o, "status")
		if len(f.bills) > 1 {
			a.seen("an order of several bills")
		}
		if f.final {
			a.seen("an order that a final bill closed short")
			a.is("part: a final bill is for as much as the customer takes", f.billed >= f.least, "%s: %d of %d, not %d",
				id, f.billed, number(o, "quantity"), f.least)
		}
		switch {
		case status == "received" || status == "declined" || status == "expired":
			a.is("order: its status follows its bills", status == "expired" || f.billed == 0, "%s is %s", id, status)
		case !f.closed:
			want := map[bool]string{true: "in_production", false: "accepted"}[a.auto()]
			same(a.tally, "order: its status follows its bills", id, status, want)
		default:
			want := map[bool]string{true: "paid", false: "shipped"}[paid]
			same(a.tally, "order: its status follows its bills", id, status, want)
		}
	}
}

// invoices compares each invoice with its shipment, its order or lot, and its payments.
func (a *auditor) invoices() {
	shipments, paid := index(a.list[bills], "id"), grouped(a.list[payments], "customer_invoice_id")
	billed := map[string]int{}
	for _, i := range a.list[invoices] {
		id := text(i, "id")
		from, lot := a.source(i)
		shipment := shipments[text(i, "shipment_id")]
		same(a.tally, "invoice: it is that of its shipment", id, text(object(shipment, "invoice"), "id"), id)
		same(a.tally, "invoice: it is that of its shipment", id, text(i, "issued_on"), text(shipment, "shipped_on"))
		if lot {
			billed[text(from, "id")]++
			same(a.tally, "invoice: one for a lot, of all of it", text(from, "id"), billed[text(from, "id")], 1)
			same(a.tally, "invoice: one for a lot, of all of it", id, text(from, "invoice_id"), id)
			same(a.tally, "invoice: one for a lot, of all of it", id, number(shipment, "quantity"),
				number(from, "quantity"))
		}
		same(a.tally, "invoice: gross is the price of its units", id, number(i, "gross_minor"),
			number(shipment, "quantity")*number(from, "unit_price_minor"))
		same(a.tally, "invoice: total is gross less the late discount", id, number(i, "total_minor"),
			number(i, "gross_minor")-number(i, "late_discount_minor"))
		same(a.tally, "invoice: what is paid is the payments", id, number(i, "amount_paid_minor"),
			sum(paid[id], "amount_minor"))
		same(a.tally, "invoice: the balance is what is left", id, number(i, "balance_minor"),
			number(i, "total_minor")-number(i, "amount_paid_minor"))
		same(a.tally, "invoice: overdue is owed after its due date", id, text(i, "status") == "overdue",
			number(i, "balance_minor") > 0 && a.today() > dayOf(text(i, "due_date")))
		same(a.tally, "invoice: paid is without a balance", id, text(i, "status") == "paid", number(i,
			"balance_minor") == 0)
		if text(shipment, "source") != "opening" {
			due := dateAfter(text(i, "issued_on"), number(a.customer(i), "payment_terms_days"))
			same(a.tally, "invoice: due after the terms", id, text(i, "due_date"), due)
		}
	}
}

// discounts recomputes the late discount of each invoice, by the day on which the last of its units came (contract:
// OPEN.PART.LATE). A bill that came before the goods tells the rest once the customer pays.
func (a *auditor) discounts() {
	for _, f := range a.fate {
		for _, b := range f.bills {
			i := b.invoice
			issued, id := dayOf(text(i, "issued_on")), text(i, "id")
			day, came := f.cameOn(b.upTo)
			switch {
			case f.opened:
				continue
			case f.lot:
				same(a.tally, "invoice: the late discount", id, number(i, "late_discount_minor"), 0)
				continue
			case !came || day > issued && number(i, "amount_paid_minor") == 0:
				day = issued
			}
			want := lateDiscount(f.asked, number(i, "gross_minor"), day)
			kinds := []string{"invoice: the late discount"}
			if want > 0 && b.quantity < number(f.asked, "quantity") {
				kinds = append(kinds, "part: the late discount of its own day")
			}
			for _, kind := range kinds {
				a.is(kind, number(i, "late_discount_minor") == want,
					"%s: %d in the rows, %d by my count: due %s, %d units arrived on day %d, billed %s, paid %d of %d",
					id, number(i, "late_discount_minor"), want, text(f.asked, "due_date"), b.upTo, day,
					text(i, "issued_on"), number(i, "amount_paid_minor"), number(i, "total_minor"))
			}
		}
	}
}

// lateDiscount is taken off a bill by its customer for goods that came on a day. It leaves a minor unit.
func lateDiscount(order row, gross int64, day int) int64 {
	late := int64(max(0, day-dayOf(text(order, "due_date"))))
	percent := min(late*number(order, "late_discount_pct_per_day"), number(order, "late_discount_cap_pct"))
	return min(share(gross, percent), gross-1)
}

// collections checks who pays, and for which goods: a customer pays an invoice when its units have come, and one who
// accepts no parts once all has (contract: OPEN.PART.CUSTOMER, OPEN.STATE.CUSTOMER_INVOICE.PHYSICAL).
func (a *auditor) collections() {
	paid := grouped(a.list[payments], "customer_invoice_id")
	for _, f := range a.fate {
		for _, b := range f.bills {
			id, part := text(b.invoice, "id"), b.quantity < number(f.asked, "quantity")
			came, pays := a.reached(b.invoice)
			if f.opened {
				continue
			}
			if !pays {
				same(a.tally, "payment: none for goods that have not come", id, len(paid[id]), 0)
				if _, units := f.cameOn(b.upTo); units && part {
					same(a.tally, "part: none is paid before the last by who accepts none", id, len(paid[id]), 0)
				}
				continue
			}
			if !yes(a.customer(b.invoice), "accepts_parts") {
				came = f.wholeOn
			}
			came = max(came, dayOf(text(b.invoice, "issued_on")))
			for _, p := range paid[id] {
				a.is("payment: after the goods and the bill", dayOf(text(p, "received_on")) >= came,
					"%s: paid on %s, came and billed on day %d", id, text(p, "received_on"), came)
			}
			if a.today() > came+longest && text(a.status, "status") == "active" {
				same(a.tally, "payment: what came is paid in the end", id, text(b.invoice, "status"), "paid")
				if part && !f.whole {
					same(a.tally, "part: what came of an order that is not whole is paid", id,
						text(b.invoice, "status"), "paid")
				}
			}
		}
	}
}

// longest is more working days than any customer takes to pay, with all that may put a payment off.
const longest = 30

// disputes checks that customers say of goods that have not come that they have not, once the bill is overdue.
func (a *auditor) disputes() {
	for _, i := range a.list[invoices] {
		_, pays := a.reached(i)
		id, overdue := text(i, "id"), text(i, "status") == "overdue"
		f := a.fateOf(i)
		switch {
		case !overdue:
			same(a.tally, "dispute: only of what is overdue", id, text(i, "dispute_code"), "")
		case !pays:
			same(a.tally, "dispute: of what has not come", id, text(i, "dispute_code"), "goods_not_received")
			if f.came > 0 && !f.lot {
				same(a.tally, "part: what is missing is disputed", id, text(i, "dispute_code"), "goods_not_received")
			}
		default: // who has paid half has found the goods
			same(a.tally, "dispute: of what came only by who cannot find it", id, text(i, "dispute_code") != "",
				a.disputing[id] && number(i, "amount_paid_minor") == 0)
		}
	}
}

// payments checks how customers pay: at once, or by halves (contract: OPEN.STATE.PAYMENT.INSTALMENTS).
func (a *auditor) payments() {
	paid, habits := grouped(a.list[payments], "customer_invoice_id"), index(a.list[customers], "id")
	for _, p := range a.list[payments] {
		entries := a.ledgerOf[text(p, "id")]
		same(a.tally, "payment: the ledger has it once", text(p, "id"), len(entries), 1)
		same(a.tally, "payment: the ledger has it once", text(p, "id"), sum(entries, "amount_minor"), number(p,
			"amount_minor"))
	}
	for _, i := range a.list[invoices] {
		id, parts := text(i, "id"), paid[text(i, "id")]
		if text(habits[text(i, "customer_id")], "payment_habit") != "instalments" {
			same(a.tally, "payment: one for an invoice", id, len(parts) == 1, text(i, "status") == "paid")
			a.is("payment: one for an invoice", len(parts) <= 1, "%s: %d payments", id, len(parts))
			continue
		}
		if text(i, "status") == "paid" {
			same(a.tally, "payment: two halves", id, len(parts), 2)
		}
		a.is("payment: two halves", len(parts) <= 2, "%s: %d payments", id, len(parts))
		if len(parts) == 0 {
			continue
		}
		first := number(parts[0], "amount_minor")
		a.is("payment: the first is not above the half", first <= number(i, "total_minor")/2, "%s: %d of %d", id, first,
			number(i, "total_minor"))
		if len(parts) == 2 {
			a.is("payment: the second is not before the first",
				text(parts[1], "received_on") >= text(parts[0], "received_on"), "%s", id)
		}
	}
}

// missed tells whether a promise was not kept, and is known not to have been: a day has opened after the last one.
func (a *auditor) missed(o row, last string) bool {
	day, arrived := a.arrival(o)
	return a.today() > dayOf(text(o, last)) && (!arrived || day > dayOf(text(o, last)))
}

// promises checks that the goods decide what becomes of an order or a lot, and no bill.
func (a *auditor) promises() {
	paid := grouped(a.list[payments], "customer_invoice_id")
	opened := map[string]bool{} // those of the opening whose goods left before
	for _, s := range a.list[bills] {
		if text(s, "source") == "opening" {
			opened[text(s, "sales_order_id")], opened[text(s, "contract_lot_id")] = true, true
		}
	}
	accepted := map[string]bool{}
	for _, e := range a.events {
		switch text(e, "type") {
		case "office.sales_order.accepted", "office.contract_lot.accepted":
			accepted[text(object(e, "data"), "id")] = true
		}
	}
	for _, list := range []string{orders, lots} {
		last := map[string]string{orders: "cancel_after", lots: "deliver_by"}[list]
		for _, o := range a.list[list] {
			id, status := text(o, "id"), text(o, "status")
			if opened[id] {
				continue
			}
			promised := accepted[id] || given(o, "invoice_id") || status == "accepted" || status == "in_production"
			if promised {
				same(a.tally, "promise: one that the goods did not keep is expired", id, text(o, "expired_reason") ==
					"delivery_missed", a.missed(o, last))
			} else if _, arrived := a.arrival(o); !arrived && status != "declined" {
				same(a.tally, "promise: an offer without an answer lapses", id, status == "expired",
					a.today() > dayOf(text(o, "answer_by")))
			}
			if f := a.fate[id]; status == "expired" {
				for _, b := range f.bills {
					_, pays := a.reached(b.invoice)
					a.is("promise: an expired one is paid for what came", pays || len(paid[text(b.invoice, "id")]) == 0,
						"%s is paid for %s", id, text(b.invoice, "id"))
					if f.came > 0 {
						a.seen("a bill of an order that expired with parts")
					}
				}
			}
		}
	}
}

// lots checks that a lot that was promised and not delivered costs its penalty, once.
func (a *auditor) lots() {
	for _, l := range a.list[lots] {
		want, entries := int64(0), 0
		if text(l, "expired_reason") == "delivery_missed" {
			want, entries = -number(l, "penalty_minor"), 1
		}
		cost := a.ledgerOf[text(l, "id")]
		if f := a.fate[text(l, "id")]; len(f.parcels) > 1 && f.complete() {
			a.seen("a lot that came in parcels")
		}
		same(a.tally, "lot: the penalty is for a delivery that was missed", text(l, "id"), sum(cost, "amount_minor"),
			want)
		same(a.tally, "lot: the penalty is for a delivery that was missed", text(l, "id"), len(cost), entries)
	}
}

// departures compares goods that left with their work order, and with the mirror of the bridge.
func (a *auditor) departures() {
	of, at := index(a.list[work], "id"), index(a.list[bills], "id")
	named := map[string]int{}
	for _, s := range a.list[departures] {
		id, w := text(s, "id"), of[text(s, "work_order_id")]
		same(a.tally, "shipment: it is that of its work order", id, text(s, "reference"), text(w, "reference"))
		same(a.tally, "shipment: it is that of its work order", id, text(s, "sku"), text(w, "sku"))
		if given(s, "part_ref") {
			name := text(w, "id") + " " + folded(text(s, "part_ref"))
			named[name]++
			same(a.tally, "part: a name is there once", id+" "+name, named[name], 1)
		}
		mirror := at[text(s, "bridged_office_shipment_id")]
		if !a.auto() {
			same(a.tally, "shipment: no mirror without the bridge", id, mirror == nil, true)
		} else if mirror != nil {
			want := number(s, "quantity")
			if given(mirror, "contract_lot_id") { // billed whole, with the parcel that makes it whole
				want = number(a.fateOf(mirror).asked, "quantity")
			}
			same(a.tally, "shipment: the mirror is equal", id, number(mirror, "quantity"), want)
			same(a.tally, "shipment: the mirror is equal", id, yes(mirror, "final"), yes(s, "final") &&
				given(mirror, "sales_order_id"))
		}
	}
	for _, s := range a.list[bills] {
		if given(s, "factory_shipment_ref") && given(s, "sales_order_id") {
			name := text(s, "sales_order_id") + " " + folded(text(s, "factory_shipment_ref"))
			named[name]++
			same(a.tally, "part: a name is there once", text(s, "id")+" "+name, named[name], 1)
		}
	}
}

// parcels adds up what left of each work order.
func (a *auditor) parcels() {
	left := grouped(a.list[departures], "work_order_id")
	for _, w := range a.list[work] {
		id, gone, last, final := text(w, "id"), int64(0), "", false
		for n, s := range left[text(w, "id")] {
			gone, last = gone+number(s, "quantity"), text(s, "id")
			a.is("shipment: nothing leaves after the last", !final, "%s: %s", id, last)
			final = yes(s, "final")
			if n > 0 || number(s, "quantity") < number(w, "quantity") {
				a.seen("a parcel that is not the whole")
			}
			if final && gone < number(w, "quantity") {
				a.seen("a final parcel that leaves units out")
			}
		}
		same(a.tally, "work: shipped is the sum of its shipments", id, number(w, "quantity_shipped"), gone)
		a.is("work: no more leaves than is ready", gone <= number(w, "quantity_ready"), "%s: %d of %d", id, gone,
			number(w, "quantity_ready"))
		same(a.tally, "work: its last shipment", id, text(w, "shipment_id"), last)
		same(a.tally, "work: it is shipped with all, or a final part", id, text(w, "status") == "shipped", final ||
			gone == number(w, "quantity"))
	}
}
