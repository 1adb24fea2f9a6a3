package books

import "fmt"

// purchases compares purchase orders with the receipts of Head Office and with their bill.
func (a *auditor) purchases() {
	accepted, advised := map[string]int64{}, map[string]int64{}
	for _, d := range a.list[deliveries] {
		for _, l := range lines(d, "lines") {
			advised[text(d, "purchase_order_number")+" "+text(l, "sku")] += number(l, "quantity_advised")
		}
	}
	for _, r := range a.list[receipts] {
		for _, l := range lines(r, "lines") {
			accepted[text(r, "purchase_order_id")+" "+text(l, "sku")] += number(l, "quantity_accepted")
		}
	}
	billed, asked := a.billsOfOrders(), index(a.list[requests], "id")
	for _, o := range a.list[purchases] {
		id, none, all := text(o, "id"), true, true
		for _, l := range lines(o, "lines") {
			received := accepted[id+" "+text(l, "sku")]
			same(a.tally, "purchase: received is the receipts", id, number(l, "quantity_received"), received)
			same(a.tally, "purchase: the rest of the trucks' notes is expected", id, number(l, "quantity_expected"),
				number(l, "quantity")-advised[text(o, "number")+" "+text(l, "sku")])
			same(a.tally, "purchase: quantity times price", id, number(l, "amount_minor"),
				number(l, "quantity")*number(l, "unit_price_minor"))
			none, all = none && received == 0, all && received >= number(l, "quantity")
		}
		same(a.tally, "purchase: the total is the lines", id, number(o, "total_minor"), sum(lines(o, "lines"),
			"amount_minor"))
		want := "partial"
		switch {
		case all:
			want = "full"
		case none:
			want = "none"
		}
		same(a.tally, "purchase: receipt_status", id, text(o, "receipt_status"), want)
		same(a.tally, "purchase: billing_status", id, text(o, "billing_status"), a.billedAndPaid(o, billed[id]))
		if q := text(o, "requisition_id"); q != "" {
			same(a.tally, "purchase: its requisition names it", id, text(asked[q],
				"purchase_order_id"),
				id)
		}
	}
}

// trucks compares what came, what was counted in, and what both systems say of it.
func (a *auditor) trucks() {
	mirrored := grouped(a.list[receipts], "reference")
	in, moved := index(a.list[counted], "delivery_id"), grouped(a.list[moves], "reference_id")
	trucks := index(a.list[deliveries], "id")
	perOrder := map[string]int{}
	for _, d := range a.list[deliveries] {
		id, number1 := text(d, "id"), text(d, "purchase_order_number")
		perOrder[number1]++
		if perOrder[number1] == 2 {
			a.seen("an order on two trucks")
		}
		a.is("truck: two for an order at most", perOrder[number1] <= 2, "%s is one of %d", id, perOrder[number1])
		same(a.tally, "truck: received is counted in", id, text(d, "status") == "received", in[id] != nil)
		for _, l := range lines(d, "lines") {
			there, advised := number(l, "quantity_counted"), number(l, "quantity_advised")
			a.is("truck: no more than the note, no more damaged", number(l, "quantity_damaged") <= there &&
				there <= advised,
				"%s: %v", id, l)
		}
	}
	for _, r := range a.list[counted] {
		id := text(r, "id")
		onTruck, shelved := index(lines(trucks[text(r, "delivery_id")], "lines"), "sku"), map[string]int64{}
		for _, m := range moved[id] {
			shelved[text(m, "sku")] += number(m, "quantity")
		}
		for _, l := range lines(r, "lines") {
			sku, taken := text(l, "sku"), number(l, "quantity_accepted")
			a.is("receipt: no more than was on the truck",
				taken+number(l, "quantity_rejected") <= number(onTruck[sku], "quantity_counted"), "%s: %v", id, l)
			same(a.tally, "receipt: stock rises by what was accepted", id+" "+sku, shelved[sku], taken)
		}
		if a.auto() {
			same(a.tally, "receipt: the bridge copies it once", id, len(mirrored[id]), 1)
			for _, c := range mirrored[id] {
				same(a.tally, "receipt: the copy is equal", id, fmt.Sprint(c["lines"]), fmt.Sprint(r["lines"]))
			}
		}
	}
}

