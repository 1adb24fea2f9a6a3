package api

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/ratelimit"
	"platen/internal/sandbox"
)

// The web console needs two routes beyond the API, outside of wire.BasePath. They
// are no part of the contract and in no document. They take the keys of the
// API, spend a budget of their own, and leave no trace: watching a company
// neither counts as a request to it nor completes its missions
// (docs/adr/0014-console.md).
const (
	// ConsoleState is the path of everything that the console shows at first.
	ConsoleState = "/console/data/state"
	// ConsoleStream is the path of the changes from then on.
	ConsoleStream = "/console/stream"
)

// ForConsole reports whether a path is the API's though it is not below
// wire.BasePath.
func ForConsole(path string) bool {
	return path == ConsoleStream || strings.HasPrefix(path, "/console/data/")
}

const (
	// consolePerMinute and consoleBurst are the budget of a sandbox's viewers,
	// streams included.
	consolePerMinute = 60
	consoleBurst     = 30
	// maxStreams is the most open streams of one sandbox.
	maxStreams = 2
	// streamRetry is the Retry-After of a refused stream, which is sent in
	// seconds.
	streamRetry = 5 * time.Second
)

// headerOtherKey carries the key of the other system: rows of a system are only
// shown to the holder of its key, and the console holds both.
const headerOtherKey = "Platen-Other-Key"

// console holds the state that the two routes share.
type console struct {
	gate    *ratelimit.Gate
	display *display
	tables  []shownTable

	mu      sync.Mutex // guards the fields below
	streams map[string]int
}

// shownTable is a table of which a viewer is sent the rows.
type shownTable struct {
	resource string
	system   operation.System
	// parent is set where rows belong to another record and do not name it; it
	// is the field that holds the record's id.
	parent string
}

// serveConsole adds the routes of the console.
func (s *Server) serveConsole(table []operation.Operation) error {
	var err error
	s.console, err = newConsole(table)
	s.mux.HandleFunc(ConsoleState, s.watched(consoleState))
	s.mux.HandleFunc(ConsoleStream, s.watched(consoleStream))
	return err
}

// newConsole reads from the table of operations which rows there are and which
// key they require.
func newConsole(table []operation.Operation) (*console, error) {
	gate, err := ratelimit.New(
		ratelimit.Options{Key: ratelimit.Budget{PerMinute: consolePerMinute, Burst: consoleBurst}})
	if err != nil {
		return nil, fmt.Errorf("set the budget of the console: %w", err)
	}
	c := &console{gate: gate, display: newDisplay(gate, ratelimit.Key), streams: map[string]int{}}
	for i := range table {
		op := &table[i]
		if op.Kind != operation.List || op.Resource == operation.CallResource {
			continue
		}
		shown := shownTable{resource: op.Resource, system: op.System}
		if op.Parent != "" {
			shown.parent = op.Parent + "_id"
		}
		c.tables = append(c.tables, shown)
	}
	return c, nil
}

// viewer is a client that watches a sandbox, and the rows that may be shown to
// it.
type viewer struct {
	systems map[operation.System]bool
}

// watched serves a route of the console, with the steps of a request that apply
// to one that only looks.
func (s *Server) watched(answer func(*exchange, *viewer) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		x := exchangeOf(w)
		x.r, x.watching = r, true
		o, err := x.view()
		if err == nil {
			err = answer(x, o)
		}
		if err != nil {
			x.refuse(err)
		}
	}
}

func (x *exchange) view() (*viewer, error) {
	unauthorized := x.identify()
	if err := x.admitViewer(unauthorized != nil); err != nil {
		return nil, err
	}
	if x.server.stopping.Load() {
		return nil, stopping()
	}
	if x.r.Method != http.MethodGet {
		return nil, &methodError{
			allow: http.MethodGet, Problem: problem.New(problem.MethodNotAllowed, "%s takes GET.", short(x.r.URL.Path)),
		}
	}
	if unauthorized != nil {
		return nil, unauthorized
	}
	if _, err := x.query(); err != nil {
		return nil, err
	}
	o := &viewer{systems: map[operation.System]bool{operation.Shared: true, operation.System(x.caller.System): true}}
	if key := x.r.Header.Get(headerOtherKey); key != "" {
		other, err := x.authenticate(key)
		if err != nil {
			return nil, err
		}
		if other.SandboxID != x.caller.SandboxID {
			return nil, problem.New(problem.Unauthorized, "The two keys are not of one sandbox.")
		}
		o.systems[operation.System(other.System)] = true
	}
	return o, nil
}

// admitViewer spends the console's budget of a sandbox, or the network's for
// callers without a key that works.
func (x *exchange) admitViewer(anonymous bool) error {
	at := x.server.registry.Now().Time()
	if anonymous || x.server.gate.Shuts(at, x.group) {
		x.caller = sandbox.Caller{}
		return x.admit()
	}
	x.spent = x.server.console.gate.Admit(at, x.group, budgeted(sandbox.Caller{SandboxID: x.caller.SandboxID}))
	if x.spent.Outcome == ratelimit.Passed {
		return nil
	}
	p := problem.New(problem.RateLimited,
		"The consoles of this sandbox have spent their budget of %d requests in a minute.", consolePerMinute)
	p.RetryAfter = x.spent.RetryAfter
	return p.RetryingAt(x.spent.RetryAt)
}

// enter takes a place for a stream. The caller leaves.
func (c *console) enter(sandboxID string, now time.Time) (leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams[sandboxID] >= maxStreams {
		p := problem.New(problem.RateLimited, "%d consoles of this sandbox are open.", maxStreams).
			Hinting("Close another window of the console. It tries again by itself.")
		p.RetryAfter = int(streamRetry / time.Second)
		return nil, p.RetryingAt(now.Add(streamRetry))
	}
	c.streams[sandboxID]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.streams[sandboxID]--; c.streams[sandboxID] == 0 {
			delete(c.streams, sandboxID)
		}
	}, nil
}
