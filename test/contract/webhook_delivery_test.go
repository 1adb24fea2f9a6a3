package contract

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestADeliveryIsTheEventOfTheFeedWithItsHeaders(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "DLV.HEADER.ID", "DLV.HEADER.TIMESTAMP", "DLV.HEADER.SIGNATURE", "DLV.HEADER.CONTENT_TYPE",
			"DLV.HEADER.USER_AGENT", "DLV.ANSWER", "DLV.ANSWER.READ", "EVT.AGREE", "EVT.SAME_ID", "EVT.BODY.NO_SEQ",
			"SVC.CHANNELS", "DLV.STRICT_ORDER", "DLV.ORDER_BY", "ROUTE.WEBHOOKS.DELIVERIES", "OPEN.DLV.LOG")
		n, r := private(t).create(t, `{"clock":"manual"}`), receive(t)
		s := n.serving(r.URL, `"*"`)
		since := n.newest()
		want := n.happens()
		n.tick(240)
		feed := slices.DeleteFunc(n.feed(since), func(e object) bool {
			return strings.HasPrefix(text(e, "type"), "sandbox.webhook.")
		})
		eventually(t, "everything arrives", 20*time.Second, func() bool {
			return !slices.ContainsFunc(feed, func(e object) bool { return len(r.of(e)) == 0 })
		})
		for _, e := range feed {
			got := r.of(e)[0]
			if delete(e, "seq"); encode(t, got.event) != encode(t, e) || bytes.Contains(got.body, []byte(`"seq":`)) {
				t.Errorf("the delivery is %s, the event %s", got.body, encode(t, e))
			}
			for name, value := range map[string]string{
				"webhook-id": text(e, "id"), "content-type": "application/json",
				"webhook-signature": got.signature(text(s, "secret")),
			} {
				if got.header.Get(name) != value {
					t.Errorf("%s is %q, want %q", name, got.header.Get(name), value)
				}
			}
			if agent := got.header.Get("User-Agent"); !strings.HasPrefix(agent, "Platen-Webhooks/1.0 ") ||
				!strings.Contains(agent, "/docs/webhooks") {
				t.Errorf("user-agent is %q", agent)
			}
			if off := got.at.Sub(got.timestamp(t)); off < -time.Second || off > 10*time.Second {
				t.Errorf("webhook-timestamp is %v off", off)
			}
		}
		eventually(t, "all outcomes are known", 10*time.Second, func() bool {
			return len(n.all("/webhooks/"+text(s, "id")+"/deliveries?status=pending")) == 0
		})
		log := n.deliveries(s)
		attempts := slices.DeleteFunc(slices.Clone(log), func(d object) bool { return d["event_id"] != want["id"] })
		for _, d := range attempts[1:] {
			if d["error_class"] != "timeout" { // a busy machine answers too late
				t.Errorf("before the last there was %v", d)
			}
		}
		for _, d := range log {
			if d["id"] == attempts[0]["id"] {
				shape := object{
					"id": d["id"], "event_id": want["id"], "event_type": want["type"],
					"attempt": d["attempt"], "trigger": "auto", "status": "delivered", "status_code": d["status_code"],
					"latency_ms": d["latency_ms"], "error_class": nil, "due_at": d["due_at"], "sent_at": d["sent_at"],
					"via": nil, "created_at": d["created_at"], "updated_at": d["updated_at"],
					"created_on": d["created_on"],
				}
				if encode(t, d) != encode(t, shape) || number(t, d, "attempt") != int64(len(attempts)) ||
					number(t, d, "status_code") != 200 || !strings.HasPrefix(text(d, "id"), "whd_") {
					t.Errorf("the row is %v", d)
				}
			}
			if strings.Contains(encode(t, d), "own words") {
				t.Errorf("the log tells what the receiver answered: %v", d)
			}
		}
		first := n.get("/webhooks/"+text(s, "id")+"/deliveries?limit=1").want(http.StatusOK, "")
		n.get("/webhooks/"+text(s, "id")+"/deliveries?limit=1&cursor="+first.Cursor()).want(http.StatusOK, "")
		n.get("/webhooks/"+text(s, "id")+"/deliveries.csv").want(http.StatusOK, "")
	})
}

