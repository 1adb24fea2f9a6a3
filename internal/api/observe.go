package api

import (
	"time"

	"platen/internal/problem"
	"platen/internal/ratelimit"
)

// Answered is one request once it was answered. It holds nothing that could be
// a key: neither the path nor the query, no header and no body.
type Answered struct {
	ID     string
	Method string
	// Operation and Route are those of the table, "" where no route was found.
	Operation, Route string
	// Watching is set for what the console asks for; a stream takes as long as
	// somebody looks.
	Watching bool
	Status   int
	// Code is that of a refusal, "" for none.
	Code      problem.Code
	SandboxID string
	// Network is the group of a caller who was over a limit, "" for others.
	Network string
	Took    time.Duration
	// Budget is what became of the caller's budgets.
	Budget *ratelimit.Decision
}

// observed tells the server's owner what became of a request.
func (x *exchange) observed() {
	if x.server.observe == nil {
		return
	}
	// It lives in the exchange, so that telling costs no memory.
	x.answered = Answered{
		ID: x.requestID, Method: short(x.r.Method), Status: x.status, Code: x.code, SandboxID: x.caller.SandboxID, Took: time.Since(x.began), Budget: &x.spent,
	}
	if x.spent.Outcome != "" && x.spent.Outcome != ratelimit.Passed {
		x.answered.Network = x.group.String()
	}
	if x.op != nil {
		x.answered.Operation, x.answered.Route = x.op.ID, x.op.route
	}
	if x.watching {
		x.answered.Watching, x.answered.Route = true, x.r.URL.Path // one of two
	}
	x.server.observe(&x.answered)
}
