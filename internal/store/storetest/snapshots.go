package storetest

import (
	"math"
	"sync"

	"platen/internal/store"
)

func snapshotOf(id string, version uint64) store.Snapshot {
	return store.Snapshot{SandboxID: id, Version: version, Body: []byte("snapshot of " + id)}
}

func loadAfterSnapshot(f *fixture) {
	f.create("a", 5)
	f.create("b", 2)
	want := imageOf("a", 5)
	all := want.Commits
	for _, version := range []uint64{1, 3, 5} {
		f.save(snapshotOf("a", version))
		want.Snapshot = snapshotOf("a", version)
		want.Commits = all[version:]
		f.wantImage(want)
	}
	got, err := f.store.Commits(f.Context(), "a", 1, 5)
	if err != nil {
		f.Fatalf("commits: %v", err)
	}
	f.same("commits behind a snapshot", got, all)
	f.wantVersions("b", 2)
}

// loadIsConsistent loads while one writer commits and snapshots: whatever the
// moment, a snapshot is followed by exactly the versions after it.
func loadIsConsistent(f *fixture) {
	const newest = 200
	ctx := f.Context()
	f.create("a", 1)
	var writing sync.WaitGroup
	done := make(chan struct{})
	writing.Go(func() {
		defer close(done)
		for version := uint64(2); version <= newest; version++ {
			if err := f.store.Commit(ctx, commitOf("a", version)); err != nil {
				f.Errorf("commit %d: %v", version, err)
				return
			}
			if version%7 == 0 {
				if err := f.store.SaveSnapshot(ctx, snapshotOf("a", version)); err != nil {
					f.Errorf("snapshot %d: %v", version, err)
				}
			}
		}
	})
	defer writing.Wait()
	last := uint64(0)
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true // and look once more
		default:
		}
		image := f.load("a")
		next := image.Snapshot.Version
		for _, c := range image.Commits {
			if next++; c.Version != next {
				f.Fatalf("snapshot %d is followed by version %d, want %d", image.Snapshot.Version, c.Version, next)
			}
		}
		if next < last {
			f.Fatalf("loaded version %d after %d", next, last)
		}
		last = next
	}
	if last != newest && !f.Failed() {
		f.Errorf("newest version is %d, want %d", last, newest)
	}
}

func olderSnapshot(f *fixture) {
	f.create("a", 4)
	f.save(snapshotOf("a", 3))
	older := snapshotOf("a", 2)
	older.Body = []byte("older")
	f.save(older)
	want := imageOf("a", 4)
	want.Snapshot = snapshotOf("a", 3)
	want.Commits = want.Commits[3:]
	f.wantImage(want)

	// The same version again is not older: a newer engine may write it anew.
	again := snapshotOf("a", 3)
	again.Body = []byte("again")
	f.save(again)
	want.Snapshot = again
	f.wantImage(want)
}

func snapshotNeedsCommit(f *fixture) {
	f.create("a", 2)
	for _, version := range []uint64{0, 3, math.MaxInt64, math.MaxUint64} {
		err := f.store.SaveSnapshot(f.Context(), snapshotOf("a", version))
		f.wantError("snapshot of a version that is not committed", err, store.ErrConflict)
	}
	f.wantVersions("a", 2)
}
