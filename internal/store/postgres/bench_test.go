package postgres

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"platen/internal/store"
	"platen/internal/store/storetest"
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
			perSecond := storetest.PerSecond(b, committers, func(i, n int) error {
				return s.Commit(b.Context(), store.Commit{
					SandboxID: fmt.Sprint("s", i), Version: uint64(n + 2), Body: body,
				})
			})
			b.ReportMetric(perSecond, "commits/s")
		})
	}
}
