package browser_test

import (
	"testing"

	"platen/platentest"
)

// TestTheFirstOrderGoesFromAcceptanceToCash: the first card of the overview has the button of each step, follows the
// company, says where to go on, and is gone on the next visit.
func TestTheFirstOrderGoesFromAcceptanceToCash(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "starter", Clock: "manual"})
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	for _, step := range []struct{ name, button string }{
		{"Accept", "Accept SO-"}, {"Print", "Start the run"}, {"Print", "Move the clock"}, {"Ship", "Ship WO-"},
	} {
		x.shows(".first [aria-current=step]", step.name)
		x.shows(".first .mend button", step.button)
		x.accessible("the first order, " + step.button)
		x.click(".first .mend button")
	}
	x.shows(".first [aria-current=step]", "Get paid")
	order := "/office/sales-orders/" + eval[string](x, `document.querySelector('.first .c-office').textContent`)
	const mostDays = 40
	for range mostDays {
		if text(c.must("GET", order, nil), "status") == "paid" {
			break
		}
		c.tick(480)
	}
	x.shows(".first", "went from acceptance to cash")
	x.inEveryLook(".first", "the first order, paid", "first-paid")
	x.visit("/console")
	x.shows(".attention", "Needs attention")
	x.until(`document.querySelector('.feed li') && !document.querySelector('.first')`)
}

// TestTheClockWaitsForTheFirstOrder: in real time it is paused with the first step, and runs again once the card is
// dismissed.
func TestTheClockWaitsForTheFirstOrder(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "starter", Clock: "realtime"})
	mode := func() string {
		clock, _ := c.must("GET", "/sandbox", nil)["clock"].(map[string]any)
		return text(clock, "mode")
	}
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows(".first .mend button", "Accept SO-")
	if got := mode(); got != "realtime" {
		t.Errorf("a look at the card makes the clock %s", got)
	}
	x.click(".first .mend button")
	x.shows("#first-held", "The clock waits")
	x.shows("#clock-mode", "Run")
	x.accessible("the first order of a clock that waits")
	if got := mode(); got != "manual" {
		t.Errorf("after the first step the clock is %s", got)
	}
	x.click(".first .card-h button")
	x.shows("#clock-mode", "Pause")
	if got := mode(); got != "realtime" {
		t.Errorf("without the card the clock is %s", got)
	}
}

// TestTheFirstOrderOfAManualBridgeIsCarriedByAProgram: what crosses the bridge has a request and no button; a card that
// is dismissed does not come back.
func TestTheFirstOrderOfAManualBridgeIsCarriedByAProgram(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows(".first .mend button", "Accept SO-")
	x.click(".first .mend button")
	x.shows(".first [aria-current=step]", "Carry it")
	x.shows(".first .code", "/factory/work-orders")
	x.until(`!document.querySelector('.first .mend')`)
	x.accessible("the first order of a manual bridge")
	x.click(".first .card-h button")
	x.until(`!document.querySelector('.first')`)
	x.visit("/console")
	x.until(`document.querySelector('.feed li') && !document.querySelector('.first')`)
}
