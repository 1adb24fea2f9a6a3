package postman_test

import (
	"encoding/json"
	"strings"
	"testing"

	"platen/internal/operation"
	"platen/internal/publish/postman"
)

// TestTheCollectionHasEveryOperationButThoseOfTheGuide, which gives the reasons.
func TestTheCollectionHasEveryOperationButThoseOfTheGuide(t *testing.T) {
	t.Parallel()
	table := operation.Table()
	raw, err := postman.Collection(table, "https://platen.test")
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(raw) {
		t.Fatal("the collection is not JSON")
	}
	missing := map[string]bool{
		"extend_sandbox": true, "poll_ticket": true, "redeliver_webhook": true, "redeliver_failed_events": true,
	}
	for _, op := range table {
		has := strings.Contains(string(raw), `\n\nhttps://platen.test/docs/api/`+op.ID+`"`) ||
			strings.Contains(string(raw), `"https://platen.test/docs/api/`+op.ID+`"`)
		if has == missing[op.ID] {
			t.Errorf("%s is in the collection: %t", op.ID, has)
		}
	}
}

// TestACollectionNamesOperationsThatThereAre, or is refused.
func TestACollectionNamesOperationsThatThereAre(t *testing.T) {
	t.Parallel()
	var without []operation.Operation
	for _, op := range operation.Table() {
		if op.ID != "start_print_run" {
			without = append(without, op)
		}
	}
	if _, err := postman.Collection(without, "https://platen.test"); err == nil ||
		!strings.Contains(err.Error(), "start_print_run") {
		t.Errorf("without start_print_run: %v", err)
	}
}
