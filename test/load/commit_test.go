package load

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"platen/internal/store"
	"platen/internal/store/sqlite"
)

const commitBytes = 1024

// BenchmarkCommit compares durable commits of 1 KB to the built-in store with a raw log: what another format or
// engine could gain at most.
func BenchmarkCommit(b *testing.B) {
	for _, atOnce := range []int{1, 16, 256} {
		b.Run(fmt.Sprint("committers=", atOnce), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "platen.db")
			db, err := sqlite.Open(b.Context(), path)
			must(b, err)
			defer db.Close()
			raw, err := openRawLog(path + ".raw")
			must(b, err)
			defer raw.close()
			body := make([]byte, commitBytes)
			commitDuel(b, committing(b, atOnce, db), side{atOnce, 1, func(int) error { return raw.append(body) }})
		})
	}
}

// side is one kind of commits: how many calls there are at once, and how many commits a call is.
type side struct {
	atOnce, each int
	commit       func(caller int) error
}

// committing returns a side that commits to s, to one sandbox for each caller.
func committing(b *testing.B, atOnce int, s store.Store) side {
	b.Helper()
	versions, body := make([]uint64, atOnce), make([]byte, commitBytes)
	return side{atOnce, 1, func(i int) error {
		versions[i]++
		c := store.Commit{SandboxID: fmt.Sprint("committed-", i), Version: versions[i], Body: body}
		if c.Version == 1 {
			c.Header = &store.Sandbox{ID: c.SandboxID, DeleteAt: time.Now().Add(time.Hour).UTC()}
			c.Header.WakeAt = c.Header.DeleteAt
		}
		return s.Commit(b.Context(), c)
	}}
}

// commitDuel runs two sides in turns and reports how they compare.
func commitDuel(b *testing.B, ours, bare side) {
	b.Helper()
	ours.rate(b) // a warm-up
	bare.rate(b)
	var first, second []float64
	for b.Loop() {
		first, second = append(first, ours.rate(b)), append(second, bare.rate(b))
	}
	report(b, "rate/bare", quotients(first, second)...)
	report(b, "commits/s", first...)
}

// rate lets a side commit for a while and returns how many commits there were in a second.
func (s *side) rate(b *testing.B) float64 {
	b.Helper()
	counts, errs := make([]int, s.atOnce), make([]error, s.atOnce)
	var running sync.WaitGroup
	began := time.Now()
	for i := range s.atOnce {
		running.Go(func() {
			for errs[i] == nil && time.Since(began) < length() {
				errs[i] = s.commit(i)
				counts[i] += s.each
			}
		})
	}
	running.Wait()
	elapsed, total := time.Since(began), 0
	for _, n := range counts {
		total += n
	}
	must(b, errors.Join(errs...))
	return float64(total) / elapsed.Seconds()
}
