package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"platen/test/testclient"
)

// wrongValues are values that some field does not take.
func wrongValues() []any {
	return []any{
		nil, true, "", "\u202e", strings.Repeat("x", 300), -1, 0, 1.5, json.Number("1e99"),
		json.Number("9223372036854775808"), []any{}, []any{"", nil}, object{}, object{"a": 1},
	}
}

// wrongIDs are texts that stand for no record, or for one of another kind. A path with "." or ".." is not clean; an
// agent has no path (TestTheSecondDoorRefusesWhatTheFirstDoes).
var wrongIDs = []string{"so_nothing", "SO-9999", "so-1001", " SO-1001", "a/b", "%2e", "ü", strings.Repeat("i", 300)}

// wrongQueries are queries that lists refuse.
var wrongQueries = []string{
	"limit=0", "limit=101", "limit=x", "limit=", "limit=05", "limit=1&limit=2", "limit=1e1", "cursor=", "cursor=abc",
	"cursor=null", "updated_since=yesterday", "updated_since=2026-09-07", "colour=red", "Limit=3",
	"status=", "status=nonsense", "sku=", "types=nonsense", "system=nobody", "after_seq=x",
	"after_seq=9223372036854775808", "week_start=monday", "date=x",
}

// wrongKeys are no idempotency keys. An empty one, and one with control characters, break a rule of the tool's
// argument, which HTTP does not have.
var wrongKeys = []string{"ü", "a b", strings.Repeat("k", 65)}

// spoiled are forms of a write that are wrong, or may be.
func spoiled(t *testing.T, right request) []request {
	t.Helper()
	var all []request
	add := func(body string) {
		wrong := right.under(freshKey())
		wrong.body = body
		all = append(all, wrong)
	}
	for _, body := range []string{
		"null", "[]", `"x"`, "{", "{}", "1", `{"a":1,"a":2}`, "{} {}", `{"unknown":1}`, "not JSON",
	} {
		add(body)
	}
	var fields object
	if right.body != "" {
		if err := json.Unmarshal([]byte(right.body), &fields); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		less := maps.Clone(fields)
		delete(less, name)
		add(encode(t, less))
		for _, value := range wrongValues() {
			other := maps.Clone(fields)
			other[name] = value
			add(encode(t, other))
		}
	}
	for _, key := range wrongKeys {
		wrong := right
		wrong.headers = []string{"Idempotency-Key", key}
		all = append(all, wrong)
	}
	wrong := right.under(freshKey())
	wrong.path += "?colour=red"
	return append(all, wrong)
}

// right is a write with a body that is well-formed.
func (n *tenant) right(path, body string) request {
	return request{method: http.MethodPost, path: path, body: body, key: n.keyFor(path)}
}

// doors sends requests through both doors of a sandbox: as an HTTP request, and as a call of call_operation.
type doors struct {
	*tenant
	agent *agent
	// compared counts the refusals that both gave, by code.
	compared map[string]int
}

// try sends a request, and where it is refused, sends it through the other door as well. A refusal changes nothing, so
// that the other door meets the same company.
func (d *doors) try(r request) {
	d.t.Helper()
	rest := d.send(d.t, r)
	if rest.Status < http.StatusBadRequest || rest.operation == nil {
		return
	}
	want := rest.Failure()
	arguments := d.arguments(r, rest.operation)
	envelope, refused := d.agent.tool("call_operation", arguments)
	if !refused {
		d.t.Errorf("%s is refused with %v, and call_operation %.300s is not", r, want["code"], arguments)
		return
	}
	got := child(d.t, envelope, "error")
	for _, name := range []string{"code", "details", "retryable"} {
		if encode(d.t, got[name]) != encode(d.t, want[name]) {
			d.t.Errorf("%s: %s is %v, and through call_operation %v: %v, %v", r, name, want[name], got[name],
				want["message"], got["message"])
			return
		}
	}
	d.compared[text(want, "code")]++
}

// arguments are those of call_operation for a request.
func (d *doors) arguments(r request, o *documented) string {
	path, query, _ := strings.Cut(r.path, "?")
	arguments := object{"operation": o.id}
	for i, segment := range strings.Split(path, "/") {
		if place := o.segments[i]; strings.HasPrefix(place, "{") {
			id, err := url.PathUnescape(segment)
			if err != nil {
				d.t.Fatal(err)
			}
			arguments[strings.Trim(place, "{}")] = id
		}
	}
	if query != "" {
		arguments["query"] = query
	}
	if r.body != "" {
		arguments["body"] = r.body
	}
	if len(r.headers) > 0 {
		arguments["idempotency_key"] = r.headers[1]
	}
	return encode(d.t, arguments)
}

// TestBothDoorsRefuseAlike: what HTTP refuses, an agent's tool refuses with the same code and the same details.
func TestBothDoorsRefuseAlike(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestTheSecondDoorRefusesWhatTheFirstDoes")
	rows(t, "OPEN.MCP.AS_REST")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	d := &doors{tenant: n, agent: shared.agent(t, n.office), compared: map[string]int{}}
	writes := n.writes()
	bodies := append(slices.Clip(writes),
		n.right("/webhooks", `{"url":"https://example.com/hook","events":["*"],"description":"a hook"}`),
		n.right("/office/timesheets", `{"week_start":"2026-09-07","entries":[{"badge_no":"1001","hours_worked":8}]}`),
		n.right("/office/payroll-runs", `{"week_start":"2026-09-07"}`))
	for _, right := range bodies {
		for _, wrong := range spoiled(t, right) {
			d.try(wrong)
		}
	}
	for i := range n.judge.operations {
		o := &n.judge.operations[i]
		key := n.keyFor(o.path)
		if strings.HasPrefix(o.path, "/queue/") {
			continue // it needs no key, so that no tool calls it
		}
		if o.method == http.MethodGet && !strings.Contains(o.path, "{") {
			for _, query := range wrongQueries {
				d.try(request{method: http.MethodGet, path: o.path + "?" + query, key: key})
			}
		}
		if o.path == "/sandbox/forks" || o.method == http.MethodDelete || !strings.Contains(o.path, "{id}") {
			continue
		}
		for _, id := range wrongIDs {
			path := strings.ReplaceAll(strings.ReplaceAll(o.path, "{id}", url.PathEscape(id)), "{delivery_id}", "whd_1")
			r := request{method: o.method, path: path, key: key}
			if o.method != http.MethodGet {
				r = r.under(freshKey())
			}
			d.try(r)
		}
	}
	// Once all are carried out, most of them are refused for the state of the company.
	for _, right := range writes {
		n.send(t, right.under(freshKey()))
	}
	for _, again := range writes {
		d.try(again.under(freshKey()))
	}
	const least, leastCodes = 2000, 15
	sum := 0
	for _, code := range slices.Sorted(maps.Keys(d.compared)) {
		sum += d.compared[code]
	}
	if sum < least || len(d.compared) < leastCodes {
		t.Errorf("too little was compared to show anything: %v", d.compared)
	}
	t.Logf("%d refusals of %d codes through both doors: %s", sum, len(d.compared), fmt.Sprint(d.compared))
}
