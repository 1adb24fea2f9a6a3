// Package sandbox keeps each company in a registry: two keys, a lease, one
// writer at a time, a log of commits and a feed.
//
// A command enters through Do, a read through View. Both first bring the
// company up to the present. The changes of a command, its events and its
// response are one commit: all of it is durable before the caller gets the
// response, or none of it happened. Readers see the last durable state through
// a pointer that is swapped after the commit, so a read never waits behind
// another caller's disk.
//
// If a commit fails, or its outcome is not known, the company in memory is
// dropped and loaded again at its next use: memory is never ahead of disk.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"platen/internal/company"
	"platen/internal/company/record"
	"platen/internal/desk"
	"platen/internal/desk/subscription"
	"platen/internal/sandbox/apikey"
	"platen/internal/sandbox/commitlog"
	"platen/internal/store"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

const (
	// eventsPerCommit bounds one commit of passing time.
	eventsPerCommit = 200
	// commitsPerSnapshot is the most commits that a load has to replay.
	commitsPerSnapshot = 256
)

// Sandbox is one company in its registry. Its fields are grouped by who may touch them.
type Sandbox struct {
	id       string
	registry *Registry

	// Anybody reads and writes these.

	// published is the last durable state, nil while not loaded.
	published atomic.Pointer[View]
	// used is the instant at which a caller last entered.
	used atomic.Int64
	// endsAt is the instant at which its lease ends, 0 while that is not known and
	// once it is over for good.
	endsAt atomic.Int64
	// watched is set while a caller waits for the sandbox's events.
	watched atomic.Bool
	// writing is the instant at which the present writer entered, 0 for none.
	writing atomic.Int64
	// minute is the newest in-world minute that was shown.
	minute atomic.Int64
	// moved is set once another server owns the sandbox, or may: the registry has
	// another one in its place, if any.
	moved atomic.Bool
	// deferred is the instant since which the oldest delivery waits that the budget holds
	// back, 0 for none.
	deferred atomic.Int64
	// client knows what clients did, presence what they do, pins which older states they are shown, each with locks
	// of its own.
	client   *desk.Client
	presence presence
	pins     pins

	// The registry's memory owns these: the sandbox's place among those with a company in
	// memory, and its size there in bytes, 0 for none.
	resident int
	bytes    int64

	// The one writer holds mu, and everything below is its own.
	mu sync.Mutex

	// The company in memory, and its place in the store.

	company  *company.Company
	desk     *desk.Desk
	examined examined
	header   store.Sandbox
	log      commitlog.Index
	// snapshot is the version of the newest snapshot, sum that of the newest commit.
	snapshot uint64
	sum      commitlog.Sum
	ticked   moment.Instant
	// committed is set when the present writer has committed something.
	committed bool
	// unsettled is a command beside the company of which the store did not say that it is durable, nil for none.
	unsettled *unsettled
	// last is the durable state that was published last, while there is none: for
	// readers, when the store cannot be read either.
	last *View
	// waiting is the channel of the view that was evicted, for which callers may
	// wait: the next one takes it over.
	waiting chan struct{}

	// Whether it may be served: fence is the claim under which it is this server's, foreign marks
	// a sandbox of another version, damaged one whose stored commits are not what was written.
	fence                  store.Fence
	gone, foreign, damaged bool

	// Calls to receivers, which outlive the company in memory: unwatch ends the watch over
	// a sandbox that serves webhooks, outbound has the idempotency keys whose commands are at work
	// outside, pinging the subscriptions that are being tested.
	unwatch  func()
	outbound map[commitlog.ReplyKey]commitlog.Fingerprint
	pinging  map[string]bool
}

// unsettled undoes what a command did beside the company, unless its commit turns out to be there.
type unsettled struct {
	version uint64
	undo    func()
}

