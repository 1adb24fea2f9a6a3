package record_test

import (
	"testing"

	"platen/internal/company/record"
)

// TestRowsWhoseDecodedFormIsDroppedAreTheSame: it is made again from the bytes, and the
// change of a row that is not flushed yet stays.
func TestRowsWhoseDecodedFormIsDroppedAreTheSame(t *testing.T) {
	t.Parallel()
	recorder := record.NewDeskRecorder(record.NewFeed("sbx_0000000000001", 7, record.Position{}))
	table := record.NewTable[parcel, int](record.Definition{Resource: "parcel", Prefix: "pcl"}, nil)
	kept, _ := table.Add(recorder, parcel{Status: "packed", SKU: "prd_card"}, 3)
	changed, _ := table.Add(recorder, parcel{Status: "packed", SKU: "prd_book"}, 4)
	first, second, want := kept.ID, changed.ID, *kept
	table.Rows.Flush(1, &record.Changes{})
	changed, private := table.Edit(recorder, second)
	changed.Status, *private = "sent", 5
	table.Rows.DropDecoded()
	again, ok := table.Find(first)
	if !ok || *again != want || *record.Private(table, first) != 3 {
		t.Errorf("the row is %+v with %d, it was %+v with 3", again, *record.Private(table, first), want)
	}
	if again == kept {
		t.Error("the decoded form of a flushed row is kept")
	}
	if same, _ := table.Find(second); same != changed || same.Status != "sent" {
		t.Errorf("a row that is not flushed is %+v, it was %+v", same, changed)
	}
	table.Rows.Flush(2, &record.Changes{})
	table.Rows.DropDecoded()
	if again, _ := table.Find(second); again.Status != "sent" || *record.Private(table, second) != 5 {
		t.Errorf("the flushed row is %+v with %d", again, *record.Private(table, second))
	}
}
