package load

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"platen/client"
	"platen/internal/server"
)

// BenchmarkMemory weighs a server without sandboxes, companies that a client uses, and sandboxes that nobody uses.
// --memory follows from them. All but the first are served in this process, whose heap can be read.
func BenchmarkMemory(b *testing.B) {
	b.Run("server", func(b *testing.B) {
		var own []float64
		for b.Loop() {
			p := setup{Database: filepath.Join(b.TempDir(), "platen.db")}.spawn(b)
			own = append(own, p.resident(b)/1e6)
			p.close(b)
		}
		report(b, "MB", own...)
	})
	for _, days := range []int{3, choose(6, 30)} {
		b.Run(fmt.Sprint("used/days=", days), func(b *testing.B) { weighUsed(b, days) })
	}
	b.Run("unused", weighUnused)
}

// weighUsed reports the heap that a company takes which a client plays, and that of its remembered requests.
func weighUsed(b *testing.B, days int) {
	const companies = 4
	srv := serveHere(b, "")
	address := srv.Addr().String()
	play(b, address, create(b, address, 1, client.ClockModeManual), 3) // fills what all companies share
	var heap, requests []float64
	for b.Loop() {
		before, use := heapBytes(), srv.Memory()
		sandboxes := create(b, address, companies, client.ClockModeManual)
		play(b, address, sandboxes, days)
		heap = append(heap, (heapBytes()-before)/1e3/companies)
		requests = append(requests, float64(srv.Memory().CallBytes-use.CallBytes)/1e3/companies)
	}
	report(b, "heap-KB", heap...)
	report(b, "requests-KB", requests...)
}

// weighUnused compares the heap with some and with many sandboxes whose clocks run, on a server whose memory for
// companies is full both times.
func weighUnused(b *testing.B) {
	const few, more = 400, 1000
	var heap []float64
	srv := serveHere(b, "64MiB")
	create(b, srv.Addr().String(), few, client.ClockModeRealtime)
	for b.Loop() {
		before, evicted := heapBytes(), srv.Memory().Evictions
		create(b, srv.Addr().String(), more, client.ClockModeRealtime)
		if evicted == 0 {
			b.Fatalf("%d companies are not more than there is memory for", few)
		}
		heap = append(heap, (heapBytes()-before)/1e3/more)
	}
	report(b, "heap-KB", heap...)
}

// serveHere starts a server in this process.
func serveHere(b *testing.B, memory string) *server.Server {
	b.Helper()
	srv, err := setup{Database: filepath.Join(b.TempDir(), "platen.db"), Memory: memory}.start(b.Context())
	must(b, err)
	b.Cleanup(func() { must(b, srv.Stop(context.WithoutCancel(b.Context()))) })
	return srv
}

// heapBytes returns the bytes of the heap after everything unused has been collected.
func heapBytes() float64 {
	var m runtime.MemStats
	for range 2 { // pools need a second collection
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
