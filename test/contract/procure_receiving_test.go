package contract

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestTheTruckOfTheOpeningComesAndIsBilled looks at the minutes in which a
// truck and its bill arrive, without anybody doing anything.
func TestTheTruckOfTheOpeningComesAndIsBilled(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.DELIVERY", "OPEN.FIELDS.DELIVERY", "EVT.TYPE.FACTORY.DELIVERY.ARRIVED",
		"OPEN.EVT.FACTORY.DELIVERY.ARRIVED", "EVT.TYPE.OFFICE.SUPPLIER_INVOICE.RECEIVED",
		"OPEN.EVT.OFFICE.SUPPLIER_INVOICE.RECEIVED", "OPEN.STATE.SUPPLIER_INVOICE.MATCH", "OPEN.PRESET.OPENING")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	order := n.numbered("/office/purchase-orders", "PO-5002")
	n.tick(480)
	n.tick(89)
	if early := n.all("/factory/deliveries?status=arrived"); len(early) > 0 {
		t.Errorf("before half past nine there is %v", early)
	}
	at := n.newest()
	n.tick(1)
	truck := n.deliveryFor(order)
	lines := []object{{"sku": "mat_board", "quantity_advised": 2000, "quantity_counted": 2000, "quantity_damaged": 0}}
	agrees(t, "the truck", truck, object{"supplier_name": "QuickStock", "arrived_on": "2026-09-08", "lines": lines,
		"status": "arrived", "goods_receipt_id": nil})
	n.says(n.feed(at), text(truck, "id"), "factory.delivery.arrived",
		object{"status": "arrived", "supplier_name": "QuickStock", "purchase_order_number": "PO-5002", "lines": lines})
	agrees(t, "the counts", child(t, n.row("/sandbox"), "counts"),
		object{"deliveries_waiting": 1, "invoices_payable": 1})
	if n.row("/factory/stock/itm_board")["on_hand"] != n.stocked("mat_board") {
		t.Error("the board is in stock before it was counted in")
	}
	n.tick(480)
	n.tick(29)
	if bills := n.all("/office/supplier-invoices"); len(bills) != 1 {
		t.Errorf("before ten there are the bills %v", bills)
	}
	at = n.newest()
	n.tick(1)
	bill := n.billFor(order)
	// Seven days from Wednesday the 9th; nothing has been received for it.
	agrees(t, "the bill", bill, object{
		"number": "SI-7002", "supplier_id": "sup_quick", "billed_minor": 144000, "matched_minor": 0,
		"variance_minor": 144000, "match_status": "no_receipt", "issued_on": "2026-09-09", "due_date": "2026-09-16",
		"discount_until": nil, "discount_pct": 0, "status": "open",
	})
	n.says(n.feed(at), text(bill, "id"), "office.supplier_invoice.received", object{
		"status": "open", "number": "SI-7002", "supplier_id": "sup_quick", "purchase_order_id": order["id"],
		"kind": "materials", "billed_minor": 144000,
		"due_date": "2026-09-16", "discount_until": nil,
	})
	agrees(t, "the order", n.row("/office/purchase-orders/"+text(order, "id")),
		object{"receipt_status": "none", "billing_status": "billed"})
	n.keepsCash(object{"payable_minor": 396000 + 144000})
	refusal := n.refusesQuietly("/office/supplier-invoices/"+text(bill, "id")+"/pay", "{}", http.StatusConflict,
		"three_way_mismatch")
	agrees(t, "details", refusal.details(),
		object{"match_status": "no_receipt", "billed_minor": 144000, "matched_minor": 0, "allowed": []int{144000}})
	if !strings.Contains(refusal.hint(), "POST /office/goods-receipts first") {
		t.Errorf("the hint is %q", refusal.hint())
	}
	details := n.refusesQuietly("/office/supplier-invoices/"+text(bill, "id")+"/pay", `{"amount_minor":1}`,
		http.StatusUnprocessableEntity, "amount_not_payable").details()
	agrees(t, "details", details, object{"allowed": []int{144000}})
}

