package contract

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var secretForm = regexp.MustCompile(`^whsec_[A-Za-z0-9+/]{32}$`)

func TestASubscriptionIsCreatedWithItsSecretOnce(t *testing.T) {
	t.Parallel()
	rows(t, "ROUTE.WEBHOOKS.CREATE", "ROUTE.WEBHOOKS.GET", "CONV.ID.WEBHOOK", "WHK.ID", "WHK.STATUS", "WHK.URL_HOST",
		"WHK.URL_HIDDEN", "WHK.EVENTS", "WHK.DESCRIPTION", "WHK.SECRET", "WHK.SECRET.ONCE", "WHK.SECRET.REPLAY",
		"WHK.CONSECUTIVE_FAILURES", "WHK.LAST_ERROR_CLASS", "WHK.STATE.NEW", "OPEN.WHK.FIELDS", "OPEN.WHK.SECRET",
		"OPEN.WHK.LIST", "OPEN.WHK.EITHER_KEY", "OPEN.IDEM.BYTES", "OPEN.WHK.LAST_ERROR_CLASS")
	n := shared.create(t, `{"clock":"manual"}`)
	body := `{"url":"https://hooks.example.com/secret-path?token=T0P-of-the-URL",` +
		`"events":["office.sales_order.received"],"description":"my \u00fcbersicht \ud83d\ude80"}`
	first := n.post("/webhooks", body, "Idempotency-Key", "create-1").want(http.StatusCreated, "")
	s := first.Data()
	if !secretForm.MatchString(text(s, "secret")) || !strings.HasPrefix(text(s, "id"), "whk_") {
		t.Errorf("the subscription is %v", s)
	}
	want := object{
		"id": s["id"], "status": "pending_verification", "url_host": "hooks.example.com",
		"events": []any{"office.sales_order.received"}, "description": "my übersicht 🚀",
		"secret": s["secret"], "old_secret_valid_until": nil, "consecutive_failures": s["consecutive_failures"],
		"last_error_class": "none", "created_at": s["created_at"], "updated_at": s["updated_at"],
		"created_on": s["created_on"],
	}
	if encode(t, s) != encode(t, want) || number(t, s, "consecutive_failures") != 0 {
		t.Errorf("the subscription is %v, want %v", s, want)
	}
	replay := n.post("/webhooks", body, "Idempotency-Key", "create-1").want(http.StatusCreated, "")
	if got := strings.Replace(string(first.Raw), `"`+text(s, "secret")+`"`, "null", 1); got != string(replay.Raw) ||
		replay.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the replay is %s, the first answer was %s", replay.Raw, first.Raw)
	}
	want["secret"] = nil
	for path, a := range map[string]*answer{
		"row": n.get("/webhooks/" + text(s, "id")), "list": n.get("/webhooks"),
		"feed": n.get("/events?types=sandbox.webhook.created"), "csv": n.get("/webhooks.csv"),
		"with the Factory's key": n.send(t, request{method: "GET", path: "/webhooks/" + text(s, "id"), key: n.factory}),
	} {
		a.want(http.StatusOK, "")
		for _, hidden := range []string{"secret-path", "T0P-of-the-URL", text(s, "secret")} {
			if strings.Contains(string(a.Raw), hidden) {
				t.Errorf("%s holds %q: %s", path, hidden, a.Raw)
			}
		}
	}
	if got := n.webhook(s); encode(t, got) != encode(t, want) {
		t.Errorf("read again it is %v", got)
	}
}

