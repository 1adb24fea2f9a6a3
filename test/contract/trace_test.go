package contract

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	tracestate  = "vendor=t61rcWkgMzE,other=00f067aa0ba902b7"
)

// traced checks the trace context of the deliveries of an event.
func (n *tenant) traced(r *receiver, event object, parent, state string) {
	n.t.Helper()
	eventually(n.t, "it is delivered", 20*time.Second, func() bool { return len(r.of(event)) > 0 })
	for _, got := range r.of(event) {
		if !slices.Equal(got.header.Values("traceparent"), sent(parent)) ||
			!slices.Equal(got.header.Values("tracestate"), sent(state)) {
			n.t.Errorf("%s came with %q and %q, want %q and %q", got.kind(), got.header.Values("traceparent"),
				got.header.Values("tracestate"), parent, state)
		}
	}
}

// sent is the values of a header that was sent once; for "" it was not sent.
func sent(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}

func TestATraceGoesFromTheRequestToItsDeliveries(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.TRACE", "OPEN.TRACE.REQUEST", "OPEN.TRACE.DELIVERY")
		n, r := private(t).create(t, `{"preset":"starter","seed":5,"clock":"manual"}`), receive(t)
		s := n.subscribe(r.URL, `"*"`)
		path := "/webhooks/" + text(s, "id")
		headers := []string{"traceparent", traceparent, "tracestate", tracestate}
		n.post(path+"/test", "", headers...).want(http.StatusOK, "")
		if ping := r.pings()[0].header; ping.Get("traceparent") != traceparent || ping.Get("tracestate") != tracestate {
			t.Errorf("the ping came with %v", ping)
		}
		n.settlesAll(s)

		before := n.newest()
		r.always(http.StatusInternalServerError)
		accepted := n.post("/office/sales-orders/SO-1001/accept", "", headers...).want(http.StatusOK, "")
		caused := n.feed(before)
		if kinds := types(caused); !slices.Contains(kinds, "factory.work_order.created") {
			t.Errorf("the bridge is not at work: %v", kinds)
		}
		eventually(t, "an attempt fails", 10*time.Second, func() bool { return len(r.of(caused[0])) > 0 })
		r.always(http.StatusOK)
		n.settlesAll(s)
		for _, e := range caused {
			if strings.HasPrefix(text(e, "type"), "sandbox.") {
				continue // a mission, which the commit notices
			}
			n.traced(r, e, traceparent, tracestate)
		}
		row := one(t, n.deliveries(s), "event_id", text(caused[0], "id"))
		n.post(path+"/deliveries/"+text(row, "id")+"/redeliver", "").want(http.StatusAccepted, "")
		n.settlesAll(s)
		if n.traced(r, caused[0], traceparent, tracestate); len(r.of(caused[0])) < 3 {
			t.Errorf("%v was not sent again", caused[0])
		}
		logged := n.row("/requests/" + text(accepted.Meta(), "request_id"))
		if logged["traceparent"] != traceparent {
			t.Errorf("the request is remembered as %v", logged)
		}

		// Without one none is made up, and time gives its own to nothing.
		n.traced(r, n.happens(), "", "")
		before = n.newest()
		n.post("/sandbox/tick", `{"minutes":480}`, headers...).want(http.StatusOK, "")
		n.settlesAll(s)
		passed := slices.DeleteFunc(n.feed(before), func(e object) bool {
			return strings.HasPrefix(text(e, "type"), "sandbox.")
		})
		for _, e := range passed {
			n.traced(r, e, "", "")
		}
		if len(passed) == 0 {
			t.Error("nothing happened that day")
		}
	})
}

func TestATraceThatIsNotOneIsIgnored(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.TRACE")
		n, r := private(t).create(t, `{"preset":"starter","seed":5,"clock":"manual"}`), receive(t)
		n.serving(r.URL, `"office.sales_order.declined"`)
		ids := traceparent[3:52]
		for _, c := range []struct {
			headers       []string
			parent, state string
		}{
			{[]string{"tracestate", tracestate}, "", ""},
			{[]string{"traceparent", traceparent}, traceparent, ""},
			{[]string{"traceparent", strings.ToUpper(traceparent), "tracestate", tracestate}, "", ""},
			{[]string{"traceparent", traceparent[:54], "tracestate", tracestate}, "", ""},
			{[]string{"traceparent", traceparent + "-00"}, "", ""},
			{[]string{"traceparent", "ff-" + ids + "-01"}, "", ""},
			{[]string{"traceparent", "00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01"}, "", ""},
			{[]string{"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"}, "", ""},
			{[]string{"traceparent", "00_" + ids + "-01"}, "", ""},
			{[]string{"traceparent", "00-" + ids + "-0g"}, "", ""},
			{[]string{"traceparent", "01-" + ids + "-0b-more", "tracestate", "a=1"}, "00-" + ids + "-01", "a=1"},
			{[]string{"traceparent", "01-" + ids + "-02more"}, "", ""},
			{[]string{"traceparent", "01-" + ids + "-02"}, "00-" + ids + "-00", ""},
			{[]string{"traceparent", traceparent, "tracestate", "a=" + strings.Repeat("x", 510)}, traceparent,
				"a=" + strings.Repeat("x", 510)},
			{[]string{"traceparent", traceparent, "tracestate", "a=" + strings.Repeat("x", 511)}, traceparent, ""},
			{[]string{"traceparent", traceparent, "tracestate", "a=\xc3\xa4"}, traceparent, ""},
		} {
			before := n.newest()
			orders := n.get("/office/sales-orders?status=received&limit=1").want(http.StatusOK, "").Items()
			for len(orders) == 0 {
				n.tick(60)
				orders = n.get("/office/sales-orders?status=received&limit=1").want(http.StatusOK, "").Items()
			}
			a := n.post("/office/sales-orders/"+text(orders[0], "id")+"/decline", "", c.headers...).
				want(http.StatusOK, "")
			logged := n.row("/requests/" + text(a.Meta(), "request_id"))
			if kept, _ := logged["traceparent"].(string); kept != c.parent {
				t.Errorf("%q is remembered as %v, want %q", c.headers, logged["traceparent"], c.parent)
			}
			n.traced(r, ofType(n.feed(before), "office.sales_order.declined")[0], c.parent, c.state)
		}
	})
}

func TestAnAgentsTraceGoesAlong(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TRACE.AGENT")
	n := shared.create(t, `{"preset":"starter","seed":5,"clock":"manual"}`)
	a := shared.agent(t, n.office)
	a.rpc("tools/call", `{"name":"call_operation","arguments":{"operation":"accept_sales_order","id":"SO-1001"}}`,
		"traceparent", traceparent)
	logged := n.get("/requests?limit=1").want(http.StatusOK, "").Items()[0]
	if logged["traceparent"] != traceparent {
		t.Errorf("the request of a tool call is %v", logged)
	}
}
