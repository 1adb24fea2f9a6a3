package record_test

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"platen/internal/company/record"
	"platen/internal/company/sim"
)

// someChanges has every kind of value, the largest and the emptiest.
func someChanges() record.Changes {
	return record.Changes{
		Rows: []record.TableRows{
			{Table: "sales_order", Layout: math.MaxUint32, Entries: []*record.Entry{
				(&record.Entry{
					ID: "so_1", Ordinal: 0, Version: 3, Updated: 1 << 50, Filters: []string{"received", "", "ü"},
				}).Holding([]byte(`{"id":"so_1"}`), nil),
				(&record.Entry{ID: "so_2", Ordinal: 1, Version: 3, Updated: 1}).
					Holding([]byte(`{}`), []byte(`{"accepted":true}`)),
				{Ordinal: 2, Version: 4},
			}},
			{Table: "", Entries: []*record.Entry{}},
		},
		Set: []sim.Timer{{Due: 480, Class: 255, Sequence: math.MaxUint64, Kind: "day.opens", Ref: "so_1",
			Index: math.MinInt64}, {}},
		Fired: []uint64{0, 1, math.MaxUint64},
		State: []byte(`{"now":7}`),
		Events: []record.Event{
			{Sequence: 1, ID: "evt_1", Type: "office.sales_order.received", CreatedAt: 1 << 50,
				Body: []byte(`{"id":"evt_1"}`)},
			{},
		},
	}
}

func TestChangesSurviveStorage(t *testing.T) {
	t.Parallel()
	want := someChanges()
	stored := record.AppendChanges([]byte("before"), &want)
	got, rest, err := record.ReadChanges(append(stored, "after"...)[len("before"):])
	if err != nil || string(rest) != "after" {
		t.Fatalf("read back: %v, the rest is %q", err, rest)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what was stored differs (-want +got):\n%s", diff)
	}
}

func TestImagesSurviveStorage(t *testing.T) {
	t.Parallel()
	c := someChanges()
	want := record.Image{Tables: c.Rows, Timers: c.Set, State: c.State}
	got, rest, err := record.ReadImage(record.AppendImage(nil, &want))
	if err != nil || len(rest) > 0 {
		t.Fatalf("read back: %v, the rest is %q", err, rest)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what was stored differs (-want +got):\n%s", diff)
	}
}

// TestEveryCutSlabIsCorrupt: a slab that ends too early is never taken for a
// shorter one.
func TestEveryCutSlabIsCorrupt(t *testing.T) {
	t.Parallel()
	c := someChanges()
	m := record.Image{Tables: c.Rows, Timers: c.Set, State: c.State}
	changes := record.AppendChanges(nil, &c)
	image := record.AppendImage(nil, &m)
	for n := range len(changes) {
		if _, _, err := record.ReadChanges(changes[:n]); err == nil {
			t.Errorf("the first %d of %d bytes of changes are taken for changes", n, len(changes))
		}
	}
	for n := range len(image) {
		if _, _, err := record.ReadImage(image[:n]); err == nil {
			t.Errorf("the first %d of %d bytes of an image are taken for an image", n, len(image))
		}
	}
}

// bytesPerByte is how much memory a byte of a slab may cost at most: an entry
// takes a hundred times the byte that a corrupt slab can claim it with.
const bytesPerByte = 256

// bounded runs a reader and fails when it allocates out of proportion. It
// counts for the whole process, which is why tests that use it are not run in
// parallel, and has room for what the fuzzer does besides.
func bounded(t *testing.T, slab []byte, read func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read()
	runtime.ReadMemStats(&after)
	if used, most := after.TotalAlloc-before.TotalAlloc, uint64(8<<20+bytesPerByte*len(slab)); used > most {
		t.Errorf("%d bytes were allocated for a slab of %d, the most is %d", used, len(slab), most)
	}
}

