package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// outcome is a client's view of a request: the status and the body, or that the connection
// was cut.
type outcome struct {
	status int
	body   string
	header http.Header
	cut    bool
}

// lost reports whether there was no response of the API.
func (o outcome) lost() bool { return o.cut || o.status == http.StatusBadGateway }

// tries sends a request as it is, once, whatever comes of it.
func (n *tenant) tries(method, path, body, key string, headers ...string) outcome {
	n.t.Helper()
	r, err := http.NewRequestWithContext(n.t.Context(), method, n.BaseURL+path, strings.NewReader(body))
	if err != nil {
		n.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+n.keyFor(path))
	if method != http.MethodGet {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", key)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	// A connection of its own: one that was cut is not tried again behind our back.
	transport := &http.Transport{DisableKeepAlives: true}
	if w := wireOf(n.t); w != nil {
		transport.DialContext = w.dial
	}
	response, err := (&http.Client{Transport: transport, Timeout: time.Minute}).Do(r)
	if err != nil {
		if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, syscall.ECONNRESET) &&
			!errors.Is(err, syscall.EPIPE) {
			n.t.Fatalf("%s %s: %v", method, path, err)
		}
		return outcome{cut: true}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		n.t.Fatal(err)
	}
	return outcome{status: response.StatusCode, body: string(text), header: response.Header}
}

// injects puts a fault into the next requests that can meet it, or into those of operations.
func (n *tenant) injects(kind string, count int, operations ...string) {
	n.t.Helper()
	body := object{"kind": kind, "count": count}
	if len(operations) > 0 {
		body["operations"] = operations
	}
	n.post("/sandbox/faults", encode(n.t, body)).want(http.StatusOK, "")
}

// suffered are the kinds of the faults that happened, the oldest first.
func (n *tenant) suffered() []string {
	n.t.Helper()
	var kinds []string
	for _, row := range n.all("/sandbox/faults") {
		kinds = append([]string{text(row, "kind")}, kinds...)
	}
	return kinds
}

func TestALostResponseWasCarriedOut(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.RESPONSE_LOST", "OPEN.FAULT.REQUEST_LOST", "OPEN.FAULT.INJECT", "OPEN.FAULT.LIST",
		"OPEN.SANDBOX.FIELDS.FAULTS")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	if n.row("/sandbox")["faults"] != nil {
		t.Error("something goes wrong in a sandbox without faults")
	}
	cut, answered := 0, 0
	for i := range 12 {
		n.injects("response_lost", 1)
		body := encode(t, object{"sku": "prd_notebook", "quantity": i + 1})
		key := fmt.Sprint("notebooks-", i)
		lost := n.tries(http.MethodPost, "/factory/work-orders", body, key)
		if !lost.lost() {
			t.Fatalf("the response came: %+v", lost)
		}
		if lost.cut {
			cut++
		} else {
			answered++
			if strings.Contains(lost.body, "simulation") {
				t.Errorf("something in between responds with an envelope: %s", lost.body)
			}
		}
		if works := n.all("/factory/work-orders"); len(works) != i+1 {
			t.Fatalf("%d responses were lost, and %d work orders are there", i+1, len(works))
		}
		again := n.tries(http.MethodPost, "/factory/work-orders", body, key)
		if again.status != http.StatusCreated || again.header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("the repetition is %+v", again)
		}
	}
	if cut == 0 || answered == 0 {
		t.Errorf("%d connections were cut, %d times something responded", cut, answered)
	}

	n.injects("request_lost", 2)
	agrees(t, "what is to happen", child(t, n.row("/sandbox"), "faults"), object{
		"plan": nil, "rules": []any{},
		"pending": []any{object{"kind": "request_lost", "count": 2, "operations": []any{}, "form": nil}},
	})
	before := n.newest()
	for range 2 {
		lost := n.tries(http.MethodPost, "/factory/work-orders", `{"sku":"prd_notebook","quantity":99}`, "last")
		if !lost.lost() {
			t.Errorf("the request was answered: %+v", lost)
		}
	}
	if n.newest() != before {
		t.Error("a request that was lost did something")
	}
	if done := n.tries(http.MethodPost, "/factory/work-orders", `{"sku":"prd_notebook","quantity":99}`,
		"last"); done.status != http.StatusCreated || done.header.Get("Idempotency-Replayed") != "" {
		t.Errorf("the third attempt is %+v", done)
	}
	if got := n.suffered(); len(got) != 14 || got[0] != "response_lost" || got[13] != "request_lost" {
		t.Errorf("what went wrong: %v", got)
	}
	agrees(t, "the newest fault", n.all("/sandbox/faults?kind=request_lost")[0], object{
		"kind": "request_lost", "operation": "create_work_order", "delivery_id": nil, "event_id": nil,
	})
	agrees(t, "what is left", child(t, n.row("/sandbox"), "faults"), object{"pending": []any{}})
}

