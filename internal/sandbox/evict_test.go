package sandbox_test

import (
	"context"
	"testing"
	"time"

	"platen/internal/company/fault"
	"platen/internal/store"
)

// writes counts what is written to a store.
type writes struct {
	store.Store

	count int
}

// Commit implements store.Store.
func (w *writes) Commit(ctx context.Context, c store.Commit) error {
	w.count++
	return w.Store.Commit(ctx, c) //nolint:wrapcheck // as it is
}

// SaveSnapshot implements store.Store.
func (w *writes) SaveSnapshot(ctx context.Context, s store.Snapshot) error {
	w.count++
	return w.Store.SaveSnapshot(ctx, s) //nolint:wrapcheck // as it is
}

// TestACompanyThatIsOnlyReadIsEvictedAsItIs: what its client did before is stored once, and not again each time that
// the company comes into memory and leaves it.
func TestACompanyThatIsOnlyReadIsEvictedAsItIs(t *testing.T) {
	t.Parallel()
	w := &writes{}
	b := open(t, func(inner store.Store) store.Store { w.Store = inner; return w })
	s := b.disturbed(fault.Severe)
	b.observe(s, refused())
	meets(t, s, "/v1/office/customers")
	evict := func() {
		b.pass(6 * time.Minute / 4)
		b.view(s)
		b.pass(6 * time.Minute)
		b.registry.Sweep(t.Context())
		if s.Published() != nil {
			t.Fatal("the company is in memory still")
		}
	}
	evict()
	before := w.count
	for range 2 {
		evict()
	}
	if w.count != before {
		t.Errorf("two loads and evictions wrote %d times", w.count-before)
	}
	if before < 2 {
		t.Errorf("the first eviction wrote nothing of what the client did")
	}
}