func TestAFourthSubscriptionIsRefusedAlsoWhenManyComeAtOnce(t *testing.T) {
	t.Parallel()
	rows(t, "LIMIT.WEBHOOKS", "OPEN.WHK.LIMIT", "OPEN.ERR.WEBHOOK_LIMIT_REACHED", "OPEN.WHK.DELETE",
		"OPEN.IDEM.CONCURRENT")
	n := shared.create(t, `{"clock":"manual"}`)
	var together sync.WaitGroup
	statuses := make([]int, 12)
	for i := range statuses {
		together.Go(func() {
			a, err := n.try(t, request{
				method: "POST",
				path:   "/webhooks", key: n.office, body: `{"url":"https://hooks.example.com/","events":["*"]}`,
				headers: []string{"Idempotency-Key", fmt.Sprint("many-", i/2)},
			})
			if err == nil {
				statuses[i] = a.Status
			}
		})
	}
	together.Wait()
	if list := n.all("/webhooks"); len(list) != 3 {
		t.Fatalf("there are %d subscriptions", len(list))
	}
	created := 0
	for _, status := range statuses {
		if status == http.StatusCreated {
			created++
		}
	}
	if created < 3 || created > 6 {
		t.Errorf("%d of the answers are 201: %v", created, statuses)
	}
	refused := n.post("/webhooks", `{"url":"https://hooks.example.com/","events":["*"]}`).want(http.StatusConflict,
		"webhook_limit_reached")
	if number(t, refused.details(), "limit") != 3 {
		t.Errorf("the details are %v", refused.details())
	}
	last := n.all("/webhooks")[0]
	deleted := n.call("DELETE", "/webhooks/"+text(last, "id"), "").want(http.StatusOK, "").Data()
	if deleted["status"] != "deleted" || deleted["id"] != last["id"] {
		t.Errorf("deleted it is %v", deleted)
	}
	n.get("/webhooks/"+text(last, "id")).want(http.StatusNotFound, "not_found")
	n.get("/webhooks/"+text(last, "id")+"/deliveries").want(http.StatusNotFound, "not_found")
	n.call("DELETE", "/webhooks/"+text(last, "id"), "").want(http.StatusNotFound, "not_found")
	if next := n.subscribe("https://hooks.example.com/", `"*"`); next["id"] == last["id"] {
		t.Error("a new subscription has the id of a deleted one")
	}
}

func TestEventTypesOfASubscriptionMustExist(t *testing.T) {
	t.Parallel()
	rows(t, "WHK.INVALID_TYPE", "ERR.INVALID_EVENT_TYPE", "EVT.BOOKKEEPING", "OPEN.WHK.EVENTS.COUNT")
	n := shared.create(t, `{"clock":"manual"}`)
	for events, code := range map[string]string{
		`"office.sales_order.reversed"`: "invalid_event_type",
		`"sandbox.webhook.created"`:     "invalid_event_type", `"webhook.ping"`: "invalid_event_type",
		`"*","office.sales_order.received"`: "invalid_event_type", `""`: "invalid_event_type",
		`"OFFICE.SALES_ORDER.RECEIVED"`: "invalid_event_type", `"\ud83d\ude80"`: "invalid_event_type",
		`"office.*"`: "invalid_event_type", ``: "validation_failed", `"*","*"`: "validation_failed",
		`5`: "validation_failed", `null`: "validation_failed", `["*"]`: "validation_failed",
	} {
		a := n.post("/webhooks", `{"url":"https://hooks.example.com/","events":[`+events+`]}`)
		a.want(http.StatusUnprocessableEntity, code)
		if code == "invalid_event_type" {
			has(t, events, a.details(), "type", "index")
		}
		if message := text(a.Failure(), "message"); strings.Contains(message, `["*"]`) != (events == `"office.*"`) {
			t.Errorf("%s: %s", events, message)
		}
	}
	every := []string{}
	for kind := range eventTypes(t) {
		every = append(every, `"`+kind+`"`)
	}
	n.subscribe("https://hooks.example.com/", strings.Join(every, ","))
	if types := texts(n.all("/webhooks")[0], "events"); len(types) != 50 {
		t.Errorf("%d types are kept", len(types))
	}
}

