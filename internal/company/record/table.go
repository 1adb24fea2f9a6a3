package record

import (
	"bytes"
	"errors"
	"fmt"

	"platen/internal/company/sim"
)

// Table holds the rows of one kind in the order of their births, each with
// its private state. Rows that come from the store are decoded when they are
// first wanted.
type Table[R, P any] struct {
	definition Definition
	filter     func(*R) []string
	values     func(*R, *P) []string
	slots      []*slot[R, P]
	index      map[string]int
	touched    []int
}

type slot[R, P any] struct {
	// entry is the row as last flushed, nil before its first flush.
	entry   *Entry
	row     *R
	private *P
	touched bool
	removed bool
	// read is set for a row that was wanted since the last Relax.
	read bool
}

// NewTable returns an empty table. filter returns the values of the
// definition's filter fields; it may be nil when there are none.
func NewTable[R, P any](d Definition, filter func(*R) []string) *Table[R, P] {
	asRow(d, new(R))
	return &Table[R, P]{definition: d, filter: filter, index: map[string]int{}}
}

func asRow(d Definition, row any) Row {
	r, ok := row.(Row)
	if !ok {
		panic(fmt.Sprintf("rows of %s do not embed Head and Stamps", d.Resource))
	}
	return r
}

// FilteredBy lets the values of the filter fields come from a row and its
// private state. It returns the table.
func (t *Table[R, P]) FilteredBy(values func(*R, *P) []string) *Table[R, P] {
	t.values = values
	return t
}

// Definition returns the fixed part of the table.
func (t *Table[R, P]) Definition() Definition { return t.definition }

// Len returns how many rows there are.
func (t *Table[R, P]) Len() int { return len(t.slots) }

// NextID returns the id that the next row will get when it brings none.
func (t *Table[R, P]) NextID(r *Recorder) string {
	if t.definition.Beside {
		return sim.ID(t.definition.Prefix, sim.Mix(sim.Mix(r.uid^sim.Hash(t.definition.Prefix))^uint64(len(t.slots))))
	}
	return sim.ID(t.definition.Prefix, r.identity(t.definition.Prefix, len(t.slots)))
}

// Add adds a row. It gets an id unless it brings one, and its
// stamps. The caller still has to move its status by Recorder.Born.
func (t *Table[R, P]) Add(r *Recorder, row R, private P) (*R, *P) {
	s := &slot[R, P]{row: &row, private: &private}
	meta := asRow(t.definition, s.row)
	if meta.RowID() == "" {
		meta.head().ID = t.NextID(r)
	}
	stamp := r.stamp()
	*meta.stamps() = Stamps{CreatedAt: stamp, UpdatedAt: stamp, CreatedOn: r.Date()}
	ordinal := len(t.slots)
	t.slots = append(t.slots, s)
	t.index[meta.RowID()] = ordinal
	t.touch(r, s, ordinal)
	return s.row, s.private
}

// Find returns a row to read, and false when there is none with the id. It
// must not be changed: Edit is for that.
func (t *Table[R, P]) Find(id string) (*R, bool) {
	ordinal, ok := t.index[id]
	if !ok {
		return nil, false
	}
	return t.at(ordinal).row, true
}

// Nth returns the row with the given place in the order of births, to read.
func (t *Table[R, P]) Nth(ordinal int) (*R, bool) {
	if ordinal < 0 || ordinal >= len(t.slots) {
		return nil, false
	}
	row := t.at(ordinal).row
	return row, row != nil
}

// Ordinal returns a row's place in the order of births. The row must exist.
func (t *Table[R, P]) Ordinal(id string) int { return t.mustIndex(id) }

// Private returns the private state of a row to read. The row must exist.
func (t *Table[R, P]) Private(id string) *P { return t.at(t.mustIndex(id)).private }

// Edit returns a row and its private state to change, and notes that it was
// touched. The row must exist.
func (t *Table[R, P]) Edit(r *Recorder, id string) (*R, *P) {
	ordinal := t.mustIndex(id)
	s := t.at(ordinal)
	asRow(t.definition, s.row).stamps().UpdatedAt = r.stamp()
	t.touch(r, s, ordinal)
	return s.row, s.private
}

// All calls yield for each row in the order of births, to read.
func (t *Table[R, P]) All(yield func(*R, *P) bool) {
	for ordinal := range t.slots {
		s := t.at(ordinal)
		if !s.removed && !yield(s.row, s.private) {
			return
		}
	}
}

// Remove takes a row away, for good; no later row gets its id. It is for
// tables that are kept beside the company. The row must exist.
func (t *Table[R, P]) Remove(r *Recorder, id string) {
	if !t.definition.Beside {
		panic(fmt.Sprintf("rows of %s stay", t.definition.Resource))
	}
	ordinal := t.mustIndex(id)
	s := t.slots[ordinal]
	t.touch(r, s, ordinal)
	s.row, s.private, s.removed = nil, nil, true
	delete(t.index, id)
}

// EditPrivate returns the private state of a row to change. The public part of
// the row stays as it is, its updated_at and its version too. The row must
// exist.
func (t *Table[R, P]) EditPrivate(r *Recorder, id string) *P {
	ordinal := t.mustIndex(id)
	s := t.at(ordinal)
	t.touch(r, s, ordinal)
	return s.private
}

func (t *Table[R, P]) mustIndex(id string) int {
	ordinal, ok := t.index[id]
	if !ok {
		panic(fmt.Sprintf("no %s %q", t.definition.Resource, id))
	}
	return ordinal
}

