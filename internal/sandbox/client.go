package sandbox

import (
	"context"

	"platen/internal/company/fault"
	"platen/internal/company/integration"
	"platen/internal/company/mission"
	"platen/internal/company/sim"
	"platen/internal/desk"
	"platen/internal/desk/activity"
	"platen/internal/desk/injection"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

const (
	// callSample is how many sandboxes are looked at for the one whose requests were used least recently, and
	// callsLooked how many for any.
	callSample  = 16
	callsLooked = 1000
)

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

// Client returns the requests of the client, and the faults that they meet.
func (s *Sandbox) Client() *desk.Client { return s.client }

// Observe records a request of a client, before its response is sent, and commits the mission that it
// completes. That is durable when Observe returns, or else with the
// next commit. Requests count only while the sandbox is active (contract:
// OPEN.MISSION.OWN_CALLS).
func (s *Sandbox) Observe(ctx context.Context, call *activity.Call) {
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
	today := sim.Day(0)
	if call.Key != 0 { // a write where faults are injected
		today = v.minuteAt(call.Answered).Day()
	}
	known, added, repeats := s.client.Observe(call, desk.Seen{
		Known: v.Summary.Signals, Newest: v.Sequence, AcknowledgedTwice: v.Desk.AcknowledgedTwice,
		Today: today, Evaluation: v.Summary.Settings.Preset.Evaluation,
	})
	if call.Intent != nil {
		s.follow(ctx, call)
	}
	if repeats != nil {
		s.repeat(ctx, repeats, call.Made.ID)
	}
	if added == 0 || !mission.Completes(known, added) {
		return
	}
	s.change(ctx, func(_ moment.Instant, v *View) bool {
		// Unless the last step of advance has taken the signals along.
		return mission.Completes(v.Summary.Signals, s.client.Signals(0))
	})
}

// GaveUp notes that a client left before the response to a write came, which was held back by a fault.
func (s *Sandbox) GaveUp(ctx context.Context, call *activity.Call) {
	if v := s.published.Load(); call.Intent == nil || v == nil || v.Status(call.Answered) != Active {
		return
	}
	left := *call
	left.Fault = fault.SlowResponse
	s.follow(ctx, &left)
}

// Arrived takes in a write that arrived late, and that no client waits for.
func (s *Sandbox) Arrived(ctx context.Context, call *activity.Call) {
	call.Late = true
	if v := s.published.Load(); call.Intent != nil && v != nil && v.Status(call.Answered) == Active {
		s.follow(ctx, call)
	}
}

// follow takes a write in that carries something, if a fault hit it now or before.
func (s *Sandbox) follow(ctx context.Context, call *activity.Call) {
	if !s.client.Concerned(call) {
		return
	}
	_, err := s.look(ctx, func(v *View, now moment.Instant) {
		in := *call.Intent
		var ok bool
		if in.Subject, ok = s.company.Subject(integration.Kind(in.Step), in.Subject); !ok {
			return
		}
		in.Day = v.minuteAt(now).Day()
		found := *call
		found.Intent = &in
		s.client.Follow(&found, s.desk.Webhooks.Delivered)
	})
	if err != nil {
		s.registry.log.Warn("follow what a fault hit", "sandbox", s.id, "error", err)
	}
}

// repeat notes that a client made a decision again whose response was lost, unless a delivery had told it of the
// first.
func (s *Sandbox) repeat(ctx context.Context, lost *activity.Decision, again string) {
	s.change(ctx, func(moment.Instant, *View) bool {
		if s.desk.Webhooks.Delivered(lost.After, lost.Last) {
			return false
		}
		s.client.Repeat(lost, again)
		return true
	})
}

// Note remembers a request in the list of the sandbox, unless its time is over.
func (s *Sandbox) Note(c desk.Call) {
	if int64(c.At) >= s.endsAt.Load() {
		return
	}
	handed := moment.Instant(0)
	if v := s.published.Load(); v != nil {
		handed = v.Desk.HandedOver
	}
	for full := s.client.Note(c, handed); full; full = s.registry.calls.Bytes.Load() > s.registry.calls.Limit {
		if !s.registry.shortenCalls() {
			return
		}
	}
}

// shortenCalls forgets older requests and faults of a sandbox that was not used for long, and reports whether it found
// one.
func (r *Registry) shortenCalls() bool {
	r.mu.RLock()
	var oldest *Sandbox
	looked := 0
	for _, s := range r.sandboxes {
		if looked++; looked > callSample && oldest != nil || looked > callsLooked {
			break
		}
		if s.client.Shortens() && (oldest == nil || s.used.Load() < oldest.used.Load()) {
			oldest = s
		}
	}
	r.mu.RUnlock()
	if oldest != nil {
		oldest.client.Shorten()
	}
	return oldest != nil
}

// Faults returns what goes wrong in the sandbox, nil for nothing. It loads the company if it
// was never loaded here.
func (s *Sandbox) Faults(ctx context.Context) *desk.Faults {
	f, known := s.client.Faults()
	if !known {
		if _, err := s.View(ctx); err != nil {
			return nil // the rest of the request finds that out
		}
		f, _ = s.client.Faults()
	}
	return f
}

// InjectFault asks for a fault, as soon as it can happen, or refuses with too_many_open. It returns all that is asked
// for of it then.
func (tx *Tx) InjectFault(asked injection.Injection) (pending injection.Injection, err error) {
	pending, tx.undo, err = tx.Desk.Inject(asked)
	return pending, err //nolint:wrapcheck // a problem
}

// WritesRefused is the number of refused writes of clients: more than the
// view's commit has, since a refusal makes none.
func (v *View) WritesRefused() int64 {
	if v.client == nil {
		return 0
	}
	return v.client.WritesRefused()
}

// PlayersCalls returns the remembered requests that a player sees: in an evaluation those since it was handed over
// (contract: OPEN.EVAL.REQUESTS).
func (s *Sandbox) PlayersCalls(v *View) (calls []desk.Call, newest uint64) {
	return s.client.Calls.Since(v.Desk.HandedOver)
}
