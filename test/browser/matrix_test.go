package browser_test

import (
	"slices"
	"strings"
	"testing"
)

// private lets webhooks go to this machine.
var private = map[string]string{"private-webhooks": "true"}

// shown are the pages of the console and an element that each has once it has loaded.
var shown = []struct{ name, path, ready, text string }{
	{"overview", "/console", ".materials", "Coated paper"},
	{"bridge", "/console/bridge", ".strand", ""},
	{"events", "/console/events", ".feed li", ""},
	{"office", "/console/office/sales-orders", ".tbl tbody tr[data-row]", ""},
	{"factory", "/console/factory/work-orders", ".tbl tbody tr[data-row]", ""},
	{"presses", "/console/presses", ".run", ""},
	{"world", "/console/world/lore-events", ".tbl tbody tr[data-row]", ""},
	{"missions", "/console/missions", ".mission", ""},
	{"webhooks", "/console/webhooks", ".tbl tbody tr[data-row]", ""},
	{"requests", "/console/requests", ".tbl tbody tr[data-row]", ""},
	{"faults", "/console/faults", "#fault", ""},
	{"checkpoints", "/console/checkpoints", ".checkpoints li", "start"},
	{"connect", "/console/connect", ".snippet", ""},
	{"keys", "/console/keys", ".key.office", ""},
	{"session", "/console/session", ".lease", ""},
}

// TestEveryPageInEveryLook opens each page in light and dark, on a desk and on a
// phone: it must write nothing to the console, break no policy and give axe-core
// nothing to say. A picture of each is kept.
func TestEveryPageInEveryLook(t *testing.T) {
	t.Parallel()
	p := shared()
	c := busy(t, p)
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows(".link", "Live")
	x.hasNoOtherPage()
	x.moves()
	for n, page := range shown {
		x.goTo(page.path)
		for _, l := range looksOf(n) {
			x.look(l)
			x.shows(page.ready, page.text)
			x.accessible(page.name + " " + l.String())
			x.shot(page.name + "-" + l.String())
		}
		x.quiet()
	}
}

// moves fails the test when something moves on a page at rest, which keeps the browser
// drawing: tests ask for reduced motion.
func (x *tab) moves() {
	x.Helper()
	for _, moving := range eval[[]string](x, `new Promise(done => {
		const seen = new Set();
		const look = setInterval(() => {
			for (const a of document.getAnimations())
				seen.add((a.animationName ?? a.transitionProperty) + ' of ' + a.effect.target.outerHTML.slice(0, 80));
		}, 50);
		setTimeout(() => { clearInterval(look); done([...seen]); }, 2500);
	})`) {
		x.Errorf("a page at rest moves: %s", moving)
	}
}

// hasNoOtherPage fails the test when the console links to a page without a
// test, or the other way round.
func (x *tab) hasNoOtherPage() {
	x.Helper()
	linked := eval[[]string](x, `[...document.querySelectorAll('.side a[href^="/console"]')].map(a => a.pathname)`)
	for _, page := range shown {
		if !slices.ContainsFunc(linked, func(path string) bool {
			return page.path == path || path != "/console" && strings.HasPrefix(page.path, path+"/")
		}) {
			x.Errorf("no link leads to %s", page.path)
		}
	}
	if len(linked) != len(shown) {
		x.Errorf("%d pages are looked at, the console links to %v", len(shown), linked)
	}
}
