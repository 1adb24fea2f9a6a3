package contract

import (
	"net/http"
	"testing"
)

// services sums the lines of overhead invoices by what they are for.
func services(t testing.TB, bill object) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	for _, line := range children(t, bill, "lines") {
		if line["sku"] != nil || text(line, "service") == "" ||
			number(t, line, "amount_minor") != number(t, line, "quantity")*number(t, line, "unit_price_minor") {
			t.Errorf("a line is %v", line)
		}
		all[text(line, "service")] += number(t, line, "amount_minor")
	}
	return all
}

// TestOverheadsAreBilledOnMondayAndDebitedOnFriday lives through two weeks,
// and prints in the second.
func TestOverheadsAreBilledOnMondayAndDebitedOnFriday(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.EVT.OFFICE.SUPPLIER_INVOICE.RECEIVED", "OPEN.ERR.DIRECT_DEBIT",
		"OPEN.STATE.SUPPLIER_INVOICE", "OPEN.STATE.SUPPLIER_INVOICE.MATCH", "OPEN.FIELDS.SUPPLIER_INVOICE",
		"OPEN.EVT.OFFICE.SUPPLIER_INVOICE.PAID", "OPEN.FIELDS.LEDGER_ENTRY", "OPEN.ROUTE.OFFICE.SUPPLIER_INVOICES")
	n := calmCompany(t, "manual", nil)
	run := n.print(text(n.work("prd_notebook", 10, ""), "id"))
	clicks := number(t, run, "clicks_minor")
	stock := []int64{}
	for range 4 {
		n.tick(479) // the day closes in its last minute
		stock = append(stock, n.stockValue())
		n.tick(1)
	}
	n.tick(479)
	stock = append(stock, n.stockValue())
	if early := n.all("/office/supplier-invoices?kind=overhead"); len(early) > 0 {
		t.Errorf("in the first week there is %v", early)
	}
	at, payable := n.newest(), number(t, n.row("/office/cash"), "payable_minor")
	n.tick(1)
	bills := n.all("/office/supplier-invoices?kind=overhead")
	if len(bills) != 2 {
		t.Fatalf("on Monday come %v", bills)
	}
	landlord, lessor := one(t, bills, "supplier_id", "sup_landlord"), one(t, bills, "supplier_id", "sup_lessor")
	storage := int64(0)
	for _, value := range stock {
		storage += value * 3
	}
	for _, c := range []struct {
		bill object
		for_ map[string]int64
	}{
		{landlord, map[string]int64{"rent": 120000, "utilities": 35000, "insurance": 15000,
			"storage": (storage + 5000) / 10000}},
		{lessor, map[string]int64{"press_lease": 100000, "clicks": clicks}},
	} {
		got, total := services(t, c.bill), int64(0)
		for name, amount := range c.for_ {
			total += amount
			if got[name] != amount {
				t.Errorf("%v bills %d for %s, want %d", c.bill["supplier_id"], got[name], name, amount)
			}
		}
		agrees(t, "the bill", c.bill, object{
			"kind": "overhead", "purchase_order_id": nil,
			"billed_minor": total, "matched_minor": total, "variance_minor": 0, "match_status": "not_applicable",
			"discount_until": nil, "discount_pct": 0, "issued_on": "2026-09-14", "due_date": "2026-09-18",
			"collect_on": "2026-09-18", "status": "open", "paid_by": nil,
		})
		n.says(n.feed(at), text(c.bill, "id"), "office.supplier_invoice.received", object{
			"status": "open", "number": c.bill["number"], "supplier_id": c.bill["supplier_id"],
			"purchase_order_id": nil, "kind": "overhead", "billed_minor": total,
			"due_date": "2026-09-18", "discount_until": nil,
		})
		payable += total
		for _, body := range []string{"", encode(t, object{"amount_minor": total}), `{"amount_minor":1}`} {
			details := n.refusesQuietly("/office/supplier-invoices/"+text(c.bill, "id")+"/pay", body,
				http.StatusConflict, "direct_debit").details()
			agrees(t, "details", details, object{"collect_on": "2026-09-18"})
		}
	}
	// The bill of the opening has become overdue in the same minute.
	n.keepsCash(object{"payable_minor": payable + 7920})
	for range 4 {
		n.day()
	}
	n.tick(478)
	agrees(t, "before the close of Friday the bill", n.row("/office/supplier-invoices/"+text(landlord, "id")),
		object{"status": "open"})
	at = n.newest()
	n.tick(1)
	events := n.feed(at)
	for _, bill := range bills {
		id, amount := text(bill, "id"), number(t, bill, "billed_minor")
		agrees(t, "the bill", n.row("/office/supplier-invoices/"+id), object{
			"status": "paid", "paid_by": "direct_debit", "paid_minor": amount, "credited_minor": 0, "discount_minor": 0,
			"late_fee_minor": 0, "paid_on": "2026-09-18",
		})
		n.says(events, id, "office.supplier_invoice.paid", object{
			"status": "paid", "paid_minor": amount, "credited_minor": 0, "discount_minor": 0, "paid_by": "direct_debit",
		})
		agrees(t, "the ledger", one(t, n.all("/office/ledger?kind=overhead"), "reference_id", id),
			object{"amount_minor": -amount, "entry_on": "2026-09-18"})
		details := n.refusesQuietly("/office/supplier-invoices/"+id+"/pay", "", http.StatusConflict,
			"already_paid").details()
		agrees(t, "details", details, object{"paid_on": "2026-09-18", "paid_by": "direct_debit"})
	}
	for _, row := range n.all("/office/suppliers") {
		if row["on_hold"] == true && row["kind"] == "services" {
			t.Errorf("%v is on hold", row["id"])
		}
	}
	n.tick(1)
	second := n.all("/office/supplier-invoices?kind=overhead&status=open")
	for _, bill := range second {
		if bill["supplier_id"] == "sup_lessor" {
			agrees(t, "the second week's lease", bill,
				object{"billed_minor": 100000, "issued_on": "2026-09-21", "due_date": "2026-09-25"})
		}
	}
	if len(second) != 2 {
		t.Errorf("on the second Monday come %v", second)
	}
	watch(n).ended()
}

