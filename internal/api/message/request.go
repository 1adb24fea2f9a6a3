// Package message has the two values that the layers of the road hand to each other: a Request, created once
// where it arrives, and a Response, which nobody but the Writer sends. A layer returns its findings, or
// hands them on in a copy of the request; no layer writes into what another one holds.
package message

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"platen/internal/desk/activity"
	"platen/internal/edge/admission"
	"platen/internal/edge/ratelimit"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// Handler turns a request into its response.
type Handler func(r *Request) *Response

// Layer is a handler around another one. A nil layer is none.
type Layer func(next Handler) Handler

// Around returns a handler with a layer around it.
func (l Layer) Around(next Handler) Handler {
	if l == nil {
		return next
	}
	return l(next)
}

// Request is a request of a client. It is read only: a layer that knows more hands on a copy.
type Request struct {
	// HTTP is the request as it came: its method, URL and header.
	HTTP *http.Request
	// ID names the request.
	ID string
	// Began is the time of arrival by the monotonic clock, Arrived by that of the server.
	Began   time.Time
	Arrived moment.Instant
	// Network is the group of addresses that it comes from.
	Network netip.Prefix
	Body    *Body
	// Share is its part of the memory for responses under way.
	Share *Share

	// Endpoint serves the request once every layer has let it pass.
	Endpoint Handler
	// Operation is that of the table, nil where there is none. CSV is set when the client asks for
	// rows as CSV, Archive when it asks for the remembered requests as an HTTP Archive, or for the sandbox as a file.
	Operation    *operation.Operation
	CSV, Archive bool
	// Watching is set for a route of the console, which leaves no trace. OwnBudget is set where the endpoint
	// itself spends what the request costs.
	Watching, OwnBudget bool
	// Exposed are the keys in the URL.
	Exposed []string
	// Refusal is the error that the door found, nil for none. The layer of budgets returns it once the request is
	// paid for.
	Refusal error

	// Caller is the zero Caller for a request without a key that works. Credentials let it in: a long
	// request asks again whether they still do.
	Caller      sandbox.Caller
	Credentials []apikey.Credential
	// Other is the credential of the other system's key that the console sends beside its own, nil for none.
	Other *apikey.Credential
	// Agent is set for a request of the agent endpoint.
	Agent bool
	// Sandbox is that of the caller, nil for none. At is the moment that the response shows.
	Sandbox *sandbox.Sandbox
	At      moment.Instant

	// Vouched is set when another node has authenticated and charged the request: it carries credentials, not keys.
	Vouched bool
	// Decided is the decision about a fork that is completed here, nil for all other requests.
	Decided json.RawMessage
	// Pays, when set, spends the cost of the request in the place of the budgets that all share.
	Pays func(at time.Time) ratelimit.Decision
	// Places, when set, finds who hands out places: a controller, or the response of the place
	// that has finished the request. A request that its owner has decided goes there with what it decided.
	Places func(r *Request, decided json.RawMessage) (*admission.Controller, *Response, error)

	Conditions Conditions
}

// Provenance describes a request that another part of the program has already examined: the agent endpoint, or
// another node. It is zero for a request that comes from a client.
type Provenance struct {
	// ID names the request, "" for one that has no name yet. Network is the group that it comes from.
	ID      string
	Network netip.Prefix
	// Credentials are in the place of the keys of the header: its own, and that of the other system.
	Credentials []apikey.Credential
	Agent       bool
	// Vouched is set where the request was let in and paid for where it arrived. Decided is as in Request.
	Vouched bool
	Decided json.RawMessage
	// Unread is why the body could not be read to its end where the request arrived, "" when it was.
	Unread problem.Code
}

// Conditions change how a request is served. The zero value changes nothing.
type Conditions struct {
	// Offset is by how much the clock is off that the response shows.
	Offset time.Duration
	// Pinned, when set, is the state that a read shows in the place of the present one.
	Pinned *sandbox.View
	// Hidden are the events that the feed does not show yet, nor any behind them, until HiddenUntil, which
	// is 0 for as long as the request lasts.
	Hidden      event.Set
	HiddenUntil moment.Instant
	// MaxRows bounds the rows of a page, 0 for no bound.
	MaxRows int
	// ForgetCursor is set where no cursor is known any more.
	ForgetCursor bool
	// KeyWrites is set where the missions are to know a write by its key.
	KeyWrites bool
}