func TestAFailedDeliveryIsTriedAgainTenSecondsLaterAlsoAfterARestart(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "DLV.RETRY", "DLV.AT_LEAST_ONCE", "DLV.UNORDERED", "OPEN.DLV.RETRY.FROM", "OPEN.DLV.ERROR_CLASS",
			"WHK.URL.REDIRECTS")
		n, r := private(t).create(t, `{"clock":"manual"}`), receive(t)
		s := n.serving(r.URL, `"office.sales_order.declined"`)
		r.always(http.StatusFound)
		event := n.happens()
		eventually(t, "it arrives again", 20*time.Second, func() bool { return len(r.of(event)) >= 2 })
		got := r.of(event)
		if wait := got[1].at.Sub(got[0].at); wait < 10*time.Second || wait > 40*time.Second { // on a busy machine
			t.Errorf("it was tried again after %v", wait)
		}
		if got[0].header.Get("webhook-id") != got[1].header.Get("webhook-id") ||
			!got[1].timestamp(t).After(got[0].timestamp(t)) || !bytes.Equal(got[0].body, got[1].body) {
			t.Errorf("the attempts are %v and %v", got[0].header, got[1].header)
		}
		eventually(t, "the third attempt is planned", 10*time.Second, func() bool { return len(n.deliveries(s)) == 3 })
		log := n.deliveries(s)
		for i, wait := range []time.Duration{60 * time.Second, 10 * time.Second} {
			next, before := log[i], log[i+1]
			failed := moment(t, before["sent_at"]).Add(time.Duration(number(t, before,
				"latency_ms")) * time.Millisecond)
			if pause := moment(t, next["due_at"]).Sub(failed); pause < wait || pause > wait+time.Second {
				t.Errorf("attempt %v is due %v after the one before", next["attempt"], pause)
			}
			if before["status"] != "failed" || before["error_class"] != "http_3xx" ||
				number(t, before, "status_code") != 302 || next["event_id"] != before["event_id"] {
				t.Errorf("the log has %v", before)
			}
		}
		for _, one := range r.requests() {
			if one.header.Get("Referer") != "" {
				t.Error("a redirect was followed")
			}
		}
	})
}

// TestDeliveriesComeInTheOrderOfTheFeed: one at a time, of one step too.
func TestDeliveriesComeInTheOrderOfTheFeed(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.DLV.ORDER", "DLV.STRICT_ORDER")
		n, r := private(t).create(t, `{"clock":"manual"}`), receive(t)
		n.serving(r.URL, `"*"`)
		since := n.newest()
		for range 3 {
			n.tick(480)
		}
		feed := slices.DeleteFunc(n.feed(since), func(e object) bool {
			return strings.HasPrefix(text(e, "type"), "sandbox.webhook.")
		})
		feed = feed[:min(len(feed), 40)] // of one minute's budget
		eventually(t, "everything arrives", 60*time.Second, func() bool {
			return !slices.ContainsFunc(feed, func(e object) bool { return len(r.of(e)) == 0 })
		})
		place := map[string]int{}
		for i, e := range feed {
			place[text(e, "id")] = i
		}
		next := 0
		for _, one := range r.requests() {
			i, wanted := place[one.header.Get("webhook-id")]
			switch {
			case !wanted || i < next: // an earlier one once more, on a busy machine
			case i > next:
				t.Fatalf("event %d arrived before event %d", i, next)
			default:
				next++
			}
		}
		if len(feed) < 5 {
			t.Errorf("only %d events", len(feed))
		}
	})
}

// TestTheWagesOfALargeCompanyAreShortenedOnDelivery: with twenty people on the
// timesheet the event is larger than a delivery, which keeps its scalars; the
// feed and the record have the rest.
func TestTheWagesOfALargeCompanyAreShortenedOnDelivery(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "EVT.BODY.MAX", "EVT.BODY.TRUNCATED", "EVT.BODY.FULL_RECORD", "LIMIT.DELIVERY_BODY", "OPEN.DLV.SCALARS",
			"OPEN.EVT.HR.PAYROLL.DUE")
		n, r := private(t).create(t, `{"clock":"manual","seed":5}`), receive(t)
		n.serving(r.URL, `"hr.payroll.due","hr.employee.hired"`)
		at := n.newest()
		for range 13 {
			n.post("/office/employees", `{"role":"warehouse"}`).want(http.StatusCreated, "")
		}
		n.untilDay(5)
		feed := n.feed(at)
		due := ofType(feed, "hr.payroll.due")[0]
		eventually(t, "the week's wages arrive", 60*time.Second, func() bool { return len(r.of(due)) > 0 })
		got := r.of(due)[0]
		if len(got.body) > 4096 || got.event["truncated"] != true {
			t.Errorf("%d bytes were delivered: %s", len(got.body), got.body)
		}
		whole, short := child(t, due, "data"), child(t, got.event, "data")
		entries := children(t, whole, "entries")
		if len(entries) != 20 || due["truncated"] != nil {
			t.Errorf("the feed has %d wages: %v", len(entries), due)
		}
		delete(whole, "entries")
		delete(whole, "changes")
		if encode(t, short) != encode(t, whole) {
			t.Errorf("of the data %v was delivered, want %v", short, whole)
		}
		run := n.row(text(child(t, got.event, "links"), "self"))
		sheet := children(t, n.row("/office/timesheets/"+text(run, "timesheet_id")), "entries")
		gross := int64(0)
		for i, entry := range entries {
			gross += number(t, entry, "gross_minor")
			if parts := number(t, entry, "worked_minor") + number(t, entry, "sick_minor") + number(t, entry,
				"leave_minor"); parts != number(t, entry, "gross_minor") {
				t.Errorf("the parts of a wage make %d: %v", parts, entry)
			}
			for name, value := range sheet[i] {
				if encode(t, entry[name]) != encode(t, value) {
					t.Errorf("entry %d says %s %v, the timesheet %v", i, name, entry[name], value)
				}
			}
		}
		if gross != number(t, run, "gross_minor") {
			t.Errorf("the wages make %d, the payroll run says %v", gross, run["gross_minor"])
		}
		for _, hired := range ofType(feed, "hr.employee.hired") {
			eventually(t, "a hiring arrives", 60*time.Second, func() bool { return len(r.of(hired)) > 0 })
			if one := r.of(hired)[0]; one.event["truncated"] != nil {
				t.Errorf("a short event is delivered as %s", one.body)
			}
		}
	})
}

