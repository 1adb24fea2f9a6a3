package books

import "slices"

// source is the order or the lot that an invoice bills.
func (a *auditor) source(invoice row) (r row, lot bool) {
	if given(invoice, "contract_lot_id") {
		return a.asked[text(invoice, "contract_lot_id")], true
	}
	return a.asked[text(invoice, "sales_order_id")], false
}

// invoices compares each invoice with its shipment, its order or lot, and its payments.
func (a *auditor) invoices() {
	shipments, paid := index(a.list[bills], "id"), grouped(a.list[payments], "customer_invoice_id")
	terms := index(a.list[customers], "id")
	billed := map[string]int{}
	for _, o := range slices.Concat(a.list[orders], a.list[lots]) {
		same(a.tally, "invoice: quantity times price", text(o, "id"), number(o, "total_minor"),
			number(o, "quantity")*number(o, "unit_price_minor"))
	}
	for _, i := range a.list[invoices] {
		id := text(i, "id")
		from, lot := a.source(i)
		shipment := shipments[text(i, "shipment_id")]
		billed[text(from, "id")]++
		same(a.tally, "invoice: one for an order or a lot", text(from, "id"), billed[text(from, "id")], 1)
		same(a.tally, "invoice: it is that of its shipment", id, text(object(shipment, "invoice"), "id"), id)
		same(a.tally, "invoice: it is that of its shipment", id, text(i, "issued_on"), text(shipment, "shipped_on"))
		same(a.tally, "invoice: the order names it", id, text(from, "invoice_id"), id)
		same(a.tally, "invoice: the whole quantity", id, number(shipment, "quantity"), number(from, "quantity"))
		same(a.tally, "invoice: gross is the order's total", id, number(i, "gross_minor"), number(from, "total_minor"))
		same(a.tally, "invoice: total is gross less the late discount", id, number(i, "total_minor"),
			number(i, "gross_minor")-number(i, "late_discount_minor"))
		same(a.tally, "invoice: what is paid is the payments", id, number(i, "amount_paid_minor"),
			sum(paid[id], "amount_minor"))
		same(a.tally, "invoice: the balance is what is left", id, number(i, "balance_minor"),
			number(i, "total_minor")-number(i, "amount_paid_minor"))
		same(a.tally, "invoice: paid is without a balance", id, text(i, "status") == "paid", number(i,
			"balance_minor") == 0)
		if text(shipment, "source") == "opening" {
			continue
		}
		due := dateAfter(text(i, "issued_on"), number(terms[text(i, "customer_id")], "payment_terms_days"))
		same(a.tally, "invoice: due after the terms", id, text(i, "due_date"), due)
		if lot {
			same(a.tally, "invoice: the late discount", id, number(i, "late_discount_minor"), 0)
			continue
		}
		if day, arrived := a.arrival(from); arrived && text(from, "status") != "expired" {
			// A bill that came before the goods tells the discount once the customer pays.
			if day > dayOf(text(i, "issued_on")) && number(i, "amount_paid_minor") == 0 {
				continue
			}
			want := lateDiscount(from, day)
			a.is("invoice: the late discount", number(i, "late_discount_minor") == want,
				"%s: %d in the rows, %d by my count: due %s, arrived on day %d, billed %s, paid %d of %d", id,
				number(i, "late_discount_minor"), want, text(from, "due_date"), day, text(i, "issued_on"),
				number(i, "amount_paid_minor"), number(i, "total_minor"))
		}
	}
}

// lateDiscount is taken off an order by its customer for goods that came on a day.
func lateDiscount(order row, day int) int64 {
	late := int64(max(0, day-dayOf(text(order, "due_date"))))
	percent := min(late*number(order, "late_discount_pct_per_day"), number(order, "late_discount_cap_pct"))
	return share(number(order, "total_minor"), percent)
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
			if status == "expired" && given(o, "invoice_id") {
				same(a.tally, "promise: an expired one is never paid", id, len(paid[text(o, "invoice_id")]), 0)
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
		same(a.tally, "lot: the penalty is for a delivery that was missed", text(l, "id"), sum(cost, "amount_minor"),
			want)
		same(a.tally, "lot: the penalty is for a delivery that was missed", text(l, "id"), len(cost), entries)
	}
}

// departures compares goods that left with their work order, and with the mirror of the bridge.
func (a *auditor) departures() {
	of, at := index(a.list[work], "id"), index(a.list[bills], "id")
	shipped := map[string]int{}
	for _, s := range a.list[departures] {
		id, w := text(s, "id"), of[text(s, "work_order_id")]
		shipped[text(w, "id")]++
		same(a.tally, "shipment: one of a work order", id, shipped[text(w, "id")], 1)
		same(a.tally, "shipment: it is that of its work order", id, text(w, "shipment_id"), id)
		same(a.tally, "shipment: all of the work order", id, number(s, "quantity"), number(w, "quantity"))
		same(a.tally, "shipment: it is that of its work order", id, text(s, "reference"), text(w, "reference"))
		if !a.auto() {
			same(a.tally, "shipment: no mirror without the bridge", id, text(s, "bridged_office_shipment_id"), "")
		} else if mirror := text(s, "bridged_office_shipment_id"); mirror != "" {
			same(a.tally, "shipment: the mirror is equal", id, number(at[mirror], "quantity"), number(s, "quantity"))
		}
	}
}