// stocked returns the quantity on hand of a material by the sandbox's summary.
func (n *tenant) stocked(sku string) any {
	n.t.Helper()
	return one(n.t, children(n.t, child(n.t, n.row("/sandbox"), "inventory"), "materials"), "sku", sku)["on_hand"]
}

func TestTheAutoBridgeCarriesAReceipt(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.FACTORY.GOODS_RECEIPTS",
		"ROUTE.FACTORY.GOODS_RECEIPTS.CREATE", "OPEN.BRIDGE.GOODS_RECEIPT", "OPEN.FIELDS.FACTORY_GOODS_RECEIPT",
		"OPEN.FIELDS.OFFICE_GOODS_RECEIPT", "OPEN.STATE.DELIVERY", "EVT.TYPE.FACTORY.GOODS_RECEIPT.RECORDED",
		"OPEN.EVT.FACTORY.GOODS_RECEIPT.RECORDED", "EVT.TYPE.OFFICE.GOODS_RECEIPT.RECORDED",
		"OPEN.EVT.OFFICE.GOODS_RECEIPT.RECORDED", "OPEN.EVENT.TWO", "OPEN.EVENT.CHANGES", "EVT.SAME_TRANSACTION",
		"OPEN.ERR.DELIVERY_ALREADY_RECEIVED", "OPEN.ROUTE.FACTORY.DELIVERIES", "SVC.FACTORY")
	n := calmCompany(t, "auto", nil)
	order := n.ordered("sup_mill", "mat_uncoated", 4000)
	n.day()
	n.tick(90)
	truck := n.deliveryFor(order)
	before, worth := n.row("/factory/stock/itm_uncoated"), n.row("/sandbox")["net_worth_minor"]
	at := n.newest()
	a := n.post("/factory/goods-receipts", encode(t, object{"delivery_id": truck["id"]})).want(http.StatusCreated, "")
	receipt := a.Data()
	lines := []object{{"sku": "mat_uncoated", "quantity_accepted": 4000, "quantity_rejected": 0}}
	agrees(t, "the receipt", receipt, object{"delivery_id": truck["id"], "purchase_order_number": order["number"],
		"lines": lines, "received_on": "2026-09-08", "status": "recorded"})
	n.sameRow(a, "/factory/goods-receipts/"+text(receipt, "id"))
	copied := one(t, n.all("/office/goods-receipts?purchase_order_id="+text(order, "id")), "reference",
		text(receipt, "id"))
	agrees(t, "its copy", copied, object{"purchase_order_id": order["id"], "lines": lines, "source": "bridge",
		"recorded_on": "2026-09-08", "status": "recorded"})
	events := n.wrote(at, "factory.goods_receipt.recorded", "office.goods_receipt.recorded")
	n.says(events, text(receipt, "id"), "factory.goods_receipt.recorded", object{
		"status": "recorded", "delivery_id": truck["id"], "purchase_order_number": order["number"],
		"quantity_accepted": 4000, "quantity_rejected": 0,
	})
	n.says(events, text(copied, "id"), "office.goods_receipt.recorded", object{
		"status": "recorded", "purchase_order_id": order["id"], "reference": receipt["id"], "quantity_accepted": 4000,
		"quantity_rejected": 0, "source": "bridge", "receipt_status": "full",
	})
	if got := n.rider(events, "factory.goods_receipt.recorded", "delivery",
		text(truck, "id")); got != "arrived>received" {
		t.Errorf("the delivery went %s", got)
	}
	agrees(t, "the truck", n.row("/factory/deliveries/"+text(truck, "id")),
		object{"status": "received", "goods_receipt_id": receipt["id"]})
	agrees(t, "the order", n.row("/office/purchase-orders/"+text(order, "id")),
		object{"receipt_status": "full", "billing_status": "none"})
	item := n.row("/factory/stock/itm_uncoated")
	if number(t, item, "on_hand") != number(t, before, "on_hand")+4000 ||
		item["average_cost_minor"] != before["average_cost_minor"] {
		t.Errorf("of %v the stock became %v", before, item)
	}
	agrees(t, "the move", n.all("/factory/stock-moves")[0], object{"sku": "mat_uncoated", "quantity": 4000,
		"kind": "receipt", "event_id": events[0]["id"], "reference_id": receipt["id"]})
	if got := n.row("/sandbox")["net_worth_minor"]; got != worth {
		t.Errorf("goods on credit took the net worth from %v to %v", worth, got)
	}
	details := n.refusesQuietly("/factory/goods-receipts", encode(t, object{"delivery_id": truck["id"]}),
		http.StatusConflict, "delivery_already_received").details()
	agrees(t, "details", details, object{"goods_receipt_id": receipt["id"]})
	// Head Office has its copy; a second one would be too much.
	details = n.refusesQuietly("/office/goods-receipts", encode(t, object{
		"purchase_order_id": order["id"], "lines": []object{{"sku": "mat_uncoated", "quantity_accepted": 1}},
	}), 422, "quantity_exceeds_order").details()
	agrees(t, "details", details, object{"sku": "mat_uncoated", "quantity_open": 0})
	watch(n).ended()
}

