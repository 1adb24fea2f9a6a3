// Package client talks to a Platen server: a simulated printing company with
// two systems, Head Office and the Factory. It needs nothing but the standard
// library.
//
//	s, err := client.CreateSandbox(ctx, "http://127.0.0.1:8080/v1", client.CreateSandboxInput{})
//	if err != nil {
//		return err
//	}
//	c := s.Client()
//	received := client.ListSalesOrdersParams{Status: client.OfficeSalesOrderStatusReceived}
//	for order, err := range c.SalesOrders(ctx, received) {
//		if err != nil {
//			return err
//		}
//		_, err = c.AcceptSalesOrder(ctx, order.ID)
//		if client.IsCode(err, client.CodeInvalidState) {
//			continue // another client has answered it
//		}
//		if err != nil {
//			return err
//		}
//	}
//
// # Operations
//
// Each operation of the API has one method, named for it: accept_sales_order
// is AcceptSalesOrder. A method returns the row that the server sent.
// Lists have two: ListSalesOrders reads one page, SalesOrders all of them.
// Optional fields of a body are pointers; new(int64(60)) makes one.
//
// A method picks the key that its route requires. Routes that take several use the
// key of Head Office where there is one, but in an evaluation those that are not for its
// player use the grading key.
//
// Amounts are whole numbers of minor units, hundredths, and their names end in
// Minor. A pointer in a row is nil where the server sent null.
//
// # Retries
//
// An attempt is repeated after 429, after 503, after any error that the server
// marks as retryable, and when the network failed. Conflicts (409) are left to the
// program unless RetryConflicts is given. Every write carries an
// Idempotency-Key, the same on each of its attempts, so that a write whose
// response was lost happens once and the next attempt returns the first response.
// The server's Retry-After and retry_at are kept, whichever is later; where it
// names no time, the wait is drawn at random below a limit that doubles. See
// MaxRetries, MaxElapsed and RetryConflicts.
//
// # Errors
//
// An error of the server is an *Error. Programs look at its Code, by
// errors.AsType or IsCode, never at its text. Beside the codes that a method
// names, every one of them can give those of a bad request, a bad key and a busy
// server.
//
// # Details of one call
//
// Two things travel in the context: WithIdempotencyKey brings a key of your
// own, and WithCall takes a Call for the details of a call, such as its meta,
// whether it was a replay, the number of its attempts, or its body as it came.
//
// # Events
//
// FollowEvents passes each event of the feed to a function, and waits for more. A
// FeedCheckpoint, such as FileCheckpoint, remembers the last event that was handled, so that a
// program that was started again goes on from there. VerifyWebhook does for deliveries what the key
// does for the feed: it makes sure that they come from the server.
//
// # Watching a client
//
// OnWait reports each pause of a call before it begins: until the next attempt, in
// the queue for a sandbox, for a proof of work. OnExchange reports each attempt
// after it has ended, with both bodies, for logs and traces. Both are called in the
// goroutine of the call and hold it up.
//
// # Beside the methods
//
// Do sends a request of the program's own, such as one for a list as CSV, with the
// right key, and returns the response as it came. The Raw field of an event has
// its bytes as the feed has them.
package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"
)

//go:generate go run ../internal/publish/clientgen -out .
//go:generate go run ../internal/publish/clientgen -for foreign -out ../clients

// Keys are the keys of a sandbox. Each may be empty; methods that need it then fail with
// ErrNoKey.
type Keys struct {
	Office, Factory string
	// Grading is the key that judges the player of an evaluation, who must not have it.
	Grading string
}

// String names the keys that are set, without their values.
func (k Keys) String() string {
	return fmt.Sprintf("keys(office: %t, factory: %t, grading: %t)", k.Office != "", k.Factory != "", k.Grading != "")
}

// GoString is String, so that %#v shows no key either.
func (k Keys) GoString() string { return k.String() }

// LogValue keeps keys out of logs.
func (k Keys) LogValue() slog.Value { return slog.StringValue(k.String()) }

// ErrNoKey is the error of a call whose key the client was not given.
var ErrNoKey = errors.New("the client has no key for this system")

// Client calls the API. It is safe for concurrent use.
type Client struct {
	// base is the base URL without a slash at its end, baseErr why it cannot
	// be used.
	base    string
	baseErr error
	keys    Keys
	settings
}

// settings are the values that options change.
type settings struct {
	http       *http.Client
	userAgent  string
	maxRetries int
	maxElapsed time.Duration
	// backoffFirst and backoffMost limit the waits where the server names none.
	backoffFirst, backoffMost time.Duration

	conflicts  bool
	creation   string
	onWait     func(Wait)
	onExchange func(Exchange)
	newKey     func() string
	now        func() time.Time
	sleep      func(context.Context, time.Duration) error
}

