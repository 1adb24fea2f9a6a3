package contract

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestASandboxRemembersItsCalls(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ROUTE.REQUESTS")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	write := request{
		method: "POST", path: "/factory/work-orders", key: n.factory, body: `{"sku":"prd_notebook","quantity":1}`,
		headers: []string{"Idempotency-Key", "k"},
	}
	want := []struct {
		request

		system, code string
		replay       bool
	}{
		{request: request{method: "GET", path: "/office/sales-orders?limit=1&status=received", key: n.office},
			system: "office"},
		{request: write, system: "factory"},
		{request: write, system: "factory", replay: true},
		{request: request{method: "GET", path: "/factory/stock", key: n.office}, system: "office",
			code: "wrong_system"},
		{request: request{method: "GET", path: "/nothing/at%20all?secret=1", key: n.office}, system: "office",
			code: "route_not_found"},
		{request: request{method: "PUT", path: "/sandbox", key: n.office}, system: "office",
			code: "method_not_allowed"},
		{request: request{method: "OPTIONS", path: "/sandbox", key: n.office}, system: "office", code: "unauthorized"},
		{request: request{method: "HEAD", path: "/office/cash", key: n.office}, system: "office"},
		{request: request{method: "GET", path: "/office/cash.csv", key: n.office}, system: "office",
			code: "route_not_found"},
		{request: request{method: "GET", path: "/office/ledger.csv", key: n.office}, system: "office"},
	}
	var sent []*answer
	for _, w := range want {
		sent = append(sent, n.send(t, w.request))
	}
	n.send(t, request{method: "POST", path: "/sandboxes", key: n.office}) // of no sandbox
	n.send(t, request{method: "GET", path: "/sandbox"})
	calls := n.all("/requests")
	if len(calls) != len(want) {
		t.Fatalf("%d calls are remembered, want %d: %v", len(calls), len(want), calls)
	}
	slices.Reverse(calls)
	for i, w := range want {
		c, a := calls[i], sent[i]
		if got := names(c); !slices.Equal(got, []string{
			"created_at", "duration_ms", "error_code", "faults", "first_seq", "id", "idempotent_replay", "last_seq",
			"method", "number", "operation", "path", "repeated_after_ms", "status", "system", "traceparent",
		}) {
			t.Fatalf("a call has the members %v", got)
		}
		path, _, _ := strings.Cut(w.path, "?")
		got := fmt.Sprint(c["method"], c["path"], c["status"], c["system"], c["error_code"], c["idempotent_replay"])
		code := any(w.code)
		if w.code == "" {
			code = nil
		}
		if expected := fmt.Sprint(w.method, "/v1"+path, a.Status, w.system, code, w.replay); got != expected {
			t.Errorf("call %d is %s, want %s", i, got, expected)
		}
		// A replay repeats the meta of the first answer, and so does its body.
		if id := a.Header.Get("Request-Id"); text(c, "id") != id {
			t.Errorf("call %d has the id %v, its answer %s", i, c["id"], id)
		}
		if number(t, c, "duration_ms") < 0 ||
			i > 0 && !moment(t, c["created_at"]).After(moment(t, calls[i-1]["created_at"])) {
			t.Errorf("call %d is of %v and took %v", i, c["created_at"], c["duration_ms"])
		}
	}
	// Either key reads the same list, and reading it changes nothing.
	office := n.send(t, request{method: "GET", path: "/requests", key: n.office}).want(200, "")
	factory := n.send(t, request{method: "GET", path: "/requests", key: n.factory}).want(200, "")
	if office.rawData() != factory.rawData() {
		t.Error("the keys read different lists")
	}
	n.send(t, request{
		method: "GET", path: "/requests", key: n.office, headers: []string{"If-None-Match", office.Header.Get("ETag")},
	}).want(304, "")
	n.row("/sandbox")
	n.send(t, request{
		method: "GET", path: "/requests", key: n.office, headers: []string{"If-None-Match", office.Header.Get("ETag")},
	}).want(200, "")
	// Another sandbox has its own.
	if other := shared.create(t, "").all("/requests"); len(other) != 0 {
		t.Errorf("a new sandbox has %d calls", len(other))
	}
}

func TestOnlyTheNewestCallsAreRemembered(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ROUTE.REQUESTS")
	n := shared.create(t, `{"clock":"manual"}`)
	for i := range 510 {
		n.send(t, request{method: "GET", path: fmt.Sprintf("/nothing/%d", i), key: n.factory})
	}
	first := n.send(t, request{method: "GET", path: "/requests?limit=100", key: n.office}).want(200, "")
	calls := first.Items()
	// Requests in between move no page.
	for i := range 3 {
		n.send(t, request{method: "GET", path: fmt.Sprintf("/between/%d", i), key: n.office})
	}
	for next := first.Cursor(); next != ""; {
		page := n.send(t, request{method: "GET", path: "/requests?limit=100&cursor=" + next, key: n.office}).
			want(200, "")
		calls, next = append(calls, page.Items()...), page.Cursor()
	}
	if len(calls) < 497 || len(calls) > 500 {
		t.Fatalf("%d calls are remembered", len(calls))
	}
	for i, c := range calls {
		if want := fmt.Sprintf("/v1/nothing/%d", 509-i); c["path"] != want {
			t.Fatalf("call %d is of %v, want %s", i, c["path"], want)
		}
	}
	since := text(calls[2], "created_at")
	if recent := n.send(t, request{method: "GET", path: "/requests?updated_since=" + since, key: n.office}).
		want(200, "").Items(); len(recent) != 6 {
		t.Errorf("since %s there were %d calls, want 6", since, len(recent))
	}
}

