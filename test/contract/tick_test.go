package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// ticked returns the answer to a tick with a body. Its digest has to count the
// events that the feed has of it.
func (n *tenant) ticked(t *testing.T, body string) object {
	t.Helper()
	before := n.newest()
	a := n.post("/sandbox/tick", body).want(http.StatusOK, "").Data()
	counts := map[string]int64{}
	for _, e := range n.feed(before) {
		counts[text(e, "type")]++
	}
	total := int64(0)
	for _, one := range children(t, child(t, a, "digest"), "events") {
		total += number(t, one, "count")
		if kind := text(one, "type"); counts[kind] != number(t, one, "count") {
			t.Errorf("%s: the digest counts %v of %s, the feed has %d", body, one["count"], kind, counts[kind])
		}
	}
	if total != number(t, a, "events_written") {
		t.Errorf("%s: the digest counts %d events of %v", body, total, a["events_written"])
	}
	return a
}

func TestATickStopsWhereItIsToldTo(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TICK.UNTIL", "OPEN.TICK.ANSWER", "OPEN.TICK.DIGEST")
	n := shared.create(t, `{"preset":"manual","clock":"manual","seed":7}`)
	n.row("/sandbox") // completes the mission of the first call

	a := n.ticked(t, `{"until":{"sim_date":"2026-09-07","sim_time":"09:30"}}`)
	if number(t, a, "advanced_minutes") != 90 || a["sim_time"] != "09:30" || a["stopped_by"] != "sim_date" {
		t.Errorf("until 09:30: %v", a)
	}
	if a = n.ticked(t, `{"until":{"sim_date":"2026-09-07"}}`); number(t, a, "advanced_minutes") != 0 ||
		a["stopped_by"] != "sim_date" {
		t.Errorf("until what is over: %v", a)
	}
	// A Saturday ends on Monday, and the night takes no time.
	if a = n.ticked(t, `{"until":{"sim_date":"2026-09-12"}}`); a["sim_date"] != "2026-09-14" ||
		a["sim_time"] != "08:00" {
		t.Errorf("until a Saturday: %v", a)
	}
	newest := n.newest()
	a = n.ticked(t, fmt.Sprintf(`{"until":{"seq":%d}}`, newest+3))
	if a["stopped_by"] != "seq" || uint64(number(t, a, "last_seq")) < newest+3 {
		t.Errorf("until event %d: %v", newest+3, a)
	}
	if a = n.ticked(t, `{"until":{"seq":1}}`); a["stopped_by"] != "seq" || number(t, a, "advanced_minutes") != 0 {
		t.Errorf("until the first event: %v", a)
	}
	newest = n.newest()
	a = n.ticked(t, `{"until":{"event_types":["office.sales_order.expired","office.sales_order.received"]}}`)
	happened := n.feed(newest)
	first := slices.IndexFunc(happened, func(e object) bool {
		return strings.HasPrefix(text(e, "type"), "office.sales_order.")
	})
	if a["stopped_by"] != "event_type" || first < 0 || text(happened[first], "sim_date") != text(a, "sim_date") {
		t.Errorf("until an order comes or goes: %v, and the feed has %v", a, happened)
	}
	if a = n.ticked(t, `{"minutes":5,"until":{"event_types":["sandbox.bankrupt"]}}`); a["stopped_by"] != "minutes" ||
		number(t, a, "advanced_minutes") != 5 {
		t.Errorf("five minutes at most: %v", a)
	}
	if a = n.ticked(t, `{"until":{"event_types":["*"]}}`); a["stopped_by"] != "event_type" ||
		number(t, a, "events_written") == 0 {
		t.Errorf("until anything happens: %v", a)
	}
	if a = n.ticked(t, `{"minutes":7}`); a["stopped_by"] != "minutes" || number(t, a, "advanced_minutes") != 7 {
		t.Errorf("without until: %v", a)
	}
	// As far as it goes, in one call.
	a = n.ticked(t, `{"until":{"event_types":["sandbox.bankrupt"]}}`)
	if passed := number(t, a, "advanced_minutes"); passed > 4800 ||
		a["stopped_by"] == "minutes" && passed != 4800 {
		t.Errorf("4,800 minutes at most: %v", a)
	}
}

