package hr_test

import (
	"fmt"
	"testing"

	"platen/internal/company/hr"
	"platen/internal/company/preset"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/share"
)

// staffed is a department on its first morning, and the recorder that it was
// opened with. Nothing happens by chance but what the staff says.
func staffed(t *testing.T, seed uint64, staff preset.Staff) (*hr.HR, *record.Recorder) {
	t.Helper()
	p := preset.Preset{
		Staff:   staff,
		Payroll: preset.Payroll{DueWeekday: "wed", SurchargePctPerDay: 2, SurchargeCapPct: 10, CollectAfterDays: 5},
	}
	h := hr.New(p, seed)
	r := record.NewRecorder(seed, record.NewFeed("sbx_0000000000001", 7, record.Position{}), sim.NewSchedule(nil, 1), 0)
	r.SetMoment(0, 0, sim.Clock{Mode: sim.Manual, Speed: sim.DefaultSpeed})
	h.Open(r, 0)
	return h, r
}

// openDay opens a day, and counts what it wrote.
func openDay(t *testing.T, h *hr.HR, r *record.Recorder, day sim.Day) map[event.Type]int {
	t.Helper()
	r.Flush()
	r.SetMoment(day.Open(), 0, sim.Clock{Mode: sim.Manual, Speed: sim.DefaultSpeed})
	h.OpenDay(r)
	counted := map[event.Type]int{}
	for _, kind := range r.Types() {
		counted[kind]++
	}
	if err := h.Check(); err != nil {
		t.Fatalf("day %d: %v", day, err)
	}
	return counted
}

// TestPeopleQuitByMorale: at most 50 points, 25 times as many as above; below
// 30, 500 times as many. With a chance of zero, morale changes nothing.
func TestPeopleQuitByMorale(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		morale  int64
		pct     share.PerCent
		atLeast int
		atMost  int
	}{
		{500_001, 4_00, 0, 3}, {500_000, 4_00, 7, 7}, {300_000, 4_00, 7, 7},
		{300_000, 20, 0, 3}, {299_999, 20, 7, 7}, {0, 20, 7, 7},
		{0, 0, 0, 0}, {800_000, 100_00, 7, 7},
	} {
		h, r := staffed(t, 1, preset.Staff{QuitPct: c.pct})
		h.State.MoralePPM = c.morale
		if got := openDay(t, h, r, 1)[event.EmployeeQuit]; got < c.atLeast || got > c.atMost {
			t.Errorf("morale %d, %d hundredths of a per cent: %d of 7 quit, want %d to %d",
				c.morale, c.pct, got, c.atLeast, c.atMost)
		}
		reason := hr.QuitPersonal
		if c.morale <= 500_000 {
			reason = hr.QuitLowMorale
		}
		for e := range h.Employees.All {
			if e.Status == hr.EmployeeLeft && *e.LeftReason != reason {
				t.Errorf("morale %d: the reason is %s", c.morale, *e.LeftReason)
			}
		}
	}
}

// TestChanceIsWhatThePresetSays, over many days and seeds, within a quarter.
func TestChanceIsWhatThePresetSays(t *testing.T) {
	t.Parallel()
	sick, leave, days := 0, 0, 0
	for seed := range uint64(40) {
		h, r := staffed(t, seed, preset.Staff{SickPct: 60, LeaveEveryDays: 40})
		for day := sim.Day(1); day <= 100; day++ {
			counted := openDay(t, h, r, day)
			sick += counted[event.EmployeeSick]
			leave += counted[event.LeaveRequestCreated]
			days += 7
		}
	}
	// A person who is ill cannot fall ill, and one with announced leave
	// announces none.
	if want := days * 6 / 1000; sick < want*3/4 || sick > want*5/4 {
		t.Errorf("in %d days %d fell ill, want about %d", days, sick, want)
	}
	if want := days / 40; leave < want*3/4 || leave > want {
		t.Errorf("in %d days %d leaves were announced, want about %d", days, leave, want)
	}
}

// TestMoraleRecoversToNinetyFive, half a point a day, and does not fall to it.
func TestMoraleRecoversToNinetyFive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after int64 }{
		{800_000, 805_000}, {0, 5_000}, {946_000, 950_000}, {950_000, 950_000}, {970_000, 970_000},
		{1_000_000, 1_000_000},
	} {
		h, r := staffed(t, 1, preset.Staff{})
		h.State.MoralePPM = c.before
		openDay(t, h, r, 1)
		if h.State.MoralePPM != c.after {
			t.Errorf("morale goes from %d to %d, want %d", c.before, h.State.MoralePPM, c.after)
		}
	}
}

// TestPlacesAreTakenAgain: a person who is hired for a role has the first place
// of it that is free, so that there are never more places than people at once.
func TestPlacesAreTakenAgain(t *testing.T) {
	t.Parallel()
	h, r := staffed(t, 1, preset.Staff{})
	slots := func() string {
		text := ""
		for e, p := range h.Employees.All {
			if e.Status != hr.EmployeeLeft {
				text += fmt.Sprint(e.BadgeNo, ":", p.Slot, " ")
			}
		}
		return text
	}
	dismiss := func(badge string) {
		for e := range h.Employees.All {
			if e.BadgeNo == badge {
				h.Dismiss(r, hr.Dismissal{EmployeeID: e.ID})
				return
			}
		}
		t.Fatalf("nobody has the badge %s", badge)
	}
	hire := func() { h.Hire(r, hr.Hiring{Role: event.Operator, HourlyMinor: 2400}, 0) }
	dismiss("1002")
	dismiss("1001")
	hire()
	hire()
	hire()
	if got, want := slots(), "1003:2 1004:3 1005:4 1006:5 1007:6 1008:0 1009:1 1010:7 "; got != want {
		t.Errorf("the places are %s, want %s", got, want)
	}
	dismiss("1008")
	hire()
	if got, want := slots(), "1003:2 1004:3 1005:4 1006:5 1007:6 1009:1 1010:7 1011:0 "; got != want {
		t.Errorf("the places are %s, want %s", got, want)
	}
	if err := h.Check(); err != nil {
		t.Error(err)
	}
}
