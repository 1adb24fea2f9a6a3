package company_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// steady lets nothing happen to people by chance.
func steady(p *preset.Preset) { p.Staff.SickPct, p.Staff.LeaveEveryDays, p.Staff.QuitPct = 0, 0, 0 }

func hire(role event.Role, hourly *money.Minor) action {
	return action{name: "hire " + string(role), do: func(l *life) error {
		_, err := l.company.HireEmployee(&hr.HireEmployee{Role: role, HourlyMinor: hourly})
		return err
	}}
}

func dismiss(id string, reason *string) action {
	return action{name: "dismiss " + id, do: func(l *life) error {
		return l.company.DismissEmployee(id, &hr.DismissEmployee{Reason: reason})
	}}
}

func (l *life) employees() []hr.Employee { return rowsOf[hr.Employee](l, "employee") }

// badge returns the employee with a badge.
func (l *life) badge(number string) hr.Employee {
	l.t.Helper()
	for _, e := range l.employees() {
		if e.BadgeNo == number {
			return e
		}
	}
	l.t.Fatalf("%s: nobody has the badge %s", l.label, number)
	panic("unreachable")
}

// gate writes a day's attendance down, as a client reads it.
func (l *life) gate(day sim.Day) string {
	var text []string
	for _, row := range slices.Backward(rowsOf[factory.Attendance](l, "attendance")) {
		if row.Date == day.Date() {
			text = append(text, fmt.Sprintf("%s %d %s", row.BadgeNo, row.Hours, row.Absence))
		}
	}
	return strings.Join(text, ", ")
}

func (l *life) operator(badge string) factory.Operator {
	return rowOf[factory.Operator](l, "operator", "opr_"+badge)
}

// TestTheCrewIsLiteral for every seed and preset: seven people, three of them
// at the presses, hired long ago and for no fee.
func TestTheCrewIsLiteral(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"starter", "manual"} {
		for seed := range uint64(4) {
			l := live(t, presetNamed(t, name), seed, sim.Manual, usual)
			var got []string
			for _, e := range l.employees() {
				got = append(got, fmt.Sprintf("%s %s %d %s", e.BadgeNo, e.Role, e.HourlyMinor, e.Status))
				if e.HiredOn >= sim.Start || e.StartsOn >= sim.Start || e.CreatedOn != sim.Start {
					t.Errorf("%s: %s was hired on %s to start on %s, written on %s",
						l.label, e.BadgeNo, e.HiredOn, e.StartsOn, e.CreatedOn)
				}
			}
			want := "1001 operator 2700 active; 1002 operator 2600 active; 1003 operator 2400 active; 1004 finisher " +
				"2200 active; 1005 warehouse 2100 active; 1006 bookkeeper 2500 active; 1007 sales 2600 active"
			if strings.Join(got, "; ") != want {
				t.Errorf("%s: the crew is %s\nwant %s", l.label, strings.Join(got, "; "), want)
			}
			if hired := l.bodiesOf("hr.employee.hired"); len(hired) != 7 || hired[0].Data.FeeMinor != 0 ||
				hired[0].Data.CashMinor != l.company.Summary().CashMinor {
				t.Errorf("%s: %d were hired, the first for %+v", l.label, len(hired), hired[0].Data)
			}
			if got, want := l.gate(0), "1001 8 none, 1002 8 none, 1003 8 none, 1004 8 none, 1005 8 none, 1006 8 "+
				"none, 1007 8 none"; got != want {
				t.Errorf("%s: at the gate were %s\nwant %s", l.label, got, want)
			}
			if got := l.company.Summary().Morale; got != 8000 {
				t.Errorf("%s: morale is %d", l.label, got)
			}
		}
	}
}