// stockValue returns the value of the warehouse by the summary.
func (n *tenant) stockValue() int64 {
	n.t.Helper()
	return number(n.t, child(n.t, n.row("/sandbox"), "inventory"), "stock_value_minor")
}

// TestTheBankBillsForTheOverdraft is in debt for three closes.
func TestTheBankBillsForTheOverdraft(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FIELDS.CASH", "OPEN.SANDBOX.FIELDS.MONEY", "OPEN.EVT.OFFICE.SUPPLIER_INVOICE.RECEIVED",
		"OPEN.CASH.SPENDING")
	n := calmCompany(t, "auto", object{"cash_minor": 0, "overdraft_limit_minor": 400000})
	n.pay(text(n.openingBill(), "id"), `{"amount_minor":384000}`).want(http.StatusOK, "")
	// Customers pay 2,100.00 on the second and 3,400.00 on the fourth day.
	for day, cash := range []int64{-384000, -174000, -174000, 166000, 166000} {
		n.tick(479)
		agrees(t, "cash", n.row("/office/cash"), object{"cash_minor": cash})
		negative := int64(0)
		if cash < 0 {
			negative = int64(day) + 1
		}
		n.keepsCash(object{"days_negative": negative})
		agrees(t, "the sandbox", n.row("/sandbox"), object{"days_negative": negative})
		n.tick(1)
	}
	// 0.05 % a day of 3,840.00 and twice of 1,740.00.
	interest := one(t, n.all("/office/supplier-invoices?kind=overhead"), "supplier_id", "sup_bank")
	if got := services(t, interest)["overdraft_interest"]; got != 366 {
		t.Errorf("the bank bills %d: %v", got, interest)
	}
	agrees(t, "the bill of the bank", interest,
		object{"billed_minor": 366, "due_date": "2026-09-18", "match_status": "not_applicable"})
	details := n.refusesQuietly("/office/supplier-invoices/"+text(interest, "id")+"/pay", "", http.StatusConflict,
		"direct_debit").details()
	agrees(t, "details", details, object{"collect_on": "2026-09-18"})
	watch(n).ended()
}

// TestADebitIsNotStoppedByAnEmptyAccount has nothing to pay the rent with.
func TestADebitIsNotStoppedByAnEmptyAccount(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.CASH.SPENDING", "OPEN.ERR.INSUFFICIENT_FUNDS")
	n := calmCompany(t, "auto", object{"cash_minor": 0, "overdraft_limit_minor": 0, "opening_documents": false})
	for range 9 {
		n.day()
	}
	n.tick(479)
	debited := n.all("/office/ledger?kind=overhead")
	if len(debited) != 2 {
		t.Fatalf("debited were %v", debited)
	}
	cash := number(t, n.row("/office/cash"), "cash_minor")
	if total := sums(t, debited, "amount_minor"); total >= 0 || cash > total {
		t.Errorf("debited were %d, the cash is %d", total, cash)
	}
	if len(n.all("/office/purchase-orders")) != 0 || len(n.all("/factory/deliveries")) != 0 {
		t.Error("a company without documents has bought")
	}
}
