package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"platen/internal/api/console"
	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/ratelimit"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
)

// The web console needs six routes beyond the API, outside of wire.BasePath. They
// are no part of the contract and in no document. They take the keys of the
// API, spend a budget of their own, and leave no trace: watching a company
// neither counts as a request to it nor completes its missions
// (docs/adr/0014-console.md).
const (
	// ConsoleState is the path of everything that the console shows at first.
	ConsoleState = "/console/data/state"
	// ConsoleScore is the path of the exactly-once score, and ConsoleFaults that of what went
	// wrong on purpose: what only one page shows, and only then is computed.
	ConsoleScore  = "/console/data/score"
	ConsoleFaults = "/console/data/faults"
	// ConsoleAttention is the path of what needs somebody.
	ConsoleAttention = "/console/data/attention"
	// ConsoleReview is the path of the token of a reviewer's link.
	ConsoleReview = "/console/data/review"
	// ConsoleStream is the path of the changes from then on.
	ConsoleStream = "/console/stream"
)

// ForConsole reports whether a path is the API's though it is not below
// wire.BasePath.
func ForConsole(path string) bool {
	return path == ConsoleStream || strings.HasPrefix(path, "/console/data/")
}

// consolePerMinute and consoleBurst are the budget of a sandbox's viewers,
// streams included.
const (
	consolePerMinute = 60
	consoleBurst     = 30
)

// consoleRoutes holds the state that the routes share.
type consoleRoutes struct {
	*console.Console
	gate    *ratelimit.Gate
	display *display
}

// serveConsole adds the routes of the console.
func (s *Server) serveConsole(table []operation.Operation) error {
	gate, err := ratelimit.New(
		ratelimit.Options{Key: ratelimit.Budget{PerMinute: consolePerMinute, Burst: consoleBurst}})
	if err != nil {
		return fmt.Errorf("set the budget of the console: %w", err)
	}
	s.console = &consoleRoutes{console.New(table), gate, newDisplay(gate, ratelimit.Key)}
	for path, read := range map[string]consoleRead{
		ConsoleState: s.console.State, ConsoleScore: s.console.Score, ConsoleFaults: s.console.Faults,
		ConsoleAttention: s.console.Attention,
	} {
		s.mux.HandleFunc(path, watched(func(x *exchange, v *console.Viewer) error { return x.consoleData(v, read) }))
	}
	s.mux.HandleFunc(ConsoleReview, watched(func(x *exchange, v *console.Viewer) error {
		return x.consoleData(v, x.reviewToken)
	}))
	s.mux.HandleFunc(ConsoleStream, watched((*exchange).consoleStream))
	return nil
}

// watched serves a route of the console, with the steps of a request that apply
// to one that only looks.
func watched(answer func(*exchange, *console.Viewer) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		x := exchangeOf(w)
		x.r, x.watching = r, true
		viewer, err := x.viewer()
		if err == nil && viewer != nil {
			err = answer(x, viewer)
		}
		if err != nil {
			x.refuse(err)
		}
	}
}

// viewer returns the client that a request of the console is from, or refuses
// it. It returns none for a request that another node has answered.
func (x *exchange) viewer() (*console.Viewer, error) {
	unauthorized := x.identify()
	if unauthorized == nil && !x.server.stopping.Load() {
		if answered, err := x.place(); err != nil || answered {
			return nil, err
		}
	}
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
	if x.grades() {
		return nil, problem.New(problem.WrongSystem,
			"The console takes no grading key: it shows what the player sees.").
			Hinting("Use the keys that begin with %s and %s.", apikey.OfficePrefix, apikey.FactoryPrefix)
	}
	if _, err := x.query(); err != nil {
		return nil, err
	}
	v := &console.Viewer{
		Sandbox: x.sandbox, Admitted: x.stillKnown, Now: x.server.registry.Now, Stopped: x.server.stopped,
		Systems: map[operation.System]bool{operation.Shared: true, operation.System(x.caller.System): true},
	}
	if x.caller.System == apikey.Review {
		v.Systems[operation.Office], v.Systems[operation.Factory] = true, true
		return v, nil
	}
	other, sent, err := x.otherCaller()
	if err != nil {
		return nil, err
	}
	if sent && other.System != apikey.Grading {
		if other.SandboxID != x.caller.SandboxID {
			return nil, problem.New(problem.Unauthorized, "The two keys are not of one sandbox.")
		}
		v.Systems[operation.System(other.System)] = true
	}
	return v, nil
}