// TestIllnessTakesOneToFourDays, is written down at the gate, and ends when it
// was expected to. Of many days every length comes.
func TestIllnessTakesOneToFourDays(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 3, steady, func(p *preset.Preset) { p.Staff.SickPct = 10_00 })
	l.until(40)
	absent, lengths := map[string]int{}, map[int]int{}
	for _, row := range rowsOf[factory.Attendance](l, "attendance") {
		switch {
		case row.Absence == factory.AbsenceSick:
			absent[row.BadgeNo]++
		case absent[row.BadgeNo] > 0:
			delete(absent, row.BadgeNo)
		}
	}
	back := map[string]absence{}
	for _, e := range l.events {
		switch e.Type {
		case "hr.employee.sick":
			a := decoded[absence](t, e.Body)
			back[a.Data.ID] = a
		case "hr.employee.returned":
			a := decoded[absence](t, e.Body)
			began := back[a.Data.ID]
			if a.SimDate != began.Data.ExpectedBack ||
				sim.DayFrom(a.SimDate)-sim.DayFrom(began.SimDate) != sim.Day(a.Data.DaysAbsent) {
				t.Errorf("%s fell ill on %s, was expected on %s and came back on %s after %d days",
					a.Data.BadgeNo, began.SimDate, began.Data.ExpectedBack, a.SimDate, a.Data.DaysAbsent)
			}
			lengths[a.Data.DaysAbsent]++
			delete(back, a.Data.ID)
		}
	}
	if len(lengths) != 4 || lengths[1] == 0 || lengths[4] == 0 {
		t.Errorf("illnesses took days: %v, want 1 to 4", lengths)
	}
	for _, e := range l.employees() {
		ill := back[e.ID]
		if (e.Status == hr.EmployeeSick) != (ill.Data.ID != "") ||
			(absent[e.BadgeNo] > 0) != (e.Status == hr.EmployeeSick) {
			t.Errorf("%s is %s, by the feed %+v, by the gate absent for %d days",
				e.BadgeNo, e.Status, ill, absent[e.BadgeNo])
		}
		if e.Status == hr.EmployeeSick && sim.DayAfter(*e.SickUntil).Date() != ill.Data.ExpectedBack {
			t.Errorf("%s is ill until %s and expected on %s", e.BadgeNo, e.SickUntil, ill.Data.ExpectedBack)
		}
	}
	checkFeed(t, l)
}

// absence has the fields of events about illness that the tests read.
type absence struct {
	SimDate moment.Date `json:"sim_date"`
	Data    struct {
		ID           string      `json:"id"`
		BadgeNo      string      `json:"badge_no"`
		ExpectedBack moment.Date `json:"expected_back"`
		DaysAbsent   int         `json:"days_absent"`
	} `json:"data"`
}

// TestLeaveIsAnnouncedFiveDaysAhead, one at a time, and shows at the gate on
// its days and no other.
func TestLeaveIsAnnouncedFiveDaysAhead(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 1, steady, func(p *preset.Preset) { p.Staff.LeaveEveryDays = 1 })
	l.until(30)
	away := map[string]bool{}
	last := map[string]moment.Date{}
	for _, r := range rowsOf[hr.LeaveRequest](l, "leave_request") {
		from, to := sim.DayFrom(r.FromDate), sim.DayFrom(r.ToDate)
		if from != sim.DayFrom(r.CreatedOn)+5 || int64(to-from)+1 != r.Days || r.Days < 1 || r.Days > 4 ||
			r.CreatedOn <= last[r.EmployeeID] {
			t.Errorf("the leave %+v was announced on %s, the last ended on %s", r, r.CreatedOn, last[r.EmployeeID])
		}
		last[r.EmployeeID] = r.ToDate
		for day := from; day <= to; day++ {
			away[rowOf[hr.Employee](l, "employee", r.EmployeeID).BadgeNo+day.Date().String()] = true
		}
	}
	rows, leaves := rowsOf[factory.Attendance](l, "attendance"), 0
	for _, row := range rows {
		if row.Absence == factory.AbsenceLeave {
			leaves++
		}
		if away[row.BadgeNo+row.Date.String()] != (row.Absence == factory.AbsenceLeave) {
			t.Errorf("the gate says of %s on %s: %s", row.BadgeNo, row.Date, row.Absence)
		}
	}
	if leaves < 50 || len(rows) != 31*7 {
		t.Errorf("%d days of leave among %d days", leaves, len(rows))
	}
	checkFeed(t, l)
}

