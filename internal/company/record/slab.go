package record

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"platen/internal/company/sim"
	"platen/internal/words/moment"
)

// A slab is the stored form of changes and images: lengths and bytes one
// after the other, so that loading a company costs little more than reading it.
// Numbers are unsigned varints, texts and bodies carry their length in front. The
// format has no version of its own: package commitlog writes one before it.

// maxRows bounds the rows of one table: far more than a sandbox's life can
// bring, and few enough that a corrupt ordinal cannot exhaust the memory.
const maxRows = 1 << 24

// ErrCorrupt reports a slab that is not one.
var ErrCorrupt = errors.New("corrupt slab")

// AppendChanges appends the stored form of a commit's changes.
func AppendChanges(b []byte, c *Changes) []byte {
	b = appendTables(b, c.Rows)
	b = appendTimers(b, c.Set)
	b = binary.AppendUvarint(b, uint64(len(c.Fired)))
	for _, sequence := range c.Fired {
		b = binary.AppendUvarint(b, sequence)
	}
	b = appendPosition(appendBytes(appendBytes(b, c.State), c.Desk), c.Feed)
	b = binary.AppendUvarint(b, uint64(len(c.Events)))
	for i := range c.Events {
		e := &c.Events[i]
		b = binary.AppendUvarint(b, e.Sequence)
		b = appendString(b, e.ID)
		b = appendString(b, e.Type)
		b = binary.AppendUvarint(b, uint64(e.CreatedAt))
		b = appendBytes(b, e.Body)
	}
	return b
}

// ReadChanges reads the output of AppendChanges and returns the rest. Events and state
// share the memory of b. Rows have their own: one of them would keep the events in memory.
func ReadChanges(b []byte) (Changes, []byte, error) {
	r := reader{rest: b}
	c := Changes{Rows: r.tables(), Set: r.timers()}
	for _, rows := range c.Rows {
		for _, e := range rows.Entries {
			e.Holding(e.row, e.private)
		}
	}
	c.Fired = make([]uint64, r.count())
	for i := range c.Fired {
		c.Fired[i] = r.number()
	}
	c.State, c.Desk, c.Feed = r.bytes(), r.bytes(), r.position()
	c.Events = make([]Event, r.count())
	for i := range c.Events {
		c.Events[i] = Event{
			Sequence: r.number(), ID: r.text(), Type: r.text(), CreatedAt: moment.Instant(r.number()), Body: r.bytes(),
		}
	}
	return c, r.rest, r.err
}

// AppendImage appends the stored form of a whole company.
func AppendImage(b []byte, m *Image) []byte {
	b = appendTables(b, m.Tables)
	b = appendTimers(b, m.Timers)
	return appendPosition(appendBytes(appendBytes(b, m.State), m.Desk), m.Feed)
}

// ReadImage reads the output of AppendImage and returns the rest. Rows and state share
// the memory of b, most of which is rows.
func ReadImage(b []byte) (Image, []byte, error) {
	r := reader{rest: b}
	m := Image{Tables: r.tables(), Timers: r.timers(), State: r.bytes(), Desk: r.bytes(), Feed: r.position()}
	return m, r.rest, r.err
}

// Apply brings an image forward by one commit's changes.
func (m *Image) Apply(c *Changes) {
	for _, rows := range c.Rows {
		table := m.table(rows)
		for _, e := range rows.Entries {
			at, known := Place(table.Entries, e.Ordinal)
			if known {
				table.Entries[at] = e
			} else {
				table.Entries = slices.Insert(table.Entries, at, e)
			}
		}
	}
	if len(c.Fired) > 0 {
		fired := make(map[uint64]bool, len(c.Fired))
		for _, sequence := range c.Fired {
			fired[sequence] = true
		}
		kept := m.Timers[:0]
		for _, t := range m.Timers {
			if !fired[t.Sequence] {
				kept = append(kept, t)
			}
		}
		m.Timers = kept
	}
	m.Timers = append(m.Timers, c.Set...)
	m.State, m.Desk, m.Feed = c.State, c.Desk, c.Feed
}