// admitViewer spends the console's budget of a sandbox, or the network's for
// callers without a key that works.
func (x *exchange) admitViewer(anonymous bool) error {
	at := x.server.registry.Now().Time()
	if anonymous || x.server.gate.Shuts(at, x.group) {
		x.caller = sandbox.Caller{}
		return x.admit()
	}
	x.spent = x.server.console.gate.Admit(at, x.group, budgeted(x.watcher()))
	if x.spent.Outcome == ratelimit.Passed {
		return nil
	}
	p := problem.New(problem.RateLimited,
		"The consoles of this sandbox have spent their budget of %d requests in a minute.", consolePerMinute)
	p.RetryAfter = x.spent.RetryAfter
	return p.RetryingAt(x.spent.RetryAt)
}

// reviewToken returns the token of a reviewer's link, as JSON, to who has both keys: it shows both
// systems.
func (x *exchange) reviewToken(ctx context.Context, viewer *console.Viewer) ([]byte, error) {
	if x.caller.System == apikey.Review || !viewer.Systems[operation.Office] || !viewer.Systems[operation.Factory] {
		return nil, problem.New(problem.WrongSystem, "A reviewer's link shows both systems, so it takes both keys.")
	}
	keys, err := x.server.registry.KeysOf(ctx, x.credentials[0])
	if err != nil {
		return nil, err //nolint:wrapcheck // a problem
	}
	token, ok := keys.ReviewToken()
	if !ok {
		return nil, problem.New(problem.Unauthorized, "A key of the sandbox was revoked.")
	}
	return []byte(`{"token":"` + token + `"}`), nil
}

// watcher is who a viewer is to budgets: all consoles of a sandbox are one, and all its reviewers.
func (x *exchange) watcher() sandbox.Caller {
	w := sandbox.Caller{SandboxID: x.caller.SandboxID}
	if x.caller.System == apikey.Review {
		w.System = apikey.Review
	}
	return w
}

// consoleRead computes something that the console shows, as JSON.
type consoleRead func(context.Context, *console.Viewer) ([]byte, error)

// consoleData sends what the console shows.
func (x *exchange) consoleData(viewer *console.Viewer, read consoleRead) error {
	body, err := read(x.r.Context(), viewer)
	if err != nil {
		return fmt.Errorf("read for the console: %w", err)
	}
	x.secret = true
	if takesGzip(x.r) {
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		_, err := z.Write(body)
		if err = errors.Join(err, z.Close()); err != nil {
			return fmt.Errorf("compress the state: %w", err)
		}
		x.w.Header().Set("Content-Encoding", "gzip")
		body = zipped.Bytes()
	}
	x.send(http.StatusOK, contentJSON, body)
	return nil
}

// consoleStream sends changes as server-sent events, as long as both sides are
// there. An error can then no longer be sent: the console asks again.
func (x *exchange) consoleStream(viewer *console.Viewer) error {
	release, err := x.server.console.Reserve(x.watcher(), x.now.Time())
	if err != nil {
		return err //nolint:wrapcheck // a problem
	}
	defer release()
	x.secret = true
	h := x.headers()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // proxies that hold responses back would make it useless
	x.note(http.StatusOK, nil)
	x.w.WriteHeader(http.StatusOK)
	x.server.console.Stream(x.r.Context(), x.w, viewer, x.r.Header.Get("Last-Event-ID"))
	return nil
}
