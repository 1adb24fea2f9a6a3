package api

import (
	"cmp"
	"net/http"
	"time"

	"platen/internal/message"
	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/wire"
)

// Open makes the value of a request: it finds out what is wanted and whose key was sent, and says
// nothing of it yet.
func (s *Server) Open(r *http.Request, body *message.Body, p message.Provenance) (in *message.Request) {
	in = s.outline(r)
	defer func() {
		if v := recover(); v != nil {
			in.Refusal = s.panicked(in, v)
		}
	}()
	in.Body, in.Agent, in.Vouched, in.Decided = body, p.Agent, p.Vouched, p.Decided
	if p.Unread != "" {
		in.Body = message.BrokenBody(p.Unread)
	}
	if p.ID != "" {
		in.ID = p.ID
	}
	if p.Vouched {
		in.Network = p.Network
	}
	// Before the router: it would redirect an unclean path, and so repeat it.
	if in.Exposed = keysIn(target(r)); len(in.Exposed) > 0 {
		in.OwnBudget, in.Endpoint = true, s.exposed
		return in
	}
	t := &route{}
	unfound := s.unroutable(r)
	if unfound == nil {
		m := match{route: t}
		s.mux.ServeHTTP(&m, r)
		t = m.route
	}
	if t.console != nil {
		in.Watching, in.OwnBudget, in.Endpoint = true, true, s.watched(t.console)
		in.Refusal = s.identify(in, p)
		s.otherKey(in, p)
		return in
	}
	s.find(in, t, p, unfound)
	return in
}

// find finds the operation and the caller of a request, and the first error.
func (s *Server) find(in *message.Request, t *route, p message.Provenance, unfound error) {
	var b *bound
	if unfound == nil {
		b, unfound = t.find(in.HTTP)
	}
	if b != nil {
		in.Operation, in.Endpoint = &b.Operation, b.endpoint
	}
	unauthorized := s.identify(in, p)
	if in.Refusal = s.firstRefusal(in, p, unfound, unauthorized); in.Refusal == nil {
		in.CSV, in.Refusal = rules(in, b, t)
		in.HAR = t.har
	}
}

// outline is a request for nothing.
func (s *Server) outline(r *http.Request) *message.Request {
	now := s.registry.Now()
	return &message.Request{
		HTTP: r, ID: sandbox.NewID("req"), Began: time.Now(), Arrived: now, At: now, Network: s.groupOf(r),
	}
}

// match is a ResponseWriter that records the matched route and discards output. The router puts the ids of the path
// into the request beside, for PathValue.
type match struct {
	http.ResponseWriter

	route *route
}

// Header implements http.ResponseWriter.
func (*match) Header() http.Header { return http.Header{} }

// WriteHeader implements http.ResponseWriter.
func (*match) WriteHeader(int) {}

// Write implements http.ResponseWriter.
func (*match) Write(b []byte) (int, error) { return len(b), nil }

// matched notes that the route was found.
func (t *route) matched(w http.ResponseWriter, _ *http.Request) {
	if m, ok := w.(*match); ok {
		m.route = t
	}
}

// find returns the operation of a method, or the error when there is none.
func (t *route) find(r *http.Request) (*bound, error) {
	if t.operations == nil {
		return nil, problem.New(problem.RouteNotFound, "There is no route %s.", message.Short(r.URL.EscapedPath()))
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if op := t.operations[method]; op != nil {
		return op, nil
	}
	return nil, notAllowed(t.allow, problem.New(problem.MethodNotAllowed, "%s does not take %s; it takes %s.",
		message.Short(r.URL.EscapedPath()), message.Short(r.Method), t.allow))
}

// notAllowed adds its header to method_not_allowed.
func notAllowed(allow string, p *problem.Problem) error {
	return &message.HeaderError{Problem: p, Name: "Allow", Value: allow}
}

// firstRefusal picks the error that comes first: no such route, or a key that
// does not work. A client that sends a bad key gets that error for any path
// (contract: AUTH.INVALID, LIFE.DELETED), unless it meant another host.
func (s *Server) firstRefusal(in *message.Request, p message.Provenance, unfound, unauthorized error) error {
	sentKey := wire.SentKey(in.HTTP.Header) != "" || p.Vouched && len(p.Credentials) > 0
	if sentKey && s.isHere(in.HTTP) {
		return cmp.Or(unauthorized, unfound)
	}
	return cmp.Or(unfound, unauthorized)
}

// rules are those of the head of a request that has a route and a key, in the contract's order.
func rules(in *message.Request, b *bound, t *route) (csv bool, err error) {
	if err := rightSystem(&b.Operation, in.Caller); err != nil {
		return false, err
	}
	if b.sameSite {
		if err := b.sameSiteOnly(in.HTTP); err != nil {
			return false, err
		}
	}
	if sent := in.HTTP.Header[wire.HeaderVersion]; len(sent) > 0 {
		if err := wantedVersion(sent); err != nil {
			return false, err
		}
	}
	if t.har {
		return false, nil
	}
	return negotiate(in.HTTP, b, t.csv)
}

// identify finds the caller, and its sandbox unless that is for another node. Open routes do not look at
// keys (contract: OPEN.AUTH.KEY_IGNORED). Where no route was found, a key that
// works still decides whose budget is spent and how the response is dated.
func (s *Server) identify(in *message.Request, p message.Provenance) error {
	if in.Operation != nil && in.Operation.System == operation.Open {
		return nil
	}
	if !p.Vouched && wire.SentTwice(in.HTTP.Header) {
		return problem.New(problem.BadRequest, "The request has a header with a key twice, and only one can be meant.")
	}
	credential, err := s.credential(in, p)
	if err != nil {
		return err
	}
	if in.Caller, err = s.recognise(in.Context(), in.Arrived, in.Network, credential); err != nil {
		return err
	}
	in.Credentials = append(in.Credentials, credential)
	if s.options.Before == nil {
		in.Sandbox = s.registry.Sandbox(in.Caller.SandboxID)
		in.At = in.Sandbox.AsOf(in.Arrived)
	}
	return nil
}

// credential is that with which a request came.
func (s *Server) credential(in *message.Request, p message.Provenance) (apikey.Credential, error) {
	if len(p.Credentials) > 0 {
		return p.Credentials[0], nil
	}
	key := wire.SentKey(in.HTTP.Header)
	if key == "" {
		return apikey.Credential{}, noKey(in.HTTP.Header, "This route requires a key.", "")
	}
	if isReview(key) && !s.gate.Shuts(in.Arrived.Time(), in.Network) {
		return s.registry.Reviewer(in.Context(), key)
	}
	c, _ := apikey.Parse(key) // zero for a text that cannot be a key
	return c, nil
}

// otherKey notes the key of the other system that the console sends beside its own.
func (s *Server) otherKey(in *message.Request, p message.Provenance) {
	if len(p.Credentials) > 1 {
		in.Other = &p.Credentials[1]
	}
	if key := in.HTTP.Header.Get(wire.HeaderOtherKey); key != "" && !p.Vouched {
		c, _ := apikey.Parse(key)
		in.Other = &c
	}
}
