package record

import "fmt"

// Table is the typed handle of the rows of one kind: R as clients read it, P its
// private state. Every package that names a company compiles each method of each
// table anew, so a handle has only those that return types; the rest are methods of
// its Rows (ADR 2).
type Table[R, P any] struct {
	// Rows are the rows without their types.
	Rows *Rows
}

// live is a row with its private state. It cannot be compared, so that no package
// compiles how.
type live[R, P any] struct {
	_       [0]func()
	row     R
	private P
}

// Filter is a value by which a list may be filtered.
type Filter[R, P any] struct {
	Name string
	// Of returns the value of a row, Private that of its private state: one of them is set.
	Of      func(*R) string
	Private func(*P) string
	// Date is set where the values are dates.
	Date bool
}

// NewTable returns an empty table, whose lists have the filters.
func NewTable[R, P any](d Definition, filters []Filter[R, P]) *Table[R, P] {
	for _, f := range filters {
		if d.Filters = append(d.Filters, f.Name); f.Date {
			d.Dates = append(d.Dates, f.Name)
		}
	}
	k := kind{
		fresh: func() any { return new(live[R, P]) },
		parts: func(l any) (Row, any) {
			it, _ := l.(*live[R, P])
			row, _ := any(&it.row).(Row)
			return row, &it.private
		},
		copied: func(l any) Row {
			it, _ := l.(*live[R, P])
			own := it.row
			row, _ := any(&own).(Row)
			return row
		},
		filters: func(l any) []string {
			if len(filters) == 0 {
				return nil
			}
			it, _ := l.(*live[R, P])
			values := make([]string, len(filters))
			for i, f := range filters {
				if f.Private != nil {
					values[i] = f.Private(&it.private)
				} else {
					values[i] = f.Of(&it.row)
				}
			}
			return values
		},
	}
	if _, ok := any(new(R)).(Row); !ok {
		panic(fmt.Sprintf("rows of %s do not embed Head and Stamps", d.Resource))
	}
	return &Table[R, P]{&Rows{definition: d, kind: k}}
}

// Add adds a row. It gets an id unless it brings one, and its
// stamps. The caller still has to move its status by Recorder.Born.
func (t *Table[R, P]) Add(r *Recorder, row R, private P) (*R, *P) {
	l := &live[R, P]{row: row, private: private}
	t.Rows.add(r, l)
	return &l.row, &l.private
}

// Find returns a row to read, and false when there is none with the id. It
// must not be changed: Edit is for that.
func (t *Table[R, P]) Find(id string) (*R, bool) {
	l, ok := t.Rows.find(id).(*live[R, P])
	if !ok {
		return nil, false
	}
	return &l.row, true
}

// Edit returns a row and its private state to change, and notes that it was
// touched. The row must exist.
func (t *Table[R, P]) Edit(r *Recorder, id string) (*R, *P) {
	l, _ := t.Rows.edit(r, id, true).(*live[R, P])
	return &l.row, &l.private
}

// All calls yield for each row in the order of births, to read.
func (t *Table[R, P]) All(yield func(*R, *P) bool) {
	for ordinal := range t.Rows.slots {
		if l, ok := t.Rows.at(ordinal).(*live[R, P]); ok && !yield(&l.row, &l.private) {
			return
		}
	}
}

// Private returns the private state of a row to read. The row must exist.
func Private[R, P any](t *Table[R, P], id string) *P {
	l, _ := t.Rows.at(t.Rows.place(id)).(*live[R, P])
	return &l.private
}

// EditPrivate returns the private state of a row to change. The public part of
// the row stays as it is, its updated_at and its version too. The row must
// exist.
func EditPrivate[R, P any](t *Table[R, P], r *Recorder, id string) *P {
	l, _ := t.Rows.edit(r, id, false).(*live[R, P])
	return &l.private
}
