// Package router is the layer that finds where a request is served. It follows the door, and
// knows the nodes of a server that shares its storage. A sandbox of another node is served there, and the
// response is passed on as it came. Without peers there is no such layer.
package router

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"platen/internal/api/message"
	"platen/internal/cluster/hop"
	"platen/internal/cluster/node"
	"platen/internal/cluster/ownership"
	"platen/internal/edge/admission"
	"platen/internal/edge/ratelimit"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/store"
	"platen/internal/words/problem"
)

// AdmissionRole is that of the node that hands out places.
const AdmissionRole = "admission"

// Gate keeps the budgets of networks, which are spent where a request arrives.
type Gate interface {
	Admit(at time.Time, group netip.Prefix, caller ratelimit.Caller) ratelimit.Decision
	Enter(at time.Time, group netip.Prefix) ratelimit.Decision
	Cooldown() ratelimit.Penalty
	Budget(name ratelimit.Name) ratelimit.Budget
}

// Options configure a router.
type Options struct {
	Node     *node.Node
	Road     *hop.Road
	Registry *sandbox.Registry
	Gate     Gate
	// Admitting returns the controller of this node, which has the role of handing out
	// places by a record.
	Admitting func(ctx context.Context, role store.Record) (*admission.Controller, error)
	// Counted is called with the outcome of each attempt to send a request on.
	Counted func(outcome string)
	// Stopping reports whether the server stops.
	Stopping func() bool
	Log      *slog.Logger
}

// Router sends requests to the nodes that own their sandboxes.
type Router struct {
	Options

	// keys are the budgets of keys. The owner of their sandbox keeps them, exact without
	// a server that shares them.
	keys *ratelimit.Gate
}

// New returns a router.
func New(o Options) (*Router, error) {
	keys, err := ratelimit.New(ratelimit.Options{Key: o.Gate.Budget(ratelimit.Key), Cooldown: o.Gate.Cooldown()})
	if err != nil {
		return nil, fmt.Errorf("set the budgets of keys: %w", err)
	}
	return &Router{Options: o, keys: keys}, nil
}

// Layer is the layer behind the door.
func (t *Router) Layer(next message.Handler) message.Handler {
	return func(r *message.Request) *message.Response {
		if len(r.Exposed) > 0 {
			return next(r)
		}
		copied := *r
		r = &copied
		if spent := t.arrive(r); spent != nil {
			r.Pays = func(time.Time) ratelimit.Decision { return *spent }
		}
		r.Places = t.places
		if r.Caller == (sandbox.Caller{}) || r.Decided != nil || t.Stopping() || !passes(r) {
			return next(r)
		}
		out, err := t.forward(r, t.Node.Search(r.Caller.SandboxID, r.Vouched), t.transferOf(r, nil))
		switch {
		case err != nil:
			r.Refusal = err
			return next(r)
		case out != nil:
			return out
		}
		return next(t.enter(r))
	}
}

// arrive spends what a request costs where it arrives, its network's budget, and returns nothing for one that
// costs nothing there.
func (t *Router) arrive(r *message.Request) *ratelimit.Decision {
	var spent ratelimit.Decision
	switch at := r.Arrived.Time(); {
	case r.Watching:
		return nil
	case r.Vouched:
	case r.Caller == (sandbox.Caller{}):
		spent = t.Gate.Admit(at, r.Network, ratelimit.Caller{})
	default:
		spent = t.Gate.Enter(at, r.Network)
	}
	return &spent
}

// passes reports whether a request has been paid for where it arrived.
func passes(r *message.Request) bool {
	if r.Pays == nil {
		return true
	}
	spent := r.Pays(time.Time{})
	return spent.Outcome == ratelimit.Passed || spent.Outcome == ""
}

// enter enters a sandbox that is this node's, where the key's budget is spent, but for the
// console, which has one of its own.
func (t *Router) enter(r *message.Request) *message.Request {
	r.Sandbox = t.Registry.Sandbox(r.Caller.SandboxID)
	r.At = r.Sandbox.AsOf(r.Arrived)
	if !r.Watching {
		caller := ratelimit.Caller{Sandbox: r.Caller.SandboxID, System: string(r.Caller.System)}
		r.Pays = func(at time.Time) ratelimit.Decision { return t.keys.Admit(at, netip.Prefix{}, caller) }
	}
	return r
}

