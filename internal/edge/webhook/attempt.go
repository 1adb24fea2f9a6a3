package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"sync/atomic"
	"time"

	"platen/internal/desk/subscription"
	"platen/internal/edge/netguard"
	"platen/internal/words/event"
)

const (
	// maxAttempt is how long an attempt takes at most, from looking up the name
	// to the last byte that is read (contract: DLV.ANSWER, LIMIT.DELIVERY_TIMEOUT).
	maxAttempt = 5 * time.Second
	// maxAnswer is the number of bytes of a response that are read (contract:
	// DLV.ANSWER.READ).
	maxAnswer = 1 << 10
)

// errRefusedURL is the error of a URL that was taken under another policy.
var errRefusedURL = errors.New("the URL is not allowed any more")

// Message is one request to a receiver.
type Message struct {
	URL string
	// ID is that of the event, the same on each attempt.
	ID string
	// Body is the body to sign and send, byte for byte.
	Body []byte
	// Secrets sign, the newest first.
	Secrets   []string
	UserAgent string
	SentAt    time.Time
	// Trace is the trace context of the request that caused the event.
	Trace event.Trace
	// Cut is the number of bytes of the body that are signed and not sent.
	Cut int
	// Keep keeps the beginning of the response's body in the result.
	Keep bool
}

// Result is the outcome of a message.
type Result struct {
	// StatusCode is 0 when there was no response.
	StatusCode int
	// ErrorClass is empty when the response was 2xx.
	ErrorClass event.ErrorClass
	// Err is why there was no response, nil with one.
	Err     error
	Latency time.Duration
	// Body is the beginning of the response's body where the message asks for it, Longer that there was more.
	Body   []byte
	Longer bool
}

// Post sends a message and waits for its response, 5 seconds for everything. It
// follows no redirect, and reads no more than 1 KB (contract: DLV.ANSWER,
// DLV.ANSWER.READ, WHK.URL.REDIRECTS).
func Post(ctx context.Context, transport http.RoundTripper, m *Message) Result {
	ctx, cancel := context.WithTimeout(ctx, maxAttempt)
	defer cancel()
	began := time.Now()
	var r Result
	status, err := post(ctx, transport, m, &r)
	r.StatusCode, r.Latency = status, time.Since(began)
	if err != nil {
		r.ErrorClass, r.Err = classOf(ctx, err), err
	} else {
		r.ErrorClass = classOfStatus(status)
	}
	return r
}

// attempt sends a due delivery and returns its outcome.
func (d *Dispatcher) attempt(ctx context.Context, transport http.RoundTripper,
	a *subscription.Attempt) (o subscription.Outcome) {
	d.sending.Add(1)
	defer d.sending.Add(-1)
	o = subscription.Outcome{SubscriptionID: a.SubscriptionID, DeliveryID: a.DeliveryID, SentAt: time.Now()}
	defer func() {
		if r := recover(); r != nil { // one attempt must not stop the deliveries of all
			d.options.Log.ErrorContext(ctx, "a delivery panicked", slog.String("delivery", a.DeliveryID),
				slog.Any("panic", r))
			o.ErrorClass = event.ClassConnect
		}
		// From SentAt to the very end: a retry is counted from there.
		o.Latency = time.Since(o.SentAt)
		d.options.Observer.Attempted(string(o.ErrorClass), o.Latency)
	}()
	if a.Decoy != subscription.NoDecoy {
		d.decoy(ctx, transport, a)
		o.SentAt = time.Now()
	}
	m, err := d.message(a, o.SentAt)
	switch {
	case a.Lost:
		o.StatusCode = http.StatusOK
	case errors.Is(err, errRefusedURL):
		o.ErrorClass = event.ClassRefusedAddress
	case err != nil:
		d.options.Log.ErrorContext(ctx, "a delivery cannot be made", slog.String("delivery", a.DeliveryID),
			slog.Any("error", err))
		o.ErrorClass = event.ClassConnect
	default:
		r := Post(ctx, transport, m)
		o.StatusCode, o.ErrorClass = r.StatusCode, r.ErrorClass
	}
	return o
}

