package api

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"strings"

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
	if strings.HasPrefix(key, apikey.ReviewPrefix) {
		return x.reviewer(key)
	}
	c, _ := apikey.Parse(key) // zero for a text that cannot be a key
	return x.recognise(c)
}

// reviewer returns the caller that the token of a reviewer's link belongs to.
func (x *exchange) reviewer(token string) (sandbox.Caller, error) {
	if x.server.gate.Shuts(x.now.Time(), x.group) {
		return x.recognise(apikey.Credential{})
	}
	c, err := x.server.registry.Reviewer(x.r.Context(), token)
	if err != nil {
		return sandbox.Caller{}, err //nolint:wrapcheck // a problem
	}
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

// rightSystem refuses a key that does not open the route: that of the other system
// (contract: AUTH.WRONG_SYSTEM), the grading key where nobody is judged, and in an
// evaluation those of its player where only the grading key may look or act (contract:
// OPEN.EVAL.GRADER, OPEN.EVAL.PLAYER).
func rightSystem(op *bound, caller sandbox.Caller) error {
	grades := caller.System == apikey.Grading
	switch {
	case op.System == operation.Open:
		return nil
	case caller.System == apikey.Review:
		return problem.New(problem.WrongSystem, "A reviewer's link opens the console, and nothing of the API.").
			Hinting("Requests take a key that begins with %s or %s.", apikey.OfficePrefix, apikey.FactoryPrefix)
	case grades && op.Grading == operation.GradingNot:
		return notForGraders(op)
	case op.System == operation.Shared && caller.Evaluation && !grades && op.Grading == operation.GradingAlone:
		return problem.New(problem.NotInEvaluation, "In an evaluation %s is not for its player.", op.ID)
	case op.System == operation.Shared || op.System == operation.System(caller.System):
		return nil
	}
	return problem.New(problem.WrongSystem, "This route belongs to the other system.").
		Hinting("Use the key that begins with %s.", apikey.System(op.System).Prefix())
}

// notForGraders refuses a grading key, and says which key the route wants.
func notForGraders(op *bound) error {
	p := problem.New(problem.WrongSystem, "A grading key judges; it does not play.")
	switch op.System {
	case operation.Office, operation.Factory:
		return p.Hinting("This route is the player's: it wants the key that begins with %s.",
			apikey.System(op.System).Prefix())
	default:
		return p.Hinting("This route is the player's: it wants the key that begins with %s or %s.",
			apikey.OfficePrefix, apikey.FactoryPrefix)
	}
}

// grades reports whether the request has a grading key. Such a request leaves no trace
// but for what a write does: it is no request of the player, so it completes no mission,
// starts no clock, meets no fault and is in no list (contract: OPEN.EVAL.TRACE).
func (x *exchange) grades() bool { return x.caller.System == apikey.Grading }

// traceless reports whether the request is none of the player's: of a grader, or of a reviewer.
func (x *exchange) traceless() bool { return x.grades() || x.caller.System == apikey.Review }

// groupOf is the network that a request comes from.
func (s *Server) groupOf(r *http.Request) netip.Prefix {
	return s.network.Group(r.RemoteAddr, r.Header["X-Forwarded-For"])
}
