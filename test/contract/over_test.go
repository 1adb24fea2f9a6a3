package contract

import (
	"fmt"
	"net/http"
	"testing"
)

// shelved prints notebooks for the shelf.
func (n *tenant) shelved(quantity int) {
	n.t.Helper()
	n.print(text(n.work("prd_notebook", quantity, ""), "id"))
	n.until("factory.work_order.ready")
}

// expires waits until an order or a lot has expired.
func (n *tenant) expires(path string) {
	n.t.Helper()
	for range 40 {
		if n.row(path)["status"] == "expired" {
			return
		}
		n.day()
	}
	n.t.Fatalf("forty days later %s has not expired", path)
}

// TestGoodsOfTheShelfAreFreeOnceTheirOrderIsOver, whatever ended it, and with either bridge: they can be sold, or go
// to the next order, and not to nobody.
func TestGoodsOfTheShelfAreFreeOnceTheirOrderIsOver(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.WORK_ORDER.OVER", "OPEN.STATE.WORK_ORDER.FROM_STOCK", "OPEN.STATE.WORK_ORDER.WAITS_FOR",
		"OPEN.FIELDS.WORK_ORDER", "OPEN.NOTHING_DELETED", "OPEN.SANDBOX.FIELDS.COUNTS")
	worlds := serve(t, presets(t, calm(t, object{"opening_documents": false})))
	ends := map[string]func(n *tenant, order string){
		"missed": func(n *tenant, order string) { n.accept(order); n.expires("/office/sales-orders/" + order) },
		"lapsed": func(n *tenant, order string) { n.expires("/office/sales-orders/" + order) },
		"declined": func(n *tenant, order string) {
			n.post("/office/sales-orders/"+order+"/decline", "").want(http.StatusOK, "")
		},
		"served otherwise": func(n *tenant, order string) {
			n.dispatch(text(n.work("prd_notebook", 20, order), "id"))
		},
	}
	for _, bridge := range []string{"auto", "manual"} {
		for what, end := range ends {
			n := worlds.create(t, fmt.Sprintf(`{"preset":"calm","seed":5,"bridge":%q,"clock":"manual"}`, bridge))
			n.shelved(45)
			order := text(n.pulls(object{"type": "order", "sku": "prd_notebook", "quantity": 20, "days": 1}), "id")
			number := text(n.row("/office/sales-orders/"+order), "number")
			work := text(n.work("prd_notebook", 20, " "+number), "id")
			agrees(t, "the work order", n.row("/factory/work-orders/"+work), object{"status": "ready",
				"waits_for": "shipment", "quantity_from_stock": 20, "order_expired": false, "reference": number})
			agrees(t, "the shelf", n.row("/factory/stock/itm_notebook"), object{"reserved": 20})
			end(n, order)
			expired := bridge == "auto" && (what == "missed" || what == "lapsed")
			agrees(t, bridge+": the work order of an order that was "+what, n.row("/factory/work-orders/"+work),
				object{"status": "ready", "waits_for": "nothing", "order_expired": expired})
			agrees(t, bridge+": the shelf once the order was "+what, n.row("/factory/stock/itm_notebook"),
				object{"reserved": 0})
			agrees(t, bridge+": the counts once the order was "+what, child(t, n.row("/sandbox"), "counts"),
				object{"work_orders_open": 0, "work_orders_to_print": 0})
			agrees(t, "the details", n.refusesQuietly("/factory/shipments", encode(t, object{"work_order_id": work}),
				http.StatusConflict, "invalid_state").details(), object{"status": "ready"})
			// The same goods serve the next order.
			next := text(n.pulls(object{"type": "order", "sku": "prd_notebook", "quantity": 20}), "id")
			agrees(t, bridge+": the next work order", n.work("prd_notebook", 20, next), object{"status": "ready"})
		}
	}
}

