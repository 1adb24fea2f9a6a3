package sandbox_test

import (
	"sync"
	"testing"

	"platen/internal/sandbox"
	"platen/internal/store/storetest"
	"platen/internal/words/problem"
)

// TestASandboxThatIsDeletedIsGoneForGood, for its keys, in the store and after a
// restart; another one is not.
func TestASandboxThatIsDeletedIsGoneForGood(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	var both [2]sandbox.Created
	for i := range both {
		var err error
		if both[i], err = b.registry.Create(t.Context(), sandbox.Creation{Preset: "starter"}); err != nil {
			t.Fatal(err)
		}
	}
	deleted, other := both[0], both[1]
	if !b.works(deleted.OfficeKey) || !b.works(deleted.FactoryKey) {
		t.Fatal("the keys do not work to begin with")
	}
	s := b.registry.Sandbox(deleted.SandboxID)
	waiting := b.view(s).Changed()
	last, at, err := s.Delete(t.Context(), sandbox.Command{}, nil)
	if err != nil || last.SandboxID != deleted.SandboxID || last.Sequence == 0 || at.Time() != b.Now() {
		t.Fatalf("the last state is of %s, event %d, at %s: %v", last.SandboxID, last.Sequence, at, err)
	}
	<-waiting // the deletion wakes those who wait for events
	if _, err := s.View(t.Context()); !isProblem(err, problem.Unauthorized) {
		t.Errorf("who held the sandbox reads on: %v", err)
	}
	for range 2 {
		for _, key := range []string{deleted.OfficeKey, deleted.FactoryKey} {
			if b.works(key) {
				t.Error("a key still works")
			}
		}
		if _, err := b.registry.Sandbox(deleted.SandboxID).View(t.Context()); !isProblem(err, problem.Unauthorized) {
			t.Errorf("it can still be read: %v", err)
		}
		if _, _, err := b.registry.Sandbox(deleted.SandboxID).
			Delete(t.Context(), sandbox.Command{}, nil); !isProblem(err, problem.Unauthorized) {
			t.Errorf("it can be deleted again: %v", err)
		}
		if n, err := b.store.Count(t.Context()); n != 1 || err != nil {
			t.Errorf("the store has %d sandboxes, %v", n, err)
		}
		b.registry.Sweep(t.Context())
		if !b.works(other.OfficeKey) {
			t.Error("the other sandbox is gone too")
		}
		b.reopen(nil)
	}
}

// TestADeletionForgetsTheStatesThatWereForked: trainers fork and delete a company for each episode.
func TestADeletionForgetsTheStatesThatWereForked(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	for range 3 {
		created, err := b.registry.Create(t.Context(), sandbox.Creation{Preset: "starter"})
		if err != nil {
			t.Fatal(err)
		}
		s := b.registry.Sandbox(created.SandboxID)
		base, err := s.Base(t.Context(), sandbox.ForkPoint{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.registry.Fork(t.Context(), sandbox.Forking{Base: base}); err != nil {
			t.Fatal(err)
		}
		if kept := b.registry.KeptStates(); kept != 1 {
			t.Errorf("%d states are kept, want that of the fork", kept)
		}
		if _, _, err := s.Delete(t.Context(), sandbox.Command{}, nil); err != nil {
			t.Fatal(err)
		}
		if kept := b.registry.KeptStates(); kept != 0 {
			t.Errorf("%d states of a deleted sandbox are kept", kept)
		}
	}
}

// TestASandboxIsDeletedOnce however many ask at once.
func TestASandboxIsDeletedOnce(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	created, err := b.registry.Create(t.Context(), sandbox.Creation{Preset: "starter"})
	if err != nil {
		t.Fatal(err)
	}
	s := b.registry.Sandbox(created.SandboxID)
	errs := make([]error, 8)
	var asking sync.WaitGroup
	for i := range errs {
		asking.Go(func() { _, _, errs[i] = s.Delete(t.Context(), sandbox.Command{}, nil) })
	}
	asking.Wait()
	deleted := 0
	for _, err := range errs {
		switch {
		case err == nil:
			deleted++
		case !isProblem(err, problem.Unauthorized):
			t.Error(err)
		}
	}
	if deleted != 1 {
		t.Errorf("it was deleted %d times", deleted)
	}
}

// TestADeletionThatFailsCanBeRepeated breaks it in the store, with and without
// its effect.
func TestADeletionThatFailsCanBeRepeated(t *testing.T) {
	t.Parallel()
	for fault, stillThere := range map[storetest.Fault]bool{
		storetest.NotApplied: true, storetest.AppliedButFailed: false,
	} {
		b, broken := breakable(t, fault)
		created, err := b.registry.Create(t.Context(), sandbox.Creation{Preset: "starter"})
		if err != nil || !b.works(created.OfficeKey) {
			t.Fatal(err)
		}
		s := b.registry.Sandbox(created.SandboxID)
		*broken = true
		if _, _, err := s.Delete(t.Context(), sandbox.Command{}, nil); err == nil {
			t.Error("a deletion that failed is reported as done")
		}
		*broken = false
		_, err = s.View(t.Context())
		if got := err == nil; got != stillThere {
			t.Errorf("fault %v: the sandbox is there: %v, want %v (%v)", fault, got, stillThere, err)
		}
		if _, _, err = s.Delete(t.Context(), sandbox.Command{}, nil); stillThere != (err == nil) {
			t.Errorf("fault %v: a repetition: %v", fault, err)
		}
		if n, err := b.store.Count(t.Context()); n != 0 || err != nil {
			t.Errorf("%d sandboxes are left, %v", n, err)
		}
	}
}