// Tx is the state that a command works on.
type Tx struct {
	Company *company.Company
	Desk    *desk.Desk
	Now     moment.Instant
	sandbox *Sandbox
	ctx     context.Context //nolint:containedctx // it lasts as long as the command
	// Trace is the trace context of the request.
	Trace  event.Trace
	ticked bool
	// header is the sandbox's new one, nil to keep the old.
	header *store.Sandbox
	// undo undoes what the command did beside the company, nil for nothing.
	undo func()
}

// Command is one write.
type Command struct {
	// Scope and Key are the idempotency key and where it is known; an empty Key
	// means that the client sent none. Beside is another scope in which it must
	// not have been used for something else, "" for none.
	Scope, Key, Beside string
	// Fingerprint distinguishes requests with the same key.
	Fingerprint commitlog.Fingerprint
	// Run refuses with an error, or changes the company. After its first
	// change it cannot refuse.
	Run func(*Tx) (Result, error)
	// Status is that of success. Head is the head of its response, to be completed, and Offset by how much
	// the clock is off that it shows.
	Status int
	Head   wire.Meta
	Offset time.Duration
	// Trace goes along with the events that the command itself writes.
	Trace event.Trace
	// reserved is set once the outbound call of the command has reserved its key.
	reserved bool
}

// View returns the present state of the company: everything due has happened.
func (s *Sandbox) View(ctx context.Context) (*View, error) {
	now := s.registry.Now()
	s.used.Store(int64(now))
	if v := s.published.Load(); v != nil && !v.due(now) {
		return s.trusted(v)
	}
	var v *View
	err := s.withWriter(func(now moment.Instant) (err error) {
		v, err = s.refresh(ctx, now)
		return err
	})
	return v, err
}

// refresh brings the company up to the present.
func (s *Sandbox) refresh(ctx context.Context, now moment.Instant) (*View, error) {
	if err := s.advance(ctx, now); err != nil {
		return s.lastDurableView(ctx, err)
	}
	return s.published.Load(), nil
}

// lastDurableView returns the last durable state to a reader when the store takes no commit
// for the moment: on a full disk, or without its server, time stops, and reads go on.
func (s *Sandbox) lastDurableView(ctx context.Context, err error) (*View, error) {
	p, refused := errors.AsType[*problem.Problem](err)
	if refused && p.Code != problem.Unavailable || !refused && !errors.Is(err, errUnknown) {
		return nil, err
	}
	if errors.Is(err, ErrCrowded) && s.last == nil {
		return nil, err
	}
	last := s.last
	if s.load(ctx) == nil {
		if !refused { // it works again: the caller repeats the request, and finds out
			return nil, err
		}
		return s.published.Load(), nil
	}
	if s.last = last; s.last != nil {
		return s.last, nil
	}
	return nil, err
}

// Published returns the state that readers saw last, nil when the company is not in memory. It loads nothing.
func (s *Sandbox) Published() *View { return s.published.Load() }

// Do runs one command, or returns the stored reply of an earlier request with
// the same idempotency key (contract: IDEM.REPLAY).
func (s *Sandbox) Do(ctx context.Context, cmd Command) (Reply, error) {
	var reply Reply
	err := s.withWriter(func(now moment.Instant) (err error) {
		reply, err = s.do(ctx, cmd, now)
		return err
	})
	return reply, err
}

func (s *Sandbox) do(ctx context.Context, cmd Command, now moment.Instant) (Reply, error) {
	if reply, found, err := s.prepare(ctx, cmd, now); err != nil || found {
		return reply, err
	}
	if err := s.unreserved(cmd); err != nil && !cmd.reserved {
		return Reply{}, err
	}
	tx := s.begin(ctx, now, cmd)
	before := s.published.Load()
	waited, undo := before.Summary.Clock.Waiting, s.company.Start(now)
	feed := s.company.Feed()
	feed.SetTrace(cmd.Trace)
	result, err := s.run(tx, cmd)
	feed.SetTrace(event.Trace{})
	if err != nil {
		undo() // a refused request starts no clock (contract: OPEN.TIME.WAITS)
		return Reply{At: now}, err
	}
	if waited {
		s.company.Started()
	}
	reply := &Reply{At: now}
	if err := s.commit(ctx,
		step{header: tx.header, pending: &pendingReply{command: cmd, result: result, reply: reply}}); err != nil {
		if tx.undo != nil { // the next load knows
			s.unsettled = &unsettled{before.Version + 1, tx.undo}
		}
		return Reply{At: now}, err
	}
	if last := s.published.Load().Sequence; last > before.Sequence {
		reply.First, reply.Last = before.Sequence+1, last
	}
	if tx.ticked {
		s.ticked = now
	}
	return *reply, nil
}

