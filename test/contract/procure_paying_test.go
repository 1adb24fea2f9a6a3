package contract

import (
	"net/http"
	"strings"
	"sync"
	"testing"
)

// openingBill is the bill of the opening, whose price is wrong: 3,960.00 are
// billed, 3,840.00 are right.
func (n *tenant) openingBill() object {
	n.t.Helper()
	return n.billFor(n.numbered("/office/purchase-orders", "PO-5001"))
}

func TestABillThatDoesNotMatchIsPaidByNamingAnAmount(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.OFFICE.SUPPLIER_INVOICES.PAY", "ROUTE.OFFICE.SUPPLIER_INVOICES.PAY",
		"OPEN.ERR.THREE_WAY_MISMATCH", "OPEN.ERR.AMOUNT_NOT_PAYABLE", "OPEN.ERR.ALREADY_PAID",
		"OPEN.FIELDS.SUPPLIER_INVOICE", "OPEN.STATE.SUPPLIER_INVOICE", "EVT.TYPE.OFFICE.SUPPLIER_INVOICE.PAID",
		"OPEN.EVT.OFFICE.SUPPLIER_INVOICE.PAID", "OPEN.MISSION.THREE_WAY_MATCH", "OPEN.EVENT.MISSIONS_LAST",
		"OPEN.FIELDS.LEDGER_ENTRY", "CONV.SAME_ROW", "OPEN.FIELDS.CASH")
	n := shared.create(t, `{"clock":"manual"}`)
	bill := n.openingBill()
	id := text(bill, "id")
	path := "/office/supplier-invoices/" + id
	for _, body := range []string{"", "{}", `{"note":"please"}`} {
		details := n.refusesQuietly(path+"/pay", body, http.StatusConflict, "three_way_mismatch").details()
		agrees(t, "details", details, object{"match_status": "price_mismatch", "billed_minor": 396000,
			"matched_minor": 384000, "allowed": []int{384000, 396000}})
	}
	for _, amount := range []string{"1", "383999", "384001", "390000", "396001", "9223372036854775807"} {
		details := n.refusesQuietly(path+"/pay", `{"amount_minor":`+amount+`}`, http.StatusUnprocessableEntity,
			"amount_not_payable").details()
		agrees(t, "details", details, object{"allowed": []int{384000, 396000}})
	}
	worth, at := number(t, n.row("/sandbox"), "net_worth_minor"), n.newest()
	note := strings.Repeat("é", 200)
	a := n.pay(id, encode(t, object{"amount_minor": 384000, "note": note})).want(http.StatusOK, "")
	agrees(t, "the bill", a.Data(), object{
		"status": "paid", "paid_minor": 384000, "credited_minor": 12000, "discount_minor": 0, "late_fee_minor": 0,
		"paid_by": "client", "paid_on": "2026-09-07", "payment_note": note, "billed_minor": 396000,
		"matched_minor": 384000, "match_status": "price_mismatch", "collect_on": nil,
	})
	n.sameRow(a, path)
	events := n.feed(at)
	if got := types(events); len(got) != 2 || got[0] != "office.supplier_invoice.paid" ||
		got[1] != "sandbox.mission.completed" {
		t.Errorf("the payment wrote %v", got)
	}
	n.says(events, id, "office.supplier_invoice.paid", object{
		"status": "paid", "number": "SI-7001", "paid_minor": 384000, "credited_minor": 12000, "discount_minor": 0,
		"paid_by": "client", "cash_minor": 8500000 - 384000,
	})
	n.says(events, "three_way_match", "sandbox.mission.completed", object{"status": "completed"})
	entry := n.all("/office/ledger")[0]
	agrees(t, "the ledger", entry, object{"kind": "supplier_payment", "amount_minor": -384000, "balance_minor": 8116000,
		"event_id": events[0]["id"], "reference_id": id, "entry_on": "2026-09-07"})
	n.keepsCash(object{"cash_minor": 8116000, "payable_minor": 0})
	agrees(t, "the order", n.numbered("/office/purchase-orders", "PO-5001"), object{"billing_status": "paid"})
	agrees(t, "the counts", child(t, n.row("/sandbox"), "counts"), object{"invoices_payable": 0})
	if got := number(t, n.row("/sandbox"), "net_worth_minor"); got != worth {
		t.Errorf("paying what is right took the net worth from %d to %d", worth, got)
	}
	for _, body := range []string{"", `{"amount_minor":384000}`, `{"amount_minor":396000}`, `{"amount_minor":1}`} {
		details := n.refusesQuietly(path+"/pay", body, http.StatusConflict, "already_paid").details()
		agrees(t, "details", details, object{"paid_on": "2026-09-07", "paid_by": "client"})
	}
	agrees(t, "details", n.refusesQuietly("/office/supplier-invoices/sin_0/pay", "", 404, "not_found").details(),
		object{"resource": "supplier_invoice", "id": "sin_0"})
}

