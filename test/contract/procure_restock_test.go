package contract

import (
	"net/http"
	"slices"
	"testing"
)

// TestTheAutoBridgeCarriesARequisition lets two materials go low: one that is
// cheap enough for the policy, and one that is not.
func TestTheAutoBridgeCarriesARequisition(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BRIDGE.REQUISITION", "EVT.TYPE.FACTORY.REQUISITION.CREATED", "OPEN.EVT.FACTORY.REQUISITION.CREATED",
		"OPEN.FIELDS.FACTORY_REQUISITION", "OPEN.STATE.FACTORY_REQUISITION", "OPEN.EVT.OFFICE.REQUISITION.RECEIVED",
		"OPEN.EVT.OFFICE.REQUISITION.APPROVED", "OPEN.EVENT.TWO", "EVT.SAME_TRANSACTION",
		"OPEN.BRIDGE.DECIDES_NOTHING", "OPEN.ROUTE.FACTORY.REQUISITIONS")
	n := calmCompany(t, "auto", nil)
	n.get("/factory/presses").want(200, "")
	n.row("/office/cash")
	at := n.newest()
	item := n.runLow()
	n.carriesWish(at, item, object{"number": "FR-9002", "quantity": 8000},
		object{"number": "RQ-8002", "estimated_minor": 192000, "status": "approved", "decided_by": "policy"})

	board := n.row("/factory/stock/itm_board")
	calendars := (number(t, board, "on_hand")-number(t, board, "reorder_point"))/18 + 1
	at = n.newest()
	run := n.post("/factory/print-runs", encode(t, object{
		"press_id": "prs_offset", "work_order_id": n.work("prd_calendar", int(calendars), "")["id"], "overs_pct": 20,
	}))
	run.want(http.StatusCreated, "")
	n.carriesWish(at, n.row("/factory/stock/itm_board"), object{"number": "FR-9003", "quantity": 6000},
		object{"number": "RQ-8003", "estimated_minor": 348000, "status": "received", "decided_by": nil})

	// One is open for an item, however low it goes.
	n.tick(480)
	at = n.newest()
	n.print(text(n.work("prd_notebook", 10, ""), "id"))
	n.wrote(at, "factory.work_order.created", "factory.print_run.started")
	if wishes, filed := n.all("/factory/requisitions"), n.all("/office/requisitions"); len(wishes) != 3 ||
		len(filed) != 3 || len(n.all("/office/purchase-orders")) != 2 {
		t.Errorf("there are the requisitions %v and %v", wishes, filed)
	}
}

// carriesWish checks what a run that has emptied a shelf has written.
func (n *tenant) carriesWish(at uint64, item, wished, filed object) {
	t := n.t
	t.Helper()
	want := []string{
		"factory.work_order.created", "factory.print_run.started", "factory.stock.below_reorder_point",
		"factory.requisition.created", "office.requisition.received",
	}
	if filed["status"] == "approved" {
		want = append(want, "office.requisition.approved")
	}
	events := n.wrote(at, want...)
	wish := one(t, n.all("/factory/requisitions"), "sku", text(item, "sku"))
	exactly(t, "a requisition of the Factory", wish, "number sku quantity reason on_hand_when_filed needed_by status")
	agrees(t, "the wish", wish, wished)
	agrees(t, "the wish", wish, object{"quantity": item["reorder_quantity"], "reason": "below_reorder_point",
		"on_hand_when_filed": item["on_hand"], "needed_by": "2026-09-14", "status": "open"})
	n.says(events, text(wish, "id"), "factory.requisition.created", object{
		"status": "open", "number": wish["number"], "sku": item["sku"], "quantity": wish["quantity"],
		"on_hand": item["on_hand"], "needed_by": "2026-09-14",
	})
	carried := one(t, n.all("/office/requisitions"), "reference", text(wish, "id"))
	agrees(t, "at Head Office it", carried, filed)
	agrees(t, "at Head Office it", carried, object{
		"lines": []object{{"sku": item["sku"], "quantity": wish["quantity"]}}, "needed_by": "2026-09-14",
		"source": "bridge", "purchase_order_id": nil,
	})
	n.says(events, text(carried, "id"), "office.requisition.received", object{
		"status": "received", "number": carried["number"], "reference": wish["id"], "sku": item["sku"],
		"quantity": wish["quantity"], "source": "bridge",
		"estimated_minor": carried["estimated_minor"],
	})
	details := n.refusesQuietly("/office/requisitions",
		encode(t, object{"lines": carried["lines"], "reference": wish["id"]}), http.StatusConflict,
		"duplicate_reference").details()
	agrees(t, "details", details, object{"requisition_id": carried["id"]})
}

