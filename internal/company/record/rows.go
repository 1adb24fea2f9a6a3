package record

import (
	"bytes"
	"errors"
	"fmt"

	"platen/internal/company/sim"
)

// Rows holds the rows of one kind in the order of their births, each with its
// private state. Rows that come from the store are decoded when they are first
// wanted.
type Rows struct {
	definition Definition
	kind       kind
	// slots are in the order of births. Places in it are those of births until rows are removed: see tidy.
	slots   []slot
	index   index
	touched []int
	// born counts the births, gone the removed rows that still have a slot.
	born, gone int
}

// kind knows the types of the rows. It takes and gives a *live[R, P] as any.
type kind struct {
	fresh  func() any
	parts  func(live any) (row Row, private any)
	copied func(live any) Row
	// filters returns the values of the filters, nil when there are none.
	filters func(live any) []string
}

type slot struct {
	// entry is the row as last flushed, nil before its first flush.
	entry *Entry
	// live is the row decoded, nil while nobody needs it.
	live any
	// ordinal is the row's place in the order of births.
	ordinal uint32
	touched bool
	removed bool
}

// Definition returns the fixed part of the table.
func (t *Rows) Definition() Definition { return t.definition }

// Len returns how many rows were born.
func (t *Rows) Len() int { return t.born }

// NextID returns the id that the next row will get when it brings none.
func (t *Rows) NextID(r *Recorder) string {
	return sim.ID(t.definition.Prefix, r.identity(t.definition.Prefix, t.born))
}

func (t *Rows) add(r *Recorder, live any) {
	row, _ := t.kind.parts(live)
	if row.RowID() == "" {
		row.head().ID = t.NextID(r)
	}
	stamp := r.stamp()
	*row.stamps() = Stamps{CreatedAt: stamp, UpdatedAt: stamp, CreatedOn: r.Date()}
	place := len(t.slots)
	t.slots = append(t.slots, slot{live: live, ordinal: uint32(t.born)})
	t.born++
	t.index.add(row.RowID(), place, t.idAt)
	t.touch(r, &t.slots[place], place)
}

// idAt returns the id of the row in a slot, "" for one that was removed.
func (t *Rows) idAt(place int) string {
	switch s := &t.slots[place]; {
	case s.removed:
		return ""
	case s.entry != nil:
		return s.entry.ID
	default:
		row, _ := t.kind.parts(s.live)
		return row.RowID()
	}
}

// find returns a row with its private state, nil when there is none with the id.
func (t *Rows) find(id string) any {
	place, ok := t.index.find(id, t.idAt)
	if !ok {
		return nil
	}
	return t.at(place)
}

// IDAt returns the id of the row with a place in the order of births, "" when there is none. It is for tables whose
// rows stay.
func (t *Rows) IDAt(ordinal int) string {
	if ordinal < 0 || ordinal >= len(t.slots) {
		return ""
	}
	return t.idAt(ordinal)
}

// Remove takes a row away, for good; no later row gets its id. It is for
// tables that lie beside the company. The row must exist.
func (t *Rows) Remove(r *Recorder, id string) {
	if !r.removes {
		panic(fmt.Sprintf("rows of %s stay", t.definition.Resource))
	}
	place := t.place(id)
	s := &t.slots[place]
	t.touch(r, s, place)
	s.live, s.removed = nil, true
	t.gone++
}

// edit returns a row with its private state to change, and notes that it was touched.
// Its stamp moves when public is set.
func (t *Rows) edit(r *Recorder, id string, public bool) (live any) {
	place := t.place(id)
	live = t.at(place)
	if public {
		row, _ := t.kind.parts(live)
		row.stamps().UpdatedAt = r.stamp()
	}
	t.touch(r, &t.slots[place], place)
	return live
}

// Ordinal returns a row's place in the order of births. The row must exist.
func (t *Rows) Ordinal(id string) int { return int(t.slots[t.place(id)].ordinal) }

// place returns the slot of a row. The row must exist.
func (t *Rows) place(id string) int {
	place, ok := t.index.find(id, t.idAt)
	if !ok {
		panic(fmt.Sprintf("no %s %q", t.definition.Resource, id))
	}
	return place
}

// at returns the row in a slot with its private state, nil for one that was removed.
func (t *Rows) at(place int) any {
	s := &t.slots[place]
	if s.live == nil && !s.removed {
		if err := t.decode(s); err != nil {
			panic(err) // our own bytes always decode
		}
	}
	return s.live
}

// decode makes the row and its private state from the stored form.
func (t *Rows) decode(s *slot) error {
	s.live = t.kind.fresh()
	intoRow, intoPrivate := t.kind.parts(s.live)
	return errors.Join(decode(s.entry.row, intoRow), decode(s.entry.private, intoPrivate))
}

func (t *Rows) touch(r *Recorder, s *slot, place int) {
	if !s.touched {
		s.touched = true
		r.touched = true
		t.touched = append(t.touched, place)
	}
}

