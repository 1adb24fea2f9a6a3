package api_test

import (
	"strings"
	"testing"
	"time"
)

func TestPagingGivesEachRowOnceWhileNewOnesAreBorn(t *testing.T) {
	t.Parallel()
	n := start(t).create(`{"clock":"manual","seed":3}`)
	want := map[string]bool{}
	for _, item := range n.call("GET", "/v1/office/sales-orders?limit=100", n.office, "").want(200, "").Items() {
		want[item["id"].(string)] = true
	}
	seen := map[string]int{}
	path, pages := "/v1/office/sales-orders?limit=2", 0
	for path != "" {
		a := n.call("GET", path, n.office, "").want(200, "")
		for _, item := range a.Items() {
			seen[item["id"].(string)]++
		}
		n.clock.Advance(time.Second)
		n.call("POST", "/v1/sandbox/tick", n.office, "").want(200, "")
		path = ""
		if next, ok := a.Data()["next_cursor"].(string); ok {
			path = "/v1/office/sales-orders?limit=2&cursor=" + next
		}
		pages++
	}
	if pages != 3 || len(seen) != len(want) {
		t.Errorf("%d pages showed %d rows, there were %d when paging began", pages, len(seen), len(want))
	}
	for id, times := range seen {
		if times != 1 || !want[id] {
			t.Errorf("%s was shown %d times", id, times)
		}
	}
}

func TestAnETagSparesTheBodyUntilSomethingChanges(t *testing.T) {
	t.Parallel()
	n := start(t).create(`{"clock":"manual"}`)
	for _, path := range []string{
		"/v1/office/sales-orders", "/v1/office/sales-orders.csv", "/v1/events",
		"/v1/office/sales-orders/" + n.order("SO-1001"),
	} {
		first := n.call("GET", path, n.office, "").want(200, "")
		etag := first.Header.Get("ETag")
		again := n.call("GET", path, n.office, "", "If-None-Match", `"other", `+etag)
		if !strings.HasPrefix(etag, `W/"`) || again.Status != 304 || len(again.Raw) != 0 ||
			again.Header.Get("ETag") != etag {
			t.Errorf("%s: ETag %s, then %d with %d bytes", path, etag, again.Status, len(again.Raw))
		}
	}
	list := n.call("GET", "/v1/office/sales-orders", n.office, "").want(200, "").Header.Get("ETag")
	if csv := n.call("GET", "/v1/office/sales-orders", n.office, "", "Accept", "text/csv").
		want(200, "").Header.Get("ETag"); csv == list {
		t.Error("JSON and CSV have the same ETag")
	}
	n.call("POST", "/v1/office/sales-orders/"+n.order("SO-1002")+"/decline", n.office, `{"reason":"too late"}`).
		want(200, "")
	n.call("GET", "/v1/office/sales-orders", n.office, "", "If-None-Match", list).want(200, "")
	// Another order's row has not changed.
	row := "/v1/office/sales-orders/" + n.order("SO-1001")
	etag := n.call("GET", row, n.office, "").want(200, "").Header.Get("ETag")
	n.call("POST", "/v1/office/sales-orders/"+n.order("SO-1003")+"/decline", n.office, "").want(200, "")
	if again := n.call("GET", row, n.office, "", "If-None-Match", etag); again.Status != 304 {
		t.Errorf("a change of another row made this one %d", again.Status)
	}
}

func TestOneSystemNeverShowsWhatTheOtherDoes(t *testing.T) {
	t.Parallel()
	n := start(t).create(`{"preset":"manual","clock":"manual","seed":1}`)
	id := n.order("SO-1001")
	n.call("POST", "/v1/office/sales-orders/"+id+"/accept", n.office, "").want(200, "")
	before := n.call("GET", "/v1/office/sales-orders", n.office, "").want(200, "")
	work := n.call("POST", "/v1/factory/work-orders", n.factory, `{"sku":"prd_card","quantity":10,"reference":"`+id+
		`"}`, "Idempotency-Key", "w").want(201, "").Data()["id"].(string)
	n.call("POST", "/v1/factory/print-runs", n.factory,
		`{"press_id":"prs_digital","work_order_id":"`+work+`","overs_pct":10}`, "Idempotency-Key", "r").want(201, "")
	n.call("POST", "/v1/sandbox/tick", n.factory, `{"minutes":1}`).want(200, "")
	n.clock.Advance(time.Second)
	n.call("POST", "/v1/sandbox/tick", n.factory, `{"minutes":119}`).want(200, "")
	n.call("POST", "/v1/factory/shipments", n.factory, `{"work_order_id":"`+work+`"}`, "Idempotency-Key", "s").
		want(201, "")
	row := n.call("GET", "/v1/office/sales-orders/"+id, n.office, "").want(200, "").Data()
	for _, item := range before.Items() {
		if item["id"] == id && (item["updated_at"] != row["updated_at"] || row["status"] != "accepted") {
			t.Errorf("the Factory shipped, and Head Office's order went from %v to %v", item, row)
		}
	}
}

func TestAnEventIsFoundByItsID(t *testing.T) {
	t.Parallel()
	s := start(t)
	n, other := s.create(`{"clock":"manual"}`), s.create("")
	for _, item := range n.call("GET", "/v1/events", n.office, "").want(200, "").Items() {
		id := item["id"].(string)
		one := n.call("GET", "/v1/events/"+id, n.factory, "").want(200, "").Data()
		if one["seq"] != item["seq"] || one["type"] != item["type"] {
			t.Errorf("event %s is %v in the feed and %v by its id", id, item, one)
		}
		other.call("GET", "/v1/events/"+id, other.office, "").want(404, "not_found")
	}
}

func TestAFeedCanBeFiltered(t *testing.T) {
	t.Parallel()
	n := start(t).create(`{"clock":"manual","seed":1}`)
	n.call("POST", "/v1/sandbox/tick", n.office, "").want(200, "")
	all := n.call("GET", "/v1/events?limit=100", n.office, "").want(200, "").Items()
	var want []any
	for _, e := range all {
		if e["type"] == "office.sales_order.received" {
			want = append(want, e["seq"])
		}
	}
	var got []any
	path := "/v1/events?limit=2&types=office.sales_order.received"
	for path != "" {
		a := n.call("GET", path, n.office, "").want(200, "")
		for _, e := range a.Items() {
			got = append(got, e["seq"])
		}
		path = ""
		if next, ok := a.Data()["next_cursor"].(string); ok {
			path = "/v1/events?limit=2&types=office.sales_order.received&cursor=" + next
		}
	}
	if len(want) < 4 || len(got) != len(want) {
		t.Fatalf("filtered are %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("filtered are %v, want %v", got, want)
		}
	}
}