func TestBadBodiesOfSubscriptionsAreRefusedAndChangeNothing(t *testing.T) {
	t.Parallel()
	n := shared.create(t, `{"clock":"manual"}`)
	s := n.subscribe("https://hooks.example.com/", `"*"`)
	before := encode(t, n.webhook(s))
	newest := n.newest()
	path := "/webhooks/" + text(s, "id")
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"POST", "/webhooks", ``, 400, "invalid_json"},
		{"POST", "/webhooks", `[]`, 400, "invalid_json"},
		{"POST", "/webhooks", `{"url":"https://a.example.com/","url":"https://b.example.com/","events":["*"]}`,
			400, "invalid_json"},
		{"POST", "/webhooks", `{"events":["*"]}`, 422, "validation_failed"},
		{"POST", "/webhooks", `{"url":5,"events":["*"]}`, 422, "validation_failed"},
		{"POST", "/webhooks", `{"url":null,"events":["*"]}`, 422, "validation_failed"},
		{"POST", "/webhooks", `{"url":"","events":["*"]}`, 422, "webhook_url_rejected"},
		{"POST", "/webhooks", `{"url":"https://a.example.com/"}`, 422, "validation_failed"},
		{"POST", "/webhooks", `{"url":"https://a.example.com/","events":"*"}`, 422, "validation_failed"},
		{"POST", "/webhooks", `{"url":"https://a.example.com/","events":["*"],"secret":"whsec_mine"}`, 422,
			"validation_failed"},
		{"POST", "/webhooks", `{"url":"https://a.example.com/","events":["*"],"description":"\u0000"}`, 422,
			"validation_failed"},
		{"POST", "/webhooks", `{"url":"https://a.example.com/\u0007","events":["*"]}`, 422, "webhook_url_rejected"},
		{"POST", "/webhooks", `{"url":"https://a.example.com/` + strings.Repeat("a", 3000) + `","events":["*"]}`, 422,
			"webhook_url_rejected"},
		{"POST", "/webhooks", `{"url":"https://a.example.com/","events":["*"],"description":"` +
			strings.Repeat("ü", 201) + `"}`, 422, "validation_failed"},
		{"PATCH", path, `{"status":"disabled"}`, 409, "invalid_state"},
		{"PATCH", path, `{"status":"deleted"}`, 422, "validation_failed"},
		{"PATCH", path, `{"status":null}`, 422, "validation_failed"},
		{"PATCH", path, `{"status":"active"}`, 409, "invalid_state"},
		{"PATCH", path, `{"events":[]}`, 422, "validation_failed"},
		{"PATCH", path, `{"events":["nope"]}`, 422, "invalid_event_type"},
		{"PATCH", path, `{"url":"http://a.example.com/"}`, 422, "webhook_url_rejected"},
		{"PATCH", path, `{"secret":"x"}`, 422, "validation_failed"},
		{"PATCH", path, `{"url":"https://a.example.com/","events":["nope"]}`, 422, "invalid_event_type"},
		{"PATCH", "/webhooks/whk_0000000000000", `{}`, 404, "not_found"},
		{"POST", "/webhooks/whk_0000000000000/test", ``, 404, "not_found"},
		{"POST", "/webhooks/whk_0000000000000/rotate-secret", ``, 404, "not_found"},
		{"POST", path + "/rotate-secret", `{"secret":"x"}`, 422, "validation_failed"},
		{"POST", path + "/test", `{"url":"x"}`, 422, "validation_failed"},
		{"POST", path + "/deliveries/whd_0000000000000/redeliver", ``, 404, "not_found"},
		{"GET", path + "/deliveries?status=nope", ``, 400, "invalid_parameter"},
		{"PUT", path, `{}`, 405, "method_not_allowed"},
	} {
		n.call(c.method, c.path, c.body).want(c.status, c.code)
	}
	if after := encode(t, n.webhook(s)); after != before || n.newest() != newest {
		t.Errorf("after refusals it is %s, before %s", after, before)
	}
	n.call("PATCH", path, `{}`).want(http.StatusOK, "")
	n.call("PATCH", path, `{"description":null}`).want(http.StatusOK, "")
	n.call("PATCH", path, `{"url":"https://hooks.example.com/","events":["*"]}`).want(http.StatusOK, "")
	if n.newest() != newest {
		t.Error("a change of nothing has an event")
	}
}

