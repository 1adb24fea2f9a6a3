package server

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/config"
	"platen/internal/mcp"
)

// inMemory runs a whole server in a bubble, where a wait takes no time.
func inMemory(t *testing.T, log slog.Handler, change ...func(*config.Config)) *pipes {
	t.Helper()
	l := newPipes()
	t.Cleanup(func() { <-time.After(time.Second) }) // connections that were closed for a body linger
	s := unstarted(t, log, change...)
	s.Use(Net{Listen: func(context.Context, string, string) (net.Listener, error) { return l, nil }})
	s.site = shared().site
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l
}

// half sends a request of whose body one byte arrives.
func (c *client) half(line string, headers ...string) {
	c.t.Helper()
	c.send(line + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + strings.Join(headers, "") +
		"Content-Length: 60000\r\n\r\n{")
}

// TestAResponseDoesNotWaitForABodyThatNobodyReads is the proof of
// OPEN.CONN.UNREAD. The response
// comes and the connection ends before the rest of the body could, whatever is asked for.
func TestAResponseDoesNotWaitForABodyThatNobodyReads(t *testing.T) {
	t.Parallel()
	shared()
	const agents = "Accept: application/json, text/event-stream\r\n"
	const wrongKey = "Authorization: Bearer platen_hq_00000000000000000000000000000000\r\n"
	for name, q := range map[string]struct {
		line    string
		headers string
		status  int
	}{
		"no key":                 {"POST /v1/sandbox/tick", "", 401},
		"a key that works not":   {"POST /v1/sandbox/tick", wrongKey, 401},
		"no route":               {"POST /v1/nothing", "", 404},
		"no method":              {"PATCH /v1/sandboxes", "", 405},
		"too large":              {"POST /v1/sandboxes", "", 413},
		"a read":                 {"GET /v1/sandbox", "", 401},
		"a preflight":            {"OPTIONS /v1/sandbox", "", 401},
		"a path that is unclean": {"POST /v1//sandbox", "", 400},
		"health":                 {"POST /healthz", "", 404},
		"health, read":           {"GET /healthz", "", 200},
		"a page":                 {"GET /", "", 200},
		"a page, written":        {"POST /docs/", "", 405},
		"the console's routes":   {"GET /v1/console/state", "", 404},
		"agents, no Accept":      {"POST /mcp", "", 406},
		"agents, a read":         {"GET /mcp", agents, 405},
		"agents, a wrong key":    {"POST /mcp", agents + wrongKey, 401},
		"agents, no session":     {"POST /mcp", agents + "Mcp-Session-Id: 0\r\n", 404},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := inMemory(t, slog.DiscardHandler)
				c := over(t, l.connectFrom("198.51.100.1"))
				began := time.Now()
				c.half(q.line, q.headers)
				a := c.receive(http.MethodGet)
				if took := time.Since(began); a.status != q.status || took > bodyGrace || !a.closes {
					t.Errorf("%d after %s, closing %t: want %d at once", a.status, took, a.closes, q.status)
				}
				c.ends()
				if took := time.Since(began); took > time.Second {
					t.Errorf("the connection is held for %s", took)
				}
			})
		})
	}
}

// TestNetworksThatAreRefusedHoldNothing: by their budgets, and by a ban.
func TestNetworksThatAreRefusedHoldNothing(t *testing.T) {
	t.Parallel()
	shared()
	synctest.Test(t, func(t *testing.T) {
		l := inMemory(t, slog.DiscardHandler, func(c *config.Config) { c.AnonymousRate, c.PageRate = 1, 1 })
		const agents = "Accept: application/json, text/event-stream\r\n"
		ask := func(line string) int {
			t.Helper()
			c := over(t, l.connectFrom("198.51.100.1"))
			began := time.Now()
			c.half(line, agents)
			status := c.receive(http.MethodGet).status
			if took := time.Since(began); took > bodyGrace {
				t.Errorf("%s: %d after %s", line, status, took)
			}
			c.ends()
			return status
		}
		lines := []string{"POST /v1/sandboxes", "GET /v1/sandbox", "POST " + mcp.Path, "GET /docs/", "POST /"}
		ask("GET /v1/nothing")
		ask("GET /")
		for _, line := range lines {
			if got := ask(line); got != http.StatusTooManyRequests {
				t.Errorf("%s of a network without a budget: %d", line, got)
			}
		}
		asked := over(t, l.connectFrom("198.51.100.1"))
		for range banRefusals {
			asked.send("GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
			asked.receive(http.MethodGet)
		}
		asked.Close()
		for _, line := range lines {
			if got := ask(line); got != http.StatusForbidden {
				t.Errorf("%s of a banned network: %d", line, got)
			}
		}
	})
}

// TestAConnectionGoesOnAfterABodyThatNobodyReads when all of it has come, or comes with the next packet.
func TestAConnectionGoesOnAfterABodyThatNobodyReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := bubble(t, connectionLimits{total: 10})
		c := over(t, l.connect())
		for range 3 {
			c.send("POST /v1/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n")
			go io.WriteString(c, "{  }")
			if a := c.receive(http.MethodPost); a.status != http.StatusNotFound || a.closes {
				t.Errorf("%d, closing %t", a.status, a.closes)
			}
		}
		c.Close()
	})
}

