package postman

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"platen/platentest"
	"platen/test/testclient"
)

// newman is Postman's runner: npm ci installs it.
const newman = "../../build/tools/postman/node_modules/newman/bin/newman.js"

type collection struct {
	Info struct{ Schema string }
	Item []item
	// Variable has the variables and their first values.
	Variable []parameter
}

type item struct {
	Name    string
	Auth    *auth
	Item    []item
	Event   []struct{ Script struct{ Exec []string } }
	Request *struct {
		Method string
		Auth   *auth
		URL    struct {
			Raw   string
			Query []parameter
		}
		Header []parameter
		Body   *struct{ Raw string }
	}
}

type auth struct {
	Type   string
	Bearer []parameter
}

type parameter struct {
	Key, Value string
	Disabled   bool
}

// runner sends the requests of a collection, as Postman does.
type runner struct {
	values map[string]string
	guids  int
	// sent has the idempotency keys, as they are in the collection.
	sent []string
}

var variable = regexp.MustCompile(`\{\{[^}]+\}\}`)

// fill puts the values of variables in their place, and fails for one that no request has kept.
func (r *runner) fill(t *testing.T, text string) string {
	t.Helper()
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		name := strings.Trim(found, "{}")
		if name == "$guid" {
			r.guids++
			return fmt.Sprintf("00000000-0000-4000-8000-%012d", r.guids)
		}
		if r.values[name] == "" {
			t.Errorf("%s has no value", found)
		}
		return r.values[name]
	})
}

// The lines of a script, as the collection has them.
var (
	wantsStatus = regexp.MustCompile(`^pm\.test\('responds with \d+', ` +
		`\(\) => pm\.response\.to\.have\.status\((\d+)\)\);$`)
	expects = regexp.MustCompile(`^pm\.test\('.+', ` +
		`\(\) => pm\.expect\(pm\.response\.json\(\)\.data\.(\S+)\)\.to\.equal\('(.+)'\)\);$`)
	keeps = regexp.MustCompile(`^pm\.collectionVariables\.set\('(\w+)', pm\.response\.json\(\)\.data\.(\S+)\);$`)
)

// run sends a request, and does what its script says.
func (r *runner) run(t *testing.T, i *item, inherited *auth) {
	t.Helper()
	a := i.Request.Auth
	if a == nil {
		a = inherited
	}
	var body io.Reader = http.NoBody
	if i.Request.Body != nil {
		body = strings.NewReader(r.fill(t, i.Request.Body.Raw))
	}
	request, err := http.NewRequestWithContext(t.Context(), i.Request.Method, r.fill(t, i.Request.URL.Raw), body)
	if err != nil {
		t.Fatal(err)
	}
	if i.Request.Body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, h := range i.Request.Header {
		if h.Disabled {
			continue
		}
		if h.Key == "Idempotency-Key" {
			r.sent = append(r.sent, h.Value)
		}
		request.Header.Set(h.Key, r.fill(t, h.Value))
	}
	if a != nil && a.Type == "bearer" {
		request.Header.Set("Authorization", "Bearer "+r.fill(t, a.Bearer[0].Value))
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var whole struct{ Data any }
	if err := json.Unmarshal(raw, &whole); err != nil {
		t.Fatalf("%s: %v in %s", i.Name, err, raw)
	}
	checked := false
	for _, line := range i.Event[0].Script.Exec {
		switch {
		case wantsStatus.MatchString(line):
			checked = true
			want := wantsStatus.FindStringSubmatch(line)[1]
			if want != strconv.Itoa(answer.StatusCode) || want[0] != '2' {
				t.Errorf("%s: %s %s: %d, want %s: %s",
					i.Name, request.Method, request.URL, answer.StatusCode, want, raw)
			}
		case expects.MatchString(line):
			m := expects.FindStringSubmatch(line)
			if got := at(whole.Data, m[1]); got != m[2] {
				t.Errorf("%s: %s is %q, want %q", i.Name, m[1], got, m[2])
			}
		case keeps.MatchString(line):
			m := keeps.FindStringSubmatch(line)
			if r.values[m[1]] = at(whole.Data, m[2]); r.values[m[1]] == "" {
				t.Errorf("%s: nothing is at %s, for {{%s}}: %s", i.Name, m[2], m[1], raw)
			}
		default:
			t.Errorf("%s: a script has the line %s", i.Name, line)
		}
	}
	if !checked {
		t.Errorf("%s: no script checks the status", i.Name)
	}
}

// at is the value at a path such as items[0].id, as text.
func at(data any, path string) string {
	for part := range strings.SplitSeq(strings.NewReplacer("[", ".", "]", "").Replace(path), ".") {
		switch of := data.(type) {
		case map[string]any:
			data = of[part]
		case []any:
			n, err := strconv.Atoi(part)
			if err != nil || n >= len(of) {
				return ""
			}
			data = of[n]
		default:
			return ""
		}
	}
	if data == nil {
		return ""
	}
	return fmt.Sprint(data)
}

func get(t *testing.T, url string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s (%v)", url, answer.Status, err)
	}
	return raw
}

