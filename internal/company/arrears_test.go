package company_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

// weekOf is the payroll run of a week.
func (l *life) weekOf(week int) hr.PayrollRun {
	l.t.Helper()
	for _, run := range rowsOf[hr.PayrollRun](l, "payroll_run") {
		if run.WeekStart == sim.Start.AddDays(7*week) {
			return run
		}
	}
	l.t.Fatalf("%s: week %d has no payroll run", l.label, week)
	panic("unreachable")
}

// hours is everybody's hours of a week, alike.
func hours(worked int64) []hr.HoursEntry {
	return full(func(all []hr.HoursEntry) {
		for i := range all {
			all[i].HoursWorked = worked
		}
	})
}

// TestHoursLeftOutOfATimesheetStayOwedAndCostATenth: a sheet without any hours saves nothing.
// Its wages come with the next payroll run, the company owes them at once, and paying late
// costs its surcharge on them too.
func TestHoursLeftOutOfATimesheetStayOwedAndCostATenth(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 1, steady)
	l.until(5)
	before := l.company.Summary()
	l.must(recordHours(sim.Start, hours(0)))
	after := l.company.Summary()
	if got := before.NetWorthMinor - after.NetWorthMinor; got != weekWages/10 ||
		after.Score.WagesWithheldMinor != weekWages || after.CashMinor != before.CashMinor {
		t.Errorf("leaving out hours worth %d cost %d, and %d count as withheld",
			weekWages, got, after.Score.WagesWithheldMinor)
	}
	l.must(payroll(sim.Start))
	if run := l.weekOf(0); run.GrossMinor != 0 || run.ArrearsMinor != 0 || run.TotalMinor != 0 {
		t.Errorf("the run of the empty sheet is %+v", run)
	}

	l.until(10)
	l.must(recordHours(sim.Start+7, hours(40)))
	owed := weekWages + weekWages/10
	if run := l.weekOf(1); run.GrossMinor != weekWages || run.ArrearsMinor != owed || run.TotalMinor != weekWages+owed {
		t.Errorf("the run of the next week is %+v, want %d and %d of arrears", run, weekWages, owed)
	}
	due := l.bodiesOf("hr.payroll.due")
	if got := due[len(due)-1].Data; got.GrossMinor != weekWages || got.ArrearsMinor != owed {
		t.Errorf("due are %d and %d of arrears", got.GrossMinor, got.ArrearsMinor)
	}
	late := l.reborn(l.snapshot())
	worth, cash := l.company.Summary().NetWorthMinor, l.company.Summary().CashMinor
	l.must(payroll(sim.Start + 7))
	if s := l.company.Summary(); s.NetWorthMinor != worth || cash-s.CashMinor != weekWages+owed {
		t.Errorf("paying took %d, and the worth went from %d to %d", cash-s.CashMinor, worth, s.NetWorthMinor)
	}
	paid := l.bodiesOf("hr.payroll.paid")
	if got := paid[len(paid)-1].Data; got.ArrearsMinor != owed || got.TotalMinor != weekWages+owed {
		t.Errorf("paid were %d with %d of arrears", got.TotalMinor, got.ArrearsMinor)
	}
	late.until(14) // Thursday: two days late
	late.must(payroll(sim.Start + 7))
	if run := late.weekOf(1); run.SurchargeMinor != (weekWages + owed).PerCent(4) {
		t.Errorf("two days late the run is %+v", run)
	}

	l.until(15)
	l.must(recordHours(sim.Start+14, hours(40)))
	if run := l.weekOf(2); run.ArrearsMinor != 0 || l.company.Summary().Score.WagesWithheldMinor != weekWages {
		t.Errorf("paid once, the run after it is %+v", run)
	}
	checkFeed(t, l)
}

