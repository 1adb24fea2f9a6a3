package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// disturbedBy is the order of a sandbox in which rules go wrong.
func disturbedBy(rules string) string {
	return `{"preset":"manual","seed":5,"clock":"manual","faults":{"seed":3,"rules":[` + rules + `]}}`
}

const declined = `"office.sales_order.declined"`

// takesAnything lets the receiver take bodies that are no JSON.
func (r *receiver) takesAnything() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cut = true
}

// under are the requests with the id of an event, whatever their bodies are.
func (r *receiver) under(event object) []received {
	return slices.DeleteFunc(r.requests(), func(one received) bool {
		return one.header.Get("webhook-id") != event["id"]
	})
}

// attempts are the rows of the log about an event, the oldest first.
func (n *tenant) attempts(s, event object) []object {
	n.t.Helper()
	log := slices.DeleteFunc(n.deliveries(s), func(d object) bool { return d["event_id"] != event["id"] })
	slices.Reverse(log)
	return log
}

// delivered waits until an event was delivered so many times by the log.
func (n *tenant) delivered(s, event object, times int) []object {
	n.t.Helper()
	var log []object
	eventually(n.t, "it is delivered", 20*time.Second, func() bool {
		log = slices.DeleteFunc(n.attempts(s, event), func(d object) bool { return d["status"] != "delivered" })
		return len(log) >= times
	})
	if len(log) > times {
		n.t.Errorf("%v was delivered %d times, not %d", event["id"], len(log), times)
	}
	return log
}

// fault is the one fault of a kind that happened.
func (n *tenant) fault(kind string) object {
	n.t.Helper()
	list := n.all("/sandbox/faults?kind=" + kind)
	if len(list) != 1 {
		n.t.Fatalf("there are %d faults of the kind %s: %v", len(list), kind, list)
	}
	return list[0]
}

func TestALateWebhookIsPassedByOthers(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.FAULT.WEBHOOK_LATE", "DLV.UNORDERED")
		n, r := private(t).create(t, disturbedBy(`{"kind":"webhook_late","share":0,"delay_ms":30000}`)), receive(t)
		s := n.serving(r.URL, declined)
		n.injects("webhook_late", 1)
		late := n.happens()
		next := n.happens()
		eventually(t, "both arrive", 60*time.Second, func() bool { return len(r.of(late)) > 0 && len(r.of(next)) > 0 })
		first, other := n.delivered(s, late, 1)[0], n.delivered(s, next, 1)[0]
		due := moment(t, first["due_at"])
		if !moment(t, other["due_at"]).Before(due) {
			t.Errorf("the next one is due at %v, the late one at %v", other["due_at"], due)
		}
		// A machine that is too busy to send the next one within the delay shows no order.
		if arrived := r.requests(); arrived[0].event["id"] != next["id"] && moment(t, other["sent_at"]).Before(due) {
			t.Errorf("first came %v", arrived[0].event)
		}
		if behind := due.Sub(moment(t, late["created_at"])); behind < 29*time.Second || behind > 31*time.Second {
			t.Errorf("it was due %s after its event", behind)
		}
		if moment(t, first["sent_at"]).Before(due) {
			t.Errorf("it was sent too soon: %v", first)
		}
		agrees(t, "the fault", n.fault("webhook_late"), object{
			"delivery_id": first["id"], "event_id": late["id"], "detail": "by 30s", "request_id": nil, "operation": nil,
		})
	})
}

func TestAWebhookComesTwice(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.WEBHOOK_TWICE", "OPEN.FAULT.SPARED", "DLV.AT_LEAST_ONCE")
	n, r := private(t).create(t, disturbedBy(`{"kind":"webhook_twice","share":1,"delay_ms":2500}`)), receive(t)
	s := n.serving(r.URL, declined)
	event := n.happens()
	log := n.delivered(s, event, 2)
	for _, d := range log {
		agrees(t, "a delivery", d, object{"trigger": "auto", "status_code": 200, "via": nil})
	}
	if apart := moment(t, log[1]["due_at"]).Sub(moment(t, log[0]["sent_at"])); apart < 2500*time.Millisecond ||
		apart > 10*time.Second {
		t.Errorf("the second delivery is due %s after the first", apart)
	}
	got := r.of(event)
	if len(got) < 2 || !bytes.Equal(got[0].body, got[len(got)-1].body) {
		t.Fatalf("%d requests came", len(got))
	}
	for _, one := range got {
		if one.header.Get("webhook-id") != event["id"] ||
			one.header.Get("webhook-signature") != one.signature(text(s, "secret")) {
			t.Errorf("one came with %v", one.header)
		}
	}
	// Whether there is to be a third is decided when the second is delivered, or what a
	// client sends again.
	n.post("/webhooks/"+text(s, "id")+"/deliveries/"+text(log[0], "id")+"/redeliver", "").want(http.StatusAccepted, "")
	for _, d := range n.delivered(s, event, 3)[:2] {
		if d["trigger"] != "auto" {
			t.Errorf("among the first two is %v", d)
		}
	}
	agrees(t, "the fault", n.fault("webhook_twice"), object{
		"delivery_id": log[1]["id"], "event_id": event["id"], "detail": "after 2.5s",
	})
}

