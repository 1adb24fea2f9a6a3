package api

import (
	"sync"
	"time"

	"platen/internal/company/record"
	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
)

// maxPolls is the most polls of one key that may wait (contract:
// OPEN.FEED.POLL.LIMIT).
const maxPolls = 2

// poll sends events as the feed does, and waits for one when there is none.
// Meanwhile time passes in the company as if a client sent requests.
func (x *exchange) poll() error {
	p, patience, err := x.wanted()
	if err != nil {
		return err
	}
	if _, err := x.present(); err != nil {
		return err
	}
	v, events, err := x.newEvents(p)
	if err != nil {
		return err
	}
	if len(events) == 0 && patience > 0 {
		release, err := x.server.waiters.reserve(x.caller)
		if err != nil {
			return err
		}
		defer release()
		if v, events, err = x.await(p, v, patience); err != nil {
			return err
		}
	}
	if x.r.Context().Err() != nil {
		return nil // the client is gone and reads no response
	}
	x.tag(x.feedVersion(v))
	if x.unchanged() {
		return nil
	}
	return x.events(v, &p.page, events)
}

// newEvents returns the present view, and its new events. Events that it has
// passed over are not read again.
func (x *exchange) newEvents(p *wanted) (*sandbox.View, []record.Event, error) {
	x.now = x.sandbox.AsOf(x.server.registry.Now())
	v, err := x.sandbox.View(x.r.Context())
	if err == nil {
		err = x.stillKnown(x.r.Context())
	}
	if err != nil {
		return nil, nil, err
	}
	events, err := x.sandbox.Events(x.r.Context(), v, p.query)
	if len(events) == 0 {
		p.query.After = max(p.query.After, v.Sequence)
	}
	return v, events, err
}

// await waits until there is something new after a view, for a time, to the end
// of the sandbox or of the server, or as long as the client is connected.
func (x *exchange) await(p *wanted, v *sandbox.View, patience time.Duration) (*sandbox.View, []record.Event, error) {
	unwatch := x.sandbox.Watch()
	defer unwatch()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	// Nothing below holds the view: a company that is evicted while this waits is
	// not kept in memory by it.
	changed, lasted, over := v.Changed(), v.Status(x.now), false
	for {
		select {
		case <-changed:
		case <-timer.C:
			over = true
		case <-x.server.stopped:
			over = true
		case <-x.r.Context().Done():
			return nil, nil, nil // no response is read
		}
		v, events, err := x.newEvents(p)
		if err != nil || over || len(events) > 0 || v.Status(x.now) != lasted {
			return v, events, err
		}
		changed = v.Changed()
	}
}

// wanted holds the parameters of a poll.
type wanted struct {
	page  page
	query sandbox.Query
}

// wanted reads the parameters of a poll, and the time that it waits.
func (x *exchange) wanted() (*wanted, time.Duration, error) {
	p, sent, err := x.page()
	if err != nil {
		return nil, 0, err
	}
	query, err := p.events(sent)
	if err != nil {
		return nil, 0, err
	}
	return &wanted{page: p, query: query}, time.Duration(sent.number(operation.ParameterWaitS)) * time.Second, nil
}

// events sends a page of the feed.
func (x *exchange) events(v *sandbox.View, p *page, events []record.Event) error {
	events, last, err := x.inSight(v, p.after, events)
	if err != nil {
		return err
	}
	next := ""
	if len(events) > p.limit {
		events = events[:p.limit]
		next = p.nextCursor(events[p.limit-1].Sequence)
	}
	items := make([][]byte, len(events))
	for i := range events {
		items[i] = events[i].Numbered()
	}
	x.followed(v, p, events, next)
	return x.items(v, items, next, &last)
}

// waiters counts the polls that wait, by key.
type waiters struct {
	mu sync.Mutex // guards the fields below
	by map[waiter]int
}

// waiter is a key.
type waiter struct {
	sandboxID string
	system    apikey.System
}

// reserve lets a poll wait, unless two of its key do. The caller ends that with
// release.
func (w *waiters) reserve(caller sandbox.Caller) (release func(), err error) {
	key := waiter{caller.SandboxID, caller.System}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.by[key] >= maxPolls {
		return nil, problem.New(problem.PollInProgress, "%d polls with this key are waiting.", maxPolls)
	}
	if w.by == nil {
		w.by = map[waiter]int{}
	}
	w.by[key]++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.by[key]--; w.by[key] == 0 {
			delete(w.by, key)
		}
	}, nil
}
