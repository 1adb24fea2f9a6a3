package api

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"platen/internal/api/message"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// noKey refuses a request without a key. One that came in another form is named, with the form to send, unless hint
// says that already.
func noKey(h http.Header, message, hint string) error {
	sentence, remedy := wire.Misplaced(h)
	p := problem.New(problem.Unauthorized, "%s", strings.TrimSpace(message+" "+sentence))
	if hint = cmp.Or(hint, remedy); hint != "" {
		return p.Hinting("%s", hint)
	}
	return p
}

// stillKnown refuses a request that lasts once a key that let it in was revoked
// (contract: AUTH.INVALID, OPEN.AUTH.REVOKED.LASTING).
func (s *Server) stillKnown(ctx context.Context, credentials []apikey.Credential) error {
	for _, c := range credentials {
		if _, err := s.registry.Recognise(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// recognise returns the caller that a credential belongs to. While the network of a request is
// shut out, its keys are only looked up in memory: a flood must not reach the
// storage.
func (s *Server) recognise(r *message.Request, c apikey.Credential) (sandbox.Caller, error) {
	if s.gate.Shuts(r.Arrived.Time(), r.Network) {
		return s.registry.Recall(c)
	}
	return s.registry.Recognise(r.Context(), c)
}

// rightSystem refuses a key that does not open the route: that of the other system
// (contract: AUTH.WRONG_SYSTEM), the grading key where nobody is judged, and in an
// evaluation those of its player where only the grading key may look or act (contract:
// OPEN.EVAL.GRADER, OPEN.EVAL.PLAYER).
func rightSystem(op *operation.Operation, caller sandbox.Caller) error {
	grades := caller.System == apikey.Grading
	switch {
	case op.System == operation.Open:
		return nil
	case caller.System == apikey.Review:
		return problem.New(problem.WrongSystem, "Read-only links work in the console only, not with the API.").
			Hinting("Requests take a key that begins with %s or %s.", apikey.OfficePrefix, apikey.FactoryPrefix)
	case grades && op.Grading == operation.GradingNot:
		return notForGraders(op)
	case op.System == operation.Shared && caller.Evaluation && !grades && op.Grading == operation.GradingAlone:
		return problem.New(problem.NotInEvaluation, "Players cannot use %s in an evaluation.", op.ID)
	case op.System == operation.Shared || op.System == operation.System(caller.System):
		return nil
	}
	return problem.New(problem.WrongSystem, "This route belongs to the other system.").
		Hinting("Use the key that begins with %s.", apikey.System(op.System).Prefix())
}

// notForGraders refuses a grading key, and says which key the route requires.
func notForGraders(op *operation.Operation) error {
	p := problem.New(problem.WrongSystem, "A grading key judges; it does not play.")
	switch op.System {
	case operation.Office, operation.Factory:
		return p.Hinting("This route is for players: it requires the key that begins with %s.",
			apikey.System(op.System).Prefix())
	default:
		return p.Hinting("This route is for players: it requires the key that begins with %s or %s.",
			apikey.OfficePrefix, apikey.FactoryPrefix)
	}
}

// grades reports whether a request has a grading key.
func grades(r *message.Request) bool { return r.Caller.System == apikey.Grading }
