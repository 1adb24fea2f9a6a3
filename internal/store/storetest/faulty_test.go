package storetest_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"platen/internal/store"
	"platen/internal/store/sqlite"
	"platen/internal/store/storetest"
)

// open opens a database with a sandbox "a" of one commit, and puts a plan
// before it.
func open(t *testing.T, plan storetest.Plan) (faulty *storetest.Faulty, inner store.Store) {
	t.Helper()
	inner = openSQLite(t)
	header := store.Sandbox{ID: "a"}
	if err := inner.Commit(t.Context(), store.Commit{SandboxID: "a", Version: 1, Header: &header}); err != nil {
		t.Fatalf("create: %v", err)
	}
	return storetest.NewFaulty(inner, plan), inner
}

func openSQLite(t *testing.T) store.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "platen.db"))
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func newest(ctx context.Context, t *testing.T, s store.Store) int {
	t.Helper()
	image, err := s.Load(ctx, "a")
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return len(image.Commits)
}

func TestPlannedFaultsHappenAsPlanned(t *testing.T) {
	t.Parallel()
	faulty, inner := open(t, storetest.At(map[int]storetest.Fault{
		1: storetest.NotApplied,
		3: storetest.AppliedButFailed,
	}))
	ctx := t.Context()
	for _, step := range []struct {
		version uint64
		want    error
		newest  int
	}{
		{2, storetest.ErrFault, 1},
		{2, nil, 2},
		{3, storetest.ErrFault, 3},
		{3, store.ErrConflict, 3},
		{4, nil, 4},
	} {
		err := faulty.Commit(ctx, store.Commit{SandboxID: "a", Version: step.version})
		if !errors.Is(err, step.want) {
			t.Errorf("commit %d: got %v, want %v", step.version, err, step.want)
		}
		if got := newest(ctx, t, inner); got != step.newest {
			t.Errorf("after commit %d: newest is %d, want %d", step.version, got, step.newest)
		}
	}
	if got := faulty.Calls(); got != 5 {
		t.Errorf("calls: got %d, want 5", got)
	}
}

func TestConflictIsNoFault(t *testing.T) {
	t.Parallel()
	for _, fault := range []storetest.Fault{storetest.AppliedButFailed, storetest.AcknowledgedEarly} {
		faulty, _ := open(t, storetest.Every(1, fault))
		err := faulty.Commit(t.Context(), store.Commit{SandboxID: "a", Version: 7})
		if !errors.Is(err, store.ErrConflict) {
			t.Errorf("fault %d: got %v, want a conflict", fault, err)
		}
	}
}

func TestEarlyAcknowledgementIsLostInACrash(t *testing.T) {
	t.Parallel()
	faulty, inner := open(t, storetest.Every(1, storetest.AcknowledgedEarly))
	ctx := t.Context()
	for version := uint64(2); version <= 4; version++ {
		if err := faulty.Commit(ctx, store.Commit{SandboxID: "a", Version: version}); err != nil {
			t.Fatalf("commit %d: %v", version, err)
		}
	}
	faulty.Crash()
	if _, err := faulty.Load(ctx, "a"); !errors.Is(err, storetest.ErrCrashed) {
		t.Errorf("load after the crash: got %v, want %v", err, storetest.ErrCrashed)
	}
	if err := faulty.Delete(ctx, "a", store.Fence{}); !errors.Is(err, storetest.ErrCrashed) {
		t.Errorf("delete after the crash: got %v, want %v", err, storetest.ErrCrashed)
	}
	if got := newest(ctx, t, inner); got != 3 {
		t.Errorf("after the crash: newest is %d, want 3", got)
	}
}

func TestEarlyAcknowledgementIsReadBackWithoutACrash(t *testing.T) {
	t.Parallel()
	faulty, inner := open(t, storetest.Every(1, storetest.AcknowledgedEarly))
	ctx := t.Context()
	body := []byte("first")
	if err := faulty.Commit(ctx, store.Commit{SandboxID: "a", Version: 2, Body: body}); err != nil {
		t.Fatalf("commit: %v", err)
	}
	copy(body, "later")
	if got := newest(ctx, t, inner); got != 1 {
		t.Errorf("inside: newest is %d, want 1", got)
	}
	if got := newest(ctx, t, faulty); got != 2 {
		t.Errorf("outside: newest is %d, want 2", got)
	}
	commits, err := inner.Commits(ctx, "a", 2, 2)
	if err != nil || len(commits) != 1 || string(commits[0].Body) != "first" {
		t.Errorf("commit 2: got %v, %v, want its body as it was given", commits, err)
	}
}

func TestFaultyWithoutFaultsPassesEverythingOn(t *testing.T) {
	t.Parallel()
	faulty, _ := open(t, storetest.At(nil))
	ctx := t.Context()
	key := store.KeyHash{1}
	header := store.Sandbox{ID: "b", OfficeKey: key}
	if err := faulty.Commit(ctx, store.Commit{SandboxID: "b", Version: 1, Header: &header}); err != nil {
		t.Errorf("commit: %v", err)
	}
	if err := faulty.SaveSnapshot(ctx, store.Snapshot{SandboxID: "b", Version: 1}); err != nil {
		t.Errorf("snapshot: %v", err)
	}
	if found, err := faulty.FindKey(ctx, key); err != nil || found.ID != "b" {
		t.Errorf("find key: got %q, %v, want b", found.ID, err)
	}
	if image, err := faulty.Load(ctx, "b"); err != nil || image.Snapshot.Version != 1 {
		t.Errorf("load: got snapshot %d, %v, want 1", image.Snapshot.Version, err)
	}
	if commits, err := faulty.Commits(ctx, "b", 1, 1); err != nil || len(commits) != 1 {
		t.Errorf("commits: got %d, %v, want 1", len(commits), err)
	}
	if err := faulty.Delete(ctx, "a", store.Fence{}); err != nil {
		t.Errorf("delete: %v", err)
	}
	if list, err := faulty.Due(ctx, time.Now(), 9); err != nil || len(list) != 1 {
		t.Errorf("due: got %d, %v, want 1", len(list), err)
	}
	if count, err := faulty.Count(ctx); err != nil || count != 1 {
		t.Errorf("count: got %d, %v, want 1", count, err)
	}
	if err := faulty.Ping(ctx); err != nil {
		t.Errorf("ping: %v", err)
	}
	if err := faulty.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if err := faulty.Ping(ctx); !errors.Is(err, store.ErrClosed) {
		t.Errorf("ping after close: got %v, want %v", err, store.ErrClosed)
	}
}
