package rowtext_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"platen/internal/rowtext"
)

type parcel struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Weight int    `json:"weight"`
}

type secret struct {
	Weighed bool `json:"weighed,omitzero"`
}

// sheaf returns texts of parcels, every fifth with private state and every seventh of
// no row, and what they say.
func sheaf(n int) (texts []*rowtext.Text, want []string) {
	bundle := rowtext.NewSheaf(n)
	for i := range n {
		texts = append(texts, new(rowtext.Text))
		if i%7 == 0 {
			bundle.Skip()
			want = append(want, "|")
			continue
		}
		row := bundle.Add(&parcel{fmt.Sprintf("pcl_%d", i), "packed", i * i}, &secret{i%5 == 0})
		said := string(row) + "|"
		if i%5 == 0 {
			said += `{"weighed":true}`
		}
		want = append(want, said)
	}
	bundle.Bind(func(i int, p *rowtext.Place) { texts[i].Put(p) })
	return texts, want
}

func said(t *rowtext.Text) string {
	row, private := t.Read()
	return string(row) + "|" + string(private)
}

func loose(texts []*rowtext.Text) (found []*rowtext.Text) {
	for _, t := range texts {
		if t.IsLoose() {
			found = append(found, t)
		}
	}
	return found
}

func size(texts []*rowtext.Text) (bytes int) {
	for _, t := range texts {
		bytes += t.Bytes()
	}
	return bytes
}

// TestTextsSayTheSameWhereverTheyLie, to readers that go on while they are packed; and
// packed they take less memory. When most of a block was released, the rest is packed
// again.
func TestTextsSayTheSameWhereverTheyLie(t *testing.T) {
	t.Parallel()
	texts, want := sheaf(1000)
	var reading sync.WaitGroup
	packed := make(chan struct{})
	for range 4 {
		reading.Go(func() {
			for done := false; !done; {
				select {
				case <-packed:
					done = true
				default:
				}
				for i, text := range texts {
					if got := said(text); got != want[i] {
						t.Errorf("text %d says %s, it was %s", i, got, want[i])
						return
					}
				}
			}
		})
	}
	before := size(texts)
	if !rowtext.Pack(loose(texts)) {
		t.Error("nothing was packed")
	}
	if after := size(texts); after*2 > before {
		t.Errorf("they take %d bytes, they took %d", after, before)
	}
	var kept []*rowtext.Text
	for i, text := range texts {
		if i%4 > 0 {
			text.Release()
		} else {
			kept = append(kept, text)
		}
	}
	again := loose(kept)
	if len(again)*2 < len(kept) {
		t.Errorf("%d of %d are loose, of whose blocks three quarters were released", len(again), len(kept))
	}
	if !rowtext.Pack(again) {
		t.Error("nothing was packed again")
	}
	close(packed)
	reading.Wait()
}

// TestStoredTextsSayTheSame: loose texts and packed ones are stored together and read
// back.
func TestStoredTextsSayTheSame(t *testing.T) {
	t.Parallel()
	texts, want := sheaf(600)
	rowtext.Pack(loose(texts[:300]))
	var packing rowtext.Packing
	for _, text := range texts {
		packing.Add(text)
	}
	packing.Close()
	var stored []byte
	for _, b := range packing.Blocks {
		stored = b.AppendTo(stored)
	}
	blocks := make([]*rowtext.Block, len(packing.Blocks))
	for i := range blocks {
		var err error
		if blocks[i], stored, err = rowtext.ReadBlock(stored); err != nil {
			t.Fatal(err)
		}
	}
	if len(stored) > 0 {
		t.Errorf("%d bytes are left", len(stored))
	}
	for i, text := range texts {
		place := packing.AppendPlace(nil, text)
		if text.IsNone() {
			if !bytes.Equal(place, []byte{0}) {
				t.Errorf("no row lies at %v", place)
			}
			continue
		}
		again := read(t, blocks, place)
		if got := said(again); got != want[i] {
			t.Errorf("text %d says %s, it was %s", i, got, want[i])
		}
	}
}

// read returns the text at a stored place.
func read(t *testing.T, blocks []*rowtext.Block, place []byte) *rowtext.Text {
	t.Helper()
	var numbers [4]uint64
	r := bytes.NewReader(place)
	for i := range numbers {
		var err error
		if numbers[i], err = binary.ReadUvarint(r); err != nil {
			t.Fatal(err)
		}
	}
	p, err := blocks[numbers[0]-1].Place(uint32(numbers[1]), uint32(numbers[2]), uint32(numbers[3]))
	if err != nil {
		t.Fatal(err)
	}
	text := new(rowtext.Text)
	text.Put(&p)
	return text
}

// TestABlockThatIsNoneIsRefused: cut off, of an unknown kind, claiming too much, or
// asked for what it does not have; and what is no packed JSON is found by Check.
func TestABlockThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for _, stored := range []string{
		"", "\x00", "\x02\x00", "\x00\x05abc", "\x01\x06\xff\xff\xff\xff\x0f\x00", "\x01\x00",
	} {
		if _, _, err := rowtext.ReadBlock([]byte(stored)); !errors.Is(err, rowtext.ErrBlock) {
			t.Errorf("%q is read as a block: %v", stored, err)
		}
	}
	plain, rest, err := rowtext.ReadBlock([]byte("\x00\x05abcderest"))
	if err != nil || string(rest) != "rest" || plain.Check() != nil {
		t.Fatalf("%v, the rest is %q", err, rest)
	}
	for _, p := range [][3]uint32{{0, 6, 0}, {5, 1, 0}, {0, 0, 0}, {1 << 31, 1 << 31, 1 << 31}, {4, 1, 1}} {
		if _, err := plain.Place(p[0], p[1], p[2]); !errors.Is(err, rowtext.ErrBlock) {
			t.Errorf("a text is placed at %v: %v", p, err)
		}
	}
	damaged, _, err := rowtext.ReadBlock([]byte("\x01" + "\x04" + "\x08" + strings.Repeat("\xff", 3)))
	if err != nil || !errors.Is(damaged.Check(), rowtext.ErrBlock) {
		t.Errorf("what does not open is %v, and then %v", err, damaged.Check())
	}
}
