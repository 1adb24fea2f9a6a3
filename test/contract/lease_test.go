package contract

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"platen/internal/config"
)

// TestWhatHappensWithinSeconds runs before all parallel tests and not beside
// them: with a day in a second, a busy machine would miss the moment in which a
// run ends, and that in which a server stops.
func TestWhatHappensWithinSeconds(t *testing.T) { //nolint:paralleltest // as said
	for name, test := range map[string]func(*testing.T){
		"reads show what was due":                  testReadsAreCurrent,
		"a run that ends at once is a second away": testRetryIsASecondAway,
		"a service that stops is unavailable":      testStoppingIsUnavailable,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// hasty is a folder with presets for tests: rush has a day in a second, brisk
// has many orders with short due dates.
func hasty(t testing.TB) map[string]string {
	t.Helper()
	demand := func(perDay, most int) object {
		return object{
			"per_day": perDay, "per_day_max": most, "reputation_base": 1, "reputation_slope": 0,
			"reputation_start": 0.6, "price_factor": 1, "due_days": []int{1, 1}, "answer_days": 1,
			"cancel_after_days": 1, "late_pct_per_day": 3, "late_cap_pct": 30,
		}
	}
	punctual := object{"late_factor": 0}
	return presets(t, map[string]object{
		"rush":  {"clock": object{"mode": "realtime", "speed": 480}, "demand": demand(1, 1), "customers": punctual},
		"brisk": {"clock": object{"mode": "manual", "speed": 8}, "demand": demand(25, 30), "customers": punctual},
	})
}

// presets is a setting that adds presets, each the preset starter with other
// members.
func presets(t testing.TB, all map[string]object) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../internal/company/preset/starter.json")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, members := range all {
		var made object
		if err := json.Unmarshal(text, &made); err != nil {
			t.Fatal(err)
		}
		made["preset"], made["summary"] = name, "for tests"
		maps.Copy(made, world(0, 0, 0))
		maps.Copy(made, members)
		if err := os.WriteFile(filepath.Join(folder, name+".json"), []byte(encode(t, made)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return map[string]string{"presets": folder}
}

// world is how often disruptions, stories and major orders come, in days, 0 for
// never. Their first day is day 1.
func world(disruptions, stories, majorOrders int) object {
	return object{
		"disruptions":  object{"every_days": disruptions, "first_days": []int{1, 1}, "most_at_once": 1},
		"stories":      object{"every_days": stories, "first_days": []int{1, 1}},
		"major_orders": object{"every_days": majorOrders, "first_day": 1},
	}
}

func TestASandboxEndsInTwoSteps(t *testing.T) {
	t.Parallel()
	inBubble(t, testTwoSteps)
}

func testTwoSteps(t *testing.T) {
	t.Helper()
	rows(t, "LIFE.EXPIRED", "LIFE.DELETED", "ERR.SANDBOX_EXPIRED", "LIMIT.DURATION", "OPEN.LIFE.EXPIRY_NO_EVENT",
		"OPEN.IDEM.KEPT", "OPEN.IDEM.FIRST", "OPEN.HTTP.ONE_401", "AUTH.INVALID", "OPEN.LIFE.DELETE.ANY_STATUS")
	s := serve(t, map[string]string{"sandbox-duration": "12s", "grace": "25s"})
	expired, n := s.create(t, ""), s.create(t, `{"clock":"manual"}`)
	ends := moment(t, n.created["expires_at"])
	order := n.order("SO-1001")
	key := freshKey()
	accepted := n.post("/office/sales-orders/"+text(order, "id")+"/accept", "", "Idempotency-Key", key).want(200, "")
	work := text(accepted.Data(), "bridged_work_order_id")
	n.row("/factory/work-orders/" + work)
	before := n.newest()

	waitUntil(t, ends.Add(10*time.Millisecond))
	for _, write := range [][2]string{
		{"/office/sales-orders/" + text(n.order("SO-1002"), "id") + "/accept", ""},
		{"/factory/print-runs", encode(t, object{"press_id": "prs_digital", "work_order_id": work})},
		{"/sandbox/tick", ""},
	} {
		n.post(write[0], write[1]).want(http.StatusLocked, "sandbox_expired")
		for _, wrong := range []string{"{", `{"nothing":0}`} {
			n.post(write[0], wrong).want(http.StatusLocked, "sandbox_expired")
			n.call("POST", write[0], wrong).want(http.StatusLocked, "sandbox_expired") // without a key that is wanted
		}
	}
	n.patch("/sandbox", `{"clock":"manual"}`).want(http.StatusLocked, "sandbox_expired")
	for _, path := range n.judge.records() {
		n.get(path).want(200, "")
	}
	status := n.row("/sandbox")
	if status["status"] != "expired" || number(t, status, "expires_in_s") != 0 ||
		uint64(number(t, status, "last_seq")) != before {
		t.Errorf("after its end the sandbox is %v, %v s, last_seq %v; before it %d",
			status["status"], status["expires_in_s"], status["last_seq"], before)
	}
	rows(t, "OPEN.ATTENTION.HISTORY")
	attention := n.row("/sandbox/attention")
	history := children(t, attention, "history")
	if len(children(t, attention, "items")) > 0 || len(history) < 2 {
		t.Fatalf("a sandbox whose time is over shows %v", attention)
	}
	if first, last := history[0], history[len(history)-1]; last["seq"] != nil || first["seq"] == nil ||
		n.eventAt(uint64(number(t, first, "seq")))["type"] != "office.sales_order.accepted" {
		t.Errorf("its history is from %v to %v", first, last)
	}
	expired.deletes()
	replay := n.post("/office/sales-orders/"+text(order, "id")+"/accept", "", "Idempotency-Key", key).want(200, "")
	if string(replay.Raw) != string(accepted.Raw) || replay.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("after the end the replay is\n%s\nwas\n%s", replay.Raw, accepted.Raw)
	}

	waitUntil(t, ends.Add(25*time.Second+10*time.Millisecond))
	unknown := s.send(t,
		request{method: "GET", path: "/sandbox", key: "lab_off_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}).
		want(401, "unauthorized")
	for _, path := range []string{"/sandbox", "/office/cash", "/events", "/factory/stock"} {
		deleted := n.get(path).want(http.StatusUnauthorized, "unauthorized")
		if encode(t, deleted.Failure()) != encode(t, unknown.Failure()) {
			t.Errorf("a deleted key is told %s, an unknown one %s", deleted.Raw, unknown.Raw)
		}
	}
	n.post("/sandbox/tick", "").want(http.StatusUnauthorized, "unauthorized")
}

func TestWhatWasDueBeforeTheEndHappens(t *testing.T) {
	t.Parallel()
	inBubble(t, testDueBeforeTheEnd)
}

func testDueBeforeTheEnd(t *testing.T) {
	t.Helper()
	rows(t, "OPEN.LIFE.DUE_BEFORE_END")
	n := serve(t, hasty(t), map[string]string{"sandbox-duration": "10s", "grace": "60s"}).create(t, `{"preset":"rush"}`)
	run := n.print(text(n.work("prd_notebook", 10, ""), "id"))
	ends, expires := moment(t, run["ends_at"]), moment(t, n.created["expires_at"])
	if !ends.Before(expires) {
		t.Fatalf("the run ends at %v, the sandbox at %v", ends, expires)
	}
	waitUntil(t, expires.Add(200*time.Millisecond)) // no request in the meantime
	n.post("/sandbox/tick", "").want(http.StatusLocked, "sandbox_expired")
	if got := n.row("/factory/print-runs/" + text(run, "id")); got["status"] != "completed" {
		t.Errorf("the run that ended before the sandbox is %v", got["status"])
	}
	// Events of one moment follow each other by a microsecond, also past the end.
	var last, began time.Time
	for _, e := range n.feed(0) {
		at := moment(t, e["created_at"])
		if at.Sub(last) != time.Microsecond {
			began = at
		}
		if last = at; began.After(expires) {
			t.Errorf("%v happened at %v, the end was at %v", e["type"], at, expires)
		}
	}
}

func testReadsAreCurrent(t *testing.T) {
	rows(t, "OPEN.TIME.READS_ARE_CURRENT", "OPEN.TIME.CREATED_AT", "OPEN.TIME.REALTIME")
	n := serve(t, hasty(t)).create(t, `{"preset":"rush"}`)
	for _, path := range []string{
		"/factory/print-runs/", "/events?types=factory.print_run.completed", "/factory/presses/prs_digital",
	} {
		run := n.print(text(n.work("prd_notebook", 30, ""), "id"))
		ends := moment(t, run["ends_at"])
		if left := time.Until(ends); left > time.Second {
			t.Errorf("with a day in a second the run takes %v", left)
		}
		waitUntil(t, ends.Add(5*time.Millisecond))
		switch path { // nothing is asked before this read
		case "/factory/presses/prs_digital":
			if got := n.row(path); got["status"] != "idle" {
				t.Errorf("after its end the press is %v", got["status"])
			}
		case "/factory/print-runs/":
			if got := n.row(path + text(run, "id")); got["status"] != "completed" {
				t.Errorf("after its end the run is %v", got["status"])
			}
		default:
			items := n.get(path).want(200, "").Items()
			at := moment(t, items[len(items)-1]["created_at"])
			if apart := at.Sub(ends).Abs(); apart > time.Millisecond {
				t.Errorf("the run ended at %v, its event is of %v", ends, at)
			}
		}
	}
}

// testRetryIsASecondAway looks at a press that is free sooner.
func testRetryIsASecondAway(t *testing.T) {
	rows(t, "OPEN.PRESS_BUSY.RETRY_AT")
	n := serve(t, hasty(t)).create(t, `{"preset":"rush"}`)
	const tries = 5 // the run takes half a second, and so may a busy machine
	for range tries {
		work := text(n.work("prd_notebook", 30, ""), "id")
		n.print(text(n.work("prd_notebook", 40, ""), "id"))
		a := n.post("/factory/print-runs", encode(t, object{"press_id": "prs_digital", "work_order_id": work}))
		if a.Status == http.StatusCreated {
			waitUntil(t, moment(t, a.Data()["ends_at"]).Add(5*time.Millisecond))
			continue
		}
		a.want(http.StatusConflict, "press_busy")
		if left := moment(t, a.Failure()["retry_at"]).Sub(moment(t, a.Meta()["server_time"])); left < time.Second ||
			left >= 2*time.Second {
			t.Errorf("of a run that ends at once retry_at is %v away", left)
		}
		return
	}
	t.Errorf("in %d tries no press was busy", tries)
}

// TestTheGracePeriodIsTenMinutes looks at the setting: no test waits for it.
// That a sandbox is deleted after the setting's time is shown by TestASandboxEndsInTwoSteps.
func TestTheGracePeriodIsTenMinutes(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.LIFE.GRACE")
		if grace := config.Default().Grace; grace != 10*time.Minute {
			t.Errorf("the grace period is %v", grace)
		}
		n := serve(t, map[string]string{"sandbox-duration": "1s"}).create(t, "")
		waitUntil(t, moment(t, n.created["expires_at"]).Add(3*time.Second))
		n.row("/sandbox")
	})
}

func TestAPlaceIsFreeOnlyAfterDeletion(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.LIFE.CAPACITY")
		s := serve(t,
			map[string]string{"max-sandboxes": "1", "queue-length": "0", "sandbox-duration": "3s", "grace": "15s"})
		s.faults = true
		n := s.create(t, "")
		waitUntil(t, moment(t, n.created["expires_at"]).Add(50*time.Millisecond))
		s.send(t, request{method: "POST", path: "/sandboxes"}).want(http.StatusServiceUnavailable, "queue_full")
		eventually(t, "a place is free", 60*time.Second, func() bool {
			return s.send(t, request{method: "POST", path: "/sandboxes"}).Status == http.StatusCreated
		})
		n.get("/sandbox").want(http.StatusUnauthorized, "unauthorized")
	})
}

// eventAt is the event with a number.
func (n *tenant) eventAt(seq uint64) object {
	n.t.Helper()
	for _, e := range n.feed(seq - 1) {
		if uint64(number(n.t, e, "seq")) == seq {
			return e
		}
	}
	n.t.Fatalf("there is no event %d", seq)
	return nil
}
