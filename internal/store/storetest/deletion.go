package storetest

import (
	"fmt"
	"sync"
	"time"

	"platen/internal/store"
)

// farFuture is after every WakeAt of the suite.
var farFuture = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// wantGone checks that no method finds a sandbox.
func (f *fixture) wantGone(id string) {
	f.Helper()
	ctx := f.Context()
	_, err := f.store.Load(ctx, id)
	f.wantError("load deleted "+id, err, store.ErrNotFound)
	_, err = f.store.Commits(ctx, id, 1, 9)
	f.wantError("commits of deleted "+id, err, store.ErrNotFound)
	err = f.store.SaveSnapshot(ctx, snapshotOf(id, 1))
	f.wantError("snapshot of deleted "+id, err, store.ErrNotFound)
	deleted := sandboxOf(id)
	for _, key := range deleted.Keys() {
		_, err = f.store.FindKey(ctx, key)
		f.wantError("key of deleted "+id, err, store.ErrNotFound)
	}
	due, err := f.store.Due(ctx, farFuture, 1000)
	if err != nil {
		f.Fatalf("due: %v", err)
	}
	for _, h := range due {
		if h.ID == id {
			f.Errorf("deleted %q is listed as due", id)
		}
	}
}

func deletedIsGone(f *fixture) {
	f.create("a", 3)
	f.save(snapshotOf("a", 2))
	f.remove("a")
	f.wantGone("a")
	f.remove("a") // again is no error
	f.wantGone("a")
	f.restart()
	f.wantGone("a")
	f.wantCount(0)
}

func noResurrection(f *fixture) {
	f.create("a", 3)
	f.remove("a")
	check := func() {
		f.Helper()
		for version := uint64(1); version <= 5; version++ {
			c := commitOf("a", version)
			f.wantError(fmt.Sprintf("version %d of a deleted sandbox", version),
				f.store.Commit(f.Context(), c), store.ErrConflict)
			h := sandboxOf("a")
			c.Header = &h
			f.wantError(fmt.Sprintf("version %d of a deleted sandbox, with header", version),
				f.store.Commit(f.Context(), c), store.ErrConflict)
		}
		f.wantGone("a")
		f.wantCount(0)
	}
	check()
	f.restart()
	check()
}

// deletionHarmsNobodyElse deletes sandboxes while others commit.
func deletionHarmsNobodyElse(f *fixture) {
	const sandboxes, newest = 8, 40
	ctx := f.Context()
	for i := range sandboxes {
		f.create(fmt.Sprint("old", i), 20)
	}
	var running sync.WaitGroup
	for i := range sandboxes {
		running.Go(func() {
			if err := f.store.Delete(ctx, fmt.Sprint("old", i), store.Fence{}); err != nil {
				f.Errorf("delete: %v", err)
			}
		})
		running.Go(func() {
			for version := uint64(1); version <= newest; version++ {
				if err := f.store.Commit(ctx, commitOf(fmt.Sprint("new", i), version)); err != nil {
					f.Errorf("commit: %v", err)
					return
				}
			}
		})
	}
	running.Wait()
	f.wantCount(sandboxes)
	for range 2 {
		for i := range sandboxes {
			f.wantGone(fmt.Sprint("old", i))
			f.wantVersions(fmt.Sprint("new", i), newest)
		}
		f.restart()
	}
}
