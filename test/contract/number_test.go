package contract

import (
	"net/http"
	"testing"
)

// TestAPathTakesANumberForAnID: of each resource with numbers, in reads and in commands.
func TestAPathTakesANumberForAnID(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ID.NUMBER")
	n := shared.create(t, `{"preset":"starter","seed":5,"clock":"manual"}`)
	n.accept("SO-1001")
	n.untilDay(3)
	numbered := 0
	for _, list := range []string{
		"/office/sales-orders", "/office/contract-lots", "/office/customer-invoices", "/office/purchase-orders",
		"/office/requisitions", "/office/shipments", "/office/supplier-invoices", "/factory/work-orders",
		"/factory/requisitions", "/factory/shipments",
	} {
		for _, row := range n.all(list) {
			numbered++
			agrees(t, list, n.row(list+"/"+text(row, "number")), row)
		}
		n.get(list+"/XX-1001").want(http.StatusNotFound, "not_found")
		n.get(list+"/SO-99999999999999999999").want(http.StatusNotFound, "not_found")
	}
	if numbered < 20 {
		t.Errorf("%d records have numbers", numbered)
	}
	open := n.all("/office/sales-orders?status=received")
	order, number := open[0], text(open[0], "number")
	agrees(t, "accepted by number", n.post("/office/sales-orders/"+number+"/accept", "").want(http.StatusOK, "").Data(),
		object{"id": order["id"], "status": "in_production"})
	n.get("/office/customers/SO-1001").want(http.StatusNotFound, "not_found")
	n.get("/office/sales-orders/so-1001").want(http.StatusNotFound, "not_found")
	n.post("/office/purchase-orders", `{"supplier_id":"sup_quick","requisition_id":"RQ-8001",`+
		`"lines":[{"sku":"mat_coated","quantity":1000}]}`).want(http.StatusNotFound, "not_found")

	byID, byNumber := n.get("/office/sales-orders/"+text(order, "id")), n.get("/office/sales-orders/"+number)
	if byID.Header.Get("ETag") == byNumber.Header.Get("ETag") {
		t.Error("two addresses have one tag")
	}
	n.get("/office/sales-orders/"+number, "If-None-Match", byNumber.Header.Get("ETag")).
		want(http.StatusNotModified, "")
	const key = "decline-by-number"
	decline := "/office/sales-orders/" + text(open[1], "number") + "/decline"
	n.post(decline, "", "Idempotency-Key", key).want(http.StatusOK, "")
	n.post(decline, "", "Idempotency-Key", key).want(http.StatusOK, "")
	n.post("/office/sales-orders/"+text(open[1], "id")+"/decline", "", "Idempotency-Key", key).
		want(http.StatusUnprocessableEntity, "idempotency_key_reused")
}
