package sandbox

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"

	"platen/internal/company/mission"
	"platen/internal/moment"
	"platen/internal/problem"
)

// activity records how the requests of a sandbox's clients went, with a lock of
// its own: reads and refusals change it, and wait for no writer. It goes to the
// store with the next commit, whatever that is, and with the snapshots of idle
// companies and of a server that stops.
type activity struct {
	mu sync.Mutex // guards the fields below
	// Of ClientActivity, Noted are the signals since the activity was loaded.
	mission.ClientActivity
	// begun is set once the stored activity has been loaded: from then on
	// memory is ahead of the store.
	begun bool
	// feedRead is the number of the newest event that a client has read, reads the newest of
	// its reads.
	feedRead uint64
	reads    mission.Reads

	// refused is the count of ClientActivity, for readers without the lock.
	refused atomic.Int64
}

// StartClock starts a clock that waits for the first request of a client, in an active sandbox (contract:
// OPEN.TIME.WAITS). It is durable when StartClock returns, or else with the next commit.
func (s *Sandbox) StartClock(ctx context.Context) {
	s.change(ctx, func(now moment.Instant, v *View) bool {
		if v.Summary.Clock.Waiting {
			s.company.Start(now)
			s.company.Started()
			s.presence.see(now)
			return true
		}
		return false
	})
}

// change commits what a request of a client changes in an active sandbox beside commands, if it changes anything.
func (s *Sandbox) change(ctx context.Context, work func(now moment.Instant, v *View) bool) {
	err := s.withWriter(func(now moment.Instant) error {
		if err := s.advance(ctx, now); err != nil {
			return err
		}
		if v := s.published.Load(); v.Status(now) != Active || !work(now, v) {
			return nil
		}
		return s.commit(ctx, step{})
	})
	if err != nil {
		s.registry.log.Warn("store what a request changes", "sandbox", s.id, "error", err)
	}
}

// Observe records a request of a client, before its response is sent, and commits the mission that it
// completes. That is durable when Observe returns, or else with the
// next commit. Requests count only while the sandbox is active (contract:
// OPEN.MISSION.OWN_CALLS).
func (s *Sandbox) Observe(ctx context.Context, call *mission.Call) {
	v := s.published.Load()
	if v == nil && call.Code == problem.RateLimited {
		return // a flood loads no company
	}
	if v == nil { // evicted since the response was made
		if v, _ = s.View(ctx); v == nil {
			return
		}
	}
	if v.Status(call.Answered) != Active {
		return
	}
	known, added, repeats := s.activity.observe(call, v)
	if repeats != nil {
		s.repeat(ctx, repeats, call.Made.ID)
	}
	if !mission.Completes(known, added) {
		return
	}
	s.change(ctx, func(_ moment.Instant, v *View) bool {
		// Unless the last step of advance has taken the signals along.
		return mission.Completes(v.Summary.Signals, s.activity.signals(0))
	})
}

// repeat notes that a client made a decision again whose response was lost, unless a delivery had told it of the
// first.
func (s *Sandbox) repeat(ctx context.Context, lost *mission.Decision, again string) {
	s.change(ctx, func(moment.Instant, *View) bool {
		if s.company.Delivered(lost.After, lost.Last) {
			return false
		}
		s.activity.mu.Lock()
		defer s.activity.mu.Unlock()
		s.activity.Decisions.Repeat(lost, again)
		return true
	})
}

// LostDecisions returns the ids of the decisions whose responses were lost, and of which no client has learned.
func (s *Sandbox) LostDecisions() (ids []string) {
	if s.faults.Load() == nil {
		return nil
	}
	s.activity.mu.Lock()
	defer s.activity.mu.Unlock()
	for i := range s.activity.Decisions.Lost {
		ids = append(ids, s.activity.Decisions.Lost[i].ID)
	}
	return ids
}

// repeated returns the decisions that were made again.
func (a *activity) repeated() []mission.Repetition {
	a.mu.Lock()
	defer a.mu.Unlock()
	clone := a.Clone()
	return clone.Decisions.Repeated
}

// observe takes a request in, and returns the signals that were known and those
// that it adds: of two requests that complete a mission together, the second
// sees the first. It also returns the decision that the request made again.
func (a *activity) observe(call *mission.Call, v *View) (known, added mission.Signals, repeats *mission.Decision) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known = v.Summary.Signals | a.Noted
	if v.Summary.Settings.Preset.Evaluation { // it has no missions of failures
		known |= mission.OfFailures
	}
	added = a.ClientActivity.Observe(call, known)
	repeats = a.Decide(call)
	a.Mind(call, &a.reads)
	if call.FeedRange.Read {
		a.feedRead = max(a.feedRead, min(call.FeedRange.Last, v.Sequence))
	}
	added |= a.handled(v.Summary.Webhooks.AcknowledgedTwice) &^ known
	a.Noted |= added
	a.refused.Store(a.Refused)
	return known, added, repeats
}

// handled returns the signal of an event that was acknowledged twice and read in
// the feed; the event with the number 0 is none.
func (a *activity) handled(twice uint64) mission.Signals {
	if twice > 0 && a.feedRead >= twice {
		return mission.HandledTwice
	}
	return 0
}

// signals returns those that were noted, when an event with a number has been
// acknowledged twice.
func (a *activity) signals(twice uint64) mission.Signals {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.Noted |= a.handled(twice)
	return a.Noted
}

// restoreActivity loads the activity that was stored with the company, the first time.
func (s *Sandbox) restoreActivity() {
	a := &s.activity
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.begun {
		stored := s.company.ClientActivity()
		a.begun, a.ClientActivity = true, stored.Clone()
		a.refused.Store(a.Refused)
		s.restoreFaults()
	}
}

// storeActivity hands the activity to the company, to be stored with it, and reports
// whether it has changed in anything that must not be lost when the server stops.
func (s *Sandbox) storeActivity() bool {
	s.activity.mu.Lock()
	carried := s.activity.Clone()
	s.activity.mu.Unlock()
	carried.Noted &^= s.company.Signals()
	before := s.company.ClientActivity()
	s.company.Carry(carried)
	before.Manners, carried.Manners = mission.Manners{}, mission.Manners{} // not worth a commit of their own
	return !reflect.DeepEqual(carried, before)
}

// writes counts the writes of clients that were accepted, refused and replayed.
func (a *activity) writes() (accepted, refused, replayed int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.Accepted, a.Refused, a.Replayed
}

// manners returns how considerate clients are, and the number of writes that were refused.
func (a *activity) manners() (m mission.Manners, refused int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.Manners, a.Refused
}

// WritesRefused is the number of refused writes of clients: more than the
// view's commit has, since a refusal makes none.
func (v *View) WritesRefused() int64 {
	if v.refused == nil {
		return 0
	}
	return v.refused.Load()
}
