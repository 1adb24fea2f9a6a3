package api

import (
	"time"

	"platen/internal/problem"
	"platen/internal/ratelimit"
)

// Answered describes one request after its response. It holds nothing that
// could be a key: neither the path nor the query, no header and no body.
type Answered struct {
	ID     string
	Method string
	// Operation and Route are those of the table, "" where no route was found.
	Operation, Route string
	// Watching is set for requests of the console; a stream takes as long as a
	// viewer stays.
	Watching bool
	Status   int
	// Code is that of a refusal, "" for none.
	Code      problem.Code
	SandboxID string
	// Network is the network group of a caller that was over a limit, "" for
	// others.
	Network string
	Took    time.Duration
	// Budget is the decision on the caller's budgets.
	Budget *ratelimit.Decision
}

// observed reports the finished request to the Observe option.
func (x *exchange) observed() {
	if x.server.observe == nil || x.relayed {
		return // another node has it
	}
	// It lives in the exchange, so that telling costs no memory.
	x.answered = Answered{
		ID: x.requestID, Method: short(x.r.Method), Status: x.status, Code: x.code, SandboxID: x.caller.SandboxID,
		Took: time.Since(x.began), Budget: &x.spent,
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
