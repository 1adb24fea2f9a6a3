package books

// worth recomputes the net worth: cash, stock at cost and what customers owe for goods that they have, less what is
// owed to suppliers and the crew.
func (a *auditor) worth() {
	want := number(a.cash, "cash_minor") + number(object(a.status, "inventory"), "stock_value_minor")
	shipments := index(a.list[bills], "id")
	for _, i := range a.list[invoices] {
		from, _ := a.source(i)
		_, arrived := a.arrival(from)
		opened := text(shipments[text(i, "shipment_id")], "source") == "opening"
		if (arrived || opened) && text(from, "status") != "expired" {
			want += number(i, "balance_minor")
		}
	}
	for _, trade := range a.list[trades] {
		if text(trade, "side") == "buy" && !given(trade, "market_delivery_id") { // paid, and under way
			want += number(trade, "total_minor")
		}
	}
	want -= a.owedToSuppliers() + a.owedToCrew()
	same(a.tally, "worth: net_worth_minor", "/sandbox", number(a.status, "net_worth_minor"), want)
}

// owedToSuppliers is what bills ask for, and what goods cost that came and are not billed.
func (a *auditor) owedToSuppliers() (owed int64) {
	taken := map[string]int64{}
	for _, r := range a.list[counted] {
		for _, l := range lines(r, "lines") {
			taken[text(r, "purchase_order_number")+" "+text(l, "sku")] += number(l, "quantity_accepted")
		}
	}
	for _, o := range a.list[purchases] {
		if text(o, "billing_status") == "paid" {
			continue
		}
		for _, l := range lines(o, "lines") {
			owed += taken[text(o, "number")+" "+text(l, "sku")] * number(l, "unit_price_minor")
		}
	}
	for _, b := range a.list[supplierBills] {
		if text(b, "status") != "paid" {
			owed += number(b, "late_fee_minor")
			if text(b, "kind") == "overhead" {
				owed += number(b, "billed_minor")
			}
		}
	}
	return owed
}

// owedToCrew is what payroll runs ask for, and the wages of the days that none pays yet.
func (a *auditor) owedToCrew() (owed int64) {
	recorded, crew := map[int]bool{}, index(a.list[employees], "badge_no")
	for _, run := range a.list[payrolls] {
		if given(run, "timesheet_id") || text(run, "status") == "paid" {
			recorded[dayOf(text(run, "week_start"))/workingDays] = true
		}
		if text(run, "status") != "paid" {
			owed += number(run, "gross_minor") + number(run, "arrears_minor")
		}
	}
	for _, day := range a.list[attendance] {
		at, percent := dayOf(text(day, "date")), int64(hundredPercent)
		if text(day, "absence") == "sick" {
			percent = sickPercent
		}
		if !recorded[at/workingDays] && at < a.today() {
			owed += share(hoursAtWork*number(crew[text(day, "badge_no")], "hourly_minor"), percent)
		}
	}
	return owed
}