// TestWhoQuitsIsReplaced after three days by a person who starts two days
// later, in the same role for the same wage.
func TestWhoQuitsIsReplaced(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 1, steady, func(p *preset.Preset) { p.Staff.QuitPct = 100_00 })
	l.until(1)
	if got := l.gate(1); got != "" || l.operator("1001").Present {
		t.Errorf("everybody quit, and at the gate were %q", got)
	}
	cash := l.company.Summary().CashMinor
	l.until(3)
	if got := len(l.employees()); got != 7 {
		t.Fatalf("after two days there are %d employees", got)
	}
	l.until(4)
	crew := l.employees()
	if len(crew) != 14 {
		t.Fatalf("after three days there are %d employees", len(crew))
	}
	for i, e := range crew[7:] {
		gone := crew[i]
		if gone.Status != hr.EmployeeLeft || *gone.LeftReason != hr.QuitPersonal || *gone.LeftOn != sim.Day(1).Date() {
			t.Errorf("who quit is %+v", gone)
		}
		if e.Role != gone.Role || e.HourlyMinor != gone.HourlyMinor || e.BadgeNo != fmt.Sprint(1008+i) ||
			e.Name == gone.Name || e.StartsOn != sim.Day(6).Date() || e.HiredOn != sim.Day(4).Date() {
			t.Errorf("%+v is replaced by %+v", gone, e)
		}
	}
	fees := money.Minor(0)
	for _, b := range l.bodiesOf("hr.employee.hired") {
		fees += b.Data.FeeMinor
	}
	if fees != 7*120_000 {
		t.Errorf("the fees were %d, want 840000; cash before %d", fees, cash)
	}
	l.until(5)
	if got := l.gate(5); got != "" {
		t.Errorf("before they start, at the gate were %q", got)
	}
	checkFeed(t, l)
}

// TestNobodyIsReplacedWithoutCashOrMorale, nor where the preset does not ask
// for it, nor when the place is taken already.
func TestNobodyIsReplacedWithoutCashOrMorale(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*preset.Preset){
		"no cash":   func(p *preset.Preset) { p.CashMinor, p.Documents = 2_000_000, false },
		"by preset": func(p *preset.Preset) { p.Staff.AutoRehire = false },
	} {
		l := quiet(t, "starter", 1, steady, func(p *preset.Preset) { p.Staff.QuitPct = 100_00 }, change)
		l.until(8)
		if got := len(l.employees()); got != 7 {
			t.Errorf("%s: there are %d employees", name, got)
		}
	}
	l := quiet(t, "starter", 1, steady, func(p *preset.Preset) { p.Staff.QuitPct = 100_00 })
	l.until(3)
	l.must(hire(event.Finisher, nil))
	l.must(hire(event.Operator, new(money.Minor(3000))))
	l.until(4)
	crew := l.employees()
	finishers, operators := 0, 0
	for _, e := range crew[7:] {
		if e.Role == event.Finisher {
			finishers++
		}
		if e.Role == event.Operator {
			operators++
		}
	}
	if len(crew) != 14 || finishers != 1 || operators != 3 {
		t.Errorf("two places were taken, and there are %d employees, %d finishers and %d operators of them new",
			len(crew), finishers, operators)
	}
}

// TestHiringCostsAFeeAndTakesTwoDays.
func TestHiringCostsAFeeAndTakesTwoDays(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 1, steady)
	l.until(3)
	cash := l.company.Summary().CashMinor
	l.must(hire(event.Operator, nil))
	e := l.badge("1008")
	if e.HourlyMinor != 2400 || e.Status != hr.EmployeeActive || e.HiredOn != sim.Day(3).Date() ||
		e.StartsOn != sim.Day(5).Date() || e.Skill < 30 || e.Skill > 70 {
		t.Errorf("hired was %+v", e)
	}
	if got := cash - l.company.Summary().CashMinor; got != 120_000 {
		t.Errorf("it cost %d", got)
	}
	entries := rowsOf[office.LedgerEntry](l, "ledger_entry")
	if last := entries[len(entries)-1]; last.Kind != office.HiringFee || *last.ReferenceID != e.ID {
		t.Errorf("the ledger ends with %+v", last)
	}
	l.until(4)
	if strings.Contains(l.gate(4), "1008") || len(rowsOf[factory.Operator](l, "operator")) != 3 {
		t.Error("they came before they start")
	}
	l.until(5)
	if !strings.HasSuffix(l.gate(5), "1007 8 none, 1008 8 none") || !l.operator("1008").Present {
		t.Errorf("on their first day at the gate were %s", l.gate(5))
	}
	checkFeed(t, l)
}

