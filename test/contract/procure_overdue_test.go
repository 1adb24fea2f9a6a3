package contract

import (
	"net/http"
	"testing"
)

// TestAnUnpaidBillCostsAFeeAndTheSuppliersTrust leaves the bill of the opening
// unpaid until it is collected.
func TestAnUnpaidBillCostsAFeeAndTheSuppliersTrust(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.SUPPLIER_INVOICE", "EVT.TYPE.OFFICE.PAYMENT.OVERDUE",
		"OPEN.EVT.OFFICE.PAYMENT.OVERDUE", "OPEN.ERR.SUPPLIER_ON_HOLD", "OPEN.FIELDS.SUPPLIER",
		"OPEN.CASH.SPENDING", "OPEN.EVT.OFFICE.SUPPLIER_INVOICE.PAID", "OPEN.FIELDS.SUPPLIER_INVOICE")
	n := calmCompany(t, "auto", nil)
	w := watch(n)
	pending := text(n.purchase("sup_mill", "mat_coated", 12000).want(201, "").Data(), "id")
	id := text(n.openingBill(), "id")
	path := "/office/supplier-invoices/" + id
	for range 4 {
		n.day()
	}
	n.tick(479)
	agrees(t, "on the evening of its due date the bill", n.row(path),
		object{"status": "open", "due_date": "2026-09-11", "late_fee_minor": 0})
	before, at := n.row("/office/suppliers/sup_mill"), n.newest()
	worth := number(t, n.row("/sandbox"), "net_worth_minor")
	w.step("it becomes overdue", func() { n.tick(1) })
	agrees(t, "the bill", n.row(path), object{"status": "overdue", "late_fee_minor": 7920, "billed_minor": 396000,
		"matched_minor": 384000, "collect_on": "2026-09-28", "paid_on": nil})
	events := n.feed(at)
	n.says(events, id, "office.payment.overdue", object{
		"status": "overdue", "supplier_invoice_id": id, "supplier_id": "sup_mill", "billed_minor": 396000,
		"late_fee_minor": 7920, "due_date": "2026-09-11", "collect_on": "2026-09-28",
	})
	overdue := ofType(events, "office.payment.overdue")
	if len(overdue) != 1 || overdue[0]["sim_date"] != "2026-09-14" || child(t, overdue[0], "links")["self"] != path {
		t.Errorf("overdue are %v", overdue)
	}
	mill := n.row("/office/suppliers/sup_mill")
	if mill["on_hold"] != true || !moment(t, mill["updated_at"]).After(moment(t, before["updated_at"])) {
		t.Errorf("the supplier is %v", mill)
	}
	if got := number(t, n.row("/sandbox"), "net_worth_minor"); got > worth-7920 {
		t.Errorf("with the fee the net worth went from %d to %d", worth, got)
	}
	// It sells nothing now, neither a new order nor one that only waits.
	for path, body := range map[string]string{
		"/office/purchase-orders": `{"supplier_id":"sup_mill","lines":[{"sku":"mat_uncoated",` +
			`"quantity":4000}]}`,
		"/office/purchase-orders/" + pending + "/approve": "",
	} {
		agrees(t, "details", n.refusesQuietly(path, body, http.StatusConflict, "supplier_on_hold").details(),
			object{"supplier_invoice_ids": []string{id}})
	}
	n.purchase("sup_quick", "mat_uncoated", 500).want(http.StatusCreated, "")
	agrees(t, "details", n.refusesQuietly(path+"/pay", "", http.StatusConflict, "three_way_mismatch").details(),
		object{"billed_minor": 396000, "matched_minor": 384000})

	for range 9 {
		w.step("a day passes", func() { n.day() })
	}
	n.tick(479)
	if got := n.row(path)["status"]; got != "overdue" {
		t.Errorf("before it is collected it is %v", got)
	}
	at = n.newest()
	cash := number(t, n.row("/office/cash"), "cash_minor")
	w.step("it is collected", func() { n.tick(1) })
	paid := n.row(path)
	agrees(t, "the bill", paid, object{
		"status": "paid", "paid_by": "collection", "paid_minor": 403920, "credited_minor": 0, "discount_minor": 0,
		"late_fee_minor": 7920, "paid_on": "2026-09-28", "payment_note": nil,
	})
	events = n.feed(at)
	n.says(events, id, "office.supplier_invoice.paid",
		object{"status": "paid", "paid_minor": 403920, "credited_minor": 0, "paid_by": "collection"})
	entry := one(t, n.all("/office/ledger"), "reference_id", id)
	agrees(t, "the ledger", entry, object{"kind": "supplier_payment", "amount_minor": -403920})
	if got := number(t, n.row("/office/cash"), "cash_minor"); got > cash-403920 {
		t.Errorf("403920 were collected, the cash went from %d to %d", cash, got)
	}
	agrees(t, "the mill", n.row("/office/suppliers/sup_mill"), object{"on_hold": false})
	w.step("it sells again", func() {
		n.post("/office/purchase-orders/"+pending+"/approve", "").want(http.StatusOK, "")
	})
	if got := n.missions()["three_way_match"]; got == "completed" {
		t.Error("a collection completed three_way_match")
	}
	w.ended()
}

