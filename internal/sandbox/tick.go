package sandbox

import (
	"time"

	"platen/internal/company"
	"platen/internal/words/event"
	"platen/internal/words/problem"
)

// pausing renders the length of a pause as text.
func pausing(d time.Duration) string {
	if d == time.Second {
		return "a second"
	}
	return d.String()
}

// Tick moves the clock, at most once in the pause between ticks, which
// is a second (contract: LIMIT.TICK) unless the operator chose another.
func (tx *Tx) Tick(minutes int) error {
	_, err := tx.TickUntil(minutes, company.Until{})
	return err
}

// TickUntil is a Tick that ends early when what it waits for has happened. It says what
// ended it.
func (tx *Tx) TickUntil(minutes int, until company.Until) (company.Stop, error) {
	pause := tx.sandbox.registry.options.TickPause
	if next := tx.sandbox.ticked.Add(pause); tx.sandbox.ticked > 0 && tx.Now < next && tx.Now >= tx.sandbox.ticked {
		p := problem.New(problem.TickRate, "The clock was moved less than %s ago.", pausing(pause)).
			DueTo("tick-pause")
		p.RetryAfter = int((pause + time.Second - 1) / time.Second)
		return "", p.RetryingAt(tx.Now.Add(max(pause, time.Second)).Time())
	}
	tx.Company.Feed().SetTrace(event.Trace{}) // it happens by itself
	stop := tx.Company.TickUntil(tx.Now, minutes, until)
	tx.ticked = true
	return stop, nil
}
