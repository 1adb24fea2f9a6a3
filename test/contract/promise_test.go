package contract

import (
	"fmt"
	"maps"
	"net/http"
	"testing"
)

// TestRushOrdersAreDueAtOnceAndPayMore than the same orders where nobody is in a hurry.
func TestRushOrdersAreDueAtOnceAndPayMore(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.SALES_ORDER.RUSH", "OPEN.FIELDS.SALES_ORDER")
	received := func(rushPct int) []object {
		made := calm(t, nil)
		demand, _ := made["calm"]["demand"].(object)
		maps.Copy(demand, object{"per_day": 20, "per_day_max": 30, "rush_pct": []int{rushPct, rushPct}})
		n := serve(t, presets(t, made)).create(t, `{"preset":"calm","seed":5,"clock":"manual"}`)
		n.day()
		return n.all("/office/sales-orders?status=received")
	}
	ordinary, rush := received(0), received(100)
	if len(rush) != len(ordinary) || len(rush) < 10 {
		t.Fatalf("%d orders came in a hurry, and %d without", len(rush), len(ordinary))
	}
	due := map[int64]int{}
	for i, order := range rush {
		calm := ordinary[i]
		agrees(t, "the order without hurry", calm, object{"rush": false, "number": order["number"],
			"customer_id": order["customer_id"], "sku": order["sku"], "quantity": order["quantity"]})
		if text(order, "number") <= "SO-1003" { // those of the opening
			agrees(t, "an order of the opening", order, object{"rush": false})
			continue
		}
		days := workingDays(t, order["received_on"], order["due_date"])
		due[days]++
		agrees(t, "a rush order", order, object{"rush": true, "late_discount_pct_per_day": 10,
			"late_discount_cap_pct": calm["late_discount_cap_pct"]})
		waits, answer := workingDays(t, order["due_date"], order["cancel_after"]),
			workingDays(t, order["received_on"], order["answer_by"])
		if days < 1 || days > 2 || waits != 2 || answer != 1 {
			t.Errorf("%v is due in %d days, to be answered in %d, and waits %d", order["number"], days, answer, waits)
		}
		price := float64(number(t, calm, "unit_price_minor")) // both are rounded
		between(t, "the price in a hurry", number(t, order, "unit_price_minor"),
			1.35*(price-0.5)-0.5, 1.35*(price+0.5)+0.5)
	}
	if due[1] == 0 || due[2] == 0 {
		t.Errorf("rush orders are due within %v working days", due)
	}
}

// satisfied is how satisfied the customer of an order is.
func (n *tenant) satisfied(order object) string {
	n.t.Helper()
	return fmt.Sprint(n.row("/office/customers/" + text(order, "customer_id"))["satisfaction_pct"])
}

// TestCustomersRememberTheirOwnOrders, and nobody else's.
func TestCustomersRememberTheirOwnOrders(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.CUSTOMER.SATISFACTION", "OPEN.FIELDS.CUSTOMER", "OPEN.SCORE.PROMISES",
		"OPEN.SANDBOX.FIELDS.SCORE", "OPEN.STATE.SALES_ORDER.MISSED", "OPEN.STATE.SALES_ORDER.LAPSED")
	n := calmCompany(t, "auto", object{"opening_documents": false})
	w := watch(n)
	for _, customer := range n.all("/office/customers") {
		agrees(t, "a new customer", customer, object{"satisfaction_pct": 60})
	}
	order := func(days int) object {
		made := n.pulls(object{"type": "order", "sku": "prd_card", "quantity": 10, "days": days})
		return n.row("/office/sales-orders/" + text(made, "id"))
	}
	var inTime, late, declined, lapsed, missed object
	var works []string
	w.step("orders of five customers", func() {
		inTime, late, declined, lapsed, missed = order(6), order(1), order(6), order(6), order(1)
		for _, o := range []object{inTime, late, missed} {
			works = append(works, text(n.accept(text(o, "id")), "bridged_work_order_id"))
		}
		n.post("/office/sales-orders/"+text(declined, "id")+"/decline", "").want(http.StatusOK, "")
		n.finish(works[0])
		n.dispatch(works[0])
	})
	w.step("two days late", func() {
		n.untilDay(3)
		n.finish(works[1])
		n.dispatch(works[1])
	})
	lot := n.pulls(object{"type": "contract_lot", "sku": "prd_poster"})
	n.post("/office/contract-lots/"+text(lot, "id")+"/accept", "").want(http.StatusOK, "")
	w.step("two weeks", func() { n.untilDay(16) })
	for what, c := range map[string]struct {
		order                object
		status, satisfaction string
	}{
		"in time": {inTime, "paid", "64"}, "two days late": {late, "paid", "44"},
		"declined":       {declined, "declined", "58.5"},
		"never answered": {lapsed, "expired", "54"}, "never sent": {missed, "expired", "30"},
	} {
		now := n.row("/office/sales-orders/" + text(c.order, "id"))
		if got := n.satisfied(now); got != c.satisfaction || now["status"] != c.status {
			t.Errorf("%s: the order is %v, its customer %s satisfied, want %s and %s",
				what, now["status"], got, c.status, c.satisfaction)
		}
	}
	touched := map[any]bool{}
	for _, o := range []object{inTime, late, declined, lapsed, missed} {
		touched[o["customer_id"]] = true
	}
	if len(touched) != 5 {
		t.Fatalf("the orders are those of %v", touched)
	}
	for _, customer := range n.all("/office/customers") {
		if !touched[customer["id"]] {
			agrees(t, "a customer without orders", customer, object{"satisfaction_pct": 60})
		}
	}
	agrees(t, "the lot", n.row("/office/contract-lots/"+text(lot, "id")), object{"expired_reason": "delivery_missed"})
	// One of three came in time.
	agrees(t, "the score", child(t, n.row("/sandbox"), "score"),
		object{"orders_shipped": 2, "orders_expired": 1, "orders_lapsed": 1,
			"lots_expired": 1, "lots_delivered": 0, "on_time_pct": 33.33})
	w.ended()
}

