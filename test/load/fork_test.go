package load

import (
	"path/filepath"
	"testing"
	"time"

	"platen/client"
)

// BenchmarkFork forks an old company at a checkpoint again and again, over HTTP. A test suite with a fork for each test
// waits so long before each; db-KB is the disk for one.
func BenchmarkFork(b *testing.B) {
	const days, forksARound = 30, 100
	s := setup{Database: filepath.Join(b.TempDir(), "platen.db")}
	platen := s.spawn(b)
	sandboxes := create(b, platen.address, 1, client.ClockModeManual)
	play(b, platen.address, sandboxes, choose(3, days))
	c := sandboxes[0].Client()
	checkpoint, err := c.CreateCheckpoint(b.Context(), client.CreateCheckpointInput{Label: "forked"})
	must(b, err)
	var times []float64
	size := fileBytes(s.Database)
	for b.Loop() {
		for range forksARound {
			began := time.Now()
			_, err := c.ForkSandbox(b.Context(), client.ForkSandboxInput{Checkpoint: &checkpoint.ID})
			must(b, err)
			times = append(times, 1e3*time.Since(began).Seconds())
		}
	}
	report(b, "ms", times...)
	report(b, "ms-p99", percentile(times, 99))
	report(b, "db-KB", (fileBytes(s.Database)-size)/1e3/float64(len(times)))
}
