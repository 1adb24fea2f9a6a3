package contract

import (
	"net/http"
	"testing"
	"time"
)

// requests lists requests, with a query.
func (n *tenant) requests(query string) []object {
	n.t.Helper()
	return n.send(n.t, request{method: "GET", path: "/requests?" + query, key: n.office}).
		want(http.StatusOK, "").Items()
}

func TestRequestsAreChosenByWhatTheyDid(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.REQUEST.FILTERS", "OPEN.ROUTE.REQUESTS")
	n := shared.create(t, `{"clock":"manual"}`)
	before := n.send(t, request{method: "GET", path: "/office/cash", key: n.office})
	n.send(t, request{method: "GET", path: "/factory/stock", key: n.factory}).want(http.StatusOK, "")
	n.send(t, request{method: "GET", path: "/office/sales-orders/so_none", key: n.office}).
		want(http.StatusNotFound, "not_found")
	n.send(t, request{method: "POST", path: "/sandbox/tick", key: n.office, body: `{"minutes":1}`}).
		want(http.StatusOK, "")
	id, _ := before.Meta()["request_id"].(string)
	for query, want := range map[string][]string{
		"":                                {"advance_time", "get_sales_order", "list_stock_items", "get_cash"},
		"after=" + id:                     {"advance_time", "get_sales_order", "list_stock_items"},
		"method=post":                     {"advance_time"},
		"path=/factory/stock":             {"list_stock_items"},
		"path=/v1/office/cash&status=2xx": {"get_cash"},
		"operation=get_sales_order":       {"get_sales_order"},
		"status=404":                      {"get_sales_order"},
		"status=5xx":                      {},
		"limit=1&after=" + id:             {"advance_time"},
	} {
		got := []string{}
		for _, r := range n.requests(query) {
			name, _ := r["operation"].(string)
			got = append(got, name)
		}
		if encode(t, got) != encode(t, want) {
			t.Errorf("%q lists %v, want %v", query, got, want)
		}
	}
	first := n.get("/requests?limit=1&after="+id).want(http.StatusOK, "")
	next := n.get("/requests?limit=1&after="+id+"&cursor="+first.Cursor()).want(http.StatusOK, "").Items()
	if len(next) != 1 || next[0]["operation"] != "get_sales_order" {
		t.Errorf("the second page of one row has %v", next)
	}
	n.get("/requests?limit=1&cursor="+first.Cursor()).want(http.StatusBadRequest, "invalid_cursor")
	for _, query := range []string{
		"after=req_none", "after=", "operation=dance", "status=20", "status=xxx", "status=", "method=",
		"wait_s=26", "wait_s=x",
	} {
		n.get("/requests?"+query).want(http.StatusBadRequest, "invalid_parameter")
	}
}

func TestATestWaitsForTheProgramThatItTests(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.REQUEST.WAIT")
		n := serve(t).create(t, `{"clock":"manual"}`)
		from, _ := n.send(t, request{method: "GET", path: "/office/cash", key: n.office}).Meta()["request_id"].(string)
		began := time.Now()
		if got := n.requests("wait_s=3&after=" + from); len(got) != 0 || time.Since(began) < 3*time.Second {
			t.Errorf("nothing came, the list has %v after %v", got, time.Since(began))
		}
		waited := make(chan []object, 1)
		go func() { waited <- n.requests("wait_s=25&operation=advance_time&status=2xx&after=" + from) }()
		waitUntil(t, time.Now().Add(time.Second))
		clock := n.get("/sandbox").Data()["clock"]
		// One that does not fit wakes nobody, and one that is refused does not either.
		n.send(t, request{method: "GET", path: "/factory/stock", key: n.factory}).want(http.StatusOK, "")
		n.send(t, request{method: "POST", path: "/sandbox/tick", key: n.office, body: `{"minutes":0}`})
		waitUntil(t, time.Now().Add(time.Second))
		if len(waited) > 0 {
			t.Fatalf("another request ends the wait: %v", <-waited)
		}
		if now := n.get("/sandbox").Data()["clock"]; encode(t, now) != encode(t, clock) {
			t.Errorf("the clock went from %v to %v", clock, now)
		}
		n.send(t, request{method: "POST", path: "/sandbox/tick", key: n.factory, body: `{"minutes":1}`}).
			want(http.StatusOK, "")
		got := <-waited
		if len(got) != 1 || got[0]["operation"] != "advance_time" || got[0]["system"] != "factory" {
			t.Errorf("the wait ends with %v", got)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("the wait took %v", took)
		}
	})
}

func TestTwoOfAKeyMayWaitForRequests(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.REQUEST.WAIT")
		n := serve(t).create(t, `{"clock":"manual"}`)
		wait := request{method: "GET", path: "/requests?wait_s=20&operation=accept_sales_order", key: n.office}
		ended := make(chan *answer, 2)
		for range 2 {
			go func() {
				a, _ := n.try(t, wait)
				ended <- a
			}()
		}
		waitUntil(t, time.Now().Add(time.Second))
		n.send(t, wait).want(http.StatusConflict, "poll_in_progress")
		n.send(t, request{method: "GET", path: "/requests", key: n.office}).want(http.StatusOK, "")
		n.get("/events/poll?after_seq=0&wait_s=1").want(http.StatusOK, "")
		n.send(t, request{method: "DELETE", path: "/sandbox", key: n.office})
		for range 2 {
			if a := <-ended; a != nil {
				a.want(http.StatusUnauthorized, "unauthorized")
			}
		}
	})
}
