package browser_test

import (
	"strings"
	"testing"
)

// TestAReviewerLooksAndCanChangeNothing: the link is made in the head of each page, opens the
// console without a key, shows both systems, and has nothing that changes the sandbox.
func TestAReviewerLooksAndCanChangeNothing(t *testing.T) {
	t.Parallel()
	p := shared()
	c := busy(t, p)
	owner := open(t, p.Origin, looks[0])
	owner.enter(c.Sandbox, "/console")
	owner.shows(".link", "Live")
	owner.click("#share-console")
	owner.shows("dialog[open] .code", "/console#lab_rev_")
	owner.shot("review-share")
	owner.accessible("a reviewer's link")
	link := eval[string](owner, `[...document.querySelectorAll('.code pre')].find(e => `+
		`e.textContent.includes('lab_rev_')).textContent`)
	if strings.Contains(link, c.OfficeKey[8:]) || strings.Contains(link, c.FactoryKey[8:]) {
		t.Fatal("the link has a key")
	}

	x := open(t, p.Origin, looks[1])
	x.visit(strings.TrimPrefix(link, p.Origin))
	x.shows("[data-banner=review]", "Read-only")
	x.until(`location.hash === '' && document.querySelector('.link').textContent.includes('Live')`)
	x.accessible("the overview of a reviewer")
	x.shot("review-overview")
	x.shows("#attention", "Needs attention")
	for _, page := range []struct{ path, selector, text string }{
		{"/console/bridge", ".line.gap", ""},
		{"/console/office/sales-orders", ".tbl", "SO-10"},
		{"/console/factory/work-orders", ".tbl", "WO-30"},
		{"/console/presses", ".lane", ""},
		{"/console/requests", ".tbl", "print-runs"},
		{"/console/webhooks", ".title .btn.primary:disabled", "Add a webhook"},
		{"/console/session", "dd", "a link without keys"},
	} {
		x.goTo(page.path)
		x.shows(page.selector, page.text)
	}
	x.until(`!document.querySelector('a[href="/console/keys"], .side a[href="/console/faults"]') &&
		!document.querySelector('.side a[href="/console/checkpoints"]')`)
	for _, path := range []string{"/console/keys", "/console/faults", "/console/checkpoints"} {
		x.goTo(path)
		x.shows("main .empty", "A read-only link does not open this page")
	}
	x.goTo("/console/session")
	if n := eval[int](x, `document.querySelectorAll('#clock-hour:enabled, #extend:enabled').length`); n != 0 {
		t.Errorf("a reviewer can move the clock, or extend: %d buttons", n)
	}
	for _, a := range x.asked() {
		if strings.Contains(a, "/v1/") {
			t.Errorf("the console of a reviewer asked the API: %s", a)
		}
	}
}
