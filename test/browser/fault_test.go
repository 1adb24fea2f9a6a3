package browser_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"platen/platentest"
	"platen/test/testclient"
)

// tablet is between a desk and a phone.
var tablet = size{"tablet", 1024, 768}

// inEverySize has an element looked at in every look, and on a tablet.
func (x *tab) inEverySize(selector, where, name string) {
	x.Helper()
	x.inEveryLook(selector, where, name)
	x.inLook(look{tablet, false}, selector, where, name)
	x.look(looks[0])
}

const faultCard = "[aria-labelledby=faults]"

// TestFaultsAreShownAndInjectedInTheConsole: what is to come is pending, the next request meets
// it, and the list leads to that request.
func TestFaultsAreShownAndInjectedInTheConsole(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/faults")
	x.shows("#fault-plan", "no fault plan")
	x.shows("#no-faults-yet", "No fault has been injected")
	x.until(`document.querySelector('#inject').disabled && !document.querySelector('#fault-pending p')`)

	x.chooses("#fault", "storm")
	x.shows("#fault-about", "Your client sees: 503 unavailable or 429 rate_limited")
	x.fill(faultCard+" [name=count]", "101")
	x.until(`document.querySelector('#inject').disabled`)
	x.fill(faultCard+" [name=count]", "2")
	x.click("#inject")
	x.shows("#fault-pending", "Armed: storm for the next request, 2 times")
	x.until(`document.activeElement.id === 'inject'`)
	x.inEverySize(faultCard, "faults to come", "fault-pending")

	for range 9 { // a storm is three requests long at most
		c.send(http.MethodGet, "/office/cash", nil)
	}
	x.shows(".happened li", "storm")
	c.must(http.MethodPost, "/sandbox/faults", record{"kind": "growth"})
	c.send(http.MethodGet, "/office/sales-orders", nil)
	x.shows(".happened li", "growth")
	x.until(`!document.querySelector('#no-faults-yet')`)
	x.shows(".happened li a", "get cash")
	x.until(`!document.querySelector('#fault-pending p')`)
	x.inEverySize(".happened", "faults that happened", "fault-happened")
	id := eval[string](x, `document.querySelector('.happened li:last-child a').pathname.split('/').pop()`)
	x.click(".happened li:last-child a")
	x.shows("h1", "Requests")
	x.shows(".under", id)
	x.accessible("the request that a fault happened to")
	x.shot("fault-request")
}