// Context is that of the request: it ends when the client leaves.
func (r *Request) Context() context.Context { return r.HTTP.Context() }

// Head is the head of the response, which is yet to be completed.
func (r *Request) Head() wire.Meta {
	return wire.Meta{Simulation: true, RequestID: r.ID, APIVersion: wire.Version}
}

// Traceless reports whether the request is none of the player's: of a grader, or of a reviewer. It
// completes no mission, starts no clock and is in no list (contract: OPEN.EVAL.TRACE).
func (r *Request) Traceless() bool {
	return r.Caller.System == apikey.Grading || r.Caller.System == apikey.Review
}

// Is reports whether the request has an operation of a kind.
func (r *Request) Is(kinds ...operation.Kind) bool {
	return r.Operation != nil && slices.Contains(kinds, r.Operation.Kind)
}

// DryRun reports whether a write is only to say what it would do. That is asked before the body is checked:
// one that does not say so plainly is an ordinary write.
func (r *Request) DryRun() bool {
	if r.Operation == nil || r.Operation.Preview == nil {
		return false
	}
	body, err := r.Body.Bytes()
	var asked struct {
		DryRun bool `json:"dry_run"`
	}
	return err == nil && jsonv2.Unmarshal(body, &asked) == nil && asked.DryRun
}

// sharedScope is the scope of idempotency keys on routes that take either key.
const sharedScope = "sandbox"

// Scope is the scope of an idempotency key: on a route of one system, that
// system; on a shared one, the sandbox, whichever key came with it (contract:
// OPEN.IDEM.SCOPE). Beside is the other scope in which a key of this caller may have been used:
// a program that uses a key on two routes is refused for it.
func (r *Request) Scope() (scope, beside string) {
	if r.Operation.System == operation.Shared {
		return sharedScope, string(r.Caller.System)
	}
	return string(r.Caller.System), sharedScope
}

// Fingerprint distinguishes requests with the same idempotency key.
func (r *Request) Fingerprint(body []byte) [sha256.Size]byte {
	sum := sha256.Sum256(body)
	h := sha256.New()
	for _, part := range []string{r.HTTP.Method, r.HTTP.URL.Path, r.HTTP.URL.RawQuery} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	h.Write(sum[:])
	return [sha256.Size]byte(h.Sum(nil))
}

// WriteKey identifies a write with its idempotency key for the missions, 0 without a key.
func (r *Request) WriteKey(key string, fingerprint [sha256.Size]byte) uint64 {
	if key == "" {
		return 0
	}
	scope, _ := r.Scope()
	return HashOf(scope, key, string(fingerprint[:]))
}

// Content identifies a write by its path and by its body as it was understood.
func (r *Request) Content(body any) uint64 { return HashOf(r.HTTP.URL.Path, string(wire.Encode(body))) }

// Intent says what a write carries, nil for nothing. The id is that of the path.
func (r *Request) Intent(id string, body any) *activity.Intended {
	in := r.Operation.Intent(id, body)
	if in != nil {
		in.Content = r.Content(body)
	}
	return in
}

// UnreadIntent is Intent for a write that no endpoint has read.
func (r *Request) UnreadIntent() *activity.Intended {
	if !r.Is(operation.Write) {
		return nil
	}
	in := r.Operation.New().Body()
	if body, err := r.Body.Bytes(); err != nil || len(body) > 0 && jsonv2.Unmarshal(body, in) != nil {
		return nil
	}
	return r.Intent(r.HTTP.PathValue("id"), in)
}

// Hash is FNV-1a of 64 bits, without the allocations of the library's.
func Hash(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// HashOf is Hash of some texts, one after the other.
func HashOf(texts ...string) uint64 {
	h := uint64(14695981039346656037)
	for _, text := range texts {
		for i := range len(text) {
			h = (h ^ uint64(text[i])) * 1099511628211
		}
		h *= 1099511628211 // a zero byte, which ends a text
	}
	return h
}

// Logged identifies the request in a log: never by its path, which may hold a key.
func (r *Request) Logged() []any {
	values := []any{"request_id", r.ID}
	if r.HTTP != nil {
		values = append(values, "method", r.HTTP.Method)
	}
	if r.Operation != nil {
		values = append(values, "operation", r.Operation.ID)
	}
	if r.Caller.SandboxID != "" {
		values = append(values, "sandbox", r.Caller.SandboxID)
	}
	return values
}
