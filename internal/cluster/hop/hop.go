// Package hop carries requests from the node where they arrive to the node that owns
// their sandbox: over HTTP/1.1, one hop, never further. The knowledge of a node about a
// request travels in one header, signed with a key that only the nodes have; keys of
// clients do not travel.
package hop

import (
	"bytes"
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"platen/internal/sandbox/apikey"
	"platen/internal/store"
	"platen/internal/words/wire"
)

// Headers between nodes. None of them comes from a client or goes to one.
const (
	// header has a Call and its signature.
	header = "Platen-Hop"
	// headerVerdict is in each response of a node: a Verdict.
	headerVerdict = "Platen-Hop-Verdict"
	// headerOwner has who owns the sandbox, in a response that says Misdirected.
	headerOwner = "Platen-Hop-Owner"
	// headerKey carries Idempotency-Key: by its own name it would let a transport send
	// the request again.
	headerKey = "Platen-Hop-Idempotency-Key"
	// headerHold says in milliseconds how long the response is to be held back where the request arrived.
	headerHold = "Platen-Hop-Hold"
	// headerCut says that the connection is to be cut where the request arrived, in the place of the response.
	headerCut = "Platen-Hop-Cut"
)

// PathPrefix is that of requests between nodes which are no client's.
const PathPrefix = "/node/"

// Paths of requests between nodes.
const (
	// SelfPath is where a process says what it is.
	SelfPath = PathPrefix + "self"
	// RevokePath is where the owner of a sandbox revokes a key.
	RevokePath = PathPrefix + "revoke"
)

// Verdict is the answer of a node to a request that was sent to it.
type Verdict string

// Verdicts. All but Served have done nothing.
const (
	Served Verdict = "served"
	// Misdirected says that another node owns the sandbox, or none does.
	Misdirected Verdict = "misdirected"
	// Replaced says that another session was meant: that one is over.
	Replaced Verdict = "replaced"
	// Distrusting says that the node is outside its trust window.
	Distrusting Verdict = "distrusting"
)

// Errors of a request that got no verdict.
var (
	// ErrAbsent reports that nobody listens at the address: nothing was sent.
	ErrAbsent = errors.New("nobody listens at the address of the node")
	// ErrUnsent reports that the request did not reach the node.
	ErrUnsent = errors.New("the node could not be reached")
	// ErrSilent reports that the request was sent, and no response came: it is not
	// known whether it was done.
	ErrSilent = errors.New("the node sent no response")
	// ErrForged reports a request that no node has signed.
	ErrForged = errors.New("no node has signed the request")
	// ErrStale reports a request that was signed too long ago, or by a node whose clock is off.
	ErrStale = errors.New("a node has signed the request at another time")
)

const (
	// connectTime is how long a node may take to accept a connection.
	connectTime = time.Second
	// responseTime is how long it may take for a response to begin: longer than a poll
	// waits, shorter than clients' connections live.
	responseTime = 50 * time.Second
	// idleConnections are kept to each node.
	idleConnections = 128
	idleTime        = 90 * time.Second
	// mostHold bounds how long a response is held back.
	mostHold = time.Minute
	// maxAge is how old a request may be that a node has signed.
	maxAge = 30 * time.Second
	// maxBody is more than any body has.
	maxBody = 64 << 10
)

// Call has the knowledge of a node about a request that it sends on.
type Call struct {
	// SentAt is when it was sent, in milliseconds of Unix time.
	SentAt int64 `json:"sent_at"`
	// To is the session that is meant.
	To store.Session `json:"to"`
	// RequestID is the id of the request, Network the group that it comes from.
	RequestID string `json:"request_id"`
	Network   string `json:"network,omitempty"`
	// Credentials are those that the client sent, the first for itself, the second in
	// Platen-Other-Key.
	Credentials []apikey.Credential `json:"credentials,omitempty"`
	// Agent is set for a request of the agent endpoint.
	Agent bool `json:"agent,omitempty"`
	// Decided is the finding of the sandbox's owner, when it sends the request on to be
	// finished elsewhere; nil for a request that is on its way to the owner.
	Decided json.RawMessage `json:"decided,omitempty"`
	// Fault is why the body could not be read to its end, "" when it was.
	Fault string `json:"fault,omitempty"`
}

