package contract

import (
	"net/http"
	"slices"
	"testing"
)

// ordersPlates orders 40 plates, and returns the purchase order.
func (n *tenant) ordersPlates() object {
	n.t.Helper()
	return n.post("/office/purchase-orders",
		`{"supplier_id":"sup_chroma","lines":[{"sku":"mat_plate","quantity":40}]}`).
		want(http.StatusCreated, "").Data()
}

// lineOf is the only line of a purchase order.
func (n *tenant) lineOf(order string) object {
	n.t.Helper()
	return children(n.t, n.row("/office/purchase-orders/"+order), "lines")[0]
}

// takesNext takes the next truck of an order to the gate, counts it in, and returns its line.
func (n *tenant) takesNext(order string) object {
	n.t.Helper()
	before := n.newest()
	n.pulls(object{"type": "truck_early", "purchase_order_id": order})
	truck := child(n.t, ofType(n.feed(before), "factory.delivery.arrived")[0], "data")
	n.countIn(text(truck, "id"))
	return children(n.t, truck, "lines")[0]
}

// billed waits until an order has so many bills, and returns the newest.
func (n *tenant) billed(order string, count int) object {
	n.t.Helper()
	for range 5 {
		if bills := n.all("/office/supplier-invoices?purchase_order_id=" + order); len(bills) == count {
			return bills[0]
		}
		n.day()
	}
	n.t.Fatalf("the order has no %d bills", count)
	return nil
}

func (n *tenant) pays(bill object, body string) *answer {
	n.t.Helper()
	return n.post("/office/supplier-invoices/"+text(bill, "id")+"/pay", body)
}

// TestASupplierSendsTwoTrucks, with a bill for each, matched by the sums of the order.
func TestASupplierSendsTwoTrucks(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.PART.TRUCKS", "OPEN.PART.TRUCKS.MATCH", "OPEN.FIELDS.PURCHASE_ORDER",
		"OPEN.STATE.SUPPLIER_INVOICE.MATCH", "OPEN.FIELDS.SUPPLIER_INVOICE")
	n := shared.create(t, `{"seed":4,"clock":"manual"}`)
	order := text(n.ordersPlates(), "id")
	for _, pct := range []string{"54", "91", "-1", "0"} {
		n.post("/sandbox/triggers", `{"type":"truck_in_two","purchase_order_id":"`+order+`","pct":`+pct+`}`).
			want(http.StatusUnprocessableEntity, "validation_failed")
	}
	n.pulls(object{"type": "truck_in_two", "purchase_order_id": order})
	n.post("/sandbox/triggers", `{"type":"truck_in_two","purchase_order_id":"`+order+`"}`).
		want(http.StatusConflict, "trigger_impossible")
	agrees(t, "the line before", n.lineOf(order), object{"quantity_expected": 40, "quantity_received": 0})
	agrees(t, "the first truck", n.takesNext(order), object{"quantity_advised": 24, "quantity_counted": 24})
	agrees(t, "the line with the first", n.lineOf(order), object{"quantity_expected": 16, "quantity_received": 24})
	first := n.billed(order, 1)
	price := number(t, n.lineOf(order), "unit_price_minor")
	agrees(t, "the first bill", first, object{"match_status": "matched", "billed_minor": 24 * price})

	n.pulls(object{"type": "truck_short", "purchase_order_id": order, "pct": 25})
	agrees(t, "the second truck", n.takesNext(order), object{"quantity_advised": 16, "quantity_counted": 12})
	second := n.billed(order, 2)
	agrees(t, "the second bill", second, object{
		"match_status": "quantity_mismatch", "billed_minor": 16 * price, "matched_minor": 12 * price,
	})
	if first["supplier_reference"] == second["supplier_reference"] || first["supplier_reference"] == nil {
		t.Errorf("the bills are %v and %v", first, second)
	}
	n.pays(first, "").want(http.StatusOK, "")
	agrees(t, "the order with one bill paid", n.row("/office/purchase-orders/"+order),
		object{"billing_status": "billed"})
	n.pays(second, encode(t, object{"amount_minor": second["matched_minor"]})).want(http.StatusOK, "")
	agrees(t, "the order in the end", n.row("/office/purchase-orders/"+order),
		object{"billing_status": "paid", "receipt_status": "partial"})
}

