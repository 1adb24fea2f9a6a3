package storetest

import (
	"errors"
	"fmt"
	"sync"

	"platen/internal/store"
)

// forkOf is the commit that makes a sandbox from another one, whose newest version it
// copies is base.
func forkOf(id, parent string, base uint64) store.Commit {
	h := sandboxOf(id)
	return store.Commit{
		SandboxID: id, Version: base + 1, Body: bodyOf(id, base+1), Header: &h, Fork: &store.Fork{Parent: parent},
	}
}

// imageOfFork is the image of a sandbox after forkOf.
func imageOfFork(id, parent string, base uint64) store.Image {
	image := store.Image{Sandbox: sandboxOf(id), Snapshot: store.Snapshot{SandboxID: id}}
	for version := uint64(1); version <= base; version++ {
		image.Commits = append(image.Commits,
			store.Commit{SandboxID: id, Version: version, Body: bodyOf(parent, version)})
	}
	image.Commits = append(image.Commits, asRead(forkOf(id, parent, base)))
	return image
}

func forkBegins(f *fixture) {
	f.create("a", 5)
	f.save(store.Snapshot{SandboxID: "a", Version: 5, Body: []byte("of the parent alone")})
	for base := uint64(1); base <= 5; base++ {
		f.commit(forkOf(fmt.Sprint("fork ", base), "a", base))
	}
	kept := forkOf("kept", "a", 4)
	kept.Fork.Snapshot = &store.Snapshot{Version: 3, Body: []byte("at 3")}
	f.commit(kept)
	f.commit(forkOf("fork of a fork", "kept", 5))

	for range 2 {
		for base := uint64(1); base <= 5; base++ {
			f.wantImage(imageOfFork(fmt.Sprint("fork ", base), "a", base))
		}
		want := imageOfFork("kept", "a", 4)
		want.Snapshot = store.Snapshot{SandboxID: "kept", Version: 3, Body: []byte("at 3")}
		want.Commits = want.Commits[3:]
		f.wantImage(want)
		if image := f.load("fork of a fork"); len(image.Commits) != 6 || image.Snapshot.Version != 0 {
			f.Errorf("the fork of a fork has %d commits", len(image.Commits))
		}
		found, err := f.store.FindKey(f.Context(), sandboxOf("kept").FactoryKey)
		if err != nil || found.ID != "kept" {
			f.Errorf("its key finds %q, %v", found.ID, err)
		}
		f.wantCount(8)
		f.restart()
	}
}

// longForks are of a parent that is too long to be copied at once.
func longForks(f *fixture) {
	const newest = 450
	f.create("a", newest)
	taken := forkOf("taken", "a", 401)
	f.create("b", 1)
	taken.Header.OfficeKey = sandboxOf("b").OfficeKey
	for _, c := range []store.Commit{taken, forkOf("beyond", "a", newest+1), forkOf("b", "a", 401)} {
		f.wantError("a fork that is impossible", f.store.Commit(f.Context(), c), store.ErrConflict)
	}
	kept := forkOf("kept", "a", newest)
	kept.Fork.Snapshot = &store.Snapshot{Version: newest, Body: []byte("at 450")}
	f.commit(kept)
	for _, base := range []uint64{200, 201, 400, 401} {
		f.commit(forkOf(fmt.Sprint("fork ", base), "a", base))
	}
	f.commit(commitOf("kept", newest+2))
	f.remove("a")
	f.commit(commitOf("b", 2))
	for range 2 {
		for _, base := range []uint64{200, 201, 400, 401} {
			f.wantImage(imageOfFork(fmt.Sprint("fork ", base), "a", base))
		}
		f.wantCount(6)
		f.restart()
	}
}

func impossibleForks(f *fixture) {
	ctx := f.Context()
	f.create("a", 3)
	f.create("b", 1)
	f.create("gone", 3)
	f.remove("gone")
	taken := forkOf("c", "a", 2)
	taken.Header.OfficeKey = sandboxOf("b").OfficeKey
	bare := forkOf("c", "a", 2)
	bare.Header = nil
	unmet := forkOf("c", "a", 2)
	unmet.Records = []store.Write{{Rule: store.Take, Record: store.Record{Kind: "k", Key: "none"}}}
	for what, c := range map[string]store.Commit{
		"a version that the parent has not": forkOf("c", "a", 4),
		"no commit to copy":                 forkOf("c", "a", 0),
		"no parent":                         forkOf("c", "nobody", 1),
		"a parent that was deleted":         forkOf("c", "gone", 2),
		"an id that is used":                forkOf("b", "a", 2),
		"an id that was used":               forkOf("gone", "a", 2),
		"itself":                            forkOf("a", "a", 3),
		"a key of another sandbox":          taken,
		"no header":                         bare,
		"a broken rule":                     unmet,
	} {
		f.wantError(what, f.store.Commit(ctx, c), store.ErrConflict)
	}
	for what, s := range map[string]store.Snapshot{
		"a snapshot of its own commit": {Version: 3}, "a snapshot of no version": {},
		"a snapshot over the limit": {Version: 1, Body: make([]byte, store.MaxBody+1)},
	} {
		c := forkOf("c", "a", 2)
		c.Fork.Snapshot = &s
		if err := f.store.Commit(ctx, c); err == nil || errors.Is(err, store.ErrConflict) {
			f.Errorf("%s: %v", what, err)
		}
	}
	f.wantVersions("a", 3)
	f.wantVersions("b", 1)
	f.wantCount(2)
}

func forksShareNothing(f *fixture) {
	f.create("a", 3)
	f.commit(forkOf("b", "a", 3))
	f.commit(forkOf("c", "a", 2))
	f.commit(commitOf("a", 4))
	f.commit(commitOf("b", 5))
	f.save(store.Snapshot{SandboxID: "b", Version: 4, Body: []byte("of b")})
	f.wantVersions("a", 4)
	f.remove("c")
	f.wantVersions("a", 4)
	f.remove("a")
	f.wantGone("a")
	f.restart()
	want := imageOfFork("b", "a", 3)
	want.Snapshot = store.Snapshot{SandboxID: "b", Version: 4, Body: []byte("of b")}
	want.Commits = []store.Commit{asRead(commitOf("b", 5))}
	f.wantImage(want)
	f.wantCount(1)
}

// forkOfTheDeleted lets a deletion race with forks: each has all commits, or is not
// there.
func forkOfTheDeleted(f *fixture) {
	ctx := f.Context()
	const rounds, forks, newest = 4, 4, 40
	for round := range rounds {
		parent := fmt.Sprint("parent ", round)
		f.create(parent, newest)
		made := make([]error, forks)
		var running sync.WaitGroup
		for n := range forks {
			running.Go(func() {
				made[n] = f.store.Commit(ctx, forkOf(fmt.Sprint("fork ", round, n), parent, newest))
			})
		}
		running.Go(func() { f.remove(parent) })
		running.Wait()
		for n, err := range made {
			id := fmt.Sprint("fork ", round, n)
			switch {
			case err == nil:
				f.wantImage(imageOfFork(id, parent, newest))
			case errors.Is(err, store.ErrConflict):
				f.wantGone(id)
			default:
				f.Errorf("fork: %v", err)
			}
		}
	}
}