func TestAStormAndAnOutagePass(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.STORM", "OPEN.FAULT.OUTAGE", "OPEN.FAULT.SPARED")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	statuses := map[int]bool{}
	for i := range 10 {
		n.injects("storm", 1)
		turned := 0
		for {
			a := n.tries(http.MethodGet, fmt.Sprintf("/office/sales-orders?limit=%d", i+1), "", "")
			n.row("/sandbox") // is spared
			if a.status == http.StatusOK {
				break
			}
			turned++
			statuses[a.status] = true
			if a.header.Get("Retry-After") != "1" || !strings.Contains(a.body, `"retry_at"`) ||
				!strings.Contains(a.body, `"retryable":true`) {
				t.Errorf("turned away with %v: %s", a.header, a.body)
			}
			if n.tries(http.MethodGet, "/factory/stock", "", "").status != http.StatusOK {
				t.Error("the storm over one key is over the other one too")
			}
		}
		if turned < 1 || turned > 3 {
			t.Errorf("%d requests were turned away", turned)
		}
	}
	if !statuses[http.StatusServiceUnavailable] || !statuses[http.StatusTooManyRequests] {
		t.Errorf("turned away with %v", statuses)
	}

	// Head Office is away: its next event does not show, nor what comes after it.
	m := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	order := text(m.order("SO-1001"), "id")
	before := m.newest()
	m.work("prd_notebook", 1, "x") // an event of the Factory
	m.accept(order)                // one of Head Office
	m.work("prd_notebook", 2, "y")
	m.injects("outage", 1)
	away := m.tries(http.MethodGet, "/office/sales-orders", "", "")
	away.is(t, "Head Office that is away", http.StatusServiceUnavailable, false)
	again := m.tries(http.MethodGet, "/office/cash", "", "")
	if told := away.retryAt(t); again.status == http.StatusServiceUnavailable && time.Now().Before(told) &&
		!again.retryAt(t).Equal(told) {
		t.Errorf("a request that came too soon is told to come at %s, and was before at %s", again.retryAt(t), told)
	}
	again.sitOut(t)
	var pages []object
	for range 6 {
		pages = append(pages, m.row(fmt.Sprintf("/events?after_seq=%d", before)))
	}
	accepted := int64(0)
	for _, e := range m.feed(before) {
		if text(e, "type") == "office.sales_order.accepted" {
			accepted = number(t, e, "seq")
		}
	}
	hidden, whole := 0, 0
	for _, data := range pages {
		items := data["items"].([]any)
		last := number(t, items[len(items)-1].(object), "seq")
		if last > accepted {
			whole++
			continue
		}
		hidden++
		if got := number(t, data, "last_seq"); last != accepted-1 || got != last {
			t.Errorf("event %d is hidden; the page ends at %d and says %d", accepted, last, got)
		}
	}
	if hidden == 0 || whole == 0 {
		t.Errorf("%d pages of the feed were cut, %d were whole", hidden, whole)
	}
	if a := m.tries(http.MethodGet, "/office/sales-orders", "", ""); a.status != http.StatusOK {
		t.Errorf("Head Office is back, and answers %+v", a)
	}
}

// TestQuickRetriesDoNotOutliveAnOutage: only a client that waits as it is told comes through.
func TestQuickRetriesDoNotOutliveAnOutage(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.OUTAGE")
	const longest = 4
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	n.injects("outage", 1)
	told := n.tries(http.MethodGet, "/office/cash", "", "").retryAt(t)
	for i := range 3 * longest {
		a := n.tries(http.MethodGet, "/office/cash", "", "")
		if a.status != http.StatusServiceUnavailable && time.Now().Before(told) {
			t.Fatalf("before retry_at request %d got %d", i+1, a.status)
		}
	}
	n.outlives("/office/cash")
}

