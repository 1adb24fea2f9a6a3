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

	"platen/test/testclient"
)

const documentURL = "https://platen.test/openapi.json"

// judge knows what a server's own document says about each of its answers.
type judge struct {
	raw        []byte
	compiler   *jsonschema.Compiler
	operations []documented
	// tables are the twins of lists whose paths end in .csv.
	tables []documented
	// eventTypes are those of the feed.
	eventTypes []string
	// errors are the statuses of all codes; general are the codes that any operation can have.
	errors  map[string]int
	general []string
	// sent are the headers that any response has, or has where its operation is deprecated.
	sent struct{ Always, Deprecated map[string]string }

	mu      sync.Mutex // guards compiled, and the compiler
	schemas map[string]*jsonschema.Schema

	// known are the rows of lists, and the rest of answers, that were judged: the
	// SHA-256 of how they look, with their operation.
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
	// listed is set for a list, which comes as CSV, too.
	listed bool
	// body is the media types of the request's body.
	body      map[string]json.RawMessage
	responses map[string]response
	// codes are those of this operation beside those of any.
	codes []string
}

type parameter struct {
	Name     string `json:"name"`
	In       string `json:"in"`
	Required bool   `json:"required"`
	Schema   struct {
		Enum []string `json:"enum"`
	} `json:"schema"`
}

type requestBody struct {
	Required bool                       `json:"required"`
	Content  map[string]json.RawMessage `json:"content"`
}

type response struct {
	Content map[string]json.RawMessage `json:"content"`
	Headers map[string]json.RawMessage `json:"headers"`
}

// judges are those that were made, by the text of their document without the
// address of its server.
var judges = struct {
	sync.Mutex
	byText map[string]*judge
}{byText: map[string]*judge{}}

func newJudge(t testing.TB, s *service) *judge {
	t.Helper()
	raw := s.ask(t, testclient.Request{Method: http.MethodGet, URL: s.Origin + "/openapi.json"}).
		Want(http.StatusOK, "").Raw
	// Servers differ in their address only. One reading serves all of them.
	key := strings.ReplaceAll(string(raw), s.Origin, "")
	judges.Lock()
	defer judges.Unlock()
	if j := judges.byText[key]; j != nil {
		return j
	}
	j := &judge{
		raw: raw, compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{},
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("/openapi.json: %v", err)
	}
	document = resolved(t, document, document)
	j.readOperations(t, document)
	closeObjects(document)
	closeEnumerations(document)
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
			Description string              `json:"description"`
			Deprecated  bool                `json:"deprecated"`
			Responses   map[string]response `json:"responses"`
			Codes       []string            `json:"x-error-codes"`
		} `json:"paths"`
		Components struct {
			Responses map[string]struct {
				Codes []string `json:"x-error-codes"`
			} `json:"responses"`
			Schemas map[string]struct {
				Discriminator struct {
					Mapping map[string]string `json:"mapping"`
				} `json:"discriminator"`
			} `json:"schemas"`
		} `json:"components"`
		Headers struct{ Always, Deprecated map[string]string } `json:"x-response-headers"`
		Errors  map[string]struct{ Status int }                `json:"x-errors"`
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatalf("/openapi.json: %v", err)
	}
	exported := map[string]map[string]response{}
	for path, methods := range document.Paths {
		for method, op := range methods {
			if strings.HasSuffix(path, ".csv") {
				lists := []string{path}
				if last := op.Parameters[len(op.Parameters)-1]; last.Name == "list" {
					lists = last.Schema.Enum
				}
				for _, name := range lists {
					exported[strings.Replace(path, "{list}", name, 1)] = op.Responses
				}
				continue
			}
			o := documented{
				id: op.OperationID, method: strings.ToUpper(method), path: path, segments: strings.Split(path, "/"),
				parameters: op.Parameters, hasBody: op.RequestBody != nil, deprecated: op.Deprecated,
				responses: op.Responses, codes: op.Codes,
			}
			if op.RequestBody != nil {
				o.body, o.bodyOptional = op.RequestBody.Content, !op.RequestBody.Required
			}
			o.listed = strings.Contains(op.Description, "Also as CSV")
			j.operations = append(j.operations, o)
			if o.listed {
				o.path += ".csv"
				o.segments = strings.Split(o.path, "/")
				j.tables = append(j.tables, o)
			}
		}
	}
	for i := range j.tables {
		table := &j.tables[i]
		if table.path == "/events/poll.csv" {
			continue // the same events as /events.csv has
		}
		responses, ok := exported[table.path]
		if !ok {
			t.Errorf("/openapi.json has no CSV at %s", table.path)
		}
		table.responses = responses
		delete(exported, table.path)
	}
	if len(exported) > 0 {
		t.Errorf("/openapi.json has the CSV of no list: %v", exported)
	}
	j.sent, j.general, j.errors = document.Headers, document.Components.Responses["Failure"].Codes, map[string]int{}
	for code, e := range document.Errors {
		j.errors[code] = e.Status
	}
	j.eventTypes = slices.Collect(maps.Keys(document.Components.Schemas["KnownEvent"].Discriminator.Mapping))
	if len(j.general) == 0 || len(j.errors) == 0 || len(j.eventTypes) == 0 || len(j.sent.Always) == 0 {
		t.Fatal("/openapi.json lacks the codes, the headers or the types of events")
	}
	slices.SortFunc(j.operations, func(a, b documented) int {
		return strings.Compare(a.path+a.method, b.path+b.method)
	})
}

// closeObjects makes every object of a document refuse members that it does
// not describe, unless it says itself that it takes any. Of an object in parts
// the whole is closed, and not its parts.
func closeObjects(document any) {
	parts := map[string]bool{}
	partsOf(document, parts)
	closeBut(document, "", parts)
}

