package contract

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// agrees reports members of a row that have other values than these.
func agrees(t testing.TB, what string, row, want object) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		value, there := row[name]
		if !there || encode(t, value) != encode(t, want[name]) {
			t.Errorf("%s has %s %v, want %v", what, name, encode(t, value), encode(t, want[name]))
		}
	}
}

// exactly checks that a row has these members and no others, beside those that
// every row has.
func exactly(t testing.TB, what string, row object, list string) {
	t.Helper()
	want := append(strings.Fields(list), "id", "created_at", "updated_at", "created_on")
	slices.Sort(want)
	if got := names(row); !slices.Equal(got, want) {
		t.Errorf("%s has the members %v, want %v", what, got, want)
	}
}

// TestTheCompanyOpensWithABillThatIsWrong reads what every company has bought
// before its first morning, whatever its seed and its bridge.
func TestTheCompanyOpensWithABillThatIsWrong(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.PRESET.OPENING", "OPEN.FIELDS.PURCHASE_ORDER", "OPEN.FIELDS.SUPPLIER_INVOICE", "OPEN.FIELDS.DELIVERY",
		"OPEN.FIELDS.FACTORY_GOODS_RECEIPT", "OPEN.FIELDS.OFFICE_GOODS_RECEIPT", "OPEN.STATE.SUPPLIER_INVOICE.MATCH",
		"OPEN.STATE.PURCHASE_ORDER")
	for _, body := range []string{
		`{"seed":1,"clock":"manual"}`, `{"seed":2,"clock":"manual"}`, `{"preset":"manual","seed":1,"clock":"manual"}`,
	} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			shared.create(t, body).opensWithPurchases()
		})
	}
}

func (n *tenant) opensWithPurchases() {
	t := n.t
	orders := n.all("/office/purchase-orders")
	if len(orders) != 2 || len(n.all("/office/supplier-invoices")) != 1 || len(n.all("/factory/deliveries")) != 1 {
		t.Fatalf("the company opens with the orders %v", orders)
	}
	paper, board := n.numbered("/office/purchase-orders", "PO-5001"), n.numbered("/office/purchase-orders", "PO-5002")
	exactly(t, "a purchase order", paper, "number supplier_id requisition_id lines total_minor currency status "+
		"approval_required approved_by approved_on expected_on receipt_status billing_status")
	agrees(t, "PO-5001", paper, object{
		"supplier_id": "sup_mill", "requisition_id": n.numbered("/office/requisitions", "RQ-8001")["id"],
		"total_minor": 384000, "currency": "XTS", "status": "approved", "approval_required": true,
		"approved_by": "client", "approved_on": "2026-08-13", "expected_on": "2026-08-20", "receipt_status": "full",
		"billing_status": "billed",
		"lines": []object{{"line": 1, "sku": "mat_coated", "quantity": 12000, "unit_price_minor": 32,
			"amount_minor": 384000, "quantity_expected": 0, "quantity_received": 12000, "quantity_billed": 12000}},
	})
	agrees(t, "PO-5002", board, object{
		"supplier_id": "sup_quick", "total_minor": 144000, "status": "approved", "approval_required": false,
		"approved_by": "policy", "approved_on": "2026-09-04", "expected_on": "2026-09-08", "receipt_status": "none",
		"billing_status": "none",
		"lines": []object{{"line": 1, "sku": "mat_board", "quantity": 2000, "unit_price_minor": 72,
			"amount_minor": 144000, "quantity_expected": 2000, "quantity_received": 0, "quantity_billed": 0}},
	})

	delivery := n.deliveryFor(paper)
	exactly(t, "a delivery", delivery, "supplier_name purchase_order_number arrived_on lines status goods_receipt_id")
	agrees(t, "the delivery", delivery, object{
		"supplier_name": "Papyra Mill", "arrived_on": "2026-08-20", "status": "received",
		"lines": []object{{"sku": "mat_coated", "quantity_advised": 12000, "quantity_counted": 12000,
			"quantity_damaged": 0}},
	})
	counted := n.row("/factory/goods-receipts/" + text(delivery, "goods_receipt_id"))
	exactly(t, "a goods receipt of the Factory", counted, "delivery_id purchase_order_number lines received_on status")
	lines := []object{{"sku": "mat_coated", "quantity_accepted": 12000, "quantity_rejected": 0}}
	agrees(t, "the receipt", counted, object{"delivery_id": delivery["id"], "purchase_order_number": "PO-5001",
		"lines": lines, "received_on": "2026-08-20", "status": "recorded"})
	recorded := n.all("/office/goods-receipts")[0]
	exactly(t, "a goods receipt of Head Office", recorded,
		"purchase_order_id reference lines source recorded_on status")
	agrees(t, "its copy", recorded, object{"purchase_order_id": paper["id"], "reference": counted["id"], "lines": lines,
		"source": "opening", "recorded_on": "2026-08-20", "status": "recorded"})

	bill := n.billFor(paper)
	exactly(t, "a supplier invoice", bill,
		`number supplier_reference supplier_id purchase_order_id kind lines billed_minor matched_minor variance_minor
		match_status discount_pct discount_minor discount_until currency issued_on due_date collect_on late_fee_minor
		status paid_minor credited_minor paid_by payment_note duplicate_of paid_on`)
	agrees(t, "the bill", bill, object{
		"number": "SI-7001", "supplier_id": "sup_mill", "kind": "materials", "billed_minor": 396000,
		"matched_minor": 384000, "variance_minor": 12000, "match_status": "price_mismatch", "discount_pct": 2,
		"discount_minor": 7920, "discount_until": "2026-08-28", "currency": "XTS", "issued_on": "2026-08-21",
		"due_date": "2026-09-11", "collect_on": nil, "late_fee_minor": 0, "status": "open", "paid_minor": 0,
		"credited_minor": 0, "paid_by": nil, "payment_note": nil, "paid_on": nil,
		"lines": []object{{"sku": "mat_coated", "service": nil, "quantity": 12000, "unit_price_minor": 33,
			"amount_minor": 396000}},
	})
	n.opensWithItsEvents(paper, board)
}

