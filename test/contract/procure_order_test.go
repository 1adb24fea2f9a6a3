package contract

import (
	"net/http"
	"strings"
	"sync"
	"testing"
)

func TestAPurchaseOrderWithinTheLimitGoesToTheSupplierAtOnce(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.OFFICE.PURCHASE_ORDERS", "ROUTE.OFFICE.PURCHASE_ORDERS.CREATE",
		"OPEN.STATE.PURCHASE_ORDER", "OPEN.FIELDS.PURCHASE_ORDER", "CONV.SAME_ROW",
		"EVT.TYPE.OFFICE.PURCHASE_ORDER.CREATED", "OPEN.EVT.OFFICE.PURCHASE_ORDER.CREATED",
		"EVT.TYPE.OFFICE.PURCHASE_ORDER.APPROVED", "OPEN.EVT.OFFICE.PURCHASE_ORDER.APPROVED")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	n.row("/office/cash")
	at := n.newest()
	// The limit is 3,000.00: 10,000 sheets at 0.24 and 1,875 at 0.32 are just that.
	a := n.post("/office/purchase-orders", `{"supplier_id":"sup_mill","lines":[{"sku":"mat_uncoated",`+
		`"quantity":4500},{"sku":"mat_coated","quantity":6000}]}`).want(http.StatusCreated, "")
	row := a.Data()
	agrees(t, "the order", row, object{
		"number": "PO-5003", "supplier_id": "sup_mill", "requisition_id": nil, "total_minor": 300000, "currency": "XTS",
		"status": "approved", "approval_required": false,
		"approved_by": "policy", "approved_on": "2026-09-07", "expected_on": "2026-09-15", "receipt_status": "none",
		"billing_status": "none",
		"lines": []object{
			{"line": 1, "sku": "mat_uncoated", "quantity": 4500, "unit_price_minor": 24, "amount_minor": 108000,
				"quantity_expected": 4500, "quantity_received": 0, "quantity_billed": 0},
			{"line": 2, "sku": "mat_coated", "quantity": 6000, "unit_price_minor": 32, "amount_minor": 192000,
				"quantity_expected": 6000, "quantity_received": 0, "quantity_billed": 0},
		},
	})
	n.sameRow(a, "/office/purchase-orders/"+text(row, "id"))
	events := n.wrote(at, "office.purchase_order.created", "office.purchase_order.approved")
	n.says(events, text(row, "id"), "office.purchase_order.created", object{"status": "draft", "number": "PO-5003",
		"supplier_id": "sup_mill", "total_minor": 300000, "requisition_id": nil,
		"lines": []object{
			{"line": 1, "sku": "mat_uncoated", "quantity": 4500, "unit_price_minor": 24, "amount_minor": 108000},
			{"line": 2, "sku": "mat_coated", "quantity": 6000, "unit_price_minor": 32, "amount_minor": 192000},
		}})
	n.says(events, text(row, "id"), "office.purchase_order.approved", object{
		"status": "approved", "number": "PO-5003", "supplier_id": "sup_mill", "total_minor": 300000,
		"approved_by": "policy", "expected_on": "2026-09-15",
	})
	refused := n.refusesQuietly("/office/purchase-orders/"+text(row, "id")+"/approve", "",
		http.StatusConflict, "invalid_state")
	agrees(t, "details", refused.details(), object{"status": "approved", "allowed": []string{"pending_approval"}})
	for supplier, expected := range map[string]string{"sup_quick": "2026-09-09", "sup_bargain": "2026-09-16"} {
		agrees(t, supplier, n.ordered(supplier, "mat_coated", 2000), object{"expected_on": expected})
	}
	agrees(t, "sup_chroma", n.ordered("sup_chroma", "mat_plate", 5),
		object{"expected_on": "2026-09-10", "total_minor": 4750})
}

