package api

import (
	"errors"
	"net/http"
	"net/netip"

	"platen/internal/company/mission"
	"platen/internal/problem"
	"platen/internal/sandbox"
)

// Act answers a request that the agent endpoint makes for whoever holds a key.
// It takes the road of any other request: the same budgets, idempotency, lease
// and log. The credential stands in the place of a key; the zero one is nobody.
func (s *Server) Act(w http.ResponseWriter, r *http.Request, as sandbox.Credential) {
	x := s.exchange(w, r, s.groupOf(r))
	x.agent = &as
	s.take(x, r)
}

// signals are what a success of the operation shows: of an agent's, also that
// it was one (contract: OPEN.MISSION.AGENT_CALL).
func (x *exchange) signals() mission.Signals {
	if x.agent != nil {
		return x.op.signals | mission.AgentCalled
	}
	return x.op.signals
}

// Recognise says whose a credential is, or refuses with unauthorized.
func (s *Server) Recognise(r *http.Request, c sandbox.Credential) (sandbox.Caller, error) {
	return s.recognise(r.Context(), s.registry.Now(), s.groupOf(r), c)
}

// KeysOf returns both keys of the sandbox that a credential opens, or refuses
// with unauthorized.
func (s *Server) KeysOf(r *http.Request, c sandbox.Credential) (sandbox.Keys, error) {
	return s.registry.KeysOf(r.Context(), c)
}

// Shuts reports whether the network of a request is shut out: nothing is looked
// up for it.
func (s *Server) Shuts(r *http.Request) bool {
	return s.gate.Shuts(s.registry.Now().Time(), s.groupOf(r))
}

// Enter spends what a message costs that no operation answers and that comes
// from somebody who is known: a token of its network. It refuses when there is
// none, and while the server stops.
func (s *Server) Enter(r *http.Request) error {
	x := s.exchange(nil, r, s.groupOf(r))
	if s.stopping.Load() {
		return stopping()
	}
	x.spent = s.gate.Enter(x.now.Time(), x.group)
	return x.passed()
}

// Spend takes the price of a request that no operation answers from the budget
// of a caller; the zero Caller has no key. It refuses as Enter does.
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

// Show puts the headers into an answer that tell what a caller has left; the
// zero Caller has no key. It spends nothing.
func (s *Server) Show(h http.Header, r *http.Request, caller sandbox.Caller) {
	x := s.exchange(nil, r, s.groupOf(r))
	x.caller = caller
	x.showBudget(h)
}

// Success is the envelope of an answer that no operation gives (contract:
// ENV.SUCCESS). The data must encode as JSON.
func (s *Server) Success(data any) []byte {
	return s.exchange(nil, nil, netip.Prefix{}).success(nil, encode(data))
}

// Refusal is the envelope of a refusal (contract: ENV.FAILURE). An error that
// is no problem is ours: it is logged, and not told.
func (s *Server) Refusal(err error) []byte {
	p, ok := errors.AsType[*problem.Problem](err)
	if !ok {
		s.log.Error("agent call failed", "error", err)
		p = problem.New(problem.InternalError, "Something went wrong on our side.")
	}
	return s.exchange(nil, nil, netip.Prefix{}).failure(nil, p)
}
