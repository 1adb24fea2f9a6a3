package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// asks sends the body of a fork.
func (n *tenant) asks(body string, headers ...string) *answer {
	n.t.Helper()
	return n.send(n.t, request{method: "POST", path: "/sandbox/forks", key: n.office, body: body, headers: headers})
}

// fork makes a fork.
func (n *tenant) fork(body string) *tenant {
	n.t.Helper()
	return n.tenantOf(n.t, n.asks(body).want(http.StatusCreated, "").Data())
}

// names makes a checkpoint.
func (n *tenant) names(label string) object {
	n.t.Helper()
	return n.post("/sandbox/checkpoints", encode(n.t, object{"label": label})).want(http.StatusCreated, "").Data()
}

// past is the feed up to a number.
func (n *tenant) past(until uint64) string {
	n.t.Helper()
	return encode(n.t, slices.DeleteFunc(n.feed(0), func(e object) bool {
		return number(n.t, e, "seq") > int64(until)
	}))
}

// opened is the number of the last event of the opening: reads complete the first mission.
func (n *tenant) opened() uint64 {
	n.t.Helper()
	events := n.greet().feed(0)
	return uint64(slices.IndexFunc(events, func(e object) bool { return !notMission(text(e, "type")) }))
}

func (n *tenant) stateHash() string {
	n.t.Helper()
	if n.grading != "" {
		n = n.grader()
	}
	return text(n.row("/sandbox/report"), "state_hash")
}

// TestACheckpointIsANameForTheSandboxAsItStands.
func TestACheckpointIsANameForTheSandboxAsItStands(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.CHECKPOINT.CREATE", "OPEN.CHECKPOINT.LABEL", "OPEN.CHECKPOINT.READ", "OPEN.CHECKPOINT.START",
		"OPEN.CHECKPOINT.DELETE", "OPEN.LIMIT.CHECKPOINTS", "OPEN.ERR.CHECKPOINT_EXISTS", "OPEN.ERR.CHECKPOINT_KEPT")
	n := shared.create(t, `{"clock":"manual"}`)
	start := n.all("/sandbox/checkpoints")
	if len(start) != 1 || start[0]["label"] != "start" || start[0]["sim_time"] != "08:00" ||
		number(t, start[0], "seq") != int64(n.opened()) {
		t.Fatalf("a new sandbox has the checkpoints %v", start)
	}
	n.day()
	n.tick(30)
	before := n.newest()
	made := n.names("a day and half an hour · später")
	agrees(t, "the checkpoint", made, object{
		"label": "a day and half an hour · später", "seq": before, "sim_date": "2026-09-08", "sim_time": "08:30",
		"day_number": 1,
	})
	if number(t, made, "version") <= number(t, start[0], "version") || n.newest() != before {
		t.Errorf("it is %v, and wrote %d events", made, n.newest()-before)
	}
	agrees(t, "read again", n.row("/sandbox/checkpoints/"+text(made, "id")), made)
	if all := n.all("/sandbox/checkpoints"); len(all) != 2 || all[0]["id"] != made["id"] {
		t.Errorf("the list is %v", all)
	}

	again := n.post("/sandbox/checkpoints", encode(t, object{"label": made["label"]})).
		want(http.StatusConflict, "checkpoint_exists")
	if again.details()["checkpoint_id"] != made["id"] {
		t.Errorf("the checkpoint that exists is %v", again.details())
	}
	n.post("/sandbox/checkpoints", `{"label":"start"}`).want(http.StatusConflict, "checkpoint_exists")
	for _, body := range []string{"", "{}", `{"label":""}`, `{"label":null}`, `{"label":7}`, `{"name":"x"}`,
		`{"label":"` + strings.Repeat("x", 81) + `"}`, `{"label":"a","label":"b"}`} {
		if a := n.post("/sandbox/checkpoints", body); a.Status != http.StatusBadRequest &&
			a.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", body, a.Status, a.Raw)
		}
	}
	n.call("DELETE", "/sandbox/checkpoints/"+text(start[0], "id"), "").want(http.StatusConflict, "checkpoint_kept")
	n.call("DELETE", "/sandbox/checkpoints/chk_0", "").want(http.StatusNotFound, "not_found")
	kept := n.fork(encode(t, object{"checkpoint": made["id"]}))
	agrees(t, "what was deleted",
		n.call("DELETE", "/sandbox/checkpoints/"+text(made, "id"), "").want(http.StatusOK, "").Data(), made)
	n.get("/sandbox/checkpoints/"+text(made, "id")).want(http.StatusNotFound, "not_found")
	n.asks(encode(t, object{"checkpoint": made["label"]})).want(http.StatusNotFound, "not_found")
	agrees(t, "the one of the fork", kept.row("/sandbox/checkpoints/"+text(made, "id")), made)

	for i := len(n.all("/sandbox/checkpoints")); i < 100; i++ {
		n.names(fmt.Sprint("number ", i))
	}
	n.post("/sandbox/checkpoints", `{"label":"one more"}`).want(http.StatusConflict, "too_many_open")
}

