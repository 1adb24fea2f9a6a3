package company_test

import (
	"fmt"
	"testing"
	"time"

	"platen/internal/company/factory"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/problem"
)

func (l *life) press(id string) factory.Press { return rowOf[factory.Press](l, "press", id) }

// downAndUp are the presses by whether they are down.
func (l *life) downAndUp() (down, up []factory.Press) {
	for _, p := range rowsOf[factory.Press](l, "press") {
		if p.Status == factory.PressDown {
			down = append(down, p)
		} else {
			up = append(up, p)
		}
	}
	return down, up
}

// TestAFaultyPressRefusesRuns until it is repaired, while the other one prints.
func TestAFaultyPressRefusesRuns(t *testing.T) {
	t.Parallel()
	l := disrupted(t, "manual", event.PressFault)
	down, up := l.downAndUp()
	ends := sim.DayFrom(l.disruptionsOf()[0].Disruption.EndsOn).Open()
	if len(down) != 1 || len(up) != 1 || *down[0].DownUntilSim != ends.Text() {
		t.Fatalf("%s: down are %+v, until %s", l.label, down, ends.Text())
	}
	if s := l.company.Summary().Presses; s.Down != 1 || s.Idle != 1 || s.Running != 0 {
		t.Errorf("%s: at a glance %+v", l.label, s)
	}
	began := l.bodiesOf("world.lore_event.started")[0]
	if c := began.Data.Changes; len(c) != 1 || c[0].Resource != "press" || c[0].ID != down[0].ID ||
		c[0].From != "idle" || c[0].To != "down" {
		t.Errorf("%s: the fault changes %+v", l.label, c)
	}
	work := l.add(job{"prd_card", 5}, new("parcel"))
	err := l.act(printRun(factory.StartPrintRun{PressID: down[0].ID, WorkOrderIDs: []string{work}}))
	refusal, ok := err.(*problem.Problem) //nolint:errorlint // refusals are never wrapped
	if !ok || refusal.Code != problem.PressDown || !ticks(err) {
		t.Fatalf("%s: a run on the press is refused with %v", l.label, err)
	}
	l.must(printRun(factory.StartPrintRun{PressID: up[0].ID, WorkOrderIDs: []string{work}}))
	l.until(ends.Day())
	if p := l.press(down[0].ID); p.Status != factory.PressIdle || p.DownUntilSim != nil {
		t.Errorf("%s: repaired, the press is %+v", l.label, p)
	}
	if c := l.bodiesOf("sandbox.disruption.ended")[0].Data.Changes; len(c) != 1 || c[0].ID != down[0].ID ||
		c[0].From != "down" || c[0].To != "idle" {
		t.Errorf("%s: its end changes %+v", l.label, c)
	}
	l.gang(down[0].ID, 3, job{"prd_card", 5})
	checkFeed(t, l)
}

// TestPressDownSaysWhenToTryAgain: when the press is in order, or when the run
// that waits on it has ended; at no moment where only ticks move the clock.
func TestPressDownSaysWhenToTryAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode    sim.Mode
		waiting bool
		want    time.Duration
	}{
		{sim.Realtime, false, 210 * time.Second}, // noon of day 3
		{sim.Realtime, true, 213 * time.Second},  // and 17 minutes of printing
		{sim.Manual, false, 0},
	} {
		l := blackout(t, c.mode, c.waiting)
		work := l.add(job{"prd_card", 5}, new("parcel"))
		err := l.act(printRun(factory.StartPrintRun{PressID: "prs_digital", WorkOrderIDs: []string{work}}))
		refusal, ok := err.(*problem.Problem) //nolint:errorlint // refusals are never wrapped
		if !ok || refusal.Code != problem.PressDown {
			t.Fatalf("%s: the run is refused with %v", l.label, err)
		}
		if c.mode == sim.Manual {
			if !ticks(err) {
				t.Errorf("%s: %+v", l.label, refusal)
			}
			continue
		}
		if got := refusal.RetryAt.Sub(opened.Time()); got != c.want || refusal.Final {
			t.Errorf("%s, a run waits: %t: try again after %s, want %s", l.label, c.waiting, got, c.want)
		}
	}
}