func TestTheTestPingActivates(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "ROUTE.WEBHOOKS.TEST", "WHK.STATE.ACTIVATED", "WHK.STATE.NEW.QUIET", "WHK.STATE.DELIVERS",
			"WHK.SUBSCRIBED_ONLY", "OPEN.WHK.TEST.ANSWER", "OPEN.WHK.TEST.PING", "OPEN.WHK.BOOKKEEPING",
			"OPEN.WHK.URL.PRIVATE", "OPEN.MISSION.VERIFIED_WEBHOOK", "OPEN.WHK.URL.WHEN")
		n, r := private(t).create(t, `{"clock":"manual"}`), receive(t)
		s := n.subscribe(r.URL, `"office.sales_order.declined"`)
		n.happens()
		r.always(http.StatusInternalServerError)
		failed := n.test(text(s, "id"))
		if encode(t, failed) != encode(t, object{"delivered": false, "status_code": failed["status_code"],
			"latency_ms": failed["latency_ms"], "error_class": "http_5xx", "status": "pending_verification"}) ||
			number(t, failed, "status_code") != 500 {
			t.Errorf("a test that failed says %v", failed)
		}
		if row := n.webhook(s); row["last_error_class"] != "http_5xx" || number(t, row, "consecutive_failures") != 0 {
			t.Errorf("after a failed test it is %v", row)
		}
		r.always(http.StatusNoContent)
		if test := n.test(text(s, "id")); test["status"] != "active" || test["error_class"] != nil ||
			number(t, test, "status_code") != 204 {
			t.Errorf("a test that succeeded says %v", test)
		}
		ping := r.pings()[0]
		if text(ping.event, "id") != ping.header.Get("webhook-id") ||
			child(t, ping.event, "data")["webhook_id"] != s["id"] ||
			ping.signature(text(s, "secret")) != ping.header.Get("webhook-signature") {
			t.Errorf("the ping is %s with %v", ping.body, ping.header)
		}
		if got := names(ping.event); !slices.Equal(got,
			[]string{"created_at", "data", "id", "links", "sandbox_id", "sim_date", "simulation", "system", "type"}) {
			t.Errorf("the ping has the members %v", got)
		}
		n.get("/events/"+text(ping.event, "id")).want(http.StatusNotFound, "not_found")
		tested := ofType(n.feed(0), "sandbox.webhook.tested")
		for i, one := range r.pings() {
			if len(tested) != len(r.pings()) || child(t, tested[i], "data")["ping_id"] != one.event["id"] {
				t.Errorf("the feed tells of %v, not of the ping %v", tested, one.event["id"])
			}
		}
		feed := types(n.feed(0))
		for _, kind := range []string{"sandbox.webhook.created", "sandbox.webhook.tested",
			"sandbox.webhook.activated"} {
			if !slices.Contains(feed, kind) {
				t.Errorf("the feed has no %s", kind)
			}
		}
		if mission := n.row("/missions/verified_webhook"); mission["status"] != "completed" {
			t.Errorf("the mission is %v", mission)
		}
		want := n.happens()
		eventually(t, "the event after the activation arrives", 10*time.Second, func() bool {
			return len(r.requests()) > 0
		})
		if got := r.requests(); len(got) != 1 || got[0].event["id"] != want["id"] {
			t.Errorf("%d deliveries came, the first is %v", len(got), got[0].event)
		}
		if kinds := n.get("/webhooks/"+text(s, "id")+"/deliveries?trigger=test").
			want(http.StatusOK, "").Items(); len(kinds) != len(r.pings()) || kinds[0]["event_type"] != "webhook.ping" {
			t.Errorf("the log has %v", kinds)
		}
	})
}

