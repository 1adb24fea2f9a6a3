package sandbox

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"platen/internal/moment"
)

const (
	// heatRest is how long the scheduler rests at most: a wall clock that was
	// set is noticed after it.
	heatRest = time.Second
	// heatRetry is when a sandbox is tried again that could not be brought up
	// to the present.
	heatRetry = time.Second
	// heatWriters is how many sandboxes it brings up to the present at once.
	heatWriters = 64
)

// heat is the sandboxes whose events somebody waits for. A sandbox is otherwise
// brought up to the present by whoever calls; for these, what is due happens at
// its own moment. The others cost nothing.
type heat struct {
	mu sync.Mutex // guards what follows
	// watched are the sandboxes with the number of who waits, queue those of
	// them for which something is due, the soonest first.
	watched map[*Sandbox]*hot
	queue   hotQueue
	waiting int
	// sooner is told when there is something new to do first.
	sooner chan struct{}
}

// hot is a watched sandbox.
type hot struct {
	sandbox  *Sandbox
	watchers int
	at       moment.Instant
	// index is its place in the queue, -1 when it is in none.
	index int
}

func newHeat() *heat {
	return &heat{watched: map[*Sandbox]*hot{}, sooner: make(chan struct{}, 1)}
}

// Watch lets time pass in a sandbox while somebody waits for its events: what
// is due happens at its moment, though nobody calls. The caller ends it.
func (s *Sandbox) Watch() (end func()) {
	h := s.house.heat
	unwatch := s.watch()
	h.count(1)
	return func() {
		h.count(-1)
		unwatch()
	}
}

// count counts those who wait.
func (h *heat) count(change int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting += change
}

// watch keeps a sandbox hot until the caller ends it.
func (s *Sandbox) watch() (end func()) {
	h := s.house.heat
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.watched[s]
	if w == nil {
		w = &hot{sandbox: s, index: -1}
		h.watched[s] = w
	}
	w.watchers++
	s.watched.Store(true)
	if v := s.published.Load(); v != nil {
		h.set(w, v.next())
	} else {
		h.set(w, s.house.now())
	}
	return func() { h.unwatch(w) }
}

func (h *heat) unwatch(w *hot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if w.watchers--; w.watchers == 0 {
		h.set(w, 0)
		delete(h.watched, w.sandbox)
		w.sandbox.watched.Store(false)
	}
}

// Watchers is how many wait for events.
func (h *House) Watchers() int {
	h.heat.mu.Lock()
	defer h.heat.mu.Unlock()
	return h.heat.waiting
}

// next is when something is next to happen, 0 for never.
func (v *View) next() moment.Instant {
	if v.ended {
		return 0
	}
	if v.nextDue > 0 {
		return min(v.nextDue, v.wakeAt)
	}
	return v.wakeAt
}

// renewed notes when something is next to happen in a sandbox, if anybody waits
// for it.
func (h *heat) renewed(s *Sandbox, at moment.Instant) {
	if !s.watched.Load() {
		return // nearly all: they do not meet at the lock
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if w := h.watched[s]; w != nil {
		h.set(w, at)
	}
}

// set puts a sandbox into the queue, or takes it out with 0. The caller holds
// mu.
func (h *heat) set(w *hot, at moment.Instant) {
	w.at = at
	switch {
	case at == 0 && w.index >= 0:
		heap.Remove(&h.queue, w.index)
	case at == 0:
	case w.index >= 0:
		heap.Fix(&h.queue, w.index)
	default:
		heap.Push(&h.queue, w)
	}
	if w.index == 0 {
		select {
		case h.sooner <- struct{}{}:
		default:
		}
	}
}

// due takes a sandbox out of the queue that is due, or returns how long to rest.
func (h *heat) due(now moment.Instant) (*Sandbox, time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.queue) == 0 {
		return nil, heatRest
	}
	if first := h.queue[0]; first.at > now {
		return nil, min(heatRest, first.at.Sub(now))
	}
	w, _ := heap.Pop(&h.queue).(*hot)
	return w.sandbox, 0
}

// run brings the sandboxes that somebody waits for up to the present, each at
// its moment, until the context ends.
func (h *heat) run(ctx context.Context, now func() moment.Instant) {
	timer := time.NewTimer(heatRest)
	defer timer.Stop()
	places := make(chan struct{}, heatWriters)
	var writing sync.WaitGroup
	defer writing.Wait()
	for ctx.Err() == nil {
		s, rest := h.due(now())
		if s == nil {
			timer.Reset(rest)
			select {
			case <-ctx.Done():
			case <-h.sooner:
			case <-timer.C:
			}
			continue
		}
		select {
		case <-ctx.Done():
		case places <- struct{}{}:
			writing.Go(func() {
				h.warm(ctx, s, now())
				<-places
			})
		}
	}
}

// warm brings a sandbox up to the present and puts it back into the queue.
func (h *heat) warm(ctx context.Context, s *Sandbox, now moment.Instant) {
	err := s.wake(ctx, now)
	v := s.published.Load()
	switch {
	case err != nil:
		s.house.log.Warn("bring sandbox up to the present", "sandbox", s.id, "error", err)
		h.renewed(s, now.Add(heatRetry))
	case v != nil:
		h.renewed(s, v.next())
	}
}

// hotQueue is a heap.
type hotQueue []*hot //nolint:recvcheck // heap.Interface wants both

func (q hotQueue) Len() int           { return len(q) }
func (q hotQueue) Less(i, j int) bool { return q[i].at < q[j].at }

func (q hotQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

// Push implements heap.Interface.
func (q *hotQueue) Push(v any) {
	if w, ok := v.(*hot); ok {
		w.index = len(*q)
		*q = append(*q, w)
	}
}

// Pop implements heap.Interface.
func (q *hotQueue) Pop() any {
	last := len(*q) - 1
	w := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	w.index = -1
	return w
}
