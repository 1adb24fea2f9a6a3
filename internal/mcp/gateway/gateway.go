// Package gateway is the layer before the library that speaks the Model Context
// Protocol. The library runs without any state of its own; the parts it lacks
// are here: sessions that survive restarts, the gate for the header Accept, the
// checks of Host and Origin, the cost of a message, and errors that are always
// JSON-RPC.
package gateway

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"platen/internal/api/message"
	"platen/internal/mcp/session"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/words/wire"
)

const (
	// Sessionless is the first revision of the protocol that has no sessions.
	Sessionless = "2026-07-28"
	// maxBody is the most bytes of one request: 20 messages, of which few are
	// as large as the body of a call may be.
	maxBody = 64 << 10
	// exchangeBytes is about how much memory messages and their responses take up while they are under way.
	exchangeBytes = 2 * maxBody
	// maxBatch is the most messages of one request.
	maxBatch = 20

	headerSession  = "Mcp-Session-Id"
	headerRevision = "Mcp-Protocol-Version"
)

// Earlier are the revisions with sessions, newest first.
func Earlier() []string { return []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} }

// API is the part of the API that the agent endpoint uses: the gateway
// recognises keys and spends budgets, tools act. A zero Credential stands for
// no key. Errors are problems, or internal ones.
type API interface {
	// Do serves a request with its body through all the layers of any other, for the holder of
	// the key of a credential.
	Do(r *http.Request, body []byte, as apikey.Credential) *message.Response
	// Recognise returns the caller that a credential belongs to, KeysOf both
	// keys of its sandbox. They refuse a credential that does not work.
	Recognise(r *http.Request, c apikey.Credential) (sandbox.Caller, error)
	KeysOf(r *http.Request, c apikey.Credential) (apikey.Pair, error)
	// Shuts reports whether the network of a request is shut out, Spent whether it has nothing left
	// of its budget for requests without a key. Neither spends anything.
	Shuts(r *http.Request) bool
	Spent(r *http.Request) bool
	// Enter spends the cost of a message from a known caller, Spend the cost of
	// a request for which no operation runs. A credential that does not work
	// spends as none does.
	Enter(r *http.Request) error
	Spend(r *http.Request, as apikey.Credential) error
	// Share returns a share that holds nothing of the memory for what is under way. Hold notes that a request waits,
	// until end is called, and closes cut when it has to give way.
	Share() *message.Share
	Hold() (cut <-chan struct{}, end func())
	// Remaining returns the rest of the budget that Spend takes from. It spends
	// nothing.
	Remaining(r *http.Request, as apikey.Credential) message.Budget
	// Envelope renders the response of a tool that runs no operation: data, or
	// a refusal.
	Envelope(data any, err error) []byte
}

// Options configure a gateway.
type Options struct {
	// Sessionless serves every revision, Sessions those with sessions: a client without a key
	// would have to name its sandbox in every call, so that it is offered no other.
	Sessionless, Sessions *sdk.Server
	SessionStore          *session.Store
	API                   API
	// Serves reports whether a host is the server's own, Ours whether an Origin header names it.
	Serves, Ours func(string) bool
	Log          *slog.Logger
}

// Gateway is the handler of one address.
type Gateway struct {
	options Options
	// whole responds with one JSON object, stream with events.
	whole, stream http.Handler
}

// New returns a gateway.
func New(o Options) *Gateway {
	g := &Gateway{options: o}
	handler := func(whole bool) http.Handler {
		return sdk.NewStreamableHTTPHandler(g.server, &sdk.StreamableHTTPOptions{
			Stateless: true, JSONResponse: whole, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
			DisableLocalhostProtection: true, // Serves knows the public host too
		})
	}
	g.whole, g.stream = handler(true), handler(false)
	return g
}

// server picks the server for a request.
func (g *Gateway) server(r *http.Request) *sdk.Server {
	if RequestOf(r.Context()).Key != "" {
		return g.options.Sessionless
	}
	return g.options.Sessions
}

// Request is one request to the endpoint.
type Request struct {
	// Session is nil for a request without one.
	Session *session.Session
	// Key is the key of the headers, "" for none. It has not been checked yet
	// when there is a session: a key that does not work any more is reported to
	// the model.
	Key string
	// Request is the HTTP request itself, for the network that it comes from and the
	// time that it lasts.
	Request *http.Request

	left left

	// batched is set for a request of several messages. They are processed one
	// after the other: turn is held by the message in progress, and guards
	// answered, the number of bytes in the responses so far.
	batched  bool
	turn     sync.Mutex
	answered int
}