// TestAnOutageHidesTheEventsOfASystem, also from a client that has an id from a webhook.
func TestAnOutageHidesTheEventsOfASystem(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.OUTAGE")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	n.accept(text(n.order("SO-1001"), "id"))
	n.work("prd_notebook", 1, "x")
	ids := map[string]string{}
	for _, e := range n.feed(0) {
		ids[text(e, "type")] = text(e, "id")
	}
	n.injects("outage", 1)
	if a := n.tries(http.MethodGet, "/office/sales-orders", "", ""); a.status != http.StatusServiceUnavailable {
		t.Fatalf("Head Office answers %+v", a)
	}
	hidden := n.tries(http.MethodGet, "/events/"+ids["office.sales_order.accepted"], "", "")
	if hidden.status != http.StatusServiceUnavailable || !strings.Contains(hidden.body, `"retryable":true`) ||
		hidden.header.Get("Retry-After") == "" {
		t.Errorf("an event of Head Office: %+v", hidden)
	}
	if hits := n.all("/sandbox/faults"); text(hits[0], "detail") == "" || text(hits[0], "kind") != "outage" {
		t.Errorf("the list begins with %v", hits[0])
	}
	if a := n.tries(http.MethodGet, "/events/"+ids["factory.work_order.created"], "", ""); a.status != http.StatusOK {
		t.Errorf("an event of the Factory: %+v", a)
	}
	n.outlives("/office/sales-orders")
	n.row("/events/" + ids["office.sales_order.accepted"])
}

func TestARepetitionMayFindTheFirstAtWork(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.IN_PROGRESS")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	n.injects("in_progress", 2)
	const body = `{"sku":"prd_notebook","quantity":3}`
	first := n.tries(http.MethodPost, "/factory/work-orders", body, "once")
	if first.status != http.StatusCreated {
		t.Fatalf("a first attempt finds itself at work: %+v", first)
	}
	for range 2 {
		if a := n.tries(http.MethodPost, "/factory/work-orders", body, "once"); a.status != http.StatusConflict ||
			!strings.Contains(a.body, `"request_in_progress"`) || !strings.Contains(a.body, `"retryable":true`) {
			t.Errorf("the repetition is %+v", a)
		}
	}
	if a := n.tries(http.MethodPost, "/factory/work-orders", body, "once"); a.status != http.StatusCreated ||
		a.body != first.body {
		t.Errorf("in the end it is %+v", a)
	}
}

func TestStaleReadsEndWithAWrite(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.STALE_READ")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	n.injects("stale_read", 1)
	n.tries(http.MethodGet, "/factory/work-orders", "", "")
	n.post("/factory/work-orders", `{"sku":"prd_notebook","quantity":3}`).want(http.StatusCreated, "")
	if got := n.all("/factory/work-orders"); len(got) != 1 {
		t.Errorf("the key has written, and reads %v", got)
	}
	// Now Head Office's key reads what the Factory's client does not touch.
	n.injects("stale_read", 1)
	n.tries(http.MethodGet, "/office/sales-orders?status=accepted", "", "")
	n.tick(10)
	before := n.newest()
	n.post("/sandbox/triggers", `{"type":"rush_order"}`).want(http.StatusOK, "")
	tag := ""
	for range 3 {
		a := n.tries(http.MethodGet, "/office/sales-orders?status=received", "", "")
		if strings.Contains(a.body, "SO-1004") {
			t.Errorf("the new order is shown: %s", a.body)
		}
		if tag != "" && a.header.Get("ETag") != tag {
			t.Error("two reads of one state have different tags")
		}
		tag = a.header.Get("ETag")
	}
	if events := n.feed(before); len(events) == 0 || text(events[0], "type") != "office.sales_order.received" {
		t.Errorf("the feed is stale: %v", events)
	}
	n.tick(70)
	a := n.tries(http.MethodGet, "/office/sales-orders?status=received", "", "")
	if !strings.Contains(a.body, "SO-1004") {
		t.Errorf("an hour later the new order is not shown: %s", a.body)
	}
}

