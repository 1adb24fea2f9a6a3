package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// state is everything that a client can see of a sandbox but the time left.
func (n *tenant) state() string {
	n.t.Helper()
	var b strings.Builder
	for _, path := range []string{
		"/office/sales-orders", "/office/ledger", "/office/shipments", "/office/customer-invoices",
	} {
		b.Write(n.call("GET", "/v1"+path+".csv?limit=100", n.office, "").want(200, "").Raw)
	}
	for _, path := range []string{
		"/factory/work-orders", "/factory/print-runs", "/factory/stock", "/factory/stock-moves", "/factory/shipments",
	} {
		b.Write(n.call("GET", "/v1"+path+".csv?limit=100", n.factory, "").want(200, "").Raw)
	}
	b.Write(n.call("GET", "/v1/events?limit=100", n.office, "", "Accept", "text/csv").want(200, "").Raw)
	return b.String()
}

func TestBadInputIsRefusedAndChangesNothing(t *testing.T) {
	t.Parallel()
	n := start(t).create(`{"preset":"manual","seed":1,"clock":"manual"}`)
	order := n.order("SO-1001")
	const office, factory = "office", "factory"
	work, runs, shipments := "/v1/factory/work-orders", "/v1/factory/print-runs", "/v1/factory/shipments"
	n.state() // which completes missions
	before := n.state()
	for _, c := range []struct {
		name, method, path, system, body string
		status                           int
		code                             string
	}{
		{"malformed", "POST", work, factory, `{"sku":`, 400, "invalid_json"},
		{"trailing data", "POST", work, factory, `{} {}`, 400, "invalid_json"},
		{"not an object", "POST", work, factory, `[1]`, 400, "invalid_json"},
		{"duplicate member", "POST", work, factory, `{"sku":"prd_flyer","sku":"prd_card","quantity":1,"reference":"a"}`,
			400, "invalid_json"},
		{"duplicate member in disguise", "POST", work, factory,
			`{"sku":"prd_flyer","s\u006bu":"prd_card","quantity":1,"reference":"a"}`, 400, "invalid_json"},
		{"lone surrogate", "POST", work, factory, `{"sku":"prd_flyer","quantity":1,"reference":"\ud800"}`,
			400, "invalid_json"},
		{"wrong type", "POST", work, factory, `{"sku":7,"quantity":"1","reference":"a"}`, 422, "validation_failed"},
		{"fraction", "POST", work, factory, `{"sku":"prd_flyer","quantity":1.5,"reference":"a"}`, 422,
			"validation_failed"},
		{"exponent", "POST", work, factory, `{"sku":"prd_flyer","quantity":1e-2,"reference":"a"}`, 422,
			"validation_failed"},
		{"beyond 64 bits", "POST", work, factory, `{"sku":"prd_flyer","quantity":9223372036854775808,"reference":"a"}`,
			422, "validation_failed"},
		{"a thousand digits", "POST", work, factory, `{"sku":"prd_flyer","quantity":` + strings.Repeat("9", 1000) +
			`,"reference":"a"}`, 422, "validation_failed"},
		{"huge quantity", "POST", work, factory, `{"sku":"prd_flyer","quantity":5001,"reference":"a"}`, 422,
			"validation_failed"},
		{"zero", "POST", work, factory, `{"sku":"prd_flyer","quantity":0,"reference":"a"}`, 422, "validation_failed"},
		{"negative", "POST", work, factory, `{"sku":"prd_flyer","quantity":-3,"reference":"a"}`, 422,
			"validation_failed"},
		{"null", "POST", work, factory, `{"sku":"prd_flyer","quantity":null,"reference":"a"}`, 422,
			"validation_failed"},
		{"unknown member", "POST", work, factory, `{"sku":"prd_flyer","quantity":1,"reference":"a","colour":"red"}`,
			422, "validation_failed"},
		{"unknown product", "POST", work, factory, `{"sku":"prd_kite","quantity":1,"reference":"a"}`, 422,
			"validation_failed"},
		{"impossible date", "POST", work, factory,
			`{"sku":"prd_flyer","quantity":1,"reference":"a","due_date":"2026-02-30"}`, 422, "validation_failed"},
		{"control character", "POST", work, factory, `{"sku":"prd_flyer","quantity":1,"reference":"a\u0000b"}`, 422,
			"validation_failed"},
		{"long reference", "POST", work, factory,
			`{"sku":"prd_flyer","quantity":1,"reference":"` + strings.Repeat("é", 65) + `"}`, 422, "validation_failed"},
		{"no reference", "POST", work, factory, `{"sku":"prd_flyer","quantity":1}`, 422, "reference_required"},
		{"empty body", "POST", work, factory, ``, 400, "invalid_json"},
		{"one byte too many", "POST", work, factory, `{"sku":"` + strings.Repeat("x", 16385-10) + `"}`, 413,
			"body_too_large"},
		{"unknown press", "POST", runs, factory, `{"press_id":"prs_laser","work_order_id":"wo_1"}`, 404, "not_found"},
		{"unknown work order", "POST", runs, factory, `{"press_id":"prs_digital","work_order_id":"wo_1"}`,
			404, "not_found"},
		{"no work order named", "POST", runs, factory, `{"press_id":"prs_digital"}`, 422, "validation_failed"},
		{"both ways of naming", "POST", runs, factory,
			`{"press_id":"prs_digital","work_order_id":"a","work_order_ids":["a"]}`, 422, "validation_failed"},
		{"the same order twice", "POST", runs, factory, `{"press_id":"prs_digital","work_order_ids":["a","a"]}`, 422,
			"validation_failed"},
		{"a gang of seven", "POST", runs, factory,
			`{"press_id":"prs_digital","work_order_ids":["1","2","3","4","5","6","7"]}`, 422, "validation_failed"},
		{"unknown work order to ship", "POST", shipments, factory, `{"work_order_id":"wo_1"}`, 404, "not_found"},
		{"unknown sales order to ship", "POST", "/v1/office/shipments", office, `{"sales_order_id":"so_1"}`,
			404, "not_found"},
		{"unanswered order to ship", "POST", "/v1/office/shipments", office, `{"sales_order_id":"` + order + `"}`,
			409, "invalid_state"},
		{"body on a call without one", "POST", "/v1/office/sales-orders/" + order + "/accept", office, `{"now":true}`,
			422, "validation_failed"},
		{"unknown order", "POST", "/v1/office/sales-orders/so_1/accept", office, ``, 404, "not_found"},
		{"tick of no time", "POST", "/v1/sandbox/tick", office, `{"minutes":0}`, 422, "validation_failed"},
		{"tick of two days", "POST", "/v1/sandbox/tick", office, `{"minutes":481}`, 422, "validation_failed"},
		{"limit of zero", "GET", "/v1/office/sales-orders?limit=0", office, ``, 400, "invalid_parameter"},
		{"limit of 101", "GET", "/v1/office/sales-orders?limit=101", office, ``, 400, "invalid_parameter"},
		{"limit twice", "GET", "/v1/office/sales-orders?limit=1&limit=2", office, ``, 400, "invalid_parameter"},
		{"limit in words", "GET", "/v1/office/sales-orders?limit=ten", office, ``, 400, "invalid_parameter"},
		{"unknown parameter", "GET", "/v1/office/sales-orders?colour=red", office, ``, 400, "invalid_parameter"},
		{"parameter on a write", "POST", "/v1/sandbox/tick?minutes=3", office, ``, 400, "invalid_parameter"},
		{"empty filter", "GET", "/v1/office/sales-orders?status=", office, ``, 400, "invalid_parameter"},
		{"half a percent escape", "GET", "/v1/office/sales-orders?status=%2", office, ``, 400, "invalid_parameter"},
		{"made-up cursor", "GET", "/v1/office/sales-orders?cursor=AAAAAAAAAAAAAA", office, ``, 400, "invalid_cursor"},
		{"bad time", "GET", "/v1/office/sales-orders?updated_since=yesterday", office, ``, 400, "invalid_parameter"},
		{"negative sequence", "GET", "/v1/events?after_seq=-1", office, ``, 400, "invalid_parameter"},
		{"sequence and cursor", "GET", "/v1/events?after_seq=1&cursor=x", office, ``, 400, "invalid_parameter"},
		{"filter with no such word", "GET", "/v1/office/sales-orders?status=bogus", office, ``, 400,
			"invalid_parameter"},
		{"unknown event", "GET", "/v1/events/evt_0000000000000", office, ``, 404, "not_found"},
		{"unknown event type", "GET", "/v1/events?types=office.nothing", office, ``, 400, "invalid_parameter"},
		{"unknown record", "GET", "/v1/office/sales-orders/so_1", office, ``, 404, "not_found"},
		{"unknown route", "GET", "/v1/office/nothing", office, ``, 404, "route_not_found"},
		{"wrong method", "DELETE", "/v1/office/sales-orders", office, ``, 405, "method_not_allowed"},
		{"the other system", "GET", "/v1/factory/stock", office, ``, 403, "wrong_system"},
	} {
		t.Run(c.name, func(t *testing.T) {
			key := map[string]string{office: n.office, factory: n.factory}[c.system]
			a := n.call(c.method, c.path, key, c.body, "Idempotency-Key", "one-key-for-all").want(c.status, c.code)
			for _, member := range []string{"message", "hint", "docs_url"} {
				if text, _ := a.Failure()[member].(string); text == "" {
					t.Errorf("the refusal has no %s: %s", member, a.Raw)
				}
			}
		})
	}
	if after := n.state(); after != before {
		t.Errorf("refused requests changed the sandbox:\nbefore\n%s\nafter\n%s", before, after)
	}
}

