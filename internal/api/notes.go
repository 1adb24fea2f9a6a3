package api

import (
	"bytes"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"platen/internal/api/message"
	"platen/internal/desk"
	"platen/internal/desk/activity"
	"platen/internal/edge/ratelimit"
	"platen/internal/operation"
	"platen/internal/sandbox/apikey"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// maxPath is the largest part of a path that is remembered, in bytes.
const maxPath = 200

// webhooksPath begins the paths of webhooks, whose URLs may be secret.
const webhooksPath = "/webhooks"

// notes returns the layer that records each request once, before its response is sent, and turns panics behind
// it into responses.
func (s *Server) notes(next message.Handler) message.Handler {
	return func(r *message.Request) (out *message.Response) {
		traced := r.Sandbox != nil && !r.Watching && !r.Traceless()
		if traced {
			leave := r.Sandbox.Enter()
			defer leave()
		}
		defer func() {
			switch v := recover(); {
			case v == http.ErrAbortHandler: //nolint:errorlint // the sentinel is panicked as it is
				panic(v)
			case v != nil:
				out = s.refuse(r, s.panicked(r, v))
			}
			if out.Gone || out.Relayed {
				return
			}
			now := s.registry.Now()
			if traced && !out.DryRun && r.HTTP.Method != http.MethodOptions {
				s.notice(r, out, now)
			}
			// Reading the remembered requests is not remembered itself: such a read could never get a 304.
			if traced && !out.Unreached && (r.Operation == nil || r.Operation.Resource != operation.CallResource) {
				s.remember(r, out, now)
			}
			if s.options.Observe != nil {
				s.options.Observe(answered(r, out))
			}
		}()
		return next(r)
	}
}

// panicked logs a panic, and returns the error of its request.
func (s *Server) panicked(r *message.Request, v any) error {
	s.log.Error("panic", append(r.Logged(), "panic", v, "stack", string(debug.Stack()))...)
	return problem.New(problem.InternalError, "Something went wrong on our side.")
}

// notice shows the request to the missions.
func (s *Server) notice(r *message.Request, out *message.Response, now moment.Instant) {
	s.described(r, out, now)
	r.Sandbox.Observe(r.Context(), &out.Facts)
}

// described completes the facts of a response.
func (*Server) described(r *message.Request, out *message.Response, now moment.Instant) {
	c := &out.Facts
	c.Arrived, c.Answered, c.Status, c.Replayed = r.Arrived, now, out.Status, out.Replayed
	c.Code, c.RetryAt = out.Code, out.RetryAt
	c.Factory, c.Agent = r.Caller.System == apikey.Factory, r.Agent
	c.Business = r.Operation != nil &&
		(r.Operation.System == operation.Office || r.Operation.System == operation.Factory)
	switch r.HTTP.Method {
	case http.MethodGet:
		if out.Tag != "" && r.Operation != nil && r.Operation.Kind != operation.Poll { // who waits may ask again
			c.Read = activity.Read{
				What: message.HashOf(r.HTTP.URL.Path, r.HTTP.URL.RawQuery), Tag: message.HashOf(out.Tag),
			}
		}
		c.CSV = r.CSV
	case http.MethodHead: // nothing was read
		c.Page, c.FeedRange = activity.Page{}, activity.FeedRange{}
	default:
		c.Write = true
	}
	if r.HTTP.Method != http.MethodHead {
		// A stream names none: it is the archive of requests, which shows what was sent before.
		var body []byte
		c.Names = func(id string) bool {
			if body == nil {
				body = out.Body()
			}
			return bytes.Contains(body, []byte(id))
		}
	}
}

// remember puts the request into the list of its sandbox (contract: OPEN.ROUTE.REQUESTS), with its bodies: without them
// when a budget refused it, which costs its client nothing. A severed response is left out.
func (s *Server) remember(r *message.Request, out *message.Response, now moment.Instant) {
	path := r.HTTP.URL.EscapedPath()
	if len(path) > maxPath {
		path = path[:maxPath] + "…"
	}
	call := desk.Call{
		ID: r.ID, Method: message.Short(r.HTTP.Method), Path: path,
		System: r.Caller.System, Status: out.Status,
		Code: string(out.Code), Replayed: out.Replayed, Faults: out.Facts.Injected, Key: out.Facts.Key,
		Traceparent: traceOf(r.HTTP.Header).Parent,
		At:          now, Milliseconds: time.Since(r.Began).Milliseconds(), First: out.First, Last: out.Last,
	}
	if r.Operation != nil {
		call.Operation = r.Operation.ID
	}
	if s.options.Bodies && !out.Refused() {
		e := desk.Exchange{
			Query: r.HTTP.URL.RawQuery, IdempotencyKey: message.Short(r.HTTP.Header.Get(wire.HeaderIdempotencyKey)),
			Request: r.Body.Received(),
		}
		e.RequestBytes = int64(len(e.Request))
		if out.Severed == message.Unsevered {
			e.Response, e.ResponseBytes = out.Excerpt(desk.MaxExchangeBody)
		}
		call.Exchange = e.Kept(r.Operation != nil && strings.HasPrefix(r.Operation.Path, webhooksPath))
	}
	r.Sandbox.Note(call)
}

// Answered describes one request when its response is known. It holds nothing that
// could be a key: neither the path nor the query, no body, and of the headers only one that was checked.
type Answered struct {
	ID     string
	Method string
	// Operation and Route are those of the table, "" where no route was found.
	Operation, Route string
	// Watching is set for requests of the console.
	Watching bool
	Status   int
	// Code is that of an error, "" for none.
	Code      problem.Code
	SandboxID string
	// Traceparent is that of its trace context, "" for none. It is hexadecimal digits.
	Traceparent string
	// Network is the network group of a caller that was over a limit, "" for
	// others.
	Network string
	Took    time.Duration
	// Budget is the decision on the caller's budgets.
	Budget *ratelimit.Decision
}

func answered(r *message.Request, out *message.Response) *Answered {
	a := &Answered{
		ID: r.ID, Method: message.Short(r.HTTP.Method), Status: out.Status, Code: out.Code,
		SandboxID: r.Caller.SandboxID, Took: time.Since(r.Began), Budget: &out.Spent,
		Traceparent: traceOf(r.HTTP.Header).Parent,
	}
	if out.Refused() {
		a.Network = r.Network.String()
	}
	if r.Operation != nil {
		a.Operation, a.Route = r.Operation.ID, wire.BasePath+r.Operation.Path
	}
	if r.Watching {
		a.Watching, a.Route = true, r.HTTP.URL.Path // one of a few
	}
	return a
}