func TestWhoPaysWhatWasBilledLosesTheDifference(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.THREE_WAY_MATCH", "OPEN.BODY.OFFICE.SUPPLIER_INVOICES.PAY", "OPEN.SANDBOX.FIELDS.MONEY")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	worth := number(t, n.row("/sandbox"), "net_worth_minor")
	agrees(t, "the bill", n.pay(text(n.openingBill(), "id"), `{"amount_minor":396000}`).want(200, "").Data(),
		object{"paid_minor": 396000, "credited_minor": 0, "payment_note": nil})
	if got := number(t, n.row("/sandbox"), "net_worth_minor"); got != worth-12000 {
		t.Errorf("paying 120.00 too much took the net worth from %d to %d", worth, got)
	}
	if got := n.missions()["three_way_match"]; got == "completed" {
		t.Error("paying as billed completed three_way_match")
	}
}

func TestABillIsPaidOnceByHoweverMany(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.ALREADY_PAID", "OPEN.EVENT.CASH_AND_STOCK")
	n := shared.create(t, `{"clock":"manual"}`)
	id := text(n.openingBill(), "id")
	const callers = 8
	answers := make([]*answer, callers)
	var all sync.WaitGroup
	for i := range answers {
		amount := []string{`{"amount_minor":384000}`, `{"amount_minor":396000}`}[i%2]
		all.Go(func() { answers[i] = n.pay(id, amount) })
	}
	all.Wait()
	paid := int64(0)
	for _, a := range answers {
		if a.Status == http.StatusOK {
			paid += number(t, a.Data(), "paid_minor")
			continue
		}
		a.want(http.StatusConflict, "already_paid")
	}
	if cash := number(t, n.row("/office/cash"), "cash_minor"); cash != 8500000-paid ||
		paid != 384000 && paid != 396000 {
		t.Errorf("paid were %d, the cash is %d", paid, cash)
	}
}

// TestTheEarlyDiscountIsTakenUntilItsDay pays one bill on the last day of the
// discount and one on the day after it.
func TestTheEarlyDiscountIsTakenUntilItsDay(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FIELDS.SUPPLIER_INVOICE", "OPEN.BODY.OFFICE.SUPPLIER_INVOICES.PAY",
		"OPEN.EVT.OFFICE.SUPPLIER_INVOICE.PAID", "OPEN.STATE.SUPPLIER_INVOICE.MATCH",
		"OPEN.STATE.SUPPLIER_INVOICE.DISCOUNT")
	n := calmCompany(t, "auto", nil)
	plates := n.ordered("sup_chroma", "mat_plate", 5)
	paper := n.fullTrucks("sup_mill", "mat_uncoated", 4100, 4)
	n.countIn(text(n.deliveryFor(plates), "id"))
	for _, order := range paper[:3] {
		n.countIn(text(n.deliveryFor(order), "id"))
	}
	n.post("/factory/goods-receipts", encode(t, object{"delivery_id": n.deliveryFor(paper[3])["id"],
		"lines": []object{{"sku": "mat_uncoated", "quantity_accepted": 3001}}})).want(201, "")
	n.day()
	n.tick(30)
	pay := func(order object, body string, want object) {
		t.Helper()
		at, cash := n.newest(), number(t, n.row("/office/cash"), "cash_minor")
		bill := n.billFor(order)
		near(t, "what an early payment would save", number(t, bill, "discount_minor"),
			float64(number(t, bill, "billed_minor")*number(t, bill, "discount_pct"))/100)
		paid := n.pay(text(bill, "id"), body).want(http.StatusOK, "").Data()
		agrees(t, "the bill", paid, want)
		n.says(n.feed(at), text(paid, "id"), "office.supplier_invoice.paid", object{
			"paid_minor": want["paid_minor"], "discount_minor": want["discount_minor"],
			"credited_minor": paid["credited_minor"], "cash_minor": cash - number(t, paid, "paid_minor"),
		})
	}
	// 1 % of 47.50 is 0.475, which is 0.48.
	pay(plates, "", object{
		"billed_minor": 4750, "match_status": "matched", "discount_minor": 48, "paid_minor": 4702, "credited_minor": 0,
	})
	pay(paper[0], `{"amount_minor":98400}`, object{"discount_minor": 1968, "paid_minor": 96432, "credited_minor": 0})
	// Of what was rejected nothing is paid, so nothing is taken off it either.
	// The details name the sums before the discount and after it, and either is taken.
	agrees(t, "the details", n.refusesQuietly("/office/supplier-invoices/"+text(n.billFor(paper[3]), "id")+"/pay",
		`{"amount_minor":1}`, http.StatusUnprocessableEntity, "amount_not_payable").details(),
		object{"allowed": []any{72024, 98400, 70584, 96432}})
	pay(paper[3], `{"amount_minor":70584}`, object{
		"match_status": "quantity_mismatch", "discount_minor": 1440, "paid_minor": 70584, "credited_minor": 26376,
	})
	for range 4 {
		n.day()
	}
	n.tick(480)
	n.tick(359) // 15:59 on Wednesday the 16th
	if today := n.get("/office/cash").Meta()["sim_date"]; today != "2026-09-16" {
		t.Fatalf("it is %v", today)
	}
	pay(paper[1], "{}",
		object{"discount_until": "2026-09-16", "discount_minor": 1968, "paid_minor": 96432, "paid_on": "2026-09-16"})
	n.tick(1)
	agrees(t, "the details a day later", n.refusesQuietly(
		"/office/supplier-invoices/"+text(n.billFor(paper[2]), "id")+"/pay", `{"amount_minor":96432}`,
		http.StatusUnprocessableEntity, "amount_not_payable").details(), object{"allowed": []any{98400}})
	pay(paper[2], "{}",
		object{"discount_until": "2026-09-16", "discount_minor": 0, "paid_minor": 98400, "paid_on": "2026-09-17"})
}

