package sandbox_test

import (
	"testing"
	"time"

	"platen/internal/company/sim"
	"platen/internal/sandbox"
)

// TestAForkOfTheNewestCheckpointBeginsAtItsMinute, also when the clock of the company has moved
// on since, and nothing has happened: as on a server that has the company not in memory.
func TestAForkOfTheNewestCheckpointBeginsAtItsMinute(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Realtime)
	id := b.view(s).SandboxID
	b.pass(time.Second) // eight minutes in the company
	if _, err := s.Do(t.Context(), sandbox.Command{
		Status: 201,
		Run: ran(func(tx *sandbox.Tx) error {
			_, err := tx.Desk.AddCheckpoint("here", tx.NextVersion(), tx.Now)
			return err
		}),
	}); err != nil {
		t.Fatal(err)
	}
	at := b.view(s)
	begins := func(s *sandbox.Sandbox) sim.Minute {
		t.Helper()
		base, err := s.Base(t.Context(), sandbox.ForkPoint{Checkpoint: new("here")})
		if err != nil {
			t.Fatal(err)
		}
		created, err := b.registry.Fork(t.Context(), sandbox.Forking{Base: base})
		if err != nil {
			t.Fatal(err)
		}
		return b.view(b.registry.Sandbox(created.SandboxID)).Summary.Now
	}
	b.pass(500 * time.Millisecond)
	if later := b.view(s); later.Version != at.Version {
		t.Fatalf("the company stands at version %d, after %d", later.Version, at.Version)
	}
	if warm := begins(s); warm != at.Summary.Now {
		t.Errorf("a fork begins at %s, its checkpoint is of %s", warm.Text(), at.Summary.Now.Text())
	}
	b.reopen(nil)
	if cold := begins(b.registry.Sandbox(id)); cold != at.Summary.Now {
		t.Errorf("after a restart a fork begins at %s, its checkpoint is of %s", cold.Text(), at.Summary.Now.Text())
	}
}