// TestABillThatComesTwiceIsClosed: both bills match, and one of them is paid.
func TestABillThatComesTwiceIsClosed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.PART.TWICE", "OPEN.PART.TWICE.CLOSE", "OPEN.BODY.OFFICE.SUPPLIER_INVOICES.PAY",
		"OPEN.EVT.OFFICE.SUPPLIER_INVOICE.RECEIVED", "OPEN.EVT.OFFICE.SUPPLIER_INVOICE.PAID")
	n := shared.create(t, `{"seed":4,"clock":"manual"}`)
	order := text(n.ordersPlates(), "id")
	n.post("/sandbox/triggers", `{"type":"bill_twice","purchase_order_id":"`+order+`"}`).
		want(http.StatusConflict, "trigger_impossible")
	n.takesNext(order)
	first := n.billed(order, 1)
	second := n.row("/office/supplier-invoices/" +
		text(n.pulls(object{"type": "bill_twice", "purchase_order_id": order}), "id"))
	agrees(t, "the second bill", second, object{
		"match_status": "matched", "billed_minor": first["billed_minor"], "purchase_order_id": order,
		"duplicate_of": nil,
	})
	differ := 0
	for i, a := range []byte(text(first, "supplier_reference")) {
		if text(second, "supplier_reference")[i] != a {
			differ++
		}
	}
	if differ > 1 || first["number"] == second["number"] {
		t.Errorf("the numbers of the bills are %v and %v", first, second)
	}
	agrees(t, "the line", n.lineOf(order), object{"quantity": 40, "quantity_billed": 80})
	noticed := slices.ContainsFunc(children(t, n.row("/sandbox/attention"), "items"), func(item object) bool {
		return item["kind"] == "bill_repeated" && text(children(t, item, "records")[0], "id") == text(second, "id")
	})
	if !noticed {
		t.Error("nothing draws attention to the second bill")
	}

	before := n.newest()
	other := text(one(t, n.all("/office/supplier-invoices?kind=materials"), "number", "SI-7001"), "id")
	id := text(first, "id")
	for body, code := range map[string]string{
		encode(t, object{"duplicate_of": other}):                                      "amount_not_payable",
		encode(t, object{"duplicate_of": second["id"]}):                               "amount_not_payable",
		encode(t, object{"duplicate_of": "sin_none"}):                                 "validation_failed",
		encode(t, object{"duplicate_of": ""}):                                         "validation_failed",
		encode(t, object{"duplicate_of": 7}):                                          "validation_failed",
		encode(t, object{"duplicate_of": id, "amount_minor": second["billed_minor"]}): "validation_failed",
		`{"amount_minor":0}`:                                                          "amount_not_payable",
		`{"duplicate_of":"` + id + `","duplicate_of":"` + id + `"}`:                   "invalid_json",
	} {
		if got := text(n.pays(second, body).Failure(), "code"); got != code {
			t.Errorf("%s: %s, want %s", body, got, code)
		}
	}
	if n.newest() != before {
		t.Error("a request that was refused has written events")
	}
	closed := n.pays(second, encode(t, object{"amount_minor": 0, "duplicate_of": id})).want(http.StatusOK, "").Data()
	agrees(t, "the bill that is closed", closed, object{
		"status": "paid", "paid_minor": 0, "credited_minor": second["billed_minor"], "duplicate_of": id,
		"late_fee_minor": 0,
	})
	agrees(t, "its event", child(t, ofType(n.feed(before), "office.supplier_invoice.paid")[0], "data"),
		object{"paid_minor": 0, "duplicate_of": id, "paid_by": "client"})
	agrees(t, "the line in the end", n.lineOf(order), object{"quantity_billed": 40})
	n.pays(second, encode(t, object{"duplicate_of": id})).want(http.StatusConflict, "already_paid")
	n.pays(first, "").want(http.StatusOK, "")
	agrees(t, "the order in the end", n.row("/office/purchase-orders/"+order), object{"billing_status": "paid"})
}

// TestGoodsThatArePaidForTwiceAreDoubled, and a bill that is closed is exact.
func TestGoodsThatArePaidForTwiceAreDoubled(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.PART.TWICE.PAID")
	for name, careful := range map[string]bool{"careless": false, "careful": true} {
		n := shared.create(t, `{"preset":"manual","seed":4,"clock":"manual"}`)
		order := text(n.ordersPlates(), "id")
		n.takesNext(order)
		counted := n.all("/factory/goods-receipts")[0]
		n.post("/office/goods-receipts", encode(t, object{
			"purchase_order_id": order, "reference": counted["id"], "lines": counted["lines"],
		})).want(http.StatusCreated, "")
		first := n.billed(order, 1)
		second := object{"id": n.pulls(object{"type": "bill_twice", "purchase_order_id": order})["id"]}
		n.pays(first, "").want(http.StatusOK, "")
		body, want := "", int64(1)
		if careful {
			body, want = encode(t, object{"duplicate_of": first["id"]}), 0
		}
		n.pays(second, body).want(http.StatusOK, "")
		kinds := children(t, n.score(), "kinds")
		if got := number(t, one(t, kinds, "kind", "payment"), "doubled"); got != want {
			t.Errorf("%s: %v payments are doubled, want %v", name, got, want)
		}
	}
}