// TestAForkHasThePastAndItsOwnFuture.
func TestAForkHasThePastAndItsOwnFuture(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FORK.CREATE", "OPEN.FORK.PAST", "OPEN.FORK.FUTURE", "OPEN.FORK.SAME", "OPEN.FORK.CLOCK",
		"OPEN.SANDBOX.FIELDS.FORKED_FROM")
	n := shared.create(t, `{"clock":"manual","seed":12}`)
	opening := n.opened()
	n.settle()
	if from, ok := n.row("/sandbox")["forked_from"]; !ok || from != nil {
		t.Errorf("a sandbox that is no fork comes from %v", from)
	}
	order := text(n.order("SO-1001"), "id")
	accept := func(m *tenant) *answer {
		return m.post("/office/sales-orders/"+order+"/accept", "", "Idempotency-Key", "before the fork").want(200, "")
	}
	accepted := accept(n)
	accept(n) // which completes a mission
	n.day()
	point := n.newest()
	n.names("a day later")
	hash, past, missions := n.stateHash(), n.past(point), n.missions()

	later := n.fork(`{"checkpoint":"a day later"}`)
	agrees(t, "the response", later.created, object{"forked_from": object{"sandbox_id": n.id, "seq": point}})
	if later.id == n.id || later.office == n.office || later.factory == n.factory {
		t.Error("it has something of the sandbox that it comes from")
	}
	status := later.row("/sandbox")
	agrees(t, "the fork", status, object{
		"sandbox_id": later.id, "status": "active", "forked_from": object{"sandbox_id": n.id, "seq": point},
		"extensions_left": 2, "seed": 12, "clock": child(t, n.row("/sandbox"), "clock"),
	})
	if later.past(point) != past || later.stateHash() != hash || encode(t, later.missions()) != encode(t, missions) {
		t.Error("its past is another one")
	}
	if replayed := accept(later); string(replayed.Raw) != string(accepted.Raw) ||
		replayed.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the reply from before is %s", replayed.Raw)
	}

	// Both go on alike, and separately.
	ids := map[string]bool{}
	for _, m := range []*tenant{n, later} {
		m.accept(text(m.order("SO-1002"), "id"))
		m.day()
		for _, e := range m.feed(point) {
			if ids[text(e, "id")] || e["sandbox_id"] != m.id {
				t.Fatalf("the event %s of %v has an id that was used", text(e, "id"), e["sandbox_id"])
			}
			ids[text(e, "id")] = true
			agrees(t, "the event alone", m.row("/events/"+text(e, "id")), object{"seq": e["seq"]})
		}
		for _, e := range m.feed(0)[:5] {
			agrees(t, "an event of before", m.row("/events/"+text(e, "id")),
				object{"sandbox_id": n.id, "seq": e["seq"]})
		}
	}
	if n.stateHash() != later.stateHash() {
		t.Errorf("with the same requests they are at %d and %d", n.newest(), later.newest())
	}
	for _, m := range []*tenant{n, later} {
		if held := child(t, m.row("/sandbox/report"), "invariants"); held["hold"] != true {
			t.Errorf("the books: %v", held)
		}
	}
	hash = later.stateHash()
	n.day()
	if later.stateHash() != hash || later.newest() == n.newest() {
		t.Error("a day of the one passed in the other")
	}

	// A fork of the fork, and of its first morning.
	third := later.fork(`{"checkpoint":"start"}`)
	agrees(t, "the first morning", third.row("/sandbox"), object{"cash_minor": status["opening_cash_minor"],
		"forked_from": object{"sandbox_id": later.id, "seq": opening}})
	if missing := slices.DeleteFunc(later.all("/sandbox/checkpoints"), func(c object) bool {
		return c["label"] != "a day later"
	}); len(missing) != 1 {
		t.Error("it lost the checkpoint that it was made of")
	}
	n.deletes()
	if later.stateHash() != hash {
		t.Error("the end of the one changed the other")
	}
	later.day()
	later.deletes()
	third.day()
}

