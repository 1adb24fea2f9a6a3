package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"platen/platentest"
)

// quick is a server whose jumps follow each other at once.
func quick(t *testing.T) *service {
	t.Helper()
	return serve(t, map[string]string{"tick-pause": "0s"})
}

// polled polls for the events after a number, and waits for them for a number of seconds.
func (n *tenant) polled(after uint64, seconds int) []object {
	n.t.Helper()
	return n.get(fmt.Sprintf("/events/poll?after_seq=%d&wait_s=%d", after, seconds)).want(http.StatusOK, "").Items()
}

// withoutMissions leaves out what clients are praised for: their own requests bring it.
func withoutMissions(seen []string) []string {
	return slices.DeleteFunc(slices.Clone(seen), func(line string) bool {
		kind, _, _ := strings.Cut(line, " ")
		return !notMission(kind)
	})
}

// life is a sequential client: it waits for events and answers each of some types. It returns when the company is at a
// day, with what it has seen.
func life(n *tenant, next func(after uint64) []object, day int) (seen []string) {
	n.t.Helper()
	after := uint64(0)
	for {
		for _, e := range next(after) {
			after = uint64(number(n.t, e, "seq"))
			seen = append(seen, fmt.Sprint(text(e, "type"), " ", text(e, "sim_date")))
			if data := child(n.t, e, "data"); text(e, "type") == "office.sales_order.received" {
				n.post("/office/sales-orders/"+text(data, "sales_order_id")+"/decline", `{"reason":"too much"}`)
			}
		}
		if int(number(n.t, child(n.t, n.row("/sandbox"), "clock"), "day_number")) >= day {
			return seen
		}
	}
}

// TestASkippingClockIsATickUntilTheNextEvent: an unchanged client that polls has, day for day, the company of its twin,
// which ticks to each event.
func TestASkippingClockIsATickUntilTheNextEvent(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TIME.SKIP", "OPEN.TIME.SET", "OPEN.SANDBOX.FIELDS.CLOCK")
	s := quick(t)
	const body = `{"preset":"starter","seed":11,"clock":`
	polls, ticks := s.create(t, body+`"skip"}`), s.create(t, body+`"manual"}`)
	const days = 4
	jumped := life(polls, func(after uint64) []object {
		return polls.polled(after, 20)
	}, days)
	ticked := life(ticks, func(after uint64) []object {
		got := ticks.polled(after, 0)
		if len(got) == 0 {
			ticks.post("/sandbox/tick", fmt.Sprintf(`{"until":{"seq":%d}}`, after+1)).want(http.StatusOK, "")
			got = ticks.polled(after, 0)
		}
		return got
	}, days)
	if !slices.Equal(withoutMissions(jumped), withoutMissions(ticked)) || len(withoutMissions(jumped)) < 20 {
		t.Errorf("with skip\n%v\nby ticks\n%v", jumped, ticked)
	}
	a, b := polls.row("/sandbox"), ticks.row("/sandbox")
	for _, name := range []string{"cash_minor", "net_worth_minor", "reputation", "inventory", "counts"} {
		if encode(t, a[name]) != encode(t, b[name]) {
			t.Errorf("%s is %v with skip and %v by ticks", name, a[name], b[name])
		}
	}
	if a, b := polls.row("/sandbox/report"), ticks.row("/sandbox/report"); a["business_hash"] != b["business_hash"] {
		t.Errorf("the business is %v with skip and %v by ticks", a["business_hash"], b["business_hash"])
	}
	clock := child(t, a, "clock")
	if clock["mode"] != "skip" || clock["skips_until"] != "2026-11-30" || number(t, clock, "settle_ms") != 0 {
		t.Errorf("the clock is %v", clock)
	}
}