// TestHiringIsRefused for wages out of bounds, without cash, and above twenty.
func TestHiringIsRefused(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 1, steady)
	for _, c := range []struct {
		role   event.Role
		hourly *money.Minor
		want   problem.Code
	}{
		{"juggler", nil, problem.ValidationFailed},
		{"", nil, problem.ValidationFailed},
		{event.Operator, new(money.Minor(2399)), problem.ValidationFailed},
		{event.Operator, new(money.Minor(-1)), problem.ValidationFailed},
		{event.Warehouse, new(money.Minor(2100)), ""},
		{event.Sales, new(hr.MaxHourly), ""},
		{event.Sales, new(hr.MaxHourly + 1), problem.ValidationFailed},
	} {
		if got := codeOf(l.act(hire(c.role, c.hourly))); got != c.want {
			t.Errorf("hiring %s for %v: %q, want %q", c.role, c.hourly, got, c.want)
		}
	}
	for range 11 {
		l.must(hire(event.Bookkeeper, nil))
	}
	if err := l.act(hire(event.Bookkeeper, nil)); codeOf(err) != problem.HeadcountLimit {
		t.Errorf("hiring the 21st: %v", err)
	}
	l.must(dismiss(l.badge("1006").ID, nil))
	l.must(hire(event.Bookkeeper, nil))
	poor := quiet(t, "starter", 1, steady, func(p *preset.Preset) {
		p.CashMinor, p.OverdraftLimitMinor, p.Documents = 100_000, 20_000, false
	})
	poor.must(hire(event.Sales, nil)) // the overdraft is there for it, to the last unit
	if err := poor.act(hire(event.Sales, nil)); codeOf(err) != problem.InsufficientFunds {
		t.Errorf("hiring without cash: %v", err)
	}
	if err := poor.act(dismiss(poor.badge("1001").ID, nil)); codeOf(err) != problem.InsufficientFunds {
		t.Errorf("dismissing without cash: %v", err)
	}
}

// TestDismissalCostsTwoWeeks, takes effect at once, and stops no press.
func TestDismissalCostsTwoWeeks(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 1, steady)
	run := l.gang("prs_digital", 5, job{"prd_card", 10})
	if run.OperatorBadgeNo != "1001" {
		t.Fatalf("the operator is %s", run.OperatorBadgeNo)
	}
	cash, e := l.company.Summary().CashMinor, l.badge("1001")
	l.must(dismiss(e.ID, new("too fast")))
	if got := cash - l.company.Summary().CashMinor; got != 2700*80 {
		t.Errorf("it cost %d, want 216000", got)
	}
	e = l.badge("1001")
	if e.Status != hr.EmployeeLeft || *e.LeftOn != sim.Start || *e.LeftReason != "too fast" ||
		l.operator("1001").Present {
		t.Errorf("who was dismissed is %+v, the operator %+v", e, l.operator("1001"))
	}
	if err := l.act(dismiss(e.ID, nil)); codeOf(err) != problem.InvalidState {
		t.Errorf("dismissing twice: %v", err)
	}
	if err := l.act(dismiss("emp_nobody", nil)); codeOf(err) != problem.NotFound {
		t.Errorf("dismissing nobody: %v", err)
	}
	l.must(tick(60))
	if r := l.newestRun(); r.Status != factory.RunCompleted {
		t.Errorf("the run without its operator is %s", r.Status)
	}
	l.until(1)
	if got := l.gate(1); strings.Contains(got, "1001") {
		t.Errorf("the day after, at the gate were %s", got)
	}
	l.must(dismiss(l.badge("1007").ID, nil))
	if got := l.badge("1007"); *got.LeftReason != "dismissed" {
		t.Errorf("dismissed without a reason is %+v", got)
	}
	checkFeed(t, l)
}
