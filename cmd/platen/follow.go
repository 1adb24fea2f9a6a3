package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"platen/client"
)

const (
	// pollSeconds is how long the server may hold a poll.
	pollSeconds = 20
	pollTimeout = 35 * time.Second
	pollLimit   = 100
	// While the server cannot be reached it is tried again, at first after a
	// second.
	reconnectLeast, maxReconnect = time.Second, 15 * time.Second
	// maxFeedPage is far more than the largest page.
	maxFeedPage = 8 << 20
)

// feedEvent is an event, and its bytes as the feed has them.
type feedEvent struct {
	Seq  uint64 `json:"seq"`
	ID   string `json:"id"`
	Type string `json:"type"`

	raw json.RawMessage
}

// UnmarshalJSON keeps the bytes.
func (e *feedEvent) UnmarshalJSON(b []byte) error {
	type plain feedEvent
	if err := json.Unmarshal(b, (*plain)(e)); err != nil {
		return err //nolint:wrapcheck // the error names the file
	}
	e.raw = bytes.Clone(b)
	return nil
}

// tape keeps the body of the newest response: the bytes to sign must be those
// of the feed, which typed rows do not keep. One request at a time goes over
// it.
type tape struct {
	base http.RoundTripper
	body []byte
}

// RoundTrip implements http.RoundTripper.
func (t *tape) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err //nolint:wrapcheck // the client names the failed operation
	}
	defer answer.Body.Close()
	if t.body, err = io.ReadAll(io.LimitReader(answer.Body, maxFeedPage)); err != nil {
		return nil, fmt.Errorf("read the response: %w", err)
	}
	answer.Body = io.NopCloser(bytes.NewReader(t.body))
	return answer, nil
}

// follower reads the feed. Its only state is the number of the last event that
// it handed over, so there can be no gap.
type follower struct {
	client *client.Client
	tape   *tape
	types  []client.EventType
	notes  io.Writer
}

func newFollower(baseURL, key string, types []string, notes io.Writer) *follower {
	f := &follower{tape: &tape{base: &http.Transport{}}, notes: notes}
	f.client = client.New(baseURL, keysOf(key), client.UserAgent("platen-listen"), client.MaxRetries(0),
		client.HTTPClient(&http.Client{Transport: f.tape, Timeout: pollTimeout}))
	for _, name := range types {
		f.types = append(f.types, client.EventType(name))
	}
	return f
}

// follow hands over the events behind a number as they happen. It ends with ctx,
// or with a refusal that asking again does not change.
func (f *follower) follow(ctx context.Context, after uint64, events chan<- feedEvent) error {
	wait := time.Duration(0)
	for {
		page, err := f.poll(ctx, after, pollSeconds)
		if err != nil {
			if wait, err = f.pause(ctx, wait, err); err != nil || ctx.Err() != nil {
				return err
			}
			continue
		}
		if wait > 0 {
			fmt.Fprintln(f.notes, "The feed can be read again.")
			wait = 0
		}
		for _, e := range page {
			select {
			case events <- e:
				after = e.Seq
			case <-ctx.Done():
				return nil
			}
		}
	}
}

// pause waits after an error, twice as long as the last time, and returns how
// long it was. It returns the error when asking again does not help.
func (f *follower) pause(ctx context.Context, last time.Duration, err error) (time.Duration, error) {
	if ctx.Err() != nil {
		return last, nil
	}
	refused, ok := errors.AsType[*client.Error](err)
	if ok && refused.Status < http.StatusInternalServerError && !refused.Retryable {
		return last, fmt.Errorf("read the feed: %w", err)
	}
	if last == 0 {
		fmt.Fprintf(f.notes, "The feed cannot be read (%v). Trying again.\n", err)
	}
	wait := min(max(2*last, reconnectLeast), maxReconnect)
	if ok {
		wait = max(wait, refused.RetryAfter)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return wait, nil
}

// poll returns the events behind a number, or none after so many seconds.
func (f *follower) poll(ctx context.Context, after uint64, seconds int) ([]feedEvent, error) {
	if _, err := f.client.PollEvents(ctx,
		client.PollEventsParams{AfterSeq: after, WaitS: &seconds, Types: f.types, Limit: pollLimit}); err != nil {
		return nil, err //nolint:wrapcheck // follow names the failed operation
	}
	var answer struct {
		Data struct {
			Items []feedEvent `json:"items"`
		} `json:"data"`
	}
	if err := json.Unmarshal(f.tape.body, &answer); err != nil {
		return nil, fmt.Errorf("read a page of the feed: %w", err)
	}
	return answer.Data.Items, nil
}
