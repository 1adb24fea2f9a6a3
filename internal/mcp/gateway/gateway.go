// Package gateway stands before the library that speaks the Model Context
// Protocol. The library runs without any state of its own; the parts it lacks
// are here: sessions that survive restarts, the gate for the header Accept, the
// checks of Host and Origin, the cost of a message, and errors that are always
// JSON-RPC.
package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"platen/internal/mcp/session"
	"platen/internal/wire"
)

const (
	// Sessionless is the first revision of the protocol that has no sessions.
	Sessionless = "2026-07-28"
	// maxBody is the most bytes of one request: 20 messages, of which few are
	// as large as the body of a call may be.
	maxBody = 64 << 10
	// maxBatch is the most messages of one request.
	maxBatch = 20

	headerSession  = "Mcp-Session-Id"
	headerRevision = "Mcp-Protocol-Version"
)

// Earlier are the revisions with sessions, newest first.
func Earlier() []string { return []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} }

// Policy decides which clients are offered the revision without sessions.
type Policy string

// Policies. A client without a session and without a key would have to name
// its sandbox in every call, so by default only clients with a key get it.
const (
	WithKey Policy = "with_key"
	Always  Policy = "always"
	Off     Policy = "off"
)

// Gate is the part of the API that the gateway uses: it recognises keys, and
// decides whether a message may pass. Errors are problems.
type Gate interface {
	// Knows refuses a key that does not work.
	Knows(r *http.Request, key string) error
	// Shuts reports whether the network of a request is shut out.
	Shuts(r *http.Request) bool
	// Anonymous spends the cost of a request without a key, Known that of a
	// request from a known caller.
	Anonymous(r *http.Request) error
	Known(r *http.Request) error
	// Show adds the headers of the remaining budget of a key, or of the
	// anonymous budget for a key that does not work. It spends nothing.
	Show(h http.Header, r *http.Request, key string)
}

// Options configure a gateway.
type Options struct {
	// Sessionless serves every revision, Sessions those with sessions.
	Sessionless, Sessions *sdk.Server
	Policy                Policy
	SessionStore          *session.Store
	Gate                  Gate
	// Origin is the scheme and host under which clients know the server, and
	// Serves reports whether a host is its own.
	Origin string
	Serves func(host string) bool
	Log    *slog.Logger
}

// Gateway is the handler of one address.
type Gateway struct {
	options Options
	// whole responds with one JSON object, stream with events.
	whole, stream http.Handler
}

// New returns a gateway.
func New(o Options) *Gateway {
	f := &Gateway{options: o}
	handler := func(whole bool) http.Handler {
		return sdk.NewStreamableHTTPHandler(f.server, &sdk.StreamableHTTPOptions{
			Stateless: true, JSONResponse: whole, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
			DisableLocalhostProtection: true, // Serves knows the public host too
		})
	}
	f.whole, f.stream = handler(true), handler(false)
	return f
}

