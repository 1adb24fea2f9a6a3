package sandbox

import (
	"context"
	"reflect"
	"sync"

	"platen/internal/company/mission"
)

// activity is how the calls of a sandbox's clients went, with a lock of its own:
// reads and refusals change it, and wait for no writer. It goes to the store
// with whatever commit comes next, and with the snapshots of idle companies and
// of a server that stops.
type activity struct {
	mu sync.Mutex // guards what follows
	mission.ClientActivity
	// begun is set once what was stored has been taken up: from then on memory
	// is ahead of the store.
	begun bool
}

// begin takes up what was stored, the first time.
func (c *activity) begin(stored mission.ClientActivity) (first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first = !c.begun
	if first {
		c.begun, c.ClientActivity = true, stored.Clone()
	}
	return first
}

// taken returns what is to be stored.
func (c *activity) taken(noted mission.Signals) mission.ClientActivity {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.Clone()
	taken.Noted = noted
	return taken
}

// Observe takes in a call of a client, before it is answered. What it completes
// is durable when Observe returns, or else with the next commit. Calls count
// only while the sandbox is active.
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

// recall takes up what was stored with the company.
func (s *Sandbox) recall() {
	stored := s.company.ClientActivity()
	if s.activity.begin(stored) {
		s.signals.Or(uint64(stored.Noted))
		s.refused.Store(stored.Refused)
	}
}

// carry gives the company along what is to be stored with it, and reports
// whether that is anything new.
func (s *Sandbox) carry() (changed bool) {
	carried := s.activity.taken(mission.Signals(s.signals.Load()) &^ s.company.Signals())
	changed = !reflect.DeepEqual(carried, s.company.ClientActivity())
	s.company.Carry(carried)
	return changed
}

// WritesRefused is how many writes of clients were turned away: more than the
// view's commit knows of, since a refusal makes none.
func (v *View) WritesRefused() int64 {
	if v.refused == nil {
		return 0
	}
	return v.refused.Load()
}