func TestALostWebhookCountsAsDelivered(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.WEBHOOK_LOST", "OPEN.FAULT.INJECT", "OPEN.DLV.LOG")
	n, r := private(t).create(t, `{"preset":"manual","seed":5,"clock":"manual"}`), receive(t)
	s := n.serving(r.URL, declined)
	n.injects("webhook_lost", 1)
	lost := n.happens() // the feed has it
	next := n.happens()
	gone, came := n.delivered(s, lost, 1)[0], n.delivered(s, next, 1)[0]
	agrees(t, "the lost one", gone, object{
		"attempt": 1, "status_code": 200, "error_class": nil, "via": "intermediary", "trigger": "auto",
	})
	agrees(t, "the next one", came, object{"status_code": 200, "via": nil})
	if len(r.of(lost)) != 0 || len(r.of(next)) == 0 {
		t.Errorf("%d and %d requests came", len(r.of(lost)), len(r.of(next)))
	}
	agrees(t, "the fault", n.fault("webhook_lost"), object{
		"delivery_id": gone["id"], "event_id": lost["id"], "detail": nil,
	})
	n.post("/webhooks/"+text(s, "id")+"/deliveries/"+text(gone, "id")+"/redeliver", "").want(http.StatusAccepted, "")
	if again := n.delivered(s, lost, 2)[1]; again["via"] != nil || len(r.of(lost)) == 0 {
		t.Errorf("sent once more it is %v", again)
	}
}

func TestAForgedWebhookComesBeforeTheTrueOne(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.WEBHOOK_FORGED")
	n, r := private(t).create(t, disturbedBy(`{"kind":"webhook_forged","share":1}`)), receive(t)
	r.takesAnything()
	s := n.serving(r.URL, declined)
	r.answers(func(one received) int {
		if one.header.Get("webhook-signature") != one.signature(text(s, "secret")) {
			return http.StatusUnauthorized
		}
		return http.StatusOK
	})
	const most = 20
	met := map[string]int{}
	for i := 0; i < most && (met["forged"] == 0 || met["truncated"] == 0); i++ {
		event := n.happens()
		log := n.delivered(s, event, 1)
		got, attempts := r.under(event), n.attempts(s, event)
		if len(got) != 2*len(attempts) { // several only where a machine is too busy
			t.Fatalf("%d requests came in %d attempts", len(got), len(attempts))
		}
		decoy, sent := got[0], got[1]
		if sent.header.Get("webhook-signature") != sent.signature(text(s, "secret")) ||
			sent.event["id"] != event["id"] {
			t.Errorf("the second request is %v: %s", sent.header, sent.body)
		}
		whole := decoy
		whole.body = sent.body
		switch detail := text(n.all("/sandbox/faults?kind=webhook_forged")[0], "detail"); {
		case detail == "forged" && decoy.event["id"] == event["id"] &&
			decoy.header.Get("webhook-signature") != decoy.signature(text(s, "secret")):
			met[detail]++
		case detail == "truncated" && bytes.HasPrefix(sent.body, decoy.body) && !json.Valid(decoy.body) &&
			decoy.header.Get("webhook-signature") == whole.signature(text(s, "secret")):
			met[detail]++
		default:
			t.Errorf("%s is %v: %s", detail, decoy.header, decoy.body)
		}
		if len(attempts) == 1 {
			agrees(t, "the fault", n.all("/sandbox/faults")[0], object{
				"kind": "webhook_forged", "delivery_id": log[0]["id"], "event_id": event["id"],
			})
		}
	}
	if met["forged"] == 0 || met["truncated"] == 0 {
		t.Errorf("of %d decoys there were %v", most, met)
	}
	agrees(t, "the subscription", n.webhook(s), object{"consecutive_failures": 0, "status": "active"})
}