func TestADeliveryIsCountedInOnce(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.DELIVERY_ALREADY_RECEIVED", "OPEN.STATE.DELIVERY")
	n := calmCompany(t, "auto", nil)
	order := n.ordered("sup_mill", "mat_uncoated", 4000)
	n.day()
	n.tick(90)
	truck, before := n.deliveryFor(order), n.row("/factory/stock/itm_uncoated")
	const callers = 8
	answers := make([]*answer, callers)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			answers[i] = n.post("/factory/goods-receipts", encode(t, object{"delivery_id": truck["id"]}))
		})
	}
	all.Wait()
	created := 0
	for _, a := range answers {
		if a.Status == http.StatusCreated {
			created++
			continue
		}
		a.want(http.StatusConflict, "delivery_already_received")
	}
	if got := number(t, n.row("/factory/stock/itm_uncoated"), "on_hand") - number(t, before, "on_hand"); created != 1 ||
		got != 4000 {
		t.Errorf("%d callers counted 4000 sheets in, the stock grew by %d", created, got)
	}
}

// TestWhatIsNotAcceptedGoesBack counts a truck with two materials in by hand.
func TestWhatIsNotAcceptedGoesBack(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.FACTORY.GOODS_RECEIPTS", "OPEN.ERR.QUANTITY_EXCEEDS_DELIVERY", "OPEN.BRIDGE.GOODS_RECEIPT",
		"OPEN.STATE.SUPPLIER_INVOICE.MATCH")
	n := calmCompany(t, "auto", nil)
	order := n.post("/office/purchase-orders", `{"supplier_id":"sup_mill","lines":[{"sku":"mat_uncoated",`+
		`"quantity":4000},{"sku":"mat_coated","quantity":4001}]}`).want(201, "").Data()
	n.day()
	n.tick(90)
	truck := text(n.deliveryFor(order), "id")
	count := func(lines ...object) string { return encode(t, object{"delivery_id": truck, "lines": lines}) }
	for _, c := range []struct {
		line    object
		details object
	}{
		{object{"sku": "mat_uncoated", "quantity_accepted": 4001},
			object{"sku": "mat_uncoated", "quantity_counted": 4000, "quantity_damaged": 0}},
		{object{"sku": "mat_coated", "quantity_accepted": 4002},
			object{"sku": "mat_coated", "quantity_counted": 4001, "quantity_damaged": 0}},
		{object{"sku": "mat_coated", "quantity_accepted": 200000, "quantity_rejected": 200000},
			object{"sku": "mat_coated", "quantity_counted": 4001}},
		{object{"sku": "mat_uncoated", "quantity_accepted": 4000, "quantity_rejected": 1},
			object{"sku": "mat_uncoated", "quantity_counted": 4000}},
		{object{"sku": "mat_board", "quantity_accepted": 0},
			object{"sku": "mat_board", "quantity_counted": 0, "quantity_damaged": 0}},
		{object{"sku": "mat_kite", "quantity_accepted": 1},
			object{"sku": "mat_kite", "quantity_counted": 0, "quantity_damaged": 0}},
	} {
		agrees(t, "details", n.refusesQuietly("/factory/goods-receipts", count(c.line), http.StatusUnprocessableEntity,
			"quantity_exceeds_delivery").details(), c.details)
	}
	twice := n.refusesQuietly("/factory/goods-receipts", count(object{"sku": "mat_coated", "quantity_accepted": 1},
		object{"sku": "mat_coated", "quantity_accepted": 1}), 422, "validation_failed")
	if got := badFields(twice); !slices.Equal(got, []string{"lines[1].sku"}) {
		t.Errorf("named are %v", got)
	}
	agrees(t, "details", n.refusesQuietly("/factory/goods-receipts", `{"delivery_id":"dlv_0"}`, 404, "not_found").
		details(), object{"resource": "delivery", "id": "dlv_0"})

	at := n.newest()
	receipt := n.post("/factory/goods-receipts", count(object{"sku": "mat_uncoated", "quantity_accepted": 3000})).
		want(201, "").Data()
	// A line that is not named is taken as it came.
	lines := []object{
		{"sku": "mat_uncoated", "quantity_accepted": 3000, "quantity_rejected": 1000},
		{"sku": "mat_coated", "quantity_accepted": 4001, "quantity_rejected": 0},
	}
	agrees(t, "the receipt", receipt, object{"lines": lines})
	copied := n.all("/office/goods-receipts")[0]
	agrees(t, "its copy", copied, object{"lines": lines, "reference": receipt["id"]})
	events := n.wrote(at, "factory.goods_receipt.recorded", "office.goods_receipt.recorded")
	n.says(events, text(receipt, "id"), "factory.goods_receipt.recorded",
		object{"quantity_accepted": 7001, "quantity_rejected": 1000})
	n.says(events, text(copied, "id"), "office.goods_receipt.recorded",
		object{"quantity_accepted": 7001, "quantity_rejected": 1000, "receipt_status": "partial"})
	n.day()
	n.tick(30)
	// The bill is for all that was ordered: 4,000 at 0.24 and 4,001 at 0.32.
	agrees(t, "the bill", n.billFor(order), object{
		"billed_minor": 96000 + 128032, "matched_minor": 72000 + 128032, "variance_minor": 24000,
		"match_status": "quantity_mismatch", "discount_until": "2026-09-16", "due_date": "2026-09-30",
	})
	watch(n).ended()
}

