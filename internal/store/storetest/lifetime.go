package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"platen/internal/store"
)

func reopenKeeps(f *fixture) {
	f.create("a", 4)
	f.save(snapshotOf("a", 2))
	f.create("b", 2)
	f.create("c", 1)
	f.remove("c")
	want := imageOf("a", 4)
	want.Snapshot = snapshotOf("a", 2)
	want.Commits = want.Commits[2:]
	for version := uint64(3); version <= 5; version++ {
		f.restart()
		f.wantImage(want)
		f.wantVersions("b", version-1)
		f.wantGone("c")
		f.wantCount(2)
		f.commit(commitOf("b", version))
	}
}

// everyCall runs each method that can fail once, on sandboxes of create.
func everyCall(ctx context.Context, s store.Store) map[string]error {
	_, commits := s.Commits(ctx, "a", 1, 9)
	_, load := s.Load(ctx, "a")
	_, findKey := s.FindKey(ctx, sandboxOf("a").OfficeKey)
	_, due := s.Due(ctx, farFuture, 9)
	_, count := s.Count(ctx)
	_, find := s.Find(ctx, "kind", "key")
	_, list := s.List(ctx, "kind")
	_, cleared := s.Clear(ctx, farFuture, 9)
	return map[string]error{
		"Commit":       s.Commit(ctx, commitOf("a", 3)),
		"Commits":      commits,
		"Load":         load,
		"SaveSnapshot": s.SaveSnapshot(ctx, snapshotOf("a", 2)),
		"FindKey":      findKey,
		"Due":          due,
		"Count":        count,
		"Delete":       s.Delete(ctx, "a", store.Fence{}),
		"Write":        s.Write(ctx, []store.Write{{Record: store.Record{Kind: "kind", Key: "key"}}}),
		"Find":         find,
		"List":         list,
		"Clear":        cleared,
		"Ping":         s.Ping(ctx),
	}
}

func endedContext(f *fixture) {
	f.create("a", 2)
	ctx, cancel := context.WithCancel(f.Context())
	cancel()
	for method, err := range everyCall(ctx, f.store) {
		f.wantError(method+" with an ended context", err, context.Canceled)
	}
	f.wantVersions("a", 2)
}

func closedRefuses(f *fixture) {
	f.create("a", 2)
	if err := f.store.Close(); err != nil {
		f.Fatalf("close: %v", err)
	}
	for method, err := range everyCall(f.Context(), f.store) {
		f.wantError(method+" of a closed store", err, store.ErrClosed)
	}
	f.open()
	f.wantVersions("a", 2)
}

// closeFinishes closes under load: acknowledged writes are kept, everything
// else was refused.
func closeFinishes(f *fixture) {
	const writers = 8
	ctx := f.Context()
	acknowledged := make([]uint64, writers)
	var running sync.WaitGroup
	var begun sync.WaitGroup
	begun.Add(writers)
	for i := range writers {
		running.Go(func() {
			begin := sync.OnceFunc(begun.Done)
			defer begin()
			for version := uint64(1); ; version++ {
				err := f.store.Commit(ctx, commitOf(fmt.Sprint("s", i), version))
				if errors.Is(err, store.ErrClosed) {
					return
				}
				if err != nil {
					f.Errorf("commit while closing: %v", err)
					return
				}
				acknowledged[i] = version
				begin()
			}
		})
	}
	begun.Wait()
	if err := f.store.Close(); err != nil {
		f.Errorf("close: %v", err)
	}
	running.Wait()
	f.open()
	for i, newest := range acknowledged {
		f.wantVersions(fmt.Sprint("s", i), newest)
	}
}

func closeTwice(f *fixture) {
	f.create("a", 1)
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			if err := f.store.Close(); err != nil {
				f.Errorf("close: %v", err)
			}
		})
	}
	running.Wait()
	if err := f.store.Close(); err != nil {
		f.Errorf("close again: %v", err)
	}
}

// closeLeavesNothing opens a store in a bubble, which panics when a goroutine
// begun in it outlives the function.
func closeLeavesNothing(t *testing.T, reopen Reopener) {
	synctest.Test(t, func(t *testing.T) {
		f := &fixture{T: t, reopen: reopen}
		f.open()
		f.create("a", 1)
		f.create("b", 1)
		f.load("a")
		f.remove("b")
		if err := f.store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}