// opensWithItsEvents checks that the feed begins with what happened, and that
// the paper is there because it was delivered.
func (n *tenant) opensWithItsEvents(paper, board object) {
	t := n.t
	events := n.feed(0)
	var bought []string
	for _, e := range events {
		kind := text(e, "type")
		if strings.Contains(kind, "purchase_order") || strings.Contains(kind, "goods_receipt") ||
			strings.Contains(kind, "supplier_invoice") || strings.Contains(kind, "delivery") {
			bought = append(bought, kind)
		}
	}
	if want := []string{
		"office.purchase_order.created", "office.purchase_order.approval_required", "office.purchase_order.approved",
		"factory.delivery.arrived", "factory.goods_receipt.recorded", "office.goods_receipt.recorded",
		"office.supplier_invoice.received",
		"office.purchase_order.created", "office.purchase_order.approved",
	}; !slices.Equal(bought, want) {
		t.Errorf("the opening wrote %v, want %v", bought, want)
	}
	for _, order := range []object{paper, board} {
		n.says(events, text(order, "id"), "office.purchase_order.approved",
			object{"approved_by": order["approved_by"], "expected_on": order["expected_on"]})
	}
	for _, move := range n.all("/factory/stock-moves") {
		if (move["sku"] == "mat_coated") != (move["kind"] == "receipt") {
			t.Errorf("%v came to the warehouse by %v", move["sku"], move["kind"])
		}
	}
	if done := ofType(events, "sandbox.mission.completed"); len(done) > 0 &&
		child(t, done[0], "data")["id"] != "first_call" {
		t.Errorf("the opening completed %v", done)
	}
	s := n.row("/sandbox")
	// Cash 85,000.00, owed by customers 8,300.00, stock 9,400.00, less the
	// 3,840.00 of the bill that order and receipt justify.
	agrees(t, "the sandbox", s, object{"cash_minor": 8500000, "net_worth_minor": 9886000})
	agrees(t, "the score", child(t, s, "score"), object{"net_worth_minor": 9886000, "profit_minor": 0})
	agrees(t, "the counts", child(t, s, "counts"), object{"deliveries_waiting": 0, "invoices_payable": 1})
	n.keepsCash(object{"cash_minor": 8500000, "receivable_minor": 830000, "payable_minor": 396000, "days_negative": 0})
}