// places returns this node's admission controller, or the response of the node that holds that role.
func (t *Router) places(r *message.Request, decided json.RawMessage) (*admission.Controller, *message.Response, error) {
	here := r.Vouched && (r.Caller == (sandbox.Caller{}) || r.Decided != nil)
	search := t.Node.Role(AdmissionRole, here)
	out, err := t.forward(r, search, t.transferOf(r, decided))
	if out != nil || err != nil {
		return nil, out, err
	}
	c, err := t.Admitting(r.Context(), search.Record())
	return c, nil, err
}

// transfer is how a request gets to another node.
type transfer struct {
	// send sends it, take takes the response.
	send func(ctx context.Context, to *store.Node) (*hop.Response, error)
	take func(*hop.Response) (*message.Response, error)
	// repeats is set for a request that may be done twice.
	repeats bool
}

// transferOf is the transfer of the request itself, whose response goes to the client.
func (t *Router) transferOf(r *message.Request, decided json.RawMessage) transfer {
	reads := r.HTTP.Method == http.MethodGet || r.HTTP.Method == http.MethodHead
	return transfer{
		send: func(ctx context.Context, to *store.Node) (*hop.Response, error) {
			var body []byte
			var fault problem.Code
			if !reads {
				var err error
				if body, err = r.Body.Bytes(); err != nil { // the owner reports that in its turn
					p, ok := errors.AsType[*problem.Problem](err)
					if !ok || p.Code == problem.Unavailable {
						return nil, err
					}
					fault = p.Code
				}
			}
			return t.Road.Send(ctx, to, r.HTTP, body, callOf(r, decided, fault))
		},
		take:    t.relay,
		repeats: reads,
	}
}

// callOf describes a request to another node.
func callOf(r *message.Request, decided json.RawMessage, fault problem.Code) hop.Call {
	c := hop.Call{
		RequestID: r.ID, Credentials: r.Credentials, Agent: r.Agent, Fault: string(fault), Decided: decided,
	}
	if r.Network.IsValid() {
		c.Network = r.Network.String()
	}
	if r.Other != nil && len(c.Credentials) > 0 {
		c.Credentials = append(c.Credentials[:1:1], *r.Other)
	}
	return c
}

// forward goes on with a search until it says that the request is to be served here, which is no response, or
// until another node has one.
func (t *Router) forward(r *message.Request, search *node.Search, p transfer) (*message.Response, error) {
	for {
		step, err := search.Next(r.Context())
		switch {
		case err != nil:
			return t.unplaced(r, err)
		case step == ownership.Serve:
			return nil, nil //nolint:nilnil // it is served here
		case step == ownership.Misdirect:
			return misdirected(search), nil
		}
		if out, err := t.sendOn(r, search, p); out != nil || err != nil {
			return out, err
		}
	}
}

// unplaced is the outcome of a request for which no owner was found.
func (t *Router) unplaced(r *message.Request, err error) (*message.Response, error) {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, problem.New(problem.Unauthorized, "This key belongs to no sandbox; it may have been deleted.")
	case errors.Is(err, node.ErrDistrust) && r.Vouched:
		return verdict(http.StatusServiceUnavailable, hop.Distrusting, nil), nil
	default:
		return nil, Unsettled(err)
	}
}

// Unsettled is the error of a request when it could not be found out which node owns
// the sandbox, or when none may serve it at the moment. Nothing was changed.
func Unsettled(err error) error {
	if !errors.Is(err, node.ErrDistrust) && !errors.Is(err, node.ErrUnsettled) && !errors.Is(err, node.ErrElsewhere) {
		return err
	}
	p := problem.New(problem.Unavailable, "The server that has this sandbox does not respond at the moment.").
		Hinting("Nothing was changed. Send the request again after Retry-After.")
	p.RetryAfter = 1
	return fmt.Errorf("%w: %w", err, p)
}

// misdirected tells another node that the sandbox is not this one's.
func misdirected(search *node.Search) *message.Response {
	var owner *hop.Owner
	if n := search.Owner(); n != nil {
		owner = &hop.Owner{Session: n.Session, Epoch: search.Known().Epoch, Address: n.Address}
	}
	return verdict(http.StatusMisdirectedRequest, hop.Misdirected, owner)
}

