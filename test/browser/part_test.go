package browser_test

import (
	"net/http"
	"testing"

	"platen/platentest"
)

// TestAnOrderInPartsIsShown: the bridge has a line for each part, the first that nobody has billed with its
// request, and the records show how far the order is.
func TestAnOrderInPartsIsShown(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	order := c.must(http.MethodPost, "/sandbox/triggers", map[string]any{
		"type": "order", "sku": "prd_card", "quantity": 40, "customer_id": "cus_kestrel",
	})
	id := text(order, "id")
	c.must(http.MethodPost, "/office/sales-orders/"+id+"/accept", nil)
	work := text(c.must(http.MethodPost, "/factory/work-orders", map[string]any{
		"sku": "prd_card", "quantity": 40, "reference": id,
	}), "id")
	c.must(http.MethodPost, "/factory/print-runs", map[string]any{
		"press_id": "prs_digital", "work_order_id": work, "overs_pct": 20,
	})
	c.tick(480)
	first := text(c.must(http.MethodPost, "/factory/shipments", map[string]any{
		"work_order_id": work, "quantity": 25,
	}), "id")
	c.must(http.MethodPost, "/office/shipments", map[string]any{
		"sales_order_id": id, "quantity": 25, "factory_shipment_ref": first,
	})
	c.must(http.MethodPost, "/factory/shipments", map[string]any{"work_order_id": work, "quantity": 5})

	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/bridge")
	x.shows(".strand", "not billed")
	x.until(`[...document.querySelectorAll('.strand')].some(s => s.textContent.includes('the other 10'))`)
	x.accessible("parts on the bridge")
	x.inEverySize(".strand", "an order in parts", "parts-bridge")
	for page, says := range map[string]string{
		"/console/office/sales-orders/" + id:   "25 of 40 billed",
		"/console/factory/work-orders/" + work: "30 of 40 shipped",
	} {
		x.goTo(page)
		x.shows(".parts", says)
		x.accessible(says)
		x.inEverySize(".detail", says, "parts-record")
	}
}
