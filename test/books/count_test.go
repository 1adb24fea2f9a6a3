package books

import "math"

// counts compares the counts of GET /sandbox with the rows (contract: OPEN.SANDBOX.FIELDS.COUNTS).
func (a *auditor) counts() {
	var open, toPrint int64
	for _, w := range a.list[work] {
		if text(w, "waits_for") != "nothing" {
			open++
		}
		if text(w, "waits_for") == "press" {
			toPrint++
		}
	}
	unpaid := having(a.list[supplierBills], "status", "open", "overdue")
	for name, want := range map[string]int64{
		"orders_open":          having(a.list[orders], "status", "received", "accepted", "in_production"),
		"work_orders_open":     open,
		"work_orders_to_print": toPrint,
		"deliveries_waiting":   having(a.list[deliveries], "status", "arrived"),
		"invoices_payable":     unpaid,
		"lots_offered":         having(a.list[lots], "status", "offered"),
	} {
		same(a.tally, "count: "+name, "/sandbox", number(object(a.status, "counts"), name), want)
	}
	for _, state := range []string{"idle", "running", "down"} {
		same(a.tally, "count: presses", state, number(object(a.status, "presses"), state),
			having(a.list[presses], "status", state))
	}
}

// score compares the score and the report with what became of the promises.
func (a *auditor) score() {
	var shipped, inTime, delivered int64
	for _, f := range a.fate {
		if f.complete() && !f.lot && text(f.asked, "status") != "expired" {
			shipped++
			if f.wholeOn <= dayOf(text(f.asked, "due_date")) {
				inTime++
			}
		}
	}
	for _, l := range a.list[lots] {
		if _, arrived := a.arrival(l); arrived && text(l, "status") == "delivered" {
			delivered++
		}
	}
	score, result := object(a.status, "score"), object(a.report, "orders")
	expired := having(a.list[orders], "expired_reason", "delivery_missed")
	lapsed := having(a.list[orders], "expired_reason", "answer_lapsed")
	var late int64
	for _, e := range a.events {
		if text(e, "type") == "hr.payroll.late" {
			late++
		}
	}
	for name, want := range map[string]int64{
		"orders_shipped": shipped, "orders_expired": expired, "orders_lapsed": lapsed, "lots_delivered": delivered,
		"lots_expired": having(a.list[lots], "expired_reason", "delivery_missed"), "payroll_late": late,
		"net_worth_minor": number(a.status, "net_worth_minor"),
	} {
		same(a.tally, "score: "+name, "/sandbox", number(score, name), want)
		same(a.tally, "score: that of the report is equal", name, number(object(a.report, "score"), name), want)
	}
	for name, want := range map[string]int64{
		"shipped": shipped, "on_time": inTime, "late": shipped - inTime, "expired": expired, "lapsed": lapsed,
	} {
		same(a.tally, "score: the report counts orders", name, number(result, name), want)
	}
	if all := shipped + expired; all > 0 {
		const halfOfTheLastDigit = 0.0501
		off := decimal(score, "on_time_pct") - float64(inTime)*hundredPercent/float64(all)
		a.is("score: on_time_pct", math.Abs(off) < halfOfTheLastDigit, "%v for %d of %d", score["on_time_pct"],
			inTime, all)
	}
	same(a.tally, "score: the report says that the books hold", "report", yes(object(a.report, "invariants"), "hold"),
		true)
}
