// Package groupcommit is the half of a store that engines do alike: the calls
// that write become requests of a queue, and the engine's one goroutine that
// writes takes them in groups, each of which is made durable together. An engine
// adds its own statements:
//
//	for queue.Wait() {
//		group := queue.Gather()
//		… writes the group in one transaction and calls Finish of each request
//		if queue.Sweep.Due() {
//			… removes a bounded part of a deleted sandbox
//		}
//	}
package groupcommit

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"platen/internal/store"
)

const (
	// maxGroup is the most requests in one group. More would make the first of
	// them wait for the last, and no longer save flushes.
	maxGroup = 256
	// maxGroupBytes ends a group early, so that large bodies do not make a
	// transaction of gigabytes.
	maxGroupBytes = 16 << 20
	// maxQueued is the number of requests that may wait beyond the group under
	// way. After that, callers wait in their own call.
	maxQueued = 1024
)

// Limits of the removal of deleted sandboxes.
const (
	// MaxSweepCommits and MaxSweepBytes bound the removals of one step, so that
	// a group that has come in meanwhile waits for milliseconds.
	MaxSweepCommits = 64
	MaxSweepBytes   = 1 << 20
	// MaxTombstones is the number of later sandboxes for which the id of a
	// deleted one is remembered. Ids are random: nothing but a late duplicate of
	// its creation brings one again.
	MaxTombstones = 1 << 20

	// sweepPause is how long a sweep rests after a step that failed.
	sweepPause = time.Second
)

// A Queue has the requests that wait to be written.
type Queue struct {
	mu     sync.Mutex     // guards closed, and that no call begins after it
	closed bool           // new calls are refused
	calls  sync.WaitGroup // the calls under way

	requests chan *Request
	ended    chan struct{} // closed when Wait has returned false

	// The rest belongs to the goroutine that writes.

	// Sweep is the state of the removal of deleted sandboxes.
	Sweep Sweep
	// Copying is set while the engine has a fork to go on with between the groups.
	Copying bool

	batched bool
	first   *Request   // taken by Wait for the next group
	held    []*Request // wait for the next group because the last one had their sandbox
}

// New returns a queue. An engine whose groups are batched learns the outcome of
// an operation only when the whole group was sent: its groups have one operation
// of each sandbox at most, so that they are in order and no statement meets a row
// twice. An operation with rules about records is a group of its own, since a rule that is broken undoes the
// transaction, and so is a fork, which takes as long as its parent has commits.
func New(batched bool) *Queue {
	return &Queue{
		requests: make(chan *Request, maxQueued),
		ended:    make(chan struct{}),
		// A deletion may have been cut short last time.
		Sweep:   Sweep{Owed: true},
		batched: batched,
	}
}

// A Request is an operation with the caller that waits for it.
type Request struct {
	// Operation is a store.Commit, store.Snapshot, Deletion, Records, *Clearing
	// or Ping.
	Operation any
	// SandboxID is the sandbox that it is about, empty when it is about none.
	SandboxID string
	// HasRecords reports whether its outcome depends on rules about records.
	HasRecords bool
	// Outcome is the engine's own until the request is finished, and then the
	// caller's.
	Outcome error

	bytes   int         // of its bodies
	forks   bool        // a sandbox
	claimed atomic.Bool // by the writer that takes it or the caller that gives up
	answer  chan error  // has room for the one result
}

// NewRequest returns a request that is in no queue yet.
func NewRequest(operation any) *Request {
	r := &Request{Operation: operation, answer: make(chan error, 1)}
	switch o := operation.(type) {
	case store.Commit:
		records := Records(o.Records)
		r.SandboxID, r.HasRecords, r.bytes = o.SandboxID, len(records) > 0, len(o.Body)+records.bytes()
		r.forks = o.Fork != nil
		if r.forks && o.Fork.Snapshot != nil {
			r.bytes += len(o.Fork.Snapshot.Body)
		}
	case store.Snapshot:
		r.SandboxID, r.bytes = o.SandboxID, len(o.Body)
	case Deletion:
		r.SandboxID = o.SandboxID
	case Records:
		r.HasRecords, r.bytes = true, o.bytes()
	}
	return r
}

