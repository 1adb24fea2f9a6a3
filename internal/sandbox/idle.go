package sandbox

import (
	"context"
	"sync/atomic"
	"time"

	"platen/internal/company/preset"
	"platen/internal/moment"
)

// idleness knows when the clients of a sandbox last gave a sign of life: by it a running clock that started with the
// first request pauses (contract: OPEN.TIME.IDLE).
type idleness struct {
	// limit is how long a sandbox may be without a sign of life, 0 for ever.
	limit time.Duration
	// seen is the instant of the newest sign, waiting the number of polls that wait and of consoles that are open.
	seen    atomic.Int64
	waiting atomic.Int64
}

// see notes a sign of life.
func (i *idleness) see(now moment.Instant) {
	for {
		before := i.seen.Load()
		if int64(now) <= before || i.seen.CompareAndSwap(before, int64(now)) {
			return
		}
	}
}

// idleFrom returns the idleness of a sandbox whose newest commit is of a wall time. A server that has just started
// counts from there: nothing stored says when the sandbox was last read.
func (s *Sandbox) idleFrom(wall moment.Instant) *idleness {
	s.idle.limit = s.registry.options.IdlePause
	s.idle.seen.CompareAndSwap(0, int64(wall)) // it may have left memory since
	return &s.idle
}

// pausesAt is when the clock of the view pauses unless a client gives a sign of life, 0 for never.
func (v *View) pausesAt() moment.Instant {
	if v.idle == nil || v.idle.limit == 0 || v.Summary.Bankrupt || v.Summary.Clock.Stands() ||
		v.Summary.Settings.Preset.Evaluation || v.Summary.Settings.Preset.Clock.Starts != preset.AtFirstRequest ||
		v.idle.waiting.Load() > 0 {
		return 0
	}
	return moment.Instant(v.idle.seen.Load()).Add(v.idle.limit)
}

// Seen notes a request of a client, when its response is known.
func (s *Sandbox) Seen(now moment.Instant) { s.idle.see(now) }

// pause lets time pass until nobody has used the sandbox for too long, and stops the clock there.
func (s *Sandbox) pause(ctx context.Context, at moment.Instant) error {
	if err := s.passTime(ctx, at); err != nil || s.company.Bankrupt() {
		return err
	}
	s.company.Pause(at)
	return s.commit(ctx, step{})
}
