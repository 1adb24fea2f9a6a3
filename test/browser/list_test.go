package browser_test

import (
	"net/http"
	"testing"

	"platen/platentest"
)

// TestAPhoneShowsWhatARowIsAbout: the due date under the name, red once it has passed, and amounts instead of dates.
func TestAPhoneShowsWhatARowIsAbout(t *testing.T) {
	t.Parallel()
	p := shared()
	c := lived(t, p)
	c.accept()
	for range 12 { // nothing is printed meanwhile
		c.tick(480)
	}
	x := open(t, p.Origin, looks[2])
	x.enter(c.Sandbox, "/console/office/sales-orders")
	x.shows("td .until", "Due ")
	x.shows("td .until .c-red", "overdue")
	x.accessible("orders on a phone")
	x.goTo("/console/factory/work-orders")
	x.shows("td .until .c-red", "overdue")
	for _, list := range []struct{ path, heading string }{
		{"/console/office/payments", "Amount"}, {"/console/office/ledger", "Amount"},
		{"/console/office/market", "Ask"}, {"/console/factory/stock", "On hand"},
	} {
		x.goTo(list.path)
		x.shows("th", list.heading)
		x.until(`document.documentElement.scrollWidth <= innerWidth`)
	}
	x.look(looks[0])
	x.goTo("/console/office/sales-orders")
	x.until(`[...document.querySelectorAll('.until')].every(e => !e.checkVisibility())`)
}

// TestARecordWithoutANumberHasAName in its heading, its list and its trail; the bridge marks overdue work of either
// system.
func TestARecordWithoutANumberHasAName(t *testing.T) {
	t.Parallel()
	p := shared()
	c := lived(t, p)
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/factory/print-runs")
	x.shows("td .ref-link", "WO-30")
	x.until(`!document.querySelector('tbody').textContent.includes('pr_')`)
	run := c.list("/factory/print-runs?status=completed")[0]
	x.goTo("/console/factory/print-runs/" + text(run, "id"))
	x.shows(".detail h2", "Run of WO-30")
	x.until(`document.title.startsWith('Run of WO-30')`)
	payment := c.list("/office/payments")[0]
	x.goTo("/console/office/payments/" + text(payment, "id"))
	x.shows(".detail h2", "Payment of "+text(payment, "payer_name"))
	x.shows(".story", "from "+text(payment, "payer_name"))
	x.until(`!/(pay|led)_/.test(document.querySelector('.story').textContent)`)

	c.accept()
	for range 12 {
		c.tick(480)
	}
	x.goTo("/console/bridge")
	x.shows(".slip.office .c-red", "overdue")
	x.shows(".slip.factory .c-red", "overdue")
}

// TestAnEmptyListSaysHowItFills: by a request where one creates its records, else with time.
func TestAnEmptyListSaysHowItFills(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/factory/print-runs")
	x.shows(".empty a[href='/docs/api/start_print_run']", "See the request")
	x.until(`!document.querySelector('.empty pre')`)
	x.goTo("/console/office/contract-lots")
	x.shows(".empty p", "Move the clock by a working day")
	x.shows(".empty pre", "/v1/sandbox/tick")
	if a := c.send(http.MethodGet, "/factory/print-runs", nil); len(a.Items()) != 0 {
		t.Errorf("the Factory has %d print runs", len(a.Items()))
	}
}

// TestAButtonThatCannotExtendSaysWhy beside it.
func TestAButtonThatCannotExtendSaysWhy(t *testing.T) {
	t.Parallel()
	p := shared()
	for preset, why := range map[string]string{
		"manual": "2 left. You can extend it in its last", "agent_eval": "An evaluation cannot be extended.",
	} {
		c := found(t, p, platentest.Options{Preset: preset})
		x := open(t, p.Origin, looks[0])
		x.enter(c.Sandbox, "/console/session")
		x.shows("#extend:disabled", "Extend sandbox")
		x.shows("#extend ~ .dim", why)
		if promised := eval[bool](x, `document.body.textContent.includes('You can extend it twice')`); promised !=
			(preset == "manual") {
			t.Errorf("%s: two extensions are promised: %v", preset, promised)
		}
	}
}

// TestAPageThatCannotBeLoadedSpoilsNoOther: it says why, and pages that have loaded are still shown.
func TestAPageThatCannotBeLoadedSpoilsNoOther(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	way := between(t, p)
	x := open(t, way.origin, looks[0], "Failed to load resource", "net::ERR", "status of")
	x.enter(c.Sandbox, "/console")
	x.shows(".tiles", "Cash")
	way.says(func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) })
	way.cut()
	x.shows("[data-banner=reconnecting]", "does not respond")
	eval[any](x, `document.querySelector('.side a[href="/console/session"]').click()`)
	x.shows(".problem", "The server does not respond.")
	eval[any](x, `document.querySelector('.side a[href="/console"]').click()`)
	x.shows(".tiles", "Cash")
}

// TestAFilterOfEventsSearchesTheServer: it says among how many events nothing was found, and reads the others when
// asked to.
func TestAFilterOfEventsSearchesTheServer(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "starter", Clock: "manual"})
	for range 46 {
		c.tick(480)
	}
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/events")
	x.shows(".feed li", "")
	x.fill("[data-filter]", "SO-1004")
	x.shows(".events .empty", "Nothing among the newest")
	x.inEveryLook(".events", "a filter that finds nothing", "events-nothing")
	x.click("#search-all")
	x.shows(".search", "Searched all")
	x.shows(".feed li", "SO-1004")
	x.click(".chips .factory")
	x.shows(".chips [aria-pressed=true]", "Factory")
	x.shows(".events .empty", "No event matches")
	x.click(".chips .factory")
	x.click(".feed li:last-child .ev")
	x.shows(".feed .ev-body", "SO-1004")
	x.accessible("an event that was found")
}