// supplierBills matches each bill with its order and receipts, and its payment with all of them.
func (a *auditor) supplierBills() {
	of, terms := index(a.list[purchases], "id"), index(a.list[suppliers], "id")
	overdue := map[string]bool{}
	late := map[string]bool{}
	for _, e := range a.events {
		if text(e, "type") == "office.payment.overdue" {
			late[text(object(e, "data"), "supplier_invoice_id")] = true
		}
	}
	for _, b := range a.list[supplierBills] {
		id, status := text(b, "id"), text(b, "status")
		same(a.tally, "bill: billed is the lines", id, number(b, "billed_minor"), sum(lines(b, "lines"),
			"amount_minor"))
		same(a.tally, "bill: the variance", id, number(b, "variance_minor"), number(b, "billed_minor")-number(b,
			"matched_minor"))
		overdue[text(b, "supplier_id")] = overdue[text(b, "supplier_id")] || status == "overdue"
		if given(b, "purchase_order_id") {
			a.match(b, of[text(b, "purchase_order_id")])
		} else {
			same(a.tally, "bill: an overhead has no match", id, text(b, "match_status"), "not_applicable")
		}
		fee := int64(0)
		if late[id] && !given(b, "duplicate_of") {
			fee = share(number(b, "billed_minor"), 2)
		}
		same(a.tally, "bill: the late fee", id, number(b, "late_fee_minor"), fee)
		want, entries := int64(0), a.ledgerOf[id]
		if status == "paid" {
			want = number(b, "billed_minor") + fee - number(b, "discount_minor") - number(b, "credited_minor")
			inTime := given(b, "discount_until") && text(b, "paid_on") <= text(b, "discount_until")
			a.is("bill: a discount is for early payers", number(b, "discount_minor") == 0 || inTime, "%s", id)
			a.is("bill: credited is the variance, nothing, or all of a duplicate", number(b, "credited_minor") == 0 ||
				number(b, "credited_minor") == number(b, "variance_minor") ||
				given(b, "duplicate_of") && number(b, "credited_minor") == number(b, "billed_minor"), "%s", id)
		} else if given(b, "discount_until") {
			same(a.tally, "bill: the discount that is offered", id, number(b, "discount_minor"),
				share(number(b, "billed_minor"), number(terms[text(b, "supplier_id")], "early_discount_pct")))
		}
		same(a.tally, "bill: paid is billed, fee, discount and credit", id, number(b, "paid_minor"), want)
		same(a.tally, "bill: the ledger has the payment", id, sum(entries, "amount_minor"), -want)
	}
	for _, s := range a.list[suppliers] {
		same(a.tally, "bill: on hold is for one that is overdue", text(s, "id"), yes(s, "on_hold"), overdue[text(s,
			"id")])
	}
}

// match compares order, receipt and bill (contract: OPEN.STATE.SUPPLIER_INVOICE.MATCH).
func (a *auditor) match(b, order row) {
	id, ordered := text(b, "id"), index(lines(order, "lines"), "sku")
	var matched, received int64
	var more, dearer bool
	taken, known := a.takenBefore(b, order)
	if !known {
		return // the bill of the first truck was paid, by the receipts of its day
	}
	for _, l := range lines(b, "lines") {
		of := ordered[text(l, "sku")]
		price, there := number(of, "unit_price_minor"), number(of, "quantity_received")
		there = max(0, there-taken[text(l, "sku")])
		matched += min(number(l, "quantity"), there) * price
		received += there
		more = more || number(l, "quantity") > there
		dearer = dearer || number(l, "unit_price_minor")*hundredPercent > price*(hundredPercent+1)
	}
	if text(b, "status") == "paid" {
		return // by the receipts of its day
	}
	want := "matched"
	switch {
	case received == 0:
		want = "no_receipt"
	case more && dearer:
		want = "quantity_and_price_mismatch"
	case more:
		want = "quantity_mismatch"
	case dearer:
		want = "price_mismatch"
	}
	same(a.tally, "bill: matched is what came at the price of the order", id, number(b, "matched_minor"), matched)
	same(a.tally, "bill: match_status", id, text(b, "match_status"), want)
}

// market compares trades with the goods that came for them.
func (a *auditor) market() {
	came := grouped(a.list[marketDeliveries], "trade_ref")
	for _, trade := range a.list[trades] {
		id, delivered := text(trade, "id"), came[text(trade, "id")]
		same(a.tally, "market: quantity times price", id, number(trade, "total_minor"),
			number(trade, "quantity")*number(trade, "unit_price_minor"))
		if text(trade, "side") == "sell" {
			same(a.tally, "market: only what was bought comes", id, len(delivered), 0)
			continue
		}
		for _, d := range delivered {
			same(a.tally, "market: what was bought comes the next day", id, number(d, "quantity"), number(trade,
				"quantity"))
			same(a.tally, "market: what was bought comes the next day", id, dayOf(text(d, "received_on")),
				dayOf(text(trade, "traded_on"))+1)
		}
		a.is("market: what was bought comes once", len(delivered) == 1 || len(delivered) == 0 &&
			a.today() <= dayOf(text(trade, "traded_on"))+1, "%s: %d", id, len(delivered))
	}
}