// Road signs, sends and opens requests between nodes.
type Road struct {
	// Now is the clock by which all nodes work.
	Now func() time.Time

	key       []byte
	transport *http.Transport
}

// NewRoad returns a road for nodes with a secret.
func NewRoad(secret []byte) (*Road, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "platen requests between nodes", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive the key of nodes: %w", err)
	}
	dialer := &net.Dialer{Timeout: connectTime}
	return &Road{Now: time.Now, key: key, transport: &http.Transport{
		DialContext: dialer.DialContext, DisableCompression: true, MaxIdleConnsPerHost: idleConnections,
		IdleConnTimeout: idleTime, ResponseHeaderTimeout: responseTime,
	}}, nil
}

// Close ends the connections that nobody uses.
func (r *Road) Close() { r.transport.CloseIdleConnections() }

// sign returns the header of a call, for a request.
func (r *Road) sign(c *Call, req *http.Request, body []byte) (string, error) {
	c.SentAt = r.Now().UnixMilli()
	text, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("encode a call: %w", err)
	}
	encoded := base64.RawURLEncoding.EncodeToString(text)
	return encoded + "." + base64.RawURLEncoding.EncodeToString(r.sum(encoded, req, body)), nil
}

// sum covers what a request does: the call, the method, the target, the idempotency key and the body.
func (r *Road) sum(encoded string, req *http.Request, body []byte) []byte {
	target := req.RequestURI
	if target == "" { // it is yet to be sent
		target = req.URL.RequestURI()
	}
	keys, of := req.Header[headerKey], sha256.Sum256(body)
	mac := hmac.New(sha256.New, r.key)
	fmt.Fprintf(mac, "%s\n%s\n%s\n%q\n%x", encoded, req.Method, target, keys, of)
	return mac.Sum(nil)
}

// Open returns the call of a request that another node sent, and makes the request what
// its client sent, but for keys. It returns ErrForged for any other request, and ErrStale for one that was
// signed too long ago.
func (r *Road) Open(req *http.Request) (*Call, error) {
	encoded, signature, signed := strings.Cut(req.Header.Get(header), ".")
	sum, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil || !signed {
		return nil, ErrForged
	}
	body, err := io.ReadAll(io.LimitReader(req.Body, maxBody))
	if err != nil {
		return nil, fmt.Errorf("read a request of a node: %w", err)
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	if !hmac.Equal(sum, r.sum(encoded, req, body)) {
		return nil, ErrForged
	}
	text, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return nil, ErrForged
	}
	var c Call
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("read a call: %w", err)
	}
	if age := r.Now().Sub(time.UnixMilli(c.SentAt)); age > maxAge || age < -maxAge {
		return nil, fmt.Errorf("%w: %s", ErrStale, age.Round(time.Second))
	}
	if keys, ok := req.Header[headerKey]; ok {
		req.Header[wire.HeaderIdempotencyKey] = keys
	}
	for _, name := range []string{header, headerKey} {
		delete(req.Header, name)
	}
	return &c, nil
}

// hopByHop are the headers that are about one connection.
//
//nolint:gochecknoglobals // read only
var hopByHop = []string{
	"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "Expect", "Content-Length",
}

