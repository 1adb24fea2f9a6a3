package contract

import (
	"net/http"
	"strings"
	"testing"
)

// TestARequestNamesItsEvents, however quickly the next one comes: each event of the feed after the opening was written
// by one request, but for those of missions that a read completed.
func TestARequestNamesItsEvents(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.REQUEST.EVENTS")
	n := shared.create(t, `{"preset":"manual","clock":"manual","seed":7}`)
	opening := len(n.all("/events"))
	order := `{"sku":"prd_card","quantity":5,"reference":"SO-1001"}`
	for _, sent := range []struct{ path, body, key string }{
		{"/office/sales-orders/SO-1001/accept", "", "accept"},
		{"/factory/work-orders", order, "create"},
		{"/factory/work-orders", order, "create"},
		{"/factory/work-orders", `{"sku":"prd_card","quantity":-5}`, "wrong"},
		{"/sandbox/tick", `{"minutes":480}`, "tick"},
	} {
		n.post(sent.path, sent.body, "Idempotency-Key", sent.key)
	}
	n.row("/office/sales-orders/SO-1001")
	events := n.all("/events")
	named := opening
	typesOf := map[string][]string{}
	requests := n.all("/requests")
	for i := range requests {
		r := requests[len(requests)-1-i]
		key := text(n.row("/requests/"+text(r, "id")), "operation")
		if r["first_seq"] == nil || r["last_seq"] == nil {
			if r["first_seq"] != r["last_seq"] {
				t.Errorf("%s has one of two numbers: %v", key, r)
			}
			continue
		}
		first, last := number(t, r, "first_seq"), number(t, r, "last_seq")
		if r["method"] != http.MethodPost || first <= int64(named) || last < first || last > int64(len(events)) {
			t.Fatalf("%v %s has the events %d to %d, after %d", r["method"], key, first, last, named)
		}
		unnamed(t, events[named:first-1])
		if typesOf[key] != nil || number(t, r, "status") >= 300 {
			t.Errorf("%s has events a second time, or with an error: %v", key, r)
		}
		for _, e := range events[first-1 : last] {
			typesOf[key] = append(typesOf[key], text(e, "type"))
		}
		named = int(last)
	}
	unnamed(t, events[named:])
	for key, first := range map[string]string{
		"accept_sales_order": "office.sales_order.accepted", "create_work_order": "factory.work_order.created",
	} {
		if types := typesOf[key]; len(types) == 0 || types[0] != first {
			t.Errorf("%s has the events %v", key, types)
		}
	}
	if len(typesOf["advance_time"]) == 0 {
		t.Error("a day has no event")
	}
}

// TestRequestsAreCountedBeyondTheList: the number of the newest says how many there were, also when the list has
// forgotten the first. For an evaluation the count begins anew when its player gets it, and neither the grader's
// requests nor those for the list count.
func TestRequestsAreCountedBeyondTheList(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.REQUEST.NUMBER", "OPEN.ROUTE.REQUESTS")
	const listed, prepared, played = 500, 3, 620
	n := shared.create(t, `{"preset":"starter","evaluation":true,"clock":"manual"}`)
	g := n.grader()
	for range prepared {
		n.get("/office/cash").want(http.StatusOK, "")
	}
	newest := func() int64 { return number(t, g.all("/requests")[0], "number") }
	if got := newest(); got != prepared {
		t.Errorf("before it is handed over the newest request has the number %d, want %d", got, prepared)
	}
	g.post("/sandbox/checkpoints", `{"label":"handed over"}`).want(http.StatusCreated, "")
	for range played {
		n.get("/factory/presses").want(http.StatusOK, "")
	}
	g.get("/office/cash").want(http.StatusForbidden, "wrong_system")
	if got := newest(); got != played {
		t.Errorf("the newest request has the number %d, want %d", got, played)
	}
	own := n.all("/requests")
	if len(own) != listed {
		t.Fatalf("%d requests are listed", len(own))
	}
	for i, r := range own {
		if got, want := number(t, r, "number"), int64(played-i); got != want {
			t.Fatalf("the request in place %d has the number %d, want %d", i, got, want)
		}
	}
}

// unnamed are the events that no request names: those of missions.
func unnamed(t *testing.T, events []object) {
	t.Helper()
	for _, e := range events {
		if !strings.HasPrefix(text(e, "type"), "sandbox.mission.") {
			t.Errorf("no request names event %v, %s", e["seq"], text(e, "type"))
		}
	}
}
