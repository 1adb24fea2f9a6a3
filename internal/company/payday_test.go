package company_test

import (
	"fmt"
	"testing"
	"time"

	"platen/internal/company/hr"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// weekWages are the wages of the opening crew in a full week.
const weekWages money.Minor = 40 * (2700 + 2600 + 2400 + 2200 + 2100 + 2500 + 2600)

func recordHours(weekStart moment.Date, hours []hr.HoursEntry) action {
	return action{name: "record " + weekStart.String(), do: func(l *life) error {
		_, err := l.company.RecordTimesheet(&hr.CreateTimesheet{WeekStart: weekStart, Entries: hours})
		return err
	}}
}

func payroll(weekStart moment.Date) action {
	return action{name: "wages " + weekStart.String(), do: func(l *life) error {
		_, err := l.company.RunPayroll(&hr.RunPayroll{WeekStart: weekStart})
		return err
	}}
}

// full is everybody's full week but for the changes.
func full(change func(hours []hr.HoursEntry)) []hr.HoursEntry {
	var hours []hr.HoursEntry
	for badge := 1001; badge <= 1007; badge++ {
		hours = append(hours, hr.HoursEntry{BadgeNo: new(fmt.Sprint(badge)), HoursWorked: 40})
	}
	if change != nil {
		change(hours)
	}
	return hours
}

// runs writes the payroll runs down.
func (l *life) runs() []string {
	var text []string
	for _, r := range rowsOf[hr.PayrollRun](l, "payroll_run") {
		sheet, paid := "no timesheet", "unpaid"
		if r.TimesheetID != nil {
			sheet = rowOf[hr.Timesheet](l, "timesheet", *r.TimesheetID).Source
		}
		if r.PaidOn != nil {
			paid = "on " + r.PaidOn.String()
		}
		if r.Forced {
			paid += " by force"
		}
		text = append(text, fmt.Sprintf("%s to %s due %s %s, %s: %d+%d=%d %s",
			r.WeekStart, r.WeekEnd, r.DueDate, r.Status, sheet, r.GrossMinor, r.SurchargeMinor, r.TotalMinor, paid))
	}
	return text
}

func (l *life) wantRuns(want ...string) {
	l.t.Helper()
	if got := l.runs(); fmt.Sprint(got) != fmt.Sprint(want) {
		l.t.Fatalf("%s: the payroll runs are\n%v\nwant\n%v", l.label, got, want)
	}
}

// TestTheBridgeRecordsTheWeekAtTheCloseOfFriday, and what was earned is owed
// before it is paid.
func TestTheBridgeRecordsTheWeekAtTheCloseOfFriday(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 1, steady)
	worth := func() money.Minor { s := l.company.Summary(); return s.NetWorthMinor - s.CashMinor }
	opening := worth()
	l.until(1)
	if got := opening - worth(); got < weekWages/5 {
		t.Errorf("after a day %d more is owed, of which %d are wages", got, weekWages/5)
	}
	l.until(4)
	l.must(tick(478))
	l.wantRuns()
	l.must(tick(1))
	l.wantRuns(fmt.Sprintf("2026-09-07 to 2026-09-11 due 2026-09-16 due, bridge: %d+0=%d unpaid", weekWages, weekWages))
	before := l.company.Summary()
	l.until(7) // Wednesday
	l.must(payroll(sim.Start))
	l.wantRuns(fmt.Sprintf("2026-09-07 to 2026-09-11 due 2026-09-16 paid, bridge: %d+0=%d on 2026-09-16",
		weekWages, weekWages))
	entries := rowsOf[office.LedgerEntry](l, "ledger_entry")
	if last := entries[len(entries)-1]; last.Kind != office.Payroll || last.AmountMinor != -weekWages {
		t.Errorf("the ledger ends with %+v", last)
	}
	// Three days and three points.
	if got := l.company.Summary().Morale - before.Morale; got != 4_50 {
		t.Errorf("morale rose by %d", got)
	}
	if got := l.company.Summary().Score.PayrollLate; got != 0 {
		t.Errorf("%d payrolls were late", got)
	}
	checkFeed(t, l)
}

// TestPayingSettlesWhatIsOwed: the cash goes, and the company is worth the same.
func TestPayingSettlesWhatIsOwed(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 1, steady)
	l.until(6)
	before := l.company.Summary()
	l.must(payroll(sim.Start))
	after := l.company.Summary()
	if before.CashMinor-after.CashMinor != weekWages || before.NetWorthMinor != after.NetWorthMinor {
		t.Errorf("cash went from %d to %d, net worth from %d to %d",
			before.CashMinor, after.CashMinor, before.NetWorthMinor, after.NetWorthMinor)
	}
}

