package openapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen/internal/operation"
	"platen/internal/publish/openapi"
)

// described is a part of the document: an operation, a parameter, a schema or one of its
// properties.
type described struct {
	Ref         string `json:"$ref"`
	Name        string
	OperationID string
	Summary     string
	Description string
	Enum        []any
	Extensible  []any `json:"x-extensible-enum"`
	Schema      *described

	Properties           map[string]*described
	Items                *described
	AdditionalProperties json.RawMessage
	AnyOf, OneOf, AllOf  []*described

	Parameters  []*described
	Callbacks   map[string]map[string]map[string]*described
	RequestBody *described
	Responses   map[string]*described
	Content     map[string]*described
}

// document has the parts of the OpenAPI document that the test reads.
type document struct {
	Paths      map[string]map[string]*described
	Components struct {
		Schemas, Parameters, Responses, Headers map[string]*described
	}
}

// inspection counts what is there and lists what says too little.
type inspection struct {
	schemas, properties, parameters, operations, enums int
	bare                                               []string
}

func (i *inspection) wants(where string, ok bool) {
	if !ok {
		i.bare = append(i.bare, where)
	}
}

// TestEverythingIsDescribed wants a description of each schema, property, parameter, header and
// operation of the document, and so of each type of events, that says more than its name does, and says of
// the values of an enumeration what they mean, or which page does.
func TestEverythingIsDescribed(t *testing.T) {
	t.Parallel()
	raw, err := openapi.Document(operation.Table(), "http://127.0.0.1:8080/v1", "0")
	if err != nil {
		t.Fatal(err)
	}
	var doc document
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	var i inspection
	for name, s := range doc.Components.Schemas {
		i.schemas++
		i.wants("the schema "+name, says(camel.ReplaceAllString(name, "$1 $2"), s.Description))
		i.schema(name, s)
	}
	for name, p := range doc.Components.Parameters {
		i.parameter(name, p)
	}
	for name, h := range doc.Components.Headers {
		i.wants("the header "+name, says(name, h.Description))
	}
	for name, r := range doc.Components.Responses {
		i.content("the response "+name, r)
	}
	for _, path := range doc.Paths {
		for _, op := range path {
			i.operation(op)
		}
	}
	t.Logf("%d schemas, %d properties, %d parameters, %d operations, %d enumerations", i.schemas, i.properties,
		i.parameters, i.operations, i.enums)
	slices.Sort(i.bare)
	for _, where := range slices.Compact(i.bare) {
		t.Errorf("%s is not described", where)
	}
}

// TestTheDocumentIsSmall: generators make a multiple of it, and readers load it. It has the headers and the
// examples that importers use.
func TestTheDocumentIsSmall(t *testing.T) {
	t.Parallel()
	raw, err := openapi.Document(operation.Table(), "http://127.0.0.1:8080/v1", "0")
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("%d bytes", len(raw)); len(raw) > 560_000 {
		t.Errorf("the document has %d bytes", len(raw))
	}
}

func (i *inspection) operation(op *described) {
	i.operations++
	i.wants("the operation "+op.OperationID, says(op.Summary, op.Description))
	for _, p := range op.Parameters {
		if p.Ref == "" {
			i.parameter(op.OperationID+"."+p.Name, p)
		} else {
			i.parameters++
		}
	}
	for _, callback := range op.Callbacks {
		for _, path := range callback {
			for _, sent := range path {
				i.operation(sent)
			}
		}
	}
	i.content("the body of "+op.OperationID, op.RequestBody)
	for status, r := range op.Responses {
		i.content(fmt.Sprintf("the %s of %s", status, op.OperationID), r)
	}
}

func (i *inspection) parameter(where string, p *described) {
	i.parameters++
	i.wants("the parameter "+where, says(p.Name, p.Description))
	i.values("the parameter "+where, p.Schema.Enum, p.Description)
}

func (i *inspection) content(where string, of *described) {
	if of == nil {
		return
	}
	for _, media := range of.Content {
		i.schema(where, media.Schema)
	}
}

func (i *inspection) schema(where string, s *described) {
	if s == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p, at := s.Properties[name], where+"."+name
		i.properties++
		i.wants(at, says(name, p.Description))
		i.values(at, append(slices.Clone(p.Enum), p.Extensible...), p.Description)
		i.schema(at, p)
	}
	i.schema(where+"[]", s.Items)
	for _, part := range slices.Concat(s.AnyOf, s.OneOf, s.AllOf) {
		i.schema(where, part)
	}
	var values described
	if json.Unmarshal(s.AdditionalProperties, &values) == nil {
		i.schema(where+"[]", &values)
	}
}

// values wants each of several values named in a description, or a page that explains them.
func (i *inspection) values(where string, enum []any, description string) {
	enum = slices.DeleteFunc(slices.Clone(enum), func(v any) bool { return v == nil })
	if len(enum) < 2 {
		return
	}
	i.enums++
	if strings.Contains(description, "/docs/") {
		return
	}
	for _, value := range enum {
		i.wants(fmt.Sprintf("the value %v of %s", value, where),
			regexp.MustCompile(`\b`+regexp.QuoteMeta(fmt.Sprint(value))+`\b`).MatchString(description))
	}
}

var (
	word  = regexp.MustCompile(`[a-z0-9]+`)
	camel = regexp.MustCompile(`([a-z])([A-Z])`)
)

// says reports whether a description is a sentence with a word that is not in the name already.
func says(name, description string) bool {
	known := append(word.FindAllString(strings.ToLower(name), -1), "the", "a", "an", "of", "its", "this", "that", "is")
	return strings.HasSuffix(strings.TrimRight(description, "`)>"), ".") &&
		slices.ContainsFunc(word.FindAllString(strings.ToLower(description), -1), func(w string) bool {
			return !slices.Contains(known, w)
		})
}

// TestAnImportedDocumentSharesNoKey: an importer makes a text of a parameter that all its users send, so the key with
// which two people would get one sandbox is described and is no parameter. No key has an example.
func TestAnImportedDocumentSharesNoKey(t *testing.T) {
	t.Parallel()
	raw, err := openapi.Document(operation.Table(), "https://platen.test/v1", "2026-09")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct {
			Description string
			Parameters  []struct {
				Ref string `json:"$ref"`
			}
		}
		Components struct {
			Parameters map[string]map[string]any
		}
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	creation := document.Paths["/sandboxes"]["post"]
	if !strings.Contains(creation.Description, "header Idempotency-Key") {
		t.Errorf("the description says nothing of the key: %s", creation.Description)
	}
	for _, p := range creation.Parameters {
		if strings.HasSuffix(p.Ref, "/Idempotency-Key") {
			t.Error("the key of a new sandbox is a parameter")
		}
	}
	for name, p := range document.Components.Parameters {
		if strings.HasPrefix(name, "Idempotency-Key") && (p["example"] != nil || p["examples"] != nil) {
			t.Errorf("%s has an example: %v", name, p)
		}
	}
}
