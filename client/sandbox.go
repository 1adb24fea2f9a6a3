package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// pollPause is the least time between two looks at a queue ticket: calls
	// without a key share a small budget.
	pollPause = 3 * time.Second
	// maxProofs is how many tasks are solved for one creation: a proof can
	// come too late once.
	maxProofs   = 3
	powRequired = "pow_required"
	// createSandbox is the operation that an operator may close.
	createSandbox = "create_sandbox"
)

// Sandbox is a new sandbox. Its keys are shown this once: keep them.
type Sandbox struct {
	NewSandbox

	// ForkedFrom is where a fork comes from, nil for a sandbox that is none.
	ForkedFrom *ForkedFrom

	client *Client
}

// Client returns a client with the sandbox's keys and the options that it was
// created with.
func (s Sandbox) Client() *Client { return s.client }

// Keys returns the sandbox's keys.
func (s Sandbox) Keys() Keys {
	return Keys{Office: s.OfficeKey, Factory: s.FactoryKey, Grading: s.GradingKey}
}

// Grader returns a client with the grading key alone, and the options that the sandbox was
// created with: what it reads leaves no trace. Outside of evaluations it has no key.
func (s Sandbox) Grader() *Client {
	return &Client{
		base: s.client.base, baseErr: s.client.baseErr, keys: Keys{Grading: s.GradingKey}, settings: s.client.settings,
	}
}

// String names the sandbox without its keys.
func (s Sandbox) String() string { return s.SandboxID + " (" + s.PublicName + ")" }

// GoString is String, so that %#v shows no key either.
func (s Sandbox) GoString() string { return s.String() }

// LogValue keeps keys out of logs.
func (s Sandbox) LogValue() slog.Value { return slog.StringValue(s.String()) }

// CreateSandbox creates a sandbox without a client.
func CreateSandbox(ctx context.Context, baseURL string, in CreateSandboxInput, options ...Option) (*Sandbox, error) {
	return New(baseURL, Keys{}, options...).CreateSandbox(ctx, in)
}

// create makes a sandbox. It does a proof of work when the server asks for
// one, and waits in the queue for as long as the context lasts.
func (c *Client) create(ctx context.Context, q request) (*Sandbox, error) {
	if q.write = true; q.system == "" {
		q.system = open
	}
	ctx = WithIdempotencyKey(ctx, c.keyOf(ctx)) // one for all proofs
	var data json.RawMessage
	call, err := c.do(ctx, &q, &data)
	for range maxProofs {
		if !IsCode(err, powRequired) {
			break
		}
		if q.proof, err = c.solve(ctx, err); err != nil {
			return nil, err
		}
		call, err = c.do(ctx, &q, &data)
	}
	for err == nil && call.Status == http.StatusAccepted {
		call, err = c.poll(ctx, q.operation, call, &data)
	}
	if err != nil {
		return nil, err
	}
	return c.made(q.operation, data)
}

// made is the sandbox of a response, with a client of its own.
func (c *Client) made(operation string, data json.RawMessage) (*Sandbox, error) {
	s := &Sandbox{}
	var from struct {
		ForkedFrom *ForkedFrom `json:"forked_from"`
	}
	if err := cmp.Or(json.Unmarshal(data, &s.NewSandbox), json.Unmarshal(data, &from)); err != nil {
		return nil, fmt.Errorf("platen: %s: decode the sandbox: %w", operation, err)
	}
	s.ForkedFrom = from.ForkedFrom
	s.client = &Client{base: c.base, baseErr: c.baseErr, keys: s.Keys(), settings: c.settings}
	return s, nil
}

// look looks at a ticket once.
func (c *Client) look(ctx context.Context, q request) (*Sandbox, *QueueTicket, error) {
	q.system, q.method = open, http.MethodGet
	var data json.RawMessage
	call, err := c.do(ctx, &q, &data)
	if err != nil {
		return nil, nil, err
	}
	if call.Status != http.StatusAccepted {
		s, err := c.made(q.operation, data)
		return s, nil, err
	}
	stands := &QueueTicket{}
	if err := json.Unmarshal(data, stands); err != nil {
		return nil, nil, fmt.Errorf("platen: %s: decode the ticket: %w", q.operation, err)
	}
	return nil, stands, nil
}

// poll waits and looks at a ticket once. Data holds the ticket before and the
// result after; a response without a path to poll keeps the last one.
func (c *Client) poll(ctx context.Context, operation string, before *Call, data *json.RawMessage) (*Call, error) {
	ticket := QueueTicket{}
	if err := json.Unmarshal(*data, &ticket); err != nil {
		return nil, fmt.Errorf("platen: %s: decode the ticket: %w", operation, err)
	}
	wait := pollPause
	if seconds, err := strconv.ParseUint(before.Header.Get("Retry-After"), 10, 31); err == nil {
		wait = max(wait, time.Duration(seconds)*time.Second)
	}
	c.onWait(Wait{Operation: operation, Duration: wait, Ticket: &ticket})
	if err := c.sleep(ctx, wait); err != nil {
		return nil, fmt.Errorf("platen: %s: %w while waiting in the queue", operation, err)
	}
	var found json.RawMessage
	call, err := c.do(ctx,
		&request{operation: operation, method: http.MethodGet, path: ticket.Poll, absolute: true, system: open}, &found)
	if err != nil {
		return nil, err
	}
	if call.Status != http.StatusAccepted {
		*data = found
		return call, nil
	}
	// A later response may name only the position.
	next := ticket
	if err := json.Unmarshal(found, &next); err != nil {
		return nil, fmt.Errorf("platen: %s: decode the ticket: %w", operation, err)
	}
	if *data, err = json.Marshal(next); err != nil {
		return nil, fmt.Errorf("platen: %s: %w", operation, err)
	}
	return call, nil
}

var errPollPath = errors.New("the ticket names no path of this server")

// atOrigin resolves a path of the server. It can lead nowhere else.
func (c *Client) atOrigin(path string) (string, error) {
	base, err := url.Parse(c.base)
	if err != nil {
		return "", err //nolint:wrapcheck // do names the operation
	}
	target, err := url.Parse(path)
	if err != nil || !strings.HasPrefix(path, "/") || target.Host != "" || target.Scheme != "" {
		return "", errPollPath
	}
	return base.ResolveReference(target).String(), nil
}