// Finish returns the outcome to the caller. An error takes the place of the
// request's own outcome.
func (r *Request) Finish(err error) {
	if err != nil {
		r.Outcome = err
	}
	r.answer <- r.Outcome
}

// Enter lets a call of the store begin; the caller owes Leave when it got nil.
func (q *Queue) Enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return store.ErrClosed
	}
	q.calls.Add(1)
	return nil
}

// Leave ends a call.
func (q *Queue) Leave() { q.calls.Done() }

// Close refuses new calls with store.ErrClosed and returns when those under way
// have ended and the goroutine that writes has left off. It is called once.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.calls.Wait()
	close(q.requests)
	<-q.ended
}

// do hands an operation to the writer and waits for its outcome. A caller whose
// context ends first takes its request back; once the writer has it, the caller
// waits, because only then does it learn the truth.
func (q *Queue) do(ctx context.Context, operation any) error {
	if err := q.Enter(ctx); err != nil {
		return err
	}
	defer q.Leave()
	r := NewRequest(operation)
	select {
	case q.requests <- r:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-r.answer:
		return err
	case <-ctx.Done():
		if r.claimed.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		return <-r.answer
	}
}

// Wait returns true when there is a request to write, or a step of the sweep or of a fork to
// do. It returns false when the queue is closed and empty.
func (q *Queue) Wait() bool {
	if len(q.held) > 0 {
		return true
	}
	open := true
	if q.Sweep.Due() || q.Copying {
		select {
		case q.first, open = <-q.requests:
		default:
		}
	} else {
		select {
		case q.first, open = <-q.requests:
		case <-q.Sweep.pause:
			q.Sweep.pause = nil
		}
	}
	if !open {
		close(q.ended)
	}
	return open
}

// Gather takes the waiting requests, held ones first, up to the limits of a
// group. It leaves out those whose callers have given up. Where groups are
// batched, it holds back those that are about a sandbox that the group already
// writes to.
func (q *Queue) Gather() []*Request {
	var group []*Request
	bytes := 0
	busy := map[string]bool{} // sandboxes whose further requests stay behind
	single := false           // the group is one request that must be alone
	full := func() bool { return single || len(group) == maxGroup || bytes >= maxGroupBytes }
	take := func(r *Request) {
		alone := q.batched && (r.HasRecords || r.forks)
		if full() || busy[r.SandboxID] || alone && len(group) > 0 {
			q.held = append(q.held, r)
		} else if r.claimed.CompareAndSwap(false, true) {
			group = append(group, r)
			bytes += r.bytes
			single = alone
		} else {
			return
		}
		if q.batched && r.SandboxID != "" {
			busy[r.SandboxID] = true
		}
	}
	waiting := q.held
	q.held = nil
	if q.first != nil {
		waiting = append(waiting, q.first)
		q.first = nil
	}
	for _, r := range waiting {
		take(r)
	}
	for !full() && len(q.held) < maxGroup {
		select {
		case r := <-q.requests:
			if r == nil {
				return group // the queue is closed
			}
			take(r)
		default:
			return group
		}
	}
	return group
}

// Sweep is the pace at which deleted sandboxes are removed, between the groups.
type Sweep struct {
	// Owed is set while there may be something to remove.
	Owed  bool
	pause <-chan time.Time // not nil while resting after a failure
}

// Due reports whether to do a step.
func (s *Sweep) Due() bool { return s.Owed && s.pause == nil }

// Rest puts the sweep off after a step that failed: most likely the disk is full.
// No caller waits for it, and the rest of the work stays recorded in the
// tombstones.
func (s *Sweep) Rest() { s.pause = time.After(sweepPause) }