// FuzzReadChanges: whatever bytes come, the reader neither panics nor allocates
// out of proportion, and what it accepts it also writes.
func FuzzReadChanges(f *testing.F) {
	c := someChanges()
	f.Add(record.AppendChanges(nil, &c))
	f.Add(record.AppendChanges(nil, &record.Changes{}))
	f.Add(bytes.Repeat([]byte{0xff}, 40))
	f.Add([]byte{1, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1})
	f.Fuzz(func(t *testing.T, slab []byte) {
		bounded(t, slab, func() {
			read, _, err := record.ReadChanges(slab)
			if err != nil {
				return
			}
			stored := record.AppendChanges(nil, &read)
			again, rest, err := record.ReadChanges(stored)
			if err != nil || len(rest) > 0 || !cmp.Equal(read, again) {
				t.Errorf("%x was read as %+v, which is read back as %+v (%v, rest %x)", slab, read, again, err, rest)
			}
			if second := record.AppendChanges(nil, &again); !bytes.Equal(stored, second) || len(stored) > len(slab) {
				t.Errorf("%x is stored as %x and then as %x", slab, stored, second)
			}
		})
	})
}

// FuzzReadImage is FuzzReadChanges for images.
func FuzzReadImage(f *testing.F) {
	c := someChanges()
	for _, m := range []record.Image{{Tables: c.Rows, Timers: c.Set, State: c.State}, {}} {
		f.Add(record.AppendImage(nil, &m))
	}
	f.Add(bytes.Repeat([]byte{0x7f}, 200))
	f.Fuzz(func(t *testing.T, slab []byte) {
		bounded(t, slab, func() {
			read, _, err := record.ReadImage(slab)
			if err != nil {
				return
			}
			again, rest, err := record.ReadImage(record.AppendImage(nil, &read))
			if err != nil || len(rest) > 0 || !cmp.Equal(read, again) {
				t.Errorf("%x was read as %+v, which is read back as %+v (%v, rest %x)", slab, read, again, err, rest)
			}
		})
	})
}

// TestACorruptSlabCostsLittleMemory: a claim of as many entries as there are
// bytes is the dearest lie that a slab can tell.
//
//nolint:paralleltest // it measures the allocations of the process
func TestACorruptSlabCostsLittleMemory(t *testing.T) {
	slab := bytes.Repeat([]byte{0}, 1<<20)
	copy(slab, []byte{1, 0, 0, 0xf0, 0xff, 0x3f}) // one table, no name, no layout, 1,048,560 entries
	bounded(t, slab, func() {
		if _, _, err := record.ReadImage(slab); err == nil {
			t.Error("a slab of zeros is taken for an image")
		}
	})
}

// TestApplyTakesTheNewestOfEachRow and keeps the order of births.
func TestApplyTakesTheNewestOfEachRow(t *testing.T) {
	t.Parallel()
	var m record.Image
	first := (&record.Entry{ID: "so_1"}).Holding([]byte("1"), nil)
	m.Apply(&record.Changes{Rows: []record.TableRows{{Table: "sales_order", Entries: []*record.Entry{first}}},
		Set: []sim.Timer{{Sequence: 1}, {Sequence: 2}}, State: []byte("1")})
	newer := (&record.Entry{ID: "so_1"}).Holding([]byte("2"), nil)
	second := &record.Entry{ID: "so_2", Ordinal: 1}
	m.Apply(&record.Changes{Rows: []record.TableRows{{Table: "sales_order", Entries: []*record.Entry{newer, second}}},
		Set: []sim.Timer{{Sequence: 3}}, Fired: []uint64{1}, State: []byte("2")})
	want := record.Image{
		Tables: []record.TableRows{{Table: "sales_order", Entries: []*record.Entry{newer, second}}},
		Timers: []sim.Timer{{Sequence: 2}, {Sequence: 3}}, State: []byte("2"),
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("the image differs (-want +got):\n%s", diff)
	}
}

// TestAnOrdinalThatIsNoneIsCorrupt: rows are numbered from 0 in the order of
// their births, so no ordinal is negative or beyond what a table can hold.
// Image.Apply would panic on a negative one and allocate without end on a large
// one.
func TestAnOrdinalThatIsNoneIsCorrupt(t *testing.T) {
	t.Parallel()
	for _, ordinal := range []int{-1, 1 << 40, 1 << 62} {
		c := record.Changes{
			Rows: []record.TableRows{{Table: "sales_order", Entries: []*record.Entry{{ID: "so_1", Ordinal: ordinal}}}},
		}
		if _, _, err := record.ReadChanges(record.AppendChanges(nil, &c)); !errors.Is(err, record.ErrCorrupt) {
			t.Errorf("an entry with the ordinal %d is read: %v", ordinal, err)
		}
	}
}