func TestAPurchaseOrderAboveTheLimitWaits(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.OFFICE.PURCHASE_ORDERS.APPROVE", "ROUTE.OFFICE.PURCHASE_ORDERS.APPROVE",
		"OPEN.STATE.PURCHASE_ORDER", "EVT.TYPE.OFFICE.PURCHASE_ORDER.APPROVAL_REQUIRED",
		"OPEN.EVT.OFFICE.PURCHASE_ORDER.APPROVAL_REQUIRED", "OPEN.EVT.OFFICE.PURCHASE_ORDER.APPROVED", "CONV.SAME_ROW",
		"OPEN.ERR.PURCHASE_ORDER_NOT_APPROVED")
	n := calmCompany(t, "auto", nil)
	n.row("/office/cash")
	at := n.newest()
	a := n.purchase("sup_mill", "mat_uncoated", 12501).want(http.StatusCreated, "")
	row := a.Data()
	path := "/office/purchase-orders/" + text(row, "id")
	agrees(t, "the order", row, object{"status": "pending_approval", "approval_required": true, "approved_by": nil,
		"approved_on": nil, "expected_on": nil, "total_minor": 300024})
	n.sameRow(a, path)
	events := n.wrote(at, "office.purchase_order.created", "office.purchase_order.approval_required")
	n.says(events, text(row, "id"), "office.purchase_order.created", object{"status": "draft"})
	n.says(events, text(row, "id"), "office.purchase_order.approval_required",
		object{"status": "pending_approval", "number": row["number"], "total_minor": 300024, "limit_minor": 300000})

	// Nothing of an order comes that its supplier has not seen.
	receipt := encode(t,
		object{"purchase_order_id": row["id"], "lines": []object{{"sku": "mat_uncoated", "quantity_accepted": 1}}})
	details := n.refusesQuietly("/office/goods-receipts", receipt, http.StatusConflict,
		"purchase_order_not_approved").details()
	agrees(t, "details", details, object{"status": "pending_approval", "allowed": []string{"approved"}})
	n.day()
	n.day()
	if numbers := texts(object{"all": numbersOf(n.all("/factory/deliveries"))},
		"all"); strings.Contains(strings.Join(numbers, " "), text(row, "number")) {
		t.Errorf("trucks came for %v", numbers)
	}
	for _, body := range []string{`{"approved":true}`, `{"approved_by":"client"}`} {
		n.refusesQuietly(path+"/approve", body, http.StatusUnprocessableEntity, "validation_failed")
	}
	n.refusesQuietly(path+"/approve", "[]", http.StatusBadRequest, "invalid_json")
	agrees(t, "details", n.refusesQuietly("/office/purchase-orders/po_0/approve", "", http.StatusNotFound, "not_found").
		details(), object{"resource": "purchase_order", "id": "po_0"})

	at = n.newest()
	approved := n.post(path+"/approve", "{}").want(http.StatusOK, "")
	agrees(t, "the order", approved.Data(), object{"status": "approved", "approval_required": true,
		"approved_by": "client", "approved_on": "2026-09-09", "expected_on": "2026-09-10"})
	n.sameRow(approved, path)
	events = n.wrote(at, "office.purchase_order.approved")
	n.says(events, text(row, "id"), "office.purchase_order.approved",
		object{"status": "approved", "approved_by": "client", "expected_on": "2026-09-10", "total_minor": 300024})
	n.refusesQuietly(path+"/approve", "", http.StatusConflict, "invalid_state")
	n.day()
	n.tick(90)
	agrees(t, "the truck", n.deliveryFor(row), object{"arrived_on": "2026-09-10", "supplier_name": "Papyra Mill"})
}

// numbersOf are the numbers on delivery notes.
func numbersOf(deliveries []object) []any {
	var all []any
	for _, d := range deliveries {
		all = append(all, d["purchase_order_number"])
	}
	return all
}

