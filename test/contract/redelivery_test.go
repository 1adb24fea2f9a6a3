package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// sendsAgain asks for all failed events of a subscription from a number on, and returns how many there are.
func (n *tenant) sendsAgain(s object, since uint64, more string, headers ...string) int64 {
	n.t.Helper()
	return number(n.t, n.post("/webhooks/"+text(s, "id")+"/redeliver", fmt.Sprintf(`{"since":%d%s}`, since, more),
		headers...).want(http.StatusAccepted, "").Data(), "count")
}

// failing makes a subscription whose receiver fails until it is disabled, and then lives on for some days. It returns
// the events that the receiver has not got.
func (n *tenant) failing(r *receiver, days int) (s object, since uint64, lost []object) {
	n.t.Helper()
	s = n.serving(r.URL, `"*"`)
	n.settlesAll(s)
	since = n.newest() + 1
	r.always(http.StatusServiceUnavailable)
	n.day()
	eventually(n.t, "it is disabled", 10*time.Minute, func() bool { return n.webhook(s)["status"] == "disabled" })
	for range days {
		n.day()
	}
	lost = slices.DeleteFunc(n.feed(since-1), func(e object) bool {
		return strings.HasPrefix(text(e, "type"), "sandbox.webhook.")
	})
	n.patch("/webhooks/"+text(s, "id"), "").want(http.StatusOK, "")
	return s, since, lost
}

func (n *tenant) settlesAll(s object) {
	n.t.Helper()
	eventually(n.t, "nothing waits", 30*time.Minute, func() bool {
		return !slices.ContainsFunc(n.deliveries(s), func(d object) bool {
			return d["status"] == "pending" || d["status"] == "deferred"
		})
	})
}

func TestAllFailedEventsAreSentAgainOnce(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.DLV.FAILED", "OPEN.DLV.FAILED.OFF", "OPEN.DLV.FAILED.ORDER", "OPEN.DLV.FAILED.ONCE",
			"LIMIT.DELIVERIES")
		n, r := private(t).create(t, `{"preset":"starter","seed":5,"clock":"manual"}`), receive(t)
		s, since, lost := n.failing(r, 5)
		if len(lost) < 40 {
			t.Fatalf("only %d events are lost", len(lost))
		}
		failures := len(r.requests())
		r.always(http.StatusOK)
		count := n.sendsAgain(s, since, "", "Idempotency-Key", "again")
		if count != int64(len(lost)) {
			t.Errorf("%d events are sent again, of %d that were lost", count, len(lost))
		}
		if n.sendsAgain(s, since, "", "Idempotency-Key", "again") != count || n.sendsAgain(s, since, "") != 0 {
			t.Error("what waits is sent once more")
		}
		n.settlesAll(s)
		if more := n.sendsAgain(s, 1, ""); more != 0 {
			t.Errorf("%d that were delivered are sent once more: %v", more, n.deliveries(s))
		}
		got := r.requests()[failures:]
		came := map[any]bool{}
		for _, one := range got {
			if came[one.event["id"]] {
				t.Errorf("%v came twice", one.event)
			}
			came[one.event["id"]] = true
		}
		got = slices.DeleteFunc(got, func(one received) bool { // what happened since then
			return !slices.ContainsFunc(lost, func(e object) bool { return e["id"] == one.event["id"] })
		})
		if len(got) != len(lost) {
			t.Fatalf("%d deliveries came for %d events", len(got), len(lost))
		}
		for i, one := range got {
			if one.event["id"] != lost[i]["id"] {
				t.Fatalf("delivery %d is %v, want %v", i, one.event, lost[i])
			}
			if i >= 60 && one.at.Sub(got[i-60].at) < time.Minute {
				t.Errorf("delivery %d came %v after the sixtieth before it", i, one.at.Sub(got[i-60].at))
			}
		}
	})
}