// prepare brings the company to the point where a command can run, or returns
// the stored reply of an earlier one.
func (s *Sandbox) prepare(ctx context.Context, cmd Command, now moment.Instant) (reply Reply, found bool, err error) {
	s.used.Store(int64(now))
	if err := s.load(ctx); err != nil {
		return Reply{}, false, err
	}
	if cmd.Key != "" {
		reply, found, err := s.storedReply(ctx, cmd)
		if err != nil || found {
			return reply, found, err
		}
	}
	if err := s.advance(ctx, now); err != nil {
		return Reply{}, false, err
	}
	s.presence.see(now)
	switch s.published.Load().Status(now) {
	case Bankrupt:
		return Reply{}, false, problem.New(problem.SandboxBankrupt,
			"This company is bankrupt; the sandbox is read-only until it is deleted.")
	case Expired:
		return Reply{}, false, problem.New(problem.SandboxExpired,
			"The time of this sandbox is over; it is read-only until it is deleted.").DueTo("sandbox-duration")
	}
	return Reply{}, false, nil
}

// changed reports whether the company or the desk has something to flush.
func (s *Sandbox) changed() bool { return s.company.Changed() || s.desk.Changed() }

// run ensures that a refused command changes nothing.
func (s *Sandbox) run(tx *Tx, cmd Command) (Result, error) {
	result, err := cmd.Run(tx)
	if err != nil && s.changed() {
		s.drop()
		return Result{}, fmt.Errorf("a refused command changed sandbox %s: %w", s.id, err)
	}
	return result, err
}

// Try asks a question of the company that Do might ask: whatever is due has happened, and a
// sandbox that takes no writes refuses. The question changes nothing and starts no clock. It
// returns the state that the response is of, and its moment.
func (s *Sandbox) Try(ctx context.Context, ask func(*Tx) error) (v *View, at moment.Instant, err error) {
	err = s.withWriter(func(now moment.Instant) error {
		if _, _, err := s.prepare(ctx, Command{}, now); err != nil {
			return err
		}
		at = now
		asks := func(tx *Tx) (Result, error) { return Result{}, ask(tx) }
		cmd := Command{Run: asks}
		if _, err := s.run(s.begin(ctx, now, cmd), cmd); err != nil {
			return err
		}
		if s.changed() {
			s.drop()
			return fmt.Errorf("a dry run changed sandbox %s", s.id)
		}
		v = s.published.Load()
		return nil
	})
	return v, at, err
}

// advance loads the company if need be and brings it up to the present. The
// steps of its lease come in between, each at its own moment. An expired
// company stops at the end of its lease.
func (s *Sandbox) advance(ctx context.Context, now moment.Instant) error {
	if err := s.load(ctx); err != nil {
		return err
	}
	for {
		v := s.published.Load()
		until, turns := min(now, v.ExpiresAt), !v.ended && v.wakeAt <= now
		if turns {
			until = min(until, v.wakeAt)
		}
		if pause := v.pausesAt(); pause > 0 && pause <= until {
			if err := s.pause(ctx, pause); err != nil {
				return err
			}
			continue
		}
		if err := s.passTime(ctx, until); err != nil || !turns {
			return err
		}
		if err := s.commit(ctx, step{header: s.nextLeaseStep()}); err != nil {
			return err
		}
	}
}