// TestPingsCountInTheBudgetOfDeliveries: the 61st of a minute is refused, and says
// when there is room again.
func TestPingsCountInTheBudgetOfDeliveries(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.WHK.TEST.PING", "LIMIT.DELIVERIES")
	n, r := private(t).create(t, `{"clock":"manual"}`), receive(t)
	s := n.subscribe(r.URL, `"office.payment.received"`) // of which there is none
	began, sent := time.Now(), 0
	for ; sent < 1000; sent++ {
		a := n.post("/webhooks/"+text(s, "id")+"/test", "")
		if a.Status == http.StatusTooManyRequests {
			a.want(http.StatusTooManyRequests, "rate_limited")
			break
		}
		a.want(http.StatusOK, "")
	}
	if !within(sent, 60, 60, time.Since(began)) {
		t.Errorf("%d pings were sent in %s", sent, time.Since(began))
	}
}

// TestAReceiverThatStartsAgainIsNotDisabled: it answers 503 to all that one tick
// brings, and is back seconds later. Nothing is lost.
func TestAReceiverThatStartsAgainIsNotDisabled(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.DLV.REST", "DLV.RETRY")
	service := private(t)
	const tries = 3
	for range tries {
		if service.startsAgain(t) {
			return
		}
	}
	t.Error("whenever the receiver was away, deliveries ran out of time as well")
}

// startsAgain has a receiver that is away for three attempts. It is false when the
// machine was so busy that attempts ran out of time too, which count as failures.
func (s *service) startsAgain(t *testing.T) bool {
	t.Helper()
	n, r := s.create(t, `{"clock":"manual"}`), receive(t)
	subscription := n.serving(r.URL, `"*"`)
	var failed atomic.Int64
	r.answers(func(received) int {
		if failed.Add(1) <= 3 { // 1 and 2 seconds apart: it is away for three
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	})
	since := n.newest()
	var feed []object
	for len(feed) < 5 { // on some days little happens
		n.day()
		feed = slices.DeleteFunc(n.feed(since), func(e object) bool {
			return strings.HasPrefix(text(e, "type"), "sandbox.webhook.")
		})
	}
	feed = feed[:min(len(feed), 40)]
	busy := false
	defer func() {
		if t.Failed() {
			t.Logf("the subscription is %v, its log %v", n.webhook(subscription), n.deliveries(subscription))
		}
	}()
	eventually(t, "everything arrives", 60*time.Second, func() bool {
		log := n.deliveries(subscription)
		busy = slices.ContainsFunc(log, func(d object) bool {
			return d["error_class"] != nil && d["error_class"] != "http_5xx"
		})
		return busy || !slices.ContainsFunc(feed, func(e object) bool {
			return !slices.ContainsFunc(log, func(d object) bool {
				return d["event_id"] == e["id"] && d["status"] == "delivered"
			})
		})
	})
	if busy {
		t.Logf("the log is %v", n.deliveries(subscription))
		return false
	}
	if row := n.webhook(subscription); row["status"] != "active" {
		t.Errorf("the subscription is %v", row)
	}
	got := r.requests()
	for i, wait := range []time.Duration{time.Second, 2 * time.Second} {
		if pause := got[i+2].at.Sub(got[i+1].at); pause < wait { // the first is the ping
			t.Errorf("after failure %d the next event came %s later", i+1, pause)
		}
	}
	return true
}

// TestTheFourthAttemptIsTheLast: after 10, 60 and 300 seconds.
func TestTheFourthAttemptIsTheLast(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "DLV.DROP", "LIMIT.DELIVERY_RETRIES")
		n, r := private(t).create(t, `{"clock":"manual"}`), receive(t)
		s := n.serving(r.URL, `"office.sales_order.declined"`)
		r.always(http.StatusInternalServerError)
		event := n.happens()
		eventually(t, "it is given up", 450*time.Second,
			func() bool { return n.deliveries(s)[0]["status"] == "dropped" })
		got := r.of(event)
		if len(got) != 4 {
			t.Fatalf("there were %d attempts", len(got))
		}
		for i, wait := range []time.Duration{10 * time.Second, 60 * time.Second, 300 * time.Second} {
			if pause := got[i+1].at.Sub(got[i].at); pause < wait || pause > wait+30*time.Second { // on a busy machine
				t.Errorf("attempt %d came after %v", i+2, pause)
			}
		}
		if row := n.webhook(s); row["status"] != "active" || number(t, row, "consecutive_failures") != 4 ||
			len(n.deliveries(s)) != 4 {
			t.Errorf("afterwards it is %v with %d rows", row, len(n.deliveries(s)))
		}
	})
}

