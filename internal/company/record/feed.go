package record

import (
	"platen/internal/words/event"
	"platen/internal/words/moment"
)

// Feed numbers the events of a sandbox in the order in which its recorders write them.
type Feed struct {
	// sandboxID is in each event, uid makes the ids of events unique across sandboxes.
	sandboxID string
	uid       uint64
	// sequence is the number of the newest event, last its created_at.
	sequence uint64
	last     moment.Instant
	trace    event.Trace
}

// Position is how far a feed has come: the number and the created_at of its newest event, zero before the first.
type Position struct {
	Sequence uint64
	At       moment.Instant
}

// NewFeed returns the feed of a sandbox, which goes on from a position.
func NewFeed(sandboxID string, uid uint64, from Position) *Feed {
	return &Feed{sandboxID: sandboxID, uid: uid, sequence: from.Sequence, last: from.At}
}

// Become lets the next events belong to another sandbox, as one that was copied.
func (f *Feed) Become(sandboxID string, uid uint64) { f.sandboxID, f.uid = sandboxID, uid }

// Position returns how far the feed has come.
func (f *Feed) Position() Position { return Position{Sequence: f.sequence, At: f.last} }

// SetTrace sets the trace context of the next events.
func (f *Feed) SetTrace(t event.Trace) { f.trace = t }
