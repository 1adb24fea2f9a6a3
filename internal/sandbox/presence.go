package sandbox

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
)

// DefaultSkipDays is for how many in-world days a clock skips unless the client says otherwise (contract:
// OPEN.TIME.SKIP).
const DefaultSkipDays = 60

// presence knows what the clients of a sandbox are doing at the moment. By it a running clock pauses (contract:
// OPEN.TIME.IDLE), and one that skips jumps (contract: OPEN.TIME.SKIP).
type presence struct {
	// limit is how long a sandbox may be without a sign of life, 0 for ever.
	limit time.Duration
	// seen is the instant of the newest sign of life, lookers the number of polls that wait and of consoles that are
	// open, requests that of the requests of clients under way, polls that wait included.
	seen, lookers, requests atomic.Int64

	mu sync.Mutex // guards the fields below
	// polls are those of clients that wait, each with the version of the sandbox in which it found nothing.
	polls map[*Poll]uint64
	// jumped is the instant of the last jump.
	jumped moment.Instant
}

// see notes a sign of life.
func (p *presence) see(now moment.Instant) {
	for {
		before := p.seen.Load()
		if int64(now) <= before || p.seen.CompareAndSwap(before, int64(now)) {
			return
		}
	}
}

// presentFrom returns the presence in a sandbox whose newest commit is of a wall time. A server that has just started
// counts from there: nothing stored says when the sandbox was last read.
func (s *Sandbox) presentFrom(wall moment.Instant) *presence {
	s.presence.limit = s.registry.options.IdlePause
	s.presence.seen.CompareAndSwap(0, int64(wall)) // it may have left memory since
	return &s.presence
}

// pausesAt is when the clock of the view pauses unless a client gives a sign of life, 0 for never.
func (v *View) pausesAt() moment.Instant {
	if v.presence == nil || v.presence.limit == 0 || v.Summary.Bankrupt || v.Summary.Clock.Stands() ||
		v.Summary.Settings.Preset.Evaluation || v.Summary.Settings.Preset.Clock.Starts != preset.AtFirstRequest ||
		v.presence.lookers.Load() > 0 {
		return 0
	}
	return moment.Instant(v.presence.seen.Load()).Add(v.presence.limit)
}

// pause lets time pass until nobody has used the sandbox for too long, and stops the clock there.
func (s *Sandbox) pause(ctx context.Context, at moment.Instant) error {
	if err := s.passTime(ctx, at); err != nil || s.company.Bankrupt() {
		return err
	}
	s.company.Pause(at)
	return s.commit(ctx, step{})
}

// Enter notes a request of a client. The caller calls leave when its response is known.
func (s *Sandbox) Enter() (leave func()) {
	s.presence.requests.Add(1)
	return func() {
		s.presence.requests.Add(-1)
		s.presence.see(s.registry.Now())
		s.considerJump()
	}
}

// jumpsAt is when the clock of the view jumps, 0 for not before something changes: it skips, and all that clients do
// is wait.
func (v *View) jumpsAt(pause time.Duration, now moment.Instant) moment.Instant {
	if v.Summary.Clock.Mode != sim.Skip || v.presence == nil || v.Status(now) != Active {
		return 0
	}
	p := v.presence
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.polls) == 0 || p.requests.Load() > int64(len(p.polls)) {
		return 0
	}
	for _, version := range p.polls {
		if version != v.Version { // it has not looked yet
			return 0
		}
	}
	at := moment.Instant(p.seen.Load()).Add(time.Duration(v.Summary.Clock.Skip.SettleMS) * time.Millisecond)
	return max(at, p.jumped.Add(pause), moment.Microsecond)
}

// next is when something is next to happen in a view of the sandbox, 0 for never.
func (s *Sandbox) next(v *View) moment.Instant {
	next := v.next()
	if at := v.jumpsAt(s.registry.options.TickPause, s.registry.Now()); at > 0 && (next == 0 || at < next) {
		next = at
	}
	return next
}

// jump moves a clock that skips, if it is time. The polls that wait look at what came of it before the next one.
func (s *Sandbox) jump(ctx context.Context, now moment.Instant) error {
	v := s.published.Load()
	if at := v.jumpsAt(s.registry.options.TickPause, now); at == 0 || at > now {
		return nil
	}
	s.presence.mu.Lock()
	s.presence.jumped = now
	s.presence.mu.Unlock()
	s.company.Jump(now)
	return s.commit(ctx, step{})
}

// considerJump lets the scheduler look whether a clock that skips jumps now.
func (s *Sandbox) considerJump() {
	if v := s.published.Load(); v != nil && v.Summary.Clock.Mode == sim.Skip {
		s.registry.wakeups.reschedule(s, s.next(v))
	}
}

// Poll is a request of a client that waits for events.
type Poll struct {
	sandbox *Sandbox
	end     func()
	// until is the in-world minute that a running clock would show after the poll.
	until sim.Minute
}

// Await is Watch for a request of a client, which has found nothing in a view: a clock that skips jumps meanwhile.
func (s *Sandbox) Await(v *View, patience time.Duration) *Poll {
	s.presence.see(s.registry.Now())
	minutes := sim.Minute(patience.Seconds() * float64(v.Summary.Clock.Speed) / 1000)
	return &Poll{sandbox: s, end: s.Watch(), until: v.Summary.Now + minutes}
}

// Enough reports whether the poll ends because a clock that skips has passed what a running one would show: what a
// program does between two polls keeps its pace (contract: OPEN.TIME.SKIP).
func (p *Poll) Enough(v *View) bool {
	return v.Summary.Clock.Mode == sim.Skip && v.Summary.Now >= p.until
}

// Looked notes that the poll of a client has found nothing in a version of the sandbox.
func (p *Poll) Looked(version uint64) {
	p.sandbox.presence.set(p, version)
	p.sandbox.considerJump()
}

// End ends the wait.
func (p *Poll) End() {
	p.sandbox.presence.mu.Lock()
	delete(p.sandbox.presence.polls, p)
	p.sandbox.presence.mu.Unlock()
	p.end()
}

func (p *presence) set(poll *Poll, version uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.polls == nil {
		p.polls = map[*Poll]uint64{}
	}
	p.polls[poll] = version
}