func TestAnEventIsSentOnceMoreOnRequest(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.DLV.REDELIVER", "OPEN.MISSION.WEBHOOK_AND_FEED", "DLV.AT_LEAST_ONCE")
		n, r := private(t).create(t, `{"clock":"manual"}`), receive(t)
		s := n.serving(r.URL, `"office.sales_order.declined"`)
		event := n.happens()
		delivered := func() []object {
			return n.get("/webhooks/"+text(s, "id")+"/deliveries?status=delivered").want(http.StatusOK, "").Items()
		}
		eventually(t, "it is delivered", 10*time.Second, func() bool { return len(delivered()) == 2 })
		row := n.deliveries(s)[0]
		path := "/webhooks/" + text(s, "id") + "/deliveries/" + text(row, "id") + "/redeliver"
		again := n.post(path, "", "Idempotency-Key", "again").want(http.StatusAccepted, "").Data()
		if again["id"] == row["id"] || again["event_id"] != row["event_id"] || again["trigger"] != "manual" ||
			again["status"] != "pending" {
			t.Errorf("the new row is %v", again)
		}
		if replay := n.post(path, "", "Idempotency-Key", "again").
			want(http.StatusAccepted, "").Data(); replay["id"] != again["id"] {
			t.Errorf("the replay is %v", replay)
		}
		eventually(t, "it arrives again", 10*time.Second, func() bool {
			return len(r.of(event)) == 2 && len(delivered()) == 3
		})
		if mission := n.row("/missions/webhook_and_feed"); mission["status"] == "completed" &&
			n.newest() < uint64(number(t, event, "seq")) {
			t.Errorf("before the feed was read the mission is %v", mission)
		}
		n.feed(0)
		if mission := n.row("/missions/webhook_and_feed"); mission["status"] != "completed" {
			t.Errorf("the mission is %v", mission)
		}
		ping := slices.DeleteFunc(delivered(), func(d object) bool { return d["trigger"] != "test" })[0]
		n.post("/webhooks/"+text(s, "id")+"/deliveries/"+text(ping, "id")+"/redeliver", "").
			want(http.StatusConflict, "invalid_state")
		other := n.subscribe(r.URL, `"*"`)
		n.post("/webhooks/"+text(other, "id")+"/deliveries/"+text(row, "id")+"/redeliver", "").
			want(http.StatusNotFound, "not_found")
	})
}

func TestDeliveriesBeyondSixtyInAMinuteAreDeferred(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "LIMIT.DELIVERIES", "DLV.DEFERRED")
		n, r := private(t).create(t, `{"clock":"manual"}`), receive(t)
		subscriptions := []object{n.serving(r.URL, `"*"`), n.serving(r.URL+"/b", `"*"`), n.serving(r.URL+"/c", `"*"`)}
		began := time.Now()
		for deferred := false; !deferred; {
			n.day()
			for _, s := range subscriptions {
				deferred = deferred || len(n.all("/webhooks/"+text(s, "id")+"/deliveries?status=deferred")) > 0
			}
		}
		attempts := func() int { return len(r.requests()) + len(r.pings()) } // a ping is one, too
		eventually(t, "the budget is spent", 20*time.Second, func() bool { return attempts() >= 60 })
		waitUntil(t, time.Now().Add(300*time.Millisecond)) // one too many would come at once
		t.Logf("%d attempts, of them %d pings", attempts(), len(r.pings()))
		if sent := attempts(); time.Since(began) < 50*time.Second && sent != 60 {
			t.Errorf("%d deliveries were sent in the first minute", sent)
		}
		for _, s := range subscriptions {
			if n.webhook(s)["status"] != "active" {
				t.Errorf("it is %v", n.webhook(s))
			}
		}
	})
}