// TestATruckCanBeSentAwayWhole rejects everything, and owes nothing.
func TestATruckCanBeSentAwayWhole(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.FACTORY.GOODS_RECEIPTS", "OPEN.FIELDS.FACTORY_GOODS_RECEIPT")
	n := calmCompany(t, "auto", nil)
	order := n.ordered("sup_mill", "mat_uncoated", 4000)
	n.day()
	n.tick(90)
	before := n.row("/factory/stock/itm_uncoated")
	receipt := n.post("/factory/goods-receipts", encode(t, object{
		"delivery_id": n.deliveryFor(order)["id"], "lines": []object{{"sku": "mat_uncoated", "quantity_accepted": 0}},
	})).want(201, "").Data()
	agrees(t, "the receipt", receipt,
		object{"lines": []object{{"sku": "mat_uncoated", "quantity_accepted": 0, "quantity_rejected": 4000}}})
	if after := n.row("/factory/stock/itm_uncoated"); after["on_hand"] != before["on_hand"] {
		t.Errorf("sent away, and the stock went from %v to %v", before["on_hand"], after["on_hand"])
	}
	for _, move := range n.all("/factory/stock-moves") {
		if number(t, move, "quantity") == 0 || move["reference_id"] == receipt["id"] {
			t.Errorf("nothing moved, and there is %v", move)
		}
	}
	agrees(t, "the order", n.row("/office/purchase-orders/"+text(order, "id")), object{"receipt_status": "none"})
	n.day()
	n.tick(30)
	bill := n.billFor(order)
	agrees(t, "the bill", bill, object{"billed_minor": 96000, "matched_minor": 0, "match_status": "no_receipt"})
	path, cash, booked := text(bill, "id"), n.row("/office/cash")["cash_minor"], len(n.all("/office/ledger"))
	details := n.pay(path, `{}`).want(http.StatusConflict, "three_way_mismatch").details()
	agrees(t, "details", details, object{"allowed": []int{0, 96000, 94080}})
	paid := n.pay(path, `{"amount_minor":0}`).want(http.StatusOK, "").Data()
	agrees(t, "the bill", paid, object{"status": "paid", "paid_minor": 0, "credited_minor": 96000, "discount_minor": 0})
	if after := n.row("/office/cash")["cash_minor"]; after != cash || len(n.all("/office/ledger")) != booked {
		t.Errorf("paid nothing: cash went from %v to %v", cash, after)
	}
	n.pay(path, `{"amount_minor":0}`).want(http.StatusConflict, "already_paid")
}