// table returns the table that rows belong to. Its layout becomes unknown when
// theirs is another: a later program wrote them.
func (m *Image) table(rows TableRows) *TableRows {
	for i := range m.Tables {
		if t := &m.Tables[i]; t.Table == rows.Table {
			if t.Layout != rows.Layout {
				t.Layout = 0
			}
			return t
		}
	}
	m.Tables = append(m.Tables, TableRows{Table: rows.Table, Layout: rows.Layout})
	return &m.Tables[len(m.Tables)-1]
}

// appendTables appends tables with their rows.
func appendTables(b []byte, tables []TableRows) []byte {
	b = binary.AppendUvarint(b, uint64(len(tables)))
	for _, t := range tables {
		b = appendString(b, t.Table)
		b = binary.AppendUvarint(b, uint64(t.Layout))
		b = binary.AppendUvarint(b, uint64(len(t.Entries)))
		for _, e := range t.Entries {
			b = appendString(b, e.ID)
			b = binary.AppendUvarint(b, uint64(e.Ordinal))
			b = binary.AppendUvarint(b, e.Version)
			b = binary.AppendUvarint(b, uint64(e.Updated))
			b = binary.AppendUvarint(b, uint64(len(e.Filters)))
			for _, value := range e.Filters {
				b = appendString(b, value)
			}
			b = appendBytes(appendBytes(b, e.row), e.private)
		}
	}
	return b
}

func appendTimers(b []byte, timers []sim.Timer) []byte {
	b = binary.AppendUvarint(b, uint64(len(timers)))
	for _, t := range timers {
		b = binary.AppendUvarint(b, uint64(t.Due))
		b = append(b, byte(t.Class))
		b = binary.AppendUvarint(b, t.Sequence)
		b = appendString(b, t.Kind)
		b = appendString(b, t.Ref)
		b = binary.AppendVarint(b, t.Index)
	}
	return b
}

func appendPosition(b []byte, p Position) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, p.Sequence), uint64(p.At))
}

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func appendBytes(b, v []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(v)))
	return append(b, v...)
}

// reader reads a slab. After the first mistake everything reads as empty and
// err is set.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail() {
	r.err, r.rest = ErrCorrupt, nil
}

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// count reads how many items follow. Each takes at least a byte, which bounds
// the memory that a corrupt slab can make us allocate.
func (r *reader) count() int {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) bytes() []byte {
	n := r.count()
	if n == 0 {
		return nil
	}
	v := r.rest[:n:n]
	r.rest = r.rest[n:]
	return v
}

func (r *reader) text() string { return string(r.bytes()) }

func (r *reader) octet() byte {
	if len(r.rest) == 0 {
		r.fail()
		return 0
	}
	v := r.rest[0]
	r.rest = r.rest[1:]
	return v
}

func (r *reader) signed() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *reader) tables() []TableRows {
	tables := make([]TableRows, r.count())
	for i := range tables {
		tables[i].Table, tables[i].Layout = r.text(), r.layout()
		n := r.count()
		tables[i].Entries = make([]*Entry, n)
		entries := make([]Entry, n)
		for j := range entries {
			r.entry(&entries[j])
			tables[i].Entries[j] = &entries[j]
		}
	}
	return tables
}

// layout reads that of a table's rows.
func (r *reader) layout() uint32 {
	n := r.number()
	if n > math.MaxUint32 {
		r.fail()
		return 0
	}
	return uint32(n)
}

func (r *reader) entry(e *Entry) {
	e.ID, e.Ordinal, e.Version, e.Updated = r.text(), r.ordinal(), r.number(), moment.Instant(r.number())
	if n := r.count(); n > 0 {
		e.Filters = make([]string, n)
		for i := range e.Filters {
			e.Filters[i] = r.text()
		}
	}
	e.row, e.private = r.bytes(), r.bytes()
}

func (r *reader) position() Position {
	return Position{Sequence: r.number(), At: moment.Instant(r.number())}
}

func (r *reader) ordinal() int {
	n := r.number()
	if n >= maxRows {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) timers() []sim.Timer {
	timers := make([]sim.Timer, r.count())
	for i := range timers {
		timers[i] = sim.Timer{
			Due: sim.Minute(r.number()), Class: sim.Class(r.octet()), Sequence: r.number(),
			Kind: r.text(), Ref: r.text(), Index: r.signed(),
		}
	}
	return timers
}
