package contract

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"platen/internal/testclient"
)

const documentURL = "https://platen.test/openapi.json"

// judge knows what a server's own document says about each of its answers.
type judge struct {
	raw        []byte
	compiler   *jsonschema.Compiler
	operations []documented
	// tables are the twins of lists whose paths end in .csv.
	tables []documented
	// webhooks are the media types of their bodies, by event type.
	webhooks map[string]json.RawMessage

	mu      sync.Mutex // guards compiled, and the compiler
	schemas map[string]*jsonschema.Schema

	// known are the rows of lists that were judged: their SHA-256 with the path of
	// their operation.
	known sync.Map
}

// documented is one operation of the document.
type documented struct {
	id, method, path string
	segments         []string
	parameters       []parameter
	hasBody          bool
	bodyOptional     bool
	deprecated       bool
	// body is the media types of the request's body.
	body      map[string]json.RawMessage
	responses map[string]response
}

type parameter struct {
	Name     string `json:"name"`
	In       string `json:"in"`
	Required bool   `json:"required"`
}

type requestBody struct {
	Required bool                       `json:"required"`
	Content  map[string]json.RawMessage `json:"content"`
}

type response struct {
	Description string                     `json:"description"`
	Content     map[string]json.RawMessage `json:"content"`
	Headers     map[string]json.RawMessage `json:"headers"`
}

// judges are those that were made, by the text of their document without the
// address of its server.
var judges = struct {
	sync.Mutex
	byText map[string]*judge
}{byText: map[string]*judge{}}

func newJudge(t testing.TB, origin string) *judge {
	t.Helper()
	raw := testclient.Request{Method: http.MethodGet, URL: origin + "/openapi.json"}.
		Send(t).Want(http.StatusOK, "").Raw
	// Servers differ in their address only. One reading serves all of them.
	key := strings.ReplaceAll(string(raw), origin, "")
	judges.Lock()
	defer judges.Unlock()
	if j := judges.byText[key]; j != nil {
		return j
	}
	j := &judge{
		raw: raw, compiler: jsonschema.NewCompiler(), webhooks: map[string]json.RawMessage{},
		schemas: map[string]*jsonschema.Schema{},
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("/openapi.json: %v", err)
	}
	document = resolved(t, document, document)
	j.readOperations(t, document)
	closeObjects(document)
	j.compiler.AssertFormat()
	if err := j.compiler.AddResource(documentURL, document); err != nil {
		t.Fatalf("/openapi.json: %v", err)
	}
	judges.byText[key] = j
	return j
}

// resolved puts what the document keeps among its components, schemas aside,
// in the place of the references to it.
func resolved(t testing.TB, node, document any) any {
	t.Helper()
	switch node := node.(type) {
	case map[string]any:
		ref, _ := node["$ref"].(string)
		if path, ok := strings.CutPrefix(ref, "#/components/"); ok && !strings.HasPrefix(path, "schemas/") {
			kind, name, _ := strings.Cut(path, "/")
			components, _ := document.(map[string]any)["components"].(map[string]any)
			of, _ := components[kind].(map[string]any)
			if of[name] == nil {
				t.Fatalf("/openapi.json: nothing is at %s", ref)
			}
			return resolved(t, of[name], document)
		}
		whole := make(map[string]any, len(node))
		for name, child := range node {
			whole[name] = resolved(t, child, document)
		}
		return whole
	case []any:
		whole := make([]any, len(node))
		for i, child := range node {
			whole[i] = resolved(t, child, document)
		}
		return whole
	}
	return node
}

func (j *judge) readOperations(t testing.TB, whole any) {
	t.Helper()
	raw, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string              `json:"operationId"`
			Parameters  []parameter         `json:"parameters"`
			RequestBody *requestBody        `json:"requestBody"`
			Deprecated  bool                `json:"deprecated"`
			Responses   map[string]response `json:"responses"`
		} `json:"paths"`
		Webhooks map[string]struct {
			Post struct {
				RequestBody requestBody `json:"requestBody"`
			} `json:"post"`
		} `json:"webhooks"`
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatalf("/openapi.json: %v", err)
	}
	for path, methods := range document.Paths {
		for method, op := range methods {
			o := documented{
				id: op.OperationID, method: strings.ToUpper(method), path: path, segments: strings.Split(path, "/"),
				parameters: op.Parameters, hasBody: op.RequestBody != nil, deprecated: op.Deprecated,
				responses: op.Responses,
			}
			if op.RequestBody != nil {
				o.body, o.bodyOptional = op.RequestBody.Content, !op.RequestBody.Required
			}
			if strings.HasSuffix(path, ".csv") {
				j.tables = append(j.tables, o)
			} else {
				j.operations = append(j.operations, o)
			}
		}
	}
	for name, item := range document.Webhooks {
		j.webhooks[name] = item.Post.RequestBody.Content["application/json"]
	}
	slices.SortFunc(j.operations, func(a, b documented) int {
		return strings.Compare(a.path+a.method, b.path+b.method)
	})
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
	segments := strings.Split(path, "/")
	for i := range j.tables {
		if table := &j.tables[i]; table.is(method, segments) {
			return table
		}
	}
	for i := range j.operations {
		if o := &j.operations[i]; o.is(method, segments) {
			return o
		}
	}
	return nil
}

