package sandbox

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"platen/internal/company"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/desk"
	"platen/internal/words/moment"
	"platen/internal/words/wire"
)

// tailLength is the number of the newest events that are kept in memory.
const tailLength = 32

// View is a sandbox after one commit: immutable, shared by any number of readers.
type View struct {
	SandboxID  string
	PublicName string
	CreatedAt  moment.Instant
	ExpiresAt  moment.Instant
	// ExtensionsLeft is how often the lease can still be extended.
	ExtensionsLeft int
	Version        uint64
	Summary        company.Summary
	Desk           desk.Summary
	// Sequence is the number of the newest event, LastEventAt its time.
	Sequence    uint64
	LastEventAt moment.Instant

	tables map[string]*Table
	// tableBytes are the bytes of the tables in memory.
	tableBytes int64
	// tail are the newest events, in order.
	tail []record.Event
	// nextDue is when something is next to happen, 0 when only a tick can
	// make it.
	nextDue moment.Instant
	// wakeAt is when the next step of its life is due, ended that its lease is
	// over for good.
	wakeAt moment.Instant
	ended  bool
	// client knows what clients do while the view lasts, nil for nothing, and minute is the newest moment of the
	// company that any view has shown.
	client *desk.Client
	minute *atomic.Int64
	// presence knows what clients do while the view lasts, nil for nothing.
	presence *presence
	// changed is closed when another view takes this one's place.
	changed chan struct{}
}

// Table is the rows of one kind in the order of their births.
type Table struct {
	Entries []*record.Entry
	// Version is the version of the newest commit that changed the visible rows
	// of the table, Removed that of the newest that took one away.
	Version, Removed uint64
}

// Table returns the rows of a kind. Unknown kinds have none.
func (v *View) Table(resource string) *Table {
	if t := v.tables[resource]; t != nil {
		return t
	}
	return &Table{}
}

// Row returns one row.
func (v *View) Row(resource, id string) (*record.Entry, bool) {
	t := v.Table(resource)
	for _, e := range slices.Backward(t.Entries) {
		if e.ID == id {
			return e, true
		}
	}
	return nil, false
}

// IDOf returns the id of the row with a number such as SO-1001. The numbers of a table count its rows. A number of no
// row comes back as it is.
func (v *View) IDOf(resource, number string) string {
	entries := v.Table(resource).Entries
	if len(entries) == 0 {
		return number
	}
	place := ordinalOf(number) - ordinalOf(NumberOf(entries[0]))
	if place < 0 || place >= len(entries) || NumberOf(entries[place]) != number {
		return number
	}
	return entries[place].ID
}

// NumberOf is the number of a row, such as SO-1001, "" for none.
func NumberOf(e *record.Entry) string {
	var row struct {
		Number string `json:"number"`
	}
	_ = json.Unmarshal(e.Row(), &row)
	return row.Number
}

// ordinalOf is the count in a number such as SO-1001, -1 for none.
func ordinalOf(number string) int {
	_, digits, _ := strings.Cut(number, "-")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1
	}
	return n
}

// Changed is closed when something newer than the view has been committed.
func (v *View) Changed() <-chan struct{} { return v.changed }

// Statuses of a sandbox (contract: OPEN.SANDBOX.STATUS).
const (
	Active   = "active"
	Expired  = "expired"
	Bankrupt = "bankrupt"
)

// Status returns the status at a time. A bankrupt company stays bankrupt when
// its lease ends.
func (v *View) Status(now moment.Instant) string {
	switch {
	case v.Summary.Bankrupt:
		return Bankrupt
	case v.ended || now >= v.ExpiresAt:
		return Expired
	default:
		return Active
	}
}

// ExpiresInSeconds is the rest of the lease, 0 when it is over.
func (v *View) ExpiresInSeconds(now moment.Instant) int64 {
	if v.ended {
		return 0
	}
	return max(0, int64(v.ExpiresAt-now)/1_000_000)
}

// Faults returns the faults to inject, nil for none.
func (v *View) Faults() *desk.Faults {
	if v.client == nil {
		return nil
	}
	f, _ := v.client.Faults()
	return f
}

// MinuteAt returns the in-world minute that the view shows at a wall time. It does
// not go back when the wall clock is set back.
func (v *View) MinuteAt(now moment.Instant) sim.Minute {
	minute := max(v.Summary.Now, v.Summary.Clock.Minute(min(now, v.ExpiresAt)))
	if v.minute == nil {
		return minute
	}
	for {
		newest := v.minute.Load()
		if int64(minute) <= newest {
			return sim.Minute(newest)
		}
		if v.minute.CompareAndSwap(newest, int64(minute)) {
			return minute
		}
	}
}

