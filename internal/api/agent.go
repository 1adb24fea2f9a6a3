package api

import (
	"net/http"
	"time"

	"platen/internal/api/message"
	"platen/internal/edge/ratelimit"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// Recognise returns the caller that a credential belongs to, or refuses with
// unauthorized; a grading key with wrong_system, since agents play (contract:
// OPEN.MCP.EVALUATION).
func (s *Server) Recognise(r *http.Request, c apikey.Credential) (sandbox.Caller, error) {
	if c.System == apikey.Grading {
		return sandbox.Caller{}, problem.New(problem.WrongSystem, "The agent endpoint takes no grading key.").
			Hinting("Connect with the key that begins with %s.", apikey.OfficePrefix)
	}
	return s.recognise(s.outline(r), c)
}

// KeysOf returns the keys of both systems of the sandbox that a credential opens, or refuses
// with unauthorized.
func (s *Server) KeysOf(r *http.Request, c apikey.Credential) (apikey.Pair, error) {
	return s.registry.KeysOf(r.Context(), c)
}

// Shuts reports whether the network of a request is shut out: its key is not
// looked up then.
func (s *Server) Shuts(r *http.Request) bool {
	in := s.outline(r)
	return s.gate.Shuts(in.At.Time(), in.Network)
}

// Spent reports whether the network of a request has nothing left of its budget for requests without
// a key.
func (s *Server) Spent(r *http.Request) bool {
	in := s.outline(r)
	return s.gate.Look(in.At.Time(), in.Network, ratelimit.Caller{}).Remaining == 0
}

// Enter spends the cost of a message from a known caller for which no operation
// runs: a token of its network. It refuses when there is none, and while the
// server stops.
func (s *Server) Enter(r *http.Request) error {
	if s.stopping.Load() {
		return message.Stopping()
	}
	in := s.outline(r)
	spent := s.gate.Enter(in.At.Time(), in.Network)
	return s.passed(in, &spent)
}

// Spend takes the price of a request for which no operation runs from the
// budget of the holder of a credential. It refuses as Enter does.
func (s *Server) Spend(r *http.Request, as apikey.Credential) error {
	in := s.paying(r, as)
	if s.options.Before != nil && in.Caller != (sandbox.Caller{}) { // the key's budget is spent where its sandbox is
		in.Pays = func(at time.Time) ratelimit.Decision { return s.gate.Enter(at, in.Network) }
	}
	if _, err := s.pay(in); err != nil {
		return err
	}
	if s.stopping.Load() {
		return message.Stopping()
	}
	return nil
}

// Remaining returns the rest of the budget of a credential's holder. It spends nothing.
func (s *Server) Remaining(r *http.Request, as apikey.Credential) message.Budget {
	var spent ratelimit.Decision
	return s.remaining(s.paying(r, as), &spent)
}

// paying is a request for nothing whose caller pays: the holder of a credential, or a
// client without a key for one that is zero or does not work.
func (s *Server) paying(r *http.Request, as apikey.Credential) *message.Request {
	in := s.outline(r)
	if as != (apikey.Credential{}) {
		in.Caller, _ = s.recognise(in, as)
	}
	return in
}

// Envelope renders the response of a tool that runs no operation: its data,
// which must encode as JSON (contract: ENV.SUCCESS), or the error, when there
// is one (contract: ENV.FAILURE). An error that is no problem is internal:
// it is logged, and not shown.
func (s *Server) Envelope(data any, err error) []byte {
	in := s.outline(&http.Request{})
	if err != nil {
		return s.errors.Response(in, in.At, err).Body()
	}
	out := message.Response{Meta: message.MetaOf(in, nil, in.At), Data: wire.Encode(data)}
	return out.Body()
}