// is reports whether the path of a request, in segments, is the operation's.
func (o *documented) is(method string, segments []string) bool {
	if o.method != method || len(o.segments) != len(segments) {
		return false
	}
	for k, segment := range o.segments {
		if segment != segments[k] && !strings.HasPrefix(segment, "{") {
			return false
		}
	}
	return true
}

// check reports whatever in a JSON answer the document does not say.
func (j *judge) check(t testing.TB, o *documented, status int, code string, body any) {
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
	pointer := "/paths/" + escaped + "/" + strings.ToLower(o.method) + "/responses/" + number +
		"/content/application~1json/schema"
	if err := j.validateValue(pointer, body); err != nil {
		t.Errorf("the answer does not fit the document: %v\n%v", err, body)
	}
}

// unjudged is a decoded answer without those rows of its list that were in an
// answer of the same operation before, to the byte. Tests read whole lists again
// and again, and a row is judged by itself: no schema of a list says anything of
// how many rows there are.
func (j *judge) unjudged(o *documented, raw []byte, body map[string]any) map[string]any {
	data, _ := body["data"].(map[string]any)
	items, _ := data["items"].([]any)
	var list struct {
		Data struct {
			Items []json.RawMessage `json:"items"`
		} `json:"data"`
	}
	if o == nil || len(items) == 0 || json.Unmarshal(raw, &list) != nil || len(list.Data.Items) != len(items) {
		return body
	}
	fresh := make([]any, 0, len(items))
	for i, row := range list.Data.Items {
		if _, known := j.known.LoadOrStore(sha256.Sum256(append([]byte(o.path+" "), row...)), nil); !known {
			fresh = append(fresh, items[i])
		}
	}
	data, body = maps.Clone(data), maps.Clone(body)
	data["items"], body["data"] = fresh, data
	return body
}

// fits holds a JSON text against a schema of the document.
func (j *judge) fits(t testing.TB, pointer string, raw []byte) {
	t.Helper()
	if err := j.validate(pointer, raw); err != nil {
		t.Errorf("the answer does not fit the document: %v\n%s", err, raw)
	}
}

func (j *judge) validate(pointer string, raw []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	return j.validateValue(pointer, value)
}

// validateValue takes a decoded JSON text whose numbers are json.Number.
func (j *judge) validateValue(pointer string, value any) error {
	schema, err := j.schema(pointer)
	if err != nil {
		return fmt.Errorf("no schema at %s: %w", pointer, err)
	}
	return schema.Validate(value)
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
	// A poll has the form of a list, and wants to be told where to go on.
	return slices.DeleteFunc(paths, func(path string) bool {
		return strings.Contains(path, "{") || path == "/events/poll"
	})
}

// records are the paths of the lists of what the company is and what happened
// to it: all but the list of its clients' own calls, and what is computed from records.
func (j *judge) records() []string {
	return slices.DeleteFunc(j.lists(), func(path string) bool {
		return path == "/requests" || path == "/sandbox/faults" || path == "/sandbox/integration/findings"
	})
}

// undescribed are headers that every HTTP answer may have, or every answer of
// this server whatever was asked.
var undescribed = []string{
	"Content-Type", "Content-Length", "Date", "Connection", "X-Content-Type-Options", "Content-Security-Policy",
}

// headers reports headers of an answer that the document does not describe for
// its status, and those that it promises for every answer and that are missing.
func (j *judge) headers(t testing.TB, o *documented, status int, sent http.Header) {
	t.Helper()
	described, ok := o.responses[strconv.Itoa(status)]
	if !ok {
		return // check says so
	}
	known := map[string]bool{}
	for name := range described.Headers {
		known[http.CanonicalHeaderKey(name)] = true
	}
	for name := range sent {
		if !known[http.CanonicalHeaderKey(name)] && !slices.Contains(undescribed, name) {
			t.Errorf("%s answered %d with the header %s, which its document does not know", o.id, status, name)
		}
	}
	for _, name := range []string{
		"Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "RateLimit", "RateLimit-Policy", "Cache-Control",
		"Vary",
	} {
		if !known[http.CanonicalHeaderKey(name)] || sent[http.CanonicalHeaderKey(name)] == nil {
			t.Errorf("%s answered %d: the header %s is described: %t, sent: %t",
				o.id, status, name, known[http.CanonicalHeaderKey(name)], sent[http.CanonicalHeaderKey(name)] != nil)
		}
	}
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
	if !strings.HasPrefix(document.OpenAPI, "3.1") || len(document.Servers) != 1 ||
		document.Servers[0].URL != shared.BaseURL {
		t.Errorf("OpenAPI %s with servers %v, want 3.1 with %s", document.OpenAPI, document.Servers, shared.BaseURL)
	}
	for path := range document.Paths.Map() {
		if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "/v1") {
			t.Errorf("the path %s is not relative to the base URL", path)
		}
	}
}
