package sandbox_test

import (
	"context"
	"testing"

	"platen/internal/company/sim"
	"platen/internal/sandbox"
	"platen/internal/store"
)

// early is a store in which the scheduler of due sandboxes finds a new sandbox
// as soon as it is durable, before its creation is over.
type early struct {
	store.Store

	found func(id string)
}

// Commit implements store.Store.
func (e early) Commit(ctx context.Context, c store.Commit) error {
	err := e.Store.Commit(ctx, c)
	if c.Version == 1 {
		e.found(c.SandboxID)
	}
	return err
}

// TestANewSandboxHasOneWriter: a caller that finds it in the store writes to it
// in turn with the caller that created it.
func TestANewSandboxHasOneWriter(t *testing.T) {
	t.Parallel()
	var b *bench
	var met *sandbox.Sandbox
	b = open(t, func(inner store.Store) store.Store {
		return early{inner, func(id string) { met = b.registry.Sandbox(id) }}
	})
	made := b.create(sim.Manual)
	orders := b.received(made)
	for i, s := range []*sandbox.Sandbox{met, made, met} {
		if _, err := s.Do(t.Context(), accept("", orders[i])); err != nil {
			t.Errorf("writer %d: %v", i, err)
		}
	}
}