func TestEveryBadFieldIsNamedAtOnce(t *testing.T) {
	t.Parallel()
	n := start(t).create("")
	a := n.call("POST", "/v1/factory/work-orders", n.factory,
		`{"quantity":0,"reference":"","priority":"high","colour":"red"}`, "Idempotency-Key", "k").
		want(422, "validation_failed")
	var fields []string
	for _, f := range a.Failure()["details"].(map[string]any)["fields"].([]any) {
		fields = append(fields, f.(map[string]any)["field"].(string))
	}
	if got, want := strings.Join(fields, " "), "sku quantity reference priority colour"; got != want {
		t.Errorf("named were %q, want %q", got, want)
	}
}

func TestIdempotencyKeysAreChecked(t *testing.T) {
	t.Parallel()
	n := start(t).create("")
	body := `{"sku":"prd_notebook","quantity":1}`
	for name, c := range map[string]struct {
		key  string
		code string
	}{
		"65 characters": {strings.Repeat("k", 65), "idempotency_key_invalid"},
		"empty":         {"", "idempotency_required"},
		"not printable": {"a\tb", "idempotency_key_invalid"},
	} {
		t.Run(name, func(*testing.T) {
			n.call("POST", "/v1/factory/work-orders", n.factory, body, "Idempotency-Key", c.key).want(400, c.code)
		})
	}
	n.call("POST", "/v1/factory/work-orders", n.factory, body).want(400, "idempotency_required")
	n.call("POST", "/v1/factory/work-orders", n.factory, body, "Idempotency-Key", strings.Repeat("k", 64)).want(201, "")
}