func TestAPurchaseOrderMayNameItsRequisitionOnce(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.REQUISITION_NOT_APPROVED", "OPEN.ERR.REQUISITION_ALREADY_ORDERED",
		"OPEN.FIELDS.OFFICE_REQUISITION", "OPEN.BODY.OFFICE.PURCHASE_ORDERS")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	filed := func(quantity int) string {
		return text(n.require(object{"sku": "mat_ink", "quantity": quantity}).want(201, "").Data(), "id")
	}
	body := func(requisition string, quantity int) string {
		return encode(t, object{"supplier_id": "sup_chroma",
			"lines": []object{{"sku": "mat_ink", "quantity": quantity}}, "requisition_id": requisition})
	}
	waiting, rejected := filed(100), filed(101)
	n.post("/office/requisitions/"+rejected+"/reject", "").want(200, "")
	for id, status := range map[string]string{waiting: "received", rejected: "rejected"} {
		refusal := n.refusesQuietly("/office/purchase-orders", body(id, 5), http.StatusConflict,
			"requisition_not_approved")
		agrees(t, "details", refusal.details(), object{"status": status, "allowed": []string{"approved"}})
		// Only one that waits can still be approved.
		if hint := refusal.hint(); strings.Contains(hint, "/approve") != (id == waiting) ||
			strings.Contains(hint, "POST /office/requisitions,") != (id == rejected) {
			t.Errorf("the hint for one that is %s is %q", status, hint)
		}
	}
	details := n.refusesQuietly("/office/purchase-orders", body("rqn_0", 5), http.StatusNotFound, "not_found").details()
	agrees(t, "details", details, object{"resource": "office_requisition", "id": "rqn_0"})

	small := filed(10)
	at := n.newest()
	// More or less than was asked for may be ordered.
	first := n.post("/office/purchase-orders", body(small, 12)).want(201, "").Data()
	if first["requisition_id"] != small {
		t.Errorf("the order names the requisition %v", first["requisition_id"])
	}
	events := n.wrote(at, "office.purchase_order.created", "office.purchase_order.approved")
	n.says(events, text(first, "id"), "office.purchase_order.created", object{"requisition_id": small})
	agrees(t, "the requisition", n.row("/office/requisitions/"+small),
		object{"status": "approved", "purchase_order_id": first["id"]})
	details = n.refusesQuietly("/office/purchase-orders", body(small, 10), http.StatusConflict,
		"requisition_already_ordered").details()
	agrees(t, "details", details, object{"purchase_order_id": first["id"]})

	// An order that waits for approval has taken its requisition too.
	n.post("/office/requisitions/"+waiting+"/approve", "").want(200, "")
	pending := n.post("/office/purchase-orders", body(waiting, 116)).want(201, "").Data()
	if pending["status"] != "pending_approval" {
		t.Errorf("an order over %v is %v", pending["total_minor"], pending["status"])
	}
	details = n.refusesQuietly("/office/purchase-orders", body(waiting, 5), http.StatusConflict,
		"requisition_already_ordered").details()
	agrees(t, "details", details, object{"purchase_order_id": pending["id"]})
	// Callers at the same time order it once.
	contested := filed(11)
	const callers = 8
	answers := make([]*answer, callers)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = n.post("/office/purchase-orders", body(contested, 11)) })
	}
	all.Wait()
	created := 0
	for _, a := range answers {
		if a.Status == http.StatusCreated {
			created++
			continue
		}
		a.want(http.StatusConflict, "requisition_already_ordered")
	}
	if created != 1 {
		t.Errorf("%d orders were written for one requisition", created)
	}
}

func TestSuppliersSellWhatTheySayInTheQuantitiesTheySay(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.SKU_NOT_SUPPLIED", "OPEN.ERR.BELOW_MINIMUM_ORDER", "OPEN.BODY.OFFICE.PURCHASE_ORDERS",
		"OPEN.ERR.NOT_FOUND")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	for _, s := range n.all("/office/suppliers") {
		id, supplied := text(s, "id"), []string{}
		for _, price := range children(t, s, "prices") {
			sku, minimum := text(price, "sku"), number(t, price, "minimum_quantity")
			supplied = append(supplied, sku)
			below := n.purchase(id, sku, int(minimum)-1).want(http.StatusUnprocessableEntity, "below_minimum_order")
			agrees(t, "details", below.details(), object{"sku": sku, "minimum_quantity": minimum})
			order := n.purchase(id, sku, int(minimum)).want(http.StatusCreated, "").Data()
			if total := number(t, price, "unit_price_minor") * minimum; number(t, order, "total_minor") != total {
				t.Errorf("%d of %s at %v cost %v", minimum, sku, price["unit_price_minor"], order["total_minor"])
			}
		}
		for _, sku := range []string{"mat_ink", "mat_plate", "mat_waste", "prd_notebook", "mat_kite", "MAT_INK", "→"} {
			a := n.purchase(id, sku, 100000)
			if a.Status == http.StatusConflict && strings.Contains(strings.Join(supplied, " "), sku) {
				continue // it is sold, but not on so much credit
			}
			agrees(t, "details", a.want(http.StatusUnprocessableEntity, "sku_not_supplied").details(),
				object{"sku": sku, "supplied": supplied})
		}
	}
	n.refusesQuietly("/office/purchase-orders",
		`{"supplier_id":"sup_mill","lines":[{"sku":"mat_coated","quantity":4000},{"sku":"mat_ink","quantity":5}]}`, 422,
		"sku_not_supplied")
	n.refusesQuietly("/office/purchase-orders",
		`{"supplier_id":"sup_mill","lines":[{"sku":"mat_coated","quantity":4000},{"sku":"mat_board","quantity":3999}]}`,
		422, "below_minimum_order")
	for _, unknown := range []string{"sup_nobody", "cus_halden", "SUP_MILL", "sup_mill "} {
		details := n.refusesQuietly("/office/purchase-orders",
			encode(t, object{"supplier_id": unknown, "lines": []object{{"sku": "mat_coated", "quantity": 4000}}}), 404,
			"not_found").details()
		agrees(t, "details", details, object{"resource": "supplier", "id": unknown})
	}
}

