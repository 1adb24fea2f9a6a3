package cli

import (
	"context"
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
	pollLimit   = 100
	// While the server cannot be reached it is tried again, at first after
	// reconnectFirst.
	reconnectFirst, maxReconnect = time.Second, 15 * time.Second
)

// follower reads the feed. Its only state is the number of the last event that
// it handed over, so there can be no gap.
type follower struct {
	client *client.Client
	types  []client.EventType
	notes  io.Writer
}

// newFollower returns a follower of the events of some types, of all when there are
// none. Its client should not repeat requests: the follower does.
func newFollower(c *client.Client, types []client.EventType, notes io.Writer) *follower {
	return &follower{client: c, types: types, notes: notes}
}

// follow hands over the events behind a number as they happen. It ends with ctx,
// with an error of handle, or with an error of the server that repeating does not
// change.
func (f *follower) follow(ctx context.Context, after uint64, handle func(client.FeedEvent) error) error {
	wait := time.Duration(0)
	for ctx.Err() == nil {
		events, err := f.poll(ctx, after, pollSeconds)
		if err != nil {
			if wait, err = f.pause(ctx, wait, err); err != nil {
				return err
			}
			continue
		}
		if wait > 0 {
			fmt.Fprintln(f.notes, "The feed can be read again.")
			wait = 0
		}
		for _, e := range events {
			if ctx.Err() != nil {
				break
			}
			if err := handle(e); err != nil && ctx.Err() == nil {
				return err
			}
			after = e.Seq
		}
	}
	return nil
}

// pause waits after an error, twice as long as the last time, and returns how
// long it was. It returns the error when repeating does not help.
func (f *follower) pause(ctx context.Context, last time.Duration, err error) (time.Duration, error) {
	if ctx.Err() != nil {
		return last, nil
	}
	rejected, ok := errors.AsType[*client.Error](err)
	if ok && rejected.Status < http.StatusInternalServerError && !rejected.Retryable {
		return last, fmt.Errorf("read the feed: %w", err)
	}
	if last == 0 {
		fmt.Fprintf(f.notes, "The feed cannot be read (%v). Trying again.\n", Brief(err))
	}
	wait := min(max(2*last, reconnectFirst), maxReconnect)
	if ok {
		wait = max(wait, rejected.RetryAfter)
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
func (f *follower) poll(ctx context.Context, after uint64, seconds int) ([]client.FeedEvent, error) {
	page, err := f.client.PollEvents(ctx,
		client.PollEventsParams{AfterSeq: after, WaitS: &seconds, Types: f.types, Limit: pollLimit})
	if err != nil {
		return nil, err //nolint:wrapcheck // follow names the failed operation
	}
	return page.Items, nil
}
