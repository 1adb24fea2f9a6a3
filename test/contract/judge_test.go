package contract

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const documentURL = "https://platen.test/openapi.json"

// judge knows what a server's own document says about each of its answers.
type judge struct {
	raw        []byte
	compiler   *jsonschema.Compiler
	operations []documented

	mu      sync.Mutex // guards compiled, and the compiler
	schemas map[string]*jsonschema.Schema
}

// documented is one operation of the document.
type documented struct {
	id, method, path string
	segments         []string
	parameters       []parameter
	hasBody          bool
	deprecated       bool
	responses        map[string]response
}

type parameter struct {
	Name     string `json:"name"`
	In       string `json:"in"`
	Required bool   `json:"required"`
}

type response struct {
	Description string                     `json:"description"`
	Content     map[string]json.RawMessage `json:"content"`
}

func newJudge(t testing.TB, origin string) *judge {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, origin+"/openapi.json", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answered, err := (&http.Client{Timeout: 10 * time.Second}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answered.Body.Close()
	raw, err := io.ReadAll(answered.Body)
	if err != nil || answered.StatusCode != http.StatusOK {
		t.Fatalf("/openapi.json: %d %v", answered.StatusCode, err)
	}
	j := &judge{raw: raw, compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	j.readOperations(t)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("/openapi.json: %v", err)
	}
	closeObjects(document)
	j.compiler.AssertFormat()
	if err := j.compiler.AddResource(documentURL, document); err != nil {
		t.Fatalf("/openapi.json: %v", err)
	}
	return j
}

func (j *judge) readOperations(t testing.TB) {
	t.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string              `json:"operationId"`
			Parameters  []parameter         `json:"parameters"`
			RequestBody json.RawMessage     `json:"requestBody"`
			Deprecated  bool                `json:"deprecated"`
			Responses   map[string]response `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(j.raw, &document); err != nil {
		t.Fatalf("/openapi.json: %v", err)
	}
	for path, methods := range document.Paths {
		for method, op := range methods {
			j.operations = append(j.operations, documented{
				id: op.OperationID, method: strings.ToUpper(method), path: path, segments: strings.Split(path, "/"),
				parameters: op.Parameters, hasBody: op.RequestBody != nil, deprecated: op.Deprecated, responses: op.Responses,
			})
		}
	}
	slices.SortFunc(j.operations, func(a, b documented) int { return strings.Compare(a.path+a.method, b.path+b.method) })
}

// closeObjects makes every object of a document refuse members that it does
// not describe, unless it says itself that it takes any.
func closeObjects(node any) {
	switch node := node.(type) {
	case map[string]any:
		_, described := node["properties"].(map[string]any)
		_, says := node["additionalProperties"]
		if described && !says && node["type"] == "object" {
			node["additionalProperties"] = false
		}
		for _, child := range node {
			closeObjects(child)
		}
	case []any:
		for _, child := range node {
			closeObjects(child)
		}
	}
}

// find returns the operation of a request whose path is relative to the base.
func (j *judge) find(method, path string) *documented {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	path, csv := strings.CutSuffix(path, ".csv")
	segments := strings.Split(path, "/")
	for i := range j.operations {
		o := &j.operations[i]
		if o.method != method || len(o.segments) != len(segments) {
			continue
		}
		fits := true
		for k, segment := range o.segments {
			fits = fits && (segment == segments[k] || strings.HasPrefix(segment, "{"))
		}
		if _, table := o.responses["200"].Content["text/csv"]; fits && (table || !csv) {
			return o
		}
	}
	return nil
}

// check reports whatever in a JSON answer the document does not say.
func (j *judge) check(t testing.TB, o *documented, status int, code string, raw []byte) {
	t.Helper()
	number := strconv.Itoa(status)
	described, ok := o.responses[number]
	if !ok {
		t.Errorf("%s answered %s, which its document does not know", o.id, number)
		return
	}
	if code != "" && !strings.Contains(described.Description, "`"+code+"`") {
		t.Errorf("%s answered %s %s; its document knows %s", o.id, number, code, described.Description)
	}
	escaped := strings.NewReplacer("~", "~0", "/", "~1").Replace(o.path)
	pointer := "/paths/" + escaped + "/" + strings.ToLower(o.method) + "/responses/" + number + "/content/application~1json/schema"
	j.fits(t, pointer, raw)
}

// fits holds a JSON text against a schema of the document.
func (j *judge) fits(t testing.TB, pointer string, raw []byte) {
	t.Helper()
	schema, err := j.schema(pointer)
	if err != nil {
		t.Errorf("no schema at %s: %v", pointer, err)
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Errorf("not JSON: %v\n%s", err, raw)
		return
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("the answer does not fit the document: %v\n%s", err, raw)
	}
}

func (j *judge) schema(pointer string) (*jsonschema.Schema, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if s := j.schemas[pointer]; s != nil {
		return s, nil
	}
	s, err := j.compiler.Compile(documentURL + "#" + strings.NewReplacer("{", "%7B", "}", "%7D").Replace(pointer))
	if err == nil {
		j.schemas[pointer] = s
	}
	return s, err
}

// lists are the paths of all lists, the feed among them, but those within a
// record.
func (j *judge) lists() []string {
	var paths []string
	for _, o := range j.operations {
		if _, csv := o.responses["200"].Content["text/csv"]; csv {
			paths = append(paths, o.path)
		}
	}
	return slices.DeleteFunc(paths, func(path string) bool { return strings.Contains(path, "{") })
}

// records are the paths of the lists of what the company is and what happened
// to it: all but the list of its clients' own calls.
func (j *judge) records() []string {
	return slices.DeleteFunc(j.lists(), func(path string) bool { return path == "/requests" })
}

func TestTheDocumentIsWhatItSaysItIs(t *testing.T) {
	t.Parallel()
	rows(t, "SVC.BASE")
	document, err := openapi3.NewLoader().LoadFromData(shared.judge.raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := document.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(document.OpenAPI, "3.1") || len(document.Servers) != 1 || document.Servers[0].URL != shared.BaseURL {
		t.Errorf("OpenAPI %s with servers %v, want 3.1 with %s", document.OpenAPI, document.Servers, shared.BaseURL)
	}
	for path := range document.Paths.Map() {
		if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "/v1") {
			t.Errorf("the path %s is not relative to the base URL", path)
		}
	}
}
