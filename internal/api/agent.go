package api

import (
	"errors"
	"net/http"
	"net/netip"

	"platen/internal/problem"
	"platen/internal/ratelimit"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
)

// Act serves a request that the agent endpoint makes for the holder of a key.
// The request passes the same steps as any other: the same budgets,
// idempotency, lease and log. The credential stands in the place of a key; the
// zero one stands for no key.
func (s *Server) Act(w http.ResponseWriter, r *http.Request, as apikey.Credential) {
	x := s.exchange(w, r, s.groupOf(r))
	x.agent = &as
	s.runExchange(x, r)
}

// Recognise returns the caller that a credential belongs to, or refuses with
// unauthorized; a grading key with wrong_system, since agents play (contract:
// OPEN.MCP.EVALUATION).
func (s *Server) Recognise(r *http.Request, c apikey.Credential) (sandbox.Caller, error) {
	if c.System == apikey.Grading {
		return sandbox.Caller{}, problem.New(problem.WrongSystem, "The agent endpoint takes no grading key.").
			Hinting("Connect with the key that begins with %s.", apikey.OfficePrefix)
	}
	return s.recognise(r.Context(), s.registry.Now(), s.groupOf(r), c)
}

// KeysOf returns the keys of both systems of the sandbox that a credential opens, or refuses
// with unauthorized.
func (s *Server) KeysOf(r *http.Request, c apikey.Credential) (apikey.Pair, error) {
	return s.registry.KeysOf(r.Context(), c)
}

// Shuts reports whether the network of a request is shut out: its key is not
// looked up then.
func (s *Server) Shuts(r *http.Request) bool {
	return s.gate.Shuts(s.registry.Now().Time(), s.groupOf(r))
}

// Spent reports whether the network of a request has nothing left of its budget for requests without
// a key.
func (s *Server) Spent(r *http.Request) bool {
	return s.gate.Look(s.registry.Now().Time(), s.groupOf(r), ratelimit.Caller{}).Remaining == 0
}

// Enter spends the cost of a message from a known caller for which no operation
// runs: a token of its network. It refuses when there is none, and while the
// server stops.
func (s *Server) Enter(r *http.Request) error {
	x := s.exchange(nil, r, s.groupOf(r))
	if s.stopping.Load() {
		return stopping()
	}
	x.spent = s.gate.Enter(x.now.Time(), x.group)
	return x.passed()
}

// Spend takes the price of a request for which no operation runs from the
// budget of the holder of a credential. It refuses as Enter does.
func (s *Server) Spend(r *http.Request, as apikey.Credential) error {
	x := s.spending(r, as)
	if err := x.admit(); err != nil {
		return err
	}
	if s.stopping.Load() {
		return stopping()
	}
	return nil
}

// Show adds the headers of the remaining budget of a credential's holder to a
// response. It spends nothing.
func (s *Server) Show(h http.Header, r *http.Request, as apikey.Credential) {
	s.spending(r, as).showBudget(h)
}

// spending is an exchange whose caller pays: the holder of a credential, or a
// client without a key for one that is zero or does not work.
func (s *Server) spending(r *http.Request, as apikey.Credential) *exchange {
	x := s.exchange(nil, r, s.groupOf(r))
	if as != (apikey.Credential{}) {
		x.caller, _ = s.recognise(r.Context(), x.now, x.group, as)
	}
	return x
}

// Envelope renders the response of a tool that runs no operation: its data,
// which must encode as JSON (contract: ENV.SUCCESS), or the refusal, when there
// is an error (contract: ENV.FAILURE). An error that is no problem is internal:
// it is logged, and not shown.
func (s *Server) Envelope(data any, err error) []byte {
	x := s.exchange(nil, nil, netip.Prefix{})
	if err == nil {
		return x.success(nil, encode(data))
	}
	p, ok := errors.AsType[*problem.Problem](err)
	if !ok {
		s.log.Error("agent call failed", "error", err)
		p = problem.New(problem.InternalError, "Something went wrong on our side.")
	}
	return x.failure(nil, p)
}

// byAgent reports whether the agent endpoint made the request, of this node or of the
// one that sent it on.
func (x *exchange) byAgent() bool { return x.agent != nil || x.forwarded != nil && x.forwarded.Agent }
