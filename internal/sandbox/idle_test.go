package sandbox_test

import (
	"encoding/json"
	"testing"
	"time"

	"platen/internal/company/factory"
	"platen/internal/company/sim"
	"platen/internal/sandbox"
	"platen/internal/words/moment"
)

const idlePause = 2 * time.Minute

// idling creates a sandbox whose clock runs and pauses.
func idling(t *testing.T, pause time.Duration) (*bench, *sandbox.Sandbox) {
	t.Helper()
	b := open(t, nil)
	b.idle = pause
	b.reopen(nil)
	s := b.waits()
	s.StartClock(t.Context())
	return b, s
}

// minutes is how much in-world time a view shows.
func (b *bench) minutes(s *sandbox.Sandbox) sim.Minute {
	b.t.Helper()
	return b.view(s).MinuteAt(moment.InstantOf(b.Now()))
}

// TestAnIdleClockPauses: as much in-world time passes as until the pause, whenever somebody looks, and also after a
// restart of the server.
func TestAnIdleClockPauses(t *testing.T) {
	t.Parallel()
	const most = sim.Minute(2 * 480) // a working day takes a minute
	for name, later := range map[string]func(*bench){
		"soon":            func(b *bench) { b.pass(idlePause + time.Second) },
		"late":            func(b *bench) { b.pass(10 * time.Minute) },
		"after a restart": func(b *bench) { b.pass(10 * time.Minute); b.reopen(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, s := idling(t, idlePause)
			id := b.view(s).SandboxID
			later(b)
			s = b.registry.Sandbox(id)
			v := b.view(s)
			if got := b.minutes(s); got != most || !v.Summary.Clock.Waiting {
				t.Errorf("nobody used the sandbox, and %d minutes passed: %+v", got, v.Summary.Clock)
			}
			b.pass(time.Minute)
			if got := b.minutes(s); got != most || b.view(s) != v {
				t.Errorf("looking at a paused company let %d minutes pass", got)
			}
			_, err := s.Do(t.Context(), accept("refused", "so_nobody"))
			if err == nil || !b.view(s).Summary.Clock.Waiting {
				t.Errorf("a refused request started the clock, or there is none: %v", err)
			}
			s.StartClock(t.Context())
			b.pass(30 * time.Second)
			if got := b.minutes(s); got != most+240 {
				t.Errorf("half a minute after the next request it is minute %d", got)
			}
		})
	}
}

// TestASignOfLifeKeepsTheClockRunning: a request and a caller that waits, but not a look.
func TestASignOfLifeKeepsTheClockRunning(t *testing.T) {
	t.Parallel()
	b, s := idling(t, idlePause)
	for range 3 {
		b.pass(idlePause - time.Second)
		s.Enter()()
	}
	if v := b.view(s); v.Summary.Clock.Waiting {
		t.Error("the clock paused between requests")
	}
	end := s.Watch()
	b.pass(2 * idlePause)
	if v := b.view(s); v.Summary.Clock.Waiting {
		t.Error("the clock paused while a caller waited")
	}
	end()
	for range 3 {
		b.pass(idlePause / 2)
		b.view(s)
	}
	if v := b.view(s); !v.Summary.Clock.Waiting {
		t.Error("looking at the company kept its clock running")
	}
}

// TestAPausedClockHasNoEnds: a print run that is under way has no end by the wall while the clock is paused.
func TestAPausedClockHasNoEnds(t *testing.T) {
	t.Parallel()
	b, s := idling(t, time.Second) // eight minutes
	b.do(s, func(tx *sandbox.Tx) error {
		work, err := tx.Company.CreateWorkOrder(&factory.CreateWorkOrder{SKU: "prd_notebook", Quantity: 5})
		if err == nil {
			_, err = tx.Company.StartPrintRun(
				&factory.StartPrintRun{PressID: "prs_digital", WorkOrderID: &work, OversPct: new(int64(0))})
		}
		return err
	})
	ends := func() *moment.Instant {
		var run factory.PrintRun
		entries := b.view(s).Table("print_run").Entries
		if err := json.Unmarshal(entries[len(entries)-1].Row(), &run); err != nil || run.Status != "running" {
			t.Fatalf("the run is %s: %v", entries[len(entries)-1].Row(), err)
		}
		return run.EndsAt
	}
	if ends() == nil {
		t.Error("under a running clock a run has no end")
	}
	b.pass(time.Hour / 4)
	if at := ends(); at != nil {
		t.Errorf("while the clock is paused, a run ends at %s", at)
	}
	id := b.received(s)[0]
	b.do(s, func(tx *sandbox.Tx) error { return tx.Company.AcceptSalesOrder(id) })
	if at := ends(); at == nil || !at.Time().After(b.Now()) {
		t.Errorf("after the next request, a run ends at %v", at)
	}
}

// do runs a command.
func (b *bench) do(s *sandbox.Sandbox, work func(*sandbox.Tx) error) {
	b.t.Helper()
	if _, err := s.Do(b.t.Context(), sandbox.Command{Status: 200, Run: ran(work)}); err != nil {
		b.t.Fatal(err)
	}
}