// Option changes how a client works.
type Option func(*settings)

const (
	// attemptTimeout is the default limit of one attempt.
	attemptTimeout = 30 * time.Second
	// A call is limited by time: an outage outlasts any few attempts, and lets the next one through when it is over.
	defaultMaxRetries = math.MaxInt
	// defaultMaxElapsed leaves room for the 30 seconds that a full queue asks
	// for.
	defaultMaxElapsed = time.Minute
)

// HTTPClient makes the client send through h. The default gives an attempt 30
// seconds and follows no redirects.
func HTTPClient(h *http.Client) Option { return func(s *settings) { s.http = h } }

// UserAgent sets the header User-Agent.
func UserAgent(text string) Option { return func(s *settings) { s.userAgent = text } }

// MaxRetries limits the repetitions of a call: 0 for none. By default only MaxElapsed limits them.
func MaxRetries(n int) Option { return func(s *settings) { s.maxRetries = n } }

// MaxElapsed limits the time from the beginning of a call to that of its last
// attempt; one minute by default. A wait that would end later is not begun.
func MaxElapsed(d time.Duration) Option { return func(s *settings) { s.maxElapsed = d } }

// Backoff limits the waits where the server names none. Each is drawn up to first, which doubles with every attempt
// up to most: 250 milliseconds and 8 seconds by default. Under a clock that moves by hand an outage lasts for so many
// requests, so a long wait gains nothing there.
func Backoff(first, most time.Duration) Option {
	return func(s *settings) { s.backoffFirst, s.backoffMost = first, most }
}

// CreationKey makes CreateSandbox send the key without which a server makes no sandbox,
// where its operator has set one.
func CreationKey(key string) Option { return func(s *settings) { s.creation = key } }

// RetryConflicts repeats retryable 409 refusals too, such as press_busy and
// no_operator, within MaxRetries and MaxElapsed. By default they are returned
// at once: they describe the company, not the connection, and whether to wait,
// to take another press or to move the clock is a decision. The one 409 that is
// always repeated is request_in_progress, which a call meets when an earlier
// attempt of its own is still at work.
func RetryConflicts() Option { return func(s *settings) { s.conflicts = true } }

// IdempotencyKeys replaces the source of keys, which must be of 1 to 64
// printable ASCII characters and never the same twice. The default draws 26
// random ones.
func IdempotencyKeys(source func() string) Option {
	return func(s *settings) { s.newKey = source }
}

// Clock replaces the clock, for tests. Sleep must return early with the
// context's error when that ends.
func Clock(now func() time.Time, sleep func(context.Context, time.Duration) error) Option {
	return func(s *settings) { s.now, s.sleep = now, sleep }
}

// New returns a client of the API at a base URL such as
// http://127.0.0.1:8080/v1, or at the origin of a server. A base URL that cannot be used is reported by the
// first call.
func New(baseURL string, keys Keys, options ...Option) *Client {
	c := &Client{base: strings.TrimRight(baseURL, "/"), keys: keys, settings: settings{
		http: &http.Client{
			Timeout:       attemptTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		userAgent: "platen-client-go", maxRetries: defaultMaxRetries, maxElapsed: defaultMaxElapsed,
		backoffFirst: backoffFirst, backoffMost: maxBackoff,
		onWait: func(Wait) {}, onExchange: func(Exchange) {},
		newKey: rand.Text, now: time.Now, sleep: sleep,
	}}
	for _, option := range options {
		option(&c.settings)
	}
	if u, err := url.Parse(c.base); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
		u.RawQuery != "" {
		c.baseErr = fmt.Errorf("platen: the base URL must be like http://127.0.0.1:8080/v1, not %q", baseURL)
	} else if u.Path == "" {
		c.base += BasePath
	}
	return c
}

// sleep waits with the real clock.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err() //nolint:wrapcheck // the caller names what it waited for
	}
}

// system is the key that a route requires.
type system string

const (
	open    system = "open"
	shared  system = "shared"
	office  system = "office"
	factory system = "factory"
	grading system = "grading"
	// judged routes are shared, and in an evaluation not for its player.
	judged system = "judged"
)

// key picks the key for a route of system s, and returns the system that it
// belongs to. Open routes need none.
func (c *Client) key(s system) (key string, of system, err error) {
	order := []system{s}
	switch s {
	case open:
		return "", "", nil
	case shared:
		order = []system{office, factory, grading}
	case judged:
		order = []system{grading, office, factory}
	default:
	}
	keys := map[system]string{office: c.keys.Office, factory: c.keys.Factory, grading: c.keys.Grading}
	for _, of := range order {
		if keys[of] != "" {
			return keys[of], of, nil
		}
	}
	return "", "", fmt.Errorf("%w (%s)", ErrNoKey, s)
}
