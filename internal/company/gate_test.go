package company_test

import (
	"strings"
	"testing"

	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/words/event"
	"platen/internal/words/problem"
)

// ticks reports whether a refusal says that only a tick helps, and names no
// moment: what it has to say under a manual clock.
func ticks(err error) bool {
	p, ok := err.(*problem.Problem) //nolint:errorlint // refusals are never wrapped
	return ok && p.Final && p.RetryAt.IsZero() && strings.Contains(p.Hint, "POST /sandbox/tick")
}

// TestAPressNeedsSomebodyWhoIsThere, and under a manual clock no_operator is no
// reason to try again before a tick.
func TestAPressNeedsSomebodyWhoIsThere(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 1, steady)
	var works []string
	for i := range 3 {
		works = append(works, l.add(job{"prd_card", 10}, new(string(rune('a'+i)))))
	}
	start := func(press, work string, badge *string) error {
		return l.act(printRun(factory.StartPrintRun{
			PressID: press, WorkOrderIDs: []string{work}, OversPct: new(int64(20)), OperatorBadgeNo: badge,
		}))
	}
	if err := start("prs_offset", works[0], new("1009")); codeOf(err) != problem.ValidationFailed {
		t.Errorf("an operator nobody knows: %v", err)
	}
	if err := start("prs_offset", works[0], new("1004")); codeOf(err) != problem.ValidationFailed {
		t.Errorf("a finisher at the press: %v", err)
	}
	l.must(dismiss(l.badge("1002").ID, nil))
	l.must(dismiss(l.badge("1003").ID, nil))
	if err := start("prs_offset", works[0], new("1003")); codeOf(err) != problem.NoOperator || !ticks(err) {
		t.Errorf("an operator who is gone: %v", err)
	}
	if err := start("prs_offset", works[0], nil); err != nil {
		t.Fatal(err)
	}
	for _, badge := range []*string{nil, new("1001")} {
		if err := start("prs_digital", works[1], badge); codeOf(err) != problem.NoOperator || !ticks(err) {
			t.Errorf("the last operator is busy: %v", err)
		}
	}
	l.must(dismiss(l.badge("1001").ID, nil))
	if err := start("prs_digital", works[1], nil); codeOf(err) != problem.NoOperator || !ticks(err) {
		t.Errorf("nobody is there: %v", err)
	}
	l.must(hire(event.Operator, nil))
	l.until(2)
	if err := start("prs_digital", works[1], nil); err != nil {
		t.Errorf("the new operator is there: %v", err)
	}
	if got := l.newestRun().OperatorBadgeNo; got != "1008" {
		t.Errorf("the press is run by %s", got)
	}
}

// TestWithoutAFinisherItTakesTwiceTheTime, by who is there as it begins.
func TestWithoutAFinisherItTakesTwiceTheTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name             string
		before, after    func(l *life)
		minutes, printed int
	}{
		{"there", nil, nil, 45, 22},
		{"gone", func(l *life) { l.must(dismiss(l.badge("1004").ID, nil)) }, nil, 90, 22},
		{"gone too late", nil, func(l *life) { l.must(dismiss(l.badge("1004").ID, nil)) }, 45, 22},
	} {
		l := quiet(t, "manual", 1, steady)
		if c.before != nil {
			c.before(l)
		}
		run := l.gang("prs_digital", 20, job{"prd_card", 10})
		l.must(tick(c.printed + 1))
		if l.newestRun().Status != factory.RunCompleted {
			t.Fatalf("%s: the run ends at %s", c.name, run.EndsSim)
		}
		if c.after != nil {
			c.after(l)
		}
		l.must(tick(c.minutes - 5))
		if got := l.workOrder(run.WorkOrderID).Status; got != factory.WorkPrinting {
			t.Errorf("%s: early, the order is %s", c.name, got)
		}
		l.must(tick(5))
		if got := l.workOrder(run.WorkOrderID).Status; got != factory.WorkReady {
			t.Errorf("%s: after %d minutes the order is %s", c.name, c.minutes, got)
		}
	}
}

// TestSkillSavesSheets: of the same run, the same spoilage is drawn; 65 points
// take 0.15 off it, 35 add as much.
func TestSkillSavesSheets(t *testing.T) {
	t.Parallel()
	spoilage := map[string]int64{}
	for _, badge := range []string{"1001", "1002", "1003"} {
		l := spoiling(t, 1, 100, 400, steady)
		id := l.add(job{"prd_flyer", 100}, new("somebody"))
		l.must(printRun(factory.StartPrintRun{
			PressID: "prs_offset", WorkOrderIDs: []string{id}, OversPct: new(int64(3)), OperatorBadgeNo: &badge,
		}))
		l.must(tick(200))
		spoilage[badge] = int64(*l.newestRun().SpoilagePct)
	}
	if usual := spoilage["1001"]; spoilage["1002"] != usual-15 || spoilage["1003"] != usual+15 {
		t.Errorf("the operators spoil, in hundredths of a per cent: %v", spoilage)
	}
}

// TestWhatHappensToPeopleDoesNotDependOnTheClient: the same days bring illness
// and leave to the same places, in spite of dismissals and hires.
func TestWhatHappensToPeopleDoesNotDependOnTheClient(t *testing.T) {
	t.Parallel()
	changes := func(p *preset.Preset) { p.Staff.SickPct, p.Staff.LeaveEveryDays, p.Staff.QuitPct = 5_00, 10, 0 }
	passive, busy := quiet(t, "starter", 9, changes), quiet(t, "starter", 9, changes)
	busy.must(dismiss(busy.badge("1002").ID, nil))
	busy.must(hire(event.Operator, nil)) // has the place of 1002
	busy.must(hire(event.Sales, nil))    // has a new one
	busy.until(4)
	busy.must(dismiss(busy.badge("1007").ID, nil))
	passive.until(40)
	busy.until(40)
	seen := 0
	for _, day := range []string{"attendance"} {
		rows := map[string]factory.Absence{}
		for _, row := range rowsOf[factory.Attendance](busy, day) {
			rows[row.BadgeNo+row.Date.String()] = row.Absence
		}
		for _, row := range rowsOf[factory.Attendance](passive, day) {
			if row.BadgeNo == "1002" || row.BadgeNo == "1007" {
				continue
			}
			if row.Absence != factory.AbsenceNone {
				seen++
			}
			if got := rows[row.BadgeNo+row.Date.String()]; got != row.Absence {
				t.Errorf("%s on %s: %q with the busy client, %q with the passive one",
					row.BadgeNo, row.Date, got, row.Absence)
			}
		}
	}
	if seen < 10 {
		t.Errorf("%d absences show nothing", seen)
	}
	if len(rowsOf[office.LedgerEntry](busy, "ledger_entry")) <= len(
		rowsOf[office.LedgerEntry](passive, "ledger_entry")) {
		t.Error("the busy client has spent nothing, so the comparison shows nothing")
	}
}
