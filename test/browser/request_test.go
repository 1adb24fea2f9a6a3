package browser_test

import (
	"testing"

	"platen/platentest"
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
}
