package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"platen/internal/admission"
	"platen/internal/hop"
	"platen/internal/node"
	"platen/internal/ownership"
	"platen/internal/problem"
	"platen/internal/ratelimit"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/store"
	"platen/internal/wire"
)

// Peers are the other nodes of a server that shares its storage.
type Peers struct {
	Node *node.Node
	Road *hop.Road
	// Admitting returns the controller of this node, which has the role of handing out
	// places by a record.
	Admitting func(ctx context.Context, role store.Record) (*admission.Controller, error)
	// Counted is called with the outcome of each attempt to send a request on.
	Counted func(outcome string)
}

// copyPatience is how long a client may take to read a piece of a response that another
// node sends.
const copyPatience = 30 * time.Second

// peers are those of a server, with what the owner of a sandbox keeps for all.
type peers struct {
	Peers

	// keys are the budgets of keys. The owner of their sandbox keeps them, exact without
	// a server that shares them; those of networks are spent where a request arrives.
	keys *ratelimit.Gate
}

// newPeers takes the budgets of keys from the gate.
func newPeers(p *Peers, gate Gate) (*peers, error) {
	if p == nil {
		return nil, nil //nolint:nilnil // a server that works alone
	}
	keys, err := ratelimit.New(ratelimit.Options{Key: gate.Budget(ratelimit.Key), Cooldown: gate.Cooldown()})
	if err != nil {
		return nil, fmt.Errorf("set the budgets of keys: %w", err)
	}
	return &peers{Peers: *p, keys: keys}, nil
}

// admitShared is admit for a server among others: where a request arrives its network
// pays, where it is processed its key.
func (x *exchange) admitShared() error {
	switch at := x.now.Time(); {
	case x.forwarded != nil:
		return nil
	case x.caller == (sandbox.Caller{}):
		x.spent = x.server.gate.Admit(at, x.group, ratelimit.Caller{})
	default:
		x.spent = x.server.gate.Enter(at, x.group)
	}
	return x.passed()
}

// place finds out where the sandbox of the caller is processed, and enters it when that
// is here. It reports whether the request has been answered: by the node that owns the
// sandbox, or with who that is.
func (x *exchange) place() (answered bool, err error) {
	p := x.server.peers
	if p == nil || x.caller == (sandbox.Caller{}) || x.finishes() {
		return false, nil
	}
	answered, err = x.reach(p.Node.Search(x.caller.SandboxID, x.forwarded != nil), x.passage())
	if err != nil || answered {
		return answered, err
	}
	return false, x.enter()
}

// controller returns the one that hands out places, when that is this node's. Otherwise
// the request has been answered by the node whose it is.
func (x *exchange) controller() (c *admission.Controller, answered bool, err error) {
	p := x.server.peers
	if p == nil {
		return x.server.admission, false, nil
	}
	search := p.Node.Role(AdmissionRole, x.forwarded != nil && (x.caller == (sandbox.Caller{}) || x.finishes()))
	if answered, err = x.reach(search, x.passage()); err != nil || answered {
		return nil, answered, err
	}
	c, err = p.Admitting(x.r.Context(), search.Record())
	return c, false, err
}

// finishes reports whether the owner of the sandbox has done its part of the request.
func (x *exchange) finishes() bool { return x.forwarded != nil && x.forwarded.Decided != nil }

// AdmissionRole is that of the node that hands out places.
const AdmissionRole = "admission"

// passage is how a request gets to another node.
type passage struct {
	// send sends it, take takes the response.
	send func(ctx context.Context, to *store.Node) (*hop.Response, error)
	take func(*hop.Response) error
	// repeats is set for a request that may be done twice.
	repeats bool
}

// passage is that of the request itself, whose response goes to the client.
func (x *exchange) passage() passage {
	return passage{
		send: func(ctx context.Context, to *store.Node) (*hop.Response, error) {
			body, fault, err := x.bodyToSend()
			if err != nil {
				return nil, err
			}
			return x.server.peers.Road.Send(ctx, to, x.r, body, x.callToSend(fault))
		},
		take:    x.copy,
		repeats: x.r.Method == http.MethodGet || x.r.Method == http.MethodHead,
	}
}

// reach goes on with a search until it says that the request is to be processed here, or
// until another node has answered it. It reports which.
func (x *exchange) reach(search *node.Search, p passage) (answered bool, err error) {
	for {
		step, err := search.Next(x.r.Context())
		switch {
		case err != nil:
			return x.unplaced(err)
		case step == ownership.Serve:
			return false, nil
		case step == ownership.Misdirect:
			x.misdirect(search)
			return true, nil
		}
		if answered, err := x.sendOn(search, p); answered || err != nil {
			return answered, err
		}
	}
}

