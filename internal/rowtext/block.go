package rowtext

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"weak"

	"github.com/klauspost/compress/s2"
)

const (
	// blockBytes is how much JSON a packed block holds at least. A larger one is packed
	// better; a smaller one is opened faster.
	blockBytes = 8 << 10
	// maxExpands is the most bytes that a packed byte can expand to.
	maxExpands = 1024
)

// ErrBlock reports a block that is none.
var ErrBlock = errors.New("corrupt block")

// Block is the JSON of rows, one after the other, packed or as it is. It does not
// change.
type Block struct {
	data []byte
	// size is the number of bytes of the JSON, live how many of them were not
	// released; that one is the writer's.
	size, live uint32
	packed     bool

	// mu guards opened, the JSON of a packed block until the collector removes it.
	mu     sync.Mutex
	opened weak.Pointer[[]byte]
}

func newPlain(data []byte) *Block {
	return &Block{data: data, size: uint32(len(data)), live: uint32(len(data))}
}

// newPacked returns a block of JSON, of which it keeps nothing.
func newPacked(data []byte) *Block {
	b := &Block{size: uint32(len(data)), live: uint32(len(data)), packed: true}
	buffer := make([]byte, s2.MaxEncodedLen(len(data)))
	b.data = append([]byte(nil), s2.EncodeBetter(buffer, data)...)
	if len(b.data) >= len(data) {
		b.data, b.packed = append([]byte(nil), data...), false
	}
	return b
}

// open returns the JSON of the block.
func (b *Block) open() []byte {
	if !b.packed {
		return b.data
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if opened := b.opened.Value(); opened != nil {
		return *opened
	}
	data, err := b.expanded()
	if err != nil {
		panic(err) // what was read had the right sum
	}
	b.opened = weak.Make(&data)
	return data
}

func (b *Block) expanded() ([]byte, error) {
	data, err := s2.Decode(nil, b.data)
	if err != nil || len(data) != int(b.size) {
		return nil, fmt.Errorf("%w: one of %d bytes does not open", ErrBlock, b.size)
	}
	return data, nil
}

// Block is where the text lies, nil for none.
func (t *Text) Block() *Block {
	if p := t.place.Load(); p != nil {
		return p.block
	}
	return nil
}

// Check reports a block that does not open. It does not keep it open.
func (b *Block) Check() error {
	if !b.packed {
		return nil
	}
	_, err := b.expanded()
	return err
}

// Place returns a part of a block that was read, and counts it as wanted.
func (b *Block) Place(at, row, private uint32) (Place, error) {
	if uint64(at)+uint64(row)+uint64(private) > uint64(b.size) || row == 0 {
		return Place{}, fmt.Errorf("%w: it has no text at %d", ErrBlock, at)
	}
	b.live += row + private
	return Place{block: b, at: at, row: row, private: private}, nil
}

// AppendTo appends the stored form of a block.
func (b *Block) AppendTo(to []byte) []byte {
	flag := byte(0)
	if b.packed {
		flag = 1
	}
	return append(binary.AppendUvarint(append(to, flag), uint64(len(b.data))), b.data...)
}

// ReadBlock reads the stored form of a block, and returns the bytes behind it. The
// block shares the memory. Whether it opens is not known until Check.
func ReadBlock(from []byte) (b *Block, rest []byte, err error) {
	if len(from) < 1 || from[0] > 1 {
		return nil, nil, fmt.Errorf("%w: it has no flag", ErrBlock)
	}
	n, length := binary.Uvarint(from[1:])
	if length <= 0 || n > uint64(len(from)-1-length) {
		return nil, nil, fmt.Errorf("%w: it is cut off", ErrBlock)
	}
	data := from[1+length:]
	b = &Block{data: data[:n:n], size: uint32(n), packed: from[0] == 1}
	if b.packed {
		size, err := s2.DecodedLen(b.data)
		if err != nil || size > maxExpands*len(b.data) {
			return nil, nil, fmt.Errorf("%w: it cannot be expanded", ErrBlock)
		}
		b.size = uint32(size)
	}
	return b, data[n:], nil
}

// Pack moves texts into packed blocks, in their order. Readers may go on meanwhile.
// Texts that fill no block stay where they are. It reports whether any was filled.
func Pack(texts []*Text) (packed bool) {
	var filling Packing
	first := 0
	for i, t := range texts {
		if !filling.take(t) {
			continue
		}
		places := slices.Clone(filling.places) // without room to spare
		for j, moved := range texts[first : i+1] {
			moved.Release()
			moved.Put(&places[j])
		}
		first, filling = i+1, Packing{data: filling.data[:0], places: filling.places[:0]}
	}
	return first > 0
}

// Packing gathers the blocks of texts to be stored: those that they lie in, and packed
// ones for the loose.
type Packing struct {
	// Blocks are those to be stored, in their order.
	Blocks []*Block

	// numbers are the places of the blocks, from 1.
	numbers map[*Block]int
	// data is the JSON of the block that is being filled, places are the new ones of
	// the loose texts, in the order in which they were added; those from open on are in
	// that block.
	data   []byte
	places []Place
	open   int
}

// Add takes a text in.
func (p *Packing) Add(t *Text) {
	switch {
	case t.IsNone():
	case t.IsLoose():
		p.take(t)
	default:
		p.number(t.place.Load().block)
	}
}

// take takes a loose text in, and reports whether a block is full with it.
func (p *Packing) take(t *Text) bool {
	row, private := t.Read()
	p.places = append(p.places, Place{at: uint32(len(p.data)), row: uint32(len(row)), private: uint32(len(private))})
	p.data = append(append(p.data, row...), private...)
	if len(p.data) < blockBytes {
		return false
	}
	p.Close()
	return true
}

// Close ends the block that is being filled.
func (p *Packing) Close() {
	if p.open == len(p.places) {
		return
	}
	b := newPacked(p.data)
	p.number(b)
	for i := range p.places[p.open:] {
		p.places[p.open+i].block = b
	}
	p.open, p.data = len(p.places), p.data[:0]
}

// number gives a block its place, unless it has one.
func (p *Packing) number(b *Block) {
	if p.numbers == nil {
		p.numbers = map[*Block]int{}
	}
	if p.numbers[b] == 0 {
		p.Blocks = append(p.Blocks, b)
		p.numbers[b] = len(p.Blocks)
	}
}

// AppendPlace appends where a text lies: in which block, from 1, or 0 for none; from
// where on; and the lengths of its two parts. Texts come in the order in which they
// were added.
func (p *Packing) AppendPlace(b []byte, t *Text) []byte {
	if t.IsNone() {
		return append(b, 0)
	}
	place := *t.place.Load()
	if t.IsLoose() {
		place, p.places = p.places[0], p.places[1:]
	}
	b = binary.AppendUvarint(b, uint64(p.numbers[place.block]))
	b = binary.AppendUvarint(b, uint64(place.at))
	b = binary.AppendUvarint(b, uint64(place.row))
	return binary.AppendUvarint(b, uint64(place.private))
}