func TestASecretIsRotatedUnasked(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.SECRET_ROTATED", "DLV.HEADER.SIGNATURE.ROTATION")
	n, r := private(t).create(t, `{"preset":"manual","seed":5,"clock":"manual"}`), receive(t)
	s := n.serving(r.URL, declined)
	before := n.newest()
	n.injects("secret_rotated", 2)
	event := n.happens()
	n.delivered(s, event, 1)
	other := n.happens()
	n.delivered(s, other, 1)
	unknown := ""
	for _, e := range []object{event, other} {
		one := r.of(e)[0]
		values := strings.Split(one.header.Get("webhook-signature"), " ")
		if len(values) != 2 || values[0] == values[1] || values[1] != one.signature(text(s, "secret")) {
			t.Errorf("it is signed with %v", values)
		}
		unknown = values[0]
	}
	told := ofType(n.feed(before), "sandbox.webhook.secret_rotated")
	if len(told) != 1 {
		t.Fatalf("the feed has %v", told)
	}
	row := n.webhook(s)
	valid := moment(t, row["old_secret_valid_until"])
	if row["secret"] != nil || valid.Sub(moment(t, told[0]["created_at"])).Round(time.Minute) != 24*time.Hour {
		t.Errorf("the subscription is %v", row)
	}
	agrees(t, "the fault", n.fault("secret_rotated"), object{
		"event_id": event["id"], "delivery_id": nil, "detail": s["id"],
	})
	// While two secrets sign it does not happen again, and waits.
	agrees(t, "what waits", child(t, n.row("/sandbox"), "faults"), object{
		"pending": []any{object{"kind": "secret_rotated", "count": 1, "operations": []any{}, "form": nil}},
	})
	rotated := n.post("/webhooks/"+text(s, "id")+"/rotate-secret", "").want(http.StatusOK, "").Data()
	last := n.happens()
	n.delivered(s, last, 1)
	one := r.of(last)[0]
	want := one.signature(text(rotated, "secret")) + " " + one.signature(text(s, "secret"))
	if one.header.Get("webhook-signature") != want || strings.Contains(want, unknown) {
		t.Errorf("after the client's own rotation it is signed with %v", one.header)
	}
}

// TestTheTimestampIsThatOfAClockThatIsOff, of the system that an event is of.
func TestTheTimestampIsThatOfAClockThatIsOff(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.CLOCK_OFF")
	service := private(t)
	wrong := map[string]bool{}
	for seed := 0; seed < 20 && len(wrong) < 2; seed++ {
		n, r := service.create(t, fmt.Sprintf(`{"preset":"manual","seed":5,"clock":"manual",
			"faults":{"seed":%d,"rules":[{"kind":"clock_off","share":1}]}}`, seed)), receive(t)
		s := n.serving(r.URL, declined+`,"factory.work_order.created"`)
		now := func(path string) time.Time { return moment(t, n.get(path).Meta()["server_time"]) }
		before := n.newest()
		n.work("prd_notebook", 1, "x")
		for path, event := range map[string]object{
			"/factory/stock": ofType(n.feed(before), "factory.work_order.created")[0], "/office/cash": n.happens(),
		} {
			off := -now("/sandbox").Sub(now(path))
			sent := moment(t, n.delivered(s, event, 1)[0]["sent_at"])
			got := r.of(event)
			one := got[len(got)-1]
			if apart := one.timestamp(t).Sub(sent) - off; apart.Abs() > 60*time.Second { // clocks are 90 seconds off
				t.Errorf("%s is off by %s, its webhooks by %s more", path, off, apart)
			}
			if one.header.Get("webhook-signature") != one.signature(text(s, "secret")) {
				t.Errorf("%s: the timestamp is not the one that is signed", path)
			}
			if off.Abs() > 60*time.Second {
				wrong[path] = true
			}
		}
		if list := n.all("/sandbox/faults"); len(list) != 0 {
			t.Errorf("a clock that is off is listed: %v", list)
		}
	}
	if len(wrong) != 2 {
		t.Errorf("wrong were only %v", wrong)
	}
}

