package api_test

import (
	"testing"
	"time"
)

func TestAnOrderBecomesCashOverHTTP(t *testing.T) {
	t.Parallel()
	n := start(t).create(`{"preset":"starter","seed":1,"clock":"manual"}`)
	id := n.order("SO-1001")
	order := n.call("POST", "/v1/office/sales-orders/"+id+"/accept", n.office, "").want(200, "").Data()
	work := order["bridged_work_order_id"].(string)
	n.call("POST", "/v1/factory/print-runs", n.factory,
		`{"press_id":"prs_digital","work_order_id":"`+work+`","overs_pct":5}`, "Idempotency-Key", "run-1").want(201, "")
	n.call("POST", "/v1/sandbox/tick", n.office, `{"minutes":120}`).want(200, "")
	shipment := n.call("POST", "/v1/factory/shipments", n.factory, `{"work_order_id":"`+work+`"}`,
		"Idempotency-Key", "ship-1").want(201, "").Data()
	if shipment["bridged_office_shipment_id"] == nil {
		t.Error("the auto bridge did not ship at Head Office")
	}
	for range 4 {
		n.clock.Advance(time.Second)
		n.call("POST", "/v1/sandbox/tick", n.office, "").want(200, "")
	}
	if got := n.call("GET", "/v1/office/sales-orders/"+id, n.office, "").want(200, "").Data()["status"]; got != "paid" {
		t.Errorf("four days later the order is %v", got)
	}
	for _, item := range n.call("GET", "/v1/missions", n.office, "").want(200, "").Items() {
		if id := item["id"]; id == "order_in_parts" || id == "close_short" {
			continue // this order went whole
		}
		if track := item["track"]; (track == "basics" || track == "order_to_cash") && item["status"] != "completed" {
			t.Errorf("mission %v is %v", item["id"], item["status"])
		}
	}
}
