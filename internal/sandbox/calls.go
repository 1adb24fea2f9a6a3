package sandbox

import (
	"slices"
	"sync"

	"platen/internal/moment"
	"platen/internal/sandbox/apikey"
)

// MaxCalls is the number of its clients' requests that a sandbox remembers
// (contract: OPEN.ROUTE.REQUESTS).
const MaxCalls = 500

// Call is one request of a client and its result. It holds no query string and
// no key.
type Call struct {
	// Ordinal counts the requests of a sandbox from 1.
	Ordinal uint64
	// ID is the id of the request.
	ID     string
	Method string
	Path   string
	System apikey.System
	Status int
	// Code is that of a refusal, "" for none.
	Code     string
	Replayed bool
	// At is when the response was sent, Milliseconds how long it took.
	At           moment.Instant
	Milliseconds int64
}

// callLog remembers the newest requests. It lives beside the company, outside
// its state and its commits: the requests of clients are no part of the
// company's history. It does not outlive the process.
type callLog struct {
	mu sync.Mutex
	// calls are in the order of their responses; once all places are taken, the
	// oldest is at first.
	calls []Call
	first int
	count uint64
}

// Note remembers a request, unless the sandbox's time is over. Requests are
// noted before their responses are sent, so that a client that has a response
// finds its request here.
func (s *Sandbox) Note(c Call) {
	v := s.published.Load()
	if v == nil || v.expired(c.At) {
		return
	}
	l := &s.calls
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	c.Ordinal = l.count
	if n := len(l.calls); n > 0 { // also when the clock is set back
		c.At = max(c.At, l.calls[(l.first+n-1)%n].At+moment.Microsecond)
	}
	if len(l.calls) < MaxCalls {
		l.calls = append(l.calls, c)
		return
	}
	l.calls[l.first] = c
	l.first = (l.first + 1) % MaxCalls
}

// Calls returns the remembered requests, oldest first, and the number of all
// there were.
func (s *Sandbox) Calls() (calls []Call, count uint64) {
	l := &s.calls
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Concat(l.calls[l.first:], l.calls[:l.first]), l.count
}
