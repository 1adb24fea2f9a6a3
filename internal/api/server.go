// Package api is the HTTP side: it turns requests into operations of the table
// and their outcomes into envelopes. The steps of a request are one straight
// function, Server.serve, in the contract's order, so that a request that is
// refused at one has done nothing of the later ones.
package api

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"platen/internal/admission"
	"platen/internal/company/mission"
	"platen/internal/hop"
	"platen/internal/moment"
	"platen/internal/network"
	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/ratelimit"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/schema"
	"platen/internal/wire"
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
	// Peers are the other nodes, nil for a server that has its storage for itself.
	Peers *Peers
	// Serves, when set, reports whether a host is this server's.
	Serves func(host string) bool
	// CreationKey is the key without which no client makes a sandbox, "" for none.
	CreationKey string
	// OneOffice is set where no strangers share an address: there an idempotency key of any length
	// counts when a sandbox is created.
	OneOffice bool
	// Bodies is whether the bodies of requests and responses are remembered for a while.
	Bodies bool
	// Advise, when set, says how to be rid of a limit that a setting is the reason of, "" for no
	// way.
	Advise func(setting string) string
	// Observe, when set, is called for every request after its response.
	Observe func(*Answered)
}

// Server serves everything below wire.BasePath.
type Server struct {
	registry  *sandbox.Registry
	admission *admission.Controller
	origin    string
	log       *slog.Logger
	mux       *http.ServeMux

	gate        Gate
	peers       *peers
	network     *network.Rules
	serves      func(host string) bool
	creationKey string
	oneOffice   bool
	keepsBodies bool
	advise      func(setting string) string
	observe     func(*Answered)
	displays    map[ratelimit.Name]*display

	// pages holds *[]byte, the memory of lists that have been sent.
	pages sync.Pool
	// stopping is set while the server drains, and stopped closed then: polls
	// no longer wait.
	stopping atomic.Bool
	stopped  chan struct{}
	stop     sync.Once
	waiters  waiters
	console  *consoleRoutes
	// bodies are the *http.ResponseController of requests whose body is being
	// read, cut is set once such bodies are no longer waited for.
	bodies sync.Map
	cut    atomic.Bool
}

// route holds the operations of one path.
type route struct {
	// operations by method; HEAD is GET.
	operations map[string]*bound
	allow      string
	csv        bool
	// refusal is the reason why there is no operation, whatever the method.
	refusal error
}

// bound is an operation with the values that are prepared for it once.
type bound struct {
	operation.Operation
	input *schema.Input
	// query are the parameters of the operation's query.
	query   []operation.Parameter
	columns []string
	// announcement is nil for an operation that stays.
	announcement *announcement
	// route is the whole path of the operation.
	route string
	// sameSite is set for an operation that a browser must not reach for pages
	// of other sites.
	sameSite bool
	// spared is set for an operation with which nothing goes wrong on purpose.
	spared bool
}

// New returns a server over a table of operations.
func New(o Options, table []operation.Operation) (*Server, error) {
	s := &Server{
		registry: o.Registry, admission: o.Admission, origin: o.Origin, log: o.Log, serves: o.Serves,
		creationKey: o.CreationKey, oneOffice: o.OneOffice, keepsBodies: o.Bodies, advise: o.Advise, observe: o.Observe,
		mux: http.NewServeMux(), stopped: make(chan struct{}),
	}
	if err := s.limit(o); err != nil {
		return nil, err
	}
	var err error
	if s.peers, err = newPeers(o.Peers, s.gate); err != nil {
		return nil, err
	}
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
		s.mux.HandleFunc(wire.BasePath+pattern, func(w http.ResponseWriter, req *http.Request) { s.serve(w, req, r) })
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, req *http.Request) { s.serve(w, req, &route{}) })
	return s, s.serveConsole(table)
}