func TestAReplayIsTheSameToTheByte(t *testing.T) {
	t.Parallel()
	n := start(t).create(`{"clock":"manual"}`)
	body := `{"sku":"prd_notebook","quantity":1}`
	first := n.call("POST", "/v1/factory/work-orders", n.factory, body, "Idempotency-Key", "k").want(201, "")
	n.clock.Advance(time.Minute)
	again := n.call("POST", "/v1/factory/work-orders", n.factory, body, "Idempotency-Key", "k").want(201, "")
	if string(again.Raw) != string(first.Raw) || again.Header.Get("Idempotency-Replayed") != "true" ||
		first.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("the replay differs\nfirst %s\nagain %s", first.Raw, again.Raw)
	}
	n.call("POST", "/v1/factory/work-orders", n.factory, body+" ", "Idempotency-Key", "k").
		want(422, "idempotency_key_reused")
	n.call("POST", "/v1/sandbox/tick", n.factory, "", "Idempotency-Key", "k").want(422, "idempotency_key_reused")
	// The other system's keys are another scope.
	n.call("POST", "/v1/sandbox/tick", n.office, "", "Idempotency-Key", "k").want(200, "")
}

func TestTheClockIsMovedByHandOncePerSecond(t *testing.T) {
	t.Parallel()
	n := start(t).create(`{"clock":"manual"}`)
	n.call("POST", "/v1/sandbox/tick", n.office, "").want(200, "")
	a := n.call("POST", "/v1/sandbox/tick", n.factory, "").want(429, "tick_rate")
	if a.Header.Get("Retry-After") != "1" || a.Failure()["retry_at"] == nil || a.Failure()["retryable"] != true {
		t.Errorf("tick_rate says %v and Retry-After %q", a.Failure(), a.Header.Get("Retry-After"))
	}
	n.clock.Advance(time.Second)
	n.call("POST", "/v1/sandbox/tick", n.factory, "").want(200, "")
}

func TestABusyPressSaysWhenItIsFree(t *testing.T) {
	t.Parallel()
	n := start(t).create("")
	begin := func(i int) *answer {
		work := n.call("POST", "/v1/factory/work-orders", n.factory, `{"sku":"prd_notebook","quantity":5}`,
			"Idempotency-Key", fmt.Sprint("w", i)).want(201, "").Data()["id"]
		return n.call("POST", "/v1/factory/print-runs", n.factory,
			fmt.Sprintf(`{"press_id":"prs_digital","work_order_id":%q}`, work), "Idempotency-Key", fmt.Sprint("r", i))
	}
	run := begin(1).want(201, "").Data()
	refused := begin(2).want(409, "press_busy")
	failure := refused.Failure()
	at, err := time.Parse(time.RFC3339Nano, failure["retry_at"].(string))
	if err != nil {
		t.Fatal(err)
	}
	ends, err := time.Parse(time.RFC3339Nano, run["ends_at"].(string))
	if err != nil || at.Before(ends) || at.Sub(ends) >= time.Second {
		t.Errorf("retry_at is %v, the run ends at %v (%v)", at, ends, err)
	}
	if _, has := failure["details"]; has || refused.Header.Get("Retry-After") != "" || failure["retryable"] != true {
		t.Errorf("press_busy carries more than retry_at: %s", refused.Raw)
	}
	n.clock.Advance(at.Sub(n.clock.Now()))
	begin(3).want(201, "")
}