// TestLateWagesCostTwoPerCentADay, ten at most, and morale; in the end they are
// collected, with the whole ten.
func TestLateWagesCostTwoPerCentADay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		day       sim.Day
		surcharge int64
		morale    int64 // points that lateness has cost
	}{
		{8, 2, 25_00}, {9, 4, 28_00}, {10, 6, 31_00}, {11, 8, 34_00}, {12, 10, 37_00},
	} {
		l := quiet(t, "starter", 1, steady)
		l.until(c.day)
		late := l.company.Summary()
		// 80, and a half a day.
		if want := 80_00 + 50*int64(c.day) - c.morale; int64(late.Morale) != want || late.Score.PayrollLate != 1 {
			t.Errorf("day %d: morale is %d, want %d; %d were late", c.day, late.Morale, want, late.Score.PayrollLate)
		}
		l.must(payroll(sim.Start))
		extra := weekWages.PerCent(c.surcharge)
		if got, want := l.runs()[0], fmt.Sprintf("2026-09-07 to 2026-09-11 due 2026-09-16 paid, bridge: %d+%d=%d on %s",
			weekWages, extra, weekWages+extra, c.day.Date()); got != want {
			t.Errorf("day %d: %s\nwant %s", c.day, got, want)
		}
		if got := l.company.Summary().Morale; got != late.Morale {
			t.Errorf("day %d: paying late changed morale from %d to %d", c.day, late.Morale, got)
		}
		l.until(14)
		if got := len(rowsOf[hr.PayrollRun](l, "payroll_run")); got != 2 {
			t.Errorf("day %d: two weeks later there are %d runs", c.day, got)
		}
		checkFeed(t, l)
	}
	l := quiet(t, "starter", 1, steady)
	l.until(13)
	extra := weekWages.PerCent(10)
	if got, want := l.runs()[0],
		fmt.Sprintf("2026-09-07 to 2026-09-11 due 2026-09-16 paid, bridge: %d+%d=%d on 2026-09-24 by force",
			weekWages, extra, weekWages+extra); got != want {
		t.Errorf("collected: %s\nwant %s", got, want)
	}
	checkFeed(t, l)
}

// TestCollectionAsksForNoCash: wages leave the company that has nothing left.
func TestCollectionAsksForNoCash(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 1, steady, func(p *preset.Preset) {
		p.CashMinor, p.OverdraftLimitMinor, p.Documents = 100_000, 0, false
	})
	l.until(7)
	if err := l.act(payroll(sim.Start)); codeOf(err) != problem.InsufficientFunds {
		t.Errorf("paying without cash: %v", err)
	}
	l.until(13)
	first := rowsOf[hr.PayrollRun](l, "payroll_run")[0]
	if s := l.company.Summary(); s.CashMinor > 0 || first.Status != hr.PayrollPaid || !first.Forced {
		t.Errorf("cash is %d, the first run is %+v", s.CashMinor, first)
	}
}

// TestWithTheManualBridgeNobodyRecordsTheWeek: its payroll is born late, a late
// timesheet leaves it late, and without one the hours of the gate are paid.
func TestWithTheManualBridgeNobodyRecordsTheWeek(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 1, steady)
	l.until(7)
	l.wantRuns()
	if err := l.act(payroll(sim.Start)); codeOf(err) != problem.TimesheetMissing {
		t.Errorf("paying without a timesheet: %v", err)
	}
	l.until(8)
	l.wantRuns("2026-09-07 to 2026-09-11 due 2026-09-16 late, no timesheet: 0+0=0 unpaid")
	if err := l.act(payroll(sim.Start)); codeOf(err) != problem.TimesheetMissing {
		t.Errorf("paying without a timesheet: %v", err)
	}
	morale := l.company.Summary().Morale
	l.must(recordHours(sim.Start, full(nil)))
	l.wantRuns(fmt.Sprintf("2026-09-07 to 2026-09-11 due 2026-09-16 late, client: %d+0=%d unpaid",
		weekWages, weekWages))
	if due := l.bodiesOf("hr.payroll.due"); len(due) != 1 || due[0].Data.Status != "late" ||
		l.company.Summary().Morale != morale {
		t.Errorf("the late timesheet wrote %v, morale went from %d to %d", due, morale, l.company.Summary().Morale)
	}
	l.until(20)
	forced := func(week, end, due, paid, sheet string) string {
		extra := weekWages.PerCent(10)
		return fmt.Sprintf("%s to %s due %s paid, %s: %d+%d=%d on %s by force",
			week, end, due, sheet, weekWages, extra, weekWages+extra, paid)
	}
	l.wantRuns(forced("2026-09-07", "2026-09-11", "2026-09-16", "2026-09-24", "client"),
		forced("2026-09-14", "2026-09-18", "2026-09-23", "2026-10-01", "no timesheet"),
		"2026-09-21 to 2026-09-25 due 2026-09-30 late, no timesheet: 0+0=0 unpaid")
	if err := l.act(recordHours(sim.Start+7, full(nil))); codeOf(err) != problem.PayrollAlreadyPaid {
		t.Errorf("recording what was collected: %v", err)
	}
	if got := l.company.Summary().Score.PayrollLate; got != 3 {
		t.Errorf("%d payrolls were late", got)
	}
	checkFeed(t, l)
}

