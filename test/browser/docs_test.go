package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"platen/platentest"
)

// pagesOfDocs are the docs' pages of each kind: what is not here differs from
// one of them by its words alone.
var pagesOfDocs = []struct{ name, path string }{
	{"docs-index", "/docs/"},
	{"docs-guide", "/docs/quickstart"},
	{"docs-tutorial", "/docs/tutorial"},
	{"docs-tutorial-step", "/docs/tutorial#4-bill-what-was-shipped"},
	{"docs-operations", "/docs/api"},
	{"docs-operation", "/docs/api/start_print_run"},
	{"docs-events", "/docs/events"},
	{"docs-event", "/docs/events/factory.shipment.created"},
	{"docs-errors", "/docs/errors"},
	{"docs-error", "/docs/errors/press_busy"},
	{"docs-missions", "/docs/missions"},
	{"docs-mission", "/docs/missions/page_through"},
	{"docs-presets", "/docs/presets"},
	{"docs-economy", "/docs/economy"},
	{"docs-webhooks", "/docs/webhooks"},
	{"docs-agents", "/docs/agents"},
	{"docs-settings", "/docs/settings"},
	{"docs-handbook", "/docs/handbook"},
	{"docs-limits", "/docs/limits"},
	{"docs-found", "/docs/search?q=idempotency"},
	{"docs-not-found", "/docs/search?q=zzzzzz"},
}

// TestTheDocsInEveryLook opens a page of each kind in light and dark, on a desk
// and on a phone: it must write nothing to the console, break no policy,
// request no other host and give axe-core nothing to say. A phone must not
// scroll sideways.
func TestTheDocsInEveryLook(t *testing.T) {
	t.Parallel()
	p := shared()
	x := open(t, p.Origin, looks[0])
	for n, page := range pagesOfDocs {
		x.visit(page.path)
		x.until(`document.querySelector('main h1')`)
		for _, l := range looksOf(n) {
			x.look(l)
			x.accessible(page.name + " " + l.String())
			x.shot(page.name + "-" + l.String())
			if over := eval[int](x,
				`document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
				t.Errorf("%s %s is %d pixels wider than its window", page.name, l, over)
			}
		}
		x.quiet()
	}
	for _, asked := range x.asked() {
		if address := asked[strings.Index(asked, " ")+1:]; !strings.HasPrefix(address, p.Origin+"/") &&
			!strings.HasPrefix(address, "data:") {
			t.Errorf("another host was asked: %s", asked)
		}
	}
}

// TestTheDocsAreSearchedFromTheKeyboard: / leads to the field, places appear while one types, and Enter
// leads to all that were found.
func TestTheDocsAreSearchedFromTheKeyboard(t *testing.T) {
	t.Parallel()
	p := shared()
	x := open(t, p.Origin, looks[0])
	x.visit("/docs/quickstart")
	x.until(`document.querySelector('#find')`)
	x.press("/")
	x.until(`document.activeElement.id === 'find'`)
	x.press("press bus")
	x.until(`[...document.querySelectorAll('.quick:popover-open a')].some(a => ` +
		`a.pathname === '/docs/errors/press_busy')`)
	x.accessible("places found while typing")
	x.shot("docs-typed")
	x.press("y\r")
	x.until(`location.pathname === '/docs/search' && [...document.querySelectorAll('main a')].some(a => a.pathname ` +
		`=== '/docs/errors/press_busy')`)
	x.quiet()
}

// TestAnOperationCanBeTried: from its page, with the keys of the tab and none
// without them.
func TestAnOperationCanBeTried(t *testing.T) {
	t.Parallel()
	p := shared()
	x := open(t, p.Origin, looks[0], "422")
	x.visit("/docs/api/accept_sales_order")
	x.shows("form.try", "Create a sandbox")
	x.enter(p.Sandbox(t, platentest.Options{Preset: "starter", Clock: "manual"}), "/docs/api/accept_sales_order")
	x.shows("form.try", "It is a real request")
	x.click("form.try .btn.small")
	x.until(`document.querySelector('form.try input[name=id]').value.startsWith('so_')`)
	x.click("form.try .btn.primary")
	x.shows("form.try .http", "200")
	x.shows("form.try pre", `"status": "in_production"`)
	x.accessible("an operation that was tried")
	x.shot("docs-tried")
	x.visit("/docs/api/create_work_order")
	x.fill("form.try textarea", `{"sku":"prd_flyer"}`)
	x.click("form.try .btn.primary")
	x.shows("form.try .http", "422")
	x.shows("form.try pre", "validation_failed")
	x.visit("/docs/api/list_sales_orders")
	x.fill("form.try input[name=status]", "received")
	x.fill("form.try input[name=limit]", "1")
	x.click("form.try .btn.primary")
	x.shows("form.try pre", `"status": "received"`)
	x.quiet()
}

// TestSnippetsHaveTheKeysOfTheTab: they are shown masked, and only where a
// sandbox is open in the same tab.
func TestSnippetsHaveTheKeysOfTheTab(t *testing.T) {
	t.Parallel()
	p := shared()
	s := p.Sandbox(t, platentest.Options{})
	x := open(t, p.Origin, looks[0])
	x.visit("/docs/api/start_print_run")
	if text := eval[string](x,
		`document.querySelector('div.code').innerText`); !strings.Contains(text, "$PLATEN_FACTORY_KEY") {
		t.Errorf("without a sandbox the snippet says %s", text)
	}
	x.enter(s, "/docs/api/start_print_run")
	x.shows("div.code .filled", s.FactoryKey[len(s.FactoryKey)-4:])
	if text := eval[string](x, `document.body.innerText`); strings.Contains(text, s.FactoryKey) {
		t.Error("the page shows a whole key")
	}
	x.quiet()
}

// TestTheLanguageOfTheSamplesIsKept: it is chosen with a click or the arrows,
// seen alone, and there on the next page. The keys of the tab are in it.
func TestTheLanguageOfTheSamplesIsKept(t *testing.T) {
	t.Parallel()
	p := shared()
	s := p.Sandbox(t, platentest.Options{Preset: "starter", Clock: "manual"})
	x := open(t, p.Origin, looks[0])
	seen := func(language string) {
		t.Helper()
		x.until(`[...document.querySelectorAll('.samples div.code')].filter(e => e.checkVisibility()).map(e => ` +
			`e.className).join() === 'code ` + language + `'`)
	}
	x.visit("/docs/api/start_print_run")
	seen("sh")
	x.click(".samples [value=javascript]")
	seen("javascript")
	x.enter(s, "/docs/api/create_work_order")
	seen("javascript")
	x.shows(".samples .javascript .filled", s.FactoryKey[len(s.FactoryKey)-4:])
	x.until(`(document.querySelector('.samples :checked').focus(), true)`)
	x.press(kb.ArrowRight)
	seen("go")
	for _, l := range looksOf(3) {
		x.look(l)
		eval[any](x, `document.querySelector('.samples').scrollIntoView()`)
		x.accessible("the samples in Go " + l.String())
		x.shot("docs-samples-" + l.String())
		if over := eval[int](x,
			`document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
			t.Errorf("%s is %d pixels wider than its window", l, over)
		}
	}
	x.visit("/docs/api/list_sales_orders")
	seen("go")
	x.quiet()
}
