package contract

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
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
				if name != "examples" && name != "example" && name != "enum" {
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
