package company

import (
	"math"
	"slices"

	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
)

// Ancestor is a company that another one was copied from.
type Ancestor struct {
	SandboxID string `json:"sandbox_id"`
	// ForkedFrom is the sandbox whose fork this was: another one where it had this part
	// of its past from its own ancestors.
	ForkedFrom string `json:"forked_from"`
	// UID made the ids of the events up to the one with the number Sequence.
	UID      uint64 `json:"uid"`
	Sequence uint64 `json:"sequence"`
	// Way is how the copy came to where it began, in its commit with the number Version.
	Way     Way    `json:"way,omitzero"`
	Version uint64 `json:"version,omitzero"`
}

// Identity has the values of one company alone.
type Identity struct {
	SandboxID string
	// ForkedFrom is the sandbox whose fork it is.
	ForkedFrom string
	// UID makes event ids unique across sandboxes.
	UID uint64
	// Way is how it came to where it begins, Version its first commit.
	Way     Way
	Version uint64
}

// Fork makes the company another one, which has the same past and goes on by itself from
// a wall time. Events from here on have ids of their own, so that nobody takes them for
// those of the one that it was copied from. The clock goes on from its minute.
func (c *Company) Fork(as Identity, now moment.Instant) {
	now = c.at(now)
	settings := record.EditPrivate(c.company, c.rec, "settings")
	settings.Ancestors = append(slices.Clip(settings.Ancestors), Ancestor{
		SandboxID: settings.SandboxID, ForkedFrom: as.ForkedFrom, UID: settings.UID, Sequence: c.rec.Sequence(),
		Way: as.Way, Version: as.Version,
	})
	settings.SandboxID, settings.UID = as.SandboxID, as.UID
	c.settings = *settings
	c.feed.Become(as.SandboxID, as.UID)
	c.clock = c.clock.MovedTo(c.now, now)
	c.rec.SetMoment(c.now, now, c.clock)
	if c.clock.Mode == sim.Realtime {
		c.factory.EstimateEnds(c.rec)
	}
}

// Moment is when a company was stored.
type Moment struct {
	Clock sim.Clock      `json:"clock"`
	Now   sim.Minute     `json:"now"`
	Wall  moment.Instant `json:"wall"`
}

// MomentOf reads the moment out of the state that was stored with a commit.
func MomentOf(stored []byte) (m Moment, err error) { return m, record.DecodeState(stored, &m) }

// Way is how a company came past a minute in which no commit ends: Fork takes the same way up to it.
type Way struct {
	// To is the minute, 0 for no way.
	To sim.Minute `json:"to,omitzero"`
	// Wall is the wall time at which it was passed. A tick lets all of it happen then.
	Wall moment.Instant `json:"wall,omitzero"`
	Tick bool           `json:"tick,omitzero"`
}

// WayTo is the way from one moment, before a minute, past that minute to the next one that was stored.
func (m *Moment) WayTo(minute sim.Minute, next *Moment) Way {
	// A tick moves the anchor; so does bankruptcy, to where a clock that ran was.
	wall, known := m.Clock.Wall(next.Clock.Anchor)
	ran := next.Clock.Anchor == m.Clock.Anchor || next.Clock.Stopped && known && wall == next.Clock.AnchorWall
	return Way{To: minute, Wall: next.Wall, Tick: m.Clock.Stands() || !ran}
}

// Go lets happen what happened by itself up to the end of a minute, as it happened then.
func (c *Company) Go(w Way) {
	if w.To == 0 {
		return
	}
	if w.Tick {
		c.Start(w.Wall) // a clock that waited was started by the tick
		c.Tick(w.Wall, int(w.To-c.now))
		return
	}
	if wall, ok := c.clock.Wall(w.To); ok {
		c.Advance(wall, math.MaxInt)
	}
}

// EventSequence returns the number that the event with an id has, if the company has got
// so far; a number beyond its newest event is that of no event.
func (s *Settings) EventSequence(id string) (sequence uint64, ok bool) {
	before := uint64(0)
	for _, a := range s.Ancestors {
		if n, ok := record.EventSequence(a.UID, id); ok && n > before && n <= a.Sequence {
			return n, true
		}
		before = a.Sequence
	}
	n, ok := record.EventSequence(s.UID, id)
	return n, ok && n > before
}