// server picks the server for a request.
func (f *Gateway) server(r *http.Request) *sdk.Server {
	v := RequestOf(r.Context())
	if f.options.Policy == Always || f.options.Policy == WithKey && v.Key != "" {
		return f.options.Sessionless
	}
	return f.options.Sessions
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
func (v *Request) Answer(answer func() (sdk.Result, error)) (sdk.Result, error) {
	if !v.batched {
		return answer()
	}
	v.turn.Lock()
	defer v.turn.Unlock()
	if v.answered >= maxAnswers {
		return nil, errLarge
	}
	result, err := answer()
	if err == nil {
		b, encodeErr := json.Marshal(result)
		if encodeErr != nil {
			return nil, encodeErr
		}
		v.answered += len(b)
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
func (f *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v := &Request{Key: sentKey(r.Header), Request: r}
	// A client that waits for a place or an event may wait longer than others,
	// but has to read the response when it comes.
	timed := newTimed(w)
	defer timed.renew() // for the rest of the response
	w = &budgeted{ResponseWriter: timed, gate: f.options.Gate, request: v}
	if err := acceptable(r); err != nil {
		f.reject(w, r, err)
		return
	}
	if len(r.Header.Values("Authorization")) > 1 || len(r.Header.Values(wire.HeaderKey)) > 1 {
		f.reject(w, r, &refusal{status: http.StatusBadRequest, code: codeRefused,
			message: "Bad Request: a header with a key stands twice, and only one can be meant"})
		return
	}
	if err := f.fromHere(r); err != nil {
		f.reject(w, r, err)
		return
	}
	if f.options.Gate.Shuts(r) { // nothing is looked up for it
		if err := f.options.Gate.Anonymous(r); err != nil {
			f.refuse(w, err)
			return
		}
	}
	if err := f.recognise(v); err != nil {
		f.reject(w, r, err)
		return
	}
	switch r.Method {
	case http.MethodPost:
		f.post(w, r, v)
	case http.MethodDelete:
		f.end(w, r, v)
	default:
		w.Header().Set("Allow", "POST, DELETE")
		f.reject(w, r, &refusal{status: http.StatusMethodNotAllowed, code: codeRefused,
			message: "Method not allowed: there is no stream to listen to"}, v)
	}
}

// recognise finds the session of a request. The revision without sessions
// ignores the header.
func (f *Gateway) recognise(v *Request) error {
	r := v.Request
	id := r.Header.Get(headerSession)
	if id == "" || sessionless(r) {
		return nil
	}
	var err error
	v.Session, err = f.options.SessionStore.Find(r.Context(), id)
	if errors.Is(err, session.ErrUnknown) {
		return &refusal{
			status: http.StatusNotFound, code: codeNoSession,
			message: "Session not found: it has ended, or never was; send a new initialize request",
		}
	}
	return err
}

func sessionless(r *http.Request) bool { return r.Header.Get(headerRevision) >= Sessionless }

// end ends a session at the wish of its client.
func (f *Gateway) end(w http.ResponseWriter, r *http.Request, v *Request) {
	if v.Session == nil {
		f.reject(w, r, &refusal{status: http.StatusBadRequest, code: codeRefused,
			message: "Bad Request: the header Mcp-Session-Id is missing"}, v)
		return
	}
	if err := f.options.Gate.Known(r); err != nil {
		f.refuse(w, err)
		return
	}
	if err := f.options.SessionStore.End(r.Context(), v.Session); err != nil {
		f.refuse(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// post reads messages and has them processed.
func (f *Gateway) post(w http.ResponseWriter, r *http.Request, v *Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		f.reject(w, r, unreadable(err), v)
		return
	}
	messages, err := read(body)
	if err != nil {
		f.reject(w, r, err, v)
		return
	}
	if err := f.authorize(v, messages); err != nil {
		f.refuseMessage(w, messages, err)
		return
	}
	if slices.ContainsFunc(messages, message.altered) {
		f.refuseMessage(w, messages, &refusal{status: http.StatusBadRequest, code: codeInvalid,
			message: "Invalid Request: an id is a text, or a whole number of at most 9007199254740991"})
		return
	}
	opens := slices.ContainsFunc(messages, message.opens)
	if opens {
		if err := opening(r, messages, body); err != nil {
			f.refuseMessage(w, messages, err)
			return
		}
	}
	if opens && v.Session == nil && !sessionless(r) {
		id, opened, err := f.options.SessionStore.Open(r.Context())
		if err != nil {
			f.refuse(w, err)
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
	next := f.whole
	if slices.ContainsFunc(messages, message.streams) {
		next = f.stream
	}
	again := r.WithContext(context.WithValue(r.Context(), requestKey{}, v))
	again.Body = io.NopCloser(bytes.NewReader(body))
	next.ServeHTTP(n, again)
}

// authorize checks the key of a request and spends the cost of its messages. A
// tool call spends by itself, once its sandbox is known, and reports a bad key
// as the model's tool error.
func (f *Gateway) authorize(v *Request, messages []message) error {
	gate, r := f.options.Gate, v.Request
	known := v.Session != nil
	calls := slices.ContainsFunc(messages, message.calls)
	// A session whose client sends a key ends with the key; a call of a tool
	// reports that as the model's tool error.
	if v.Key != "" && (!known || !calls) && (!calls || !sessionless(r)) {
		if err := gate.Knows(r, v.Key); err != nil {
			if spent := gate.Anonymous(r); spent != nil {
				return spent
			}
			return err
		}
		known = true
	}
	for _, m := range messages {
		var err error
		switch {
		case m.calls():
		case known && !m.opens():
			err = gate.Known(r)
		default:
			err = gate.Anonymous(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