// keepsCash checks the members of the cash account.
func (n *tenant) keepsCash(want object) {
	n.t.Helper()
	rows(n.t, "OPEN.FIELDS.CASH")
	cash := n.row("/office/cash")
	if got := names(cash); !slices.Equal(got, []string{"cash_minor", "currency", "days_negative", "opening_cash_minor",
		"overdraft_limit_minor", "payable_minor", "receivable_minor"}) {
		n.t.Errorf("cash has the members %v", got)
	}
	agrees(n.t, "cash", cash, want)
}

func TestSuppliersSayWhatTheySell(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FIELDS.SUPPLIER", "OPEN.ROUTE.OFFICE.SUPPLIERS")
	n := shared.create(t, `{"clock":"manual"}`)
	for _, s := range n.all("/office/suppliers") {
		exactly(t, "a supplier", s, "name kind terms_days early_discount_pct early_discount_days lead_days_min "+
			"lead_days_max on_time_pct prices credit_limit_minor on_hold")
		least, most := number(t, s, "lead_days_min"), number(t, s, "lead_days_max")
		onTime := number(t, s, "on_time_pct")
		if least > most || onTime < 1 || onTime > 100 || s["on_hold"] != false {
			t.Errorf("%v takes %d to %d days, %d of 100 on time, on hold is %v",
				s["id"], least, most, onTime, s["on_hold"])
		}
		services := s["kind"] == "services"
		if services != (s["credit_limit_minor"] == nil) || services != (len(children(t, s, "prices")) == 0) {
			t.Errorf("%v of the kind %v sells %v with the limit %v",
				s["id"], s["kind"], s["prices"], s["credit_limit_minor"])
		}
	}
	agrees(t, "the mill", n.row("/office/suppliers/sup_mill"), object{
		"name": "Papyra Mill", "kind": "materials", "terms_days": 21, "early_discount_pct": 2, "early_discount_days": 7,
		"lead_days_min": 4, "lead_days_max": 8,
		"on_time_pct": 60, "credit_limit_minor": 10000000,
		"prices": []object{
			{"sku": "mat_coated", "unit_price_minor": 32, "minimum_quantity": 4000},
			{"sku": "mat_uncoated", "unit_price_minor": 24, "minimum_quantity": 4000},
			{"sku": "mat_board", "unit_price_minor": 58, "minimum_quantity": 4000},
		},
	})
	agrees(t, "the dear one", n.row("/office/suppliers/sup_quick"), object{
		"terms_days": 7, "early_discount_pct": 0, "lead_days_min": 1, "lead_days_max": 2, "credit_limit_minor": 2000000,
		"prices": []object{
			{"sku": "mat_coated", "unit_price_minor": 40, "minimum_quantity": 500},
			{"sku": "mat_uncoated", "unit_price_minor": 30, "minimum_quantity": 500},
			{"sku": "mat_board", "unit_price_minor": 72, "minimum_quantity": 500},
		},
	})
	agrees(t, "the landlord", n.row("/office/suppliers/sup_landlord"),
		object{"kind": "services", "terms_days": 4, "prices": []object{}, "credit_limit_minor": nil})
}

// TestNamesForIDsAreTheSameEverywhere compares the reference data of companies
// of different presets and seeds.
func TestNamesForIDsAreTheSameEverywhere(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ID.REFERENCE")
	lists := map[string]string{
		"/office/customers": "cus_", "/office/products": "prd_", "/factory/products": "prd_",
		"/office/suppliers": "sup_", "/factory/presses": "prs_",
	}
	var first map[string]string
	for _, body := range []string{`{"seed":1}`, `{"seed":2}`, `{"preset":"manual","seed":3}`} {
		n := shared.create(t, body)
		got := map[string]string{}
		for path, prefix := range lists {
			for _, row := range n.all(path) {
				id := text(row, "id")
				if name, ok := strings.CutPrefix(id, prefix); !ok || !snakeCase.MatchString(name) {
					t.Errorf("%s: the id %q is no name after %s", path, id, prefix)
				}
				got[path] += id + " "
			}
		}
		if first == nil {
			first = got
		}
		if !maps.Equal(got, first) {
			t.Errorf("%s has %v, the first had %v", body, got, first)
		}
	}
}
