package sandbox_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"platen/internal/company/sim"
	"platen/internal/problem"
	"platen/internal/sandbox"
	"platen/internal/store"
)

// older is a store to which an older program writes.
type older struct{ store.Store }

// Commit implements store.Store.
func (o older) Commit(ctx context.Context, c store.Commit) error {
	if c.Version == 1 {
		var err error
		if c.Body, err = sandbox.OlderEngine(c.Body); err != nil {
			return err
		}
	}
	return o.Store.Commit(ctx, c)
}

// TestASandboxOfAnotherEngineEnds: this program cannot go on with what another
// one began, and does not guess.
func TestASandboxOfAnotherEngineEnds(t *testing.T) {
	t.Parallel()
	for name, meets := range map[string]func(b *bench, s *sandbox.Sandbox) error{
		"when it is called": func(b *bench, s *sandbox.Sandbox) error {
			_, err := s.View(b.t.Context(), 0)
			return err
		},
		"when something is due there": func(b *bench, s *sandbox.Sandbox) error {
			b.pass(lease - time.Minute)
			b.house.Sweep(b.t.Context())
			_, err := s.View(b.t.Context(), 0)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, func(inner store.Store) store.Store { return older{inner} })
			id := b.view(b.create(sim.Realtime)).SandboxID
			b.reopen(nil)
			own := b.create(sim.Realtime)
			if err := meets(b, b.house.Sandbox(id)); !isProblem(err, problem.Unauthorized) {
				t.Errorf("the sandbox of another engine is answered with %v", err)
			}
			if _, err := b.store.Load(t.Context(), id); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("it is still stored: %v", err)
			}
			b.view(own) // the sandbox beside it goes on
		})
	}
}

// stuck is a store that cannot delete at first.
type stuck struct {
	store.Store

	fails *int
}

// Delete implements store.Store.
func (s stuck) Delete(ctx context.Context, sandboxID string) error {
	if *s.fails > 0 {
		*s.fails--
		return store.ErrFull
	}
	return s.Store.Delete(ctx, sandboxID)
}

// TestASandboxOfAnotherEngineIsDeletedLater tries again when its deletion failed,
// and does not take it for done.
func TestASandboxOfAnotherEngineIsDeletedLater(t *testing.T) {
	t.Parallel()
	b := open(t, func(inner store.Store) store.Store { return older{inner} })
	id := b.view(b.create(sim.Realtime)).SandboxID
	fails := 2
	b.reopen(func(inner store.Store) store.Store { return stuck{inner, &fails} })
	if _, err := b.house.Sandbox(id).View(t.Context(), 0); !isProblem(err, problem.Unavailable) {
		t.Errorf("while the storage is full it is answered with %v", err)
	}
	b.pass(lease - time.Minute)
	if b.house.Sweep(t.Context()); fails != 0 {
		t.Error("what is due there was taken for done")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel() // the client hung up
	if _, err := b.house.Sandbox(id).View(gone, 0); !isProblem(err, problem.Unauthorized) && !errors.Is(err, context.Canceled) {
		t.Errorf("whoever hung up is answered with %v", err)
	}
	if _, err := b.house.Sandbox(id).View(t.Context(), 0); !isProblem(err, problem.Unauthorized) {
		t.Errorf("it is answered with %v", err)
	}
	if _, err := b.store.Load(t.Context(), id); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("it is still stored: %v", err)
	}
}
