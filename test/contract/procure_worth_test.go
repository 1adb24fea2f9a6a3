package contract

import (
	"net/http"
	"testing"
)

// twins are two companies of the same seed: one buys, the other does nothing.
// The difference of their net worths is due to the purchases.
type twins struct {
	*tenant

	other *tenant
}

func bornTwice(t testing.TB, bridge string, members object) twins {
	t.Helper()
	s := serve(t, presets(t, calm(t, members)))
	body := `{"preset":"calm","seed":5,"bridge":"` + bridge + `","clock":"manual"}`
	return twins{tenant: s.create(t, body), other: s.create(t, body)}
}

func (w twins) pass(minutes int) {
	w.t.Helper()
	w.tick(minutes)
	w.other.tick(minutes)
}

// ahead checks how much more the buyer has than its twin.
func (w twins) ahead(when string, worth, cash, payable, stock int64) {
	w.t.Helper()
	rows(w.t, "OPEN.SANDBOX.FIELDS.MONEY", "OPEN.FIELDS.CASH")
	mine, others := w.row("/sandbox"), w.other.row("/sandbox")
	for what, got := range map[string][2]int64{
		"net worth": {number(w.t, mine, "net_worth_minor") - number(w.t, others, "net_worth_minor"), worth},
		"cash":      {number(w.t, mine, "cash_minor") - number(w.t, others, "cash_minor"), cash},
		"payable": {number(w.t, w.row("/office/cash"), "payable_minor") - number(w.t, w.other.row("/office/cash"),
			"payable_minor"), payable},
		"stock": {w.stockValue() - w.other.stockValue(), stock},
	} {
		if got[0] != got[1] {
			w.t.Errorf("%s: the %s is %d ahead, want %d", when, what, got[0], got[1])
		}
	}
}

func TestBuyingOnCreditMakesNobodyPoorer(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.SANDBOX.FIELDS.MONEY", "OPEN.FIELDS.STOCK_ITEM", "OPEN.BODY.OFFICE.SUPPLIER_INVOICES.PAY")
	w := bornTwice(t, "auto", nil)
	order := w.ordered("sup_quick", "mat_uncoated", 6000)
	papers := []object{order}
	w.ahead("ordered", 0, 0, 0, 0)
	w.pass(480)
	w.pass(90)
	w.ahead("at the gate", 0, 0, 0, 0)
	w.countIn(text(w.deliveryFor(order), "id"))
	// 6,000 sheets at 0.30 beside 6,000 at 0.24.
	w.ahead("counted in", 0, 0, 0, 180000)
	agrees(t, "the paper", w.row("/factory/stock/itm_uncoated"), object{"on_hand": 12000, "average_cost_minor": 27})
	w.pass(480)
	w.pass(30)
	w.ahead("billed", 0, 0, 180000, 180000)
	for _, paper := range papers {
		w.pay(text(w.billFor(paper), "id"), "").want(http.StatusOK, "")
	}
	w.ahead("paid", 0, -180000, 0, 180000)
}

func TestTheDiscountIsEarnedWhenItIsTaken(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.SANDBOX.FIELDS.MONEY", "OPEN.FIELDS.SUPPLIER_INVOICE")
	w := bornTwice(t, "auto", nil)
	order := w.ordered("sup_chroma", "mat_plate", 10)
	w.pass(480)
	w.pass(90)
	w.countIn(text(w.deliveryFor(order), "id"))
	w.pass(480)
	w.pass(30)
	w.ahead("billed", 0, 0, 9500, 9500)
	w.pay(text(w.billFor(order), "id"), "").want(http.StatusOK, "")
	w.ahead("paid", 95, -9405, 0, 9500)
}

// TestAWrongBillCostsNothingUntilItIsPaid buys from a supplier whose bills are
// always wrong, and pays one as it should be and one as it was billed.
func TestAWrongBillCostsNothingUntilItIsPaid(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.SANDBOX.FIELDS.MONEY", "OPEN.STATE.SUPPLIER_INVOICE.MATCH", "OPEN.MISSION.THREE_WAY_MATCH")
	w := bornTwice(t, "auto", object{"supply": supply(0.1, 1, 10)})
	orders := []object{w.ordered("sup_bargain", "mat_ink", 20), w.ordered("sup_bargain", "mat_ink", 21)}
	w.pass(480)
	w.pass(90)
	stock := int64(0)
	for _, order := range orders {
		accepted := sums(t, children(t, w.countIn(text(w.deliveryFor(order), "id")), "lines"), "quantity_accepted")
		stock += accepted * number(t, children(t, order, "lines")[0], "unit_price_minor")
	}
	w.ahead("counted in", 0, 0, 0, stock)
	w.pass(480)
	w.pass(30)
	first, second := w.billFor(orders[0]), w.billFor(orders[1])
	right, wrong := number(t, first, "matched_minor"), number(t, second, "billed_minor")
	if right >= number(t, first, "billed_minor") || right+number(t, second, "matched_minor") != stock {
		t.Errorf("the bills are %v and %v for goods of %d", first, second, stock)
	}
	w.ahead("billed", 0, 0, number(t, first, "billed_minor")+wrong, stock)
	w.pay(text(first, "id"), encode(t, object{"amount_minor": right})).want(http.StatusOK, "")
	w.ahead("paid as it should be", 0, -right, wrong, stock)
	w.pay(text(second, "id"), encode(t, object{"amount_minor": wrong})).want(http.StatusOK, "")
	w.ahead("paid as billed", stock-right-wrong, -right-wrong, 0, stock)
}

// TestWhatTheFactoryHasTakenInIsOwed records nothing at Head Office.
func TestWhatTheFactoryHasTakenInIsOwed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.SANDBOX.FIELDS.MONEY", "OPEN.BRIDGE.MANUAL")
	w := bornTwice(t, "manual", nil)
	order := w.ordered("sup_quick", "mat_uncoated", 6000)
	w.pass(480)
	w.pass(90)
	w.countIn(text(w.deliveryFor(order), "id"))
	w.ahead("counted in", 0, 0, 0, 180000)
	w.pass(480)
	w.pass(30)
	w.ahead("billed", 0, 0, 180000, 180000)
	w.record(text(order, "id"), "mat_uncoated", 6000).want(http.StatusCreated, "")
	w.ahead("recorded", 0, 0, 180000, 180000)
	w.pay(text(w.billFor(order), "id"), "").want(http.StatusOK, "")
	w.ahead("paid", 0, -180000, 0, 180000)
}