// fullTrucks orders from a supplier until so many trucks came with all that
// was ordered, and returns their orders. It is 09:30 on the next day then.
func (n *tenant) fullTrucks(supplier, sku string, quantity, trucks int) []object {
	n.t.Helper()
	var all, full []object
	for range 2 * trucks {
		all = append(all, n.ordered(supplier, sku, quantity))
	}
	n.day()
	n.tick(90)
	for _, order := range all {
		line := children(n.t, n.deliveryFor(order), "lines")[0]
		if line["quantity_counted"] == line["quantity_advised"] && len(full) < trucks {
			full = append(full, order)
		}
	}
	if len(full) < trucks {
		n.t.Fatalf("of %d trucks %d were full", 2*trucks, len(full))
	}
	return full
}

func TestNobodySpendsMoreThanCashAndOverdraft(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.CASH.SPENDING", "OPEN.ERR.INSUFFICIENT_FUNDS", "OPEN.FIELDS.CASH")
	all := calm(t, object{"cash_minor": 333999, "overdraft_limit_minor": 50000})
	all["exact"] = calm(t, object{"cash_minor": 334000, "overdraft_limit_minor": 50000})["calm"]
	all["broke"] = calm(t, object{"cash_minor": 0, "overdraft_limit_minor": 0})["calm"]
	s := serve(t, presets(t, all))
	for preset, available := range map[string]int64{"calm": 383999, "broke": 0} {
		poor := s.create(t, `{"preset":"`+preset+`","clock":"manual"}`)
		for amount, takes := range map[string]int64{
			`{"amount_minor":384000}`: 384000, `{"amount_minor":396000}`: 396000,
		} {
			path := "/office/supplier-invoices/" + text(poor.openingBill(), "id") + "/pay"
			details := poor.refusesQuietly(path, amount, http.StatusConflict, "insufficient_funds").details()
			agrees(t, "details", details, object{"amount_minor": takes, "available_minor": available})
		}
	}
	n := s.create(t, `{"preset":"exact","clock":"manual"}`)
	id := text(n.openingBill(), "id")
	n.pay(id, `{"amount_minor":396000}`).want(http.StatusConflict, "insufficient_funds")
	n.pay(id, `{"amount_minor":384000}`).want(http.StatusOK, "")
	n.keepsCash(object{"cash_minor": -50000, "overdraft_limit_minor": 50000, "opening_cash_minor": 334000})
}

func TestBadPaymentsAreRefused(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.OFFICE.SUPPLIER_INVOICES.PAY", "OPEN.ERR.VALIDATION_FAILED", "OPEN.HTTP.NULL")
	n := shared.create(t, `{"clock":"manual"}`)
	path := "/office/supplier-invoices/" + text(n.openingBill(), "id") + "/pay"
	bodies := map[string]string{
		`{"note":""}`: "note", `{"note":7}`: "note", `{"amount":384000}`: "amount",
		`{"amount_minor":384000,"currency":"XTS"}`:          "currency",
		encode(t, object{"note": strings.Repeat("é", 201)}): "note",
		`{"amount_minor":-1,"note":[],"a":1}`:               "a amount_minor note",
	}
	for _, amount := range []string{
		"-1", "-384000", "384000.5", `"384000"`, "null", "true", "9223372036854775808", "1e400",
	} {
		bodies[`{"amount_minor":`+amount+`}`] = "amount_minor"
	}
	for body, want := range bodies {
		a := n.refusesQuietly(path, body, http.StatusUnprocessableEntity, "validation_failed")
		fields := badFields(a)
		if got := strings.Join(fields, " "); got != want && len(fields) < 2 {
			t.Errorf("%s: named are %q, want %q", body, got, want)
		}
	}
	for _, body := range []string{
		"[]", "null", "{", `{"amount_minor":384000,"amount_minor":396000}`, `{"amount_minor":0384000}`,
	} {
		n.refusesQuietly(path, body, http.StatusBadRequest, "invalid_json")
	}
	n.call("POST", path, `{"amount_minor":384000}`).want(http.StatusBadRequest, "idempotency_required")
}
