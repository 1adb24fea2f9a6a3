package sandbox_test

import (
	"context"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/desk/activity"
	"platen/internal/sandbox"
	"platen/internal/words/moment"
)

// setClock is the command that sets the mode of a clock.
func setClock(mode sim.Mode) sandbox.Command {
	return sandbox.Command{
		Status: 200,
		Run: ran(func(tx *sandbox.Tx) error {
			tx.Company.SetClock(tx.Now, mode)
			return nil
		}),
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
		for sequence := v.Sequence; v.Sequence == sequence; v = viewOf(t, s) {
			<-v.Changed()
			if took := time.Since(began) - 5*time.Minute; took > 5*time.Minute {
				t.Fatalf("nothing happened for %s after the clock was resumed", took)
			}
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

// atOnce returns presets whose clocks run from the creation on: only tests about
// a client's first request depend on when it comes.
func atOnce(presets map[string]preset.Preset) map[string]preset.Preset {
	running := maps.Clone(presets)
	starter := running["starter"]
	starter.Clock.Starts = preset.AtOnce
	running["starter"] = starter
	return running
}

// waits creates a sandbox whose clock waits.
func (b *bench) waits() *sandbox.Sandbox {
	b.t.Helper()
	created, err := b.registry.Create(b.t.Context(),
		sandbox.Creation{Preset: "manual", Seed: new(int64(1)), Clock: new(sim.Realtime)})
	if err != nil {
		b.t.Fatal(err)
	}
	return b.registry.Sandbox(created.SandboxID)
}

// TestAClockWaitsForTheFirstRequest: looking at a company, a refused request and a
// restart leave it waiting, and the first request starts it, also after a restart.
func TestAClockWaitsForTheFirstRequest(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(*bench, *sandbox.Sandbox) error{
		"a read": func(b *bench, s *sandbox.Sandbox) error {
			s.StartClock(b.t.Context())
			return nil
		},
		"a write": func(b *bench, s *sandbox.Sandbox) error {
			_, err := s.Do(b.t.Context(), accept("first", b.received(s)[0]))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, nil)
			s := b.waits()
			id := b.view(s).SandboxID
			b.pass(10 * time.Minute)
			before := b.view(s)
			s.Observe(t.Context(), &activity.Call{Answered: moment.InstantOf(b.Now()), Status: 429})
			if _, err := s.Do(t.Context(), accept("refused", "so_nobody")); err == nil {
				t.Fatal("an order of nobody was accepted")
			}
			b.pass(time.Second)
			if v := b.view(s); !v.Summary.Clock.Waiting || v.Sequence != before.Sequence || v.Summary.Now != 0 {
				t.Fatalf("without a request event %d happened, and the clock is %+v", v.Sequence, v.Summary.Clock)
			}
			b.reopen(nil)
			s = b.registry.Sandbox(id)
			started := moment.InstantOf(b.Now())
			if err := first(b, s); err != nil {
				t.Fatal(err)
			}
			b.reopen(nil)
			s = b.registry.Sandbox(id)
			b.pass(250 * time.Millisecond)
			clock := b.view(s).Summary.Clock
			if clock.Waiting || clock.AnchorWall != started || clock.Minute(moment.InstantOf(b.Now())) != 2 {
				t.Errorf("two minutes after the first request at %v the clock is %+v", started, clock)
			}
		})
	}
}

// TestAnEndedLeaseStartsNoClock: a request after the end leaves all as it is.
func TestAnEndedLeaseStartsNoClock(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.waits()
	b.pass(lease)
	s.StartClock(t.Context())
	v := b.view(s)
	if status := v.Status(moment.InstantOf(b.Now())); !v.Summary.Clock.Waiting || status != sandbox.Expired {
		t.Errorf("after its end the sandbox is %s with the clock %+v", status, v.Summary.Clock)
	}
}
