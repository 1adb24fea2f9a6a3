package contract

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestWithTheManualBridgeTheClientCarriesPurchasesToo plays material from the
// wish for it to its payment, with all that the client has to carry.
func TestWithTheManualBridgeTheClientCarriesPurchasesToo(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BRIDGE.MANUAL", "OPEN.BRIDGE.REQUISITION", "OPEN.BRIDGE.GOODS_RECEIPT", "OPEN.MISSION.RESTOCK",
		"OPEN.STATE.FACTORY_REQUISITION")
	n := calmCompany(t, "manual", nil)
	w := watch(n)
	at := n.newest()
	w.step("run low", func() { n.runLow() })
	n.wrote(at, "factory.work_order.created", "factory.print_run.started", "factory.stock.below_reorder_point",
		"factory.requisition.created")
	wish := n.all("/factory/requisitions")[0]
	if filed := n.all("/office/requisitions"); len(filed) != 1 { // that of the opening
		t.Errorf("the manual bridge filed %v", filed)
	}
	body := object{
		"lines": []object{{"sku": wish["sku"], "quantity": wish["quantity"]}}, "reference": wish["id"],
		"needed_by": wish["needed_by"],
	}
	var filed, order object
	w.step("file it", func() { filed = n.post("/office/requisitions", encode(t, body)).want(201, "").Data() })
	agrees(t, "the requisition", filed, object{"source": "client", "reference": wish["id"], "estimated_minor": 192000,
		"status": "approved", "decided_by": "policy"})
	w.step("order it", func() {
		order = n.post("/office/purchase-orders",
			encode(t, object{"supplier_id": "sup_mill", "lines": body["lines"], "requisition_id": filed["id"]})).
			want(201, "").Data()
	})
	w.step("the truck comes", func() { n.day(); n.tick(90) })
	truck := n.deliveryFor(order)
	at = n.newest()
	var receipt object
	w.step("count it in", func() { receipt = n.countIn(text(truck, "id")) })
	events := n.wrote(at, "factory.goods_receipt.recorded")
	for resource, id := range map[string]string{
		"delivery": text(truck, "id"), "factory_requisition": text(wish, "id"), "stock_item": "itm_uncoated",
	} {
		want := map[string]string{
			"delivery": "arrived>received", "factory_requisition": "open>closed", "stock_item": "low>ok",
		}[resource]
		if got := n.rider(events, "factory.goods_receipt.recorded", resource, id); got != want {
			t.Errorf("%s went %s, want %s", resource, got, want)
		}
	}
	if types := types(events); types[len(types)-1] != "sandbox.mission.completed" ||
		n.missions()["restock"] != "completed" {
		t.Errorf("counted in, the feed has %v and restock is %v", types, n.missions()["restock"])
	}
	if copies := n.all("/office/goods-receipts?purchase_order_id=" + text(order, "id")); len(copies) > 0 {
		t.Errorf("the manual bridge recorded %v", copies)
	}
	agrees(t, "at Head Office the order", n.row("/office/purchase-orders/"+text(order, "id")),
		object{"receipt_status": "none"})
	w.step("the bill comes", func() { n.day(); n.tick(30) })
	bill := n.billFor(order)
	agrees(t, "the bill", bill,
		object{"match_status": "no_receipt", "billed_minor": 192000, "matched_minor": 0, "variance_minor": 192000})
	n.refusesQuietly("/office/supplier-invoices/"+text(bill, "id")+"/pay", "", http.StatusConflict,
		"three_way_mismatch")
	w.step("record the receipt", func() { w.recordsReceipt(order, receipt) })
	agrees(t, "the bill", n.billFor(order),
		object{"match_status": "matched", "matched_minor": 192000, "variance_minor": 0})
	w.step("pay", func() {
		paid := n.pay(text(bill, "id"), "").want(200, "").Data()
		agrees(t, "the bill", paid, object{"discount_minor": 3840, "paid_minor": 188160, "credited_minor": 0})
	})
	if got := n.missions()["three_way_match"]; got == "completed" {
		t.Error("a bill that matched completed three_way_match")
	}
	agrees(t, "the order", n.row("/office/purchase-orders/"+text(order, "id")),
		object{"receipt_status": "full", "billing_status": "paid"})
	w.ended()
}