// TestRefillingIsWhatComesAfterGoingLow counts in what was ordered before the
// paper went low, then too little, then enough.
func TestRefillingIsWhatComesAfterGoingLow(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.RESTOCK", "OPEN.STATE.FACTORY_REQUISITION", "OPEN.STATE.STOCK_ITEM", "OPEN.EVENT.CHANGES",
		"OPEN.EVENT.MISSIONS_LAST")
	n := calmCompany(t, "auto", nil)
	early := n.ordered("sup_quick", "mat_uncoated", 500)
	n.runLow()
	n.post("/factory/print-runs", encode(t, object{ // far below, so that what is under way is too little
		"press_id": "prs_offset", "work_order_id": n.work("prd_notebook", 20, "")["id"],
	})).want(http.StatusCreated, "")
	wish := n.all("/factory/requisitions")[0]
	expect := func(mission, wished, stock string) {
		t.Helper()
		item := n.row("/factory/stock/itm_uncoated")
		if got := n.row("/factory/requisitions/" + text(wish, "id"))["status"]; got != wished ||
			item["status"] != stock || (n.missions()["restock"] == "completed") != (mission == "completed") {
			t.Errorf("of %v there are %v, it is %v, the requisition %v and restock %v; want %s, %s and %s",
				item["sku"], item["on_hand"], item["status"], got, n.missions()["restock"], stock, wished, mission)
		}
	}
	expect("", "open", "low")
	n.day()
	n.tick(90)
	n.countIn(text(n.deliveryFor(n.numbered("/office/purchase-orders", "PO-5002")), "id"))
	n.countIn(text(n.deliveryFor(early), "id"))
	expect("", "open", "low")
	missing := number(t, n.row("/factory/stock/itm_uncoated"),
		"reorder_point") - number(t, n.row("/factory/stock/itm_uncoated"), "on_hand")
	n.print(text(n.work("prd_notebook", int(missing/32)+30, ""), "id"))
	late := n.fullTrucks("sup_quick", "mat_uncoated", 500, 2)
	sentAway, counted := late[0], late[1]
	n.post("/factory/goods-receipts", encode(t, object{"delivery_id": n.deliveryFor(sentAway)["id"],
		"lines": []object{{"sku": "mat_uncoated", "quantity_accepted": 0}}})).want(201, "")
	expect("", "open", "low")
	at := n.newest()
	n.countIn(text(n.deliveryFor(counted), "id"))
	events := n.feed(at)
	if got := types(events); got[len(got)-1] != "sandbox.mission.completed" {
		t.Errorf("counting in wrote %v", got)
	}
	n.says(events, "restock", "sandbox.mission.completed", object{"status": "completed"})
	for _, e := range events {
		for _, rider := range changes(t, e) {
			if rider["resource"] == "factory_requisition" || rider["resource"] == "stock_item" {
				t.Errorf("too little was brought, and there is %v", rider)
			}
		}
	}
	expect("completed", "open", "low")
	enough := n.fullTrucks("sup_mill", "mat_uncoated", 6000, 1)[0]
	at = n.newest()
	n.countIn(text(n.deliveryFor(enough), "id"))
	if got := n.rider(n.feed(at), "factory.goods_receipt.recorded", "factory_requisition",
		text(wish, "id")); got != "open>closed" {
		t.Errorf("the requisition went %s", got)
	}
	expect("completed", "closed", "ok")
	// The next time there is a new one.
	at = n.newest()
	n.runLow()
	raised := ofType(n.feed(at), "factory.requisition.created")
	raised = slices.DeleteFunc(raised, func(e object) bool { return child(t, e, "data")["sku"] != "mat_uncoated" })
	if len(raised) != 1 {
		t.Fatalf("going low again wrote the requisitions %v", raised)
	}
	again := n.row("/factory/requisitions/" + text(child(t, raised[0], "data"), "id"))
	if again["number"] == wish["number"] || again["status"] != "open" {
		t.Errorf("the new requisition is %v, the one before was %v", again, wish)
	}
	watch(n).ended()
}
