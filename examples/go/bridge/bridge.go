package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"platen/client"
)

// bridge carries records from one system to the other.
type bridge struct {
	api   *client.Client
	state checkpoint
	path  string
	// wait is how long to wait for events on the server, in seconds.
	wait int
	// numbers are the ids of purchase orders by the number that is printed on
	// their delivery notes.
	numbers map[string]string
	out     io.Writer

	carried, before, refused int
}

// errRefused is the end of a run in which something could not be carried.
var errRefused = errors.New("some records need a person")

// errLater is the end of a run in which a read did not show yet what the feed tells of: the
// feed is never behind, other reads may be for a while.
var errLater = errors.New("a read does not show it yet")

// shown turns the error of a read that does not find what the feed names into errLater.
func shown(err error, what string) error {
	if client.IsCode(err, client.CodeNotFound) {
		return fmt.Errorf("%w: %s", errLater, what)
	}
	return err
}

// mostBeginnings is how often a list is begun anew.
const mostBeginnings = 5

// anew reads a list, and begins it anew when the server has forgotten where the reader was.
func anew(read func() error) error {
	for n := 1; ; n++ {
		if err := read(); !client.IsCode(err, client.CodeInvalidCursor) || n == mostBeginnings {
			return err
		}
	}
}

// open checks the sandbox before anything is carried: both keys must be of it,
// no other program may be carrying, and the state file must be its own.
func (b *bridge) open(ctx context.Context, s settings) error {
	office, err := client.New(s.url, client.Keys{Office: s.keys.Office}).GetSandbox(ctx)
	if err != nil {
		return fmt.Errorf("read the sandbox with the Head Office key: %w", err)
	}
	factory, err := client.New(s.url, client.Keys{Factory: s.keys.Factory}).GetSandbox(ctx)
	if err != nil {
		return fmt.Errorf("read the sandbox with the Factory key: %w", err)
	}
	if b.path = s.statePath; b.path != "" {
		if b.state, err = loadCheckpoint(b.path); err != nil {
			return err
		}
	}
	switch id := office.SandboxID; {
	case factory.SandboxID != id:
		return fmt.Errorf("%w: the keys are of two sandboxes, %s and %s", errSettings, id, factory.SandboxID)
	case office.Bridge != client.BridgeManual:
		return fmt.Errorf("%w: the bridge of %s is %s, so it carries its records itself; create a sandbox with "+
			"\"bridge\":\"manual\"", errSettings, id, office.Bridge)
	case b.state.SandboxID == "":
		b.state.SandboxID = id
	case b.state.SandboxID != id:
		return fmt.Errorf("%w: %s is of %s, the keys are of %s; use another file",
			errSettings, b.path, b.state.SandboxID, id)
	}
	return nil
}

// work catches up, once or again and again until the context ends. A line that
// fails for a while ends only a single run: the next look begins where this
// one stopped.
func (b *bridge) work(ctx context.Context, s settings) error {
	for {
		err := b.catchUp(ctx)
		switch {
		case ctx.Err() != nil || over(err) || errors.Is(err, errState):
			return err
		case s.once && err == nil && b.refused > 0:
			return fmt.Errorf("%w: %d refused, see above", errRefused, b.refused)
		case s.once:
			return err
		case err != nil:
			fmt.Fprintln(b.out, "later:", err)
		}
		if b.wait > 0 && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // the caller knows that it ended this
		case <-time.After(s.pause):
		}
	}
}

// catchUp deals with every event there is, in the order of the feed, and then
// with the weeks that are over.
func (b *bridge) catchUp(ctx context.Context) error {
	before := *b
	for {
		page, err := b.next(ctx)
		if err != nil {
			return fmt.Errorf("read the feed: %w", err)
		}
		for i := range page.Items {
			if err := b.deal(ctx, &page.Items[i]); err != nil {
				return err
			}
		}
		if page.NextCursor != "" {
			continue
		}
		// Events of other types need not be looked at again.
		if err := b.pass(page.LastSeq); err != nil {
			return err
		}
		if err := b.carryWeeks(ctx, page.Meta.SimDate); err != nil {
			return err
		}
		if carried, done, refused := b.carried-before.carried, b.before-before.before,
			b.refused-before.refused; carried+done+refused > 0 {
			fmt.Fprintf(b.out, "caught up at event %d: %d carried, %d done before, %d refused\n",
				b.state.Seq, carried, done, refused)
		}
		return nil
	}
}

// next reads the events after the checkpoint that mean work, and waits for them
// on the server if it is told to.
func (b *bridge) next(ctx context.Context) (*client.Page[client.FeedEvent], error) {
	work := []client.EventType{
		client.EventOfficeSalesOrderAccepted, client.EventOfficeContractLotAccepted,
		client.EventFactoryShipmentCreated,
		client.EventFactoryRequisitionCreated, client.EventFactoryGoodsReceiptRecorded,
	}
	if b.wait > 0 {
		return b.api.PollEvents(ctx, client.PollEventsParams{
			AfterSeq: b.state.Seq, Limit: client.MostPerPage, Types: work, WaitS: &b.wait,
		})
	}
	return b.api.ListEvents(ctx,
		client.ListEventsParams{AfterSeq: b.state.Seq, Limit: client.MostPerPage, Types: work})
}

// pass writes down that the feed has been dealt with up to an event: after the
// effects, never before.
func (b *bridge) pass(seq uint64) error {
	if seq == b.state.Seq {
		return nil
	}
	b.state.Seq = seq
	return b.state.save(b.path)
}

// deal carries what an event calls for and passes it. An error means that the
// event is still to be dealt with. A request that is refused for good is
// reported and passed, since it would be refused for ever and hold up all the
// rest.
func (b *bridge) deal(ctx context.Context, e *client.FeedEvent) error {
	// The same event always leads to the same request, and has a key for it. If
	// the last try got through and its response was lost, this one gets that
	// response.
	err := b.report(ctx, fmt.Sprintf("event %d, %s", e.Seq, e.Type), "bridge-"+e.ID,
		func(ctx context.Context) (string, error) { return b.carry(ctx, e) })
	if err != nil {
		return err
	}
	return b.pass(e.Seq)
}

// report lets a hand-off act under an idempotency key and says how it went. It
// returns an error when that is to be tried again.
func (b *bridge) report(ctx context.Context, what, key string, act func(context.Context) (string, error)) error {
	var last client.Call
	text, err := act(client.WithCall(client.WithIdempotencyKey(ctx, key), &last))
	refusal, _ := errors.AsType[*client.Error](err)
	switch {
	case err == nil && last.Replayed, doneBefore(err):
		b.before++
		fmt.Fprintf(b.out, "done before: %s\n", what)
	case err == nil:
		b.carried++
		fmt.Fprintf(b.out, "carried: %s: %s\n", what, text)
	case errors.Is(err, errRefused), refusal != nil && !over(err) && !passing(refusal):
		b.refused++
		fmt.Fprintf(b.out, "refused: %s: %v\n", what, err)
	default:
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// passing tells refusals that end by themselves, when something else has
// changed, from those that never will.
func passing(e *client.Error) bool {
	return e.Retryable || e.Status == http.StatusTooManyRequests || e.Status >= http.StatusInternalServerError ||
		e.Code == client.CodeTooManyOpen
}

// over reports whether the sandbox can be written to no more, or the keys are
// not good for it.
func over(err error) bool {
	refusal, ok := errors.AsType[*client.Error](err)
	return ok && (refusal.Status == http.StatusUnauthorized || refusal.Status == http.StatusForbidden ||
		refusal.Status == http.StatusLocked)
}
