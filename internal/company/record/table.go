package record

import (
	"bytes"
	"errors"
	"fmt"

	"platen/internal/company/sim"
	"platen/internal/rowtext"
)

// Table holds the rows of one kind in the order of their births, each with
// its private state. Rows that come from the store are decoded when they are
// first wanted.
type Table[R, P any] struct {
	definition Definition
	filter     func(*R) []string
	values     func(*R, *P) []string
	slots      []slot[R, P]
	index      index
	touched    []int
}

type slot[R, P any] struct {
	// entry is the row as last flushed, nil before its first flush.
	entry *Entry
	// live is the row decoded, nil while nobody wants it.
	live    *live[R, P]
	touched bool
	removed bool
	// read is set for a row that was wanted since the last Relax.
	read bool
}

// live is a row with its private state.
type live[R, P any] struct {
	row     R
	private P
}

// NewTable returns an empty table. filter returns the values of the
// definition's filter fields; it may be nil when there are none.
func NewTable[R, P any](d Definition, filter func(*R) []string) *Table[R, P] {
	asRow(d, new(R))
	return &Table[R, P]{definition: d, filter: filter}
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
	l := &live[R, P]{row, private}
	meta := asRow(t.definition, &l.row)
	if meta.RowID() == "" {
		meta.head().ID = t.NextID(r)
	}
	stamp := r.stamp()
	*meta.stamps() = Stamps{CreatedAt: stamp, UpdatedAt: stamp, CreatedOn: r.Date()}
	ordinal := len(t.slots)
	t.slots = append(t.slots, slot[R, P]{live: l})
	t.index.add(meta.RowID(), ordinal, t.idAt)
	t.touch(r, &t.slots[ordinal], ordinal)
	return &l.row, &l.private
}

// idAt returns the id of the row with a place in the order of births, "" for one
// that was removed.
func (t *Table[R, P]) idAt(ordinal int) string {
	switch s := &t.slots[ordinal]; {
	case s.removed:
		return ""
	case s.entry != nil:
		return s.entry.ID
	default:
		return asRow(t.definition, &s.live.row).RowID()
	}
}

// Find returns a row to read, and false when there is none with the id. It
// must not be changed: Edit is for that.
func (t *Table[R, P]) Find(id string) (*R, bool) {
	ordinal, ok := t.index.find(id, t.idAt)
	if !ok {
		return nil, false
	}
	return &t.at(ordinal).row, true
}

// Nth returns the row with the given place in the order of births, to read.
func (t *Table[R, P]) Nth(ordinal int) (*R, bool) {
	if ordinal < 0 || ordinal >= len(t.slots) {
		return nil, false
	}
	if l := t.at(ordinal); l != nil {
		return &l.row, true
	}
	return nil, false
}

// Ordinal returns a row's place in the order of births. The row must exist.
func (t *Table[R, P]) Ordinal(id string) int { return t.mustIndex(id) }

// Private returns the private state of a row to read. The row must exist.
func (t *Table[R, P]) Private(id string) *P { return &t.at(t.mustIndex(id)).private }

// Edit returns a row and its private state to change, and notes that it was
// touched. The row must exist.
func (t *Table[R, P]) Edit(r *Recorder, id string) (*R, *P) {
	ordinal := t.mustIndex(id)
	l := t.at(ordinal)
	asRow(t.definition, &l.row).stamps().UpdatedAt = r.stamp()
	t.touch(r, &t.slots[ordinal], ordinal)
	return &l.row, &l.private
}

