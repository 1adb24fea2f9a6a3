package contract

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// enumerations calls see for each schema with values that a part of the document leads to.
func enumerations(document object, node any, done map[string]bool, see func(at string, s object)) {
	var walk func(node any, at string)
	walk = func(node any, at string) {
		switch node := node.(type) {
		case map[string]any:
			if ref, ok := node["$ref"].(string); ok && !done[ref] {
				done[ref] = true
				target := any(document)
				for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
					target = target.(object)[part]
				}
				walk(target, ref)
			}
			_, closed := node["enum"].([]any)
			if _, open := node["x-extensible-enum"]; open || closed {
				see(at, node)
			}
			for name, child := range node {
				if name != "examples" && name != "example" && name != "enum" && name != "not" {
					walk(child, at+"/"+name)
				}
			}
		case []any:
			for _, child := range node {
				walk(child, at)
			}
		}
	}
	walk(node, "")
}

func TestEnumerationsOfResponsesAreOpen(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.HTTP.EXTENSIBLE")
	var document object
	if err := json.Unmarshal(shared.judge.raw, &document); err != nil {
		t.Fatal(err)
	}
	sent, received := map[string]bool{}, map[string]bool{}
	open, closed := 0, 0
	for path, item := range child(t, document, "paths") {
		for method, op := range item.(object) {
			o := op.(object)
			enumerations(document, []any{o["responses"], o["callbacks"]}, received, func(at string, s object) {
				open++
				text, _ := s["description"].(string)
				values, _ := s["x-extensible-enum"].([]any)
				if s["enum"] != nil || len(values) == 0 || !reflect.DeepEqual(s["examples"], s["x-extensible-enum"]) ||
					!strings.HasSuffix(text, "Extensible enum.") {
					t.Errorf("%s %s: what is received has %v at %s", method, path, s, at)
				}
			})
			enumerations(document, []any{o["requestBody"], o["parameters"]}, sent, func(at string, s object) {
				closed++
				if s["enum"] == nil || s["x-extensible-enum"] != nil {
					t.Errorf("%s %s: what is sent has %v at %s", method, path, s, at)
				}
			})
		}
	}
	if open < 50 || closed < 20 {
		t.Errorf("the document has %d open and %d closed enumerations", open, closed)
	}
}

// TestTypesOfEventsAreOpen: a client that validates strictly takes an event of a type that is not in
// the document, and still refuses one of a known type with data of another form.
func TestTypesOfEventsAreOpen(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.HTTP.EXTENSIBLE")
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(shared.judge.raw))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(documentURL, document); err != nil {
		t.Fatal(err)
	}
	form, err := compiler.Compile(documentURL + "#/components/schemas/FeedEvent")
	if err != nil {
		t.Fatal(err)
	}
	e := shared.create(t, `{"preset":"manual","clock":"manual"}`).feed(0)[0]
	for _, change := range []struct {
		name  string
		with  object
		valid bool
	}{
		{"as it is", object{}, true},
		{"of a new type", object{"type": "factory.press.painted", "data": object{"colour": "red"}}, true},
		{"with data of another form", object{"data": object{"colour": "red"}}, false},
		{"without a type", object{"type": nil}, false},
	} {
		changed := maps.Clone(e)
		maps.Copy(changed, change.with)
		read, err := jsonschema.UnmarshalJSON(strings.NewReader(encode(t, changed)))
		if err != nil {
			t.Fatal(err)
		}
		if err := form.Validate(read); (err == nil) != change.valid {
			t.Errorf("an event %s: %v", change.name, err)
		}
	}
}