// message opens the sealed parts and makes the body.
func (d *Dispatcher) message(a *subscription.Attempt, sentAt time.Time) (*Message, error) {
	sealed := SealContext(a.SandboxID, a.SubscriptionID)
	address, err := d.options.Sealer.Open(a.Address, sealed)
	if err != nil {
		return nil, fmt.Errorf("open the URL of %s: %w", a.SubscriptionID, err)
	}
	if _, refusal := CheckURL(address, d.options.Policy); refusal != "" {
		return nil, fmt.Errorf("%w: %s", errRefusedURL, refusal)
	}
	m := &Message{
		URL: address, ID: a.EventID, Secrets: make([]string, len(a.Secrets)), UserAgent: d.options.UserAgent,
		SentAt: sentAt.Add(a.Off), Trace: a.Trace,
	}
	for i := range a.Secrets {
		if m.Secrets[i], err = d.options.Sealer.Open(a.Secrets[i], sealed); err != nil {
			return nil, fmt.Errorf("open a secret of %s: %w", a.SubscriptionID, err)
		}
	}
	m.Body, err = Body(a.Event)
	return m, err
}

// post returns the status of the response.
func post(ctx context.Context, transport http.RoundTripper, m *Message, r *Result) (status int, err error) {
	handshake := atomic.Bool{}
	request, err := m.request(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) { handshake.Store(err != nil) },
	}))
	if err != nil {
		return 0, err
	}
	answer, err := transport.RoundTrip(request)
	switch {
	case err != nil && handshake.Load():
		return 0, &tlsError{err}
	case err != nil:
		return 0, err //nolint:wrapcheck // only its class is recorded
	}
	defer answer.Body.Close()
	// The status line decides. The body is discarded, as far as it comes in time: the connection can be used again.
	limited := io.LimitReader(answer.Body, maxAnswer)
	if m.Keep {
		r.Body, _ = io.ReadAll(limited)
		n, _ := answer.Body.Read(make([]byte, 1))
		r.Longer = n > 0
	} else {
		_, _ = io.Copy(io.Discard, limited)
	}
	return answer.StatusCode, nil
}

// request is the HTTP request of a message: the signed bytes and the headers of
// the contract.
func (m *Message) request(ctx context.Context) (*http.Request, error) {
	signature, err := Sign(m.Secrets, m.ID, m.SentAt, m.Body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body[:len(m.Body)-m.Cut]))
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	// Names in lower case are sent as they are here.
	request.Header = http.Header{
		HeaderID:        {m.ID},
		HeaderTimestamp: {strconv.FormatInt(m.SentAt.Unix(), 10)},
		HeaderSignature: {signature},
		"Content-Type":  {"application/json"},
		"User-Agent":    {m.UserAgent},
		// Never sent: it tells net/http that the request may be sent again when
		// the receiver hung up on an idle connection before it was read.
		"Idempotency-Key": {},
	}
	if m.Trace.Parent != "" {
		request.Header[headerTraceparent] = []string{m.Trace.Parent}
	}
	if m.Trace.State != "" {
		request.Header[headerTracestate] = []string{m.Trace.State}
	}
	return request, nil
}

// tlsError is the error of a handshake.
type tlsError struct{ error }

// Unwrap returns the cause.
func (e *tlsError) Unwrap() error { return e.error }

// classOf tells the class of an error.
func classOf(ctx context.Context, err error) event.ErrorClass {
	switch {
	case errors.Is(err, netguard.ErrRefused):
		// A name that leads to no public address is reported like one that does
		// not exist: the names of a private network must not be disclosed.
		return event.ClassDNS
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return event.ClassTimeout
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return event.ClassDNS
	}
	if _, ok := errors.AsType[*tlsError](err); ok {
		return event.ClassTLS
	}
	return event.ClassConnect
}

// classOfStatus returns the class of a response, empty for 2xx. A status that
// HTTP does not know, or that ends nothing, counts as a fault of the receiver.
func classOfStatus(status int) event.ErrorClass {
	switch status / 100 {
	case 2:
		return ""
	case 3:
		return event.ClassHTTP3xx
	case 4:
		return event.ClassHTTP4xx
	default:
		return event.ClassHTTP5xx
	}
}
