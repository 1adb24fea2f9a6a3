package company_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"platen/internal/company/factory"
	"platen/internal/company/sim"
)

// setClock sets the mode of the clock.
func setClock(mode sim.Mode) action {
	return action{name: "set the clock to " + string(mode), do: func(l *life) error {
		l.company.SetClock(l.wall, mode)
		return nil
	}}
}

// TestPausesLeaveNoTrace: a company whose clock is paused and resumed at any
// moments lives the life of one that was never paused but ticked by the same
// minutes, and while it is paused no wall time counts.
func TestPausesLeaveNoTrace(t *testing.T) {
	t.Parallel()
	pauses := 0
	rapid.Check(t, func(t *rapid.T) {
		p := presetNamed(t, rapid.SampledFrom([]string{"starter", "manual", "crunch"}).Draw(t, "preset"))
		seed := rapid.Uint64Range(0, 1<<53-1).Draw(t, "seed")
		paused, ticked := live(t, p, seed, sim.Realtime, usual), live(t, p, seed, sim.Manual, usual)
		mode := sim.Realtime
		both := func(t *rapid.T, a action) {
			was := paused.company.Now()
			first := paused.act(a)
			if mode == sim.Manual && a.do == nil && paused.company.Now() != was {
				t.Fatalf("%s: %s moved a paused clock", paused.label, a.name)
			}
			if a.do == nil {
				for left := int(paused.company.Now() - ticked.company.Now()); left > 0; left -= 480 {
					_ = ticked.act(tick(min(left, 480)))
				}
				return
			}
			if second := ticked.act(a); (first == nil) != (second == nil) {
				t.Fatalf("%s: %s: %v with pauses, %v without", paused.label, a.name, first, second)
			}
		}
		actions := map[string]func(*rapid.T){}
		for name, draw := range kinds {
			actions[name] = func(t *rapid.T) { both(t, draw(t, paused)) }
		}
		toggle := func(*rapid.T) {
			if mode = sim.Manual; paused.company.Summary().Clock.Mode == sim.Manual {
				mode = sim.Realtime
			}
			if err := paused.act(setClock(mode)); err == nil {
				pauses++
			}
		}
		actions["pause or resume"], actions["pause or resume again"] = toggle, toggle
		t.Repeat(actions)
		if got, want := paused.company.Now(), ticked.company.Now(); got != want {
			t.Fatalf("%s: with pauses it is %s, without %s", paused.label, got.Text(), want.Text())
		}
		_ = paused.act(setClock(sim.Manual)) // a bankrupt company keeps its mode, as both have
		if !paused.company.Bankrupt() {
			sameLife(t, "with pauses", paused, ticked)
		}
		again := paused.reborn(paused.snapshot())
		if got, want := again.company.Summary().Clock, paused.company.Summary().Clock; got != want {
			t.Fatalf("%s: loaded again its clock is %+v, want %+v", paused.label, got, want)
		}
	})
	if pauses == 0 {
		t.Error("no clock was ever paused")
	}
}

// TestAResumedClockGoesOnWhereItStopped, and so do runs, whose end by the wall is
// told anew.
func TestAResumedClockGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	l := live(t, presetNamed(t, "manual"), 1, sim.Realtime, usual)
	work := l.add(job{"prd_card", 9}, new("waiting"))
	l.must(printRun(factory.StartPrintRun{PressID: "prs_digital", WorkOrderIDs: []string{work}}))
	began, planned := l.wall, *l.newestRun().EndsAt
	l.must(wait(375 * time.Millisecond)) // three minutes
	l.must(setClock(sim.Manual))
	if run := l.newestRun(); run.EndsAt != nil {
		t.Errorf("under a clock that stands still the run ends at %v", run.EndsAt)
	}
	l.must(wait(time.Hour))
	if now := l.company.Now(); now != 3 {
		t.Errorf("after an hour of pause it is %s", now.Text())
	}
	l.must(setClock(sim.Realtime))
	if ends := l.newestRun().EndsAt; ends == nil || ends.Sub(planned) != time.Hour {
		t.Errorf("the run was to end at %v, and an hour of pause later at %v", planned, ends)
	}
	l.must(wait(planned.Sub(began) - 375*time.Millisecond - time.Microsecond))
	if run := l.newestRun(); run.Status != factory.RunRunning {
		t.Errorf("before its end the run is %s", run.Status)
	}
	l.must(wait(time.Microsecond))
	if run := l.newestRun(); run.Status != factory.RunCompleted {
		t.Errorf("at its end the run is %s", run.Status)
	}
	before := l.company.Summary().Clock
	l.must(setClock(sim.Realtime))
	if after := l.company.Summary().Clock; after != before {
		t.Errorf("setting the mode that it has moved the clock from %+v to %+v", before, after)
	}
	checkFeed(t, l)
}