// passTime lets time pass, in commits of bounded size.
func (s *Sandbox) passTime(ctx context.Context, until moment.Instant) error {
	for done := false; !done; {
		done = s.company.Advance(until, eventsPerCommit)
		if !s.company.Changed() {
			continue
		}
		if err := s.commit(ctx, step{}); err != nil {
			return err
		}
	}
	return nil
}

// step holds the parts of a commit beside the changes of the company.
type step struct {
	// header takes the place of the sandbox's, unless it is nil.
	header *store.Sandbox
	// pending is the response to a command, nil when time passes.
	pending *pendingReply
}

// commit makes everything that changed durable, with the reply if there is
// one, and publishes it.
func (s *Sandbox) commit(ctx context.Context, in step) error {
	old := s.published.Load()
	version := old.Version + 1
	s.desk.Credit()
	changes := s.desk.Flush(version)
	next := old.with(version, &changes, s.company, s.desk)
	if in.header != nil {
		next.leased(in.header)
	}
	commit := commitlog.Commit{Changes: changes}
	if in.pending != nil {
		commit.Reply = in.pending.render(next)
	}
	body, sum := commit.Encode(version, s.sum)
	err := s.registry.store.Commit(context.WithoutCancel(ctx), store.Commit{
		SandboxID: s.id, Fence: s.fence, Version: version, Body: body, Header: in.header,
		Records: s.webhookRecords(old, next, in.header),
	})
	if errors.Is(err, store.ErrFenced) {
		return s.fenced()
	}
	if err != nil {
		s.forgetCompany()
		s.last = old // and counts on as being in memory
		return storeProblem(s.id, err)
	}
	s.committed = true
	s.desk.Committed()
	s.log.Add(version, &commit)
	s.sum = sum
	if in.header != nil {
		s.header = *in.header
		s.registry.moved(s.header)
	}
	s.publish(next)
	s.registry.memory.resize(s, next.size()+s.log.Bytes())
	s.watchWebhooks(next)
	s.registry.wakeups.reschedule(s, s.next(next))
	close(old.changed)
	if slices.ContainsFunc(changes.Rows,
		func(rows record.TableRows) bool { return rows.Table == subscription.DeliveryResource }) {
		s.registry.options.Webhooks.Wake(s.id)
	}
	if version-s.snapshot >= commitsPerSnapshot {
		s.saveSnapshot(ctx)
	}
	return nil
}

// publish shows a view to readers.
func (s *Sandbox) publish(v *View) {
	s.published.Store(v)
	ends := v.ExpiresAt
	if v.ended {
		ends = 0
	}
	s.endsAt.Store(int64(ends))
}

// drop forgets the company in memory. The next use loads it from the store.
func (s *Sandbox) drop() {
	s.forgetCompany()
	s.last = nil
	s.registry.memory.remove(s)
}

// forgetCompany is drop, but for the last view that readers had. Callers that
// wait for another one look again.
func (s *Sandbox) forgetCompany() {
	if s.desk != nil {
		s.desk.Dropped()
	}
	s.company, s.desk = nil, nil
	if old := s.published.Swap(nil); old != nil {
		close(old.changed)
	}
	if s.waiting != nil {
		close(s.waiting)
		s.waiting = nil
	}
	s.log = commitlog.Index{}
}

// evict lets go of the company in memory, unless a writer is inside. Callers that
// wait for its events go on waiting: what is due wakes them.
func (s *Sandbox) evict(ctx context.Context) bool {
	if !s.mu.TryLock() {
		return false
	}
	defer s.mu.Unlock()
	if s.company == nil && s.last == nil {
		return false
	}
	if s.company != nil {
		s.snapshotBeforeEviction(ctx)
	}
	if s.company != nil { // storing it has not failed
		s.waiting = s.published.Swap(nil).changed
	}
	s.company, s.desk, s.last, s.log = nil, nil, nil, commitlog.Index{}
	s.Unpin(apikey.Office) // a pinned view would keep the company's rows
	s.Unpin(apikey.Factory)
	s.registry.memory.remove(s)
	return true
}
