package storetest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// PerSecond does b.N steps with several committers, the n-th of committer i
// with (i, n), and returns how many it did in a second.
func PerSecond(b *testing.B, committers int, step func(i, n int) error) float64 {
	var left atomic.Int64
	left.Store(int64(b.N))
	var running sync.WaitGroup
	begun := time.Now()
	for i := range committers {
		running.Go(func() {
			for n := 0; left.Add(-1) >= 0; n++ {
				if err := step(i, n); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
	return float64(b.N) / time.Since(begun).Seconds()
}
