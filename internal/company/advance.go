package company

import (
	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
)

// Limits of a tick, in minutes.
const (
	TickMin     = 1
	TickMax     = int(sim.DayLength)
	TickDefault = int(sim.DayLength)
)

// Due reports whether something is to happen at or before a wall time.
func (c *Company) Due(wall moment.Instant) bool {
	if c.Bankrupt() {
		return false
	}
	t, ok := c.rec.Peek()
	return ok && t.Due <= c.minute(wall)
}

// NextDue returns the wall time at which something is next to happen, and
// false when only a tick can make it happen.
func (c *Company) NextDue() (moment.Instant, bool) {
	if c.Bankrupt() {
		return 0, false
	}
	t, ok := c.rec.Peek()
	if !ok {
		return 0, false
	}
	return c.clock.Wall(t.Due)
}

// Now returns the simulated moment to which the company has been brought.
func (c *Company) Now() sim.Minute { return c.now }

// minute is the simulated moment at a wall time. It never goes back.
func (c *Company) minute(wall moment.Instant) sim.Minute { return max(c.now, c.clock.Minute(wall)) }

// Advance runs the timers that are due at a wall time, until about limit events
// wait to be flushed. It reports whether everything due has happened. Each
// timer fires at its own moment, so a company that slept wakes with its events
// spread over the time it slept.
func (c *Company) Advance(wall moment.Instant, limit int) (done bool) {
	wall = c.at(wall)
	until := c.minute(wall)
	for {
		t, ok := c.rec.Peek()
		if !ok || t.Due > until {
			break
		}
		if c.Bankrupt() {
			return true
		}
		if c.rec.Pending() >= limit {
			return false
		}
		at, known := c.clock.Wall(t.Due)
		if !known || at > wall {
			at = wall
		}
		c.fire(at)
	}
	c.now = until
	c.rec.SetMoment(c.now, wall, c.clock)
	return true
}

// Tick moves the clock by hand and runs the timers that are due on the way. All
// of it happens at the wall time of the tick. A company that goes bankrupt on
// the way stays where it is.
func (c *Company) Tick(wall moment.Instant, minutes int) { c.TickUntil(wall, minutes, Until{}) }

// TickUntil is a Tick that ends early when what it waits for has happened,
// after all timers of that minute. It says what ended it.
func (c *Company) TickUntil(wall moment.Instant, minutes int, u Until) Stop {
	wall = c.at(wall)
	until := c.now + sim.Minute(minutes)
	stop, seen := StoppedByMinutes, c.rec.Sequence()
	if u.Moment != nil && *u.Moment <= until {
		stop, until = StoppedByMoment, max(c.now, *u.Moment)
	}
	if u.Sequence > 0 && seen >= u.Sequence {
		stop, until = StoppedBySequence, c.now
	}
	for {
		t, ok := c.rec.Peek()
		if !ok || t.Due > until {
			break
		}
		if c.Bankrupt() {
			return StoppedByBankruptcy
		}
		c.fire(wall)
		if next, more := c.rec.Peek(); more && next.Due <= c.now || c.rec.Sequence() == seen || c.Bankrupt() {
			continue // the minute is not over, or nothing happened in it
		}
		if reached := c.reached(&u, seen); reached != "" {
			stop, until = reached, c.now
		}
		seen = c.rec.Sequence()
	}
	if c.Bankrupt() {
		stop = StoppedByBankruptcy
	}
	c.now = until
	c.clock = c.clock.MovedTo(until, wall)
	c.rec.SetMoment(c.now, wall, c.clock)
	return stop
}

// SetClock lets the clock run with the wall clock from here on, or move only by
// ticks. In-world time goes on from the whole minute at which it is. Print runs
// that are under way are told when they end by the wall now.
func (c *Company) SetClock(wall moment.Instant, mode sim.Mode) {
	if c.clock.Mode == mode {
		return // its anchor stays: the minute that has begun is not begun again
	}
	wall = c.at(wall)
	c.clock = c.clock.MovedTo(c.now, wall)
	c.clock.Mode, c.clock.Skip = mode, sim.Skipping{}
	c.rec.SetMoment(c.now, wall, c.clock)
	c.factory.EstimateEnds(c.rec)
}