func TestKeysAreRefusedAlike(t *testing.T) {
	t.Parallel()
	n := start(t).create("")
	unknown := "lab_off_" + strings.Repeat("A", 43)
	var messages []string
	for _, key := range []string{unknown, "nonsense", "lab_off_short", n.office[:len(n.office)-1] + "-"} {
		a := n.call("GET", "/v1/sandbox", key, "").want(401, "unauthorized")
		if a.Header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("WWW-Authenticate is %q", a.Header.Get("WWW-Authenticate"))
		}
		messages = append(messages, a.Failure()["message"].(string))
	}
	for _, m := range messages[1:] {
		if m != messages[0] {
			t.Errorf("keys are told apart: %q and %q", m, messages[0])
		}
	}
	n.call("GET", "/v1/sandbox", "", "").want(401, "unauthorized")
	n.call("OPTIONS", "/v1/sandbox", n.office, "", "Origin", "https://elsewhere.test").want(401, "unauthorized")
	n.call("GET", "/v1/sandbox", "", "", "X-Api-Key", n.factory).want(200, "")
	// Bearer wins over the alias.
	n.call("GET", "/v1/sandbox", unknown, "", "X-Api-Key", n.factory).want(401, "unauthorized")
}

// TestADeadKeyIsDeadEverywhere: there is no path and no method with which a key
// that does not work is told anything else.
func TestADeadKeyIsDeadEverywhere(t *testing.T) {
	t.Parallel()
	n := start(t).create("")
	asked := [][2]string{
		{"GET", "/v1/office/nope"}, {"DELETE", "/v1/office/cash"}, {"GET", "/v1/office//cash"},
		{"GET", "/v1/office/cash/"}, {"GET", "/v1"}, {"PATCH", "/v1/sandboxes"}, {"DELETE", "/v1/queue/q_1"},
	}
	dead := func(key string) {
		t.Helper()
		message := n.call("GET", "/v1/sandbox", key, "").want(401, "unauthorized").Failure()["message"]
		for _, c := range asked {
			a := n.call(c[0], c[1], key, "").want(401, "unauthorized")
			if a.Failure()["message"] != message || a.Header.Get("Allow") != "" {
				t.Errorf("%s %s tells more than that the key does not work: %s", c[0], c[1], a.Raw)
			}
			n.call(c[0], c[1], "", "", "X-Api-Key", key).want(401, "unauthorized")
		}
	}
	dead("lab_off_" + strings.Repeat("A", 43))
	dead("nonsense")
	n.call("GET", "/v1/office/nope", n.office, "").want(404, "route_not_found")
	n.call("GET", "/v1/office/nope", "", "").want(404, "route_not_found")
	n.clock.Advance(40 * time.Minute)
	dead(n.office)
	dead(n.factory)
}

func TestADeletedSandboxIsUnknown(t *testing.T) {
	t.Parallel()
	n := start(t).create("")
	n.clock.Advance(30 * time.Minute)
	n.call("POST", "/v1/sandbox/tick", n.office, "").want(http.StatusLocked, "sandbox_expired")
	n.call("GET", "/v1/sandbox", n.office, "").want(200, "")
	n.clock.Advance(10 * time.Minute)
	n.call("GET", "/v1/sandbox", n.office, "").want(401, "unauthorized")
}

// TestAPathIsNamedAsItWasSent: decoded it may be that of a route.
func TestAPathIsNamedAsItWasSent(t *testing.T) {
	t.Parallel()
	s := start(t)
	for path, want := range map[string]string{
		"/v1/office%2fcash":               "There is no route /v1/office%2fcash.",
		"/v1/nothing":                     "There is no route /v1/nothing.",
		"/v1/" + strings.Repeat("x", 200): "There is no route /v1/" + strings.Repeat("x", 76) + "….",
	} {
		if got := s.call("GET", path, "", "").want(404, "route_not_found").Failure()["message"]; got != want {
			t.Errorf("%s is told %q, want %q", path, got, want)
		}
	}
}
