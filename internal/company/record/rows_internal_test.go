package record

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type letter struct {
	Head

	Text string `json:"text"`
	Stamps
}

func (*letter) Resource() string { return "letter" }
func (*letter) State() string    { return "" }

// TestATableIsAsLargeAsWhatItHas: rows that were removed leave nothing behind, in memory or in what is stored, but for
// the place of the newest, so that no id is given twice.
func TestATableIsAsLargeAsWhatItHas(t *testing.T) {
	t.Parallel()
	const rows, kept = 5000, 50
	recorder := NewDeskRecorder(NewFeed("sbx_0000000000001", 7, Position{}))
	empty := func() *Table[letter, int] {
		return NewTable[letter, int](Definition{Resource: "letter", Prefix: "ltr", Removes: true}, nil)
	}
	table, stored := empty(), Image{}
	var ids []string
	seen := map[string]bool{}
	for n := range uint64(rows) {
		row, _ := table.Add(recorder, letter{Text: "a text"}, int(n))
		if seen[row.ID] {
			t.Fatalf("row %d has the id of an earlier one", n)
		}
		seen[row.ID] = true
		if ids = append(ids, row.ID); len(ids) > kept {
			table.Rows.Remove(recorder, ids[0])
			ids = ids[1:]
		}
		var changes Changes
		table.Rows.Flush(n+1, &changes)
		stored.Apply(&changes)
	}
	if n := len(table.Rows.slots); n > 2*kept+2 {
		t.Errorf("%d rows have %d slots", len(ids), n)
	}
	image := table.Rows.Image()
	if n := len(image.Entries); n != kept {
		t.Errorf("%d entries are stored of %d rows", n, kept)
	}
	for place, id := range ids {
		if *Private(table, id) != rows-kept+place || table.Rows.Ordinal(id) != rows-kept+place {
			t.Errorf("row %d is %d with %d", place, table.Rows.Ordinal(id), *Private(table, id))
		}
	}
	for _, id := range ids { // the newest too
		table.Rows.Remove(recorder, id)
	}
	var changes Changes
	table.Rows.Flush(rows+1, &changes)
	stored.Apply(&changes)
	want := table.Rows.NextID(recorder)
	for name, image := range map[string]TableRows{"image": table.Rows.Image(), "commits": stored.Tables[0]} {
		again := empty()
		if err := again.Rows.Restore(image); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := again.Rows.NextID(recorder); got != want || seen[got] {
			t.Errorf("from the %s the next id is %s, not %s", name, got, want)
		}
		if diff := cmp.Diff(table.Rows.Image(), again.Rows.Image(), cmp.AllowUnexported(Entry{})); diff != "" {
			t.Errorf("from the %s the table differs (-want +got):\n%s", name, diff)
		}
		for range again.All {
			t.Errorf("from the %s there are rows", name)
		}
	}
}

// TestAnyOrdinalHasItsPlace: in a table with gaps, one without, and an empty one.
func TestAnyOrdinalHasItsPlace(t *testing.T) {
	t.Parallel()
	dense := []*Entry{{Ordinal: 0}, {Ordinal: 1}, {Ordinal: 2}}
	sparse := []*Entry{{Ordinal: 1}, {Ordinal: 4}, {Ordinal: 5}}
	for _, c := range []struct {
		entries        []*Entry
		ordinal, place int
		there          bool
	}{
		{dense, 0, 0, true}, {dense, 2, 2, true}, {dense, 3, 3, false}, {dense, -1, 0, false},
		{dense, math.MinInt, 0, false}, {dense, math.MaxInt, 3, false}, {nil, 0, 0, false}, {nil, -1, 0, false},
		{sparse, 0, 0, false}, {sparse, 1, 0, true}, {sparse, 2, 1, false}, {sparse, 4, 1, true}, {sparse, 5, 2, true},
		{sparse, 6, 3, false}, {sparse, -1, 0, false},
	} {
		if place, there := Place(c.entries, c.ordinal); place != c.place || there != c.there {
			t.Errorf("%d is at %d, %t, want %d, %t", c.ordinal, place, there, c.place, c.there)
		}
	}
}

// TestAHoleInATableWhoseRowsStayIsCorrupt, and so are rows that are not in the order of their births.
func TestAHoleInATableWhoseRowsStayIsCorrupt(t *testing.T) {
	t.Parallel()
	row := func(ordinal int) *Entry {
		return (&Entry{ID: string(rune('a' + ordinal)), Ordinal: ordinal}).Holding([]byte(`{"text":""}`), []byte("1"))
	}
	for _, c := range []struct {
		removes, sound bool
		entries        []*Entry
	}{
		{false, true, []*Entry{row(0), row(1)}}, {false, false, []*Entry{row(0), row(2)}},
		{false, false, []*Entry{row(0), {Ordinal: 1}}}, {true, true, []*Entry{row(1), row(4), {Ordinal: 5}}},
		{true, false, []*Entry{row(1), row(1)}}, {true, false, []*Entry{row(4), row(1)}},
	} {
		table := NewTable[letter, int](Definition{Resource: "letter", Prefix: "ltr", Removes: c.removes}, nil)
		if err := table.Rows.Restore(TableRows{Table: "letter", Entries: c.entries}); (err == nil) != c.sound {
			t.Errorf("%+v is restored with %v", c, err)
		}
	}
}
