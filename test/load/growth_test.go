package load

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"platen/client"
)

// BenchmarkGrowth fills a server up to 10,000 sandboxes, and another one with more than its memory holds. At each
// size it reports the creations that led there, reads of any sandbox, and the memory of the process: whether the server
// stays as fast, and within --memory.
func BenchmarkGrowth(b *testing.B) {
	for _, server := range []struct {
		name, memory string
		sizes        []int
	}{
		{"memory=default", "", []int{100, choose(500, 10_000)}},
		{"memory=300MiB", "300MiB", []int{choose(1000, 4000)}},
	} {
		b.Run(server.name, func(b *testing.B) {
			p := setup{Database: filepath.Join(b.TempDir(), "platen.db"), Memory: server.memory}.spawn(b)
			var keys []string
			for _, size := range server.sizes {
				b.Run(fmt.Sprint("sandboxes=", size), func(b *testing.B) { keys = grow(b, p, keys, size) })
			}
		})
	}
}

// grow creates sandboxes until there are so many, and hammers them. It returns all keys.
func grow(b *testing.B, p *process, keys []string, size int) []string {
	b.Helper()
	before, more := p.cpu(b), size-len(keys)
	made, seconds := createTimed(b, p.address, more, client.ClockModeManual)
	creationCPU := (p.cpu(b) - before) / float64(more)
	for _, s := range made {
		keys = append(keys, s.OfficeKey)
	}
	var lists, feeds []float64
	for b.Loop() {
		lists = append(lists, anywhere(p, listPath, keys).run(b).rate)
		feeds = append(feeds, anywhere(p, "/v1/events?limit=100", keys).run(b).rate)
	}
	report(b, "lists/s", lists...)
	report(b, "feeds/s", feeds...)
	report(b, "creation-ms-p99", 1e3*percentile(seconds, 99))
	report(b, "creation-cpu-ms", 1e3*creationCPU)
	report(b, "server-MB", p.resident(b)/1e6)
	return keys
}

// anywhere hammers with a GET of a path, each time in another sandbox, far from the last.
func anywhere(p *process, path string, keys []string) *hammer {
	return &hammer{p, connections, http.StatusOK, func(connection, n int) []byte {
		return getRequest(p, path, keyOf(keys, connection, n))
	}}
}

// keyOf returns a key far from that of the request before.
func keyOf(keys []string, connection, n int) string {
	const stride, apart = 7919, 104_729 // primes
	return keys[(connection*apart+n*stride)%len(keys)]
}