// Send sends a request with its body to a node. The response has a verdict, and its body
// is to be closed. The error is ErrAbsent, ErrUnsent or ErrSilent, or that of the
// request's context.
func (r *Road) Send(ctx context.Context, to *store.Node, req *http.Request, body []byte, c Call) (*Response, error) {
	u := &url.URL{
		Scheme: "http", Host: to.Address, Path: req.URL.Path, RawPath: req.URL.RawPath, RawQuery: req.URL.RawQuery,
		ForceQuery: req.URL.ForceQuery,
	}
	if c.To = to.Session; u.Path == "" {
		u.Path = "/"
	}
	out := (&http.Request{
		Method: req.Method, URL: u, Host: req.Host, Header: req.Header.Clone(), ContentLength: int64(len(body)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
	if len(body) > 0 {
		out.Body = io.NopCloser(bytes.NewReader(body))
	}
	for _, name := range append(hopByHop, "Authorization", wire.HeaderKey, wire.HeaderOtherKey) {
		out.Header.Del(name)
	}
	for name := range out.Header { // what only a node may say
		if strings.HasPrefix(name, header) {
			delete(out.Header, name)
		}
	}
	if keys, ok := out.Header[wire.HeaderIdempotencyKey]; ok {
		delete(out.Header, wire.HeaderIdempotencyKey)
		out.Header[headerKey] = keys
	}
	signed, err := r.sign(&c, out, body)
	if err != nil {
		return nil, err
	}
	out.Header.Set(header, signed)
	res, err := r.transport.RoundTrip(out)
	if err != nil {
		return nil, classify(ctx, err)
	}
	answer := &Response{Response: res, Verdict: Verdict(res.Header.Get(headerVerdict))}
	if answer.Verdict == "" { // something else answers there
		res.Body.Close()
		return nil, ErrSilent
	}
	if text := res.Header.Get(headerOwner); text != "" {
		if err := json.Unmarshal([]byte(text), &answer.Owner); err != nil {
			answer.Owner = nil // it is read again
		}
	}
	if ms, err := strconv.ParseInt(res.Header.Get(headerHold), 10, 64); err == nil && ms > 0 {
		answer.Hold = min(time.Duration(ms)*time.Millisecond, mostHold)
	}
	answer.Cut = res.Header.Get(headerCut) != ""
	for _, name := range append(hopByHop, headerVerdict, headerOwner, headerHold, headerCut) {
		if name != "Content-Length" {
			res.Header.Del(name)
		}
	}
	return answer, nil
}

func classify(ctx context.Context, err error) error {
	var dialing *net.OpError
	switch {
	case ctx.Err() != nil:
		return ctx.Err() //nolint:wrapcheck // the client is gone
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%w: %w", ErrAbsent, err)
	case errors.As(err, &dialing) && dialing.Op == "dial":
		return fmt.Errorf("%w: %w", ErrUnsent, err)
	}
	return fmt.Errorf("%w: %w", ErrSilent, err)
}

// Response is that of a node.
type Response struct {
	*http.Response

	Verdict Verdict
	// Owner is who owns the sandbox, in a response that says Misdirected; nil for
	// nobody.
	Owner *Owner
	// Hold is how long the response is to be held back.
	Hold time.Duration
	// Cut is set where the connection of the client is to be cut.
	Cut bool
}

// Owner says who owns a sandbox.
type Owner struct {
	Session store.Session `json:"session"`
	Epoch   uint64        `json:"epoch"`
	Address string        `json:"address"`
}

// Say puts a verdict into the headers of a response, before it is written.
func Say(h http.Header, v Verdict, owner *Owner) {
	h.Set(headerVerdict, string(v))
	if owner != nil {
		text, err := json.Marshal(owner)
		if err == nil {
			h.Set(headerOwner, string(text))
		}
	}
}

// SayHold has the node that gets a response hold it back.
func SayHold(h http.Header, hold time.Duration) {
	h.Set(headerHold, strconv.FormatInt(hold.Milliseconds(), 10))
}

// SayCut has the node that gets a response cut the connection of its client.
func SayCut(h http.Header) { h.Set(headerCut, "1") }

// Prove asks an address for the session behind it, until it has an answer or the
// context ends, and compares it.
func (r *Road) Prove(ctx context.Context, address, self string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+SelfPath, http.NoBody)
	if err != nil {
		return fmt.Errorf("ask it: %w", err)
	}
	answer, err := r.Send(ctx, &store.Node{Address: address}, req, nil, Call{RequestID: self})
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
	if err != nil {
		return fmt.Errorf("read its response: %w", err)
	}
	if string(text) != self {
		return errors.New("another process answers there")
	}
	return nil
}
