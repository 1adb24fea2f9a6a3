package books

import (
	"math"
	"slices"
)

// worth recomputes the net worth: cash, stock and what customers owe for goods that they have, less what is owed to
// suppliers and the crew (contract: OPEN.WORTH.STOCK).
func (a *auditor) worth() {
	want := number(a.cash, "cash_minor") + number(object(a.status, "inventory"), "stock_value_minor") - a.shelfLoss()
	for _, i := range a.list[invoices] {
		if _, pays := a.reached(i); pays {
			want += number(i, "balance_minor") - a.yetToTakeOff(i)
		}
	}
	for _, trade := range a.list[trades] {
		if text(trade, "side") == "buy" && !given(trade, "market_delivery_id") { // paid, and under way
			want += number(trade, "total_minor")
		}
	}
	want -= a.owedToSuppliers() + a.owedToCrew()
	same(a.tally, "worth: wages_withheld_minor", "/sandbox", number(object(a.status, "score"), "wages_withheld_minor"),
		a.withheld())
	if text(a.status, "status") == "bankrupt" {
		a.liquidation(want + a.shelfLoss() - number(object(a.status, "inventory"), "stock_value_minor"))
		return
	}
	same(a.tally, "worth: net_worth_minor", "/sandbox", number(a.status, "net_worth_minor"), want)
}

// shelfLoss is the cost of goods that no order holds, above the market's bid.
func (a *auditor) shelfLoss() (loss int64) {
	quoted := index(a.list[quotes], "sku")
	for _, item := range a.list[stock] {
		if text(item, "kind") == "finished" {
			each := number(item, "average_cost_minor") - number(quoted[text(item, "sku")], "bid_minor")
			loss += max(0, each) * (number(item, "on_hand") - number(item, "reserved"))
		}
	}
	return loss
}

// liquidation compares the worth of a bankrupt company with the price of its stock on the market, on top of the rest
// (contract: OPEN.WORTH.BANKRUPT). A sale of the depth takes a tenth off the price, bit by bit. Prices are whole.
func (a *auditor) liquidation(rest int64) {
	const tenth, gramsPerKilogram = 0.1, 1000
	onHand, quoted := map[string]int64{}, index(a.list[quotes], "sku")
	for _, item := range a.list[stock] {
		onHand[text(item, "sku")] = number(item, "on_hand")
		if text(item, "kind") == "waste" {
			onHand[text(item, "sku")] /= gramsPerKilogram
		}
	}
	for _, trade := range a.list[trades] {
		if text(trade, "side") == "buy" && !given(trade, "market_delivery_id") {
			onHand[text(trade, "sku")] += number(trade, "quantity")
			rest -= number(trade, "total_minor")
		}
	}
	low, high := float64(rest), float64(rest)
	for sku, quote := range quoted {
		pushed, units := tenth*float64(onHand[sku])/float64(number(quote, "depth")), float64(onHand[sku])
		if units > 0 {
			proceeds := units * float64(number(quote, "bid_minor")) * (1 - math.Exp(-pushed)) / pushed
			low, high = low+proceeds-1, high+proceeds+units
		}
	}
	worth := float64(number(a.status, "net_worth_minor"))
	a.is("worth: a bankrupt company is its liquidation", worth >= min(0, low) && worth <= min(0, high),
		"%.0f, want %.0f to %.0f, and 0 at most", worth, low, high)
}

// yetToTakeOff is the late discount of a bill that came before the goods: the customer takes it off with the payment.
func (a *auditor) yetToTakeOff(invoice row) int64 {
	f := a.fateOf(invoice)
	day, _ := a.reached(invoice)
	if f.lot || f.opened || day <= dayOf(text(invoice, "issued_on")) || number(invoice, "amount_paid_minor") > 0 {
		return 0
	}
	return lateDiscount(f.asked, number(invoice, "gross_minor"), day) - number(invoice, "late_discount_minor")
}

// owedToSuppliers is the sum of unpaid bills, and of goods that came and are not billed.
func (a *auditor) owedToSuppliers() (owed int64) {
	of, trucks, billed := index(a.list[purchases], "number"), index(a.list[deliveries], "id"), a.billsOfOrders()
	for _, r := range a.list[counted] {
		order := of[text(r, "purchase_order_number")]
		truck, prices := trucks[text(r, "delivery_id")], index(lines(order, "lines"), "sku")
		if slices.ContainsFunc(billed[text(order, "id")], func(b row) bool {
			return text(b, "status") == "paid" && !given(b, "duplicate_of") && covers(b, order, truck)
		}) {
			continue
		}
		for _, l := range lines(r, "lines") {
			owed += number(l, "quantity_accepted") * number(prices[text(l, "sku")], "unit_price_minor")
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

// owedToCrew is the sum of unpaid payroll runs, and of the wages of the days that none pays yet.
func (a *auditor) owedToCrew() (owed int64) {
	if text(a.status, "preset") == "empty" { // it pays no wages
		return 0
	}
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
		if at := dayOf(text(day, "date")); !recorded[at/workingDays] && at < a.today() {
			owed += wageOf(day, crew)
		}
	}
	return owed + share(a.withheld(), owedPercent) - sum(a.list[payrolls], "arrears_minor")
}

// owedPercent is the price of an hour that a timesheet left out (contract: OPEN.STATE.PAYROLL_RUN.ARREARS).
const owedPercent = 110

// wageOf is the worth of a day at the gate.
func wageOf(day row, crew map[string]row) int64 {
	percent := int64(hundredPercent)
	if text(day, "absence") == "sick" {
		percent = sickPercent
	}
	return share(hoursAtWork*number(crew[text(day, "badge_no")], "hourly_minor"), percent)
}

// withheld is the worth of the hours that the gate counted and the timesheet of their week left out.
func (a *auditor) withheld() (worth int64) {
	byBadge, byID := index(a.list[employees], "badge_no"), index(a.list[employees], "id")
	atGate := map[string]map[string]int64{} // by Monday and badge
	for _, day := range a.list[attendance] {
		week := mondayOf(dayOf(text(day, "date")) / workingDays)
		if atGate[week] == nil {
			atGate[week] = map[string]int64{}
		}
		atGate[week][text(day, "badge_no")] += wageOf(day, byBadge)
	}
	for _, sheet := range a.list[timesheets] {
		left := atGate[text(sheet, "week_start")]
		for _, e := range lines(sheet, "entries") {
			person := byID[text(e, "employee_id")]
			paid := number(e, "hours_worked") + number(e, "hours_leave")
			left[text(person, "badge_no")] -= share(
				number(person, "hourly_minor")*(paid*hundredPercent+number(e, "hours_sick")*sickPercent), 1)
		}
		for _, rest := range left {
			worth += max(0, rest)
		}
	}
	return worth
}