// recordsReceipt records what the Factory has accepted.
func (w *witness) recordsReceipt(order, receipt object) {
	t := w.t
	rows(t, "OPEN.BODY.OFFICE.GOODS_RECEIPTS", "ROUTE.OFFICE.GOODS_RECEIPTS.CREATE",
		"EVT.TYPE.OFFICE.GOODS_RECEIPT.RECORDED", "OPEN.EVT.OFFICE.GOODS_RECEIPT.RECORDED",
		"OPEN.ERR.DUPLICATE_REFERENCE", "CONV.SAME_ROW")
	body := encode(t, object{"purchase_order_id": order["id"], "lines": receipt["lines"], "reference": receipt["id"]})
	at := w.newest()
	a := w.post("/office/goods-receipts", body).want(http.StatusCreated, "")
	agrees(t, "the receipt", a.Data(), object{
		"purchase_order_id": order["id"], "reference": receipt["id"], "lines": receipt["lines"], "source": "client",
		"recorded_on": "2026-09-09", "status": "recorded",
	})
	w.sameRow(a, "/office/goods-receipts/"+text(a.Data(), "id"))
	w.says(w.wrote(at, "office.goods_receipt.recorded"), text(a.Data(), "id"), "office.goods_receipt.recorded", object{
		"status": "recorded", "purchase_order_id": order["id"], "reference": receipt["id"], "quantity_accepted": 8000,
		"quantity_rejected": 0, "source": "client", "receipt_status": "full",
	})
	again := w.refusesQuietly("/office/goods-receipts", body, http.StatusConflict, "duplicate_reference")
	agrees(t, "details", again.details(), object{"goods_receipt_id": a.Data()["id"]})
}

// TestWrongReceiptsAreBelieved records too much, in parts, and for the order
// that was not delivered.
func TestWrongReceiptsAreBelieved(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BRIDGE.MANUAL", "OPEN.STATE.SUPPLIER_INVOICE.MATCH", "OPEN.ERR.QUANTITY_EXCEEDS_ORDER",
		"OPEN.BODY.OFFICE.GOODS_RECEIPTS", "OPEN.FIELDS.PURCHASE_ORDER")
	n := calmCompany(t, "manual", nil)
	here, there := n.ordered("sup_mill", "mat_uncoated", 4000), n.ordered("sup_mill", "mat_uncoated", 4000)
	n.day()
	n.tick(90)
	// Half of the truck goes back, and Head Office is told that all of it came.
	receipt := n.post("/factory/goods-receipts", encode(t, object{
		"delivery_id": n.deliveryFor(here)["id"], "lines": []object{{"sku": "mat_uncoated", "quantity_accepted": 2000}},
	})).want(201, "").Data()
	agrees(t, "the receipt", receipt,
		object{"lines": []object{{"sku": "mat_uncoated", "quantity_accepted": 2000, "quantity_rejected": 2000}}})
	received := func(order object, accepted int64, status string) {
		t.Helper()
		n.record(text(order, "id"), "mat_uncoated", accepted).want(http.StatusCreated, "")
		agrees(t, "the order", n.row("/office/purchase-orders/"+text(order, "id")), object{"receipt_status": status})
	}
	exceeds := func(order object, sku string, accepted, open int64) {
		t.Helper()
		body := encode(t,
			object{"purchase_order_id": order["id"], "lines": []object{{"sku": sku, "quantity_accepted": accepted}}})
		details := n.refusesQuietly("/office/goods-receipts", body, http.StatusUnprocessableEntity,
			"quantity_exceeds_order").details()
		agrees(t, "details", details, object{"sku": sku, "quantity_open": open})
	}
	exceeds(here, "mat_uncoated", 4001, 4000)
	exceeds(here, "mat_board", 1, 0)
	exceeds(here, "mat_kite", 1, 0)
	received(here, 0, "none")
	received(here, 1500, "partial")
	exceeds(here, "mat_uncoated", 2501, 2500)
	received(here, 2500, "full")
	exceeds(here, "mat_uncoated", 1, 0)
	received(here, 0, "full")
	n.day()
	n.tick(30)
	// The receipts say that all came, so all is paid: 2,000 sheets for nothing.
	agrees(t, "the bill", n.billFor(here), object{"match_status": "matched", "matched_minor": 96000})
	// For the other truck, which waits at the gate, nothing is recorded.
	agrees(t, "the other bill", n.billFor(there), object{"match_status": "no_receipt", "matched_minor": 0})
	worth := number(t, n.row("/sandbox"), "net_worth_minor")
	agrees(t, "the bill", n.pay(text(n.billFor(here), "id"), "").want(200, "").Data(),
		object{"paid_minor": 94080, "discount_minor": 1920, "credited_minor": 0})
	// Owed were 480.00 for what is in the warehouse, paid are 940.80.
	if got := number(t, n.row("/sandbox"), "net_worth_minor"); got != worth-46080 {
		t.Errorf("paying for what never came took the net worth from %d to %d", worth, got)
	}
	received(there, 3000, "partial")
	agrees(t, "the other bill", n.billFor(there),
		object{"match_status": "quantity_mismatch", "matched_minor": 72000, "variance_minor": 24000})
	received(there, 1000, "full")
	agrees(t, "the other bill", n.billFor(there),
		object{"match_status": "matched", "matched_minor": 96000, "variance_minor": 0})
	// A receipt after the payment changes what was paid no more.
	board := n.numbered("/office/purchase-orders", "PO-5002")
	bill := n.billFor(board)
	n.pay(text(bill, "id"), `{"amount_minor":144000}`).want(200, "")
	n.record(text(board, "id"), "mat_board", 2000).want(201, "")
	agrees(t, "the paid bill", n.billFor(board),
		object{"status": "paid", "match_status": "no_receipt", "matched_minor": 0, "paid_minor": 144000})
	agrees(t, "the order", n.row("/office/purchase-orders/"+text(board, "id")),
		object{"receipt_status": "full", "billing_status": "paid"})
	watch(n).ended()
}

