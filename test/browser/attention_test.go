package browser_test

import (
	"fmt"
	"testing"

	"platen/platentest"
)

// TestWhatNeedsSomebodyIsMendedInTheConsole: the overview says what is the case, links the
// records, and sends the request that mends it.
func TestWhatNeedsSomebodyIsMendedInTheConsole(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "starter", Clock: "manual"})
	c.accept()
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows("[aria-labelledby=attention]", "Press idle")
	x.inEveryLook("[aria-labelledby=attention]", "what needs somebody", "attention")
	const idle = "[aria-labelledby=attention] li:nth-of-type(2)"
	x.shows(idle, "can be printed on it now")
	x.click(idle + " .mend button:nth-of-type(2)")
	x.shows("[aria-labelledby=attention] pre", "/v1/factory/print-runs")
	x.click(idle + " .mend button:nth-of-type(1)")
	x.shows(".presses", "running")
	if runs := c.list("/factory/print-runs"); len(runs) != 1 {
		t.Errorf("after one click there are %d print runs", len(runs))
	}
	for range 25 {
		c.tick(480)
	}
	x.click("[aria-labelledby=attention] > .pad > button")
	x.shows("[aria-labelledby=attention]", "Reputation low")
	x.inEveryLook("[aria-labelledby=attention]", "a company that nobody leads", "attention-late")
	x.click("[aria-labelledby=attention] .trail a")
	x.until(`location.pathname.startsWith('/console/')`)
}

// TestABankruptCompanyTellsHowItCameToThat on the overview.
func TestABankruptCompanyTellsHowItCameToThat(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "crunch", Clock: "manual"})
	c.accept()
	for range 120 {
		c.send("POST", "/sandbox/tick", record{"minutes": 480})
		if status := c.send("GET", "/sandbox", nil).Data(); fmt.Sprint(status["status"]) == "bankrupt" {
			break
		}
	}
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows("[aria-labelledby=attention]", "The company is bankrupt.")
	x.inEveryLook("[aria-labelledby=attention]", "how a company came to its end", "attention-bankrupt")
}

// TestAnOrderIsAcceptedOnTheOverview with one click on its row, and leaves the list.
func TestAnOrderIsAcceptedOnTheOverview(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "starter", Clock: "manual"})
	waiting := c.list("/office/sales-orders?status=received")
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows("#to-answer tr:first-of-type", text(waiting[len(waiting)-1], "number"))
	x.accessible("orders to answer")
	x.click("#to-answer tr:first-of-type button")
	x.until(fmt.Sprintf(`document.querySelectorAll('#to-answer tr').length === %d`, len(waiting)-1))
	if left := c.list("/office/sales-orders?status=received"); len(left) != len(waiting)-1 {
		t.Errorf("after one click %d orders wait, of %d", len(left), len(waiting))
	}
}