// Credential is the credential of the request's key, zero for a text that
// cannot be a key.
func (r *Request) Credential() apikey.Credential {
	c, _ := apikey.Parse(r.Key)
	return c
}

// maxAnswers is the number of bytes that the responses to a batch may have
// before its further messages are refused. A response by itself is not limited
// by it.
const maxAnswers = 256 << 10

// errLarge refuses a message of a batch.
var errLarge = &jsonrpc.Error{
	Code: codeRefused, Message: "The responses to this batch are too large: send this message by itself",
}

// Answer responds to a message: of a batch, when the messages before it have
// their responses and these leave room for it.
func (r *Request) Answer(answer func() (sdk.Result, error)) (sdk.Result, error) {
	if !r.batched {
		return answer()
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	if r.answered >= maxAnswers {
		return nil, errLarge
	}
	result, err := answer()
	if err == nil {
		b, encodeErr := json.Marshal(result)
		if encodeErr != nil {
			return nil, encodeErr
		}
		r.answered += len(b)
	}
	return result, err
}

type requestKey struct{}

// RequestOf returns the request that a context belongs to.
func RequestOf(ctx context.Context) *Request {
	v, ok := ctx.Value(requestKey{}).(*Request)
	if !ok {
		panic("a message came past the gateway")
	}
	return v
}

// ServeHTTP runs the steps of a request to the endpoint, one after the other.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v := &Request{Key: wire.SentKey(r.Header), Request: r}
	// A client that waits for a place or an event may wait longer than others,
	// but has to read the response when it comes.
	timed := newTimed(w)
	defer timed.renew() // for the rest of the response
	w = &budgeted{ResponseWriter: timed, api: g.options.API, request: v}
	if err := acceptable(r); err != nil {
		g.reject(w, r, err)
		return
	}
	if wire.SentTwice(r.Header) {
		g.reject(w, r, &refusal{status: http.StatusBadRequest, code: codeRefused,
			message: "Bad Request: a header with a key stands twice, and only one can be meant"})
		return
	}
	if err := g.fromHere(r); err != nil {
		g.reject(w, r, err)
		return
	}
	if g.options.API.Shuts(r) { // nothing is looked up for it
		if err := g.spend(r, false); err != nil {
			g.refuse(w, err)
			return
		}
	}
	if err := supported(r); err != nil && r.Method != http.MethodPost { // a message is read for its id
		g.reject(w, r, err)
		return
	}
	if err := g.recognise(v); err != nil {
		g.reject(w, r, err)
		return
	}
	switch r.Method {
	case http.MethodPost:
		g.post(w, r, v)
	case http.MethodDelete:
		g.end(w, r, v)
	default:
		w.Header().Set("Allow", "POST, DELETE")
		g.reject(w, r, &refusal{status: http.StatusMethodNotAllowed, code: codeRefused,
			message: "Method not allowed: there is no stream to listen to"}, v)
	}
}

// recognise finds the session of a request. The revision without sessions
// ignores the header.
func (g *Gateway) recognise(v *Request) error {
	r := v.Request
	id := r.Header.Get(headerSession)
	if id == "" || sessionless(r) {
		return nil
	}
	var err error
	v.Session, err = g.options.SessionStore.Find(r.Context(), id)
	if errors.Is(err, session.ErrUnknown) {
		return &refusal{
			status: http.StatusNotFound, code: codeNoSession,
			message: "Session not found: it has ended, or never was; send initialize without the header Mcp-Session-Id",
		}
	}
	return err
}

// supported refuses a revision of the protocol that the server does not know, so that its client does not look for the
// reason elsewhere in its request. The library does so for those before the first that has no sessions.
func supported(r *http.Request) error {
	revision := r.Header.Get(headerRevision)
	if revision <= Sessionless {
		return nil
	}
	known := append([]string{Sessionless}, Earlier()...)
	return &refusal{
		status: http.StatusBadRequest, code: codeRevision, data: map[string]any{
			"supported": known, "requested": message.Short(revision),
		},
		message: "Bad Request: Unsupported protocol version (supported versions: " + strings.Join(known, ",") + ")",
	}
}

func sessionless(r *http.Request) bool { return r.Header.Get(headerRevision) >= Sessionless }