// TestTheRequestThatHasBeenComingLongestGivesWay is the proof of OPEN.CONN.INCOMPLETE. Halves of headers
// and of bodies keep no newcomer out, and no request that has come whole is cut off.
func TestTheRequestThatHasBeenComingLongestGivesWay(t *testing.T) {
	t.Parallel()
	const total = 100
	for name, begin := range map[string]string{
		"headers": "POST /v1/sandboxes HTTP/1.1\r\n",
		"bodies": "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
			"Content-Length: 30\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var ended []string
				full := 0
				limits := groupLimits(t, total)
				limits.ended = func(reason string) { ended = append(ended, reason) }
				limits.full = func(string) { full++ }
				l := bubble(t, limits)
				halves := make([]net.Conn, total)
				for i := range halves {
					halves[i] = l.connectFrom(fmt.Sprintf("198.51.%d.1", i))
					io.WriteString(halves[i], begin)
					synctest.Wait()
				}
				began := time.Now()
				for i := range 3 {
					newcomer := l.connectFrom(fmt.Sprintf("203.0.113.%d", i))
					asks(t, newcomer)
					newcomer.Close()
					synctest.Wait()
				}
				if took := time.Since(began); took > stuckTime {
					t.Errorf("newcomers wait for %s", took)
				}
				// A newcomer that has left leaves its place to the next one.
				if want := []string{requestCut}; !slices.Equal(ended, want) || full != 1 {
					t.Errorf("closed for %v, want %v; full %d times", ended, want, full)
				}
				first := over(t, halves[0])
				b, err := io.ReadAll(first)
				if err != nil || name == "bodies" && !strings.Contains(string(b), "request_timeout") {
					t.Errorf("the one that came first reads %q, %v", b, err)
				}
				if n := standing(t, halves); n != total-1 {
					t.Errorf("%d of %d stand", n, total)
				}
				for _, c := range halves {
					c.Close()
				}
			})
		})
	}
}

// TestABlockHoldsItsShareOfConnectionsOnly is the proof of OPEN.CONN.BLOCK.
func TestABlockHoldsItsShareOfConnectionsOnly(t *testing.T) {
	t.Parallel()
	for name, q := range map[string]struct {
		total, share int
		address      func(i int) string
	}{
		"one /48":            {10_000, 1000, func(i int) string { return fmt.Sprintf("2001:db8:0:%x::1", i) }},
		"one /24":            {10_000, 1000, func(i int) string { return fmt.Sprintf("198.51.100.%d", i%250) }},
		"as many as a group": {1000, 250, func(i int) string { return fmt.Sprintf("198.51.100.%d", i%250) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				limits, refused := groupLimits(t, q.total), 0
				limits.ended = func(reason string) {
					if refused++; reason != blockFull {
						t.Errorf("a connection is closed for the reason %s", reason)
					}
				}
				l := bubble(t, limits)
				flood := make([]net.Conn, q.share+200)
				for i := range flood {
					flood[i] = l.connectFrom(q.address(i))
				}
				if n := standing(t, flood); n != q.share || refused != len(flood)-q.share {
					t.Errorf("%d stand and %d were closed, want %d", n, refused, q.share)
				}
				flood[0].Close()
				synctest.Wait()
				again, other := l.connectFrom(q.address(0)), l.connectFrom("203.0.113.1")
				asks(t, again)
				asks(t, other)
				for _, c := range slices.Concat(flood, []net.Conn{again, other}) {
					c.Close()
				}
			})
		})
	}
}

// warned counts the warnings with a text.
type warned struct {
	slog.Handler
	text string
	mu   sync.Mutex
	n    int
}

// Handle implements slog.Handler.
func (w *warned) Handle(_ context.Context, r slog.Record) error {
	if r.Level == slog.LevelWarn && strings.Contains(r.Message, w.text) {
		w.mu.Lock()
		w.n++
		w.mu.Unlock()
	}
	return nil
}

// Enabled implements slog.Handler.
func (*warned) Enabled(context.Context, slog.Level) bool { return true }

// TestAServerThatIsFullSaysSoOnce for as long as it is.
func TestAServerThatIsFullSaysSoOnce(t *testing.T) {
	t.Parallel()
	shared()
	synctest.Test(t, func(t *testing.T) {
		w := &warned{Handler: slog.DiscardHandler, text: "the places for connections are taken"}
		l := inMemory(t, w, func(c *config.Config) { c.Connections = 10 })
		for spell := range 2 {
			var crowd []net.Conn
			for i := range 50 {
				c := l.connectFrom(fmt.Sprintf("198.51.%d.1", i))
				io.WriteString(c, "GET / HTTP/1.1\r\n")
				synctest.Wait()
				crowd = append(crowd, c)
			}
			if w.n != spell+1 {
				t.Errorf("%d warnings in spell %d", w.n, spell+1)
			}
			for _, c := range crowd {
				c.Close()
			}
			synctest.Wait()
		}
	})
}