// TestAWeekWithoutPeopleOwesNothing: everybody quits on the second morning, so
// there is the first day to pay for, and nothing after it.
func TestAWeekWithoutPeopleOwesNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"starter", "manual"} {
		l := quiet(t, name, 1, steady, func(p *preset.Preset) { p.Staff.QuitPct, p.Staff.AutoRehire = 100_00, false })
		l.until(5)
		if name == "manual" {
			var hours []hr.HoursEntry
			for _, h := range full(nil) {
				hours = append(hours, hr.HoursEntry{BadgeNo: h.BadgeNo, HoursWorked: 8})
			}
			l.must(recordHours(sim.Start, hours))
		}
		l.must(payroll(sim.Start))
		l.until(30)
		for _, hours := range [][]hr.HoursEntry{nil, full(nil)} {
			if err := l.act(recordHours(sim.Start+7, hours)); codeOf(err) != problem.ValidationFailed {
				t.Errorf("%s: recording a week in which nobody worked here: %v", name, err)
			}
		}
		if runs := rowsOf[hr.PayrollRun](l, "payroll_run"); len(runs) != 1 || runs[0].GrossMinor != weekWages/5 ||
			l.company.Summary().Score.PayrollLate != 0 {
			t.Errorf("%s: the payroll runs are %v", name, l.runs())
		}
		checkFeed(t, l)
	}
}

// TestWagesFollowTheHours: worked hours and leave in full, illness at 80 %.
func TestWagesFollowTheHours(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 1, steady)
	l.until(5)
	l.must(recordHours(sim.Start, full(func(hours []hr.HoursEntry) {
		hours[0] = hr.HoursEntry{BadgeNo: new("1001"), HoursWorked: 60}
		hours[1] = hr.HoursEntry{BadgeNo: new("1002"), HoursWorked: 24, HoursSick: 16}
		hours[2] = hr.HoursEntry{EmployeeID: new(l.badge("1003").ID), HoursLeave: 40}
		hours[3] = hr.HoursEntry{BadgeNo: new("1004")}
	})))
	want := money.Minor(60*2700 + 24*2600 + 16*2600*80/100 + 40*2400 + 40*(2100+2500+2600))
	if got := rowsOf[hr.PayrollRun](l, "payroll_run")[0].GrossMinor; got != want {
		t.Errorf("the wages are %d, want %d", got, want)
	}
}

// TestHoursThatAreNotThoseOfTheGateAnnoy, from more than one in twenty: of 280
// hours 14 may be wrong. Wages by wrong hours raise no morale, however soon.
func TestHoursThatAreNotThoseOfTheGateAnnoy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(hours []hr.HoursEntry)
		want   int64 // of morale, with the payment
	}{
		{"right", nil, 3_00},
		{"14 too many", func(h []hr.HoursEntry) { h[0].HoursWorked += 14 }, 3_00},
		{"15 too few", func(h []hr.HoursEntry) { h[0].HoursWorked -= 15 }, -10_00},
		{"moved from one to another", func(h []hr.HoursEntry) { h[0].HoursWorked += 8; h[1].HoursWorked -= 8 }, -10_00},
		{"called leave", func(h []hr.HoursEntry) { h[0].HoursWorked -= 8; h[0].HoursLeave = 8 }, -10_00},
		{"nothing at all", func(h []hr.HoursEntry) { clear(h); copy(h, full(nil)); zero(h) }, -10_00},
	} {
		l := quiet(t, "manual", 1, steady)
		l.until(5)
		before := l.company.Summary().Morale
		l.must(recordHours(sim.Start, full(c.change)))
		l.must(payroll(sim.Start))
		if got := int64(l.company.Summary().Morale - before); got != c.want {
			t.Errorf("%s: morale changes by %d, want %d", c.name, got, c.want)
		}
		checkFeed(t, l)
	}
}

func zero(hours []hr.HoursEntry) {
	for i := range hours {
		hours[i].HoursWorked = 0
	}
}