func TestAResponseCanHoldSomethingNew(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.GROWTH")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	usual := n.tries(http.MethodGet, "/office/customers", "", "")
	n.injects("growth", 2)
	for _, path := range []string{"/office/customers", "/office/customers/cus_halden"} {
		a := n.tries(http.MethodGet, path, "", "")
		if a.status != http.StatusOK || !strings.Contains(a.body, `"preview":{`) || a.header.Get("Deprecation") == "" {
			t.Errorf("%s has nothing new: %v %s", path, a.header, a.body)
		}
		if path == "/office/customers" && !strings.Contains(a.body, `"by_arrangement"`) {
			t.Error("no customer has a new habit")
		}
	}
	if a := n.tries(http.MethodGet, "/office/customers", "", ""); strings.Contains(a.body, "preview") ||
		len(a.body) != len(usual.body) || a.header.Get("Deprecation") != "" {
		t.Errorf("afterwards there is %s", a.body)
	}
}

func TestAPageMayBeShortAndACursorForgotten(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.SHORT_PAGE")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	all := n.all("/factory/stock")
	short, forgotten := false, false
	for range 20 {
		n.injects("short_page", 3)
		var ids []any
		path := "/factory/stock?limit=7"
		for path != "" {
			a := n.get(path)
			if a.Status == http.StatusBadRequest {
				a.want(http.StatusBadRequest, "invalid_cursor")
				forgotten, ids, path = true, nil, "/factory/stock?limit=7"
				continue
			}
			items := a.want(http.StatusOK, "").Items()
			short = short || len(items) < 7 && a.Cursor() != ""
			for _, row := range items {
				ids = append(ids, row["id"])
			}
			if path = ""; a.Cursor() != "" {
				path = "/factory/stock?limit=7&cursor=" + a.Cursor()
			}
		}
		if len(ids) != len(all) {
			t.Errorf("%d of %d rows were read: %v", len(ids), len(all), ids)
		}
	}
	if !short || !forgotten {
		t.Errorf("a page was short: %t; a cursor was forgotten: %t", short, forgotten)
	}
}

// TestAFaultThatNobodyCouldSeeIsStillToCome: a response without rows has nothing new in it, and a page that holds all
// rows is not short.
func TestAFaultThatNobodyCouldSeeIsStillToCome(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.GROWTH", "OPEN.FAULT.SHORT_PAGE")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	tag := n.tries(http.MethodGet, "/office/customers", "", "").header.Get("ETag")
	pending := object{"pending": []any{
		object{"kind": "short_page", "count": 1, "operations": []any{}, "form": nil},
		object{"kind": "growth", "count": 1, "operations": []any{}, "form": nil},
	}}
	n.injects("short_page", 1)
	n.injects("growth", 1)
	for name, send := range map[string]func() outcome{
		"304": func() outcome {
			return n.tries(http.MethodGet, "/office/customers", "", "", "If-None-Match", tag)
		},
		"no rows":        func() outcome { return n.tries(http.MethodGet, "/factory/print-runs", "", "") },
		"an error":       func() outcome { return n.tries(http.MethodGet, "/office/customers?limit=0", "", "") },
		"CSV":            func() outcome { return n.tries(http.MethodGet, "/office/customers.csv?limit=1", "", "") },
		"an unknown row": func() outcome { return n.tries(http.MethodGet, "/office/customers/cus_none", "", "") },
	} {
		if a := send(); strings.Contains(a.body, "preview") || a.header.Get("Deprecation") != "" {
			t.Errorf("%s: %d %v %s", name, a.status, a.header, a.body)
		}
		agrees(t, "after "+name+" the armed faults", child(t, n.row("/sandbox"), "faults"), pending)
		if hits := n.all("/sandbox/faults"); len(hits) > 0 {
			t.Errorf("%s is in the list: %v", name, hits)
		}
	}
	cash := n.tries(http.MethodGet, "/office/cash", "", "")
	if !strings.Contains(cash.body, `"preview":{`) || cash.header.Get("Deprecation") == "" {
		t.Errorf("an object has nothing new: %v %s", cash.header, cash.body)
	}
	pending["pending"] = pending["pending"].([]any)[:1]
	agrees(t, "at last the armed faults", child(t, n.row("/sandbox"), "faults"), pending)
}

