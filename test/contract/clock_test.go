package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

// patch changes a record.
func (n *tenant) patch(path, body string, headers ...string) *answer {
	n.t.Helper()
	return n.call("PATCH", path, body, headers...)
}

// TestTheClockIsPausedAndResumed: the mode changes and in-world time goes on from
// where it is; no event tells of it.
func TestTheClockIsPausedAndResumed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TIME.SET", "OPEN.TIME.ENDS_AT", "OPEN.TICK.BODY", "AUTH.EITHER", "OPEN.IDEM.SCOPE")
	// A minute takes ten seconds, so that none passes while the clock runs.
	slow := presets(t, map[string]object{"slow": {"clock": object{"mode": "manual", "speed": 0.1}}})
	n := serve(t, slow).create(t, `{"preset":"slow","seed":7}`)
	n.tick(9)
	run := n.print(text(n.work("prd_notebook", 1, ""), "id"))
	if run["ends_at"] != nil {
		t.Errorf("under a manual clock a run ends at %v", run["ends_at"])
	}
	n.settle()
	newest := n.newest()
	at := child(t, n.row("/sandbox"), "clock")["sim_time"]

	resumed := n.patch("/sandbox", `{"clock":"realtime"}`, "Idempotency-Key", "go-on").want(http.StatusOK, "")
	if clock := child(t, resumed.Data(), "clock"); clock["mode"] != "realtime" || clock["sim_time"] != at {
		t.Errorf("at %v the clock was resumed and is %v", at, clock)
	}
	running := n.row("/factory/print-runs/" + text(run, "id"))
	if ends := moment(t, running["ends_at"]); !ends.After(moment(t, running["updated_at"])) {
		t.Errorf("a run that goes on ends at %v, updated at %v", ends, running["updated_at"])
	}

	paused := n.send(t, request{
		method: "PATCH", path: "/sandbox", key: n.factory, body: `{"clock":"manual"}`,
	}).want(http.StatusOK, "").Data()
	clock := child(t, paused, "clock")
	if clock["mode"] != "manual" || number(t, paused, "expires_in_s") == 0 {
		t.Errorf("the paused sandbox is %v", paused)
	}
	if again := child(t, n.patch("/sandbox", `{"clock":"manual"}`).want(http.StatusOK, "").Data(),
		"clock"); encode(t, again) != encode(t, clock) {
		t.Errorf("a clock that is paused already went from %v to %v", clock, again)
	}
	if ends := n.row("/factory/print-runs/" + text(run, "id"))["ends_at"]; ends != nil {
		t.Errorf("with the clock paused a run ends at %v", ends)
	}
	again := n.patch("/sandbox", `{"clock":"realtime"}`, "Idempotency-Key", "go-on").want(http.StatusOK, "")
	if again.Header.Get("Idempotency-Replayed") != "true" || string(again.Raw) != string(resumed.Raw) {
		t.Errorf("the replay is %s", again.Raw)
	}
	if now := child(t, n.row("/sandbox"), "clock"); now["mode"] != "manual" {
		t.Errorf("after a replay the clock is %v", now)
	}
	if wrote := slices.DeleteFunc(types(n.feed(newest)),
		func(kind string) bool { return !notMission(kind) }); len(wrote) > 0 {
		t.Errorf("pausing and resuming wrote %v", wrote)
	}
}

func TestAClockIsSetToOneOfTwoModes(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TIME.SET")
	n := shared.create(t, `{"clock":"manual"}`)
	n.settle()
	before := n.row("/sandbox")
	for _, body := range []string{
		"{}", `{"clock":null}`, `{"clock":"paused"}`, `{"clock":1}`, `{"clock":["manual"]}`, `{"clock":{}}`,
		`{"clock":"manual","speed":8}`, `{"clock":"Manual"}`, `{"clock":""}`, `{"status":"active"}`,
	} {
		n.patch("/sandbox", body).want(http.StatusUnprocessableEntity, "validation_failed")
	}
	for _, body := range []string{"", `{"clock":`, `{"clock":"manual","clock":"realtime"}`, "[]", `"manual"`} {
		n.patch("/sandbox", body).want(http.StatusBadRequest, "invalid_json")
	}
	n.patch("/sandbox?clock=manual", `{"clock":"manual"}`).want(http.StatusBadRequest, "invalid_parameter")
	n.send(t, request{method: "PATCH", path: "/sandbox", body: `{"clock":"manual"}`}).
		want(http.StatusUnauthorized, "unauthorized")
	after := n.row("/sandbox")
	for _, name := range []string{"clock", "last_seq"} {
		if encode(t, after[name]) != encode(t, before[name]) {
			t.Errorf("refused changes of the clock left %s at %v, it was %v", name, after[name], before[name])
		}
	}
}

