package contract

import (
	"net/http"
	"testing"
)

// TestHoursThatASheetLeavesOutStayOwed, person by person, and a tenth on top. More hours
// for one make up for nobody else.
func TestHoursThatASheetLeavesOutStayOwed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.PAYROLL_RUN.ARREARS", "OPEN.FIELDS.PAYROLL_RUN", "OPEN.SCORE.WAGES_WITHHELD",
		"OPEN.EVT.HR.PAYROLL.DUE", "OPEN.EVT.HR.PAYROLL.PAID", "OPEN.BODY.OFFICE.PAYROLL_RUNS")
	s := staffed(t)
	honest, n := s.create(t, `{"preset":"steady","bridge":"manual","seed":5}`),
		s.create(t, `{"preset":"steady","bridge":"manual","seed":5}`)
	w := watch(n)
	const left, over = 10 * 2700, 10 * 2600 // of the first two operators
	for _, company := range []*tenant{honest, n} {
		company.untilDay(4)
		company.tick(480)
	}
	honest.timesheet("2026-09-07", hours(crew...)).want(http.StatusCreated, "")
	w.step("ten hours less for one, ten more for another", func() {
		entries := hours(crew...)
		entries[0]["hours_worked"], entries[1]["hours_worked"] = 30, 50
		sheet := n.timesheet("2026-09-07", entries).want(http.StatusCreated, "").Data()
		run := n.row("/office/payroll-runs/" + text(sheet, "payroll_run_id"))
		agrees(t, "the run", run, object{"arrears_minor": 0, "total_minor": run["gross_minor"]})
		extra := number(t, run, "gross_minor") - weekWages
		if extra != over-left {
			t.Fatalf("the sheet is worth %d more than the gate's", extra)
		}
	})
	agrees(t, "the score", child(t, n.row("/sandbox"), "score"), object{"wages_withheld_minor": left})
	agrees(t, "the honest score", child(t, honest.row("/sandbox"), "score"), object{"wages_withheld_minor": 0})
	// The owed wages are a debt now: ten hours beyond the gate's, and a tenth of ten.
	if worse := number(t, honest.row("/sandbox"), "net_worth_minor") -
		number(t, n.row("/sandbox"), "net_worth_minor"); worse != over+left/10 {
		t.Errorf("the company that withholds wages is worth %d less", worse)
	}
	w.step("the next week", func() {
		n.payroll("2026-09-07").want(http.StatusCreated, "")
		n.untilDay(9)
		n.tick(480)
		at := n.newest()
		sheet := n.timesheet("2026-09-14", hours(crew...)).want(http.StatusCreated, "").Data()
		path := "/office/payroll-runs/" + text(sheet, "payroll_run_id")
		const arrears = left * 110 / 100
		agrees(t, "the next run", n.row(path), object{"gross_minor": weekWages, "arrears_minor": arrears,
			"surcharge_minor": 0, "total_minor": weekWages + arrears})
		n.says(n.feed(at), text(n.row(path), "id"), "hr.payroll.due",
			object{"gross_minor": weekWages, "arrears_minor": arrears})
		at = n.newest()
		cash := number(t, n.row("/office/cash"), "cash_minor")
		paid := n.payroll("2026-09-14").want(http.StatusCreated, "").Data()
		n.says(n.feed(at), text(paid, "id"), "hr.payroll.paid",
			object{"total_minor": weekWages + arrears, "arrears_minor": arrears,
				"cash_minor": cash - weekWages - arrears})
	})
	w.step("then nothing is owed", func() {
		n.untilDay(14)
		n.tick(480)
		sheet := n.timesheet("2026-09-21", hours(crew...)).want(http.StatusCreated, "").Data()
		agrees(t, "the run after that", n.row("/office/payroll-runs/"+text(sheet, "payroll_run_id")),
			object{"arrears_minor": 0, "total_minor": weekWages})
	})
	w.ended()
}
