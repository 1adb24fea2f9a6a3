// Package api is the HTTP side: it turns requests into operations of the table
// and their outcomes into envelopes. The road of a request is one straight
// function, Server.serve; its stations stand in the contract's order, so that
// a request that is refused at one has done nothing behind it.
package api

import (
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"platen/internal/company/mission"
	"platen/internal/moment"
	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/sandbox"
	"platen/internal/schema"
)

// BasePath is where the API lives below the origin (contract: VER.PREFIX).
const BasePath = "/v1"

// Options are what a server needs to know.
type Options struct {
	House *sandbox.House
	// Origin is the scheme and host that links begin with.
	Origin string
	Log    *slog.Logger
}

// Server answers everything below BasePath.
type Server struct {
	house  *sandbox.House
	origin string
	log    *slog.Logger
	mux    *http.ServeMux
	// pages holds *[]byte, the memory of lists that have been sent.
	pages sync.Pool
	// stopping is set while the server drains.
	stopping atomic.Bool
}

// route is what one path can do.
type route struct {
	// operations by method; HEAD is GET.
	operations map[string]*bound
	allow      string
	csv        bool
}

// bound is an operation with what is prepared for it once.
type bound struct {
	operation.Operation
	input *schema.Input
	// words are the values that filters can have, where these are known.
	words   map[string][]string
	columns []string
	signals mission.Signals
}

// New returns a server over a table of operations.
func New(o Options, table []operation.Operation) (*Server, error) {
	s := &Server{house: o.House, origin: o.Origin, log: o.Log, mux: http.NewServeMux()}
	registry := schema.New()
	routes := map[string]*route{}
	for i := range table {
		b, err := bind(registry, table[i])
		if err != nil {
			return nil, fmt.Errorf("operation %s: %w", table[i].ID, err)
		}
		add(routes, b.Path, b, false)
		if b.columns != nil {
			add(routes, b.Path+".csv", b, true)
		}
	}
	for pattern, r := range routes {
		s.mux.HandleFunc(BasePath+pattern, func(w http.ResponseWriter, req *http.Request) { s.serve(w, req, r) })
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, req *http.Request) { s.serve(w, req, &route{}) })
	return s, nil
}

func bind(registry *schema.Registry, op operation.Operation) (*bound, error) {
	b := &bound{Operation: op, signals: mission.ReadAnything}
	switch op.System {
	case operation.Office:
		b.signals |= mission.ReachedOffice
	case operation.Factory:
		b.signals |= mission.ReachedFactory
	case operation.Open, operation.Shared:
	}
	if op.Kind == operation.List || op.Kind == operation.Feed {
		b.columns = columns(op.Out)
	}
	b.words = op.FilterWords()
	if op.In == nil {
		return b, nil
	}
	var err error
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
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodDelete} {
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

// enter names the sandbox of the exchange.
func (x *exchange) enter(id string) {
	x.sandbox = x.server.house.Sandbox(id)
	x.now = x.sandbox.AsOf(x.now)
}

// Stop makes every further request answer unavailable.
func (s *Server) Stop() { s.stopping.Store(true) }

// ServeHTTP guards against panics and unclean paths, and finds the route.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{server: s, w: w, r: r, requestID: sandbox.NewID("req"), now: s.house.Now()}
	defer func() {
		v := recover()
		if v == http.ErrAbortHandler { //nolint:errorlint // the sentinel is panicked as it is
			panic(v)
		}
		if v != nil {
			s.log.Error("panic", append(x.whereabouts(), "panic", v, "stack", string(debug.Stack()))...)
			x.refuse(problem.New(problem.InternalError, "Something went wrong on our side."))
		}
	}()
	// There is no CORS: a preflight gets what any call without a key gets.
	if r.Method == http.MethodOptions {
		x.refuse(problem.New(problem.Unauthorized, "OPTIONS is not served: this API is not called from other sites' pages."))
		return
	}
	if clean := path.Clean(r.URL.Path); clean != r.URL.Path || !strings.HasPrefix(clean, "/") {
		x.refuse(problem.New(problem.BadRequest, "The path is not in its clean form: no empty or dot segments, no slash at the end."))
		return
	}
	s.mux.ServeHTTP(x, r)
}

// serve is the road of a request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, route *route) {
	x := exchangeOf(w)
	x.r = r
	if s.stopping.Load() {
		x.refuse(stopping())
		return
	}
	op, err := route.find(r)
	if err != nil {
		x.refuse(err)
		return
	}
	x.op = op
	if x.caller, err = s.authenticate(r, op); err != nil {
		x.refuse(err)
		return
	}
	if x.caller.SandboxID != "" {
		x.enter(x.caller.SandboxID)
	}
	if err := rightSystem(op, x.caller); err != nil {
		x.refuse(err)
		return
	}
	if x.csv, err = negotiate(r, op, route.csv); err != nil {
		x.refuse(err)
		return
	}
	switch op.Kind {
	case operation.List:
		err = x.list()
	case operation.Row:
		err = x.row()
	case operation.Object:
		err = x.object()
	case operation.Feed:
		err = x.feed()
	case operation.Write:
		err = x.write()
	case operation.Creation:
		err = x.create()
	}
	if err != nil {
		x.refuse(err)
	}
}

// find returns the operation of a method, or says why there is none.
func (t *route) find(r *http.Request) (*bound, error) {
	if t.operations == nil {
		return nil, problem.New(problem.RouteNotFound, "There is no route %s.", short(r.URL.Path))
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if op := t.operations[method]; op != nil {
		return op, nil
	}
	return nil, &methodError{allow: t.allow, Problem: problem.New(problem.MethodNotAllowed, "%s does not take %s; it takes %s.", short(r.URL.Path), short(r.Method), t.allow)}
}

// methodError is method_not_allowed with its Allow header.
type methodError struct {
	*problem.Problem
	allow string
}

func stopping() error {
	p := problem.New(problem.Unavailable, "The server is stopping.")
	p.RetryAfter = 1
	return p
}

// short cuts what a client sent to a length that fits a message.
func short(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// columns are the members of a row in their order: the header of its CSV.
func columns(t reflect.Type) []string {
	names := []string{}
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			names = append(names, columns(field.Type)...)
		case name != "":
			names = append(names, name)
		}
	}
	return names
}

// exchange is one request and its answer under way.
type exchange struct {
	server    *Server
	w         http.ResponseWriter
	r         *http.Request
	requestID string
	now       moment.Instant
	op        *bound
	caller    sandbox.Caller
	sandbox   *sandbox.Sandbox
	csv       bool
	// etag is the tag of what is about to be answered.
	etag string
}

// Header implements http.ResponseWriter: an exchange goes through the router in
// place of the writer that it holds, so that no request has to be copied to
// carry it.
func (x *exchange) Header() http.Header { return x.w.Header() }

// Write implements http.ResponseWriter.
func (x *exchange) Write(b []byte) (int, error) { return x.w.Write(b) }

// WriteHeader implements http.ResponseWriter.
func (x *exchange) WriteHeader(status int) { x.w.WriteHeader(status) }
