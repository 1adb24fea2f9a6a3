package company_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"platen/internal/company"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
)

// tickUntil is a tick that waits for something. It sets stop to what ended it.
func tickUntil(minutes int, u company.Until, stop *company.Stop) action {
	return action{name: fmt.Sprintf("tick %d until %+v", minutes, u), do: func(l *life) error {
		*stop = l.company.TickUntil(l.wall, minutes, u)
		return nil
	}}
}

// TestATickThatStopsIsATickToThere: waiting changes nothing but how far the clock
// goes, and the minute in which it stops is lived to its end.
func TestATickThatStopsIsATickToThere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := drawLife(t)
		repeat(t, l, func(_ *rapid.T, a action) { _ = l.act(a) })
		if l.company.Bankrupt() {
			return
		}
		here, before, began := l.snapshot(), newestOf(l), l.company.Now()
		u := rapid.OneOf(
			rapid.Just(company.Until{Decision: true}),
			rapid.Map(rapid.Uint64Range(1, 60), func(n uint64) company.Until {
				return company.Until{Sequence: before + n}
			}),
			rapid.Map(rapid.SampledFrom(event.Catalogue()), func(d event.Definition) company.Until {
				return company.Until{Types: []event.Type{d.Type}}
			}),
			rapid.Map(rapid.Int64Range(-500, 6000), func(n int64) company.Until {
				return company.Until{Moment: new(began + sim.Minute(n))}
			}),
		).Draw(t, "until")
		most := rapid.IntRange(1, company.TickUntilMax).Draw(t, "minutes")
		var stop company.Stop
		waiting := l.reborn(here)
		waiting.must(tickUntil(most, u, &stop))
		passed := int(waiting.company.Now() - began)
		checkFeed(t, waiting)
		if passed < 0 || passed > most || stop == company.StoppedByMinutes && passed != most {
			t.Fatalf("%d of %d minutes passed, stopped by %s", passed, most, stop)
		}
		if u.Moment != nil && stop == company.StoppedByMoment && waiting.company.Now() != max(began, *u.Moment) {
			t.Errorf("stopped at %s, want %s", waiting.company.Now().Text(), u.Moment.Text())
		}
		if len(u.Types) > 0 && stop != company.StoppedByBankruptcy {
			happened := slices.ContainsFunc(waiting.events, func(e record.Event) bool {
				return e.Sequence > before && e.Type == string(u.Types[0])
			})
			if happened != (stop == company.StoppedByEventType) {
				t.Errorf("%s happened: %t, and the tick was stopped by %s", u.Types[0], happened, stop)
			}
		}
		if u.Sequence > 0 && (stop == company.StoppedBySequence) != (newestOf(waiting) >= u.Sequence) &&
			stop != company.StoppedByBankruptcy {
			t.Errorf("stopped by %s after event %d, waiting for %d", stop, newestOf(waiting), u.Sequence)
		}
		if passed > 0 {
			plain := l.reborn(here)
			_ = plain.act(tick(passed)) // the company may end on the way
			sameLife(t, "waiting", waiting, plain)
		}
	})
}

// newestOf is the number of a life's newest event.
func newestOf(l *life) uint64 {
	return l.company.Feed().Position().Sequence
}
