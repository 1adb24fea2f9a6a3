package record

import (
	"slices"

	"platen/internal/moment"
	"platen/internal/rowtext"
)

// Entry is one row as it was flushed: immutable, shared by the company, its
// readers and the store. Only where its JSON lies changes: of a row that nobody has
// wanted for a while it is packed with that of others.
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

	// text is empty in an entry that holds the place of a row that was removed.
	text rowtext.Text
}

// Holding gives a new entry the JSON that clients read and the JSON that they do
// not. It returns the entry.
func (e *Entry) Holding(row, private []byte) *Entry {
	e.text.Set(row, private)
	return e
}

// Row returns the JSON that clients read, nil for a row that was removed. It must
// not be changed.
func (e *Entry) Row() []byte {
	row, _ := e.text.Read()
	return row
}

// Private returns the JSON that clients do not read, nil for none.
func (e *Entry) Private() []byte {
	_, private := e.text.Read()
	return private
}

// Removed reports whether the row is no longer there.
func (e *Entry) Removed() bool { return e.text.IsNone() }

// Bytes is the number of bytes that its JSON takes up in memory.
func (e *Entry) Bytes() int { return e.text.Bytes() }

// Equal reports whether two entries say the same, wherever their JSON lies.
func (e *Entry) Equal(other *Entry) bool {
	if e == nil || other == nil {
		return e == other
	}
	row, private := e.text.Read()
	otherRow, otherPrivate := other.text.Read()
	return e.ID == other.ID && e.Ordinal == other.Ordinal && e.Version == other.Version &&
		e.Updated == other.Updated && slices.Equal(e.Filters, other.Filters) &&
		string(row) == string(otherRow) && string(private) == string(otherPrivate)
}

// Pack lets the JSON of rows that Table.Relax has found take less memory, and reports
// whether any was moved for that.
func Pack(loose []*Entry) bool {
	texts := make([]*rowtext.Text, len(loose))
	for i, e := range loose {
		texts[i] = &e.text
	}
	return rowtext.Pack(texts)
}