func TestBadReceiptsOfTheFactoryAreRefused(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.FACTORY.GOODS_RECEIPTS", "OPEN.ERR.VALIDATION_FAILED")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	n.day()
	n.tick(90)
	truck := text(n.all("/factory/deliveries?status=arrived")[0], "id")
	bodies := map[string]string{
		"{}":                            "delivery_id",
		`{"delivery_id":""}`:            "delivery_id",
		`{"delivery_id":null}`:          "delivery_id",
		`{"delivery_id":7,"lines":"a"}`: "delivery_id lines",
		`{"delivery_id":"` + strings.Repeat("d", 65) + `"}`:     "delivery_id",
		`{"delivery_id":"` + truck + `","received_on":"today"}`: "received_on",
	}
	for lines, want := range badReceiptLines() {
		bodies[`{"delivery_id":"`+truck+`","lines":`+lines+`}`] = want
	}
	n.namesFields("/factory/goods-receipts", bodies)
	n.refusesQuietly("/factory/goods-receipts", `{"delivery_id":"`+truck+`","delivery_id":"`+truck+`"}`,
		400, "invalid_json")
}

// badReceiptLines are lines of receipts that no route takes.
func badReceiptLines() map[string]string {
	line := `{"sku":"mat_board","quantity_accepted":1}`
	all := map[string]string{
		`null`: "lines", `{}`: "lines", `[]`: "lines", `[7]`: "lines[0]",
		`[{}]`: "lines[0].quantity_accepted lines[0].sku",
		`[` + strings.Repeat(line+",", 10) + line + `]`:          "lines",
		`[{"sku":"","quantity_accepted":1}]`:                     "lines[0].sku",
		`[{"sku":"mat_board"}]`:                                  "lines[0].quantity_accepted",
		`[{"sku":"mat_board","quantity":1}]`:                     "lines[0].quantity lines[0].quantity_accepted",
		`[` + line + `,{"sku":"mat_board"}]`:                     "lines[1].quantity_accepted",
		`[` + line + `,` + line + `]`:                            "lines[1].sku",
		`[{"sku":"mat_board","quantity_accepted":1,"unit":"t"}]`: "lines[0].unit",
	}
	for _, quantity := range []string{"-1", "200001", "9223372036854775808", "1.5", `"1"`, "null", "true"} {
		all[`[{"sku":"mat_board","quantity_accepted":`+quantity+`}]`] = "lines[0].quantity_accepted"
		all[`[{"sku":"mat_board","quantity_accepted":1,"quantity_rejected":`+quantity+
			`}]`] = "lines[0].quantity_rejected"
	}
	return all
}
