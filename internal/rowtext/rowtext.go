// Package rowtext has the JSON of rows: it writes it, and keeps it in memory. The
// JSON of a row that was just written lies in a block of its own, or in one with that
// of many others that were written with it. Of one that nobody has wanted for a while
// it moves into a packed block, which is opened when it is wanted.
//
// Texts are read by any number of goroutines, while one writes, packs and releases.
package rowtext

import (
	"slices"
	"sync/atomic"
)

// Text is the JSON of one row: what clients read, and behind it the private state,
// which they do not. It does not change once it is set; only where it lies does.
// The zero Text is that of no row.
type Text struct{ place atomic.Pointer[Place] }

// Place is where a text lies.
type Place struct {
	block            *Block
	at, row, private uint32
}

// Set gives an empty text its JSON, which is copied. Without a row it stays empty.
func (t *Text) Set(row, private []byte) {
	if len(row) == 0 {
		return
	}
	b := newPlain(slices.Concat(row, private))
	t.place.Store(&Place{block: b, row: uint32(len(row)), private: uint32(len(private))})
}

// Put gives an empty text its place.
func (t *Text) Put(p *Place) { t.place.Store(p) }

// IsNone reports whether the text is that of no row.
func (t *Text) IsNone() bool { return t.place.Load() == nil }

// Read returns the JSON of the row and of its private state, nil for none. It must not
// be changed.
func (t *Text) Read() (row, private []byte) {
	p := t.place.Load()
	if p == nil {
		return nil, nil
	}
	all := p.block.open()[p.at:]
	row = all[:p.row:p.row]
	if p.private > 0 {
		private = all[p.row : p.row+p.private : p.row+p.private]
	}
	return row, private
}

// Bytes is the number of bytes that the text takes up in memory.
func (t *Text) Bytes() int {
	p := t.place.Load()
	if p == nil {
		return 0
	}
	n := int(p.row + p.private)
	if p.block.packed {
		n = n * len(p.block.data) / int(p.block.size)
	}
	return n
}

// Release notes that the row was written anew: the text is no longer wanted.
func (t *Text) Release() {
	if p := t.place.Load(); p != nil {
		p.block.live -= min(p.block.live, p.row+p.private)
	}
}

// IsLoose reports whether the text should be packed: it was not, or most of its block
// was released.
func (t *Text) IsLoose() bool {
	p := t.place.Load()
	return p != nil && (!p.block.packed || p.block.live < p.block.size/2)
}

// Sheaf is texts that are made together, and lie in one block.
type Sheaf struct {
	places []Place
	n      int
	// buffer holds the JSON of the first n.
	buffer *[]byte
}

// NewSheaf returns a sheaf for n texts. It has to be bound.
func NewSheaf(n int) *Sheaf {
	buffer, _ := buffers.Get().(*[]byte)
	*buffer = (*buffer)[:0]
	return &Sheaf{places: make([]Place, n), buffer: buffer}
}

// Add encodes a row and its private state, which it is given pointers to, as the next
// text. It returns the JSON of the row until the next call.
func (s *Sheaf) Add(row, private any) []byte {
	at := len(*s.buffer)
	*s.buffer = Append(*s.buffer, row)
	end := len(*s.buffer)
	*s.buffer = Append(*s.buffer, private)
	s.places[s.n] = Place{at: uint32(at), row: uint32(end - at), private: uint32(len(*s.buffer) - end)}
	s.n++
	return (*s.buffer)[at:end]
}

// Skip makes the next text that of no row.
func (s *Sheaf) Skip() { s.n++ }

// sharedFrom is the number of texts from which on a sheaf is one block. Of a few rows
// some are soon written anew, and the JSON of all would be kept for the others.
const sharedFrom = 16

// Bind gives the texts their places, in one block when they are many, and calls yield
// for each that is one of a row.
func (s *Sheaf) Bind(yield func(i int, p *Place)) {
	defer buffers.Put(s.buffer)
	if len(s.places) < sharedFrom {
		for i, p := range s.places {
			if p.row > 0 {
				own := newPlain(slices.Clone((*s.buffer)[p.at:][:p.row+p.private]))
				yield(i, &Place{block: own, row: p.row, private: p.private})
			}
		}
		return
	}
	b := newPlain(slices.Clone(*s.buffer))
	for i := range s.places {
		if p := &s.places[i]; p.row > 0 {
			p.block = b
			yield(i, p)
		}
	}
}