// enter enters a sandbox that is this node's, and spends the key's budget, but for the
// console, which has one of its own.
func (x *exchange) enter() error {
	x.sandbox = x.server.registry.Sandbox(x.caller.SandboxID)
	x.now = x.sandbox.AsOf(x.now)
	if x.watching {
		return nil
	}
	x.spent = x.server.peers.keys.Admit(x.now.Time(), netip.Prefix{}, budgeted(x.caller))
	return x.passed()
}

// unplaced is the outcome of a request for which no owner was found.
func (x *exchange) unplaced(err error) (answered bool, refusal error) {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return false, problem.New(problem.Unauthorized, "This key belongs to no sandbox; it may have been deleted.")
	case errors.Is(err, node.ErrDistrust) && x.forwarded != nil:
		x.sayTo(http.StatusServiceUnavailable, hop.Distrusting, nil)
		return true, nil
	default:
		return false, Unsettled(err)
	}
}

// Unsettled is the refusal of a request when it could not be found out which node owns
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

// misdirect answers another node that the sandbox is not this one's.
func (x *exchange) misdirect(search *node.Search) {
	var owner *hop.Owner
	if n := search.Owner(); n != nil {
		owner = &hop.Owner{Session: n.Session, Epoch: search.Known().Epoch, Address: n.Address}
	}
	x.sayTo(http.StatusMisdirectedRequest, hop.Misdirected, owner)
}

// sayTo answers another node with a verdict alone.
func (x *exchange) sayTo(status int, v hop.Verdict, owner *hop.Owner) {
	x.relayed = true
	hop.Say(x.w.Header(), v, owner)
	x.w.WriteHeader(status)
}

// sendOn sends the request to the owner that a search has found, and takes its response.
// Without one it tells the search why, which then goes on; but a write of which it is not
// known whether it was done is not sent again.
func (x *exchange) sendOn(search *node.Search, p passage) (answered bool, err error) {
	ctx, end := x.server.peers.Node.Await(x.r.Context(), search.Owner().Session)
	defer end()
	response, err := p.send(ctx, search.Owner())
	if err == nil {
		defer response.Body.Close()
		if response.Verdict != hop.Served {
			x.server.peers.Counted(string(response.Verdict))
			return false, tell(search, response)
		}
		err = p.take(response)
	}
	outcome := string(hop.Served)
	switch {
	case err == nil:
	case x.r.Context().Err() != nil:
		outcome, x.relayed, err = "gone", true, nil // the client reads no response
	case errors.Is(err, hop.ErrAbsent):
		outcome, err = "absent", errNext
		search.Absent()
	case errors.Is(err, hop.ErrUnsent):
		outcome, err = "unreachable", errNext
		search.Silent()
	case errors.Is(context.Cause(ctx), node.ErrEnded) && p.repeats,
		errors.Is(err, hop.ErrSilent) && p.repeats:
		outcome, err = "silent", errNext
		search.Silent()
	case errors.Is(context.Cause(ctx), node.ErrEnded), errors.Is(err, hop.ErrSilent):
		outcome = "unknown"
		x.server.log.Warn("a server did not answer a write", append(x.whereabouts(), "error", err)...)
		err = problem.New(problem.InternalError,
			"The server that has this sandbox did not answer. It is not known whether the request was done.")
	}
	x.server.peers.Counted(outcome)
	if errors.Is(err, errNext) {
		return false, nil
	}
	return err == nil, err
}

// errNext says that a search goes on.
var errNext = errors.New("the search goes on")

// tell tells a search why another node has done nothing.
func tell(search *node.Search, response *hop.Response) error {
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

// bodyToSend is the body of a request that is sent on, read once, and the code of what
// is wrong with it: the owner reports that in its turn.
func (x *exchange) bodyToSend() (body []byte, fault problem.Code, err error) {
	if x.r.Method == http.MethodGet || x.r.Method == http.MethodHead || x.bodySent != nil {
		return x.bodySent, x.bodyFault, nil
	}
	body, err = x.body()
	if x.bodySent = body; body == nil {
		x.bodySent = []byte{}
	}
	if p, ok := errors.AsType[*problem.Problem](err); ok && p.Code != problem.Unavailable {
		x.bodyFault, err = p.Code, nil
	}
	return x.bodySent, x.bodyFault, err
}

// callToSend is what this node knows of the request.
func (x *exchange) callToSend(fault problem.Code) hop.Call {
	c := hop.Call{
		RequestID: x.requestID, Credentials: x.credentials, Agent: x.agent != nil, Fault: string(fault),
	}
	if x.group.IsValid() {
		c.Network = x.group.String()
	}
	c.Decided = x.decided
	if other, ok := apikey.Parse(x.r.Header.Get(hop.OtherKey)); ok && x.watching {
		c.Credentials = append(c.Credentials[:1:1], other)
	}
	return c
}

// copy sends the response of another node to the client.
func (x *exchange) copy(response *hop.Response) error {
	h := x.w.Header()
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return fmt.Errorf("%w: %w", hop.ErrSilent, err)
		}
		maps.Copy(h, response.Header)
		x.relayed, x.status = true, response.StatusCode
		x.w.WriteHeader(response.StatusCode)
		x.w.Write(body)
		return nil
	}
	// A stream that breaks off is begun again by its reader.
	maps.Copy(h, response.Header)
	x.relayed, x.status = true, response.StatusCode
	x.w.WriteHeader(response.StatusCode)
	control := http.NewResponseController(x.w)
	piece := make([]byte, pieceBytes)
	for {
		n, err := response.Body.Read(piece)
		if n > 0 {
			_ = control.SetWriteDeadline(time.Now().Add(copyPatience)) // as for streams of this node
			if _, err := x.w.Write(piece[:n]); err != nil {
				return nil //nolint:nilerr // the client is gone
			}
			_ = control.Flush()
		}
		if err != nil {
			return nil //nolint:nilerr // the other node ended it
		}
	}
}

