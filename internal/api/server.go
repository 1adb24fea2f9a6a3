// Package api is the HTTP side: it turns requests into operations of the table
// and their outcomes into envelopes. A request passes layers, each a
// function over values of package message:
//
//	door      request id, key in the URL, operation, caller       door.go
//	before    a layer outside of the notes, such as a router      Options.Before
//	notes     panics, missions, list of requests, metrics         notes.go
//	budget    tokens of network and key, and refusals of the door budget.go
//	within    a layer around the endpoint, such as faults         Options.Within
//	endpoint  one for each kind of operation                      endpoint.go
package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"platen/internal/api/message"
	"platen/internal/edge/admission"
	"platen/internal/edge/network"
	"platen/internal/edge/ratelimit"
	"platen/internal/operation"
	"platen/internal/operation/schema"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// Options configure a server.
type Options struct {
	Registry *sandbox.Registry
	// Admission hands out the places of the registry.
	Admission *admission.Controller
	// Origin is the scheme and host that links begin with.
	Origin string
	Log    *slog.Logger
	// Gate keeps the rate budgets, and Network finds the group that an address
	// belongs to. Without them there are no limits, and every address is a
	// network of its own.
	Gate    Gate
	Network *network.Rules
	// Before and Within are optional layers. A response that Before gets from another server is noted there.
	Before, Within message.Layer
	// Revoke, when set, revokes a key wherever its sandbox is; else it is here.
	Revoke func(ctx context.Context, requestID, key string) error
	// Serves, when set, reports whether a host is this server's.
	Serves func(host string) bool
	// Ours, when set, reports whether an Origin header names this server.
	Ours func(origin string) bool
	// CreationKey is the key without which no client makes a sandbox, "" for none.
	CreationKey string
	// OneOffice is set where no strangers share an address: there an idempotency key of any length
	// counts when a sandbox is created.
	OneOffice bool
	// FreeConsole is set where keys have no budget, and so the console has none either.
	FreeConsole bool
	// Bodies is whether the bodies of requests and responses are remembered for a while.
	Bodies bool
	// Advise, when set, tells how to lift a limit that a setting causes, "" when it cannot be lifted.
	Advise func(setting string) string
	// Held are the responses that wait, Shares the memory for those under way. Both may be nil.
	Held   *message.Held
	Shares message.Shares
	// Observe, when set, is called for every request once its response is known.
	Observe func(*Answered)
}

// Server serves everything below wire.BasePath.
type Server struct {
	options  Options
	registry *sandbox.Registry
	log      *slog.Logger
	mux      *http.ServeMux
	// routes are by their patterns in the mux.
	routes map[string]*route
	errors message.Errors
	writer message.Writer
	bodies message.Bodies
	// road is all layers behind the door, noted those behind Before.
	road, noted message.Handler

	gate     Gate
	network  *network.Rules
	displays map[ratelimit.Name]*display
	// announcements are of operations that are to go.
	announcements map[*operation.Operation]*announcement

	// stopping is set while the server drains, and stopped closed then: polls
	// no longer wait.
	stopping atomic.Bool
	stopped  chan struct{}
	stop     sync.Once
	waiters  waiters
	testers  waiters         // of the list of requests
	known    map[string]bool // the ids of all operations
	console  *consoleRoutes
}

// route holds the operations of one path.
type route struct {
	// operations by method; HEAD is GET.
	operations map[string]*bound
	allow      string
	// csv and archive are set for paths of their own: of a list as CSV, and of an operation as a file of another kind.
	csv, archive bool
	// names are those of the segments of its path that hold ids, "" for the others.
	names []string
	// console, when set, serves a route of the console.
	console consoleRoute
}

// bound is an operation with the values that are prepared for it once.
type bound struct {
	operation.Operation
	input *schema.Input
	// query are the parameters of the operation's query.
	query []operation.Parameter
	// unasked are the arguments of a request without a query, nil where it needs one.
	unasked *arguments
	columns []string
	// named is the resource of the record in the path, "" for none.
	named string
	// sameSite is set for an operation that a browser must not reach for pages
	// of other sites.
	sameSite bool
	// ours is that of Options, nil for none.
	ours func(origin string) bool
	// endpoint serves it.
	endpoint message.Handler
}

