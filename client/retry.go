package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// maxAnswer is the largest response that is read, in bytes: many times a
	// full page of the largest rows.
	maxAnswer = 8 << 20
	// backoffFirst and maxBackoff limit the wait where the server names no
	// time: the limit begins with the one and doubles up to the other.
	backoffFirst = 250 * time.Millisecond
	maxBackoff   = 8 * time.Second
	// requestInProgress is the code of a refusal while an earlier request with
	// the same idempotency key is still in progress.
	requestInProgress = "request_in_progress"
)

var (
	errAnswerTooLarge = fmt.Errorf("the response has more than %d bytes", maxAnswer)
	// errEmptyKey keeps a write without a key from being repeated.
	errEmptyKey = errors.New("the idempotency key is empty")
)

// request is a call before it is sent.
type request struct {
	operation, method string
	// path is relative to the base URL, and to its origin when it is absolute.
	path     string
	absolute bool
	system   system
	// write is set for requests that need an idempotency key.
	write       bool
	query       url.Values
	ifNoneMatch string
	// in is the body to send, nil for none, and body its JSON.
	in    any
	body  []byte
	proof string
	// keyOf is the system of the key that is sent, empty for none.
	keyOf system
}

// answer is a response as it was received.
type answer struct {
	status   int
	header   http.Header
	body     []byte
	meta     Meta
	response *http.Response
}

// do sends a request until it has a final response, and decodes the data of a
// success into out.
func (c *Client) do(ctx context.Context, q *request, out any) (*Call, error) {
	call := &Call{}
	defer func() { note(ctx, *call) }()
	r, err := c.prepare(ctx, q)
	if err != nil {
		return call, fmt.Errorf("platen: %s: %w", q.operation, err)
	}
	call.IdempotencyKey = r.Header.Get("Idempotency-Key")
	began := c.now()
	for {
		call.Attempts++
		err := c.attempt(q, r, call, out)
		if err == nil || !c.again(ctx, err) {
			return call, err
		}
		wait := c.delay(err, call.Attempts)
		if c.maxRetries == 0 {
			return call, err
		}
		if call.Attempts > c.maxRetries || c.now().Sub(began)+wait > c.maxElapsed {
			return call, fmt.Errorf("gave up after %d attempts: %w", call.Attempts, err)
		}
		c.onWait(Wait{Operation: q.operation, Duration: wait, Err: err})
		if stopped := c.sleep(ctx, wait); stopped != nil {
			return call, fmt.Errorf("%w while waiting to repeat: %w", stopped, err)
		}
	}
}