// TestAForkOfAnEventBeginsAfterTheChangeThatWroteIt.
func TestAForkOfAnEventBeginsAfterTheChangeThatWroteIt(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FORK.SEQ", "OPEN.FORK.CREATE")
	n := shared.create(t, `{"clock":"manual"}`)
	opening := n.opened()
	first := text(n.order("SO-1001"), "id")
	n.settle()
	begun := n.newest()
	n.accept(first)
	after := n.newest() // the acceptance has written several
	n.accept(text(n.order("SO-1002"), "id"))
	for _, seq := range []uint64{1, opening, begun + 1, after} {
		m := n.fork(fmt.Sprintf(`{"seq":%d}`, seq))
		want := after
		if seq <= opening {
			want = opening
		}
		from := child(t, m.row("/sandbox"), "forked_from")
		agrees(t, "its origin", m.created, object{"forked_from": object{"sandbox_id": n.id, "seq": want}})
		if uint64(number(t, from, "seq")) != want || m.order("SO-1002")["status"] != "received" ||
			(m.row("/office/sales-orders/" + first)["status"] == "received") != (seq <= opening) {
			t.Errorf("the fork of %d comes from %v", seq, from)
		}
		m.day()
	}
	now := n.fork("")
	if now.newest() != n.newest() || now.stateHash() != n.stateHash() {
		t.Error("a fork of now is of another time")
	}
	n.history() // reads complete missions
	before := n.history()
	n.asks(fmt.Sprintf(`{"seq":%d}`, n.newest()+1)).want(http.StatusUnprocessableEntity, "validation_failed")
	for _, body := range []string{
		`{"seq":0}`, `{"seq":-1}`, `{"seq":1.5}`, `{"seq":"1"}`, `{"seq":9007199254740992}`, `{"checkpoint":""}`,
		`{"checkpoint":"start","seq":1}`, `{"at":"start"}`, `{"checkpoint":7}`,
	} {
		n.asks(body).want(http.StatusUnprocessableEntity, "validation_failed")
	}
	n.asks(`{"seq":1,"seq":2}`).want(http.StatusBadRequest, "invalid_json")
	n.asks(`{"checkpoint":"never"}`).want(http.StatusNotFound, "not_found")
	n.send(t, request{method: "POST", path: "/sandbox/forks?seq=1", key: n.factory}).want(400, "invalid_parameter")
	n.send(t, request{method: "POST", path: "/sandbox/forks"}).want(http.StatusUnauthorized, "unauthorized")
	n.asks("", "Sec-Fetch-Site", "cross-site").want(http.StatusForbidden, "origin_refused")
	if n.history() != before {
		t.Error("a fork that was refused changed something")
	}
}

