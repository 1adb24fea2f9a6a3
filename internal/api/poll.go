package api

import (
	"sync"
	"time"

	"platen/internal/api/message"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/words/problem"
)

// maxPolls is the most polls of one key that may wait (contract:
// OPEN.FEED.POLL.LIMIT).
const maxPolls = 2

// poll sends events as the feed does, and waits for one when there is none.
// Meanwhile time passes in the company as if a client sent requests.
func (x *exchange) poll() (*message.Response, error) {
	p, patience, err := x.wanted()
	if err != nil {
		return nil, err
	}
	if _, err := x.present(); err != nil {
		return nil, err
	}
	f, err := x.newEvents(p)
	if err != nil {
		return nil, err
	}
	if len(f.events) == 0 && patience > 0 {
		release, err := x.server.waiters.reserve(x.Caller)
		if err != nil {
			return nil, err
		}
		defer release()
		wait := x.Sandbox.Await(f.view, patience)
		defer wait.End()
		resume := message.Pause(x.Context())
		last := seen{f.view.Changed(), f.view.Version, f.view.Status(x.now)}
		if f, err = x.await(p, wait, last, patience); err != nil {
			return nil, err
		}
		if err := resume(); err != nil {
			return gone(), nil
		}
	}
	if x.Context().Err() != nil {
		return gone(), nil
	}
	x.tag(f.last)
	if out := x.unchanged(); out != nil {
		return out, nil
	}
	return x.events(f, &p.page)
}

// newEvents returns the present state of the feed, and its new events. Events that it has
// passed over are not read again.
func (x *exchange) newEvents(p *wanted) (*feed, error) {
	x.now = x.Sandbox.AsOf(x.server.registry.Now())
	v, err := x.view()
	if err == nil {
		err = x.server.stillKnown(x.Context(), x.Credentials)
	}
	if err != nil {
		return nil, err
	}
	f, err := x.read(v, p.query)
	if err == nil && len(f.events) == 0 {
		p.query.After = max(p.query.After, f.last)
	}
	return f, err
}

// seen has what a poll remembers of a view.
type seen struct {
	changed <-chan struct{}
	version uint64
	status  string
}

// await waits until there is something new, for a time, until it has to give way, to the end
// of the sandbox or of the server, or as long as the client is connected. It is told of the view that
// the caller has seen, and holds none: a company that is evicted while this waits is not kept in memory by it.
func (x *exchange) await(p *wanted, wait *sandbox.Poll, v seen, patience time.Duration) (*feed, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	shown := time.NewTimer(x.untilShown(patience))
	defer shown.Stop()
	cut, end := x.server.Hold()
	defer end()
	for over := false; ; {
		if !x.Traceless() {
			wait.Looked(v.version)
		}
		select {
		case <-v.changed:
		case <-shown.C:
		case <-timer.C:
			over = true
		case <-cut:
			over = true
		case <-x.server.stopped:
			over = true
		case <-x.Context().Done():
			return nil, nil //nolint:nilnil // no response is read
		}
		f, err := x.newEvents(p)
		if err != nil || over || len(f.events) > 0 || f.view.Status(x.now) != v.status || wait.Enough(f.view) {
			return f, err
		}
		v.changed, v.version = f.view.Changed(), f.view.Version
	}
}

// untilShown is how long events stay hidden from a poll, at most its patience.
func (x *exchange) untilShown(patience time.Duration) time.Duration {
	until := x.Conditions.HiddenUntil
	if until == 0 {
		return patience
	}
	return max(0, min(patience, until.Sub(x.now)))
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
	return &wanted{page: p, query: query}, time.Duration(sent.numbers[operation.ParameterWaitS]) * time.Second, nil
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
