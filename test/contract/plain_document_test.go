package contract

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// fetch reads a document of the server, outside the API.
func fetch(t *testing.T, path string) (status int, body []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(shared.BaseURL, "/v1")+path,
		http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err = io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, body
}

// forms counts the members of a document by their names.
func forms(node any, counted map[string]int) {
	switch node := node.(type) {
	case map[string]any:
		for name, child := range node {
			counted[name]++
			forms(child, counted)
		}
	case []any:
		for _, child := range node {
			forms(child, counted)
		}
	}
}

// TestThePlainDocumentHasTheSameOperations, with the same parameters and bodies, in fewer forms.
func TestThePlainDocumentHasTheSameOperations(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.DOC.PLAIN")
	status, raw := fetch(t, "/openapi.json?profile=plain")
	plain, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil || status != http.StatusOK {
		t.Fatalf("%d, %v", status, err)
	}
	if err := plain.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	whole, err := openapi3.NewLoader().LoadFromData(shared.judge.raw)
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range whole.Paths.Map() {
		if strings.HasSuffix(path, ".csv") {
			continue
		}
		for method, op := range item.Operations() {
			same := plain.Paths.Value(path)
			if same == nil || same.GetOperation(method) == nil {
				t.Errorf("%s %s is not in the plain document", method, path)
				continue
			}
			other := same.GetOperation(method)
			statuses := slices.Sorted(maps.Keys(op.Responses.Map()))
			others := slices.Sorted(maps.Keys(other.Responses.Map()))
			if encode(t, op.Parameters) != encode(t, other.Parameters) ||
				encode(t, op.RequestBody) != encode(t, other.RequestBody) || !slices.Equal(statuses, others) {
				t.Errorf("%s %s has other parameters, another body or other responses there", method, path)
			}
		}
	}
	if len(plain.Paths.Map()) >= len(whole.Paths.Map()) {
		t.Error("the plain document has the CSV of lists")
	}
	var document any
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	counted := map[string]int{}
	forms(document, counted)
	for _, form := range []string{"oneOf", "not", "discriminator"} {
		if counted[form] > 0 {
			t.Errorf("the plain document has %s %d times", form, counted[form])
		}
	}
	if status, text := fetch(t, "/openapi.yaml?profile=plain"); status != http.StatusOK ||
		strings.Contains(string(text), "oneOf") {
		t.Errorf("as YAML it is answered %d", status)
	}
	if status, text := fetch(t, "/openapi.json?profile=fancy"); status != http.StatusBadRequest {
		t.Errorf("an unknown profile is answered %d %.100s", status, text)
	}
}

// TestHeadersAndTablesAreDeclared where a generator of clients reads them.
func TestHeadersAndTablesAreDeclared(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.DOC.HEADERS", "OPEN.DOC.CSV")
	n := calmCompany(t, "auto", nil)
	for path, want := range map[string][]string{
		"/office/sales-orders": {"Etag", "Link"}, "/office/sales-orders.csv": {"Etag", "Link"},
		"/sandbox/checkpoints.csv": {"Etag", "Link"}, "/office/market/trades.csv": {"Etag", "Link"},
		"/sandbox": {"Etag"},
	} {
		o := shared.judge.find(http.MethodGet, path)
		var declared []string
		for name := range o.responses["200"].Headers {
			declared = append(declared, http.CanonicalHeaderKey(name))
		}
		if slices.Sort(declared); !slices.Equal(declared, want) {
			t.Errorf("%s declares %v, want %v", path, declared, want)
		}
		a := n.call(http.MethodGet, path+"?limit=1", "")
		if path == "/sandbox" {
			a = n.call(http.MethodGet, path, "")
		}
		if a.want(http.StatusOK, ""); a.Header.Get("Etag") == "" {
			t.Errorf("%s has no ETag", path)
		}
		if csv := o.responses["200"].Content["text/csv"] != nil; csv != strings.HasSuffix(path, ".csv") {
			t.Errorf("%s is declared as CSV: %t", path, csv)
		}
	}
	write := shared.judge.find(http.MethodPost, "/factory/print-runs").responses
	if write["201"].Headers["Idempotency-Replayed"] == nil || write["default"].Headers["Retry-After"] == nil {
		t.Errorf("a print run declares %v", write)
	}
}
