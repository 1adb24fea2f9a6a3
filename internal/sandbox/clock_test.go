package sandbox_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/company/sim"
	"platen/internal/sandbox"
)

// setClock is the command that sets the mode of a clock.
func setClock(mode sim.Mode) sandbox.Command {
	return sandbox.Command{
		Run: func(tx *sandbox.Tx) error {
			tx.Company.SetClock(tx.Now, mode)
			return nil
		},
		Answer: func(*sandbox.View) sandbox.Reply { return sandbox.Reply{Status: 200} },
	}
}

// TestAPausedSandboxWakesNobody but for the steps of its lease, and one that is
// resumed wakes those who wait at the moments of its events.
func TestAPausedSandboxWakesNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := live(t)
		s := settle(t, registry, sim.Realtime)
		defer s.Watch()()
		if _, err := s.Do(context.Background(), setClock(sim.Manual)); err != nil {
			t.Fatal(err)
		}
		v := viewOf(t, s)
		began := time.Now()
		select {
		case <-v.Changed():
			t.Errorf("a paused company changed after %s", time.Since(began))
		case <-time.After(5 * time.Minute):
		}
		if later := viewOf(t, s); later != v {
			t.Error("a read changed a paused company")
		}
		if _, err := s.Do(context.Background(), setClock(sim.Realtime)); err != nil {
			t.Fatal(err)
		}
		v = viewOf(t, s)
		if v.Summary.Now != 0 {
			t.Errorf("the clock resumes at %s", v.Summary.Now.Text())
		}
		<-v.Changed()
		if took := time.Since(began) - 5*time.Minute; took > 5*time.Minute {
			t.Errorf("nothing happened for %s after the clock was resumed", took)
		}
		if late := time.Since(viewOf(t, s).LastEventAt.Time()); late > time.Millisecond {
			t.Errorf("an event is seen %s late", late)
		}
	})
}

// TestAPauseSurvivesARestart: what a sandbox was told of its clock is in its log.
func TestAPauseSurvivesARestart(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Realtime)
	b.pass(time.Minute)
	if _, err := s.Do(context.Background(), setClock(sim.Manual)); err != nil {
		t.Fatal(err)
	}
	before := b.view(s)
	b.pass(time.Minute)
	b.reopen(nil)
	b.pass(time.Minute)
	after := b.view(b.registry.Sandbox(before.SandboxID))
	if got, want := after.Summary.Clock, before.Summary.Clock; got != want || after.Sequence != before.Sequence {
		t.Errorf("after a restart the clock is %+v and event %d the newest, want %+v and %d", got, after.Sequence, want,
			before.Sequence)
	}
}