// TestWorkOfAnExpiredOrderIsInNoList of what is to print, of neither the bridge's work order nor the client's: only
// the field says so, and nothing is deleted or cancelled. The Factory of a manual bridge knows nothing of it.
func TestWorkOfAnExpiredOrderIsInNoList(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.WORK_ORDER.OVER", "OPEN.STATE.WORK_ORDER.WAITS_FOR", "OPEN.FIELDS.WORK_ORDER",
		"OPEN.NOTHING_DELETED", "OPEN.SANDBOX.FIELDS.COUNTS", "OPEN.STATE.WORK_ORDER.MAX_OPEN", "OPEN.BRIDGE.MANUAL")
	for _, bridge := range []string{"auto", "manual"} {
		n := calmCompany(t, bridge, object{"opening_documents": false})
		ask := func(sku string) string {
			made := n.pulls(object{"type": "order", "sku": sku, "quantity": 10, "days": 1})
			return text(n.accept(text(made, "id")), "id")
		}
		order, printed := ask("prd_card"), ask("prd_flyer")
		lot := n.pulls(object{"type": "contract_lot", "sku": "prd_poster"})
		n.post("/office/contract-lots/"+text(lot, "id")+"/accept", "").want(http.StatusOK, "")
		if bridge == "manual" {
			n.work("prd_card", 10, order)
			n.work("prd_flyer", 10, printed)
			n.work("prd_poster", 10, text(lot, "id"))
		}
		n.work("prd_card", 10, text(n.row("/office/sales-orders/"+order), "number"))
		ready := text(one(t, n.all("/factory/work-orders"), "reference", printed), "id")
		n.finish(ready)
		n.expires("/office/sales-orders/" + order)
		n.expires("/office/sales-orders/" + printed)
		n.expires("/office/contract-lots/" + text(lot, "id"))
		all, auto := n.all("/factory/work-orders"), bridge == "auto"
		if len(all) != 4 {
			t.Fatalf("%s: there are the work orders %v", bridge, all)
		}
		waiting, open := 0, 0
		for _, w := range all {
			waits := "nothing"
			if !auto {
				waits = map[any]string{"created": "press", "ready": "shipment"}[w["status"]]
				open++
			}
			agrees(t, bridge+": a work order of nobody", w, object{"order_expired": auto, "waits_for": waits})
			if waits == "press" {
				waiting++
			}
		}
		agrees(t, bridge+": the counts", child(t, n.row("/sandbox"), "counts"),
			object{"work_orders_open": open, "work_orders_to_print": waiting})
		if got := len(n.all("/factory/work-orders?waits_for=press")); got != waiting {
			t.Errorf("%s: %d are listed as to print, want %d", bridge, got, waiting)
		}
		if auto {
			// Goods that are printed can still leave, to nobody; and work that is asked for now waits for nothing.
			n.dispatch(ready)
			n.refusesQuietly("/factory/print-runs", encode(t, object{"press_id": "prs_digital",
				"work_order_id": one(t, all, "reference", order)["id"]}), http.StatusConflict, "invalid_state")
			number := text(n.row("/office/sales-orders/"+printed), "number")
			agrees(t, "work for an expired order", n.work("prd_flyer", 10, number),
				object{"order_expired": true, "waits_for": "nothing", "status": "created"})
			agrees(t, "the counts", child(t, n.row("/sandbox"), "counts"), object{"work_orders_open": 0})
		}
	}
}

// TestACustomerWhoHasTheGoodsWaitsForTheAnswer: an order whose goods came before its answer does not lapse, leaves no
// work when it is accepted, and is billed.
func TestACustomerWhoHasTheGoodsWaitsForTheAnswer(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.SALES_ORDER.BILLED_LATE", "OPEN.STATE.SALES_ORDER.LAPSED", "OPEN.BRIDGE.SHIPMENT",
		"OPEN.STATE.WORK_ORDER.OVER", "SO.ACCEPT.AUTO")
	for _, bridge := range []string{"auto", "manual"} {
		n := calmCompany(t, bridge, object{"opening_documents": false, "customers": object{"late_factor": 0}})
		order := text(n.pulls(object{"type": "order", "sku": "prd_card", "quantity": 10}), "id")
		own := text(n.work("prd_card", 10, order), "id")
		n.finish(own)
		n.dispatch(own)
		before := n.row("/sandbox")["reputation"]
		n.untilDay(12)
		agrees(t, bridge+": unanswered, the order", n.row("/office/sales-orders/"+order), object{"status": "received"})
		if after := n.row("/sandbox")["reputation"]; after != before {
			t.Errorf("%s: reputation went from %v to %v", bridge, before, after)
		}
		agrees(t, "the score", child(t, n.row("/sandbox"), "score"), object{"orders_lapsed": 0})
		accepted := n.accept(order)
		if bridge == "auto" {
			work := text(accepted, "bridged_work_order_id")
			agrees(t, "the bridge's work order", n.row("/factory/work-orders/"+work),
				object{"waits_for": "nothing", "order_expired": false, "status": "created"})
			n.refusesQuietly("/factory/print-runs", encode(t, object{"press_id": "prs_digital", "work_order_id": work}),
				http.StatusConflict, "invalid_state")
		}
		agrees(t, bridge+": the bill", child(t, n.bill(order), "invoice"), object{"late_discount_minor": 0})
		n.untilDay(40)
		agrees(t, bridge+": in the end the order", n.row("/office/sales-orders/"+order), object{"status": "paid"})
		agrees(t, "the counts", child(t, n.row("/sandbox"), "counts"), object{"work_orders_open": 0})
	}
}

