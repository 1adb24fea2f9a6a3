package record_test

import (
	"reflect"
	"testing"

	"platen/internal/company/record"
)

// TestAHandleHasFewMethods: every package that names a company compiles each method of
// a handle 82 times, twice for each table. A method that returns no type is one of Rows.
func TestAHandleHasFewMethods(t *testing.T) {
	t.Parallel()
	const most = 4 // Add, Find, Edit, All
	if n := reflect.TypeFor[*record.Table[parcel, struct{}]]().NumMethod(); n > most {
		t.Errorf("a handle has %d methods, want at most %d", n, most)
	}
}
