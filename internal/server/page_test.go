package server

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"platen/internal/config"
)

// behind is a server whose clients name their address themselves.
func behind(change ...func(*config.Config)) func(*config.Config) {
	return func(c *config.Config) {
		c.TrustedProxy = []string{"127.0.0.0/8"}
		for _, set := range change {
			set(c)
		}
	}
}

// getAs asks for a path from an address.
func (c *client) getAs(address, path string, headers ...string) answer {
	c.t.Helper()
	c.send(fmt.Sprintf("GET %s HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: %s\r\n%s\r\n", path, address,
		strings.Join(headers, "")))
	return c.receive(http.MethodGet)
}

func TestANetworkThatSearchesInALoopIsRefusedAfterItsBudget(t *testing.T) {
	t.Parallel()
	const connections, budget = 16, 600 / searchTokens
	s := startBeside(t, behind(func(c *config.Config) { c.AnonymousRate = 30 }))
	dial(t, s).getAs("203.0.113.9", "/docs/search?q=first") // reads the docs
	var passed atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for range connections {
		c := dial(t, s)
		all.Go(func() {
			for range 2 * budget {
				a := c.getAs("198.51.100.1", "/docs/search?q=ledger")
				if a.status == http.StatusOK {
					passed.Add(1)
					continue
				}
				if got := code(t, a); a.status != http.StatusTooManyRequests || got != "rate_limited" ||
					a.header.Get("Retry-After") == "" || a.header.Get("X-RateLimit-Limit") != "600" {
					t.Errorf("got %d %s %v", a.status, got, a.header)
				}
				return
			}
			t.Error("a connection is never refused")
		})
	}
	all.Wait()
	most := budget + int64(time.Since(began)*budget/time.Minute) + 1
	if n := passed.Load(); n < budget || n > most {
		t.Errorf("%d searches passed, want %d to %d", n, budget, most)
	}
	// It has an API all the same, and other networks have all of theirs.
	for _, address := range []string{"198.51.100.1", "198.51.100.2"} {
		a := dial(t, s).getAs(address, "/v1/nothing")
		if got := a.header.Get("X-RateLimit-Remaining"); code(t, a) != "route_not_found" || got != "29" {
			t.Errorf("an API read of %s gets %d with %s left", address, a.status, got)
		}
	}
	if a := dial(t, s).getAs("198.51.100.2", "/docs/"); a.status != http.StatusOK {
		t.Errorf("a page for another network: %d", a.status)
	}
	// People are told in a sentence.
	a := dial(t, s).getAs("198.51.100.1", "/docs/", "Accept: text/html\r\n")
	for a.status == http.StatusOK { // some tokens have come back
		a = dial(t, s).getAs("198.51.100.1", "/docs/", "Accept: text/html\r\n")
	}
	if a.status != http.StatusTooManyRequests || !strings.HasPrefix(a.header.Get("Content-Type"), "text/plain") ||
		!strings.Contains(string(a.body), "budget of 600") || a.header.Get("Retry-After") == "" {
		t.Errorf("got %d %v %s", a.status, a.header, a.body)
	}
}

// everythingElse are paths of all kinds beside the API.
func everythingElse() []string {
	return []string{"/", "/console", "/docs/", "/docs/lists.md", "/openapi.json", "/openapi.yaml", "/postman.json",
		"/llms.txt", "/metrics", "/status", "/status.json", "/nothing", "/.well-known/nothing"}
}

func TestABannedNetworkGetsNothingButHealth(t *testing.T) {
	t.Parallel()
	s := startBeside(t, behind(func(c *config.Config) { c.AnonymousRate = 1 }))
	const banned = "198.51.100.1"
	c := dial(t, s)
	for range banRefusals + 1 {
		c.getAs(banned, "/v1/nothing")
	}
	for _, path := range everythingElse() {
		a := c.getAs(banned, path)
		if got := code(t, a); a.status != http.StatusForbidden || got != "banned" || a.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s", path, a.status, got)
		}
		if a := c.getAs("198.51.100.2", path); a.status == http.StatusForbidden {
			t.Errorf("%s is shut for another network", path)
		}
	}
	a := c.getAs(banned, "/", "Accept: text/html\r\n")
	if a.status != http.StatusForbidden || !strings.Contains(string(a.body), "Come back at ") {
		t.Errorf("a page: %d %s", a.status, a.body)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if a := c.getAs(banned, path); a.status != http.StatusOK {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}

func TestEverythingBesideTheAPISpendsTheBudgetForPages(t *testing.T) {
	t.Parallel()
	s := startBeside(t, behind(func(c *config.Config) { c.PageRate = 1 }))
	for i, path := range everythingElse() {
		address := fmt.Sprintf("198.51.%d.1", i) // a network each, of a block of its own
		c := dial(t, s)
		for range 3 {
			c.getAs(address, "/healthz")
			c.getAs("127.0.0.1", path) // this machine has no limit
		}
		if a := c.getAs(address, path); a.status == http.StatusTooManyRequests {
			t.Errorf("the first request for %s is refused", path)
		}
		if a := c.getAs(address, path); a.status != http.StatusTooManyRequests {
			t.Errorf("the second request for %s gets %d", path, a.status)
		}
	}
}

func TestTheDocumentsOfTheAPIAreCompressedAndKnowTheirVersion(t *testing.T) {
	t.Parallel()
	s := shared()
	c := dial(t, s)
	for _, path := range []string{"/openapi.json", "/openapi.yaml", "/postman.json", "/console/records.json"} {
		plain, short := c.getAs("127.0.0.1", path), c.getAs("127.0.0.1", path, "Accept-Encoding: gzip\r\n")
		if short.header.Get("Content-Encoding") != "gzip" || len(short.body)*4 > len(plain.body) {
			t.Errorf("%s has %d bytes, compressed %d", path, len(plain.body), len(short.body))
		}
		tag := plain.header.Get("ETag")
		again := c.getAs("127.0.0.1", path, "If-None-Match: "+tag+"\r\n")
		if tag == "" || again.status != http.StatusNotModified || len(again.body) > 0 {
			t.Errorf("%s with its tag %s: %d", path, tag, again.status)
		}
	}
}

// TestABlockHasABudgetOfPages: one customer of IPv6 has networks without end.
func TestABlockHasABudgetOfPages(t *testing.T) {
	t.Parallel()
	s := startBeside(t, behind(func(c *config.Config) { c.PageRate, c.BlockFactor = 10, 2 }))
	c := dial(t, s)
	passed := 0
	var last answer
	for i := range 60 {
		if last = c.getAs(fmt.Sprintf("2001:db8:0:%x::1", i), "/docs/"); last.status == http.StatusOK {
			passed++
		}
	}
	// A few tokens come back meanwhile.
	if passed < 20 || passed > 40 || code(t, last) != "rate_limited" ||
		!strings.Contains(string(last.body), "2001:db8::/48") {
		t.Errorf("%d pages passed, and the last gets %d %s", passed, last.status, last.body)
	}
	if a := c.getAs("2001:db8:1::1", "/docs/"); a.status != http.StatusOK {
		t.Errorf("another block gets %d", a.status)
	}
}
