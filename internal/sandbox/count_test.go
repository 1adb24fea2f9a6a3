package sandbox_test

import (
	"context"
	"testing"
	"time"

	"platen/internal/sandbox"
	"platen/internal/store"
	"platen/internal/store/storetest"
)

// TestPlacesAreCountedRightAfterAFault: capacity of the bench is 10.
func TestPlacesAreCountedRightAfterAFault(t *testing.T) {
	t.Parallel()
	t.Run("creation", func(t *testing.T) {
		t.Parallel()
		fail := true
		b := open(t, func(inner store.Store) store.Store {
			return storetest.NewFaulty(inner, func(int) storetest.Fault {
				if fail {
					return storetest.AppliedButFailed
				}
				return storetest.NoFault
			})
		})
		for range 3 {
			if _, err := b.house.Create(t.Context(), sandbox.Creation{Preset: "starter"}); err == nil {
				t.Fatal("no fault")
			}
		}
		fail = false
		b.house.Sweep(t.Context())
		for range 12 {
			_, _ = b.house.Create(t.Context(), sandbox.Creation{Preset: "starter"})
		}
		if n, err := b.store.Count(t.Context()); err != nil || n != 10 {
			t.Errorf("%d sandboxes where 10 fit, %v", n, err)
		}
	})
	t.Run("deletion", func(t *testing.T) {
		t.Parallel()
		fail := false
		b := open(t, func(inner store.Store) store.Store {
			return storetest.NewFaulty(inner, func(int) storetest.Fault {
				if fail {
					return storetest.AppliedButFailed
				}
				return storetest.NoFault
			})
		})
		for range 10 {
			if _, err := b.house.Create(t.Context(), sandbox.Creation{Preset: "starter"}); err != nil {
				t.Fatal(err)
			}
		}
		b.pass(time.Hour)
		fail = true
		b.house.Sweep(context.Background())
		fail = false
		b.house.Sweep(context.Background())
		if n, err := b.store.Count(t.Context()); err != nil || n != 0 {
			t.Fatalf("%d sandboxes are left, %v", n, err)
		}
		if _, err := b.house.Create(t.Context(), sandbox.Creation{Preset: "starter"}); err != nil {
			t.Errorf("all sandboxes are deleted, and a creation answers %v", err)
		}
	})
}
