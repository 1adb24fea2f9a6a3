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

	"platen/internal/company/subscription"
	"platen/internal/netguard"
)

const (
	// attemptMost is how long an attempt takes at most, from looking up the name
	// to the last byte that is read (contract: DLV.ANSWER, LIMIT.DELIVERY_TIMEOUT).
	attemptMost = 5 * time.Second
	// answerMost is how many bytes of an answer are read (contract:
	// DLV.ANSWER.READ).
	answerMost = 1 << 10
)

// Classes of errors (contract: OPEN.DLV.ERROR_CLASS).
const (
	ClassTimeout        = "timeout"
	ClassDNS            = "dns"
	ClassConnect        = "connect"
	ClassTLS            = "tls"
	ClassRefusedAddress = "refused_address"
	ClassHTTP3xx        = "http_3xx"
	ClassHTTP4xx        = "http_4xx"
	ClassHTTP5xx        = "http_5xx"
)

// errRefusedURL is the error of a URL that was taken under another policy.
var errRefusedURL = errors.New("the URL is refused now")

// attempt sends a request and says what came of it.
func (d *Dispatcher) attempt(ctx context.Context, transport http.RoundTripper, a *subscription.Attempt) subscription.Outcome {
	d.sending.Add(1)
	defer d.sending.Add(-1)
	o := subscription.Outcome{SubscriptionID: a.SubscriptionID, DeliveryID: a.DeliveryID, SentAt: time.Now()}
	ctx, cancel := context.WithTimeout(ctx, attemptMost)
	defer cancel()
	status, err := d.post(ctx, transport, a, o.SentAt)
	o.Latency = time.Since(o.SentAt)
	if err == nil {
		o.StatusCode, o.ErrorClass = status, classOfStatus(status)
	} else {
		o.ErrorClass = classOf(ctx, err)
	}
	d.options.Observer.Attempted(o.ErrorClass, o.Latency)
	return o
}

// post returns the status of the answer.
func (d *Dispatcher) post(ctx context.Context, transport http.RoundTripper, a *subscription.Attempt, sentAt time.Time) (status int, err error) {
	defer func() {
		if r := recover(); r != nil { // one attempt must not stop the deliveries of all
			err = fmt.Errorf("%w: %v", errPanic, r)
			d.options.Log.ErrorContext(ctx, "a delivery panicked", slog.String("delivery", a.DeliveryID), slog.Any("panic", r))
		}
	}()
	handshake := atomic.Bool{}
	request, err := d.request(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) { handshake.Store(err != nil) },
	}), a, sentAt)
	if err != nil {
		if !errors.Is(err, errRefusedURL) {
			d.options.Log.ErrorContext(ctx, "a delivery cannot be made", slog.String("delivery", a.DeliveryID), slog.Any("error", err))
		}
		return 0, err
	}
	answer, err := transport.RoundTrip(request)
	switch {
	case err != nil && handshake.Load():
		return 0, &tlsError{err}
	case err != nil:
		return 0, err //nolint:wrapcheck // only its class is told
	}
	defer answer.Body.Close()
	// An answer that breaks off is an answer. One that never ends is not.
	if _, err := io.Copy(io.Discard, io.LimitReader(answer.Body, answerMost)); err != nil && ctx.Err() != nil {
		return 0, err //nolint:wrapcheck // only its class is told
	}
	return answer.StatusCode, nil
}

// request is what is sent: the signed bytes and the headers of the contract.
func (d *Dispatcher) request(ctx context.Context, a *subscription.Attempt, sentAt time.Time) (*http.Request, error) {
	sealed := SealContext(a.SandboxID, a.SubscriptionID)
	address, err := d.options.Sealer.Open(a.Address, sealed)
	if err != nil {
		return nil, fmt.Errorf("open the URL of %s: %w", a.SubscriptionID, err)
	}
	if _, refusal := CheckURL(address, d.options.Policy); refusal != "" {
		return nil, fmt.Errorf("%w: %s", errRefusedURL, refusal)
	}
	secrets := make([]string, len(a.Secrets))
	for i := range a.Secrets {
		if secrets[i], err = d.options.Sealer.Open(a.Secrets[i], sealed); err != nil {
			return nil, fmt.Errorf("open a secret of %s: %w", a.SubscriptionID, err)
		}
	}
	body, err := Body(a.Event)
	if err != nil {
		return nil, err
	}
	signature, err := Sign(secrets, a.EventID, sentAt, body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	// Names in lower case are sent as they stand here.
	request.Header = http.Header{
		HeaderID:        {a.EventID},
		HeaderTimestamp: {strconv.FormatInt(sentAt.Unix(), 10)},
		HeaderSignature: {signature},
		"Content-Type":  {"application/json"},
		"User-Agent":    {d.options.UserAgent},
		// Never sent: it tells net/http that the request may be sent again when
		// the receiver hung up on an idle connection before it was read.
		"Idempotency-Key": {},
	}
	return request, nil
}

// tlsError is the error of a handshake.
type tlsError struct{ error }

// Unwrap returns what went wrong.
func (e *tlsError) Unwrap() error { return e.error }

// classOf tells the class of an error.
func classOf(ctx context.Context, err error) string {
	switch {
	case errors.Is(err, netguard.ErrRefused), errors.Is(err, errRefusedURL):
		return ClassRefusedAddress
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return ClassTimeout
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return ClassDNS
	}
	if _, ok := errors.AsType[*tlsError](err); ok {
		return ClassTLS
	}
	return ClassConnect
}

// classOfStatus tells the class of an answer, empty for 2xx. A status that HTTP
// does not know, or that ends nothing, counts as a fault of the receiver.
func classOfStatus(status int) string {
	switch status / 100 {
	case 2:
		return ""
	case 3:
		return ClassHTTP3xx
	case 4:
		return ClassHTTP4xx
	default:
		return ClassHTTP5xx
	}
}