func TestOneClockIsOff(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.CLOCK_OFF")
	offs := map[string]int{}
	for seed := range 8 {
		n := shared.create(t, fmt.Sprintf(`{"preset":"manual","seed":5,"clock":"manual",
			"faults":{"seed":%d,"rules":[{"kind":"clock_off","share":1}]}}`, seed))
		right := moment(t, n.get("/sandbox").Meta()["server_time"])
		wrong := 0
		for _, path := range []string{"/office/cash", "/factory/stock"} {
			a := n.get(path).want(http.StatusOK, "")
			off := moment(t, a.Meta()["server_time"]).Sub(right).Round(time.Second)
			date, err := http.ParseTime(a.Header.Get("Date"))
			if err != nil || date.Sub(moment(t, a.Meta()["server_time"])).Abs() > 2*time.Second {
				t.Errorf("%s: Date is %v, %v", path, date, err)
			}
			switch {
			case off.Abs() < 30*time.Second:
			case off.Abs() >= 89*time.Second && off.Abs() <= 250*time.Second:
				wrong++
				offs[path]++
			default:
				t.Errorf("%s is off by %s", path, off)
			}
		}
		if wrong != 1 {
			t.Errorf("seed %d: %d clocks are wrong", seed, wrong)
		}
	}
	if len(offs) != 2 {
		t.Errorf("wrong are %v", offs)
	}
}

// TestFaultsThatCannotBeAreNamed: nothing is made then.
func TestFaultsThatCannotBeAreNamed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.ORDER", "OPEN.FAULT.EVALUATION")
	for faults, field := range map[string]string{
		`{}`:               "plan",
		`{"plan":"worst"}`: "plan",
		`{"plan":"light","rules":[{"kind":"storm","share":0.1}]}`: "rules",
		`{"rules":[]}`:                 "rules",
		`{"rules":[{"kind":"storm"}]}`: "rules[0].share",
		`{"rules":[{"kind":"outage","share":1,"form":"cut"}]}`:                               "rules[0].form",
		`{"rules":[{"kind":"double_work","share":1,"form":"error"}]}`:                        "rules[0].form",
		`{"rules":[{"kind":"response_lost","share":1,"form":"drop"}]}`:                       "rules[0].form",
		`{"rules":[{"kind":"storm","share":1.5}]}`:                                           "rules[0].share",
		`{"rules":[{"kind":"rain","share":0.5}]}`:                                            "rules[0].kind",
		`{"rules":[{"kind":"storm","share":0.5,"operations":["get_sandbox"]}]}`:              "rules[0].operations[0]",
		`{"rules":[{"kind":"storm","share":0.5,"operations":["nothing"]}]}`:                  "rules[0].operations[0]",
		`{"rules":[{"kind":"webhook_late","share":0.5,"operations":["list_sales_orders"]}]}`: "rules[0].operations",
		`{"rules":[{"kind":"storm","share":0.5,"from_minute":9,"to_minute":9}]}`:             "rules[0].to_minute",
		`{"rules":[{"kind":"double_work","share":0.5}]}`:                                     "rules[0].share",
		`{"plan":"light","delay_pct":101}`:                                                   "delay_pct",
		`{"plan":"light","seed":-1}`:                                                         "seed",
	} {
		a := shared.send(t, request{method: "POST", path: "/sandboxes", body: `{"faults":` + faults + `}`}).
			want(http.StatusUnprocessableEntity, "validation_failed")
		if !strings.Contains(encode(t, a.details()), `"field":"faults.`+field+`"`) {
			t.Errorf("%s: details are %v", faults, a.details())
		}
	}
	n := shared.create(t, `{"preset":"agent_eval","faults":{"plan":"light"}}`)
	if n.row("/sandbox")["faults"] != nil {
		t.Error("a player who is compared sees what goes wrong")
	}
	n.get("/sandbox/faults").want(http.StatusForbidden, "not_in_evaluation")
	n.post("/sandbox/faults", `{"kind":"storm"}`).want(http.StatusForbidden, "not_in_evaluation")
	m := shared.create(t, `{"faults":{"plan":"severe","seed":3,"delay_pct":0}}`)
	agrees(t, "what goes wrong", child(t, m.row("/sandbox"), "faults"),
		object{"plan": "severe", "seed": 3, "delay_pct": 0, "pending": []any{}})
	m.post("/sandbox/faults", `{"kind":"double_work"}`).want(http.StatusUnprocessableEntity, "validation_failed")
	m.post("/sandbox/faults", `{"kind":"storm","count":0}`).want(http.StatusUnprocessableEntity, "validation_failed")
}

