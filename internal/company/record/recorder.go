package record

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"

	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
)

// Recorder notes the changes of one step of the company, or of what lies beside it in its sandbox. It is given the
// moment of the step and hands out stamps and ids; the feed numbers its events. The step sets its timers in its
// schedule.
type Recorder struct {
	*sim.Schedule

	feed *Feed
	// identity makes the id of a row with a prefix and a place in the order of births.
	identity func(prefix string, ordinal int) uint64
	// removes is set where rows can be removed.
	removes bool

	clock sim.Clock
	wall  moment.Instant
	now   sim.Minute
	// written counts the events of this recorder, newest is the number of the newest of them.
	written, newest uint64

	// touched is set when a row was added or edited since the last flush.
	touched bool
	moves   []event.Change
	pending []pendingEvent
}

type pendingEvent struct {
	// sandboxID is that of the sandbox in which it happened: a copy goes on with another one.
	sandboxID string
	sequence  uint64
	kind      event.Type
	createdAt moment.Instant
	minute    sim.Minute
	date      moment.Date
	id, self  string
	data      event.Data
	trace     event.Trace
}

// NewRecorder returns a recorder of a company, which has written so many events. Ids follow from its world by a one-way
// hash: clients see them, and what is drawn in a world must not follow from them.
func NewRecorder(world uint64, feed *Feed, schedule *sim.Schedule, written uint64) *Recorder {
	return &Recorder{
		Schedule: schedule, feed: feed, written: written, newest: feed.sequence,
		identity: func(prefix string, ordinal int) uint64 {
			text := append(make([]byte, 16, 24), prefix...)
			binary.BigEndian.PutUint64(text, world)
			binary.BigEndian.PutUint64(text[8:], uint64(ordinal))
			sum := sha256.Sum256(text)
			return binary.BigEndian.Uint64(sum[:])
		},
	}
}

// NewDeskRecorder returns a recorder of what lies beside a company: ids are unique across sandboxes, and rows can be
// removed.
func NewDeskRecorder(feed *Feed) *Recorder {
	return &Recorder{
		Schedule: sim.NewSchedule(nil, 1), feed: feed, removes: true,
		identity: func(prefix string, ordinal int) uint64 {
			return sim.Mix(sim.Mix(feed.uid^sim.Hash(prefix)) ^ uint64(ordinal))
		},
	}
}

// SetMoment sets the simulated moment of the next changes, their wall time and
// the clock that gives the wall time of later moments.
func (r *Recorder) SetMoment(now sim.Minute, wall moment.Instant, clock sim.Clock) {
	r.now, r.wall, r.clock = now, wall, clock
}

// Set sets a timer. One that was due before now fires next.
func (r *Recorder) Set(t sim.Timer) {
	t.Due = max(t.Due, r.now)
	r.Schedule.Set(t)
}

// Clock returns the clock of the moment.
func (r *Recorder) Clock() sim.Clock { return r.clock }

// Now returns the simulated moment.
func (r *Recorder) Now() sim.Minute { return r.now }

// Today returns the working day.
func (r *Recorder) Today() sim.Day { return r.now.Day() }

// Wall returns the wall time of the moment.
func (r *Recorder) Wall() moment.Instant { return r.wall }

// Date returns the in-world date.
func (r *Recorder) Date() moment.Date { return r.now.Date() }

// Sequence returns the number of the newest event of the feed, 0 before the first.
func (r *Recorder) Sequence() uint64 { return r.feed.sequence }

// Newest returns the number of the newest event that this recorder wrote, or of the newest of the feed before it began.
func (r *Recorder) Newest() uint64 { return r.newest }

// Written counts the events that were written by this recorder, and by those before it whose count it goes on with.
func (r *Recorder) Written() uint64 { return r.written }

// stamp is the created_at that the next event will have: the moment's wall
// time, raised where needed so that created_at strictly grows with the
// sequence (contract: EVT.ORDER).
func (r *Recorder) stamp() moment.Instant {
	return max(r.wall, r.feed.last+moment.Microsecond)
}

// Born notes that a row came to be with its present status.
func (r *Recorder) Born(row Row) {
	r.moves = append(r.moves, event.Change{Resource: row.Resource(), ID: row.RowID(), To: row.State()})
}