func TestASlowReceiverIsAFailureAndDelaysNobody(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "LIMIT.DELIVERY_TIMEOUT", "DLV.ANSWER")
		n, slow, quick := private(t).create(t, `{"clock":"manual"}`), receive(t), receive(t)
		first, second := n.serving(slow.URL, `"office.sales_order.declined"`),
			n.serving(quick.URL, `"office.sales_order.declined"`)
		over := make(chan struct{})
		defer close(over)
		slow.answers(func(received) int {
			<-over
			return http.StatusOK
		})
		event := n.happens()
		eventually(t, "the quick one has it", 30*time.Second, func() bool { return len(quick.of(event)) > 0 })
		eventually(t, "the slow one failed", 60*time.Second, func() bool {
			return n.webhook(first)["last_error_class"] == "timeout"
		})
		log := n.deliveries(first)
		d := log[len(log)-1]
		latency := number(t, d, "latency_ms")
		if latency < 4900 || latency > 15000 || d["status_code"] != nil || d["status"] != "failed" {
			t.Errorf("the row is %v", d)
		}
		log = n.deliveries(second)
		if sent, over := moment(t, log[len(log)-1]["sent_at"]), moment(t, d["sent_at"]).
			Add(time.Duration(latency)*time.Millisecond); !sent.Before(over) {
			t.Errorf("the quick one was served at %v, after the slow one had failed at %v", sent, over)
		}
	})
}

// TestDeliveriesSurviveARestartAndSecretsAreSealed: what waited is sent by the
// next server on the same database, where no secret can be read.
func TestDeliveriesSurviveARestartAndSecretsAreSealed(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.DLV.RETRY.RESTART", "OPEN.WHK.SECRET.STORED", "OPEN.DLV.ENDED")
		folder := t.TempDir()
		settings := map[string]string{
			"private-webhooks": "true", "database": filepath.Join(folder, "platen.db"), "sandbox-duration": "45s",
		}
		stage := &stage{TB: t}
		n, r := serve(stage, settings).create(t, `{"clock":"manual"}`), receive(t)
		created := time.Now()
		s := n.serving(r.URL+"/very-hidden", `"office.sales_order.declined"`)
		rotated := n.post("/webhooks/"+text(s, "id")+"/rotate-secret", "").want(http.StatusOK, "").Data()
		r.always(http.StatusBadGateway)
		event := n.happens()
		eventually(t, "the first attempt failed", 30*time.Second, func() bool { return len(n.deliveries(s)) == 2 })
		stage.end()
		files, err := filepath.Glob(filepath.Join(folder, "platen.db*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no database: %v", err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, hidden := range []string{
				text(s, "secret"), text(rotated, "secret"), strings.TrimPrefix(text(s, "secret"), "whsec_"),
				"very-hidden",
			} {
				if bytes.Contains(b, []byte(hidden)) {
					t.Errorf("%s holds %q", filepath.Base(file), hidden)
				}
			}
		}
		waitUntil(t, created.Add(46*time.Second)) // the lease is over
		r.always(http.StatusOK)
		n.service = serve(t, settings)
		eventually(t, "the retry comes", 60*time.Second, func() bool { return len(r.of(event)) == 2 })
		got := r.of(event)
		if wait := got[1].at.Sub(got[0].at); wait < 10*time.Second {
			t.Errorf("the retry came after %v", wait)
		}
		if want := got[1].signature(text(rotated, "secret")) + " " +
			got[1].signature(text(s, "secret")); got[1].header.Get("webhook-signature") != want {
			t.Error("after the restart it is signed with other secrets")
		}
		eventually(t, "the outcome is known", 5*time.Second, func() bool {
			return n.deliveries(s)[0]["status"] == "delivered"
		})
		if status := n.row("/sandbox")["status"]; status != "expired" {
			t.Errorf("the sandbox is %v", status)
		}
	})
}

// stage is a test whose server ends before it does.
type stage struct {
	testing.TB

	cleanups []func()
}

func (s *stage) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

func (s *stage) end() {
	for _, cleanup := range slices.Backward(s.cleanups) {
		cleanup()
	}
	s.cleanups = nil
}