// TestAReceiverOfAPingMayCallBack: its request is served while the ping waits
// for its response, and a second test with the same key gets the error that the
// first is at work. A machine too busy to do that within the time of a delivery
// gets further tries; a server that serves no request in the meantime fails all
// of them.
func TestAReceiverOfAPingMayCallBack(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.IDEM.IN_PROGRESS")
		n, r := private(t).create(t, `{"clock":"manual"}`), receive(t)
		path := "/webhooks/" + text(n.subscribe(r.URL, `"*"`), "id") + "/test"
		var key string
		var calling sync.Mutex // held while a ping is being answered
		answered := make(chan []int, 1)
		r.answers(func(one received) int {
			if one.kind() != "webhook.ping" || !calling.TryLock() {
				return http.StatusOK
			}
			defer calling.Unlock()
			var inside []int
			for _, q := range []request{
				{method: "GET", path: "/sandbox", key: n.office},
				{method: "POST", path: "/sandbox/tick", key: n.office, body: `{"minutes":1}`},
				{method: "POST", path: path, key: n.office, headers: []string{"Idempotency-Key", key}},
				{method: "POST", path: path, key: n.office, headers: []string{"Idempotency-Key", key + "-other"}},
				{method: "POST", path: "/sandbox/tick", key: n.office, body: `{"minutes":1}`,
					headers: []string{"Idempotency-Key", key}},
			} {
				a, err := n.try(t, q)
				if err != nil {
					t.Errorf("%s: %v", q, err)
					break
				}
				inside = append(inside, a.Status)
			}
			select {
			case answered <- inside:
			default: // the test no longer waits
			}
			return http.StatusOK
		})
		const tries = 5
		for range tries {
			key = freshKey()
			before := len(r.pings())
			first := n.post(path, "", "Idempotency-Key", key).want(http.StatusOK, "")
			var inside []int
			select {
			case inside = <-answered:
			case <-time.After(30 * time.Second): // it was called too late to call back
			}
			if first.Data()["error_class"] == "timeout" || inside == nil {
				t.Logf("who called back was answered %v: %s", inside, first.Raw)
				continue
			}
			if want := []int{200, 200, 409, 409, 422}; !slices.Equal(inside, want) {
				t.Errorf("who called back was answered %v, want %v", inside, want)
			}
			replay := n.post(path, "", "Idempotency-Key", key).want(http.StatusOK, "")
			if string(replay.Raw) != string(first.Raw) || replay.Header.Get("Idempotency-Replayed") != "true" ||
				len(r.pings()) != before+1 {
				t.Errorf("the replay is %s, there were %d pings", replay.Raw, len(r.pings())-before)
			}
			return
		}
		t.Errorf("in %d tries nobody who called back was answered in time", tries)
	})
}

func TestADisabledSubscriptionIsTakenBackIntoServiceByPatch(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "WHK.STATE.DISABLED", "WHK.STATE.REENABLED", "ROUTE.WEBHOOKS.PATCH", "OPEN.WHK.DISABLED",
			"OPEN.WHK.REENABLED", "OPEN.WHK.DISABLED.DROPS", "OPEN.WHK.PATCH.BODY", "OPEN.DLV.FAILURES",
			"DLV.DISABLE", "LIMIT.DELIVERY_FAILURES", "EVT.BOOKKEEPING")
		n, r := private(t).create(t, `{"clock":"manual"}`), receive(t)
		s := n.serving(r.URL, `"*"`)
		r.always(http.StatusGone)
		for range 5 {
			n.happens()
		}
		eventually(t, "it is disabled", 20*time.Second, func() bool { return n.webhook(s)["status"] == "disabled" })
		row := n.webhook(s)
		if number(t, row, "consecutive_failures") != 5 || row["last_error_class"] != "http_4xx" {
			t.Errorf("disabled it is %v", row)
		}
		for _, d := range n.deliveries(s) {
			if d["status"] == "pending" || d["status"] == "deferred" {
				t.Errorf("a disabled subscription has waiting deliveries: %v", d)
			}
		}
		if !slices.Contains(types(n.feed(0)), "sandbox.webhook.disabled") {
			t.Error("the feed does not say that it is disabled")
		}
		n.happens()
		log := n.deliveries(s)
		n.post("/webhooks/"+text(s, "id")+"/deliveries/"+text(log[0], "id")+"/redeliver", "").
			want(http.StatusConflict, "invalid_state")
		r.always(http.StatusOK)
		if stays := n.call("PATCH", "/webhooks/"+text(s, "id"), `{"status":"disabled","description":null}`).
			want(http.StatusOK, "").Data(); stays["status"] != "disabled" {
			t.Errorf("asked to stay disabled it is %v", stays)
		}
		again := n.call("PATCH", "/webhooks/"+text(s, "id"), "").want(http.StatusOK, "").Data()
		if again["status"] != "active" || number(t, again, "consecutive_failures") != 0 {
			t.Errorf("re-enabled it is %v", again)
		}
		before := len(r.requests())
		want := n.happens()
		eventually(t, "the next event arrives", 10*time.Second, func() bool { return len(r.requests()) > before })
		for _, got := range r.requests()[before:] {
			if got.event["id"] != want["id"] && text(got.event, "created_at") < text(again, "updated_at") {
				t.Errorf("an event from before arrived: %s", got.body)
			}
			if strings.HasPrefix(got.kind(), "sandbox.webhook.") {
				t.Errorf("bookkeeping was delivered: %s", got.body)
			}
		}
		elsewhere := n.call("PATCH", "/webhooks/"+text(s, "id"), `{"url":"`+r.URL+
			`/elsewhere","description":"moved","events":["office.sales_order.declined"]}`).want(http.StatusOK, "").
			Data()
		if elsewhere["status"] != "pending_verification" || elsewhere["description"] != "moved" ||
			len(texts(elsewhere, "events")) != 1 {
			t.Errorf("with another URL it is %v", elsewhere)
		}
		if e := ofType(n.feed(0), "sandbox.webhook.updated"); len(e) != 1 ||
			encode(t, child(t, e[0], "data")["changed"]) != `["url","events","description"]` {
			t.Errorf("the events are %v", e)
		}
	})
}