// TestAnEmployeeCannotPayForAnotherWithHoursTooMany: they are paid and lost, now and in the
// next week.
func TestAnEmployeeCannotPayForAnotherWithHoursTooMany(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 1, steady)
	l.until(5)
	l.must(recordHours(sim.Start, full(func(all []hr.HoursEntry) {
		all[2].HoursWorked, all[6].HoursWorked = 60, 20 // 1003 at 24.00 for 1007 at 26.00
	})))
	if run := l.weekOf(0); run.GrossMinor != weekWages+20*2400-20*2600 {
		t.Errorf("the run is %+v", run)
	}
	l.until(10)
	l.must(recordHours(sim.Start+7, full(func(all []hr.HoursEntry) { all[2].HoursWorked = 20 })))
	if run := l.weekOf(1); run.ArrearsMinor != 20*2600+2*2600 {
		t.Errorf("20 hours of 1007 were left out, and the arrears are %d", run.ArrearsMinor)
	}
	l.until(15)
	l.must(recordHours(sim.Start+14, hours(40)))
	if run := l.weekOf(2); run.ArrearsMinor != 20*2400+2*2400 {
		t.Errorf("20 hours of 1003 were left out after 20 too many, and the arrears are %d", run.ArrearsMinor)
	}
}

// TestHoursUnderAnotherNameOweTheDifference: leave is worth as much as work, illness less.
func TestHoursUnderAnotherNameOweTheDifference(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hours hr.HoursEntry
		owed  money.Minor
	}{
		"leave":   {hr.HoursEntry{HoursLeave: 40}, 0},
		"illness": {hr.HoursEntry{HoursSick: 40}, 40 * 2700 / 5}, // of which four fifths are paid
	} {
		l := quiet(t, "manual", 1, steady)
		l.until(5)
		l.must(recordHours(sim.Start, full(func(all []hr.HoursEntry) {
			c.hours.BadgeNo = all[0].BadgeNo
			all[0] = c.hours
		})))
		if got := l.company.Summary().Score.WagesWithheldMinor; got != c.owed {
			t.Errorf("hours written as %s withhold %d, want %d", name, got, c.owed)
		}
	}
}

// TestNoTimesheetSavesWages: whatever a client writes down, what was paid and what is owed
// come to no less than the wages of all hours that the gate has counted.
func TestNoTimesheetSavesWages(t *testing.T) {
	t.Parallel()
	withheld := 0
	rapid.Check(t, func(t *rapid.T) {
		l := live(t, presetNamed(t, "manual"), rapid.Uint64Range(0, 1<<53-1).Draw(t, "seed"), sim.Manual, usual)
		repeat(t, l, func(_ *rapid.T, a action) { _ = l.act(a) })
		earned, paid := money.Minor(0), money.Minor(0)
		for _, row := range rowsOf[factory.Attendance](l, "attendance") {
			e := l.badge(row.BadgeNo)
			if e.LeftOn != nil && *e.LeftOn == row.Date {
				continue // without a timesheet, the day of a dismissal is not paid
			}
			wage := 8 * e.HourlyMinor
			if row.Absence == factory.AbsenceSick {
				wage = wage * 4 / 5
			}
			// A day's wages are earned when the next one opens: a bankrupt company has no next day.
			if row.Date < l.company.Summary().Now.Date() {
				earned += wage
			}
		}
		for _, run := range rowsOf[hr.PayrollRun](l, "payroll_run") {
			if run.PaidOn != nil {
				paid += run.GrossMinor + run.ArrearsMinor
			}
		}
		if owed := l.company.AccruedMinor(); paid+owed < earned-1_000 {
			t.Fatalf("%s: %d were earned, %d paid, %d are owed", l.label, earned, paid, owed)
		}
		if l.company.Summary().Score.WagesWithheldMinor > 0 {
			withheld++
		}
	})
	if withheld == 0 {
		t.Error("nobody has ever left out an hour, so the property shows nothing")
	}
}

// TestWithTheBridgeNothingIsWithheld, however people come and go.
func TestWithTheBridgeNothingIsWithheld(t *testing.T) {
	t.Parallel()
	for seed := range few(2, 4) {
		l := stewarded(live(t, presetNamed(t, "starter"), seed, sim.Manual, usual), 20)
		if got := l.company.Summary().Score.WagesWithheldMinor; got != 0 {
			t.Errorf("%s: %d are withheld", l.label, got)
		}
		for _, run := range rowsOf[hr.PayrollRun](l, "payroll_run") {
			if run.ArrearsMinor != 0 {
				t.Errorf("%s: %s", l.label, fmt.Sprintf("%+v", run))
			}
		}
	}
}