// TestWithoutFaultsEachEventComesOnce, at once and signed once.
func TestWithoutFaultsEachEventComesOnce(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.SPARED")
	n, r := private(t).create(t, `{"preset":"manual","seed":5,"clock":"manual"}`), receive(t)
	s := n.serving(r.URL, declined)
	before := n.newest()
	for range 3 {
		event := n.happens()
		d := n.delivered(s, event, 1)[0]
		if attempts := n.attempts(s, event); len(r.under(event)) != len(attempts) {
			t.Errorf("%d requests came in %d attempts", len(r.under(event)), len(attempts))
		} else if wait := moment(t, attempts[0]["due_at"]).Sub(moment(t, event["created_at"])); wait > 0 {
			t.Errorf("it was due %s after its event", wait)
		}
		one := r.of(event)[0]
		if d["via"] != nil || one.header.Get("webhook-signature") != one.signature(text(s, "secret")) {
			t.Errorf("delivered was %v: %v", d, one.header)
		}
	}
	if got := ofType(n.feed(before), "sandbox.webhook.secret_rotated"); len(got) != 0 ||
		n.webhook(s)["old_secret_valid_until"] != nil {
		t.Errorf("a secret was rotated: %v", got)
	}
	if n.row("/sandbox")["faults"] != nil || len(n.all("/sandbox/faults")) != 0 {
		t.Error("something went wrong")
	}
}

// disturbances returns the faults of the deliveries of a sandbox: the kind, how, and which of
// the events it was.
func (n *tenant) disturbances(events []object) []string {
	n.t.Helper()
	var list []string
	for _, f := range n.all("/sandbox/faults") {
		which := slices.IndexFunc(events, func(e object) bool { return e["id"] == f["event_id"] })
		if f["kind"] == "secret_rotated" {
			f["detail"] = ""
		}
		list = append(list, fmt.Sprint(which, " ", f["kind"], " ", f["detail"]))
	}
	slices.Sort(list)
	return list
}

// TestTheSameDeliveriesMeetTheSameFaults, also when the server is stopped in between.
func TestTheSameDeliveriesMeetTheSameFaults(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.DRAW")
	const often = 5 // a receiver that is too slow on a busy machine is tried again, with draws of its own
	for range often {
		if meetTheSame(t) {
			return
		}
	}
	t.Fatalf("the machine is too busy: %d times two players did not send and get the same", often)
}

// meetTheSame compares two players, and reports whether they can be compared.
func meetTheSame(t *testing.T) (decided bool) {
	t.Helper()
	settings := map[string]string{
		"private-webhooks": "true", "database": filepath.Join(t.TempDir(), "platen.db"),
	}
	body := disturbedBy(`{"kind":"webhook_late","share":0.4,"delay_ms":300},
		{"kind":"webhook_twice","share":0.4,"delay_ms":600},{"kind":"webhook_lost","share":0.3},
		{"kind":"webhook_forged","share":0.4},{"kind":"secret_rotated","share":0.6}`)
	const first, second = 4, 4
	stage := &stage{TB: t}
	service := serve(stage, settings)
	r := receive(t)
	r.takesAnything()
	var players []*tenant
	var hooks []object
	for range 2 {
		n := service.create(t, body)
		players, hooks = append(players, n), append(hooks, n.serving(r.URL, declined))
	}
	if players[0].newest() != players[1].newest() {
		t.Log("a ping came too late: the events of the two have other numbers")
		stage.end()
		return false
	}
	events := make([][]object, len(players))
	play := func(i, times int) {
		for range times {
			events[i] = append(events[i], players[i].happens())
		}
		for _, e := range events[i] {
			eventually(t, "it is delivered", 20*time.Second, func() bool {
				return slices.ContainsFunc(players[i].attempts(hooks[i], e), func(d object) bool {
					return d["status"] == "delivered"
				})
			})
		}
	}
	settled := func(i int) []string {
		eventually(t, "nothing waits", 20*time.Second, func() bool {
			return len(players[i].all("/webhooks/"+text(hooks[i], "id")+"/deliveries?status=pending")) == 0
		})
		return players[i].disturbances(events[i])
	}
	play(0, first+second)
	whole := settled(0)
	play(1, first)
	before := settled(1)
	stage.end()
	service = serve(t, settings)
	players[0].service, players[1].service = service, service
	play(1, second)
	for i, n := range players {
		for _, d := range n.deliveries(hooks[i]) {
			if number(t, d, "attempt") > 1 {
				t.Logf("each attempt is drawn for, and there is %v", d)
				return false
			}
		}
	}
	if got := append(before, settled(1)...); encode(t, slices.Sorted(slices.Values(got))) != encode(t, whole) {
		t.Errorf("with a stop in between there were %v, without it %v", got, whole)
	}
	for _, kind := range []string{"late", "twice", "lost", "forged", "rotated"} {
		if !strings.Contains(strings.Join(whole, " "), kind) {
			t.Errorf("nothing was %s among %v", kind, whole)
		}
	}
	return true
}