func TestRotationSignsWithBothSecrets(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.WHK.ROTATE", "DLV.HEADER.SIGNATURE", "DLV.HEADER.SIGNATURE.ROTATION", "LIMIT.ROTATION",
			"SIG.ALGORITHM", "SIG.CONTENT", "SIG.KEY", "AUTH.WEBHOOKS_SIGNED", "SIG.RECEIVER.ANY", "SIG.RECEIVER.RAW")
		n, r := private(t).create(t, `{"clock":"manual"}`), receive(t)
		s := n.serving(r.URL, `"*"`)
		path := "/webhooks/" + text(s, "id") + "/rotate-secret"
		first := n.post(path, "", "Idempotency-Key", "rotate-1").want(http.StatusOK, "")
		rotated := first.Data()
		if !secretForm.MatchString(text(rotated, "secret")) || rotated["secret"] == s["secret"] {
			t.Fatalf("rotated it is %v", rotated)
		}
		if day := moment(t, rotated["old_secret_valid_until"]).
			Sub(moment(t, rotated["updated_at"])); day < 24*time.Hour-time.Second || day > 24*time.Hour+time.Second {
			t.Errorf("the old secret is valid for %v", day)
		}
		replay := n.post(path, "", "Idempotency-Key", "rotate-1").want(http.StatusOK, "")
		if got := strings.Replace(string(first.Raw), `"`+text(rotated, "secret")+`"`, "null",
			1); got != string(replay.Raw) {
			t.Errorf("the replay is %s", replay.Raw)
		}
		event := n.happens()
		eventually(t, "a delivery arrives", 10*time.Second, func() bool { return len(r.of(event)) > 0 })
		got := r.of(event)[0]
		if want := got.signature(text(rotated, "secret")) + " " +
			got.signature(text(s, "secret")); got.header.Get("webhook-signature") != want {
			t.Errorf("it is signed %s, want %s", got.header.Get("webhook-signature"), want)
		}
	})
}

// TestOneTestOfASubscriptionIsUnderWay: a second one meanwhile is an error that can be retried.
func TestOneTestOfASubscriptionIsUnderWay(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.REQUEST_IN_PROGRESS", "OPEN.IDEM.IN_PROGRESS", "OPEN.ERR.RETRYABLE")
	n, r := private(t).create(t, `{"clock":"manual"}`), receive(t)
	path := "/webhooks/" + text(n.subscribe(r.URL, `"*"`), "id") + "/test"
	came, leave := make(chan struct{}), make(chan struct{})
	enter := sync.OnceFunc(func() { close(came) })
	r.answers(func(received) int {
		enter()
		<-leave
		return http.StatusOK
	})
	first := make(chan *answer)
	go func() { first <- n.post(path, "") }()
	<-came
	n.post(path, "").want(http.StatusConflict, "request_in_progress")
	close(leave)
	(<-first).want(http.StatusOK, "")
	n.post(path, "").want(http.StatusOK, "")
}
