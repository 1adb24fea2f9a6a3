package company_test

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"platen/internal/company"
	"platen/internal/company/mission"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
)

// wallTimes matches what an event says of wall times and of whose it is.
var wallTimes = regexp.MustCompile(`"(created_at|ends_at|sandbox_id)":("[^"]*"|null)|"id":"evt_[^"]*"`)

// tale is the feed without what differs between sandboxes with the same life.
func (l *life) tale() []string {
	lines := make([]string, len(l.events))
	for i, e := range l.events {
		lines[i] = wallTimes.ReplaceAllLiteralString(string(e.Body), "-")
	}
	return lines
}

// sameLife fails unless two companies are alike but for wall times.
func sameLife(t reporter, what string, got, want *life) {
	t.Helper()
	if a, b := got.tale(), want.tale(); !slices.Equal(a, b) {
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("%s: %s: event %d is\n%s\nwant\n%s", want.label, what, i+1, a[i], b[i])
			}
		}
		t.Fatalf("%s: %s: %d events, want %d", want.label, what, len(a), len(b))
	}
	if a, b := got.company.StateHash(), want.company.StateHash(); a != b {
		t.Fatalf("%s: %s: the state is %s, want %s", want.label, what, a, b)
	}
}

// drawPieces cuts a whole into random pieces.
func drawPieces(t *rapid.T, whole int) []int {
	cuts := rapid.SliceOfNDistinct(rapid.IntRange(1, whole-1), 0, 40, rapid.ID).Draw(t, "cuts")
	slices.Sort(cuts)
	pieces, last := []int{}, 0
	for _, cut := range append(cuts, whole) {
		pieces = append(pieces, cut-last)
		last = cut
	}
	return pieces
}

// TestOneTickEqualsManyShorterOnes: a day is the same day in one leap and in
// any pieces, from any state of the company.
func TestOneTickEqualsManyShorterOnes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := drawLife(t)
		repeat(t, l, func(_ *rapid.T, a action) { _ = l.act(a) })
		if l.company.Bankrupt() {
			return // no time passes any more
		}
		here := l.snapshot()
		leap := l.reborn(here)
		leap.must(tick(company.TickMax))
		for _, pieces := range [][]int{{120, 120, 120, 120}, drawPieces(t, company.TickMax)} {
			steps := l.reborn(here)
			for _, minutes := range pieces {
				_ = steps.act(tick(minutes)) // the company may end on the way
			}
			sameLife(t, "in pieces", steps, leap)
			checkFeed(t, steps)
		}
	})
}

// TestOneSleepEqualsManyShorterOnes: a company that slept wakes with the same
// events as one that was woken all the time, down to their wall times, also
// when its waking is cut into commits.
func TestOneSleepEqualsManyShorterOnes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(0, 1<<53-1).Draw(t, "seed")
		l := live(t, presetNamed(t, "starter"), seed, sim.Realtime, usual)
		repeat(t, l, func(_ *rapid.T, a action) { _ = l.act(a) })
		here := l.snapshot()
		const slept = 10_000 // minutes of ten days take 20 minutes
		leap := l.reborn(here)
		leap.must(wait(slept * 125 * time.Millisecond))

		steps := l.reborn(here)
		for _, minutes := range drawPieces(t, slept) {
			steps.must(wait(time.Duration(minutes) * 125 * time.Millisecond))
		}
		limit := rapid.IntRange(1, 9).Draw(t, "events per commit")
		chunks := l.reborn(here)
		chunks.wall = leap.wall
		for done := false; !done; chunks.flush() {
			done = chunks.company.Advance(chunks.wall, limit)
		}
		for what, twin := range map[string]*life{"woken all the time": steps, "in small commits": chunks} {
			sameLife(t, what, twin, leap)
			for i, e := range leap.events {
				if got := twin.events[i]; string(got.Body) != string(e.Body) {
					t.Fatalf("%s: %s: event %d is\n%s\nwant\n%s", l.label, what, i+1, got.Body, e.Body)
				}
			}
		}
	})
}

// TestTicksAndWaitingAreTheSameTime: it leaves no trace whether a day passed
// by itself or by hand.
func TestTicksAndWaitingAreTheSameTime(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		waited := live(t, presetNamed(t, "starter"), seed, sim.Realtime, usual)
		ticked := live(t, presetNamed(t, "starter"), seed, sim.Realtime, usual)
		for range 20 {
			waited.must(wait(time.Minute))
			ticked.must(tick(480))
		}
		sameLife(t, "ticked", ticked, waited)
	}
}

// TestNoEventHappensInThePast: a preset may let customers wait longer for an
// answer than for the goods. Accepting such an order after its last day sets a
// timer that was due days ago. It has to fire now, and not then.
func TestNoEventHappensInThePast(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 1, func(p *preset.Preset) { p.Demand.AnswerDays = 30 })
	l.until(20)
	l.must(accept(l.order("SO-1001").ID)) // due on day 5, waited for until day 12
	accepted := l.company.Summary().Now
	l.must(tick(1))
	for _, b := range l.bodiesOf("office.sales_order.expired") {
		if b.SimDate < accepted.Date() {
			t.Errorf("the order was accepted on %s and expired on %s", accepted.Date(), b.SimDate)
		}
	}
	if got := l.order("SO-1001").Status; got != office.OrderExpired {
		t.Errorf("the order is %s", got)
	}
	checkFeed(t, l)
}

// TestUpdatedAtNeverGoesBack: a client that asks for the rows updated since the
// newest updated_at it has seen must see every later change, also when the wall
// clock is set back. Changes without an event, such as the progress of a
// mission, are not in the time of the newest event.
func TestUpdatedAtNeverGoesBack(t *testing.T) {
	t.Parallel()
	l := live(t, presetNamed(t, "starter"), 1, sim.Manual, usual)
	l.must(action{name: "reach the office", wait: time.Hour, do: func(l *life) error {
		l.company.Note(mission.ReachedOffice)
		return nil
	}})
	half := rowOf[mission.Mission](l, "mission", "both_keys")
	l.must(action{name: "reach the factory", wait: -time.Minute, do: func(l *life) error {
		l.company.Note(mission.ReachedFactory)
		return nil
	}})
	done := rowOf[mission.Mission](l, "mission", "both_keys")
	if half.Progress.Current != 1 || done.Status != mission.Completed {
		t.Fatalf("the mission is %+v and then %+v", half, done)
	}
	if done.UpdatedAt < half.UpdatedAt {
		t.Errorf("updated_at went from %s back to %s", half.UpdatedAt, done.UpdatedAt)
	}
}

// TestTimeThatTheWallClockRepeatsIsNotLivedTwice: while the wall clock is set
// back, simulated time moves only by ticks, and goes on when the clock is where
// it was. A tick in between must not let the time count twice.
func TestTimeThatTheWallClockRepeatsIsNotLivedTwice(t *testing.T) {
	t.Parallel()
	for _, ticks := range []int{0, 1} {
		l := live(t, presetNamed(t, "starter"), 1, sim.Realtime, usual)
		l.must(wait(20 * time.Minute))
		before := l.company.Summary().Now
		l.must(wait(-10 * time.Minute))
		for range ticks {
			l.must(tick(1))
		}
		l.must(wait(10 * time.Minute))
		if passed := l.company.Summary().Now - before; passed > sim.Minute(ticks)+1 {
			t.Errorf("the clock was set back for ten minutes and %d minute passed by hand: %d minutes went by",
				ticks, passed)
		}
	}
}