// TestAnInjectedFaultWaitsForItsOperation: a response is lost of the operation that was named, without a name of the
// next write, and operations that cannot meet a fault are refused.
func TestAnInjectedFaultWaitsForItsOperation(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.INJECT")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	order := func(key string) outcome {
		return n.tries(http.MethodPost, "/factory/work-orders", `{"sku":"prd_notebook","quantity":1}`, key)
	}
	n.injects("response_lost", 1)
	n.get("/factory/work-orders").want(http.StatusOK, "")
	if first := order("first"); !first.lost() {
		t.Errorf("the first write responds with %d", first.status)
	}

	n.injects("response_lost", 1, "list_work_orders")
	n.injects("response_lost", 1)
	agrees(t, "the armed faults", child(t, n.row("/sandbox"), "faults"), object{"pending": []any{
		object{"kind": "response_lost", "count": 1, "operations": []any{"list_work_orders"}, "form": nil},
		object{"kind": "response_lost", "count": 1, "operations": []any{}, "form": nil},
	}})
	n.get("/office/sales-orders").want(http.StatusOK, "")
	if read := n.tries(http.MethodGet, "/factory/work-orders", "", ""); !read.lost() {
		t.Errorf("the named read responds with %d", read.status)
	}
	if second := order("second"); !second.lost() {
		t.Errorf("the write responds with %d", second.status)
	}
	n.get("/factory/work-orders").want(http.StatusOK, "")

	for _, body := range []string{
		`{"kind":"storm","operations":[]}`, `{"kind":"storm","operations":["create_orders"]}`,
		`{"kind":"storm","operations":["create_work_order","create_work_order"]}`,
		`{"kind":"response_lost","operations":["tick_sandbox"]}`,
		`{"kind":"webhook_lost","operations":["create_work_order"]}`, `{"kind":"clock_off"}`, `{"kind":"double_work"}`,
	} {
		n.post("/sandbox/faults", body).want(http.StatusUnprocessableEntity, "validation_failed")
	}
	if pending := child(t, n.row("/sandbox"), "faults")["pending"]; fmt.Sprint(pending) != "[]" {
		t.Errorf("refused faults are armed: %v", pending)
	}
}

// TestPendingFaultsAreBounded: in number, and in how often each is to happen. In which order operations are named makes
// no other fault.
func TestPendingFaultsAreBounded(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.INJECT")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	const most = 100
	operations := []string{
		"list_sales_orders", "get_sales_order", "accept_sales_order", "decline_sales_order", "list_suppliers",
		"list_work_orders", "get_work_order", "create_work_order", "list_print_runs", "start_print_run", "list_events",
		"poll_events", "list_missions", "list_webhooks", "create_webhook", "get_cash",
	}
	var pairs [][]string
	for i, one := range operations {
		for _, other := range operations[:i] {
			pairs = append(pairs, []string{one, other})
		}
	}
	inject := func(count int, operations ...string) *answer {
		return n.post("/sandbox/faults", encode(t, object{"kind": "storm", "count": count, "operations": operations}))
	}
	first := pairs[0]
	inject(1, first...).want(http.StatusOK, "")
	agrees(t, "the same in another order", inject(1, first[1], first[0]).want(http.StatusOK, "").Data(),
		object{"count": 2})
	inject(most-1, first...).want(http.StatusConflict, "too_many_open")
	inject(most-2, first...).want(http.StatusOK, "")
	for _, pair := range pairs[1:most] {
		inject(1, pair...).want(http.StatusOK, "")
	}
	inject(1, pairs[most]...).want(http.StatusConflict, "too_many_open")
	inject(1, pairs[1]...).want(http.StatusOK, "") // which is pending once
	if pending := children(t, child(t, n.row("/sandbox"), "faults"), "pending"); len(pending) != most {
		t.Errorf("%d faults are pending", len(pending))
	}
}

