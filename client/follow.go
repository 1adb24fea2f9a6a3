package client

import (
	"context"
	"fmt"
)

// followWait is how long a poll waits on the server by default, in seconds.
const followWait = 20

// FollowEventsParams chooses what FollowEvents reads, and from where. Empty fields choose
// nothing.
type FollowEventsParams struct {
	// Checkpoint is asked where to begin, and told of each event that was handled. Without
	// one, FollowEvents begins with the first event.
	Checkpoint FeedCheckpoint
	// After begins behind the event with this number, 0 for the first, whatever the
	// checkpoint says.
	After *uint64
	// Types are the only types of events to read.
	Types []EventType
	// System is the only part of the company whose events to read.
	System EventSystem
	// WaitS is how long a poll waits on the server, in seconds: 0 to 25, 20 by default.
	WaitS *int
	// Limit is the number of events in a page: 1 to 100, 100 by default.
	Limit int
	// UntilNewest ends at the newest event instead of waiting for more.
	UntilNewest bool
}

// FollowEvents passes each event of the feed to handle, one after the other, oldest first,
// and waits for more. When handle has returned nil, the checkpoint is told of the event. So each event is
// handled at least once, and none is lost: one whose handling was cut short comes again
// when FollowEvents is called again. Make its effect repeatable, for example with an
// idempotency key made of the event's ID.
//
// It outlives outages of the server, reported to OnWait. It returns the error of ctx when
// that ends, the error of handle or of the checkpoint, and an error of the server that waiting
// does not mend, such as that of a key. With UntilNewest it returns nil at the newest
// event, and an outage ends it as it does any other call.
func (c *Client) FollowEvents(ctx context.Context, params FollowEventsParams,
	handle func(context.Context, FeedEvent) error,
) error {
	f := follower{client: c, params: params}
	if err := f.begin(ctx); err != nil {
		return err
	}
	for {
		page, err := f.next(ctx)
		if err != nil {
			return err
		}
		for _, event := range page.Items {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("platen: follow events: %w", err)
			}
			if err := handle(ctx, event); err != nil {
				return fmt.Errorf("platen: handle event %s (%s): %w", event.ID, event.Type, err)
			}
			if err := f.pass(ctx, event.Seq); err != nil {
				return err
			}
		}
		if page.NextCursor != "" {
			continue
		}
		// Events of other types need not be looked at again.
		if err := f.pass(ctx, page.LastSeq); err != nil {
			return err
		}
		if params.UntilNewest {
			return nil
		}
	}
}

// follower is where FollowEvents has come to.
type follower struct {
	client *Client
	params FollowEventsParams
	// seq is the number of the last event that was handled.
	seq uint64
}

// begin finds the place to begin.
func (f *follower) begin(ctx context.Context) error {
	if f.params.Limit == 0 {
		f.params.Limit = MostPerPage
	}
	if f.params.WaitS == nil {
		f.params.WaitS = new(followWait)
	}
	switch {
	case f.params.After != nil:
		f.seq = *f.params.After
	case f.params.Checkpoint != nil:
		seq, err := f.params.Checkpoint.Load(ctx)
		if err != nil {
			return fmt.Errorf("load the checkpoint: %w", err)
		}
		f.seq = seq
	}
	return nil
}

// next reads the events behind the last one. A follower outlives an outage: everything is
// still there afterwards.
func (f *follower) next(ctx context.Context) (*Page[FeedEvent], error) {
	p := f.params
	if p.UntilNewest {
		return f.client.ListEvents(ctx, ListEventsParams{
			Types: p.Types, System: p.System, AfterSeq: f.seq, Limit: p.Limit,
		})
	}
	for failures := 1; ; failures++ {
		page, err := f.client.PollEvents(ctx, PollEventsParams{
			Types: p.Types, System: p.System, AfterSeq: f.seq, Limit: p.Limit, WaitS: p.WaitS,
		})
		if err == nil || !f.client.again(ctx, err) {
			return page, err
		}
		wait := f.client.delay(err, failures)
		f.client.onWait(Wait{Operation: "poll_events", Duration: wait, Err: err})
		if stopped := f.client.sleep(ctx, wait); stopped != nil {
			return nil, fmt.Errorf("platen: follow events: %w while waiting after: %w", stopped, err)
		}
	}
}

// pass notes that everything up to a number has been handled.
func (f *follower) pass(ctx context.Context, seq uint64) error {
	if seq <= f.seq {
		return nil
	}
	f.seq = seq
	if f.params.Checkpoint == nil {
		return nil
	}
	if err := f.params.Checkpoint.Save(context.WithoutCancel(ctx), seq); err != nil {
		return fmt.Errorf("save the checkpoint: %w", err)
	}
	return nil
}