// SetSkip lets the clock jump from event to event while a client waits for one, and become manual after a number of
// days.
func (c *Company) SetSkip(wall moment.Instant, settleMS, days int64) {
	c.SetClock(wall, sim.Skip)
	c.clock.Skip = sim.Skipping{SettleMS: settleMS, Until: c.now + sim.Minute(days)*sim.DayLength}
	c.rec.SetMoment(c.now, c.wall, c.clock)
}

// Jump moves a clock that skips to the end of the minute of the next event, as a tick would, by a working day at most,
// or to the end of its skipping.
func (c *Company) Jump(wall moment.Instant) {
	left := int(c.clock.Skip.Until - c.now)
	c.TickUntil(wall, min(left, TickMax), Until{Sequence: c.rec.Sequence() + 1})
	if c.now >= c.clock.Skip.Until {
		c.SetClock(wall, sim.Manual)
	}
}

// Pause stops a running clock at a wall time, up to which time has passed, until Start.
func (c *Company) Pause(wall moment.Instant) {
	wall = c.at(wall)
	c.clock = c.clock.MovedTo(c.now, wall)
	c.clock.Waiting = true
	c.rec.SetMoment(c.now, wall, c.clock)
	c.factory.EstimateEnds(c.rec)
}

// AwaitRequest lets the clock of a new company wait for Start. A manual clock has
// nothing to wait for.
func (c *Company) AwaitRequest() {
	if c.clock.Mode == sim.Realtime {
		c.clock.Waiting = true
		c.rec.SetMoment(c.now, c.wall, c.clock)
	}
}

// Start lets a clock go that waits, from the wall time of a client's request. The
// caller calls undo, before anything else, if the request is refused after all.
func (c *Company) Start(wall moment.Instant) (undo func()) {
	before := c.clock
	if before.Waiting {
		c.clock = before.MovedTo(c.now, c.at(wall))
		c.clock.Waiting = false
		c.rec.SetMoment(c.now, c.wall, c.clock)
	}
	return func() {
		if before.Waiting {
			c.clock = before
			c.rec.SetMoment(c.now, c.wall, c.clock)
		}
	}
}

// Started tells print runs that are under way when they end by the wall, after Start.
func (c *Company) Started() { c.factory.EstimateEnds(c.rec) }

// Wall returns the newest wall time of which the company knows.
func (c *Company) Wall() moment.Instant { return c.wall }

// at notes a wall time and returns it, or the newest one noted before it.
func (c *Company) at(wall moment.Instant) moment.Instant {
	c.wall = max(c.wall, wall)
	return c.wall
}

// fire lets the earliest timer happen.
func (c *Company) fire(wall moment.Instant) {
	t := c.rec.Pop()
	c.now = max(c.now, t.Due)
	c.rec.SetMoment(t.Due, wall, c.clock)
	handle, ok := timers[t.Kind]
	if !ok {
		panic("no timer is called " + t.Kind)
	}
	handle.Fire(c, c.rec, t)
	c.watch(false)
}

// openDay schedules the customers of the day, its close, and the opening of the
// next one.
func (c *Company) openDay() {
	day := c.rec.Today()
	if day > 0 {
		c.market.OpenDay(c.rec)
	}
	c.office.ScheduleDemand(c.rec, day)
	if day > 0 {
		c.office.DailyOrder(c.rec)
	}
	c.rec.Set(sim.Timer{Due: day.At(sim.CloseMinute), Class: sim.ClassBankruptcy, Kind: timerClose})
	c.rec.Set(sim.Timer{Due: day.At(noon), Class: sim.ClassSeries, Kind: timerPoint})
	c.rec.Set(sim.Timer{Due: day.At(sim.CloseMinute), Class: sim.ClassSeries, Kind: timerPoint})
	next := day + 1
	if next == next.Monday() {
		c.rec.Set(sim.Timer{Due: next.Open(), Class: sim.ClassOverhead, Kind: timerOverheads})
	}
	c.rec.Set(sim.Timer{Due: next.Open(), Class: sim.ClassLot, Kind: office.TimerLotOffer})
	c.lore.Schedule(c.rec, next)
	c.rec.Set(sim.Timer{Due: next.Open(), Class: sim.ClassDemand, Kind: timerDay})
}

// closeDay books the costs of the day, and ends a company that cannot go on.
// Its last close is the last point of the series: no timer fires after it.
func (c *Company) closeDay() {
	c.office.CloseDay(c.factory.StockValueMinor())
	c.noteVacancies()
	if c.testSolvency(); c.Bankrupt() {
		c.notePoint()
	}
	c.watch(true)
}
