package sandbox

import (
	"context"
	"reflect"
	"sync"

	"platen/internal/company/mission"
)

// activity records how the requests of a sandbox's clients went, with a lock of
// its own: reads and refusals change it, and wait for no writer. It goes to the
// store with the next commit, whatever that is, and with the snapshots of idle
// companies and of a server that stops.
type activity struct {
	mu sync.Mutex // guards the fields below
	mission.ClientActivity
	// begun is set once the stored activity has been loaded: from then on
	// memory is ahead of the store.
	begun bool
}

// begin loads the stored activity, the first time.
func (c *activity) begin(stored mission.ClientActivity) (first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first = !c.begun
	if first {
		c.begun, c.ClientActivity = true, stored.Clone()
	}
	return first
}

// taken returns the activity to store.
func (c *activity) taken(noted mission.Signals) mission.ClientActivity {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.Clone()
	taken.Noted = noted
	return taken
}

// Observe records a request of a client, before its response is sent. Missions
// that it completes are durable when Observe returns, or else with the next
// commit. Requests count only while the sandbox is active.
func (s *Sandbox) Observe(ctx context.Context, call *mission.Call) {
	v := s.published.Load()
	if v == nil || v.Status(call.Answered) != Active {
		return
	}
	known := v.Summary.Signals | mission.Signals(s.signals.Load())
	added := s.note(call, known)
	if added == 0 {
		return
	}
	_, err := s.View(ctx, added)
	s.noted(added) // also when the store takes nothing at the moment
	if err != nil {
		s.registry.log.Warn("note what a call completes", "sandbox", s.id, "error", err)
	}
}

func (s *Sandbox) note(call *mission.Call, known mission.Signals) mission.Signals {
	c := &s.activity
	c.mu.Lock()
	defer c.mu.Unlock()
	added := c.ClientActivity.Observe(call, known)
	s.refused.Store(c.Refused)
	return added
}

// recall loads the activity that was stored with the company.
func (s *Sandbox) recall() {
	stored := s.company.ClientActivity()
	if s.activity.begin(stored) {
		s.signals.Or(uint64(stored.Noted))
		s.refused.Store(stored.Refused)
	}
}

// carry hands the activity to the company, to be stored with it, and reports
// whether it has changed.
func (s *Sandbox) carry() (changed bool) {
	carried := s.activity.taken(mission.Signals(s.signals.Load()) &^ s.company.Signals())
	changed = !reflect.DeepEqual(carried, s.company.ClientActivity())
	s.company.Carry(carried)
	return changed
}

// WritesRefused is the number of refused writes of clients: more than the
// view's commit has, since a refusal makes none.
func (v *View) WritesRefused() int64 {
	if v.refused == nil {
		return 0
	}
	return v.refused.Load()
}