func (t *Table[R, P]) at(ordinal int) *slot[R, P] {
	s := t.slots[ordinal]
	s.read = true
	if s.row == nil && !s.removed {
		if err := s.decode(); err != nil {
			panic(err) // our own bytes always decode
		}
	}
	return s
}

// decode makes the row and its private state from the stored form.
func (s *slot[R, P]) decode() error {
	s.row, s.private = new(R), new(P)
	return errors.Join(decode(s.entry.Row, s.row), decode(s.entry.Private, s.private))
}

func (t *Table[R, P]) touch(r *Recorder, s *slot[R, P], ordinal int) {
	if !s.touched {
		s.touched = true
		r.touched = true
		t.touched = append(t.touched, ordinal)
	}
}

// Flush encodes the touched rows as entries of a version.
func (t *Table[R, P]) Flush(version uint64) []*Entry {
	if len(t.touched) == 0 {
		return nil
	}
	entries := make([]*Entry, len(t.touched))
	for i, ordinal := range t.touched {
		s := t.slots[ordinal]
		if s.removed {
			s.entry, s.touched = &Entry{Ordinal: ordinal, Version: version}, false
			entries[i] = s.entry
			continue
		}
		meta := asRow(t.definition, s.row)
		e := &Entry{
			ID: meta.RowID(), Ordinal: ordinal, Version: version, Updated: meta.stamps().UpdatedAt, Row: encode(s.row),
			Private: encode(s.private),
		}
		e.Filters = t.filtersOf(s)
		if s.entry != nil && bytes.Equal(s.entry.Row, e.Row) {
			e.Version, e.Row = s.entry.Version, s.entry.Row // only private state changed
		}
		s.entry, s.touched = e, false
		entries[i] = e
	}
	t.touched = t.touched[:0]
	return entries
}

// Relax forgets the decoded form of the rows that nothing has wanted since the
// last Relax: most rows are written, and seldom read by the company again. Pointers
// to rows must not outlive the command that took them.
func (t *Table[R, P]) Relax() {
	for _, s := range t.slots {
		if !s.read && !s.touched && s.entry != nil {
			s.row, s.private = nil, nil
		}
		s.read = false
	}
}

// filtersOf returns the values of the filter fields, nil when there are none.
func (t *Table[R, P]) filtersOf(s *slot[R, P]) []string {
	switch {
	case t.values != nil:
		return t.values(s.row, s.private)
	case t.filter != nil:
		return t.filter(s.row)
	default:
		return nil
	}
}

// Forget drops the notes of touched rows without encoding anything: for
// measuring the simulation by itself. The table cannot be flushed any more.
func (t *Table[R, P]) Forget() {
	for _, ordinal := range t.touched {
		t.slots[ordinal].touched = false
	}
	t.touched = t.touched[:0]
}

// Touched calls yield for each row that the next flush would encode, with its
// place in the order of births and the values of its filter fields. The row is
// a copy, as clients read it. Rows that were removed are left out.
func (t *Table[R, P]) Touched(yield func(ordinal int, row Row, filters []string)) {
	for _, ordinal := range t.touched {
		s := t.slots[ordinal]
		if s.removed {
			continue
		}
		row := *s.row
		yield(ordinal, asRow(t.definition, &row), t.filtersOf(s))
	}
}

// Restore fills an empty table with stored entries in the order of births. Filter
// values that were stored in another layout than today's are computed anew.
func (t *Table[R, P]) Restore(rows TableRows) error {
	entries, current := rows.Entries, rows.Layout == t.definition.Layout()
	t.slots = make([]*slot[R, P], len(entries))
	slots := make([]slot[R, P], len(entries))
	t.index = make(map[string]int, len(entries))
	for i, e := range entries {
		if e == nil || e.Ordinal != i || e.Removed() && !t.definition.Beside {
			return fmt.Errorf("table %s has a hole at %d", t.definition.Resource, i)
		}
		slots[i].entry = e
		t.slots[i] = &slots[i]
		if slots[i].removed = e.Removed(); !slots[i].removed {
			t.index[e.ID] = i
		}
		if current || e.Removed() {
			continue
		}
		if err := slots[i].decode(); err != nil {
			return err
		}
		e.Filters = t.filtersOf(&slots[i])
	}
	return nil
}

// Entries returns every row as it was last flushed, in the order of births.
func (t *Table[R, P]) Entries() []*Entry {
	entries := make([]*Entry, len(t.slots))
	for i, s := range t.slots {
		entries[i] = s.entry
	}
	return entries
}

// Entry returns the flushed form of a row, nil when it has none.
func (t *Table[R, P]) Entry(id string) *Entry {
	ordinal, ok := t.index[id]
	if !ok {
		return nil
	}
	return t.slots[ordinal].entry
}

// Check reports a row whose bytes differ from its present value: one that was
// changed without Edit.
func (t *Table[R, P]) Check() error {
	for _, s := range t.slots {
		if s.row == nil || s.touched || s.entry == nil {
			continue
		}
		if string(encode(s.row)) != string(s.entry.Row) || string(encode(s.private)) != string(s.entry.Private) {
			return fmt.Errorf("%s %s was changed behind the recorder", t.definition.Resource, s.entry.ID)
		}
	}
	return nil
}

// Keeper is a table without its types: the methods by which the company stores
// and restores all of them alike.
type Keeper interface {
	Definition() Definition
	Len() int
	Flush(version uint64) []*Entry
	Forget()
	Relax()
	Touched(yield func(ordinal int, row Row, filters []string))
	Restore(rows TableRows) error
	Entries() []*Entry
	Entry(id string) *Entry
	Check() error
}