// closeEnumerations lets responses have no other values than today's, and events no other types: a new
// one is to be named.
func closeEnumerations(node any) {
	switch node := node.(type) {
	case map[string]any:
		if node["OtherEvent"] != nil {
			node["OtherEvent"] = false
		}
		if values, ok := node["x-extensible-enum"].([]any); ok {
			node["enum"] = append(slices.Clone(values), nil) // null where the type allows it
		}
		for _, child := range node {
			closeEnumerations(child)
		}
	case []any:
		for _, child := range node {
			closeEnumerations(child)
		}
	}
}

// partsOf finds the components that are parts of others.
func partsOf(node any, parts map[string]bool) {
	switch node := node.(type) {
	case map[string]any:
		all, _ := node["allOf"].([]any)
		for _, part := range all {
			if ref, ok := part.(map[string]any)["$ref"].(string); ok {
				parts[strings.TrimPrefix(ref, "#/components/schemas/")] = true
			}
		}
		for _, child := range node {
			partsOf(child, parts)
		}
	case []any:
		for _, child := range node {
			partsOf(child, parts)
		}
	}
}

// closeBut closes what is below a node, which has a name in its object.
func closeBut(node any, name string, parts map[string]bool) {
	switch node := node.(type) {
	case map[string]any:
		_, described := node["properties"].(map[string]any)
		_, says := node["additionalProperties"]
		if described && !says && node["type"] == "object" && !parts[name] {
			node["additionalProperties"] = false
		}
		all, whole := node["allOf"].([]any)
		if whole && !parts[name] {
			node["unevaluatedProperties"] = false
		}
		for name, child := range node {
			if name != "allOf" {
				closeBut(child, name, parts)
			}
		}
		for _, part := range all {
			properties, _ := part.(map[string]any)["properties"].(map[string]any)
			for name, child := range properties {
				closeBut(child, name, map[string]bool{})
			}
		}
	case []any:
		for _, child := range node {
			closeBut(child, "", parts)
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
	known := slices.Contains(j.general, code) || slices.Contains(o.codes, code)
	if code != "" && (!known || j.errors[code] != status) {
		t.Errorf("%s answered %s %s; its document knows %v", o.id, number, code, o.codes)
	}
	if _, ok := o.responses[number]; !ok && slices.Contains(j.general, code) {
		number = "default"
	}
	if _, ok := o.responses[number]; !ok {
		t.Errorf("%s answered %s, which its document does not know", o.id, number)
		return
	}
	escaped := strings.NewReplacer("~", "~0", "/", "~1").Replace(strings.TrimSuffix(o.path, ".csv"))
	pointer := "/paths/" + escaped + "/" + strings.ToLower(o.method) + "/responses/" + number +
		"/content/application~1json/schema"
	if err := j.validateValue(pointer, body); err != nil {
		t.Errorf("the answer does not fit the document: %v\n%v", err, body)
	}
}

// unjudged is a decoded answer without those rows of its list that were judged before,
// nil when there is nothing new in all of it. Tests read whole lists again and again, and a
// row is judged by itself: no schema of a list says anything of how many rows there are.
func (j *judge) unjudged(o *documented, status int, raw []byte, body map[string]any) map[string]any {
	data, _ := body["data"].(map[string]any)
	items, _ := data["items"].([]any)
	var list struct {
		Data struct {
			Items []json.RawMessage `json:"items"`
		} `json:"data"`
	}
	if o == nil {
		return body
	}
	if len(items) == 0 || json.Unmarshal(raw, &list) != nil || len(list.Data.Items) != len(items) {
		if !testclient.Thorough() && !j.isNew(o, status, raw) {
			return nil
		}
		return body
	}
	fresh := make([]any, 0, len(items))
	for i, row := range list.Data.Items {
		if j.isNew(o, status, row) {
			fresh = append(fresh, items[i])
		}
	}
	data, body = maps.Clone(data), maps.Clone(body)
	data["items"], body["data"] = fresh, data
	return body
}

// isNew reports whether no text like it was judged before. In make check only the same
// text is like another. Else two texts are alike that differ in digits and ids.
func (j *judge) isNew(o *documented, status int, text []byte) bool {
	seen := fmt.Appendf(nil, "%s %s %d ", o.method, o.path, status)
	if testclient.Thorough() {
		seen = append(seen, text...)
	} else {
		seen = appendLook(seen, text)
	}
	_, known := j.known.LoadOrStore(sha256.Sum256(seen), nil)
	return !known
}

// idLength is how long what follows the prefix of an id is.
const idLength = 13

// appendLook appends a text with 0 for each digit and for the part of an id that makes it
// unique.
func appendLook(look, text []byte) []byte {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '_' && i+idLength < len(text) && isID(text[i+1:i+1+idLength]) {
			look, i = append(look, '_', '0'), i+idLength
			continue
		}
		if c >= '0' && c <= '9' {
			c = '0'
		}
		look = append(look, c)
	}
	return look
}

// isID reports whether a text could make an id unique: letters and at least one digit.
func isID(text []byte) bool {
	digits := 0
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c < 'a' || c > 'z':
			return false
		}
	}
	return digits > 0
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
		if o.listed {
			paths = append(paths, o.path)
		}
	}
	// A poll has the form of a list, and needs to be told where to go on.
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
	known := map[string]bool{}
	for _, names := range []map[string]string{j.sent.Always, j.sent.Deprecated} {
		for name := range names {
			known[http.CanonicalHeaderKey(name)] = true
		}
	}
	of, particular := o.responses[strconv.Itoa(status)]
	if !particular {
		of = o.responses["default"]
	}
	for name := range of.Headers {
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