// TestAnOverdueBillIsPaidWithItsFee pays in the four ways that a client may
// name the amount.
func TestAnOverdueBillIsPaidWithItsFee(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.OFFICE.SUPPLIER_INVOICES.PAY", "OPEN.STATE.SUPPLIER_INVOICE", "OPEN.ERR.AMOUNT_NOT_PAYABLE",
		"OPEN.MISSION.THREE_WAY_MATCH")
	s := serve(t, presets(t, calm(t, nil)))
	for amount, want := range map[string]object{
		"384000": {"paid_minor": 391920, "credited_minor": 12000},
		"391920": {"paid_minor": 391920, "credited_minor": 12000},
		"396000": {"paid_minor": 403920, "credited_minor": 0},
		"403920": {"paid_minor": 403920, "credited_minor": 0},
	} {
		t.Run(amount, func(t *testing.T) {
			t.Parallel()
			n := s.create(t, `{"preset":"calm","clock":"manual"}`)
			for range 5 {
				n.day()
			}
			id := text(n.openingBill(), "id")
			if cash := n.row("/office/cash"); number(t, cash, "payable_minor") < 403920 {
				t.Errorf("the bill with its fee is not in %v", cash)
			}
			for _, wrong := range []string{"7920", "376080", "388080", "411840"} {
				details := n.refusesQuietly("/office/supplier-invoices/"+id+"/pay", `{"amount_minor":`+wrong+`}`, 422,
					"amount_not_payable").details()
				agrees(t, "details", details, object{"allowed": []int{384000, 396000}})
			}
			at := n.newest()
			paid := n.pay(id, `{"amount_minor":`+amount+`}`).want(http.StatusOK, "").Data()
			want["late_fee_minor"], want["discount_minor"], want["status"], want["paid_by"], want["paid_on"] = 7920, 0,
				"paid", "client", "2026-09-14"
			agrees(t, "the bill", paid, want)
			n.wrote(at, "office.supplier_invoice.paid")
			agrees(t, "the mill", n.row("/office/suppliers/sup_mill"), object{"on_hold": false})
			n.purchase("sup_mill", "mat_uncoated", 4000).want(http.StatusCreated, "")
			if credited := want["credited_minor"] != 0; credited != (n.missions()["three_way_match"] == "completed") {
				t.Errorf("paying %s left the mission %v", amount, n.missions()["three_way_match"])
			}
		})
	}
}

// TestEachOverdueBillHolds has two bills overdue at one supplier and pays them
// one after the other.
func TestEachOverdueBillHolds(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.SUPPLIER_INVOICE", "OPEN.ERR.SUPPLIER_ON_HOLD")
	n := calmCompany(t, "auto", nil)
	orders := []object{n.ordered("sup_quick", "mat_uncoated", 500), n.ordered("sup_quick", "mat_uncoated", 501)}
	n.day()
	n.tick(90)
	for _, order := range orders {
		n.countIn(text(n.deliveryFor(order), "id"))
	}
	n.day()
	n.tick(30)
	first, second := text(n.billFor(orders[0]), "id"), text(n.billFor(orders[1]), "id")
	for range 6 { // the 16th is the due date of both, and of the board of the opening
		n.day()
	}
	board := text(n.billFor(n.numbered("/office/purchase-orders", "PO-5002")), "id")
	body := `{"supplier_id":"sup_quick","lines":[{"sku":"mat_uncoated","quantity":500}]}`
	held := func(ids ...string) {
		t.Helper()
		agrees(t, "the supplier", n.row("/office/suppliers/sup_quick"), object{"on_hold": true})
		details := n.refusesQuietly("/office/purchase-orders", body, http.StatusConflict, "supplier_on_hold").details()
		want := map[string]bool{}
		for _, id := range ids {
			want[id] = true
		}
		for _, id := range texts(details, "supplier_invoice_ids") {
			if !want[id] {
				t.Errorf("on hold for %s, too", id)
			}
			delete(want, id)
		}
		if len(want) > 0 {
			t.Errorf("not on hold for %v", want)
		}
	}
	held(first, second, board)
	// 2 % of 150.00, and of 150.30 which is 3.006.
	agrees(t, "the one", n.pay(first, "").want(200, "").Data(), object{"late_fee_minor": 300, "paid_minor": 15300})
	held(second, board)
	agrees(t, "the other", n.pay(second, "").want(200, "").Data(), object{"late_fee_minor": 301, "paid_minor": 15331})
	held(board)
	n.pay(board, `{"amount_minor":144000}`).want(200, "")
	agrees(t, "the supplier", n.row("/office/suppliers/sup_quick"), object{"on_hold": false})
	n.post("/office/purchase-orders", body).want(http.StatusCreated, "")
	watch(n).ended()
}