// TestAForkGoesOnFromItsMinute: neither the time since the checkpoint nor the time in
// which nobody looked passes in it at once.
func TestAForkGoesOnFromItsMinute(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.FORK.CLOCK")
		folder := presets(t, map[string]object{"hasty": {"clock": object{"mode": "realtime", "speed": 480}}})
		n := serve(t, folder).create(t, `{"preset":"hasty"}`)
		n.row("/sandbox")
		n.names("early")
		early := n.row("/sandbox/checkpoints/" + text(n.all("/sandbox/checkpoints")[0], "id"))
		eventually(t, "three days pass", 4*time.Second, func() bool {
			return number(t, child(t, n.row("/sandbox"), "clock"), "day_number") >= 3
		})
		m := n.fork(`{"checkpoint":"early"}`)
		n.patch("/sandbox", `{"clock":"manual"}`)
		m.patch("/sandbox", `{"clock":"manual"}`)
		clock := child(t, m.row("/sandbox"), "clock")
		lived := time.Since(moment(t, m.row("/sandbox")["created_at"]))
		if days := number(t, clock, "day_number") - number(t, early, "day_number"); days > int64(lived/time.Second)+1 {
			t.Errorf("in the %v since its creation %d days passed", lived, days)
		}
		for _, e := range m.feed(uint64(number(t, early, "seq"))) {
			if moment(t, e["created_at"]).Before(moment(t, m.row("/sandbox")["created_at"])) {
				t.Errorf("an event of its own is older than it: %v", e)
			}
		}
		waiting := serve(t).create(t, "") // its clock waits for the first request
		again := waiting.fork(`{"checkpoint":"start"}`)
		if !again.waiting() {
			t.Error("the clock of the first morning does not wait in a fork")
		}
	})
}

// TestAForkHasNoWebhooks: their secrets are not its own.
func TestAForkHasNoWebhooks(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.FORK.WEBHOOKS")
		n := private(t).create(t, `{"clock":"manual"}`)
		receiver := receive(t)
		s := n.serving(receiver.URL, `"*"`)
		n.happens()
		eventually(t, "a delivery", 5*time.Second, func() bool { return len(n.deliveries(s)) > 1 })
		m := n.fork("")
		if left := m.all("/webhooks"); len(left) != 0 {
			t.Errorf("it has %v", left)
		}
		m.get("/webhooks/"+text(s, "id")+"/deliveries").want(http.StatusNotFound, "not_found")
		if own := m.subscribe(receiver.URL, `"*"`); own["id"] == s["id"] {
			t.Error("a new one has an id that was used")
		}
		n.webhook(s)
	})
}

// TestAForkTakesAPlace and counts like a creation, but gets no ticket.
func TestAForkTakesAPlace(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FORK.ADMISSION")
	s := serve(t, map[string]string{"max-sandboxes": "2", "queue-length": "5"})
	s.faults = true
	n := s.create(t, "")
	m := n.fork("")
	full := n.asks("").want(http.StatusServiceUnavailable, "queue_full")
	if full.Header.Get("Retry-After") != "30" {
		t.Errorf("come again in %q", full.Header.Get("Retry-After"))
	}
	m.deletes()
	m = n.fork("")
	n.deletes()
	m.fork("").deletes()

	s = serve(t, map[string]string{"ip-active": "2"})
	n = s.create(t, "")
	n.fork("")
	n.asks("").want(http.StatusTooManyRequests, "ip_active_limit")
	s = serve(t, map[string]string{"ip-creations": "2"})
	n = s.create(t, "")
	n.fork("").deletes()
	n.asks("").want(http.StatusTooManyRequests, "ip_create_limit")

	s = serve(t, map[string]string{"pow-difficulty": "8"})
	solved := func(r request) *answer {
		details := s.send(t, r).want(http.StatusPreconditionRequired, "pow_required").details()
		return s.send(t, r.proven(prove(text(details, "challenge"), 8))).want(http.StatusCreated, "")
	}
	key := text(solved(creation).Data(), "office_key")
	solved(request{method: "POST", path: "/sandbox/forks", key: key})
}