func TestCallsOfAnExpiredSandboxAreNotRemembered(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.ROUTE.REQUESTS")
		s := serve(t, map[string]string{"sandbox-duration": "2s"})
		n := s.create(t, `{"clock":"manual"}`)
		first := n.get("/sandbox").want(200, "")
		end := moment(t, first.Data()["expires_at"])
		waitUntil(t, end)
		n.get("/sandbox").want(200, "")
		n.send(t, request{method: "POST", path: "/sandbox/tick", key: n.office}).want(423, "sandbox_expired")
		want := 0
		if moment(t, first.Meta()["server_time"]).Before(end) {
			want = 1 // unless this machine took two seconds for it
		}
		if calls := n.all("/requests"); len(calls) > want {
			t.Errorf("%d calls are remembered, want those of the time before: %v", len(calls), calls)
		}
	})
}

// TestTheListOfCallsIsAListLikeAll has few calls: those that the other tests of
// lists make would be among its rows.
func TestTheListOfCallsIsAListLikeAll(t *testing.T) {
	t.Parallel()
	rows(t, "LIST.EVERY", "LIST.ETAG", "LIST.NOT_MODIFIED", "LIST.CSV.ACCEPT", "LIST.CSV.SUFFIX", "LIST.UPDATED_SINCE",
		"OPEN.LIST.SINCE_INCLUSIVE", "OPEN.LIST.ITEM", "OPEN.LIST.ETAG_COVERS")
	n := shared.create(t, `{"clock":"manual"}`)
	for _, path := range []string{"/sandbox", "/office/cash", "/nothing", "/missions?limit=3", "/office/ledger.csv"} {
		n.get(path)
	}
	n.pages("/requests")
	list := n.get("/requests").want(200, "")
	n.sameTable(list, n.get("/requests.csv").want(200, "").Raw)
	n.sameTable(list, n.get("/requests", "Accept", "text/csv").want(200, "").Raw)
	for _, path := range []string{"/requests", "/requests?limit=2", "/requests.csv"} {
		a := n.get(path).want(200, "")
		n.get(path, "If-None-Match", a.Header.Get("ETag")).want(304, "")
	}
	all := list.Items()
	for i, row := range all {
		one := n.get("/requests/"+text(row, "id")).want(200, "")
		for name, value := range row {
			if encode(t, one.Data()[name]) != encode(t, value) {
				t.Errorf("the call alone has the %s %v, in the list %v", name, one.Data()[name], value)
			}
		}
		n.get("/requests/"+text(row, "id"), "If-None-Match", one.Header.Get("ETag")).want(304, "")
		if since := n.get("/requests?updated_since="+text(row, "created_at")).want(200, "").Items(); len(since) != i+1 {
			t.Errorf("since call %d there are %d, want %d", i, len(since), i+1)
		}
	}
	a := n.get("/requests/req_0000000000000").want(404, "not_found")
	if encode(t, a.details()) != `{"id":"req_0000000000000","resource":"call"}` {
		t.Errorf("the details are %v", a.details())
	}
	n.get("/requests?limit=0").want(400, "invalid_parameter")
	n.get("/requests?cursor=x").want(400, "invalid_cursor")
	n.call("POST", "/requests", "").want(405, "method_not_allowed")
}

// TestAFaultIsMarkedOnItsRequest: all but one that was lost before it came. The player of an evaluation sees no mark.
func TestAFaultIsMarkedOnItsRequest(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ROUTE.REQUESTS")
	for _, evaluation := range []bool{false, true} {
		n := shared.create(t, encode(t, object{
			"preset": "manual", "clock": "manual", "evaluation": evaluation,
			"faults": object{"rules": []any{
				object{"kind": "response_lost", "share": 1, "operations": []any{"create_work_order"}},
				object{"kind": "growth", "share": 1, "operations": []any{"list_suppliers"}},
			}},
		}))
		n.tries(http.MethodPost, "/factory/work-orders", `{"sku":"prd_notebook","quantity":9}`, "nine")
		n.tries(http.MethodGet, "/office/suppliers", "", "")
		n.get("/office/customers").want(http.StatusOK, "")
		want := map[string]any{
			"/v1/factory/work-orders": []any{"response_lost"}, "/v1/office/suppliers": []any{"growth"},
			"/v1/office/customers": []any{},
		}
		seen := 0
		for _, row := range n.all("/requests") {
			faults, known := want[text(row, "path")]
			if !known {
				continue
			}
			seen++
			shown := faults
			if evaluation {
				shown = nil
			}
			if !reflect.DeepEqual(row["faults"], shown) {
				t.Errorf("in an evaluation: %v, and %v has %v, want %v", evaluation, row["path"], row["faults"], shown)
			}
			agrees(t, "the row alone", n.row("/requests/"+text(row, "id")), object{"faults": shown})
			if evaluation {
				agrees(t, "shown to the grader", n.grader().row("/requests/"+text(row, "id")), object{"faults": faults})
			}
		}
		if seen != len(want) {
			t.Errorf("%d of the requests are listed", seen)
		}
	}
}