// TestTheSameCallsMeetTheSameFaults, in whatever order the paths are called, and in a fork.
func TestTheSameCallsMeetTheSameFaults(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.DRAW")
	const body = `{"preset":"manual","seed":5,"clock":"manual","faults":{"seed":9,"delay_pct":0,"rules":[
		{"kind":"response_lost","share":0.2},{"kind":"request_lost","share":0.2},{"kind":"growth","share":0.3},
		{"kind":"short_page","share":0.3},{"kind":"slow_response","share":0.2}]}}`
	paths := []string{
		"/office/sales-orders?limit=9", "/office/customers", "/factory/stock", "/factory/presses", "/missions",
	}
	seen := func(o outcome) string {
		return fmt.Sprint(o.cut, " ", o.status, " ", strings.Contains(o.body, "preview"), " ",
			strings.Count(o.body, `"id":`))
	}
	play := func(n *tenant, rounds int, order func(i int) int) map[string][]string {
		outcomes := map[string][]string{}
		for range rounds {
			for i := range paths {
				path := paths[order(i)]
				outcomes[path] = append(outcomes[path], seen(n.tries(http.MethodGet, path, "", "")))
			}
		}
		return outcomes
	}
	forth, back := func(i int) int { return i }, func(i int) int { return len(paths) - 1 - i }
	one, other := shared.create(t, body), shared.create(t, body)
	first := play(one, 12, forth)
	if got := play(other, 12, back); encode(t, got) != encode(t, first) {
		t.Errorf("the same calls in another order met other faults:\n%v\n%v", got, first)
	}
	distinct := map[string]bool{}
	for _, outcomes := range first {
		for _, o := range outcomes {
			distinct[o] = true
		}
	}
	if len(distinct) < 5 {
		t.Errorf("only %v happened", distinct)
	}
	fork := one.fork(`{}`)
	if got, want := play(fork, 8, forth), play(one, 8, forth); encode(t, got) != encode(t, want) {
		t.Errorf("a fork met other faults:\n%v\n%v", got, want)
	}
	stranger := shared.create(t, strings.Replace(body, `"seed":9`, `"seed":10`, 1))
	if got := play(stranger, 12, forth); encode(t, got) == encode(t, first) {
		t.Error("another seed met the same faults")
	}
}

// TestFaultsAreNoPartOfTheCompany plays the same day with and without them. It completes the same
// missions: that of a repeated write, and none of failures.
func TestFaultsAreNoPartOfTheCompany(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.STATE", "OPEN.FAULT.SLOW_RESPONSE")
	server := serve(t, presets(t, map[string]object{"alike": {"bridge": "manual", "evaluation": true}}))
	hashes := map[string]string{}
	for _, faults := range []string{
		"", `,"faults":{"plan":"moderate","seed":4,"delay_pct":0}`,
		`,"faults":{"seed":4,"delay_pct":0,"rules":[{"kind":"response_lost","share":0.1},
			{"kind":"request_lost","share":0.08},{"kind":"storm","share":0.02},{"kind":"outage","share":0.01},
			{"kind":"in_progress","share":0.3},{"kind":"stale_read","share":0.04},{"kind":"clock_off","share":1},
			{"kind":"growth","share":0.3},{"kind":"short_page","share":0.4}]}`,
		`,"faults":{"rules":[{"kind":"slow_response","share":1,"operations":["accept_sales_order"],"delay_ms":150}]}`,
	} {
		n := server.create(t, `{"preset":"alike","seed":5,"clock":"manual"`+faults+`}`)
		began := time.Now()
		insist := func(path, body, key string) {
			for range 50 {
				if o := n.tries(http.MethodPost, path, body, key); o.status/100 == 2 {
					return
				}
			}
			t.Fatalf("fifty attempts at %s failed; the last was %+v", path, n.tries(http.MethodPost, path, body, key))
		}
		for range 2 {
			insist("/factory/work-orders", `{"sku":"prd_notebook","quantity":3}`, "the first write, twice")
		}
		var orders []string
		for _, e := range n.feedInsisting() {
			if text(e, "type") == "office.sales_order.received" {
				orders = append(orders, text(child(t, e, "data"), "id"))
			}
		}
		if len(orders) != 3 {
			t.Fatalf("%d orders wait", len(orders))
		}
		for _, id := range orders {
			insist("/office/sales-orders/"+id+"/accept", "", "accept-"+id)
			work := object{"sku": "prd_card", "quantity": 7, "reference": id}
			insist("/factory/work-orders", encode(t, work), "work-"+id)
		}
		n.day()
		hashes[n.stateHash()] = faults
		if took := time.Since(began); strings.Contains(faults, "delay_ms") && took < 450*time.Millisecond {
			t.Errorf("three slow responses took %s", took)
		}
	}
	if len(hashes) != 1 {
		t.Errorf("the company differs: %v", hashes)
	}
}