// ShownAt is the moment that a response from the view shows: the view has
// everything that happened up to then. A view that could not be brought up to
// the present, since the store takes nothing, ends before the steps that are
// due: a client that next asks for the changes since then misses nothing.
func (v *View) ShownAt(now moment.Instant) moment.Instant { return max(v.UpTo(now), v.LastEventAt) }

// Meta is the head of a response from the view at a moment, shown by a clock that is off by so much, with what the head
// has already. It is the one place where a response gets its day.
func (v *View) Meta(head wire.Meta, now moment.Instant, off time.Duration) wire.Meta {
	at := v.ShownAt(now)
	head.ServerTime, head.SimDate, head.ExpiresInS = at.Add(off), v.MinuteAt(at).Date(), v.ExpiresInSeconds(at)
	return head
}

// UpTo is the newest moment, at most now, up to which the view has everything
// that happened.
func (v *View) UpTo(now moment.Instant) moment.Instant {
	if !v.due(now) {
		return now
	}
	next := v.next()
	return min(now, max(next, moment.Microsecond)-moment.Microsecond)
}

func (v *View) due(now moment.Instant) bool {
	if pause := v.pausesAt(); pause > 0 && pause <= min(now, v.ExpiresAt) {
		return true
	}
	return v.nextDue > 0 && v.nextDue <= min(now, v.ExpiresAt) || !v.ended && v.wakeAt <= now
}

// with returns the view after a commit.
func (v *View) with(version uint64, changes *record.Changes, c *company.Company, d *desk.Desk) *View {
	next := *v
	next.Version = version
	next.changed = make(chan struct{})
	next.Summary, next.Desk = c.Summary(), d.Summary()
	next.nextDue, _ = c.NextDue()
	if len(changes.Rows) > 0 {
		next.tables = make(map[string]*Table, len(v.tables)+1)
		maps.Copy(next.tables, v.tables)
		for _, rows := range changes.Rows {
			table, bytes := v.Table(rows.Table).with(rows.Entries)
			next.tables[rows.Table] = table
			next.tableBytes += bytes
		}
	}
	if n := len(changes.Events); n > 0 {
		newest := changes.Events[n-1]
		next.Sequence, next.LastEventAt = newest.Sequence, newest.CreatedAt
		next.tail = appendTail(v.tail, changes.Events)
	}
	return &next
}

// with returns the table after a commit, and by how many bytes it has grown. Births
// are appended in place, beyond the end that older views know; changed rows make a
// copy, of which removed ones are no part.
func (t *Table) with(entries []*record.Entry) (next *Table, bytes int64) {
	all, copied, version, removed := t.Entries, false, t.Version, t.Removed
	for _, e := range entries {
		version = max(version, e.Version)
		at, known := e.Ordinal, e.Ordinal < len(all)
		if n := len(all); n > 0 && all[n-1].Ordinal >= n { // rows were removed
			at, known = record.Place(all, e.Ordinal)
		}
		if known {
			bytes -= sizeOf(all[at])
			if !copied {
				all, copied = slices.Clone(all), true
			}
		}
		switch {
		case e.Removed() && known:
			all, removed = slices.Delete(all, at, at+1), e.Version
			continue
		case e.Removed(): // it was born and removed within the commit
			continue
		case known:
			all[at] = e
		default:
			all = append(all, e) // births come in their order
		}
		bytes += sizeOf(e)
	}
	return &Table{Entries: all, Version: version, Removed: removed}, bytes
}

// Estimates of the bytes that parts of a sandbox take up in memory beside their
// JSON. They follow from measured heaps; TestMemoryIsCountedAsItIs compares.
const (
	companyBytes = 24 << 10
	entryBytes   = 450
	eventBytes   = 200
)

// sizeOf is the number of bytes that a row takes up in memory, with all that the
// company keeps of it.
func sizeOf(e *record.Entry) int64 { return entryBytes + int64(e.Bytes()) }

// size is the number of bytes that a view and its company take up in memory.
func (v *View) size() int64 {
	bytes := companyBytes + v.tableBytes
	for i := range v.tail {
		bytes += eventBytes + int64(len(v.tail[i].Body))
	}
	return bytes
}

// appendTail appends events and lets go of the oldest beyond the length that
// is kept.
func appendTail(tail, events []record.Event) []record.Event {
	if len(tail)+len(events) <= tailLength {
		return append(tail, events...)
	}
	all := slices.Concat(tail, events)
	return slices.Clone(all[max(0, len(all)-tailLength):])
}