// blackout is a company at 08:00 of day 3, 180 seconds after it began, when the
// power has just gone. If it is printing, a run of 19 minutes was begun two
// minutes before.
func blackout(t reporter, mode sim.Mode, printing bool) *life {
	t.Helper()
	seed := disrupted(t, "manual", event.PowerCut).company.Settings().Seed
	p := presetNamed(t, "manual")
	p.Demand.PerDay, p.Overhead = 0, preset.Overhead{}
	calm(&p)
	steady(&p)
	p.Lots, p.Payroll.Paid = preset.Lots{}, false
	stormy(&p)
	l := live(t, p, seed, mode, usual)
	work := l.add(job{"prd_card", 9}, new("waiting"))
	pass := func(minutes int) {
		if mode == sim.Realtime {
			l.must(wait(time.Duration(minutes) * 125 * time.Millisecond))
			return
		}
		l.wall = l.wall.Add(time.Duration(minutes) * 125 * time.Millisecond)
		for minutes > 0 {
			l.must(tick(min(minutes, 480)))
			minutes -= min(minutes, 480)
		}
	}
	pass(3*480 - 2)
	if printing {
		l.must(printRun(factory.StartPrintRun{PressID: "prs_digital", WorkOrderID: &work, OversPct: new(int64(0))}))
	}
	pass(2)
	return l
}

// TestAPowerCutHoldsUpEveryPressUntilNoon: a run under way waits with its
// operator, goes on at noon with what was left of it, and ends that much later.
func TestAPowerCutHoldsUpEveryPressUntilNoon(t *testing.T) {
	t.Parallel()
	for _, mode := range []sim.Mode{sim.Manual, sim.Realtime} {
		l := blackout(t, mode, true)
		run := l.newestRun()
		if got := fmt.Sprint(run.StartedSim, " ", run.EndsSim, " ",
			run.Status); got != "2026-09-09T15:58 2026-09-10T12:17 running" {
			t.Errorf("%s: the run is %s", l.label, got)
		}
		if (run.EndsAt != nil) != (mode == sim.Realtime) || run.EndsAt != nil &&
			run.EndsAt.Time().Sub(opened.Time()) != time.Duration(3*480+240+17)*125*time.Millisecond {
			t.Errorf("%s: by the wall it ends at %v", l.label, run.EndsAt)
		}
		digital, offset := l.press("prs_digital"), l.press("prs_offset")
		if digital.Status != factory.PressDown || offset.Status != factory.PressDown ||
			*digital.CurrentRunEndsSim != run.EndsSim || *digital.DownUntilSim != "2026-09-10T12:00" {
			t.Errorf("%s: the presses are %+v and %+v", l.label, digital, offset)
		}
		if s := l.company.Summary().Presses; s.Down != 2 {
			t.Errorf("%s: at a glance %+v", l.label, s)
		}
		l.must(tick(240))
		if digital, offset = l.press("prs_digital"), l.press("prs_offset"); digital.Status != factory.PressRunning ||
			offset.Status != factory.PressIdle {
			t.Errorf("%s: at noon the presses are %s and %s", l.label, digital.Status, offset.Status)
		}
		l.must(tick(16))
		if r := l.newestRun(); r.Status != factory.RunRunning {
			t.Errorf("%s: the run has ended at %s", l.label, *r.CompletedSim)
		}
		l.must(tick(1))
		if r := l.newestRun(); r.Status != factory.RunCompleted || *r.CompletedSim != run.EndsSim {
			t.Errorf("%s: the run is %+v", l.label, r)
		}
		if p := l.press("prs_digital"); p.MinutesPrintedTotal != 19 || p.Status != factory.PressIdle {
			t.Errorf("%s: the press is %+v", l.label, p)
		}
		if err := l.company.Check(); err != nil {
			t.Errorf("%s: %v", l.label, err)
		}
		checkFeed(t, l)
	}
}

// TestADisruptedCompanyOutlivesARestart: loaded again in the middle of each
// kind, it goes on as if nothing had been.
func TestADisruptedCompanyOutlivesARestart(t *testing.T) {
	t.Parallel()
	for kind := range lengths {
		l := disrupted(t, "starter", kind)
		again := l.reborn(l.snapshot())
		for _, one := range []*life{l, again} {
			one.until(16)
		}
		sameLife(t, "loaded in a "+string(kind), again, l)
		if err := again.company.Check(); err != nil {
			t.Errorf("%s: %v", again.label, err)
		}
	}
}
