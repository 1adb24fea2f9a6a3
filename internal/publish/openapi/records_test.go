package openapi_test

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"platen/internal/operation"
	"platen/internal/publish/openapi"
)

var update = flag.Bool("update", false, "write the collections that the tests of the console read")

// collections are the lists that test/console knows: a new one fails there until the console
// has a place for its ids.
const collections = "../../../test/console/testdata/collections.json"

type fieldText struct {
	Text   string               `json:"text"`
	Fields map[string]fieldText `json:"fields"`
}

type collection struct {
	Path     string               `json:"path"`
	Resource string               `json:"resource"`
	Prefix   string               `json:"prefix,omitempty"`
	Fields   map[string]fieldText `json:"fields,omitempty"`
}

func records(t *testing.T) []collection {
	t.Helper()
	b, err := openapi.Records(operation.Table())
	if err != nil {
		t.Fatal(err)
	}
	var all []collection
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestEveryFieldOfARecordIsDescribed(t *testing.T) {
	t.Parallel()
	all := records(t)
	var undescribed []string
	var look func(where string, fields map[string]fieldText)
	look = func(where string, fields map[string]fieldText) {
		for name, f := range fields {
			if f.Text == "" {
				undescribed = append(undescribed, where+"."+name)
			}
			look(where+"."+name, f.Fields)
		}
	}
	for _, c := range all {
		if len(c.Fields) == 0 {
			t.Errorf("%s has no fields", c.Path)
		}
		look(c.Path, c.Fields)
	}
	if len(undescribed) > 0 {
		t.Errorf("without a description: %s", strings.Join(undescribed, ", "))
	}
	orders := all[slices.IndexFunc(all, func(c collection) bool { return c.Path == "/office/purchase-orders" })]
	if orders.Prefix != "po" || !strings.Contains(orders.Fields["lines"].Fields["quantity"].Text, "quantity ordered") {
		t.Errorf("purchase orders are %+v", orders)
	}
}

func TestTheConsoleKnowsEveryCollection(t *testing.T) {
	t.Parallel()
	all := records(t)
	for i := range all {
		all[i].Fields = nil
	}
	got, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(collections, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(collections)
	if err != nil || string(want) != string(got) {
		t.Errorf("%s is not what the table of operations says; write it with -update (%v)", collections, err)
	}
}