func TestSuppliersLendSoMuchAndNoMore(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.CREDIT_LIMIT_EXCEEDED", "OPEN.FIELDS.SUPPLIER")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	refused := func(quantity int, used, total int64) {
		t.Helper()
		body := encode(t,
			object{"supplier_id": "sup_mill", "lines": []object{{"sku": "mat_board", "quantity": quantity}}})
		details := n.refusesQuietly("/office/purchase-orders", body, http.StatusConflict,
			"credit_limit_exceeded").details()
		agrees(t, "details", details, object{
			"credit_limit_minor": 10_000_000, "used_minor": used, "available_minor": 10_000_000 - used,
			"total_minor": total,
		})
	}
	// The bill of the opening counts as it was billed.
	refused(165587, 396000, 9604046)
	refused(200000, 396000, 11600000)
	n.purchase("sup_mill", "mat_board", 165586).want(http.StatusCreated, "") // it only waits for approval, and counts
	refused(4000, 9999988, 232000)
	bill := n.billFor(n.numbered("/office/purchase-orders", "PO-5001"))
	n.pay(text(bill, "id"), `{"amount_minor":384000}`).want(200, "")
	refused(6828, 9603988, 396024)
	n.purchase("sup_mill", "mat_board", 6827).want(http.StatusCreated, "")
	n.purchase("sup_quick", "mat_coated", 500).want(http.StatusCreated, "") // others lend on their own account
}

// TestASandboxHoldsFiveHundredOpenPurchaseOrders buys for next to nothing, so
// that no supplier's credit ends before.
func TestASandboxHoldsFiveHundredOpenPurchaseOrders(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.PURCHASE_ORDER.MAX_OPEN", "OPEN.ERR.TOO_MANY_OPEN")
	n := calmCompany(t, "auto", object{"supply": supply(0.1, 0.1, 0)})
	const most, clients = 500, 4
	opening := len(n.all("/office/purchase-orders")) - len(n.all("/office/supplier-invoices"))
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			for i := client; i < most-opening; i += clients {
				n.purchase("sup_chroma", "mat_plate", 5).want(http.StatusCreated, "")
			}
		})
	}
	all.Wait()
	n.refusesQuietly("/office/purchase-orders",
		`{"supplier_id":"sup_chroma","lines":[{"sku":"mat_plate","quantity":5}]}`, http.StatusConflict, "too_many_open")
	// They are closed by their bills, on the day after the truck.
	n.tick(480)
	n.tick(120)
	n.purchase("sup_chroma", "mat_plate", 5).want(http.StatusConflict, "too_many_open")
	n.tick(480)
	n.purchase("sup_chroma", "mat_plate", 5).want(http.StatusCreated, "")
}

func TestBadPurchaseOrdersAreRefused(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.OFFICE.PURCHASE_ORDERS", "OPEN.ERR.VALIDATION_FAILED")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	line := `{"sku":"mat_ink","quantity":10}`
	bodies := map[string]string{
		`{"lines":[` + line + `]}`:                                                 "supplier_id",
		`{"supplier_id":"","lines":[` + line + `]}`:                                "supplier_id",
		`{"supplier_id":null,"lines":[` + line + `]}`:                              "supplier_id",
		`{"supplier_id":["sup_mill"],"lines":[` + line + `]}`:                      "supplier_id",
		`{"supplier_id":"` + strings.Repeat("s", 41) + `","lines":[` + line + `]}`: "supplier_id",
		`{"supplier_id":"sup_chroma","lines":[` + line + `],"requisition_id":""}`:  "requisition_id",
		`{"supplier_id":"sup_chroma","lines":[` + line + `],"requisition_id":7}`:   "requisition_id",
		`{"supplier_id":"sup_chroma","lines":[` + line + `],"total_minor":1}`:      "total_minor",
		`{"supplier_id":"sup_chroma","lines":[` + line + `,` + line + `]}`:         "lines[1].sku",
		`{"supplier_id":"sup_chroma","lines":[{"sku":"mat_ink","quantity":10,` +
			`"unit_price_minor":1}]}`: "lines[0].unit_price_minor",
		`{"supplier_id":7,"lines":7,"requisition_id":7,"a":1}`: "a lines " +
			"requisition_id supplier_id",
	}
	for body, want := range badLines("", nil) {
		body = `{"supplier_id":"sup_chroma",` + body[1:]
		bodies[strings.Replace(body, ",}", "}", 1)] = want
	}
	n.namesFields("/office/purchase-orders", bodies)
}