// TestSatisfiedCustomersOrderMore declines the orders of every other customer until they
// are not satisfied at all, and then counts whose orders come.
func TestSatisfiedCustomersOrderMore(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.CUSTOMER.SATISFACTION")
	made := calm(t, object{"opening_documents": false, "cash_minor": 50_000_000})
	demand, _ := made["calm"]["demand"].(object)
	maps.Copy(demand, object{"per_day": 20, "per_day_max": 30})
	settings := presets(t, made)
	maps.Copy(settings, map[string]string{"key-rate": "0", "ip-rate": "0"})
	n := serve(t, settings).create(t, `{"preset":"calm","seed":5,"clock":"manual"}`)
	annoyed := map[any]bool{}
	for i, customer := range n.all("/office/customers") {
		annoyed[customer["id"]] = i%2 == 0
	}
	const most = 1000
	for range most {
		order := n.row("/office/sales-orders/" + text(n.pulls(object{"type": "order", "days": 60}), "id"))
		if !annoyed[order["customer_id"]] {
			n.accept(text(order, "id"))
		} else {
			n.post("/office/sales-orders/"+text(order, "id")+"/decline", "").want(http.StatusOK, "")
		}
		done := true
		for _, customer := range n.all("/office/customers") {
			done = done && (!annoyed[customer["id"]] || fmt.Sprint(customer["satisfaction_pct"]) == "0")
		}
		if done {
			break
		}
	}
	at := n.newest()
	for range 10 {
		n.day()
	}
	come := map[bool]int{}
	for _, e := range ofType(n.feed(at), "office.sales_order.received") {
		come[annoyed[child(t, e, "data")["customer_id"]]]++
	}
	if come[true] == 0 || 3*come[true] > 2*come[false] {
		t.Errorf("%d orders came of those who are not satisfied, %d of all others", come[true], come[false])
	}
}

// TestACustomerWhoHasTheGoodsWaitsForTheBill, of an order and of a lot.
func TestACustomerWhoHasTheGoodsWaitsForTheBill(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.SALES_ORDER.BILLED_LATE", "OPEN.STATE.SALES_ORDER.MISSED", "OPEN.STATE.CONTRACT_LOT",
		"OPEN.STATE.CUSTOMER_INVOICE.PHYSICAL", "OPEN.SCORE.PROMISES")
	n := calmCompany(t, "manual", object{"opening_documents": false, "customers": object{"late_factor": 0}})
	w := watch(n)
	var order, lot object
	w.step("goods that nobody bills", func() {
		made := n.pulls(object{"type": "order", "sku": "prd_card", "quantity": 10, "days": 1})
		order = n.accept(text(made, "id"))
		offered := n.pulls(object{"type": "contract_lot", "sku": "prd_notebook"})
		lot = n.post("/office/contract-lots/"+text(offered, "id")+"/accept", "").want(http.StatusOK, "").Data()
		for _, row := range []object{order, lot} {
			work := text(n.work(text(row, "sku"), int(number(t, row, "quantity")), text(row, "id")), "id")
			n.print(work)
			n.until("factory.work_order.ready")
			n.dispatch(work)
		}
	})
	n.untilDay(14)
	for path, row := range map[string]object{"/office/sales-orders/": order, "/office/contract-lots/": lot} {
		now := n.row(path + text(row, "id"))
		last, status := text(now, "cancel_after"), "accepted"
		if last == "" {
			last = text(now, "deliver_by")
		}
		if today := text(n.get("/office/cash").Meta(), "sim_date"); today <= last {
			t.Fatalf("it is %s, and %s is not over", today, last)
		}
		agrees(t, "not billed, it", now, object{"status": status, "expired_reason": nil})
	}
	w.step("the bills come late", func() {
		bill := child(t, n.bill(text(order, "id")), "invoice")
		agrees(t, "the bill", bill, object{"total_minor": order["total_minor"], "late_discount_minor": 0})
		n.billLot(lot).want(http.StatusCreated, "")
	})
	w.step("weeks pass", func() { n.untilDay(50) })
	agrees(t, "in the end the order", n.row("/office/sales-orders/"+text(order, "id")), object{"status": "paid"})
	agrees(t, "in the end the lot", n.row("/office/contract-lots/"+text(lot, "id")), object{"status": "delivered"})
	for _, invoice := range n.all("/office/customer-invoices") {
		agrees(t, "in the end the invoice", invoice,
			object{"status": "paid", "late_discount_minor": 0, "amount_paid_minor": invoice["gross_minor"]})
	}
	if len(n.penalties()) > 0 {
		t.Errorf("there are the penalties %v", n.penalties())
	}
	agrees(t, "the score", child(t, n.row("/sandbox"), "score"),
		object{"orders_shipped": 1, "orders_expired": 0, "lots_expired": 0,
			"lots_delivered": 1, "on_time_pct": 100})
	w.ended()
}
