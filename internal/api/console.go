package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"platen/internal/api/console"
	"platen/internal/api/message"
	"platen/internal/edge/ratelimit"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// The web console needs seven routes beyond the API, outside of wire.BasePath. They
// are no part of the contract and in no document. They take the keys of the
// API, spend a budget of their own, and leave no trace: watching a company
// neither counts as a request to it nor completes its missions
// (docs/adr/0014-console.md).
const (
	// ConsoleState is the path of everything that the console shows at first.
	ConsoleState = "/console/data/state"
	// ConsoleScore is the path of the exactly-once score, and ConsoleFaults that of the
	// injected faults: only one page shows each, and only then is it computed.
	ConsoleScore  = "/console/data/score"
	ConsoleFaults = "/console/data/faults"
	// ConsoleAttention is the path of the records that need attention.
	ConsoleAttention = "/console/data/attention"
	// ConsoleReview is the path of the token of a reviewer's link.
	ConsoleReview = "/console/data/review"
	// ConsoleVerify is the path that takes a request of a receiver, and tells why its signature is invalid.
	ConsoleVerify = "/console/data/verify"
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

// consoleBytes is about how much memory a response of the console takes up while it is made and sent.
const consoleBytes = 128 << 10

// consoleTokens is the price of a read of the console in the budget of its network for pages: it takes the processor as
// long as some files do.
const consoleTokens = 3

// consoleRoutes holds the state that the routes share.
type consoleRoutes struct {
	*console.Console
	gate    *ratelimit.Gate
	display *display
}

// serveConsole adds the routes of the console.
func (s *Server) serveConsole(table []operation.Operation) error {
	budget := ratelimit.Budget{PerMinute: consolePerMinute, Burst: consoleBurst}
	if s.options.FreeConsole {
		budget = ratelimit.Budget{}
	}
	gate, err := ratelimit.New(ratelimit.Options{Key: budget})
	if err != nil {
		return fmt.Errorf("set the budget of the console: %w", err)
	}
	s.console = &consoleRoutes{console.New(table), gate, newDisplay(gate, ratelimit.Key)}
	for path, read := range map[string]consoleRead{
		ConsoleState: s.console.State, ConsoleScore: s.console.Score, ConsoleFaults: s.console.Faults,
		ConsoleAttention: s.console.Attention,
	} {
		s.handle(path, &route{console: s.consoleData(read)})
	}
	s.handle(ConsoleReview, &route{console: s.reviewToken})
	s.handle(ConsoleVerify, &route{console: s.examineCapture})
	s.handle(ConsoleStream, &route{console: s.consoleStream})
	return nil
}

// consoleRoute serves a route of the console to a viewer.
type consoleRoute func(r *message.Request, viewer *console.Viewer) (*message.Response, error)

// watched serves a route of the console, with the steps of a request that apply
// to one that only looks.
func (s *Server) watched(serve consoleRoute) message.Handler {
	return func(r *message.Request) *message.Response {
		caller := *r // unknown while its network is banned
		if caller.Refusal != nil || s.gate.Shuts(s.registry.Now().Time(), r.Network) {
			caller.Caller, caller.Sandbox = sandbox.Caller{}, nil
		}
		spent, err := s.admitViewer(&caller)
		var viewer *console.Viewer
		if err == nil {
			viewer, err = s.viewer(r)
		}
		var out *message.Response
		if err == nil {
			out, err = serve(r, viewer)
		}
		if err != nil {
			out = s.errors.Response(r, r.At, err)
		}
		if out.Spent = spent; caller.Caller.SandboxID != "" && spent.Own == ratelimit.Key {
			out.Budget = s.console.display.of(&spent)
		} else {
			out.Budget = s.remaining(&caller, &spent)
		}
		return out
	}
}

// viewer returns the client that a request of the console is from, or refuses
// it.
func (s *Server) viewer(r *message.Request) (*console.Viewer, error) {
	if s.stopping.Load() {
		return nil, message.Stopping()
	}
	takes := http.MethodGet
	if r.HTTP.URL.Path == ConsoleVerify {
		takes = http.MethodPost
	}
	if r.HTTP.Method != takes {
		return nil, notAllowed(takes,
			problem.New(problem.MethodNotAllowed, "%s takes %s.", message.Short(r.HTTP.URL.Path), takes))
	}
	if r.Refusal != nil {
		return nil, r.Refusal
	}
	if grades(r) {
		return nil, problem.New(problem.WrongSystem,
			"The console takes no grading key: it shows what the player sees.").
			Hinting("Use the keys that begin with %s and %s.", apikey.OfficePrefix, apikey.FactoryPrefix)
	}
	if _, err := readQuery(nil, r.HTTP.URL.RawQuery); err != nil {
		return nil, err
	}
	credentials := r.Credentials
	v := &console.Viewer{
		Sandbox: r.Sandbox, Now: s.registry.Now, Stopped: s.stopped,
		Systems: map[operation.System]bool{operation.Shared: true, operation.System(r.Caller.System): true},
	}
	v.Admitted = func(ctx context.Context) error { return s.stillKnown(ctx, credentials) }
	if r.Caller.System == apikey.Review {
		v.Systems[operation.Office], v.Systems[operation.Factory] = true, true
		return v, nil
	}
	if r.Other == nil {
		return v, nil
	}
	other, err := s.recognise(r, *r.Other)
	if err != nil {
		return nil, err
	}
	if other.System != apikey.Grading {
		if other.SandboxID != r.Caller.SandboxID {
			return nil, problem.New(problem.Unauthorized, "The two keys are not of one sandbox.")
		}
		v.Systems[operation.System(other.System)] = true
		credentials = append(slices.Clip(credentials), *r.Other)
	}
	return v, nil
}

// admitViewer spends the console's budget of a sandbox, or the network's for
// callers without a key that works.
func (s *Server) admitViewer(r *message.Request) (ratelimit.Decision, error) {
	at := s.registry.Now().Time()
	if r.Caller == (sandbox.Caller{}) {
		return s.pay(r)
	}
	all := watcher(r.Caller)
	spent := s.console.gate.Admit(at, r.Network, ratelimit.Caller{Sandbox: all.SandboxID, System: string(all.System)})
	if spent.Outcome == ratelimit.Passed {
		if pages := s.gate.Browse(at, r.Network, consoleTokens); pages.Outcome != ratelimit.Passed {
			return pages, s.passed(r, &pages)
		}
		return spent, nil
	}
	p := problem.New(problem.RateLimited,
		"The consoles of this sandbox have spent their budget of %d requests in a minute.", consolePerMinute).
		Hinting("Close other windows of the console; this one tries again by itself.")
	p.RetryAfter = spent.RetryAfter
	return spent, p.RetryingAt(spent.RetryAt)
}

// reviewToken returns the token of a reviewer's link, as JSON, to a holder of both keys: it shows both
// systems.
func (s *Server) reviewToken(r *message.Request, viewer *console.Viewer) (*message.Response, error) {
	if r.Caller.System == apikey.Review || !viewer.Systems[operation.Office] || !viewer.Systems[operation.Factory] {
		return nil, problem.New(problem.WrongSystem, "A reviewer's link shows both systems, so it takes both keys.")
	}
	token, ok, err := s.registry.ReviewToken(r.Context(), r.Credentials[0])
	if err != nil {
		return nil, err //nolint:wrapcheck // a problem
	}
	if !ok {
		return nil, problem.New(problem.Unauthorized, "A key of the sandbox was revoked.")
	}
	body := []byte(`{"token":"` + token + `"}`)
	return &message.Response{Status: http.StatusOK, NoStore: true, Raw: body}, nil
}

// watcher is a viewer to budgets: all consoles of a sandbox are one, and all its reviewers.
func watcher(c sandbox.Caller) sandbox.Caller {
	w := sandbox.Caller{SandboxID: c.SandboxID}
	if c.System == apikey.Review {
		w.System = apikey.Review
	}
	return w
}

// consoleRead computes something that the console shows, as JSON.
type consoleRead func(context.Context, *console.Viewer) ([]byte, error)

// consoleData sends what the console shows.
func (s *Server) consoleData(read consoleRead) consoleRoute {
	return func(r *message.Request, viewer *console.Viewer) (*message.Response, error) {
		if err := r.Share.Take(r.Context(), consoleBytes); err != nil {
			return gone(), nil //nolint:nilerr // no response is read
		}
		body, err := read(r.Context(), viewer)
		if err != nil {
			return nil, fmt.Errorf("read for the console: %w", err)
		}
		out := &message.Response{Status: http.StatusOK, NoStore: true, Raw: body}
		if wire.TakesGzip(r.HTTP.Header) {
			var zipped bytes.Buffer
			z := gzip.NewWriter(&zipped)
			_, err := z.Write(body)
			if err = errors.Join(err, z.Close()); err != nil {
				return nil, fmt.Errorf("compress the state: %w", err)
			}
			out.Set("Content-Encoding", "gzip")
			out.Raw = zipped.Bytes()
		}
		return out, nil
	}
}

// consoleStream sends changes as server-sent events, as long as both sides are
// there. An error can then no longer be sent: the console asks again.
func (s *Server) consoleStream(r *message.Request, viewer *console.Viewer) (*message.Response, error) {
	release, err := s.console.Reserve(watcher(r.Caller), r.At.Time())
	if err != nil {
		return nil, err //nolint:wrapcheck // a problem
	}
	out := &message.Response{
		Status: http.StatusOK, NoStore: true, Type: "text/event-stream", Discard: release,
		Stream: func(ctx context.Context, w http.ResponseWriter) {
			cut, end := s.Hold()
			defer end()
			viewer.Cut = cut
			s.console.Stream(ctx, w, viewer, r.HTTP.Header.Get("Last-Event-ID"))
		},
	}
	out.Set("X-Accel-Buffering", "no") // proxies that hold responses back would make it useless
	return out, nil
}