// TestReferencesAreComparedWithoutCase, and kept without white space around them.
func TestReferencesAreComparedWithoutCase(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.REFERENCE", "OPEN.STATE.FACTORY_SHIPMENT.REFERENCE", "OPEN.ERR.DUPLICATE_REFERENCE")
	n := calmCompany(t, "manual", object{"opening_documents": false})
	order := n.accept(text(n.pulls(object{"type": "order", "sku": "prd_card", "quantity": 10}), "id"))
	work := n.work("prd_card", 10, "  so-1001 ")
	agrees(t, "the work order", work, object{"reference": "so-1001"})
	for _, again := range []string{"SO-1001", "so-1001", "  So-1001 "} {
		agrees(t, "the details", n.refusesQuietly("/factory/work-orders",
			encode(t, object{"sku": "prd_card", "quantity": 10, "reference": again}),
			http.StatusConflict, "duplicate_reference").details(), object{"work_order_id": work["id"]})
	}
	n.finish(text(work, "id"))
	parcel := n.dispatch(text(work, "id"))
	bill := n.post("/office/shipments", encode(t, object{"sales_order_id": order["id"],
		"factory_shipment_ref": " " + text(parcel, "number") + "  "})).want(http.StatusCreated, "").Data()
	agrees(t, "the bill", bill, object{"factory_shipment_ref": parcel["number"]})
	n.untilDay(20)
	agrees(t, "the order", n.row("/office/sales-orders/"+text(order, "id")), object{"status": "paid"})
	lines := []any{object{"sku": "mat_ink", "quantity": 5}}
	filed := n.post("/office/requisitions", encode(t, object{"lines": lines, "reference": " FR-1 "})).
		want(http.StatusCreated, "").Data()
	agrees(t, "the requisition", filed, object{"reference": "FR-1"})
	n.refusesQuietly("/office/requisitions", encode(t, object{"lines": lines, "reference": "fr-1"}),
		http.StatusConflict, "duplicate_reference")
	for path, body := range map[string]object{
		"/factory/work-orders": {"sku": "prd_card", "quantity": 10, "reference": "  "},
		"/office/requisitions": {"lines": lines, "reference": "  "},
		"/office/shipments":    {"sales_order_id": order["id"], "factory_shipment_ref": " "},
	} {
		n.refusesQuietly(path, encode(t, body), http.StatusUnprocessableEntity, "validation_failed")
	}
}

// TestAPurchaseOrderFulfilsWhatAsksForIt, and no requisition of other materials.
func TestAPurchaseOrderFulfilsWhatAsksForIt(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.OFFICE.PURCHASE_ORDERS.REQUISITION", "OPEN.ERR.VALIDATION_FAILED")
	n := calmCompany(t, "manual", object{"opening_documents": false})
	wish := text(n.post("/office/requisitions", encode(t, object{
		"lines": []object{{"sku": "mat_ink", "quantity": 10}, {"sku": "mat_board", "quantity": 500}},
	})).want(http.StatusCreated, "").Data(), "id")
	order := func(supplier, sku string, quantity int) string {
		return encode(t, object{"supplier_id": supplier, "requisition_id": wish,
			"lines": []object{{"sku": sku, "quantity": quantity}}})
	}
	refused := n.refusesQuietly("/office/purchase-orders", order("sup_chroma", "mat_plate", 20),
		http.StatusUnprocessableEntity, "validation_failed")
	if got := badFields(refused); len(got) != 1 || got[0] != "requisition_id" {
		t.Errorf("named are %v", got)
	}
	n.post("/office/purchase-orders", order("sup_chroma", "mat_ink", 10)).want(http.StatusCreated, "")
}

// TestAWeekOfAttendanceBeginsOnAMonday, as a week of a timesheet does.
func TestAWeekOfAttendanceBeginsOnAMonday(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ROUTE.FACTORY.ATTENDANCE", "OPEN.LIST.PARAMETER")
	n := shared.create(t, `{"clock":"manual"}`)
	n.get("/factory/attendance?week_start=2026-09-07").want(http.StatusOK, "")
	a := n.get("/factory/attendance?week_start=2026-09-08").want(http.StatusUnprocessableEntity, "validation_failed")
	if got := badFields(a); len(got) != 1 || got[0] != "week_start" {
		t.Errorf("named are %v", got)
	}
	n.get("/factory/attendance?week_start=Monday").want(http.StatusBadRequest, "invalid_parameter")
}