// requests are those of a collection, in their order.
func requests(items []item, inherited *auth, each func(*item, *auth)) {
	for n := range items {
		i, a := &items[n], inherited
		if i.Auth != nil {
			a = i.Auth
		}
		if i.Request != nil {
			each(i, a)
		}
		requests(i.Item, a, each)
	}
}

// TestEveryRequestOfTheCollectionSucceeds in its order (contract: OPEN.DOC.POSTMAN).
func TestEveryRequestOfTheCollectionSucceeds(t *testing.T) {
	t.Parallel()
	p := platentest.Start(t)
	var c collection
	raw := get(t, p.Origin+"/postman.json")
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	if c.Info.Schema != "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" {
		t.Errorf("the format is %s", c.Info.Schema)
	}
	r := &runner{values: map[string]string{}}
	for _, v := range c.Variable {
		r.values[v.Key] = v.Value
	}
	if r.values["base_url"] != p.BaseURL || r.values["office_key"] != "" || r.values["factory_key"] != "" {
		t.Errorf("the variables begin as %v", r.values)
	}
	if strings.Contains(string(raw), "lab_off_") || strings.Contains(string(raw), "lab_fac_") {
		t.Error("the collection holds a key")
	}
	n := 0
	requests(c.Item, nil, func(i *item, a *auth) { n++; r.run(t, i, a) })
	for _, key := range r.sent {
		if !strings.Contains(key, "{{") {
			t.Errorf("two people would share the idempotency key %s", key)
		}
	}
	t.Logf("%d requests, %d bytes", n, len(raw))
}

// TestNewmanRunsTheCollection without a failed assertion, a failed script or an error.
func TestNewmanRunsTheCollection(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "every request of the collection succeeds, sent by Go")
	node := testclient.Need(t, "node")
	if _, err := os.Stat(newman); err != nil {
		if os.Getenv("PLATEN_TEST_ALL") != "" {
			t.Fatalf("%v; npm ci --prefix build/tools/postman installs it", err)
		}
		t.Skip("SKIPPED: newman is not installed: npm ci --prefix build/tools/postman")
	}
	p := platentest.Start(t)
	report := filepath.Join(t.TempDir(), "report.json")
	out, err := exec.CommandContext(t.Context(), node, newman, "run", p.Origin+"/postman.json", "--color", "off",
		"--reporters", "cli,json", "--reporter-json-export", report,
		"--reporter-cli-no-success-assertions").CombinedOutput()
	if err != nil {
		t.Fatalf("newman: %v\n%s", err, out)
	}
	raw, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		Run struct {
			Stats    map[string]struct{ Total, Failed int }
			Failures []any
		}
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		t.Fatal(err)
	}
	sent, tests := said.Run.Stats["requests"], said.Run.Stats["assertions"]
	if sent.Total == 0 || tests.Total < sent.Total || sent.Failed+tests.Failed+len(said.Run.Failures) > 0 {
		t.Errorf("%d requests, %d failed; %d tests, %d failed", sent.Total, sent.Failed, tests.Total, tests.Failed)
	}
	t.Logf("newman: %d requests, %d tests, none failed", sent.Total, tests.Total)
}