// TestASkippingClockStandsWhileNobodyWaits for events, and becomes manual at its end.
func TestASkippingClockStandsWhileNobodyWaits(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TIME.SKIP")
	s := quick(t)
	n := s.create(t, `{"clock":"manual","seed":11}`)
	n.patch("/sandbox", `{"clock":"skip","settle_ms":1,"max_days":1}`).want(http.StatusOK, "")
	at := encode(t, child(t, n.row("/sandbox"), "clock"))
	for range 20 {
		n.get("/events?after_seq=0").want(http.StatusOK, "")
		n.get("/events/poll?after_seq=0").want(http.StatusOK, "") // has something already
	}
	if now := encode(t, child(t, n.row("/sandbox"), "clock")); now != at {
		t.Errorf("while nobody waited the clock went from %s to %s", at, now)
	}
	n.post("/sandbox/tick", `{"minutes":5}`).want(http.StatusOK, "")
	for child(t, n.row("/sandbox"), "clock")["mode"] == "skip" {
		n.polled(n.newest(), 1)
	}
	clock := child(t, n.row("/sandbox"), "clock")
	if clock["mode"] != "manual" || clock["skips_until"] != nil || clock["settle_ms"] != nil ||
		number(t, clock, "day_number") != 1 {
		t.Errorf("after a day the clock is %v", clock)
	}
}

// TestTwoPollsSeeEachEventOnce: the clock jumps on only when both have looked.
func TestTwoPollsSeeEachEventOnce(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TIME.SKIP")
	s := quick(t)
	n := s.create(t, `{"clock":"skip","seed":11}`)
	start := n.newest()
	var wg sync.WaitGroup
	seen := make([][]string, 2)
	for i := range seen {
		wg.Go(func() {
			for after := start; len(seen[i]) < 60; {
				for _, e := range n.polled(after, 20) {
					after = uint64(number(t, e, "seq"))
					seen[i] = append(seen[i], text(e, "id"))
				}
			}
		})
	}
	wg.Wait()
	if a, b := seen[0][:60], seen[1][:60]; !slices.Equal(a, b) {
		t.Errorf("one poll saw %v, the other %v", a, b)
	}
}

// TestJumpsAreAsRareAsTicks: in the contract's profile there is a second between them.
func TestJumpsAreAsRareAsTicks(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.TIME.SKIP", "LIMIT.TICK")
		s := serve(t, map[string]string{"tick-pause": platentest.Limits()["tick-pause"]})
		n := s.create(t, `{"clock":"skip","seed":11}`)
		jumps, before := 0, text(child(t, n.row("/sandbox"), "clock"), "sim_time")
		for began := time.Now(); time.Since(began) < 10*time.Second; {
			n.polled(n.newest(), 20)
			if now := text(child(t, n.row("/sandbox"), "clock"), "sim_time"); now != before {
				jumps, before = jumps+1, now
			}
		}
		if jumps < 5 || jumps > 11 {
			t.Errorf("in ten seconds the clock jumped %d times", jumps)
		}
	})
}

// TestSkippingHasBounds: what belongs to skip is refused with other modes, and nothing changes.
func TestSkippingHasBounds(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TIME.SKIP", "OPEN.TIME.SET")
	n := shared.create(t, `{"clock":"manual"}`)
	for body, field := range map[string]string{
		`{"clock":"manual","settle_ms":1}`: "settle_ms", `{"clock":"realtime","max_days":1}`: "max_days",
		`{"clock":"skip","settle_ms":-1}`: "settle_ms", `{"clock":"skip","settle_ms":60001}`: "settle_ms",
		`{"clock":"skip","max_days":0}`: "max_days", `{"clock":"skip","max_days":1001}`: "max_days",
		`{"clock":"skip","max_days":1.5}`: "max_days", `{"clock":"skip","settle_ms":null}`: "settle_ms",
	} {
		a := n.patch("/sandbox", body).want(http.StatusUnprocessableEntity, "validation_failed")
		if details := encode(t, a.Failure()["details"]); !strings.Contains(details, `"`+field+`"`) {
			t.Errorf("%s: %s", body, details)
		}
	}
	if clock := child(t, n.row("/sandbox"), "clock"); clock["mode"] != "manual" || clock["settle_ms"] != nil {
		t.Errorf("refused changes left %v", clock)
	}
	eval := shared.create(t, `{"preset":"starter","evaluation":true,"clock":"manual"}`)
	eval.patch("/sandbox", `{"clock":"skip"}`).want(http.StatusForbidden, "not_in_evaluation")
}
