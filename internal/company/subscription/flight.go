package subscription

import (
	"slices"
	"time"

	"platen/internal/moment"
)

const (
	// budgetMost deliveries are sent in budgetTime (contract: LIMIT.DELIVERIES).
	budgetMost = 60
	budgetTime = time.Minute
	// lostAfter is when an attempt without an outcome is made again: far longer
	// than one can take.
	lostAfter = time.Minute
)

// Flight is what the rows do not say: which attempts are under way, and when
// the newest were begun. It outlives the company in memory and not the process:
// after that, what was under way is sent again.
type Flight struct {
	under map[string]moment.Instant
	begun []moment.Instant
	// ids are those under way, in the order in which they were begun.
	ids []string
}

// Recall returns the flight of books that were just loaded: the attempts of the
// last minute count against the budget.
func (b *Books) Recall(now moment.Instant) *Flight {
	f := &Flight{under: map[string]moment.Instant{}}
	for d := range b.Deliveries.All {
		if d.SentAt != nil && d.Trigger != Test && d.SentAt.Add(budgetTime) > now && *d.SentAt <= now {
			f.begun = append(f.begun, *d.SentAt)
		}
	}
	slices.Sort(f.begun)
	return f
}

// begin notes an attempt as under way.
func (f *Flight) begin(delivery string, now moment.Instant) {
	f.under[delivery] = now
	f.ids = append(f.ids, delivery)
	f.begun = append(f.begun, now)
}

// Done notes that an attempt is over.
func (f *Flight) Done(delivery string) {
	delete(f.under, delivery)
	f.ids = slices.DeleteFunc(f.ids, func(id string) bool { return id == delivery })
}

// Under is how many attempts are under way.
func (f *Flight) Under() int { return len(f.ids) }

// pass lets go of what a moment has left behind, the future of a clock that was
// set back among it.
func (f *Flight) pass(now moment.Instant) {
	f.begun = slices.DeleteFunc(f.begun, func(at moment.Instant) bool { return at > now || at.Add(budgetTime) <= now })
	f.ids = slices.DeleteFunc(f.ids, func(id string) bool {
		lost := f.under[id] > now || f.under[id].Add(lostAfter) <= now
		if lost {
			delete(f.under, id)
		}
		return lost
	})
}

// open reports whether the budget allows an attempt, or when it will.
func (f *Flight) open(now moment.Instant) (from moment.Instant, open bool) {
	if len(f.begun) < budgetMost {
		return now, true
	}
	return f.begun[len(f.begun)-budgetMost].Add(budgetTime), false
}