func TestATickStopsAtTheNextDecision(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TICK.DECISION", "OPEN.TICK.DIGEST")
	n := shared.create(t, `{"preset":"manual","clock":"manual","seed":7}`)
	waiting := map[string]string{
		"sales_order": "/office/sales-orders/", "contract_lot": "/office/contract-lots/",
		"supplier_invoice": "/office/supplier-invoices/", "payroll_run": "/office/payroll-runs/",
		"delivery": "/factory/deliveries/", "press": "/factory/presses/",
	}
	open := []string{"received", "offered", "open", "overdue", "due", "late", "arrived", "idle"}
	known := map[string]bool{}
	for range 5 {
		a := n.ticked(t, `{"until":{"decision":true}}`)
		if a["stopped_by"] != "decision" {
			t.Fatalf("no decision: %v", a)
		}
		digest, more := child(t, a, "digest"), false
		decisions := children(t, digest, "decisions")
		if int64(len(decisions)) != number(t, digest, "decisions_total") {
			t.Errorf("%d decisions of %v", len(decisions), digest["decisions_total"])
		}
		for _, d := range decisions {
			id := text(d, "id")
			if row := n.row(waiting[text(d, "resource")] + id); !slices.Contains(open, text(row, "status")) {
				t.Errorf("%v waits, and is %v", d, row["status"])
			}
			more = more || !known[id]
			known[id] = true
		}
		if !more {
			t.Errorf("it stopped for a decision, and none is new: %v", decisions)
		}
	}
	received := n.get("/office/sales-orders?status=received&limit=100").want(http.StatusOK, "").Items()
	for _, order := range received {
		if !known[text(order, "id")] {
			t.Errorf("%s waits for an answer, and no digest named it", text(order, "number"))
		}
	}
	if len(received) == 0 {
		t.Error("no order waits")
	}
}

// TestSixteenIsTheCloseOfTheDay, and not the opening of the next one: unanswered orders can still be answered then.
func TestSixteenIsTheCloseOfTheDay(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TICK.UNTIL", "OPEN.STATE.SALES_ORDER.LAPSED")
	n := shared.create(t, `{"seed":5,"clock":"manual"}`)
	order := n.order("SO-1001") // to be answered by Wednesday the 9th
	for _, time := range []string{"16:00", "18:30", "15:59"} {
		at := n.post("/sandbox/tick", encode(t, object{"until": object{"sim_date": "2026-09-09", "sim_time": time}})).
			want(http.StatusOK, "").Data()
		agrees(t, "the clock until "+time, at,
			object{"sim_date": "2026-09-09", "sim_time": "15:59", "stopped_by": "sim_date"})
	}
	agrees(t, "the order at the close", n.row("/office/sales-orders/"+text(order, "id")), object{"status": "received"})
	n.accept(text(order, "id"))
}

func TestATickThatCannotBeUnderstoodMovesNothing(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TICK.UNTIL")
	n := shared.create(t, `{"clock":"manual"}`)
	before := n.greet().row("/sandbox")
	for body, code := range map[string]string{
		`{"minutes":481}`: "validation_failed", `{"minutes":4801,"until":{"decision":true}}`: "validation_failed",
		`{"minutes":0,"until":{"decision":true}}`: "validation_failed", `{"until":null}`: "validation_failed",
		`{"until":{}}`: "validation_failed", `{"until":[]}`: "validation_failed",
		`{"until":"decision"}`:         "validation_failed",
		`{"until":{"decision":false}}`: "validation_failed", `{"until":{"decision":1}}`: "validation_failed",
		`{"until":{"decision":true,"seq":9}}`:                    "validation_failed",
		`{"until":{"seq":0}}`:                                    "validation_failed",
		`{"until":{"seq":-1}}`:                                   "validation_failed",
		`{"until":{"seq":1e300}}`:                                "validation_failed",
		`{"until":{"seq":9223372036854775808}}`:                  "validation_failed",
		`{"until":{"seq":1.5}}`:                                  "validation_failed",
		`{"until":{"seq":1,"until":2}}`:                          "validation_failed",
		`{"until":{"event_types":[]}}`:                           "validation_failed",
		`{"until":{"event_types":"*"}}`:                          "validation_failed",
		`{"until":{"sim_time":"09:00"}}`:                         "validation_failed",
		`{"until":{"seq":3,"sim_time":"09:00"}}`:                 "validation_failed",
		`{"until":{"sim_date":"2026-13-01"}}`:                    "validation_failed",
		`{"until":{"sim_date":"tomorrow"}}`:                      "validation_failed",
		`{"until":{"seq":1},"until":{"seq":1}}`:                  "invalid_json",
		`{"until":{"event_types":["nonsense"]}}`:                 "invalid_event_type",
		`{"until":{"event_types":["*","hr.x"]}}`:                 "invalid_event_type",
		`{"until":{"sim_date":"2026-09-08","sim_time":"24:00"}}`: "validation_failed",
		`{"until":{"event_types":["office.sales_order.received","office.sales_order.received"]}}`: "validation_failed",
	} {
		status := http.StatusUnprocessableEntity
		if code == "invalid_json" {
			status = http.StatusBadRequest
		}
		n.post("/sandbox/tick", body).want(status, code)
	}
	if after := n.row("/sandbox"); after["last_seq"] != before["last_seq"] ||
		minuteOfDay(t, child(t, after, "clock")) != minuteOfDay(t, child(t, before, "clock")) {
		t.Errorf("refused ticks moved the clock: %v, before %v", after["clock"], before["clock"])
	}
}