func TestFailedEventsSentAgainStopWithTheFifthFailure(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.DLV.FAILED", "OPEN.DLV.FAILED.ORDER", "OPEN.DLV.REST")
		n, r := private(t).create(t, `{"preset":"starter","seed":5,"clock":"manual"}`), receive(t)
		s, since, lost := n.failing(r, 1)
		path := "/webhooks/" + text(s, "id")
		before, failures := n.newest(), len(r.requests())
		if count := n.sendsAgain(s, since, ""); count != int64(len(lost)) || len(lost) < 6 {
			t.Errorf("%d of %d are sent again", count, len(lost))
		}
		eventually(t, "it is disabled", 10*time.Minute, func() bool { return n.webhook(s)["status"] == "disabled" })
		got := r.requests()[failures:]
		if len(got) != 5 {
			t.Errorf("%d failures disabled it", len(got))
		}
		if rested := got[2].at.Sub(got[1].at); rested < 2*time.Second {
			t.Errorf("after two failures the next came %v later", rested)
		}
		off := ofType(n.feed(before), "sandbox.webhook.disabled")
		if len(off) != 1 || number(t, child(t, off[0], "data"), "dropped_count") < int64(len(lost)-5) {
			t.Errorf("it was disabled by %v", off)
		}
		n.post(path+"/redeliver", `{"since":1}`).want(http.StatusConflict, "invalid_state")
		n.patch(path, "").want(http.StatusOK, "")
		r.always(http.StatusOK)
		if count := n.sendsAgain(s, since, ""); count != int64(len(lost)) {
			t.Errorf("in the end %d of %d are sent again", count, len(lost))
		}
	})
}

func TestFailedEventsAreChosenByTypeAndNumber(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.DLV.FAILED", "WHK.SUBSCRIBED_ONLY")
		n, r := private(t).create(t, `{"preset":"starter","seed":5,"clock":"manual"}`), receive(t)
		s, since, lost := n.failing(r, 1)
		path := "/webhooks/" + text(s, "id")
		before := n.newest()
		for body, code := range map[string]string{
			``: "invalid_json", `{}`: "validation_failed", `{"since":0}`: "validation_failed",
			`{"since":1.5}`: "validation_failed", `{"since":1,"event_types":[]}`: "validation_failed",
			`{"since":1,"event_types":["office.nothing"]}`:           "invalid_event_type",
			`{"since":1,"event_types":["sandbox.webhook.disabled"]}`: "invalid_event_type",
		} {
			status := http.StatusUnprocessableEntity
			if code == "invalid_json" {
				status = http.StatusBadRequest
			}
			n.post(path+"/redeliver", body).want(status, code)
		}
		n.post("/webhooks/whk_unknown/redeliver", `{"since":1}`).want(http.StatusNotFound, "not_found")
		n.post("/webhooks/"+text(n.subscribe(r.URL, `"*"`), "id")+"/redeliver", `{"since":1}`).
			want(http.StatusConflict, "invalid_state")
		if n.newest() != before+1 { // the new subscription
			t.Error("a request that failed has written an event")
		}
		r.always(http.StatusOK)
		const kind = "office.sales_order.received"
		orders := ofType(lost, kind)
		last := uint64(number(t, lost[len(lost)-1], "seq"))
		if n.sendsAgain(s, last+1, "") != 0 {
			t.Error("later events than were lost are sent again")
		}
		if got := n.sendsAgain(s, since, `,"event_types":["`+kind+`"]`); got != int64(len(orders)) || got == 0 {
			t.Errorf("%d of %d orders are sent again", got, len(orders))
		}
		n.settlesAll(s)
		second := uint64(number(t, lost[1], "seq"))
		rest := slices.DeleteFunc(lost[1:], func(e object) bool { return text(e, "type") == kind })
		if got := n.sendsAgain(s, second, ""); got != int64(len(rest)) {
			t.Errorf("of the rest %d of %d are sent again", got, len(rest))
		}
		// What the subscription does not get is not sent again, and nothing from before it was in service.
		n.patch(path, `{"events":["`+kind+`"]}`).want(http.StatusOK, "")
		n.settlesAll(s)
		n.post(path+"/redeliver", `{"since":1,"event_types":["office.sales_order.expired"]}`).
			want(http.StatusUnprocessableEntity, "invalid_event_type")
		if got := n.sendsAgain(s, 1, ""); got > 1 {
			t.Errorf("%d events from before are sent", got)
		}
	})
}
