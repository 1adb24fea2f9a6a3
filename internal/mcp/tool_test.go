package mcp_test

import (
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden file of the tools")

const (
	golden = "testdata/tools.golden.json"
	// maxList is the most that a list of tools may take of a model's context, in bytes.
	maxList         = 24 << 10
	maxTools        = 27
	maxName         = 36
	maxDescription  = 300
	maxInstructions = 1536
)

// listing is an answer to tools/list, as a client sees it.
type listing struct {
	Tools []struct {
		Name, Title, Description  string
		InputSchema, OutputSchema json.RawMessage
		Annotations               map[string]any
	}
}

func list(t testing.TB, path string) (listing, json.RawMessage) {
	t.Helper()
	raw := read(t, post(t, open(t, &door{}), path, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)).Result
	var l listing
	if err := json.Unmarshal(raw, &l); err != nil {
		t.Fatal(err)
	}
	return l, raw
}

func TestTheListOfToolsIsGoldenAndShort(t *testing.T) {
	t.Parallel()
	l, raw := list(t, "/mcp")
	if len(raw) > maxList {
		t.Errorf("the list has %d bytes, the most is %d", len(raw), maxList)
	}
	t.Logf("%d tools, %d bytes", len(l.Tools), len(raw))
	var indented strings.Builder
	encoder := json.NewEncoder(&indented)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(raw); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(indented.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), indented.String()); diff != "" {
		t.Errorf("the tools changed (-want +got; -update rewrites the file):\n%s", diff)
	}
	if len(l.Tools) > maxTools {
		t.Errorf("there are %d tools", len(l.Tools))
	}
}

func TestToolsAreSortedAndSayWhatTheyAre(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	for _, path := range []string{"/mcp", "/mcp/office", "/mcp/factory"} {
		l, _ := list(t, path)
		before := ""
		for _, tool := range l.Tools {
			if tool.Name <= before {
				t.Errorf("%s: %s comes after %s", path, tool.Name, before)
			}
			before = tool.Name
			if !name.MatchString(tool.Name) || len(tool.Name) > maxName || tool.Title == "" {
				t.Errorf("the tool %q is called %q", tool.Name, tool.Title)
			}
			if n := len(tool.Description); n == 0 || n > maxDescription {
				t.Errorf("%s is described in %d bytes", tool.Name, n)
			}
			for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
				if _, ok := tool.Annotations[hint].(bool); !ok {
					t.Errorf("%s lacks the hint %s", tool.Name, hint)
				}
			}
			reaches := tool.Name == "call_operation" || tool.Name == "do"
			if open := tool.Annotations["openWorldHint"] == true; open != reaches {
				t.Errorf("%s reaches out of the sandbox: %v", tool.Name, open)
			}
			if strings.HasPrefix(tool.Name, "office_") && path == "/mcp/factory" ||
				strings.HasPrefix(tool.Name, "factory_") && path == "/mcp/office" {
				t.Errorf("%s shows %s", path, tool.Name)
			}
		}
	}
}

// TestSchemasKeepToWhatEveryClientTakes: flat objects of scalars and at most one
// list, with no word that some client refuses.
func TestSchemasKeepToWhatEveryClientTakes(t *testing.T) {
	t.Parallel()
	l, _ := list(t, "/mcp")
	for _, tool := range l.Tools {
		var schema map[string]any
		if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		lint{t, tool.Name}.object(schema, true)
		if tool.OutputSchema != nil { // clients then insist on an object, which lines are not
			t.Errorf("%s promises %s", tool.Name, tool.OutputSchema)
		}
	}
}

// lint looks at one tool.
type lint struct {
	t    *testing.T
	tool string
}

func (l lint) words(where string, schema map[string]any, allowed ...string) {
	l.t.Helper()
	for word := range schema {
		if !slices.Contains(allowed, word) {
			l.t.Errorf("%s: %s has %q", l.tool, where, word)
		}
	}
}

func (l lint) object(schema map[string]any, top bool) {
	l.t.Helper()
	l.words("the object", schema, "type", "properties", "required", "additionalProperties")
	properties, ok := schema["properties"].(map[string]any)
	if schema["type"] != "object" || schema["additionalProperties"] != false || !ok {
		l.t.Errorf("%s: %v is no closed object", l.tool, schema)
	}
	lists := 0
	for name, value := range properties {
		property := value.(map[string]any)
		l.words(name, property, "type", "description", "enum", "default", "minimum", "maximum", "items")
		switch property["type"] {
		case "string", "integer", "boolean":
		case "array":
			lists++
			items := property["items"].(map[string]any)
			if items["type"] == "object" {
				l.object(items, false)
			} else if items["type"] != "string" || !top {
				l.t.Errorf("%s: %s is a list of %v", l.tool, name, items)
			}
		default:
			l.t.Errorf("%s: %s is of type %v", l.tool, name, property["type"])
		}
	}
	if lists > 1 || lists == 1 && !top {
		l.t.Errorf("%s has %d lists", l.tool, lists)
	}
}

func TestInstructionsAreShortAndBeginWithTheEssential(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/mcp", "/mcp/office", "/mcp/factory"} {
		raw := read(t, post(t, open(t, &door{}), path, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{`+
			`"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)).Result
		var result struct{ Instructions string }
		if err := json.Unmarshal(raw, &result); err != nil {
			t.Fatal(err)
		}
		if n := len(result.Instructions); n == 0 || n > maxInstructions {
			t.Errorf("%s: %d bytes of instructions", path, n)
		}
		const essential = 150
		if !strings.Contains(result.Instructions[:essential], "create_sandbox") {
			t.Errorf("%s begins with %q", path, result.Instructions[:essential])
		}
	}
}
