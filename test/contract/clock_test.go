package contract

import (
	"net/http"
	"slices"
	"testing"
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
