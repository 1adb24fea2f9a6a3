package browser_test

import (
	"net/http"
	"strings"
	"testing"

	"platen/platentest"
	"platen/test/testclient"
)

// TestARequestIsOpenedWithItsBodies: what was sent, what was received, and why it failed.
func TestARequestIsOpenedWithItsBodies(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	c.send("POST", "/factory/work-orders", record{"sku": "prd_none", "quantity": 5})
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/requests")
	x.click("tr[data-row]")
	x.shows("tr.under .problem", `"prd_none" is not a product`)
	x.shows("tr.under", `"quantity": 5`)
	x.shows("tr.under pre", "-H 'Idempotency-Key: ")
	x.inEveryLook("tr.under", "a request that failed", "request-bodies")
	x.click(".resend > summary")
	x.fill(".resend textarea", `{"sku":"prd_notebook",`)
	x.until(`document.querySelector('.resend button').disabled`)
	x.fill(".resend textarea", `{"sku":"prd_notebook","quantity":5}`)
	x.until(`!document.querySelector('.resend button').disabled`)
	x.fill(".resend-path input", "//example.com/v1/factory/work-orders")
	x.until(`document.querySelector('.resend button').disabled`)
	x.fill(".resend-path input", "/v1/factory/work-orders")
	x.click(".resend button")
	x.shows(".resend .trail", "201")
	x.shows(".resend", `"sku": "prd_notebook"`)
	x.inEveryLook("tr.under", "a request that was sent again", "request-again")
	failed := eval[string](x, `location.pathname`)
	x.click(".resend .ref-link")
	x.until(`location.pathname !== ` + quote(failed) + ` && /^POST .* 201 /.test(document.title)`)
	x.shows("tr.under", `"id": "wo_`)
	if works := c.list("/factory/work-orders"); len(works) != 1 {
		t.Errorf("after it was sent again there are %d work orders", len(works))
	}
}

// TestARequestThatFailedLeadsToWhatHelps: the run lacks paper, and the paper can be ordered from
// the request.
func TestARequestThatFailedLeadsToWhatHelps(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	before := len(c.list("/office/purchase-orders"))
	run := func(quantity int, reference string) *testclient.Answer {
		work := c.send("POST", "/factory/work-orders",
			record{"sku": "prd_poster", "quantity": quantity, "reference": reference}).Data()
		return c.send("POST", "/factory/print-runs", record{"press_id": "prs_offset", "work_order_id": work["id"]})
	}
	run(1000, "SO-1") // takes nearly all of the coated paper
	for range 3 {
		c.tick(480)
	}
	refused := run(1000, "SO-2")
	if refused.Code() != "insufficient_stock" {
		t.Fatalf("a run without paper is %d %s", refused.Status, refused.Code())
	}
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/requests")
	x.click("tr[data-row]")
	x.shows(".helps", "Order it")
	x.inEveryLook("tr.under", "a request and what helps", "request-helps")
	x.click(".help .mend button:nth-of-type(1)")
	x.shows(".toast", "done")
	x.shows(".helped", "Order it: done.")
	x.until(`document.querySelector('.helped a').pathname.startsWith('/console/requests/req_')`)
	if after := len(c.list("/office/purchase-orders")); after != before+1 {
		t.Errorf("after one click there are %d orders for paper, before it were %d", after, before)
	}
}

// TestALostResponseIsStruckThrough on the overview and on the page of requests: the program did not get it.
func TestALostResponseIsStruckThrough(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	c.must("POST", "/sandbox/faults", record{"kind": "response_lost"})
	// The connection may close without a response, so no client that fails the test is used.
	lost, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.BaseURL+"/factory/work-orders",
		strings.NewReader(`{"sku":"prd_notebook","quantity":5}`))
	if err != nil {
		t.Fatal(err)
	}
	lost.Header.Set("Authorization", "Bearer "+c.FactoryKey)
	lost.Header.Set("Content-Type", "application/json")
	lost.Header.Set("Idempotency-Key", randomText())
	if response, err := http.DefaultClient.Do(lost); err == nil {
		response.Body.Close()
	}
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows("td s[title='Response lost']", "201")
	x.goTo("/console/requests")
	x.shows("tr[data-row] s[title='Response lost']", "201")
	x.shows("tr[data-row] .pill.warn", "response lost")
	x.inEveryLook("tr[data-row]:has(s)", "a lost response", "request-lost")
}

// TestErrorsFitOnAPhone: routes that failed are cut, and nothing moves the page sideways.
func TestErrorsFitOnAPhone(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	for _, list := range []string{"customer-invoices", "supplier-invoices", "purchase-orders"} {
		c.send(http.MethodGet, "/office/"+list+"?limit=0", nil)
	}
	x := open(t, p.Origin, looks[2])
	x.enter(c.Sandbox, "/console/requests")
	x.shows(".errors li", "and 1 more")
	x.until(`document.documentElement.scrollWidth <= innerWidth`)
	x.until(`document.querySelector('.errors li > a').getBoundingClientRect().right <= innerWidth`)
}