// TestALostResponseIsExplained: the response of the chosen operation is lost, whatever else is sent before, and the
// request says what the client saw, and which event it wrote.
func TestALostResponseIsExplained(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/faults")
	x.chooses("#fault", "response_lost")
	x.shows("#fault-operation", "Next write")
	x.chooses("#fault-operation", "create_work_order")
	x.chooses("#fault-form", "error")
	x.inEverySize(faultCard, "a fault of an operation", "fault-operation")
	x.click("#inject")
	x.shows("#fault-pending", "response lost (502) for the next create work order")
	c.list("/factory/work-orders")
	c.must(http.MethodPost, "/office/sales-orders/SO-1001/accept", nil)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.BaseURL+"/factory/work-orders",
		strings.NewReader(`{"sku":"prd_card","quantity":5,"reference":"SO-1001"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.FactoryKey)
	r.Header.Set("Idempotency-Key", "cards-1")
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if response.Body.Close(); response.StatusCode != http.StatusBadGateway {
		t.Errorf("the client saw %d", response.StatusCode)
	}
	x.click(".happened li a")
	x.shows("h1", "Requests")
	x.shows(".struck", "The server responded with 201, and the request took effect.")
	x.shows(".struck", "Your client saw: A closed connection, or a 502")
	x.shows(".struck", "the same Idempotency-Key")
	x.accessible("a request whose response was lost")
	x.shot("fault-explained")
	x.click(".under .ref-link[href*='/console/events/']")
	x.shows("h1", "Events")
	x.shows(".feed .ev-body", "factory.work_order.created")
}

// TestThePlanOfFaultsIsShown with its shares.
func TestThePlanOfFaultsIsShown(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{
		Preset: "manual", Clock: "manual", Faults: &platentest.Faults{Plan: "severe", Seed: new(int64(11))},
	})
	for range 60 {
		c.send(http.MethodGet, "/factory/presses", nil)
	}
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/faults")
	x.shows("#fault-plan", "severe")
	x.shows(faultCard+" .facts code", "11")
	x.click(".shares summary")
	x.shows(".shares li", "webhook twice")
	x.until(`[...document.querySelectorAll('.shares li')].some(e => /^in progress\s*30 %$/.test(e.textContent.trim()))`)
	x.shows(".happened li", "list presses")
	x.inEverySize(faultCard, "the plan of a sandbox", "fault-plan")
}

// TestToLookAtFaultsAndAtTheScoreIsNoRequest of a client: a clock that waits goes on waiting.
func TestToLookAtFaultsAndAtTheScoreIsNoRequest(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "realtime"})
	x := open(t, p.Origin, looks[1])
	x.enter(c.Sandbox, "/console/faults")
	x.chooses("#fault", "outage")
	x.shows("#fault-about", "Your client sees")
	x.goTo("/console/bridge")
	x.shows("#exactly-once", "No score yet")
	x.inEverySize(".score", "a score of nothing", "score-none")
	x.shows("#clock-waits", "The clock starts with your first request")
	asked := x.asked()
	if n := len(slices.DeleteFunc(asked, func(a string) bool { return !strings.Contains(a, "/v1/") })); n != 0 {
		t.Errorf("the pages sent %d requests to the API: %v", n, asked)
	}
}

// TestTheScoreOfTheProgramIsOnTheBridge names a write that only a check of the Factory saved.
func TestTheScoreOfTheProgramIsOnTheBridge(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	c.must(http.MethodPost, "/office/sales-orders/SO-1001/accept", nil)
	c.Inject(t, "response_lost", 1, "create_work_order")
	work := record{"sku": "prd_card", "quantity": 10, "reference": "SO-1001"}
	c.lost("/factory/work-orders", work)
	c.send(http.MethodPost, "/factory/work-orders", work).Want(http.StatusConflict, "duplicate_reference")
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/bridge")
	x.shows("#client-score", "0.000")
	x.shows("#client-score .failures", "SO-1001 came again with another Idempotency-Key")
	x.inEverySize(".score", "the score of a program", "score-client")
}

// lost sends a write whose response is lost: the connection is cut, or something in between answers. net/http does not
// send a request again on a connection of its own.
func (c *company) lost(path string, body record) {
	c.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.Fatal(err)
	}
	r, err := testclient.Request{Method: http.MethodPost, URL: c.BaseURL + path, Key: c.FactoryKey, Body: string(text),
		Headers: []string{"Idempotency-Key", "lost"}}.Build(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	alone := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if a, err := testclient.Exchange(alone, r); err == nil && a.Status != http.StatusBadGateway {
		c.Errorf("the response came: %d", a.Status)
	}
}

// TestTheScoreAndItsFailuresAreOnTheBridge, and each failure leads to its records and events.
func TestTheScoreAndItsFailuresAreOnTheBridge(t *testing.T) {
	t.Parallel()
	p := shared()
	c := busy(t, p)
	for range 3 {
		c.tick(480)
	}
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/bridge")
	x.until(`/^0\.\d{3}$/.test(document.querySelector('#exactly-once b')?.textContent.trim())`)
	x.shows(".verdicts .bad", "missed")
	x.click(".failures-box summary")
	x.shows(".failures li .pill", "missed")
	x.shows(".failures li .trail a", "")
	x.inEverySize(".score", "a score", "score")
	before := eval[string](x, `document.querySelector('#exactly-once').textContent`)
	c.accept()
	for range 5 {
		c.tick(480)
	}
	x.until(`document.querySelector('#exactly-once').textContent !== ` + quote(before))

	x.click(`.failures .trail a[href*="/office/sales-orders/"]`)
	x.shows("h1", "")
	x.until(`location.pathname.startsWith('/console/office/sales-orders/so_')`)
	x.goTo("/console/bridge")
	x.click(".failures-box summary")
	x.click(`.failures .trail a[href*="/console/events/"]`)
	x.shows("h1", "Events")
	x.shows(".feed .ev-body", `"evt_`)
	x.accessible("the event of a failure")
	x.shot("score-event")
	x.goTo("/console/events/evt_none")
	x.shows(".problem", "evt_none")
	x.forget() // the browser says that this one is missing
	x.goTo("/console/events")
	x.until(`document.querySelectorAll('.feed li').length > 1`)
}

// TestNothingIsJudgedWhereNothingIsCarried: with the automatic bridge, and where players are
// compared, there is no score, and there no faults either.
func TestNothingIsJudgedWhereNothingIsCarried(t *testing.T) {
	t.Parallel()
	p := shared()
	for _, o := range []platentest.Options{
		{Preset: "starter", Clock: "manual"}, {Preset: "agent_eval"}, {Preset: "agent_eval", Bridge: "manual"},
	} {
		c := found(t, p, o)
		x := open(t, p.Origin, looks[0])
		x.enter(c.Sandbox, "/console/bridge")
		x.shows(".deck", "")
		x.until(`!document.querySelector('.score')`)
		for _, a := range x.asked() {
			if strings.Contains(a, "/console/data/score") {
				t.Errorf("the page asked for a score: %s", a)
			}
		}
		if o.Preset == "agent_eval" && o.Bridge == "" {
			x.goTo("/console/faults")
			x.shows("#no-faults", "not_in_evaluation")
			x.until(`!document.querySelector('#fault, #inject')`)
			x.inEveryLook(faultCard, "no faults where players are compared", "fault-compared")
		}
	}
}

// TestNoFaultIsInjectedAfterTheEnd: what happened can still be read.
func TestNoFaultIsInjectedAfterTheEnd(t *testing.T) {
	t.Parallel()
	p := platentest.Start(t, poor(t))
	c := found(t, p, platentest.Options{Preset: "poor", Clock: "manual"})
	c.ruin()
	x := open(t, p.Origin, looks[3])
	x.enter(c.Sandbox, "/console/faults")
	x.shows("#no-faults-yet", "No fault has been injected")
	x.until(`document.querySelector('#fault').matches(':disabled') && document.querySelector('#inject:disabled')`)
	x.accessible("faults of a bankrupt company")
}
