package api

import (
	"errors"
	"net/http"
	"net/netip"

	"platen/internal/company/mission"
	"platen/internal/problem"
	"platen/internal/sandbox"
)

// Act serves a request that the agent endpoint makes for the holder of a key.
// The request passes the same steps as any other: the same budgets,
// idempotency, lease and log. The credential stands in the place of a key; the
// zero one stands for no key.
func (s *Server) Act(w http.ResponseWriter, r *http.Request, as sandbox.Credential) {
	x := s.exchange(w, r, s.groupOf(r))
	x.agent = &as
	s.take(x, r)
}

// signals are the signals of the operation's success: for an agent, also that
// an agent made the request (contract: OPEN.MISSION.AGENT_CALL).
func (x *exchange) signals() mission.Signals {
	if x.agent != nil {
		return x.op.signals | mission.AgentCalled
	}
	return x.op.signals
}

// Recognise returns the caller that a credential belongs to, or refuses with
// unauthorized.
func (s *Server) Recognise(r *http.Request, c sandbox.Credential) (sandbox.Caller, error) {
	return s.recognise(r.Context(), s.registry.Now(), s.groupOf(r), c)
}

// KeysOf returns both keys of the sandbox that a credential opens, or refuses
// with unauthorized.
func (s *Server) KeysOf(r *http.Request, c sandbox.Credential) (sandbox.Keys, error) {
	return s.registry.KeysOf(r.Context(), c)
}

// Shuts reports whether the network of a request is shut out: its key is not
// looked up then.
func (s *Server) Shuts(r *http.Request) bool {
	return s.gate.Shuts(s.registry.Now().Time(), s.groupOf(r))
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
// budget of a caller; the zero Caller has no key. It refuses as Enter does.
func (s *Server) Spend(r *http.Request, caller sandbox.Caller) error {
	x := s.exchange(nil, r, s.groupOf(r))
	x.caller = caller
	if err := x.admit(); err != nil {
		return err
	}
	if s.stopping.Load() {
		return stopping()
	}
	return nil
}

// Show adds the headers of a caller's remaining budget to a response; the zero
// Caller has no key. It spends nothing.
func (s *Server) Show(h http.Header, r *http.Request, caller sandbox.Caller) {
	x := s.exchange(nil, r, s.groupOf(r))
	x.caller = caller
	x.showBudget(h)
}

// Success is the envelope of a response that comes from no operation (contract:
// ENV.SUCCESS). The data must encode as JSON.
func (s *Server) Success(data any) []byte {
	return s.exchange(nil, nil, netip.Prefix{}).success(nil, encode(data))
}

// Refusal is the envelope of a refusal (contract: ENV.FAILURE). An error that
// is no problem is internal: it is logged, and not shown.
func (s *Server) Refusal(err error) []byte {
	p, ok := errors.AsType[*problem.Problem](err)
	if !ok {
		s.log.Error("agent call failed", "error", err)
		p = problem.New(problem.InternalError, "Something went wrong on our side.")
	}
	return s.exchange(nil, nil, netip.Prefix{}).failure(nil, p)
}
