package books

import "fmt"

// money checks the ledger by itself: cash is the opening and the sum of what came and went.
func (a *auditor) money() {
	var balance int64
	entries := map[string]bool{}
	for i, l := range a.list[ledger] {
		balance += number(l, "amount_minor")
		same(a.tally, "cash: the balance runs", text(l, "id"), number(l, "balance_minor"), balance)
		if i == 0 {
			same(a.tally, "cash: the ledger begins with the opening", "its kind", text(l, "kind"), "opening_balance")
			same(a.tally, "cash: the ledger begins with the opening", "opening_cash_minor",
				number(a.cash, "opening_cash_minor"), balance)
			continue
		}
		id := text(l, "event_id")
		a.is("cash: one entry an event", a.event[id] != nil && !entries[id], "%s names %q", text(l, "id"), id)
		entries[id] = true
	}
	same(a.tally, "cash: it is the opening and the ledger", "/office/cash", number(a.cash, "cash_minor"), balance)
	same(a.tally, "cash: it is the opening and the ledger", "/sandbox", number(a.status, "cash_minor"), balance)
	var owed, due int64
	for _, i := range a.list[invoices] {
		owed += number(i, "total_minor") - number(i, "amount_paid_minor")
	}
	for _, i := range a.list[supplierBills] {
		if text(i, "status") != "paid" {
			due += number(i, "billed_minor") + number(i, "late_fee_minor")
		}
	}
	same(a.tally, "cash: receivable and payable are the open bills", "receivable", number(a.cash, "receivable_minor"),
		owed)
	same(a.tally, "cash: receivable and payable are the open bills", "payable", number(a.cash, "payable_minor"), due)
}

// moneyOf is the change of cash by an event, by its type.
func moneyOf(e row) int64 {
	data := object(e, "data")
	switch text(e, "type") {
	case "office.payment.received":
		return number(data, "amount_minor")
	case "office.supplier_invoice.paid":
		return -number(data, "paid_minor")
	case "hr.payroll.paid":
		return -number(data, "total_minor")
	case "hr.employee.hired":
		return -number(data, "fee_minor")
	case "hr.employee.dismissed":
		return -number(data, "severance_minor")
	case "office.contract_lot.expired":
		if text(data, "reason") == "delivery_missed" {
			return -number(data, "penalty_minor")
		}
	case "office.market_trade.executed":
		if text(data, "side") == "sell" {
			return number(data, "total_minor")
		}
		return -number(data, "total_minor")
	}
	return 0
}

// moneyOfTheFeed follows the cash by the events alone.
func (a *auditor) moneyOfTheFeed() {
	cash := number(a.status, "opening_cash_minor")
	byEvent := grouped(a.list[ledger], "event_id")
	for _, e := range a.events {
		amount, data := moneyOf(e), object(e, "data")
		cash += amount
		name := fmt.Sprintf("event %d, %s", number(e, "seq"), text(e, "type"))
		if given(data, "cash_minor") {
			same(a.tally, "cash: cash_minor of an event", name, number(data, "cash_minor"), cash)
		}
		if entries := byEvent[text(e, "id")]; amount != 0 || len(entries) > 0 {
			same(a.tally, "cash: an event of money is in the ledger", name, sum(entries, "amount_minor"), amount)
		}
	}
	same(a.tally, "cash: the feed alone gives it", "/sandbox", number(a.status, "cash_minor"), cash)
}
