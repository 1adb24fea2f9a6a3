package postgres

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"platen/internal/store"
)

// racedVersions is how many versions of each sandbox two stores race for.
const racedVersions = 40

// Two processes commit to the same sandboxes. Each version is won by one of
// them, and both read the commits that were acknowledged.
func TestTwoStoresNeverDiverge(t *testing.T) {
	t.Parallel()
	const sandboxes = 8
	dsn := newSchema(t)
	stores := []*Store{openTest(t, dsn), openTest(t, dsn)}
	var mu sync.Mutex // guards winners
	winners := map[string]string{}
	var running sync.WaitGroup
	for i := range sandboxes {
		for process, s := range stores {
			running.Go(func() {
				id := fmt.Sprint("s", i)
				for version := uint64(1); version <= racedVersions; version++ {
					c := store.Commit{SandboxID: id, Version: version}
					c.Body = fmt.Appendf(nil, "%s, version %d by process %d", id, version, process)
					if version%8 == 1 {
						c.Header = &store.Sandbox{
							ID: id, OfficeKey: store.KeyHash{byte(i), byte(version), byte(process), 1},
							Network: string(c.Body),
						}
					}
					err := s.Commit(t.Context(), c)
					if err != nil && !errors.Is(err, store.ErrConflict) {
						t.Errorf("commit %d of %s: %v", version, id, err)
						return
					}
					if err == nil {
						mu.Lock()
						key := fmt.Sprint(id, " ", version)
						if winners[key] != "" {
							t.Errorf("%s was won twice", key)
						}
						winners[key] = string(c.Body)
						mu.Unlock()
					}
				}
			})
		}
	}
	running.Wait()
	for i := range sandboxes {
		for _, s := range stores {
			checkWinners(t, s, winners, fmt.Sprint("s", i))
		}
	}
	if keys := query[int](t, dsn, "SELECT count(*) FROM keys"); keys != sandboxes {
		t.Errorf("%d keys are owned, want the newest of each of the %d sandboxes", keys, sandboxes)
	}
}

func checkWinners(t *testing.T, s *Store, winners map[string]string, id string) {
	t.Helper()
	image, err := s.Load(t.Context(), id)
	if err != nil || len(image.Commits) != racedVersions {
		t.Errorf("%s loads with %d versions, %v, want %d", id, len(image.Commits), err, racedVersions)
	}
	header := ""
	for _, c := range image.Commits {
		won := winners[fmt.Sprint(id, " ", c.Version)]
		if string(c.Body) != won {
			t.Errorf("%s reads %q, the winner wrote %q", id, c.Body, won)
		}
		if c.Version%8 == 1 {
			header = won
		}
	}
	if image.Sandbox.Network != header {
		t.Errorf("%s has the header of %q, want that of %q", id, image.Sandbox.Network, header)
	}
	found, err := s.FindKey(t.Context(), image.Sandbox.OfficeKey)
	if err != nil || found.ID != id {
		t.Errorf("the key of %s finds %q, %v", id, found.ID, err)
	}
}

// An id or a key that two processes take in the same moment goes to one.
func TestIdsAndKeysGoToOneOfTwoStores(t *testing.T) {
	t.Parallel()
	const rounds = 60
	dsn := newSchema(t)
	stores := []*Store{openTest(t, dsn), openTest(t, dsn)}
	own := func(id string, round int, version uint64) store.Commit {
		c := commitOf(id, version, 10)
		c.Header = &store.Sandbox{ID: id, OfficeKey: store.KeyHash{9, byte(round)}}
		if round%2 == 1 { // of whatever kind
			c.Header.OfficeKey, c.Header.FactoryKey = c.Header.FactoryKey, c.Header.OfficeKey
		}
		return c
	}
	for process, s := range stores {
		if err := s.Commit(t.Context(), creation(fmt.Sprint("old", process))); err != nil {
			t.Fatalf("create: %v", err)
		}
	}
	versions := []uint64{2, 2}
	for round := range rounds {
		answers := make([]error, 4)
		var running sync.WaitGroup
		for process, s := range stores {
			running.Go(func() {
				answers[process] = s.Commit(t.Context(), creation(fmt.Sprint("new", round)))
			})
			running.Go(func() { // every third round against a creation
				c := own(fmt.Sprint("old", process), round, versions[process])
				if round%3 == 0 && process == 1 {
					c = creation(fmt.Sprint("fresh", round))
					c.Header.OfficeKey = store.KeyHash{9, byte(round)}
				}
				answers[2+process] = s.Commit(t.Context(), c)
				if answers[2+process] == nil && c.Version > 1 {
					versions[process]++
				}
			})
		}
		running.Wait()
		for what, pair := range map[string][]error{"id": answers[:2], "key": answers[2:]} {
			won := 0
			for _, err := range pair {
				if err == nil {
					won++
				} else if !errors.Is(err, store.ErrConflict) {
					t.Errorf("round %d, %s: %v", round, what, err)
				}
			}
			if won != 1 {
				t.Errorf("round %d: the %s went to %d of two", round, what, won)
			}
		}
	}
}