// prepare makes the request that all attempts send.
func (c *Client) prepare(ctx context.Context, q *request) (*http.Request, error) {
	if c.baseErr != nil {
		return nil, c.baseErr
	}
	key, of, err := c.key(q.system)
	if err != nil {
		return nil, err
	}
	q.keyOf = of
	if q.operation == createSandbox {
		key = c.creation
	}
	if q.in != nil {
		if q.body, err = json.Marshal(q.in); err != nil {
			return nil, fmt.Errorf("encode the body: %w", err)
		}
	}
	target := c.base + q.path
	if q.absolute {
		if target, err = c.atOrigin(q.path); err != nil {
			return nil, err
		}
	}
	if len(q.query) > 0 {
		target += "?" + q.query.Encode()
	}
	// A reader of bytes lets each attempt read the body again (GetBody).
	r, err := http.NewRequestWithContext(ctx, q.method, target, bytes.NewReader(q.body))
	if err != nil {
		return nil, err //nolint:wrapcheck // do names the operation
	}
	set := func(name, value string) {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	set("Accept", "application/json")
	set("User-Agent", c.userAgent)
	set("If-None-Match", q.ifNoneMatch)
	set("Sim-PoW", q.proof)
	if key != "" {
		set("Authorization", "Bearer "+key)
	}
	if q.in != nil {
		set("Content-Type", "application/json")
	}
	if q.write {
		unique := c.keyOf(ctx)
		if unique == "" {
			return nil, errEmptyKey
		}
		set("Idempotency-Key", unique)
		set("If-Match", versionOf(ctx))
	}
	return r, nil
}

// networkError is the error of an attempt without a response. Whether the
// request took effect is not known.
type networkError struct{ cause error }

// Error implements error.
func (e *networkError) Error() string { return e.cause.Error() }

// Unwrap returns the network's error.
func (e *networkError) Unwrap() error { return e.cause }

// attempt sends a request once.
func (c *Client) attempt(q *request, r *http.Request, call *Call, out any) error {
	*call = Call{IdempotencyKey: call.IdempotencyKey, Attempts: call.Attempts}
	a, err := c.exchange(q, r, call.Attempts)
	if err != nil {
		return fmt.Errorf("platen: %s: %w", q.operation, err)
	}
	call.Status, call.Header, call.Body, call.ETag = a.status, a.header, a.body, a.header.Get("ETag")
	call.Replayed = a.header.Get("Idempotency-Replayed") == "true"
	switch {
	case a.status == http.StatusNotModified:
		return ErrNotModified
	case a.status < http.StatusOK || a.status >= http.StatusMultipleChoices:
		refusal := a.refusal(q.operation, c.now())
		call.Meta = a.meta
		return refusal
	}
	e := envelope{Data: out}
	if err := json.Unmarshal(a.body, &e); err != nil {
		return fmt.Errorf("platen: %s: decode the response: %w", q.operation, err)
	}
	call.Meta = e.Meta
	return nil
}

// exchange sends a request once and reports it to OnExchange.
func (c *Client) exchange(q *request, r *http.Request, attempt int) (*answer, error) {
	began := c.now()
	a, err := c.send(r)
	x := Exchange{
		Operation: q.operation, Method: r.Method, Path: strings.TrimPrefix(r.URL.String(), c.base),
		System: string(q.keyOf), Attempt: attempt, Request: q.body, Duration: c.now().Sub(began), Err: err,
	}
	if err == nil {
		x.Status, x.Header, x.Response = a.status, a.header, a.body
	}
	c.onExchange(x)
	return a, err
}

// send sends a request and reads the whole response.
func (c *Client) send(r *http.Request) (*answer, error) {
	attempt := r.Clone(r.Context())
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, fmt.Errorf("read the body again: %w", err)
		}
		attempt.Body = body
	}
	response, err := c.http.Do(attempt) //nolint:gosec // the host is that of the base URL
	if err != nil {
		return nil, &networkError{err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, &networkError{fmt.Errorf("read the response: %w", err)}
	case len(body) > maxAnswer:
		return nil, errAnswerTooLarge
	}
	return &answer{status: response.StatusCode, header: response.Header, body: body, response: response}, nil
}

// again reports whether an attempt that ended with err may be repeated.
func (c *Client) again(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	if _, ok := errors.AsType[*networkError](err); ok {
		return true // reads change nothing, writes have their key
	}
	refusal, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	switch refusal.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true
	case http.StatusConflict:
		return refusal.Code == requestInProgress || refusal.Retryable && c.conflicts
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		// A gateway that did not get through is the network.
		return refusal.Code == "" || refusal.Retryable
	default:
		return refusal.Retryable
	}
}

// delay is the time to wait before the next attempt: the server's own, or else
// a random one.
func (c *Client) delay(err error, attempts int) time.Duration {
	if refusal, ok := errors.AsType[*Error](err); ok && refusal.RetryAfter > 0 {
		return refusal.RetryAfter
	}
	limit := c.backoffFirst
	for i := 1; i < attempts && limit < c.backoffMost; i++ {
		limit *= 2
	}
	return jitter(min(limit, c.backoffMost))
}

// jitter draws a duration from 0 to the limit, so that clients that failed
// together do not come back together.
func jitter(limit time.Duration) time.Duration {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return time.Duration(binary.BigEndian.Uint64(b[:]) % uint64(limit+1))
}