func bind(registry *schema.Registry, op operation.Operation) (*bound, error) {
	b := &bound{Operation: op, route: wire.BasePath + op.Path}
	if op.Paged() {
		b.columns = columns(op.Out)
	}
	b.query = op.Query()
	b.spared = op.Spared()
	b.sameSite = slices.Contains(op.Problems, problem.OriginRefused)
	var err error
	if b.announcement, err = announcementOf(&op); err != nil || op.In == nil {
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

// limit takes the budgets of the options.
func (s *Server) limit(o Options) error {
	var err error
	if s.gate = o.Gate; s.gate == nil {
		open, err := ratelimit.New(ratelimit.Options{})
		if err != nil {
			return fmt.Errorf("switch the budgets off: %w", err)
		}
		s.gate = open
	}
	if s.network = o.Network; s.network == nil {
		if s.network, err = network.New(
			network.Options{IPv4Bits: network.IPv4Bits, IPv6Bits: network.IPv6Bits}); err != nil {
			return fmt.Errorf("make rules for networks: %w", err)
		}
	}
	s.displays = map[ratelimit.Name]*display{}
	for _, name := range []ratelimit.Name{ratelimit.Key, ratelimit.Anonymous, ratelimit.Group, ratelimit.Pages,
		ratelimit.Block, ratelimit.BlockPages} {
		s.displays[name] = newDisplay(s.gate, name)
	}
	return nil
}

// Stop makes every further request fail with unavailable, and ends polls that
// wait.
func (s *Server) Stop() {
	s.stopping.Store(true)
	s.stop.Do(func() { close(s.stopped) })
}

// ServeHTTP guards against panics and keys in URLs, and finds the route.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.runExchange(s.exchange(w, r, s.groupOf(r)), r)
}

// runExchange runs an exchange from its first step to its response.
func (s *Server) runExchange(x *exchange, r *http.Request) {
	defer func() {
		x.survive(recover())
		x.observed()
	}()
	// Before the router: it would redirect an unclean path, and so repeat it.
	if keys := keysIn(target(r)); len(keys) > 0 {
		x.refuse(x.exposed(keys))
		return
	}
	if err := s.unroutable(r); err != nil {
		s.serve(x, r, &route{refusal: err})
		return
	}
	s.mux.ServeHTTP(x, r)
}

// exchange begins an exchange with a network.
func (s *Server) exchange(w http.ResponseWriter, r *http.Request, group netip.Prefix) *exchange {
	now := s.registry.Now()
	return &exchange{
		server: s, w: w, r: r, requestID: sandbox.NewID("req"), began: time.Now(), now: now, group: group,
		call: mission.Call{Arrived: now},
	}
}

// survive sends a response for a handler that panicked with a value.
func (x *exchange) survive(v any) {
	if v == http.ErrAbortHandler { //nolint:errorlint // the sentinel is panicked as it is
		panic(v)
	}
	if v != nil {
		x.server.log.Error("panic", append(x.whereabouts(), "panic", v, "stack", string(debug.Stack()))...)
		x.refuse(problem.New(problem.InternalError, "Something went wrong on our side."))
	}
}

// serve runs the steps of a request. It first finds out the caller and the
// operation; then it spends the cost; and only then is anything sent or done.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, route *route) {
	x := exchangeOf(w)
	x.r = r
	op, unfound := route.find(r)
	x.op = op
	unauthorized := x.identify()
	if err := x.admit(); err != nil {
		x.refuse(err)
		return
	}
	if s.stopping.Load() {
		x.refuse(stopping())
		return
	}
	if answered, err := x.place(); err != nil {
		x.refuse(err)
		return
	} else if answered {
		return
	}
	if err := x.firstRefusal(unfound, unauthorized); err != nil {
		x.refuse(err)
		return
	}
	if err := rightSystem(op, x.caller); err != nil {
		x.refuse(err)
		return
	}
	if err := op.sameSiteOnly(r); err != nil {
		x.refuse(err)
		return
	}
	if err := wantedVersion(r.Header); err != nil {
		x.refuse(err)
		return
	}
	var err error
	if x.csv, err = negotiate(r, op, route.csv); err != nil {
		x.refuse(err)
		return
	}
	if x.dry = x.asksDryRun(); !x.dry && x.disturb() {
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
	case operation.Fork:
		err = x.fork()
	case operation.Ticket:
		err = x.ticket()
	case operation.Poll:
		err = x.poll()
	case operation.Deletion:
		err = x.delete()
	}
	if err != nil {
		x.refuse(err)
	}
}

// find returns the operation of a method, or the refusal when there is none.
func (t *route) find(r *http.Request) (*bound, error) {
	if t.refusal != nil {
		return nil, t.refusal
	}
	if t.operations == nil {
		return nil, problem.New(problem.RouteNotFound, "There is no route %s.", short(r.URL.EscapedPath()))
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if op := t.operations[method]; op != nil {
		return op, nil
	}
	return nil, &methodError{
		allow: t.allow, Problem: problem.New(problem.MethodNotAllowed, "%s does not take %s; it takes %s.",
			short(r.URL.EscapedPath()), short(r.Method), t.allow),
	}
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

// short cuts a client's text to a length that fits a message.
func short(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// exchange is one request in progress and its response.
type exchange struct {
	server    *Server
	w         http.ResponseWriter
	r         *http.Request
	requestID string
	// began is when the request came by a clock that is never set, now the
	// moment that its response shows.
	began time.Time
	now   moment.Instant
	op    *bound
	// group is the network that the request comes from, spent the decision on
	// its budgets.
	group netip.Prefix
	spent ratelimit.Decision
	// agent is set for a request that the agent endpoint makes: the credential
	// in place of a key.
	agent *apikey.Credential
	// forwarded is set for a request that another node has sent on, relayed for one
	// that another node has answered.
	forwarded *hop.Call
	relayed   bool
	// bodySent and bodyFault are the body of a request that is sent on.
	bodySent  []byte
	bodyFault problem.Code
	// received is the body, once it was read.
	received struct {
		read bool
		body []byte
		err  error
	}
	// dry is set for a write that is only to say what it would do, which leaves no trace.
	dry bool
	// decided is what this node says of a request that another one is to finish.
	decided json.RawMessage
	caller  sandbox.Caller
	sandbox *sandbox.Sandbox
	// credentials are those that let the request in. A long request checks
	// again whether they still do.
	credentials []apikey.Credential
	csv         bool
	// etag is the tag of the response to send.
	etag string
	// status is the status of the response, 0 before there is one.
	status int
	// code is that of a refusal, replayed set when the response is a stored
	// one.
	code     problem.Code
	replayed bool
	// watching is set for requests of the console, which leave no trace.
	watching bool
	// secret is set for a response that must not be stored.
	secret bool
	// disturbed is what goes wrong on purpose, nil for nothing.
	disturbed *disturbed
	// call is the request as the missions see it.
	call mission.Call
	// answered is the request as Observe sees it.
	answered Answered
}

// Header implements http.ResponseWriter: an exchange goes through the router in
// place of the writer that it holds, so that no request has to be copied to
// carry it.
func (x *exchange) Header() http.Header { return x.w.Header() }

// Write implements http.ResponseWriter.
func (x *exchange) Write(b []byte) (int, error) { return x.w.Write(b) }

// Unwrap lets http.ResponseController reach the writer below.
func (x *exchange) Unwrap() http.ResponseWriter { return x.w }

// WriteHeader implements http.ResponseWriter.
func (x *exchange) WriteHeader(status int) { x.w.WriteHeader(status) }