// New returns a server over a table of operations.
func New(o Options, table []operation.Operation) (*Server, error) {
	s := &Server{
		options: o, registry: o.Registry, log: o.Log, mux: http.NewServeMux(), routes: map[string]*route{},
		stopped: make(chan struct{}), known: map[string]bool{}, announcements: map[*operation.Operation]*announcement{},
	}
	s.errors = message.Errors{Origin: o.Origin, Log: o.Log, Advise: o.Advise}
	s.writer.Stopped, s.writer.Held, s.bodies.Stopping = s.stopped, o.Held, s.stopping.Load
	if err := s.limit(o); err != nil {
		return nil, err
	}
	registry := schema.New()
	routes := map[string]*route{}
	for i := range table {
		b, err := s.bind(registry, table[i])
		if err != nil {
			return nil, fmt.Errorf("operation %s: %w", table[i].ID, err)
		}
		s.known[b.ID] = true
		add(routes, b.Path, b, false)
		if b.columns != nil {
			add(routes, b.Path+".csv", b, true)
		}
		if suffix := archives[b.ID]; suffix != "" {
			add(routes, b.Path+suffix, b, false)
			routes[b.Path+suffix].archive = true
		}
	}
	for pattern, r := range routes {
		s.handle(wire.BasePath+pattern, r)
	}
	s.noted = s.notes(s.budget(o.Within))
	s.road = o.Before.Around(s.noted)
	return s, s.serveConsole(table)
}

func (s *Server) bind(registry *schema.Registry, op operation.Operation) (*bound, error) {
	b := &bound{Operation: op, named: op.Named()}
	b.endpoint = s.endpoint(b)
	if op.Paged() {
		b.columns = columns(op.Out)
	}
	b.query = op.Query()
	b.unasked, _ = readQuery(b.query, "") // an error is for each request that gets it
	b.sameSite = slices.Contains(op.Problems, problem.OriginRefused)
	b.ours = s.options.Ours
	a, err := announcementOf(&op, s.options.Origin)
	if a != nil {
		s.announcements[&b.Operation] = a
	}
	if err != nil || op.In == nil {
		return b, err
	}
	b.input, err = schema.NewInput(registry, op.In)
	return b, err
}

func add(routes map[string]*route, pattern string, b *bound, csv bool) {
	r := routes[pattern]
	if r == nil {
		r = &route{operations: map[string]*bound{}, csv: csv}
		routes[pattern] = r
	}
	r.operations[b.Method] = b
	methods := []string{}
	for _, method := range []string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodDelete,
	} {
		known := method
		if method == http.MethodHead {
			known = http.MethodGet
		}
		if r.operations[known] != nil {
			methods = append(methods, method)
		}
	}
	r.allow = strings.Join(methods, ", ")
}

// handle adds a route at a pattern.
func (s *Server) handle(pattern string, r *route) {
	for segment := range strings.SplitSeq(pattern, "/") {
		name := ""
		if strings.HasPrefix(segment, "{") {
			name = strings.Trim(segment, "{}")
		}
		r.names = append(r.names, name)
	}
	s.mux.Handle(pattern, http.NotFoundHandler()) // the mux only tells which pattern it is
	s.routes[pattern] = r
}

// Stop makes every further request fail with unavailable, and ends polls that
// wait.
func (s *Server) Stop() {
	s.stopping.Store(true)
	s.stop.Do(func() { close(s.stopped) })
}

// Stopping reports whether the server drains.
func (s *Server) Stopping() bool { return s.stopping.Load() }

// CutBodies ends the reading of bodies that are still on their way.
func (s *Server) CutBodies() { s.bodies.Cut() }

// ServeHTTP serves a request that comes in over a connection.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Serve(w, r, message.Provenance{}, nil)
}

// Serve serves a request that comes in over a connection from somewhere. The response is marked before it is
// sent, unless mark is nil.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, from message.Provenance,
	mark func(http.Header, *message.Response)) {
	in := s.Open(r, s.bodies.Of(w, r), from)
	in.Share = message.NewShare(s.options.Shares)
	out := s.road(in)
	if mark != nil {
		mark(w.Header(), out)
	}
	s.writer.Send(w, in, out)
}

// Do serves a request that the agent endpoint makes for the holder of a key. The request passes the same
// layers as any other: the same budgets, idempotency, lease and log. The credential replaces
// a key; the zero one is no key. Do returns when the response would be sent.
func (s *Server) Do(r *http.Request, body []byte, as apikey.Credential) *message.Response {
	in := s.Open(r, message.BodyOf(body), message.Provenance{Agent: true, Credentials: []apikey.Credential{as}})
	out := s.road(in)
	s.writer.Await(in, out)
	return out
}

// Share returns a share that holds nothing of the memory for responses under way.
func (s *Server) Share() *message.Share { return message.NewShare(s.options.Shares) }

// Hold notes that a request waits, until end is called. Cut is closed when it has to give way.
func (s *Server) Hold() (cut <-chan struct{}, end func()) { return s.options.Held.Hold(0) }
