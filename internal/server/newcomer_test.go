package server

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pires/go-proxyproto"
)

// TestABlockWithFewConnectionsDoesNotWait is the proof of OPEN.CONN.RESERVE. 44 blocks open twice as many connections
// as there are places, and half a request comes on each.
func TestABlockWithFewConnectionsDoesNotWait(t *testing.T) {
	t.Parallel()
	const total, blocks, each = 1000, 44, 46
	synctest.Test(t, func(t *testing.T) {
		limits, reasons := groupLimits(t, total), map[string]int{}
		limits.ended = func(reason string) { reasons[reason]++ }
		l := bubble(t, limits)
		flood := make([]net.Conn, 0, blocks*each)
		for i := range blocks * each {
			c := l.connectFrom(fmt.Sprintf("2a02:%x::1", i%blocks+1))
			flood = append(flood, c)
			go io.WriteString(c, "GET /v1/nothing HTTP/1.1\r\n") // it ends with the connection
		}
		synctest.Wait()
		began := time.Now()
		few := l.connectFrom("203.0.113.1")
		asks(t, few)
		if took := time.Since(began); took != 0 {
			t.Errorf("a client of a block with one connection waits for %s", took)
		}
		// 900 have places, 1,000 wait, and the others are closed: each was of a block of which most waited.
		if n := reasons[blockFull]; n != blocks*each-900-total || len(reasons) != 1 {
			t.Errorf("connections were closed for the reasons %v", reasons)
		}
		// Those that wait have their turn once others make no progress.
		<-time.After(stuckTime + stuckTime/10)
		synctest.Wait()
		if n := reasons[requestCut]; n != 900 {
			t.Errorf("%d requests that do not arrive gave way, want 900", n)
		}
		asks(t, few)
		for _, c := range append(flood, few) {
			c.Close()
		}
	})
}

// TestTheBlockWithFewestConnectionsIsNext lets newcomers of two blocks wait, the one with many first.
func TestTheBlockWithFewestConnectionsIsNext(t *testing.T) {
	t.Parallel()
	const total = 20
	synctest.Test(t, func(t *testing.T) {
		l := bubble(t, groupLimits(t, total))
		busy := make([]net.Conn, total)
		for i := range busy { // their clients do not read yet
			busy[i] = l.connectFrom(fmt.Sprintf("198.51.%d.1", i/2))
			io.WriteString(busy[i], "GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
		}
		served := make(chan string, 3)
		var clients sync.WaitGroup
		for _, address := range []string{"198.51.0.1", "198.51.1.1", "203.0.113.1"} {
			c := l.connectFrom(address)
			t.Cleanup(func() { c.Close() })
			clients.Go(func() {
				io.WriteString(c, "GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n") // until the server reads it
				served <- address
				over(t, c).receive(http.MethodGet) // until then its place is nobody else's
			})
			synctest.Wait()
		}
		over(t, busy[total-1]).receive(http.MethodGet)
		if first := <-served; first != "203.0.113.1" {
			t.Errorf("the place goes to %s, of a block with two others", first)
		}
		for _, c := range busy {
			c.Close()
		}
		clients.Wait()
	})
}

// TestAConnectionWithoutAnAddressKeepsNobodyWaiting: with the PROXY protocol the address comes with the first bytes.
func TestAConnectionWithoutAnAddressKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	const total = 10
	synctest.Test(t, func(t *testing.T) {
		limits, reasons := groupLimits(t, total), map[string]int{}
		limits.late = true
		limits.ended = func(reason string) { reasons[reason]++ }
		inner := newPipes()
		l := limitConnections(&proxyproto.Listener{Listener: inner, ReadHeaderTimeout: headerTimeout}, limits)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					io.WriteString(c, "served")
					c.Close()
				}()
			}
		}()
		silent := make([]net.Conn, 2*total)
		for i := range silent {
			silent[i] = inner.connectFrom("192.0.2.1")
		}
		began := time.Now()
		c := inner.connect()
		go io.WriteString(c, "PROXY TCP4 198.51.100.1 10.0.0.1 4711 8080\r\n")
		if text, err := io.ReadAll(c); string(text) != "served" || err != nil {
			t.Errorf("got %q, %v", text, err)
		}
		if took := time.Since(began); took > stuckTime {
			t.Errorf("a client waits for %s behind connections that send no address", took)
		}
		if reasons[requestCut] < total-1 || len(reasons) != 1 {
			t.Errorf("connections were closed for the reasons %v", reasons)
		}
		l.Close()
		<-done
		for _, c := range silent {
			c.Close()
		}
		synctest.Wait()
		if len(l.shares) > 0 {
			t.Errorf("connections that are closed count for %v", l.shares)
		}
	})
}

// TestOnlyBlocksWithFewConnectionsComeInWhileTheProcessorsAreBusy: the others wait, though there are places.
func TestOnlyBlocksWithFewConnectionsComeInWhileTheProcessorsAreBusy(t *testing.T) {
	t.Parallel()
	const total, many = 1000, 7 // a block has few up to 7
	synctest.Test(t, func(t *testing.T) {
		limits := groupLimits(t, total)
		var free atomic.Bool
		limits.busy = func(int) bool { return !free.Load() }
		l := bubble(t, limits)
		all := make([]net.Conn, many)
		for i := range all {
			all[i] = l.connectFrom("198.51.100.1")
			asks(t, all[i])
		}
		eighth, other := l.connectFrom("198.51.100.1"), l.connectFrom("203.0.113.1")
		served := make(chan struct{})
		go func() {
			defer close(served)
			asks(t, eighth)
		}()
		asks(t, other)
		<-time.After(time.Minute)
		if closed(served) {
			t.Error("a block with many gets one more while the processors are busy")
		}
		free.Store(true)
		<-served
		for _, c := range slices.Concat(all, []net.Conn{eighth, other}) {
			c.Close()
		}
	})
}

// TestProcessorsAreBusyWithManyGoroutines keeps them busy until more are ready to run than they get through.
func TestProcessorsAreBusyWithManyGoroutines(t *testing.T) {
	t.Parallel()
	var stop atomic.Bool
	for range 4 * busyEach * runtime.GOMAXPROCS(0) {
		go func() {
			for !stop.Load() {
				runtime.Gosched()
			}
		}()
	}
	defer stop.Store(true)
	for !processorsBusy(0) {
		runtime.Gosched() // some have not begun
	}
}
