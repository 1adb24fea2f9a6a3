package browser_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"

	"platen/platentest"
)

// These limits hold for a cold load of the console.
const (
	coldBytes    = 120 << 10
	coldRequests = 25
	// busyShare is the part of the main thread that two events in a second may
	// keep busy.
	busyShare = 0.15
)

// loaded are all responses that the page has got, the document among them.
const loaded = `['navigation', 'resource'].flatMap(type => performance.getEntriesByType(type))`

func TestAColdLoadKeepsItsBudget(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "starter", Clock: "manual"})
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows(".link", "Live")
	x.shows(".chart", "")
	x.shows(".feed li", "")
	x.until(loaded + `.filter(e => e.name.endsWith('.woff2')).length === 2`)
	asked := x.asked()
	cold := asked[len(asked)-countFrom(asked, p.Origin+"/console"):]
	bytes := eval[float64](x, loaded+`.reduce((sum, e) => sum + e.transferSize, 0)`)
	t.Logf("%d requests, %.0f bytes", len(cold), bytes)
	if len(cold) > coldRequests {
		t.Errorf("%d requests, want %d at most: %s", len(cold), coldRequests, strings.Join(cold, ", "))
	}
	if bytes > coldBytes {
		t.Errorf("%.0f bytes, want %d at most", bytes, coldBytes)
	}
}

// countFrom counts what was asked for from an address on.
func countFrom(asked []string, address string) int {
	for i, a := range asked {
		if a == "GET "+address {
			return len(asked) - i
		}
	}
	return 0
}

// TestEventsLeaveTheMainThreadIdle counts the processor's time that the page
// takes, so that others on the machine do not matter.
func TestEventsLeaveTheMainThreadIdle(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows(".link", "Live")
	call(x, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
	x.shows(".feed li", "")
	before := x.metrics()
	for range 10 {
		c.must(http.MethodPost, "/factory/work-orders", record{"sku": "prd_notebook", "quantity": 5})
		c.must(http.MethodPost, "/factory/work-orders", record{"sku": "prd_calendar", "quantity": 5})
		second()
	}
	x.shows(".feed li", "work_order")
	after := x.metrics()
	share := (after["TaskDuration"] - before["TaskDuration"]) / (after["Timestamp"] - before["Timestamp"])
	t.Logf("the main thread was busy for %.1f %% of %.1f s", 100*share, after["Timestamp"]-before["Timestamp"])
	if share > busyShare {
		t.Errorf("the main thread was busy for %.1f %%, want %.0f %% at most", 100*share, 100*busyShare)
	}
}

// metrics are the browser's counters of the page.
func (x *tab) metrics() map[string]float64 {
	x.Helper()
	all := map[string]float64{}
	for _, m := range call(x, performance.GetMetrics, cdp.Empty{}).Metrics {
		all[m.Name] = m.Value
	}
	return all
}

func TestTheWorkerMayOnlyBeTheWorker(t *testing.T) {
	t.Parallel()
	x := begin(t, shared(), looks[0], "TrustedScriptURL", "TrustedHTML")
	if got := eval[string](x,
		`(() => { try { new Worker('/static/other.js'); return 'made'; } catch (e) { return e.name; } })()`); got !=
		"TypeError" {
		t.Errorf("another worker is %s", got)
	}
	if got := eval[string](x,
		`(() => { try { document.body.innerHTML = '<p>'; return 'taken'; } catch (e) { return e.name; } })()`); got !=
		"TypeError" {
		t.Errorf("a text as markup is %s", got)
	}
}
