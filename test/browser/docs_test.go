package browser_test

import (
	"strings"
	"testing"

	"platen/platentest"
)

// readable are pages of the docs, at least one of each kind.
var readable = []struct{ name, path, text string }{
	{"docs", "/docs/", "What holds for every call"},
	{"quickstart", "/docs/quickstart", "Open a company"},
	{"handbook", "/docs/handbook", "The presses"},
	{"docs-webhooks", "/docs/webhooks", "A whole receiver"},
	{"docs-limits", "/docs/limits", "Requests"},
	{"settings", "/docs/settings", "--listen"},
	{"operations", "/docs/api", "List sales orders"},
	{"operation", "/docs/api/start_print_run", "Start a press"},
	{"event", "/docs/events/factory.work_order.ready", "One that happened"},
	{"error", "/docs/errors/press_busy", "Provoke it"},
	{"search", "/docs/search?q=retry", "Idempotency and retries"},
	{"search-none", "/docs/search?q=xyzzy", "Nothing has these words"},
}

// TestTheDocsInEveryLook opens pages of the docs as TestEveryPageInEveryLook does
// those of the console.
func TestTheDocsInEveryLook(t *testing.T) {
	t.Parallel()
	p := platentest.Start(t)
	x := open(t, p.Origin, looks[0])
	for _, page := range readable {
		x.visit(page.path)
		for _, l := range looks {
			x.look(l)
			x.shows("main", page.text)
			x.accessible(page.name + " " + l.String())
			if wide := eval[bool](x, `document.documentElement.scrollWidth > innerWidth + 1`); wide {
				x.Errorf("%s in %s is wider than the screen", page.path, l)
			}
			x.shot(page.name + "-" + l.String())
		}
		x.quiet()
	}
}

// TestSnippetsHaveTheKeysOfTheTab: they are shown masked, and only where a
// sandbox is open in the same tab.
func TestSnippetsHaveTheKeysOfTheTab(t *testing.T) {
	t.Parallel()
	p := platentest.Start(t)
	s := p.Sandbox(t, platentest.Options{})
	x := open(t, p.Origin, looks[0])
	x.visit("/docs/api/start_print_run")
	if text := eval[string](x, `document.querySelector('div.code').innerText`); !strings.Contains(text, "$FACTORY_KEY") {
		t.Errorf("without a sandbox the snippet says %s", text)
	}
	x.enter(s, "/docs/api/start_print_run")
	x.shows("div.code .filled", s.FactoryKey[len(s.FactoryKey)-4:])
	if text := eval[string](x, `document.body.innerText`); strings.Contains(text, s.FactoryKey) {
		t.Error("the page shows a whole key")
	}
	x.quiet()
}