// TestATimesheetNamesEverybodyOfItsWeek once: who left during it too, who had
// not begun or was gone not.
func TestATimesheetNamesEverybodyOfItsWeek(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 1, steady)
	l.until(2)
	l.must(dismiss(l.badge("1007").ID, nil))
	l.until(3)
	l.must(hire("sales", nil)) // begins on Monday
	l.until(4)
	l.must(tick(240))
	with := func(more ...hr.HoursEntry) []hr.HoursEntry { return append(full(nil)[:6], more...) }
	gone := hr.HoursEntry{BadgeNo: new("1007"), HoursWorked: 24}
	for _, c := range []struct {
		name  string
		hours []hr.HoursEntry
		want  problem.Code
	}{
		{"nobody", nil, problem.EmployeeMissing},
		{"without who left", with(), problem.EmployeeMissing},
		{
			"with who has not begun", with(gone, hr.HoursEntry{BadgeNo: new("1008"), HoursWorked: 8}),
			problem.ValidationFailed,
		},
		{"twice by badge", with(gone, hr.HoursEntry{BadgeNo: new("1001")}), problem.ValidationFailed},
		{
			"twice by badge and id", with(gone, hr.HoursEntry{EmployeeID: new(l.badge("1001").ID)}),
			problem.ValidationFailed,
		},
		{"a badge nobody has", with(gone, hr.HoursEntry{BadgeNo: new("9999")}), problem.ValidationFailed},
		{"an id nobody has", with(gone, hr.HoursEntry{EmployeeID: new("emp_nobody")}), problem.ValidationFailed},
		{"no name", with(gone, hr.HoursEntry{}), problem.ValidationFailed},
		{"everybody", with(gone), ""},
		{"again", with(gone), problem.TimesheetExists},
	} {
		if got := codeOf(l.act(recordHours(sim.Start, c.hours))); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	l.until(10)
	week := append(full(nil)[:6], hr.HoursEntry{BadgeNo: new("1008"), HoursWorked: 40})
	if err := l.act(recordHours(sim.Start+7, append(week, gone))); codeOf(err) != problem.ValidationFailed {
		t.Errorf("naming who left the week before: %v", err)
	}
	l.must(recordHours(sim.Start+7, week))
	checkFeed(t, l)
}

// TestWeeksThatCannotBeRecordedOrPaid.
func TestWeeksThatCannotBeRecordedOrPaid(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 1, steady)
	l.until(4)
	l.must(tick(239))
	for _, c := range []struct {
		week     moment.Date
		recorded problem.Code
		paid     problem.Code
	}{
		{sim.Start, problem.WeekNotOver, problem.TimesheetMissing},
		{sim.Start + 1, problem.ValidationFailed, problem.ValidationFailed},
		{sim.Start - 1, problem.ValidationFailed, problem.ValidationFailed},
		{sim.Start - 7, problem.ValidationFailed, problem.NotFound},
		{sim.Start + 7, problem.ValidationFailed, problem.NotFound},
		{moment.NewDate(9999, 12, 27), problem.ValidationFailed, problem.NotFound},
		{moment.NewDate(0, 1, 3), problem.ValidationFailed, problem.NotFound},
	} {
		if got := codeOf(l.act(recordHours(c.week, full(nil)))); got != c.recorded {
			t.Errorf("recording %s (%s): %q, want %q", c.week, c.week.Weekday(), got, c.recorded)
		}
		if got := codeOf(l.act(payroll(c.week))); got != c.paid {
			t.Errorf("paying %s (%s): %q, want %q", c.week, c.week.Weekday(), got, c.paid)
		}
	}
	l.must(tick(1))
	l.must(recordHours(sim.Start, full(nil)))
	l.must(payroll(sim.Start))
	if err := l.act(payroll(sim.Start)); codeOf(err) != problem.PayrollAlreadyPaid {
		t.Errorf("paying twice: %v", err)
	}
}

// TestWeekNotOverSaysWhen: Friday noon by the wall clock, rounded up, and no
// moment under a clock that moves by ticks.
func TestWeekNotOverSaysWhen(t *testing.T) {
	t.Parallel()
	for mode, want := range map[sim.Mode]time.Duration{sim.Realtime: 270 * time.Second, sim.Manual: 0} {
		p := presetNamed(t, "manual")
		steady(&p)
		l := live(t, p, 1, mode, usual)
		err := l.act(recordHours(sim.Start, full(nil)))
		refusal, ok := err.(*problem.Problem) //nolint:errorlint // refusals are never wrapped
		if !ok || refusal.Code != problem.WeekNotOver {
			t.Fatalf("%s: %v", mode, err)
		}
		if mode == sim.Manual {
			if !ticks(err) {
				t.Errorf("under a manual clock: %+v", refusal)
			}
			continue
		}
		if got := refusal.RetryAt.Sub(opened.Time()); got != want || refusal.Final {
			t.Errorf("%s: the week can be recorded after %s, want %s", mode, got, want)
		}
	}
}
