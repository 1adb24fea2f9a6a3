package api

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"platen/internal/api/message"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
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
	if in.Exposed = keysIn(r); len(in.Exposed) > 0 {
		in.OwnBudget, in.Endpoint = true, s.exposed
		return in
	}
	t := &route{}
	unfound := s.unroutable(r)
	if unfound == nil {
		t = s.routeOf(r)
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

// find finds the operation and the caller of a request, and the first error. A client that sends a bad key gets that
// error for any path (contract: AUTH.INVALID, LIFE.DELETED), unless it meant another host.
func (s *Server) find(in *message.Request, t *route, p message.Provenance, unfound error) {
	var b *bound
	if unfound == nil {
		b, unfound = t.find(in.HTTP)
	}
	if b != nil {
		in.Operation, in.Endpoint = &b.Operation, b.endpoint
	}
	unauthorized := s.identify(in, p)
	if unauthorized == nil && unfound == nil {
		in.Archive = t.archive
		in.CSV, in.Refusal = rules(in, b, t)
		return
	}
	in.Refusal = cmp.Or(unfound, unauthorized)
	sentKey := wire.SentKey(in.HTTP.Header) != "" || p.Vouched && len(p.Credentials) > 0
	if sentKey && s.isHere(in.HTTP) {
		in.Refusal = cmp.Or(unauthorized, unfound)
	}
}

// outline is a request for nothing.
func (s *Server) outline(r *http.Request) *message.Request {
	now := s.registry.Now()
	return &message.Request{
		HTTP: r, ID: sandbox.NewID("req"), Began: time.Now(), Arrived: now, At: now,
		Network: s.network.Group(r.RemoteAddr, r.Header["X-Forwarded-For"]),
	}
}

// routeOf finds the route of a request, and puts the ids of its path where PathValue has them. One that is not there
// takes no method.
func (s *Server) routeOf(r *http.Request) *route {
	if found := s.routes[r.URL.EscapedPath()]; found != nil { // a path without ids is its own pattern
		return found
	}
	_, pattern := s.mux.Handler(r)
	found := s.routes[pattern]
	if found == nil {
		return &route{}
	}
	segments := strings.Split(r.URL.EscapedPath(), "/")
	for i, name := range found.names {
		if name != "" {
			value, _ := url.PathUnescape(segments[i]) // the mux has read it
			r.SetPathValue(name, value)
		}
	}
	return found
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
	if t.archive {
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
	var credential apikey.Credential
	var err error
	switch key := wire.SentKey(in.HTTP.Header); {
	case len(p.Credentials) > 0:
		credential = p.Credentials[0]
	case key == "":
		return noKey(in.HTTP.Header, "This route requires a key.", "")
	case strings.HasPrefix(key, apikey.ReviewPrefix) && !s.gate.Shuts(in.Arrived.Time(), in.Network):
		if credential, err = s.registry.Reviewer(in.Context(), key); err != nil {
			return err //nolint:wrapcheck // a problem
		}
	default:
		credential, _ = apikey.Parse(key) // zero for a text that cannot be a key
	}
	if in.Caller, err = s.recognise(in, credential); err != nil {
		return err
	}
	in.Credentials = append(in.Credentials, credential)
	if s.options.Before == nil {
		in.Sandbox = s.registry.Sandbox(in.Caller.SandboxID)
		in.At = in.Sandbox.AsOf(in.Arrived)
	}
	return nil
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