// All calls yield for each row in the order of births, to read.
func (t *Table[R, P]) All(yield func(*R, *P) bool) {
	for ordinal := range t.slots {
		if l := t.at(ordinal); l != nil && !yield(&l.row, &l.private) {
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
	s := &t.slots[ordinal]
	t.touch(r, s, ordinal)
	s.live, s.removed = nil, true
}

// EditPrivate returns the private state of a row to change. The public part of
// the row stays as it is, its updated_at and its version too. The row must
// exist.
func (t *Table[R, P]) EditPrivate(r *Recorder, id string) *P {
	ordinal := t.mustIndex(id)
	l := t.at(ordinal)
	t.touch(r, &t.slots[ordinal], ordinal)
	return &l.private
}

func (t *Table[R, P]) mustIndex(id string) int {
	ordinal, ok := t.index.find(id, t.idAt)
	if !ok {
		panic(fmt.Sprintf("no %s %q", t.definition.Resource, id))
	}
	return ordinal
}

// at returns a row with its private state, nil for one that was removed.
func (t *Table[R, P]) at(ordinal int) *live[R, P] {
	s := &t.slots[ordinal]
	s.read = true
	if s.live == nil && !s.removed {
		if err := s.decode(); err != nil {
			panic(err) // our own bytes always decode
		}
	}
	return s.live
}

// decode makes the row and its private state from the stored form.
func (s *slot[R, P]) decode() error {
	s.live = new(live[R, P])
	row, private := s.entry.text.Read()
	return errors.Join(decode(row, &s.live.row), decode(private, &s.live.private))
}

func (t *Table[R, P]) touch(r *Recorder, s *slot[R, P], ordinal int) {
	if !s.touched {
		s.touched, s.read = true, true
		r.touched = true
		t.touched = append(t.touched, ordinal)
	}
}

// Flush encodes the touched rows as entries of a version.
func (t *Table[R, P]) Flush(version uint64) []*Entry {
	if len(t.touched) == 0 {
		return nil
	}
	sheaf := rowtext.NewSheaf(len(t.touched))
	entries := make([]*Entry, len(t.touched))
	for i, ordinal := range t.touched {
		s, e := &t.slots[ordinal], new(Entry)
		t.flush(s, e, sheaf, ordinal, version)
		if s.entry != nil {
			s.entry.text.Release()
		}
		s.entry, s.touched, entries[i] = e, false, e
	}
	t.touched = t.touched[:0]
	sheaf.Bind(func(i int, p *rowtext.Place) { entries[i].text.Put(p) })
	return entries
}

// flush encodes a row as an entry, the next of a sheaf.
func (t *Table[R, P]) flush(s *slot[R, P], e *Entry, in *rowtext.Sheaf, ordinal int, version uint64) {
	e.Ordinal, e.Version = ordinal, version
	if s.removed {
		in.Skip()
		return
	}
	meta := asRow(t.definition, &s.live.row)
	e.ID, e.Updated, e.Filters = meta.RowID(), meta.stamps().UpdatedAt, t.filtersOf(s)
	row := in.Add(&s.live.row, &s.live.private)
	if s.entry != nil && bytes.Equal(s.entry.Row(), row) {
		e.Version = s.entry.Version // only private state changed
	}
}

// Relax forgets the decoded form of the rows that nothing has wanted since the
// last Relax: most rows are written, and seldom read by the company again. Pointers
// to rows must not outlive the command that took them. The entries of these rows are
// appended to loose, unless they are packed.
func (t *Table[R, P]) Relax(loose []*Entry) []*Entry {
	for i := range t.slots {
		s := &t.slots[i]
		if !s.read && !s.touched && s.entry != nil {
			s.live = nil
			if s.entry.text.IsLoose() {
				loose = append(loose, s.entry)
			}
		}
		s.read = false
	}
	return loose
}

// filtersOf returns the values of the filter fields, nil when there are none.
func (t *Table[R, P]) filtersOf(s *slot[R, P]) []string {
	switch {
	case t.values != nil:
		return t.values(&s.live.row, &s.live.private)
	case t.filter != nil:
		return t.filter(&s.live.row)
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
		s := &t.slots[ordinal]
		if s.removed {
			continue
		}
		row := s.live.row
		yield(ordinal, asRow(t.definition, &row), t.filtersOf(s))
	}
}

// Restore fills an empty table with stored entries in the order of births. Filter
// values that were stored in another layout than today's are computed anew.
func (t *Table[R, P]) Restore(rows TableRows) error {
	entries, current := rows.Entries, rows.Layout == t.definition.Layout()
	t.slots = make([]slot[R, P], len(entries))
	t.index = newIndex(len(entries))
	for i, e := range entries {
		if e == nil || e.Ordinal != i || e.Removed() && !t.definition.Beside {
			return fmt.Errorf("table %s has a hole at %d", t.definition.Resource, i)
		}
		s := &t.slots[i]
		if s.entry, s.removed = e, e.Removed(); s.removed {
			continue
		}
		t.index.add(e.ID, i, t.idAt)
		if current {
			continue
		}
		if err := s.decode(); err != nil {
			return err
		}
		e.Filters = t.filtersOf(s)
	}
	return nil
}

// Entries returns every row as it was last flushed, in the order of births.
func (t *Table[R, P]) Entries() []*Entry {
	entries := make([]*Entry, len(t.slots))
	for i := range t.slots {
		entries[i] = t.slots[i].entry
	}
	return entries
}

// Entry returns the flushed form of a row, nil when it has none.
func (t *Table[R, P]) Entry(id string) *Entry {
	ordinal, ok := t.index.find(id, t.idAt)
	if !ok {
		return nil
	}
	return t.slots[ordinal].entry
}

// Check reports a row whose bytes differ from its present value: one that was
// changed without Edit.
func (t *Table[R, P]) Check() error {
	for i := range t.slots {
		s := &t.slots[i]
		if s.live == nil || s.touched || s.entry == nil {
			continue
		}
		row, private := s.entry.text.Read()
		if string(encode(&s.live.row)) != string(row) || string(encode(&s.live.private)) != string(private) {
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
	Relax(loose []*Entry) []*Entry
	Touched(yield func(ordinal int, row Row, filters []string))
	Restore(rows TableRows) error
	Entries() []*Entry
	Entry(id string) *Entry
	Check() error
}
