package sandbox

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"platen/internal/words/moment"
)

const (
	// wakeupRest is how long the scheduler rests at most: a wall clock that was
	// set is noticed after it.
	wakeupRest = time.Second
	// wakeupRetry is when a sandbox is tried again that could not be brought up
	// to the present.
	wakeupRetry = time.Second
	// wakeupWriters is the number of sandboxes that it brings up to the present
	// at once.
	wakeupWriters = 64
)

// wakeups holds the watched sandboxes, for whose events a caller waits. A
// sandbox is otherwise brought up to the present by the next request; in these,
// each due step happens at its own moment. The others cost nothing.
type wakeups struct {
	mu sync.Mutex // guards the fields below
	// watched are the sandboxes with the number of callers that wait, queue
	// those of them for which something is due, the soonest first.
	watched map[*Sandbox]*scheduled
	queue   wakeupQueue
	waiting int
	// sooner is signalled when there is an earlier first entry.
	sooner chan struct{}
}

// scheduled is a watched sandbox.
type scheduled struct {
	sandbox  *Sandbox
	watchers int
	at       moment.Instant
	// index is its place in the queue, -1 when it is in none.
	index int
}

func newWakeups() *wakeups {
	return &wakeups{watched: map[*Sandbox]*scheduled{}, sooner: make(chan struct{}, 1)}
}

// Watch lets time pass in a sandbox while a caller waits for its events: each
// due step happens at its moment, without a request. The caller ends it.
func (s *Sandbox) Watch() (end func()) {
	h := s.registry.wakeups
	unwatch := s.watch()
	h.count(1)
	s.presence.lookers.Add(1)
	return func() {
		s.presence.see(s.registry.Now())
		s.presence.lookers.Add(-1)
		h.count(-1)
		unwatch()
	}
}

// count changes the number of callers that wait.
func (q *wakeups) count(change int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting += change
}

// watch keeps a sandbox scheduled until the caller ends it.
func (s *Sandbox) watch() (end func()) {
	h := s.registry.wakeups
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.watched[s]
	if w == nil {
		w = &scheduled{sandbox: s, index: -1}
		h.watched[s] = w
	}
	w.watchers++
	s.watched.Store(true)
	if v := s.published.Load(); v != nil {
		h.set(w, s.next(v))
	} else {
		h.set(w, s.registry.Now())
	}
	return func() { h.unwatch(w) }
}

func (q *wakeups) unwatch(w *scheduled) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if w.watchers--; w.watchers == 0 {
		q.set(w, 0)
		delete(q.watched, w.sandbox)
		w.sandbox.watched.Store(false)
	}
}

// Watchers is the number of callers that wait for events.
func (r *Registry) Watchers() int {
	r.wakeups.mu.Lock()
	defer r.wakeups.mu.Unlock()
	return r.wakeups.waiting
}

// next is when something is next to happen, 0 for never.
func (v *View) next() moment.Instant {
	if v.ended {
		return 0
	}
	next := v.wakeAt
	for _, at := range [...]moment.Instant{v.nextDue, v.pausesAt()} {
		if at > 0 {
			next = min(next, at)
		}
	}
	return next
}

// reschedule notes when something is next to happen in a sandbox, if it is
// watched.
func (q *wakeups) reschedule(s *Sandbox, at moment.Instant) {
	if !s.watched.Load() {
		return // nearly all: they do not meet at the lock
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if w := q.watched[s]; w != nil {
		q.set(w, at)
	}
}

// set puts a sandbox into the queue, or takes it out with 0. The caller holds
// mu.
func (q *wakeups) set(w *scheduled, at moment.Instant) {
	w.at = at
	switch {
	case at == 0 && w.index >= 0:
		heap.Remove(&q.queue, w.index)
	case at == 0:
	case w.index >= 0:
		heap.Fix(&q.queue, w.index)
	default:
		heap.Push(&q.queue, w)
	}
	if w.index == 0 {
		select {
		case q.sooner <- struct{}{}:
		default:
		}
	}
}

// due takes a sandbox out of the queue that is due, or returns how long to rest.
func (q *wakeups) due(now moment.Instant) (*Sandbox, time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queue) == 0 {
		return nil, wakeupRest
	}
	if first := q.queue[0]; first.at > now {
		return nil, min(wakeupRest, first.at.Sub(now))
	}
	w, _ := heap.Pop(&q.queue).(*scheduled)
	return w.sandbox, 0
}

// run brings the watched sandboxes up to the present, each at its moment, until
// the context ends.
func (q *wakeups) run(ctx context.Context, now func() moment.Instant) {
	timer := time.NewTimer(wakeupRest)
	defer timer.Stop()
	places := make(chan struct{}, wakeupWriters)
	var writing sync.WaitGroup
	defer writing.Wait()
	for ctx.Err() == nil {
		s, rest := q.due(now())
		if s == nil {
			timer.Reset(rest)
			select {
			case <-ctx.Done():
			case <-q.sooner:
			case <-timer.C:
			}
			continue
		}
		select {
		case <-ctx.Done():
		case places <- struct{}{}:
			writing.Go(func() {
				q.advance(ctx, s, now())
				<-places
			})
		}
	}
}

// advance brings a sandbox up to the present and puts it back into the queue.
func (q *wakeups) advance(ctx context.Context, s *Sandbox, now moment.Instant) {
	next, err := s.wake(ctx, now)
	if err != nil {
		s.registry.log.Warn("bring sandbox up to the present", "sandbox", s.id, "error", err)
		next = now.Add(wakeupRetry)
	}
	q.reschedule(s, next)
}

// wakeupQueue is a heap.
type wakeupQueue []*scheduled //nolint:recvcheck // heap.Interface needs both

func (q wakeupQueue) Len() int           { return len(q) }
func (q wakeupQueue) Less(i, j int) bool { return q[i].at < q[j].at }

func (q wakeupQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

// Push implements heap.Interface.
func (q *wakeupQueue) Push(v any) {
	if w, ok := v.(*scheduled); ok {
		w.index = len(*q)
		*q = append(*q, w)
	}
}

// Pop implements heap.Interface.
func (q *wakeupQueue) Pop() any {
	last := len(*q) - 1
	w := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	w.index = -1
	return w
}
