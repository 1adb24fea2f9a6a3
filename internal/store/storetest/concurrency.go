package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"platen/internal/store"
)

// oneWriterWins lets several writers race for each version of each sandbox. A
// loser goes on with the next version, as one does that has loaded again.
func oneWriterWins(f *fixture) {
	const sandboxes, writers, newest = 6, 4, 25
	ctx := f.Context()
	var mu sync.Mutex              // guards winners
	winners := map[string]string{} // by sandbox and version
	var running sync.WaitGroup
	for i := range sandboxes {
		for w := range writers {
			running.Go(func() {
				id := fmt.Sprint("s", i)
				for version := uint64(1); version <= newest; version++ {
					c := commitOf(id, version)
					c.Body = fmt.Appendf(nil, "version %d by writer %d", version, w)
					err := f.store.Commit(ctx, c)
					if err != nil && !errors.Is(err, store.ErrConflict) {
						f.Errorf("commit %d of %s: %v", version, id, err)
						return
					}
					if err == nil {
						mu.Lock()
						key := fmt.Sprint(id, " ", version)
						if first := winners[key]; first != "" {
							f.Errorf("%s was won twice: %q and %q", key, first, c.Body)
						}
						winners[key] = string(c.Body)
						mu.Unlock()
					}
				}
			})
		}
	}
	running.Wait()
	for range 2 {
		f.wantCount(sandboxes)
		for i := range sandboxes {
			id := fmt.Sprint("s", i)
			commits := f.load(id).Commits
			if len(commits) != newest {
				f.Errorf("%s has %d versions, want %d", id, len(commits), newest)
			}
			for _, c := range commits {
				f.same("body of the winner", string(c.Body), winners[fmt.Sprint(id, " ", c.Version)])
			}
		}
		f.restart()
	}
}

// conflictHarmsNobodyElse mixes commits of all the ways to conflict into
// groups of good ones.
func conflictHarmsNobodyElse(f *fixture) {
	const newest = 50
	ctx := f.Context()
	f.create("good", 1)
	f.create("stale", 2)
	var running sync.WaitGroup
	running.Go(func() {
		for version := uint64(2); version <= newest; version++ {
			if err := f.store.Commit(ctx, commitOf("good", version)); err != nil {
				f.Errorf("good commit %d: %v", version, err)
				return
			}
		}
	})
	taken := sandboxOf("taken")
	taken.OfficeKey = sandboxOf("good").OfficeKey
	future := commitOf("stale", 9)
	future.Header = commitOf("stale", 1).Header
	for _, bad := range []store.Commit{
		commitOf("stale", 1), commitOf("stale", 2), future, commitOf("nowhere", 2),
		{SandboxID: "taken", Version: 1, Header: &taken},
	} {
		running.Go(func() {
			for range newest {
				if err := f.store.Commit(ctx, bad); !errors.Is(err, store.ErrConflict) {
					f.Errorf("commit %d of %s: got %v, want a conflict", bad.Version, bad.SandboxID, err)
				}
			}
		})
	}
	running.Wait()
	f.wantVersions("good", newest)
	f.wantVersions("stale", 2)
	f.wantCount(2)
}

// cancelledCommits ends contexts at any moment of a commit. A result that is
// nil or a conflict must be the truth; any other leaves the outcome open.
func cancelledCommits(f *fixture) {
	const sandboxes, newest = 8, 30
	var running sync.WaitGroup
	acknowledged := make([]uint64, sandboxes)
	for i := range sandboxes {
		running.Go(func() {
			id := fmt.Sprint("s", i)
			for version := uint64(1); version <= newest; version++ {
				ctx, cancel := context.WithCancel(f.Context())
				go cancel()
				err := f.store.Commit(ctx, commitOf(id, version))
				cancel()
				if err != nil {
					err = f.store.Commit(f.Context(), commitOf(id, version))
				}
				if err != nil && !errors.Is(err, store.ErrConflict) {
					f.Errorf("commit %d of %s: %v", version, id, err)
					return
				}
				acknowledged[i] = version
			}
		})
	}
	running.Wait()
	for i, newest := range acknowledged {
		f.wantVersions(fmt.Sprint("s", i), newest)
	}
}