// Move sets a row's status and notes the change for the next event.
func Move[S ~string](r *Recorder, row Row, status *S, to S) {
	from := string(*status)
	r.moves = append(r.moves, event.Change{Resource: row.Resource(), ID: row.RowID(), From: &from, To: string(to)})
	*status = to
}

// Emit writes an event about a row and takes every noted move along: the
// row's own as the event's status, the others as riders. It returns the
// event's id, for the journals that belong to it.
func (r *Recorder) Emit(kind event.Type, about Row, data event.Data) string {
	definition, ok := event.Lookup(kind)
	if !ok {
		panic(fmt.Sprintf("no event type %q", kind))
	}
	var riders []event.Change
	for _, move := range r.moves {
		if move.Resource != about.Resource() || move.ID != about.RowID() {
			riders = append(riders, move)
		}
	}
	r.moves = r.moves[:0]
	data.SetHead(about.RowID(), about.State())
	data.SetChanges(riders)

	created := r.stamp()
	r.feed.last = created
	r.feed.sequence++
	r.written++
	r.newest = r.feed.sequence
	id := EventID(r.feed.uid, r.newest)
	r.pending = append(r.pending, pendingEvent{
		sandboxID: r.feed.sandboxID, sequence: r.newest, kind: kind, createdAt: created, minute: r.now, date: r.Date(),
		id: id, self: strings.Replace(definition.Self, "{id}", about.RowID(), 1), data: data, trace: r.feed.trace,
	})
	return id
}

// eventPrefix begins the ids of events.
const eventPrefix = "evt"

// EventID is the id of the event with a number, in the company with a uid.
func EventID(uid, sequence uint64) string {
	return sim.ID(eventPrefix, sim.Mix(sim.Mix(uid)^sequence))
}

// EventSequence is the number of the event with an id, if the company with a
// uid has one: the mixing has an inverse, so no index is needed.
func EventSequence(uid uint64, id string) (sequence uint64, ok bool) {
	bits, ok := sim.ParseID(eventPrefix, id)
	return sim.Unmix(bits) ^ sim.Mix(uid), ok
}

// Pending returns how many events wait to be flushed.
func (r *Recorder) Pending() int { return len(r.pending) }

// Touched reports whether anything waits to be flushed: rows, events or
// timers.
func (r *Recorder) Touched() bool {
	return r.touched || len(r.pending) > 0 || r.Schedule.Changed()
}

// Touch notes that something outside the tables has changed.
func (r *Recorder) Touch() { r.touched = true }

// Types returns the types of the waiting events in order.
func (r *Recorder) Types() []event.Type {
	types := make([]event.Type, len(r.pending))
	for i := range r.pending {
		types[i] = r.pending[i].kind
	}
	return types
}

// Since calls yield for each waiting event after the one with a number.
func (r *Recorder) Since(sequence uint64) func(yield func(event.Type, event.Data) bool) {
	return func(yield func(event.Type, event.Data) bool) {
		for i := range r.pending {
			if p := &r.pending[i]; p.sequence > sequence && !yield(p.kind, p.data) {
				return
			}
		}
	}
}

// Notice is the known part of an event that waits to be flushed.
type Notice struct {
	Sequence  uint64
	ID        string
	Type      event.Type
	CreatedAt moment.Instant
	Minute    sim.Minute
	// Trace is that of the request that caused it.
	Trace event.Trace
}

// Notices lists the waiting events in order.
func (r *Recorder) Notices() []Notice {
	notices := make([]Notice, len(r.pending))
	for i := range r.pending {
		p := &r.pending[i]
		notices[i] = Notice{
			Sequence: p.sequence, ID: p.id, Type: p.kind, CreatedAt: p.createdAt, Minute: p.minute, Trace: p.trace,
		}
	}
	return notices
}

// Flush encodes the waiting events. It panics when a status moved without an
// event.
func (r *Recorder) Flush() []Event {
	if len(r.moves) > 0 {
		panic(fmt.Sprintf("status changes without an event: %v", r.moves))
	}
	events := make([]Event, len(r.pending))
	for i := range r.pending {
		p := &r.pending[i]
		events[i] = Event{
			Sequence: p.sequence, ID: p.id, Type: string(p.kind), CreatedAt: p.createdAt,
			Body: encodeEvent(p),
		}
	}
	r.Forget()
	return events
}

// Forget drops the waiting events.
func (r *Recorder) Forget() {
	clear(r.pending)
	r.pending = r.pending[:0]
	r.touched = false
}
