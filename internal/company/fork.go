package company

import (
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
}

// Identity has the values of one company alone.
type Identity struct {
	SandboxID string
	// ForkedFrom is the sandbox whose fork it is.
	ForkedFrom string
	// UID makes event ids unique across sandboxes.
	UID uint64
}

// Fork makes the company another one, which has the same past and goes on by itself from
// a wall time. Events from here on have ids of their own, so that nobody takes them for
// those of the one that it was copied from. The clock goes on from its minute.
func (c *Company) Fork(as Identity, now moment.Instant) {
	now = c.at(now)
	settings := record.EditPrivate(c.company, c.rec, "settings")
	settings.Ancestors = append(slices.Clip(settings.Ancestors), Ancestor{
		SandboxID: settings.SandboxID, ForkedFrom: as.ForkedFrom, UID: settings.UID, Sequence: c.rec.Sequence(),
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
