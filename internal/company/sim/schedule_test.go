package sim_test

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"platen/internal/company/sim"
)

// plain is a schedule that is obviously right: a slice, sorted when asked.
type plain struct {
	waiting []sim.Timer
	next    uint64
	// kept has the timers that were stored at the last call of Taken.
	kept []sim.Timer
}

func (p *plain) sorted() []sim.Timer {
	timers := slices.Clone(p.waiting)
	slices.SortFunc(timers, func(a, b sim.Timer) int {
		return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Sequence, b.Sequence))
	})
	return timers
}

func drawTimer(t *rapid.T) sim.Timer {
	return sim.Timer{
		Due:   sim.Minute(rapid.Int64Range(0, 20).Draw(t, "due")),
		Class: sim.Class(rapid.IntRange(1, 3).Draw(t, "class")),
		Kind:  rapid.SampledFrom([]string{"a", "b"}).Draw(t, "kind"),
		Ref:   rapid.SampledFrom([]string{"", "so_1"}).Draw(t, "ref"),
		Index: rapid.Int64Range(-1, 1).Draw(t, "index"),
		// The schedule numbers its timers itself.
		Sequence: rapid.Uint64Range(0, 3).Draw(t, "sequence"),
	}
}

// TestScheduleIsASortedSlice, restored at any time, and what Taken says brings
// what was stored to what is waiting.
func TestScheduleIsASortedSlice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := &plain{next: rapid.Uint64Range(1, 5).Draw(t, "first")}
		s := sim.NewSchedule(nil, p.next)
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				timer := drawTimer(t)
				s.Set(timer)
				timer.Sequence = p.next
				p.waiting, p.next = append(p.waiting, timer), p.next+1
				if !s.Changed() {
					t.Fatal("a timer was set, and nothing has changed")
				}
			},
			"pop": func(t *rapid.T) {
				if len(p.waiting) == 0 {
					t.Skip("nothing waits")
				}
				want := p.sorted()[0]
				if got := s.Pop(); got != want {
					t.Fatalf("popped %+v, want %+v", got, want)
				}
				p.waiting = slices.DeleteFunc(p.waiting, func(o sim.Timer) bool { return o.Sequence == want.Sequence })
			},
			"take": func(t *rapid.T) { p.take(t, s) },
			"restore": func(t *rapid.T) {
				p.take(t, s)
				shuffled := rapid.Permutation(p.waiting).Draw(t, "stored")
				s = sim.NewSchedule(shuffled, s.Next())
			},
			"": func(t *rapid.T) {
				want := p.sorted()
				if diff := gocmp.Diff(want, s.Sorted()); len(want)+s.Len() > 0 && diff != "" {
					t.Fatalf("what waits differs (-want +got):\n%s", diff)
				}
				first, ok := s.Peek()
				if ok != (len(want) > 0) || ok && first != want[0] {
					t.Fatalf("the first is %+v (%t)", first, ok)
				}
				if s.Next() != p.next || s.Len() != len(want) {
					t.Fatalf("next is %d of %d, want %d of %d", s.Next(), s.Len(), p.next, len(want))
				}
			},
		})
	})
}

// take compares what the schedule says has changed with what has.
func (p *plain) take(t *rapid.T, s *sim.Schedule) {
	set, fired := s.Taken()
	stored := slices.DeleteFunc(slices.Clone(p.kept), func(o sim.Timer) bool {
		return slices.Contains(fired, o.Sequence)
	})
	if len(stored)+len(fired) != len(p.kept) {
		t.Fatalf("%v fired, of which some were not stored: %+v", fired, p.kept)
	}
	for _, timer := range set {
		if slices.Contains(fired, timer.Sequence) ||
			slices.ContainsFunc(p.kept, func(o sim.Timer) bool { return o.Sequence == timer.Sequence }) {
			t.Fatalf("%+v is called new", timer)
		}
	}
	p.kept = p.sorted()
	got := plain{waiting: append(stored, set...)}
	if diff := gocmp.Diff(p.kept, got.sorted()); len(p.kept)+len(got.waiting) > 0 && diff != "" {
		t.Fatalf("stored and changed differ from what waits (-want +got):\n%s", diff)
	}
	if s.Changed() {
		t.Fatal("everything was taken, and something has changed")
	}
	if set, fired := s.Taken(); len(set)+len(fired) > 0 {
		t.Fatalf("taken twice: %v and %v", set, fired)
	}
}

// TestATimerThatWasSetAndFiredIsInNeither list, so that a commit does not store
// what is over.
func TestATimerThatWasSetAndFiredIsInNeither(t *testing.T) {
	t.Parallel()
	s := sim.NewSchedule([]sim.Timer{{Due: 5, Sequence: 1}, {Due: 9, Sequence: 2}}, 3)
	s.Set(sim.Timer{Due: 1}) // 3
	s.Set(sim.Timer{Due: 7}) // 4
	for _, want := range []uint64{3, 1} {
		if got := s.Pop(); got.Sequence != want {
			t.Fatalf("popped %+v, want timer %d", got, want)
		}
	}
	set, fired := s.Taken()
	if len(set) != 1 || set[0].Sequence != 4 || !slices.Equal(fired, []uint64{1}) {
		t.Errorf("set %+v and fired %v, want timer 4 and [1]", set, fired)
	}
}