// Flush adds the touched rows to the changes, encoded as entries of a version.
func (t *Rows) Flush(version uint64, to *Changes) {
	if len(t.touched) == 0 {
		return
	}
	entries := make([]*Entry, len(t.touched))
	for i, place := range t.touched {
		s := &t.slots[place]
		e := &Entry{Ordinal: int(s.ordinal), Version: version}
		if !s.removed {
			row, private := t.kind.parts(s.live)
			e.ID, e.Updated, e.Filters = row.RowID(), row.stamps().UpdatedAt, t.kind.filters(s.live)
			e.row, e.private = Encode(row), Encode(private)
			if s.entry != nil && bytes.Equal(s.entry.row, e.row) { // only private state changed
				e.Version, e.row = s.entry.Version, s.entry.row
			}
		}
		s.entry, s.touched, entries[i] = e, false, e
	}
	t.touched = t.touched[:0]
	to.Rows = append(to.Rows, TableRows{Table: t.definition.Resource, Layout: t.definition.Layout(), Entries: entries})
	if t.gone > 0 && t.gone*2 >= len(t.slots) {
		t.tidy()
	}
}

// tidy takes the slots of rows away that were removed, so that a table is as large as what it has and not as what it
// had. The newest slot stays, since it says which ordinal is the next. Nothing is touched.
func (t *Rows) tidy() {
	kept := make([]slot, 0, len(t.slots)-t.gone+1)
	for i := range t.slots {
		if s := &t.slots[i]; !s.removed || i == len(t.slots)-1 {
			kept = append(kept, *s)
		}
	}
	t.slots, t.index, t.gone = kept, newIndex(len(kept)), 0
	for place := range t.slots {
		if id := t.idAt(place); id != "" {
			t.index.add(id, place, t.idAt)
		} else {
			t.gone++
		}
	}
}

// DropDecoded forgets the decoded form of all rows that are flushed: pointers to rows
// must not outlive the command that took them.
func (t *Rows) DropDecoded() {
	for i := range t.slots {
		if s := &t.slots[i]; !s.touched {
			s.live = nil
		}
	}
}

// Forget drops the notes of touched rows without encoding anything: for
// measuring the simulation by itself. The table cannot be flushed any more.
func (t *Rows) Forget() {
	for _, place := range t.touched {
		t.slots[place].touched = false
	}
	t.touched = t.touched[:0]
}

// Touched calls yield for each row that the next flush would encode, with its
// place in the order of births and the values of its filter fields. The row is
// a copy, as clients read it. Rows that were removed are left out.
func (t *Rows) Touched(yield func(ordinal int, row Row, filters []string)) {
	for _, place := range t.touched {
		s := &t.slots[place]
		if !s.removed {
			yield(int(s.ordinal), t.kind.copied(s.live), t.kind.filters(s.live))
		}
	}
}

// Restore fills an empty table with stored entries in the order of births. Filter
// values that were stored in another layout than today's are computed anew.
func (t *Rows) Restore(rows TableRows) error {
	entries, current := rows.Entries, rows.Layout == t.definition.Layout()
	t.slots = make([]slot, len(entries))
	t.index = newIndex(len(entries))
	for i, e := range entries {
		if e.Ordinal < t.born || !t.definition.Removes && (e.Ordinal != i || e.Removed()) {
			return fmt.Errorf("table %s has a hole at %d", t.definition.Resource, i)
		}
		s := &t.slots[i]
		t.born, s.ordinal = e.Ordinal+1, uint32(e.Ordinal)
		if s.entry, s.removed = e, e.Removed(); s.removed {
			t.gone++
			continue
		}
		t.index.add(e.ID, i, t.idAt)
		if current {
			continue
		}
		if err := t.decode(s); err != nil {
			return err
		}
		e.Filters = t.kind.filters(s.live)
	}
	return nil
}

// Image returns every row as it was last flushed, in the order of births. Of those that were removed only the newest
// row of all has an entry.
func (t *Rows) Image() TableRows {
	entries := make([]*Entry, 0, len(t.slots)-t.gone+1)
	for i := range t.slots {
		if s := &t.slots[i]; !s.removed || i == len(t.slots)-1 {
			entries = append(entries, s.entry)
		}
	}
	return TableRows{Table: t.definition.Resource, Layout: t.definition.Layout(), Entries: entries}
}

// Entry returns the flushed form of a row, nil when it has none.
func (t *Rows) Entry(id string) *Entry {
	place, ok := t.index.find(id, t.idAt)
	if !ok {
		return nil
	}
	return t.slots[place].entry
}

// Check reports a row whose bytes differ from its present value: one that was
// changed without Edit.
func (t *Rows) Check() error {
	for i := range t.slots {
		s := &t.slots[i]
		if s.live == nil || s.touched || s.entry == nil {
			continue
		}
		row, private := t.kind.parts(s.live)
		if string(Encode(row)) != string(s.entry.row) || string(Encode(private)) != string(s.entry.private) {
			return fmt.Errorf("%s %s was changed behind the recorder", t.definition.Resource, s.entry.ID)
		}
	}
	return nil
}
