package browser_test

import (
	"net/http"
	"testing"

	"platen/platentest"
)

// TestABillThatCameTwiceIsClosedFromTheConsole: it needs attention, and one button closes it.
func TestABillThatCameTwiceIsClosedFromTheConsole(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "starter", Clock: "manual"})
	second := text(c.must(http.MethodPost, "/sandbox/triggers", map[string]any{"type": "bill_twice"}), "id")

	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	const first = "[aria-labelledby=attention] li:nth-of-type(1)"
	x.shows(first, "A supplier bill has come twice")
	x.accessible("a bill that came twice")
	x.inEverySize("[aria-labelledby=attention]", "a bill that came twice", "twice-overview")
	x.goTo("/console/office/supplier-invoices")
	x.shows("main", "Their number")
	x.inEverySize("main", "the bills", "twice-list")
	x.goTo("/console")
	x.shows(first+" .mend", "Close SI-7002 as a duplicate")
	x.click(first + " .mend button:nth-of-type(1)")
	x.until(`!document.querySelector('[aria-labelledby=attention] li:not(.over) .mend button') ||
		![...document.querySelectorAll('.needs li:not(.over)')].some(e => e.textContent.includes('come twice'))`)
	agreed := c.must(http.MethodGet, "/office/supplier-invoices/"+second, nil)
	if text(agreed, "status") != "paid" || text(agreed, "duplicate_of") == "" {
		t.Errorf("the bill is %v", agreed)
	}
	x.goTo("/console/office/supplier-invoices/" + second)
	x.shows(".detail", "Duplicate of")
	x.accessible("a bill that is closed")
	x.inEverySize(".detail", "a bill that is closed", "twice-record")
}