// waiting reports whether the console shows a clock that waits for the first
// request. It is no request of a client.
func (n *tenant) waiting() bool {
	n.t.Helper()
	r, err := http.NewRequestWithContext(n.t.Context(), http.MethodGet, n.Origin+"/console/data/state", http.NoBody)
	if err != nil {
		n.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+n.office)
	response, err := n.web().Do(r)
	if err != nil {
		n.t.Fatal(err)
	}
	defer response.Body.Close()
	var state struct {
		Status struct {
			Clock struct{ Waiting bool }
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&state); err != nil || response.StatusCode != http.StatusOK {
		n.t.Fatalf("the console's state is %d: %v", response.StatusCode, err)
	}
	return state.Status.Clock.Waiting
}

// TestTheClockStartsWithTheFirstRequest that is not refused, whatever it is.
func TestTheClockStartsWithTheFirstRequest(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TIME.WAITS", "OPEN.SANDBOX.FIELDS.CLOCK")
	for name, first := range map[string]func(*tenant){
		"a list":  func(n *tenant) { n.get("/office/sales-orders").want(http.StatusOK, "") },
		"a row":   func(n *tenant) { n.row("/factory/presses/prs_digital") },
		"a feed":  func(n *tenant) { n.get("/events").want(http.StatusOK, "") },
		"a poll":  func(n *tenant) { n.get("/events/poll?after_seq=0").want(http.StatusOK, "") },
		"a write": func(n *tenant) { n.work("prd_notebook", 1, "") },
		"a tick":  func(n *tenant) { n.tick(1) },
		"a pause": func(n *tenant) { n.patch("/sandbox", `{"clock":"manual"}`).want(http.StatusOK, "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := shared.create(t, `{"preset":"starter"}`)
			n.get("/office/sales-orders/so_nobody").want(http.StatusNotFound, "not_found")
			n.get("/office/sales-orders?cursor=none").want(http.StatusBadRequest, "invalid_cursor")
			n.post("/sandbox/tick", `{"minutes":0}`).want(http.StatusUnprocessableEntity, "validation_failed")
			n.post("/office/sales-orders/so_nobody/accept", "").want(http.StatusNotFound, "not_found")
			n.send(t, request{method: "GET", path: "/factory/presses", key: n.office}).
				want(http.StatusForbidden, "wrong_system")
			if !n.waiting() {
				t.Fatal("the clock of a new sandbox was started by requests that were refused, or by the console")
			}
			first(n)
			if n.waiting() {
				t.Error("the clock still waits")
			}
			if clock := child(t, n.row("/sandbox"), "clock"); clock["waiting"] != false {
				t.Errorf("after the first request the clock is %v", clock)
			}
		})
	}
}

// TestWhichPresetsWait: crunch and supply_shock press from the start on, and a
// manual clock has nothing to wait for.
func TestWhichPresetsWait(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TIME.WAITS")
	for preset, want := range map[string]bool{
		"starter": true, "manual": true, "empty": true, "crunch": false, "supply_shock": false, "agent_eval": false,
	} {
		if got := shared.create(t, fmt.Sprintf(`{"preset":%q,"clock":"realtime"}`, preset)).waiting(); got != want {
			t.Errorf("%s waits: %t, want %t", preset, got, want)
		}
		if shared.create(t, fmt.Sprintf(`{"preset":%q,"clock":"manual"}`, preset)).waiting() {
			t.Errorf("%s waits under a manual clock", preset)
		}
	}
}

// TestAClockThatNobodyWatchesPauses ten minutes after the last request, although webhooks are delivered, and goes on
// with the next one.
func TestAClockThatNobodyWatchesPauses(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.TIME.IDLE", "OPEN.TIME.ENDS_AT", "OPEN.SANDBOX.FIELDS.CLOCK")
		s := private(t)
		n, strict := s.create(t, `{"seed":7}`), s.create(t, `{"preset":"crunch","seed":7}`)
		r := receive(t)
		n.serving(r.URL, `"*"`)
		n.get("/events").want(http.StatusOK, "")
		since := n.newest()
		<-time.After(9 * time.Minute)
		if n.waiting() {
			t.Error("the clock paused within ten minutes")
		}
		n.work("prd_card", 1, "for later") // a sign of life
		<-time.After(15 * time.Minute)
		if !n.waiting() || strict.waiting() {
			t.Errorf("nobody sends a request, and starter waits: %v, crunch waits: %v", n.waiting(), strict.waiting())
		}
		row := n.row("/sandbox")
		clock := child(t, row, "clock")
		if day := number(t, clock, "day_number"); day < 18 || day > 20 || clock["waiting"] != false {
			t.Errorf("after 9 and 15 minutes, of which the last 5 are idle, the clock is %v", clock)
		}
		if day := number(t, child(t, strict.row("/sandbox"), "clock"), "day_number"); day < 23 {
			t.Errorf("the clock of crunch is at day %d", day)
		}
		if len(n.feed(since)) == 0 {
			t.Error("nothing happened in the meantime")
		}
	})
}

// TestDeliveriesGoOnWhileTheClockIsPaused: they are of the wall clock, and none is missing
// or twice afterwards.
func TestDeliveriesGoOnWhileTheClockIsPaused(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.TIME.SET")
		n := private(t).create(t, `{"clock":"realtime"}`)
		r := receive(t)
		n.serving(r.URL, `"factory.work_order.created"`)
		var written []object
		order := func(reference string) {
			since := n.newest()
			n.work("prd_card", 1, reference)
			written = append(written, ofType(n.feed(since), "factory.work_order.created")[0])
		}
		order("before the pause")
		n.patch("/sandbox", `{"clock":"manual"}`).want(http.StatusOK, "")
		order("in the pause")
		eventually(t, "the delivery in the pause", 5*time.Second, func() bool { return len(r.of(written[1])) > 0 })
		n.patch("/sandbox", `{"clock":"realtime"}`).want(http.StatusOK, "")
		order("after the pause")
		for _, e := range written {
			eventually(t, "the delivery of "+text(e, "id"), 5*time.Second, func() bool { return len(r.of(e)) > 0 })
			if got := len(r.of(e)); got != 1 {
				t.Errorf("%s came %d times", text(e, "id"), got)
			}
		}
	})
}