// pieceBytes is the most of a stream that is copied at once.
const pieceBytes = 16 << 10

// FromNodes serves requests that other nodes send on, and what nodes ask each other. self
// is what this process says of itself.
func (s *Server) FromNodes(self string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call, err := s.peers.Road.Open(r)
		if err != nil {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		if r.URL.Path == hop.SelfPath {
			hop.Say(w.Header(), hop.Served, nil)
			fmt.Fprint(w, self)
			return
		}
		if call.To != s.peers.Node.Session() {
			hop.Say(w.Header(), hop.Replaced, nil)
			w.WriteHeader(http.StatusMisdirectedRequest)
			return
		}
		if r.URL.Path == hop.RevokePath {
			s.revoked(w, r, call)
			return
		}
		s.receive(w, r, call)
	})
}

// receive processes a request that another node has sent on.
func (s *Server) receive(w http.ResponseWriter, r *http.Request, call *hop.Call) {
	hop.Say(w.Header(), hop.Served, nil)
	group, _ := netip.ParsePrefix(call.Network) // none for a peer without an address
	x := s.exchange(w, r, group)
	x.requestID, x.forwarded = call.RequestID, call
	s.runExchange(x, r)
}

// sentKey reports whether the client sent a key.
func (x *exchange) sentKey() bool {
	return wire.SentKey(x.r.Header) != "" || x.forwarded != nil && len(x.forwarded.Credentials) > 0
}

// otherCaller is the caller of the key of the other system that the console sends beside
// its own; not ok without one.
func (x *exchange) otherCaller() (other sandbox.Caller, ok bool, err error) {
	if x.forwarded != nil {
		if len(x.forwarded.Credentials) < 2 { //nolint:mnd // its own, and the other
			return sandbox.Caller{}, false, nil
		}
		other, err = x.recognise(x.forwarded.Credentials[1])
		return other, true, err
	}
	key := x.r.Header.Get(hop.OtherKey)
	if key == "" {
		return sandbox.Caller{}, false, nil
	}
	other, err = x.authenticate(key)
	return other, true, err
}

// revoke revokes a key, wherever its sandbox is.
func (x *exchange) revoke(key string) error {
	ctx, registry, p := x.r.Context(), x.server.registry, x.server.peers
	if p == nil {
		return registry.Revoke(ctx, key) //nolint:wrapcheck // a problem, or the name of what failed
	}
	c, _ := apikey.Parse(key)
	caller, err := registry.Recognise(ctx, c)
	if err != nil {
		return nil //nolint:nilerr // it works no more
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+hop.RevokePath, http.NoBody)
	if err != nil {
		return fmt.Errorf("ask the owner to revoke a key: %w", err)
	}
	r.URL.Path = hop.RevokePath
	answered, err := x.reach(p.Node.Search(caller.SandboxID, false), passage{
		send: func(ctx context.Context, to *store.Node) (*hop.Response, error) {
			return p.Road.Send(ctx, to, r, nil, hop.Call{RequestID: x.requestID, Credentials: []apikey.Credential{c}})
		},
		take: func(response *hop.Response) error {
			if response.StatusCode != http.StatusNoContent {
				return Unsettled(node.ErrUnsettled)
			}
			return nil
		},
		repeats: true,
	})
	if answered || err != nil {
		return err
	}
	return registry.Revoke(ctx, key) //nolint:wrapcheck // as above
}

// revoked revokes the key of a call, for another node.
func (s *Server) revoked(w http.ResponseWriter, r *http.Request, call *hop.Call) {
	if len(call.Credentials) != 1 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	hop.Say(w.Header(), hop.Served, nil)
	if err := s.registry.RevokeCredential(r.Context(), call.Credentials[0]); err != nil {
		s.log.Warn("revoke a key for another server", "error", err)
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
