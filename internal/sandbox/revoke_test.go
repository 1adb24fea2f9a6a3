package sandbox_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"platen/internal/company/sim"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/store"
	"platen/internal/store/storetest"
	"platen/internal/words/problem"
)

// works reports whether a key opens its sandbox.
func (b *bench) works(key string) bool {
	b.t.Helper()
	_, err := b.registry.Authenticate(b.t.Context(), key)
	if err != nil && refusal(err) != problem.Unauthorized {
		b.t.Fatal(err)
	}
	return err == nil
}

func TestARevokedKeyNeverWorksAgain(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	mode := sim.Mode("manual")
	created, err := b.registry.Create(t.Context(), sandbox.Creation{Preset: "starter", Clock: &mode})
	if err != nil {
		t.Fatal(err)
	}
	if !b.works(created.OfficeKey) || !b.works(created.FactoryKey) {
		t.Fatal("the keys do not work to begin with")
	}
	before := b.view(b.registry.Sandbox(created.SandboxID))
	for range 2 { // again does nothing
		if err := b.registry.Revoke(t.Context(), created.OfficeKey); err != nil {
			t.Fatal(err)
		}
	}
	after := b.view(b.registry.Sandbox(created.SandboxID))
	if after.Version != before.Version+1 || after.Sequence != before.Sequence {
		t.Errorf("revoking went from version %d to %d and from event %d to %d",
			before.Version, after.Version, before.Sequence, after.Sequence)
	}
	if b.works(created.OfficeKey) || !b.works(created.FactoryKey) {
		t.Error("the wrong key was revoked")
	}
	if _, err := b.registry.Remembered(created.OfficeKey); err == nil {
		t.Error("the key is remembered")
	}
	b.reopen(nil)
	if b.works(created.OfficeKey) || !b.works(created.FactoryKey) {
		t.Error("a restart brings the key back")
	}
	for _, key := range []string{"", "nonsense", "lab_off_" + created.FactoryKey[8:]} {
		if err := b.registry.Revoke(t.Context(), key); err != nil {
			t.Errorf("a key of nobody: %v", err)
		}
	}
}

// breakable opens a registry over a store whose writes have a fault while the switch
// is on.
func breakable(t *testing.T, fault storetest.Fault) (b *bench, broken *bool) {
	t.Helper()
	broken = new(bool)
	return open(t, func(inner store.Store) store.Store {
		return storetest.NewFaulty(inner, func(int) storetest.Fault {
			if *broken {
				return fault
			}
			return storetest.NoFault
		})
	}), broken
}

// TestARevocationThatFailsCanBeRepeated breaks the commit that takes the key
// away, with and without its effect.
func TestARevocationThatFailsCanBeRepeated(t *testing.T) {
	t.Parallel()
	for fault, stillWorks := range map[storetest.Fault]bool{
		storetest.NotApplied: true, storetest.AppliedButFailed: false,
	} {
		b, broken := breakable(t, fault)
		mode := sim.Mode("manual")
		created, err := b.registry.Create(t.Context(), sandbox.Creation{Preset: "starter", Clock: &mode})
		if err != nil || !b.works(created.OfficeKey) {
			t.Fatal(err)
		}
		*broken = true
		if err := b.registry.Revoke(t.Context(), created.OfficeKey); err == nil {
			t.Error("a revocation that may not be durable is said to be done")
		}
		*broken = false
		if got := b.works(created.OfficeKey); got != stillWorks {
			t.Errorf("fault %d: the key works: %t, in the store: %t", fault, got, stillWorks)
		}
		if err := b.registry.Revoke(t.Context(), created.OfficeKey); err != nil || b.works(created.OfficeKey) ||
			!b.works(created.FactoryKey) {
			t.Errorf("fault %d: repeated: %v", fault, err)
		}
	}
}

// lookUps counts the look-ups of keys in a store.
type lookUps struct {
	store.Store

	n *atomic.Int64
}

// FindKey implements store.Store.
func (l lookUps) FindKey(ctx context.Context, keys ...store.KeyHash) (store.Sandbox, error) {
	l.n.Add(1)
	return l.Store.FindKey(ctx, keys...)
}

// TestUnknownKeysCostOneLookUp, however many there are, and those of sandboxes are found among them.
func TestUnknownKeysCostOneLookUp(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	b := open(t, func(s store.Store) store.Store { return lookUps{s, &n} })
	var keys []string
	for range 14 {
		keys = append(keys, apikey.New(apikey.Office))
	}
	keys = append(keys, "lab_off_short", "")
	if existing, err := b.registry.Existing(t.Context(), keys); err != nil || len(existing) != 0 || n.Load() != 1 {
		t.Errorf("of unknown keys %d exist, %v, after %d look-ups", len(existing), err, n.Load())
	}
	var own []string
	for seed := range int64(2) {
		created, err := b.registry.Create(t.Context(), sandbox.Creation{Preset: "starter", Seed: &seed})
		if err != nil {
			t.Fatal(err)
		}
		own = append(own, created.OfficeKey, created.FactoryKey)
	}
	existing, err := b.registry.Existing(t.Context(), slices.Concat(keys, own))
	slices.Sort(existing)
	slices.Sort(own)
	if err != nil || !slices.Equal(existing, own) {
		t.Errorf("%d keys exist, %v, want the %d of both sandboxes", len(existing), err, len(own))
	}
}
