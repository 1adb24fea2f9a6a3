package postgres

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"platen/internal/store"
)

// BenchmarkCommit counts durable commits of 1 KB.
func BenchmarkCommit(b *testing.B) {
	for _, committers := range []int{1, 16, 64, 256} {
		b.Run(fmt.Sprint("committers=", committers), func(b *testing.B) {
			s := openTest(b, newSchema(b))
			for i := range committers {
				if err := s.Commit(b.Context(), creation(fmt.Sprint("s", i))); err != nil {
					b.Fatal(err)
				}
			}
			body := make([]byte, 1024)
			random := rand.NewChaCha8([32]byte{})
			random.Read(body)
			var left atomic.Int64
			left.Store(int64(b.N))
			var running sync.WaitGroup
			begun := time.Now()
			for i := range committers {
				running.Go(func() {
					for n := 0; left.Add(-1) >= 0; n++ {
						c := store.Commit{SandboxID: fmt.Sprint("s", i), Version: uint64(n + 2), Body: body}
						if err := s.Commit(b.Context(), c); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			running.Wait()
			b.ReportMetric(float64(b.N)/time.Since(begun).Seconds(), "commits/s")
		})
	}
}