// TestAForkCountsByWhatItCopies: one of 2,000 changes as two creations.
func TestAForkCountsByWhatItCopies(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FORK.WEIGHT")
	s := serve(t, map[string]string{"ip-creations": "5"})
	n := s.create(t, `{"clock":"manual"}`)
	n.fork("").deletes() // the second creation
	for range 2000 {
		n.tick(1)
	}
	n.fork("").deletes() // the third and the fourth
	refused := n.asks("").want(http.StatusTooManyRequests, "ip_create_limit")
	if message := text(refused.Failure(), "message"); !strings.Contains(message, "counts as 2") {
		t.Errorf("it says %q", message)
	}
	n.asks(`{"checkpoint":"start"}`).want(http.StatusCreated, "") // copies hardly anything
}

// TestAForkIsMadeOnceForItsKey.
func TestAForkIsMadeOnceForItsKey(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FORK.KEYS")
	s := serve(t)
	n := s.create(t, `{"clock":"manual"}`)
	key := "for a fork " + strings.Repeat("k", 20)
	first := n.asks(`{"checkpoint":"start"}`, "Idempotency-Key", key).want(http.StatusCreated, "")
	n.day()
	again := n.asks(`{"checkpoint":"start"}`, "Idempotency-Key", key).want(http.StatusCreated, "")
	if string(again.Raw) != string(first.Raw) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("again: %s", again.Raw)
	}
	n.asks("", "Idempotency-Key", key).want(http.StatusUnprocessableEntity, "idempotency_key_reused")
	n.asks("{", "Idempotency-Key", key).want(http.StatusUnprocessableEntity, "idempotency_key_reused")
	other := s.create(t, "")
	other.asks(`{"checkpoint":"start"}`, "Idempotency-Key", key).
		want(http.StatusUnprocessableEntity, "idempotency_key_reused")
}

// TestASandboxThatIsOverCanBeForked, and so begin again.
func TestASandboxThatIsOverCanBeForked(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.FORK.ANY_STATUS")
		n := serve(t, presets(t, ruined(0))).create(t, `{"preset":"ruined","seed":3,"clock":"manual"}`)
		n.names("before the end")
		for n.row("/sandbox")["status"] == "active" {
			n.post("/sandbox/tick", "").want(http.StatusOK, "")
		}
		n.post("/sandbox/checkpoints", `{"label":"late"}`).want(http.StatusLocked, "sandbox_bankrupt")
		again := n.fork(`{"checkpoint":"before the end"}`)
		agrees(t, "the fork", again.row("/sandbox"), object{"status": "active"})
		again.day()
		over := n.fork("")
		agrees(t, "the fork of the end", over.row("/sandbox"), object{"status": "bankrupt"})
		over.post("/sandbox/tick", "").want(http.StatusLocked, "sandbox_bankrupt")

		s := serve(t, map[string]string{"sandbox-duration": "2s"})
		m := s.create(t, `{"clock":"manual"}`)
		eventually(t, "the end of the lease", time.Minute, func() bool {
			return m.row("/sandbox")["status"] == "expired"
		})
		m.post("/sandbox/checkpoints", `{"label":"late"}`).want(http.StatusLocked, "sandbox_expired")
		agrees(t, "the fork of the expired", m.fork("").created,
			object{"forked_from": object{"sandbox_id": m.id, "seq": m.newest()}})
	})
}

// TestAnEvaluationIsNotForked, and agents fork nothing.
func TestAnEvaluationIsNotForked(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FORK.EVALUATION", "OPEN.FORK.AGENTS", "OPEN.ERR.NOT_IN_EVALUATION")
	n := shared.create(t, `{"preset":"agent_eval"}`)
	for _, body := range []string{"", `{"checkpoint":"start"}`, `{"seq":1}`} {
		n.asks(body).want(http.StatusForbidden, "not_in_evaluation")
	}
	m := shared.create(t, `{"clock":"manual"}`)
	a := shared.agent(t, m.office)
	found, refused := a.tool("search_operations", `{"query":"fork the sandbox","limit":20}`)
	if strings.Contains(encode(t, found), "fork_sandbox") || refused {
		t.Errorf("agents find %s", encode(t, found))
	}
	if answered, refused := a.tool("call_operation", `{"operation":"fork_sandbox"}`); !refused {
		t.Errorf("an agent forked its sandbox: %s", encode(t, answered))
	}
}
