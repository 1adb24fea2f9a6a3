package openapi_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"platen/internal/operation"
	"platen/internal/publish/openapi"
)

// statuses are the values of status fields that test/console knows: a new one fails there until the
// console has a colour for it.
const statuses = "../../../test/console/testdata/statuses.json"

func TestTheConsoleKnowsEveryStatus(t *testing.T) {
	t.Parallel()
	raw, err := openapi.Document(operation.Table(), "http://127.0.0.1:8080/v1", "0")
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	statusesIn(document, found)
	got, err := json.MarshalIndent(slices.Sorted(maps.Keys(found)), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(statuses, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(statuses)
	if err != nil || string(want) != string(got) {
		t.Errorf("%s is not what the table of operations says; write it with -update (%v)", statuses, err)
	}
}

// statusesIn collects the values of the properties that are named as a status: in the document a property has
// them itself, or in a component that it refers to.
func statusesIn(document map[string]any, found map[string]bool) {
	components, _ := document["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	var collect func(value any, status bool)
	collect = func(value any, status bool) {
		switch value := value.(type) {
		case map[string]any:
			if properties, ok := value["properties"].(map[string]any); ok {
				for name, schema := range properties {
					collect(schema, strings.HasSuffix(name, "status"))
				}
			}
			for name, member := range value {
				values, list := member.([]any)
				reference, _ := member.(string)
				switch {
				case name == "properties" || name == "example" || name == "examples":
				case status && list && (name == "enum" || name == "x-extensible-enum"):
					for _, v := range values {
						if text, ok := v.(string); ok {
							found[text] = true
						}
					}
				case status && name == "$ref":
					collect(schemas[reference[strings.LastIndex(reference, "/")+1:]], true)
				default:
					collect(member, status)
				}
			}
		case []any:
			for _, member := range value {
				collect(member, status)
			}
		}
	}
	collect(document, false)
}
