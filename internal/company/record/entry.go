package record

import (
	"cmp"
	"slices"

	"platen/internal/words/moment"
)

// Entry is one row as it was flushed: immutable, shared by the company, its
// readers and the store.
type Entry struct {
	ID string
	// Ordinal is the row's place in the order of births, from 0.
	Ordinal int
	// Version is that of the commit that last changed a part of it that clients
	// read.
	Version uint64
	// Updated is the row's updated_at.
	Updated moment.Instant
	// Filters are the values of the table's filter fields, in the order of its
	// definition.
	Filters []string

	// row is the JSON that clients read, empty in an entry that holds the place of a row
	// that was removed; private is that of its private state, empty for none.
	row, private []byte
}

// Holding gives a new entry a copy of the JSON that clients read and of the JSON that
// they do not. It returns the entry.
func (e *Entry) Holding(row, private []byte) *Entry {
	both := slices.Concat(row, private)
	e.row, e.private = both[:len(row):len(row)], both[len(row):]
	return e
}

// Place returns where the entry with an ordinal is among entries in the order of births, or would be, and whether it is
// there. Ordinals are places until a row is removed. A client chooses the ordinal of a cursor, so it may be any number.
func Place(entries []*Entry, ordinal int) (place int, there bool) {
	if ordinal >= 0 && ordinal < len(entries) && entries[ordinal].Ordinal == ordinal {
		return ordinal, true
	}
	if n := len(entries); n == 0 || entries[n-1].Ordinal < ordinal {
		return n, false
	}
	return slices.BinarySearchFunc(entries, ordinal, func(e *Entry, o int) int { return cmp.Compare(e.Ordinal, o) })
}

// Row returns the JSON that clients read, empty for a row that was removed. It must
// not be changed.
func (e *Entry) Row() []byte { return e.row }

// Private returns the JSON that clients do not read, empty for none.
func (e *Entry) Private() []byte { return e.private }

// Removed reports whether the row is no longer there.
func (e *Entry) Removed() bool { return len(e.row) == 0 }

// Bytes is the number of bytes that its JSON takes up in memory.
func (e *Entry) Bytes() int { return len(e.row) + len(e.private) }

// Equal reports whether two entries say the same.
func (e *Entry) Equal(other *Entry) bool {
	if e == nil || other == nil {
		return e == other
	}
	return e.ID == other.ID && e.Ordinal == other.Ordinal && e.Version == other.Version &&
		e.Updated == other.Updated && slices.Equal(e.Filters, other.Filters) &&
		string(e.row) == string(other.row) && string(e.private) == string(other.private)
}