// TestTheAutoBridgeLeavesOutWhatWasRecordedByHand records a part before the
// truck is counted in.
func TestTheAutoBridgeLeavesOutWhatWasRecordedByHand(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BRIDGE.GOODS_RECEIPT", "OPEN.BODY.OFFICE.GOODS_RECEIPTS")
	n := calmCompany(t, "auto", nil)
	order := n.ordered("sup_mill", "mat_uncoated", 4000)
	n.record(text(order, "id"), "mat_uncoated", 1000).want(201, "")
	n.day()
	n.tick(90)
	receipt := n.countIn(text(n.deliveryFor(order), "id"))
	copied := one(t, n.all("/office/goods-receipts"), "reference", text(receipt, "id"))
	agrees(t, "the copy", copied, object{"source": "bridge",
		"lines": []object{{"sku": "mat_uncoated", "quantity_accepted": 3000, "quantity_rejected": 0}}})
	agrees(t, "the order", n.row("/office/purchase-orders/"+text(order, "id")), object{"receipt_status": "full"})
}

func TestBadReceiptsOfHeadOfficeAreRefused(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.OFFICE.GOODS_RECEIPTS", "OPEN.ERR.VALIDATION_FAILED", "OPEN.ERR.NOT_FOUND")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	order := text(n.numbered("/office/purchase-orders", "PO-5002"), "id")
	line := `[{"sku":"mat_board","quantity_accepted":1}]`
	bodies := map[string]string{
		"{}":                     "lines purchase_order_id",
		`{"lines":` + line + `}`: "purchase_order_id",
		`{"purchase_order_id":"","lines":` + line +
			`}`: "purchase_order_id",
		`{"purchase_order_id":null,"lines":` + line +
			`}`: "purchase_order_id",
		`{"purchase_order_id":"` + strings.Repeat("p", 65) + `","lines":` + line +
			`}`: "purchase_order_id",
		`{"purchase_order_id":"` + order +
			`"}`: "lines",
		`{"purchase_order_id":"` + order + `","lines":` + line +
			`,"reference":""}`: "reference",
		`{"purchase_order_id":"` + order + `","lines":` + line +
			`,"reference":7}`: "reference",
		`{"purchase_order_id":"` + order + `","lines":` + line + `,"reference":"` + strings.Repeat("é", 65) +
			`"}`: "reference",
		`{"purchase_order_id":"` + order + `","lines":` + line +
			`,"source":"bridge"}`: "source",
	}
	for lines, want := range badReceiptLines() {
		bodies[`{"purchase_order_id":"`+order+`","lines":`+lines+`}`] = want
	}
	n.namesFields("/office/goods-receipts", bodies)
	details := n.refusesQuietly("/office/goods-receipts", `{"purchase_order_id":"PO-5002","lines":`+line+`}`, 404,
		"not_found").details()
	agrees(t, "details", details, object{"resource": "purchase_order", "id": "PO-5002"})
	if got := slices.Compact(types(ofType(n.feed(0), "office.goods_receipt.recorded"))); len(got) != 1 {
		t.Errorf("recorded was %v", got)
	}
}
