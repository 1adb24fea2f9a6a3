package load

import (
	"path/filepath"
	"testing"
	"time"

	"platen/client"
)

// BenchmarkLoad times the first request of each company to a server that has just begun: after a crash, which
// leaves commits to replay, and after an orderly end, which leaves snapshots as an eviction does. A server with too
// little --memory pays the latter again and again.
func BenchmarkLoad(b *testing.B) {
	const companies, days = 16, 15
	s := setup{Database: filepath.Join(b.TempDir(), "platen.db")}
	before := s.spawn(b)
	sandboxes := create(b, before.address, companies, client.ClockModeManual)
	play(b, before.address, sandboxes, choose(3, days))
	before.kill(b)
	for _, after := range []struct {
		name string
		end  func(*process, *testing.B)
	}{{"after=crash", (*process).kill}, {"after=close", (*process).close}} {
		b.Run(after.name, func(b *testing.B) {
			p := s.spawn(b)
			readEach(b, p, sandboxes) // so that the database is as this end leaves it
			after.end(p, b)
			var first, second []float64
			for b.Loop() {
				p := s.spawn(b)
				first = append(first, readEach(b, p, sandboxes)...)
				second = append(second, readEach(b, p, sandboxes)...)
				after.end(p, b)
			}
			report(b, "first-ms", first...)
			report(b, "first-ms-p99", percentile(first, 99))
			report(b, "next-ms", second...)
		})
	}
}

// readEach asks each sandbox for its cash, one after the other, and returns the times in milliseconds.
func readEach(b *testing.B, p *process, sandboxes []*client.Sandbox) (times []float64) {
	b.Helper()
	for _, s := range sandboxes {
		c := client.New("http://"+p.address, s.Keys())
		began := time.Now()
		_, err := c.GetCash(b.Context())
		must(b, err)
		times = append(times, 1e3*time.Since(began).Seconds())
	}
	return times
}