// verdict is the response to another node that is a verdict alone.
func verdict(status int, v hop.Verdict, owner *hop.Owner) *message.Response {
	out := &message.Response{Status: status, Header: http.Header{}, Relayed: true}
	hop.Say(out.Header, v, owner)
	return out
}

// sendOn sends the request to the owner that a search has found, and takes its response.
// Without one it tells the search why, which then goes on; but a write of which it is not
// known whether it was done is not sent again.
func (t *Router) sendOn(r *message.Request, search *node.Search, p transfer) (*message.Response, error) {
	ctx, end := t.Node.Await(r.Context(), search.Owner().Session)
	var out *message.Response
	response, err := p.send(ctx, search.Owner())
	if err == nil && response.Verdict != hop.Served {
		defer end()
		response.Body.Close()
		t.Counted(string(response.Verdict))
		return nil, correct(search, response)
	}
	if err == nil {
		out, err = p.take(response)
	}
	if out != nil && out.Stream != nil { // the wait for the node ends with the stream
		out.Discard = end
	} else {
		end()
	}
	outcome := string(hop.Served)
	next := false
	switch {
	case err == nil:
	case r.Context().Err() != nil:
		outcome, out, err = "gone", &message.Response{Gone: true, Relayed: true}, nil
	case errors.Is(err, hop.ErrAbsent):
		outcome, next = "absent", true
		search.Absent()
	case errors.Is(err, hop.ErrUnsent):
		outcome, next = "unreachable", true
		search.Silent()
	case errors.Is(context.Cause(ctx), node.ErrEnded) && p.repeats,
		errors.Is(err, hop.ErrSilent) && p.repeats:
		outcome, next = "silent", true
		search.Silent()
	case errors.Is(context.Cause(ctx), node.ErrEnded), errors.Is(err, hop.ErrSilent):
		outcome = "unknown"
		t.Log.Warn("a server did not answer a write", append(r.Logged(), "error", err)...)
		err = problem.New(problem.InternalError,
			"The server that has this sandbox did not answer. It is not known whether the request was done.")
	}
	t.Counted(outcome)
	if next {
		return nil, nil //nolint:nilnil // the search goes on
	}
	return out, err
}

// correct tells a search why another node has done nothing.
func correct(search *node.Search, response *hop.Response) error {
	switch response.Verdict {
	case hop.Misdirected:
		if o := response.Owner; o != nil {
			search.Misdirected(store.Fence{Owner: o.Session, Epoch: o.Epoch},
				&store.Node{Session: o.Session, Address: o.Address})
		} else {
			search.Misdirected(store.Fence{}, nil)
		}
	case hop.Replaced:
		search.Replaced()
	case hop.Distrusting:
		search.Distrusting()
	case hop.Served:
	default:
		return fmt.Errorf("another server gave the verdict %q", response.Verdict)
	}
	return nil
}

// Revoke revokes a key, wherever its sandbox is.
func (t *Router) Revoke(ctx context.Context, requestID, key string) error {
	c, _ := apikey.Parse(key)
	caller, err := t.Registry.Recognise(ctx, c)
	if err != nil {
		return nil //nolint:nilerr // it works no more
	}
	asked, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+hop.RevokePath, http.NoBody)
	if err != nil {
		return fmt.Errorf("ask the owner to revoke a key: %w", err)
	}
	asked.URL.Path = hop.RevokePath
	search := t.Node.Search(caller.SandboxID, false)
	out, err := t.forward(&message.Request{HTTP: asked, ID: requestID}, search, transfer{
		send: func(ctx context.Context, to *store.Node) (*hop.Response, error) {
			call := hop.Call{RequestID: requestID, Credentials: []apikey.Credential{c}}
			return t.Road.Send(ctx, to, asked, nil, call)
		},
		take: func(response *hop.Response) (*message.Response, error) {
			response.Body.Close()
			if response.StatusCode != http.StatusNoContent {
				return nil, Unsettled(node.ErrUnsettled)
			}
			return &message.Response{}, nil
		},
		repeats: true,
	})
	if out != nil || err != nil {
		return err
	}
	return t.Registry.Revoke(ctx, key) //nolint:wrapcheck // a problem, or the name of what failed
}
