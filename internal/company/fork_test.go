package company_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"platen/internal/company"
	"platen/internal/company/sim"
)

// forked is a fork of a life, made of what is stored of it.
func (l *life) forked(as company.Identity) *life {
	l.t.Helper()
	twin := l.reborn(l.snapshot())
	twin.company.Fork(as, twin.wall)
	twin.flush()
	return twin
}

// TestAForkLivesOnLikeItsParent: with the same actions at the same in-world minutes, from
// any point of any life.
func TestAForkLivesOnLikeItsParent(t *testing.T) {
	t.Parallel()
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		p := presetNamed(t, rapid.SampledFrom([]string{"starter", "manual", "crunch", "supply_shock", "empty"}).
			Draw(t, "preset"))
		l := live(t, p, rapid.Uint64Range(0, 1<<53-1).Draw(t, "seed"), sim.Manual, usual)
		var twin *life
		var at int
		repeat(t, l, func(t *rapid.T, a action) {
			if rapid.IntRange(0, 29).Draw(t, "fork") == 0 {
				twin, at = l.forked(company.Identity{SandboxID: "sbx_of_the_fork", UID: 8}), len(l.events)
			}
			refusal := l.act(a)
			if twin == nil {
				return
			}
			if got := twin.act(a); fmt.Sprint(got) != fmt.Sprint(refusal) {
				t.Fatalf("%s: %s: the fork answers %v, its parent %v", l.label, a.name, got, refusal)
			}
			if compared++; compared%wholeLives() == 0 && twin.company.StateHash() != l.company.StateHash() {
				t.Fatalf("%s: after %s the fork is another company", l.label, a.name)
			}
		})
		if twin == nil {
			return
		}
		if twin.company.StateHash() != l.company.StateHash() {
			t.Fatalf("%s: in the end the fork is another company", l.label)
		}
		if err := twin.company.Check(); err != nil {
			t.Fatalf("%s: the fork: %v", l.label, err)
		}
		s := twin.company.Settings()
		for i, e := range twin.events {
			if same := i < len(l.events) && e.ID == l.events[i].ID; same != (i < at) {
				t.Fatalf("%s: forked after %d events, event %d has an id of its own: %v", l.label, at, i+1, !same)
			}
			if sequence, ok := s.EventSequence(e.ID); !ok || sequence != e.Sequence {
				t.Fatalf("%s: the id of event %d is taken for that of %d, %v", l.label, e.Sequence, sequence, ok)
			}
		}
		for i := at; i < len(l.events); i++ {
			if n, ok := s.EventSequence(l.events[i].ID); ok && n <= l.events[len(l.events)-1].Sequence {
				t.Fatalf("%s: an event of the parent's own future is found in the fork", l.label)
			}
		}
	})
	if t.Logf("%d steps compared", compared); compared == 0 {
		t.Error("no random life was ever forked")
	}
}

// TestTheClockOfAForkGoesOnFromItsMinute: the wall time since then does not pass in it,
// and what runs on a press is told when it ends.
func TestTheClockOfAForkGoesOnFromItsMinute(t *testing.T) {
	t.Parallel()
	w := begin(t, "starter", 3, sim.Realtime)
	c, later := w.company, opened.Add(time.Hour)
	c.Advance(opened.Add(10*time.Second), 1<<30)
	minute := c.Now()
	w.flush()
	c.Fork(company.Identity{SandboxID: "sbx_2", ForkedFrom: "sbx_1", UID: 2}, later)
	if c.Advance(later, 1<<30); c.Now() != minute {
		t.Errorf("at once it is at %d, want %d", c.Now(), minute)
	}
	if c.Advance(later.Add(time.Second), 1<<30); c.Now() != minute+8 {
		t.Errorf("a second later it is at %d, want %d", c.Now(), minute+8)
	}
	if s := c.Settings(); s.SandboxID != "sbx_2" || len(s.Ancestors) != 1 || s.Ancestors[0].ForkedFrom != "sbx_1" {
		t.Errorf("its settings are %+v", s)
	}
	w.flush()
	if again, err := company.Load(c.Image(), company.Engine); err != nil || again.StateHash() != c.StateHash() {
		t.Errorf("loaded again: %v", err)
	}
}