// end ends a session at the wish of its client.
func (g *Gateway) end(w http.ResponseWriter, r *http.Request, v *Request) {
	if v.Session == nil {
		g.reject(w, r, &refusal{status: http.StatusBadRequest, code: codeRefused,
			message: "Bad Request: the header Mcp-Session-Id is missing"}, v)
		return
	}
	if err := g.spend(r, true); err != nil {
		g.refuse(w, err)
		return
	}
	if err := g.options.SessionStore.End(r.Context(), v.Session); err != nil {
		g.refuse(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// admit refuses a request before its body is read, when its messages could not be served: its key
// works not, or its client is unknown and has spent its budget. Further messages are checked as they
// are read. A tool reports a key of the revision without sessions.
func (g *Gateway) admit(v *Request) error {
	if v.Session != nil || sessionless(v.Request) {
		return nil
	}
	if v.Key != "" {
		if err := g.checkKey(v); err != nil {
			return cmp.Or(g.spend(v.Request, false), err)
		}
		return nil
	}
	if g.options.API.Spent(v.Request) {
		return g.spend(v.Request, false)
	}
	return nil
}

// post reads messages and has them processed.
func (g *Gateway) post(w http.ResponseWriter, r *http.Request, v *Request) {
	if err := g.admit(v); err != nil {
		g.refuse(w, err)
		return
	}
	if err := plain(r); err != nil {
		g.reject(w, r, err, v)
		return
	}
	share := g.options.API.Share()
	defer share.Give()
	if err := share.Take(r.Context(), exchangeBytes); err != nil {
		return // the client is gone
	}
	r = r.WithContext(share.Sharing(r.Context()))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		g.reject(w, r, unreadable(err), v)
		return
	}
	messages, err := read(body)
	if err != nil {
		g.reject(w, r, err, v)
		return
	}
	if err := supported(r); err != nil {
		g.refuseMessage(w, messages, cmp.Or(g.spend(r, false), err))
		return
	}
	if err := g.authorize(v, messages); err != nil {
		g.refuseMessage(w, messages, err)
		return
	}
	for _, m := range messages {
		err := m.badID()
		if err == nil && len(messages) == 1 {
			err = m.badParams()
		}
		if err != nil {
			g.refuseMessage(w, messages, err)
			return
		}
	}
	opens := slices.ContainsFunc(messages, rpcMessage.opens)
	if opens {
		if err := opening(messages, body); err != nil {
			g.refuseMessage(w, messages, err)
			return
		}
	}
	if opens && v.Session == nil && !sessionless(r) {
		id, opened, err := g.options.SessionStore.Open(r.Context())
		if err != nil {
			g.refuse(w, err)
			return
		}
		v.Session = opened
		w.Header().Set(headerSession, id)
	}
	w.Header().Set("X-Accel-Buffering", "no") // a proxy must not hold events back
	w.Header().Set("Cache-Control", "no-store")
	n := &normaliser{ResponseWriter: w, messages: messages}
	defer n.finish()
	v.batched = len(messages) > 1
	next := g.whole
	if slices.ContainsFunc(messages, rpcMessage.streams) {
		next = g.stream
	}
	again := r.WithContext(context.WithValue(r.Context(), requestKey{}, v))
	again.Body = io.NopCloser(bytes.NewReader(body))
	next.ServeHTTP(n, again)
}

// authorize checks the key of a request and spends the cost of its messages. A
// tool call spends by itself, once its sandbox is known, and reports a bad key
// as the model's tool error.
func (g *Gateway) authorize(v *Request, messages []rpcMessage) error {
	r := v.Request
	known := v.Session != nil
	calls := slices.ContainsFunc(messages, rpcMessage.calls)
	// A session whose client sends a key ends with the key; a call of a tool
	// reports that as the model's tool error.
	if v.Key != "" && (!known || !calls) && (!calls || !sessionless(r)) {
		if err := g.checkKey(v); err != nil {
			return cmp.Or(g.spend(r, false), err)
		}
		known = true
	}
	for _, m := range messages {
		if m.calls() {
			continue
		}
		if err := g.spend(r, known && !m.opens()); err != nil {
			return err
		}
	}
	return nil
}

// checkKey refuses a key that does not work.
func (g *Gateway) checkKey(v *Request) error {
	_, err := g.options.API.Recognise(v.Request, v.Credential())
	return err //nolint:wrapcheck // a problem, which the client reads
}

// spend takes the cost of a message from the budget of the network, and, unless
// its sender is known, from that of requests without a key.
func (g *Gateway) spend(r *http.Request, known bool) error {
	if known {
		return g.options.API.Enter(r) //nolint:wrapcheck // a problem, which the client reads
	}
	return g.options.API.Spend(r, apikey.Credential{}) //nolint:wrapcheck // a problem, which the client reads
}
