package api

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"

	"platen/internal/moment"
	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/wire"
)

func exchangeOf(w http.ResponseWriter) *exchange {
	x, ok := w.(*exchange)
	if !ok {
		panic("a request came past ServeHTTP")
	}
	return x
}

// identify finds the caller, and enters its sandbox. Open routes do not look at
// keys (contract: OPEN.AUTH.KEY_IGNORED). Where no route was found, a key that
// works still decides whose budget is spent and how the response is dated.
func (x *exchange) identify() error {
	if x.op != nil && x.op.System == operation.Open {
		return nil
	}
	if x.forwarded == nil && wire.SentTwice(x.r.Header) {
		return problem.New(problem.BadRequest, "The request has a header with a key twice, and only one can be meant.")
	}
	var err error
	switch {
	case x.forwarded != nil && len(x.forwarded.Credentials) > 0:
		x.caller, err = x.recognise(x.forwarded.Credentials[0])
	case x.agent != nil:
		x.caller, err = x.recognise(*x.agent)
	default:
		x.caller, err = x.authenticate(wire.SentKey(x.r.Header))
	}
	if err != nil || x.server.peers != nil { // then place finds the sandbox
		return err
	}
	x.sandbox = x.server.registry.Sandbox(x.caller.SandboxID)
	x.now = x.sandbox.AsOf(x.now)
	return nil
}

// firstRefusal picks the refusal that comes first: no such route, or a key that
// does not work. A client that sends a bad key gets that refusal for any path
// (contract: AUTH.INVALID, LIFE.DELETED), unless it meant another host.
func (x *exchange) firstRefusal(unfound, unauthorized error) error {
	if x.sentKey() && x.server.isHere(x.r) {
		return cmp.Or(unauthorized, unfound)
	}
	return cmp.Or(unfound, unauthorized)
}

// authenticate returns the caller that a key belongs to.
func (x *exchange) authenticate(key string) (sandbox.Caller, error) {
	if key == "" {
		return sandbox.Caller{}, problem.New(problem.Unauthorized, "This route requires a key.")
	}
	c, _ := apikey.Parse(key) // zero for a text that cannot be a key
	return x.recognise(c)
}

// recognise returns the caller that a credential belongs to, and notes that the
// request was let in by it.
func (x *exchange) recognise(c apikey.Credential) (sandbox.Caller, error) {
	caller, err := x.server.recognise(x.r.Context(), x.now, x.group, c)
	if err == nil {
		x.credentials = append(x.credentials, c)
	}
	return caller, err
}

// stillKnown refuses a request that lasts once a key that let it in was revoked
// (contract: AUTH.INVALID, OPEN.AUTH.REVOKED.LASTING).
func (x *exchange) stillKnown(ctx context.Context) error {
	for _, c := range x.credentials {
		if _, err := x.server.registry.Recognise(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// recognise returns the caller that a credential belongs to. While a network is
// shut out, its keys are only looked up in memory: a flood must not reach the
// storage.
func (s *Server) recognise(ctx context.Context, now moment.Instant, group netip.Prefix,
	c apikey.Credential) (sandbox.Caller, error) {
	if s.gate.Shuts(now.Time(), group) {
		return s.registry.Recall(c)
	}
	return s.registry.Recognise(ctx, c)
}

// rightSystem refuses a key of the other system (contract: AUTH.WRONG_SYSTEM).
func rightSystem(op *bound, caller sandbox.Caller) error {
	var want apikey.System
	switch op.System {
	case operation.Office:
		want = apikey.Office
	case operation.Factory:
		want = apikey.Factory
	case operation.Open, operation.Shared:
		return nil
	}
	if caller.System == want {
		return nil
	}
	return problem.New(problem.WrongSystem, "This route belongs to the other system.").
		Hinting("Use the key that begins with %s.", want.Prefix())
}

// groupOf is the network that a request comes from.
func (s *Server) groupOf(r *http.Request) netip.Prefix {
	return s.network.Group(r.RemoteAddr, r.Header["X-Forwarded-For"])
}