// feedInsisting reads the feed from its beginning, however often that takes.
func (n *tenant) feedInsisting() []object {
	n.t.Helper()
	var events []object
	for range 200 {
		o := n.tries(http.MethodGet, fmt.Sprintf("/events?after_seq=%d", len(events)), "", "")
		if o.status != http.StatusOK {
			continue
		}
		var page struct {
			Data struct {
				Items   []object
				LastSeq int `json:"last_seq"`
			}
		}
		if err := json.Unmarshal([]byte(o.body), &page); err != nil {
			n.t.Fatal(err)
		}
		events = append(events, page.Data.Items...)
		if want := n.newest(); uint64(len(events)) >= want {
			return events
		}
	}
	n.t.Fatal("the feed was never read whole")
	return nil
}

// TestDoubleWorkIsDone: with the plan that allows it both systems take the same reference
// twice, and the score says so.
func TestDoubleWorkIsDone(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FAULT.DOUBLE_WORK")
	const twice = `{"preset":"manual","seed":5,"clock":"manual","faults":{"rules":[{"kind":"double_work","share":1}]}}`
	n := shared.create(t, twice)
	order := n.order("SO-1001")
	n.accept(text(order, "id"))
	first, second := n.work("prd_card", 10, text(order, "id")), n.work("prd_card", 10, text(order, "id"))
	for _, work := range []object{first, second} {
		n.print(text(work, "id"))
		n.tick(300)
		n.dispatch(text(work, "id"))
	}
	n.bill(text(order, "id"))
	n.bill(text(order, "id"))
	counted(t, n.score(), object{"due": 2, "doubled": 2})
	truck := one(t, n.all("/office/purchase-orders"), "number", "PO-5002")
	for range 2 {
		n.post("/office/requisitions", `{"lines":[{"sku":"mat_board","quantity":900}],"reference":"FR-9001"}`).
			want(http.StatusCreated, "")
	}
	n.untilDay(2)
	delivery := one(t, n.all("/factory/deliveries"), "purchase_order_number", "PO-5002")
	n.post("/factory/goods-receipts", encode(t, object{
		"delivery_id": delivery["id"], "lines": []any{object{"sku": "mat_board", "quantity_accepted": 900}},
	})).want(http.StatusCreated, "")
	for range 2 {
		n.post("/office/goods-receipts", encode(t, object{
			"purchase_order_id": truck["id"], "reference": "grf", "lines": []any{
				object{"sku": "mat_board", "quantity_accepted": 900},
			},
		})).want(http.StatusCreated, "")
	}
	counted(t, n.score(), object{"due": 3, "doubled": 3})
	for range 18 {
		n.day()
	}
	statuses := map[any]int{}
	for _, invoice := range n.all("/office/customer-invoices") {
		if invoice["sales_order_id"] == order["id"] {
			statuses[invoice["status"]]++
		}
	}
	if statuses["paid"] != 1 || statuses["overdue"] != 1 {
		t.Errorf("the two bills are %v", statuses)
	}
	usual := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	usual.accept(text(order, "id"))
	usual.work("prd_card", 10, text(order, "id"))
	usual.post("/factory/work-orders", encode(t, object{"sku": "prd_card", "quantity": 10, "reference": order["id"]})).
		want(http.StatusConflict, "duplicate_reference")
}
