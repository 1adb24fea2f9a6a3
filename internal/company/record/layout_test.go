package record_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"platen/internal/company/record"
)

// parcel is a row with two values that lists can be filtered by.
type parcel struct {
	record.Head

	Status string `json:"status"`
	SKU    string `json:"sku"`

	record.Stamps
}

func (*parcel) Resource() string { return "parcel" }
func (p *parcel) State() string  { return p.Status }

// parcels are tables as three programs would have them, one after another.
func parcels(filters ...string) *record.Table[parcel, struct{}] {
	var all []record.Filter[parcel, struct{}]
	for _, name := range filters {
		all = append(all, record.Filter[parcel, struct{}]{Name: name, Of: func(p *parcel) string {
			return map[string]string{"status": p.Status, "sku": p.SKU}[name]
		}})
	}
	return record.NewTable(record.Definition{Resource: "parcel", Prefix: "pcl"}, all)
}

// TestFilterValuesFollowTodaysDefinition: rows that were stored by a program
// with fewer filters, or with the same in another order, are found by today's.
func TestFilterValuesFollowTodaysDefinition(t *testing.T) {
	t.Parallel()
	today := []string{"sku", "status"}
	for name, before := range map[string][]string{
		"fewer": {"status"}, "another order": {"status", "sku"}, "the same": today, "none": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := parcels(before...)
			image := restoreThrough(t, old, parcel{Status: "packed", SKU: "prd_card"})
			table := parcels(today...)
			if err := table.Rows.Restore(image.Tables[0]); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"prd_card", "packed"}, table.Rows.Image().Entries[0].Filters); diff != "" {
				t.Errorf("the filters differ (-want +got):\n%s", diff)
			}
		})
	}
}

// TestACommitOfALaterProgramMakesTheLayoutUnknown: an image that was stored by
// one program and a commit by the next come together.
func TestACommitOfALaterProgramMakesTheLayoutUnknown(t *testing.T) {
	t.Parallel()
	image := restoreThrough(t, parcels("status"), parcel{Status: "packed", SKU: "prd_card"})
	later := restoreThrough(t, parcels("status", "sku"), parcel{Status: "sent", SKU: "prd_book"})
	entry := later.Tables[0].Entries[0]
	entry.Ordinal, entry.ID = 1, "pcl_2"
	image.Apply(&record.Changes{Rows: later.Tables})
	table := parcels("status", "sku")
	if err := table.Rows.Restore(image.Tables[0]); err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{"packed", "prd_card"}, {"sent", "prd_book"}} {
		if diff := cmp.Diff(want, table.Rows.Image().Entries[i].Filters); diff != "" {
			t.Errorf("row %d (-want +got):\n%s", i, diff)
		}
	}
}

// restoreThrough stores a table with one row and reads it back.
func restoreThrough(t *testing.T, table *record.Table[parcel, struct{}], row parcel) record.Image {
	t.Helper()
	recorder := record.NewDeskRecorder(record.NewFeed("sbx_0000000000001", 7, record.Position{}))
	table.Add(recorder, row, struct{}{})
	var written record.Changes
	table.Rows.Flush(1, &written)
	changes, _, err := record.ReadChanges(record.AppendChanges(nil, &written))
	if err != nil {
		t.Fatal(err)
	}
	return record.Image{Tables: changes.Rows}
}

// TestRemovedRowsAreNotRevealed: a row that was added and removed in one step
// is no row that a player sees.
func TestRemovedRowsAreNotRevealed(t *testing.T) {
	t.Parallel()
	table := record.NewTable(record.Definition{Resource: "parcel", Prefix: "pcl", Removes: true},
		[]record.Filter[parcel, string]{{Name: "status", Private: func(private *string) string { return *private }}})
	recorder := record.NewDeskRecorder(record.NewFeed("sbx_0000000000001", 7, record.Position{}))
	gone, _ := table.Add(recorder, parcel{Status: "packed"}, "packed!")
	table.Add(recorder, parcel{Status: "sent"}, "sent?")
	table.Rows.Remove(recorder, gone.ID)
	var seen [][]string
	table.Rows.Touched(func(_ int, _ record.Row, filters []string) { seen = append(seen, filters) })
	if diff := cmp.Diff([][]string{{"sent?"}}, seen); diff != "" {
		t.Errorf("what was touched (-want +got):\n%s", diff)
	}
}
