package contract

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
)

// These are the steps of a client that buys material.

// require files a requisition for some lines.
func (n *tenant) require(lines ...object) *answer {
	n.t.Helper()
	return n.post("/office/requisitions", encode(n.t, object{"lines": lines}))
}

// purchase orders so much of one material from a supplier.
func (n *tenant) purchase(supplier, sku string, quantity int) *answer {
	n.t.Helper()
	return n.post("/office/purchase-orders",
		encode(n.t, object{"supplier_id": supplier, "lines": []object{{"sku": sku, "quantity": quantity}}}))
}

// ordered is a purchase order that its supplier has seen.
func (n *tenant) ordered(supplier, sku string, quantity int) object {
	n.t.Helper()
	order := n.purchase(supplier, sku, quantity).want(http.StatusCreated, "").Data()
	if order["status"] == "pending_approval" {
		return n.post("/office/purchase-orders/"+text(order, "id")+"/approve", "").want(http.StatusOK, "").Data()
	}
	return order
}

// countIn counts everything in that came undamaged with a delivery.
func (n *tenant) countIn(delivery string) object {
	n.t.Helper()
	return n.post("/factory/goods-receipts", encode(n.t, object{"delivery_id": delivery})).
		want(http.StatusCreated, "").Data()
}

// record records at Head Office what has been accepted of one material.
func (n *tenant) record(order, sku string, accepted int64) *answer {
	n.t.Helper()
	return n.post("/office/goods-receipts",
		encode(n.t, object{"purchase_order_id": order, "lines": []object{{"sku": sku, "quantity_accepted": accepted}}}))
}

// pay pays a supplier; the body may be "".
func (n *tenant) pay(invoice, body string) *answer {
	n.t.Helper()
	return n.post("/office/supplier-invoices/"+invoice+"/pay", body)
}

// deliveryFor is the truck that came for a purchase order.
func (n *tenant) deliveryFor(order object) object {
	n.t.Helper()
	return one(n.t, n.all("/factory/deliveries"), "purchase_order_number", text(order, "number"))
}

// billFor is the supplier's invoice for a purchase order.
func (n *tenant) billFor(order object) object {
	n.t.Helper()
	return one(n.t, n.all("/office/supplier-invoices"), "purchase_order_id", text(order, "id"))
}

// numbered is the row of a list that has a number.
func (n *tenant) numbered(path, number string) object {
	n.t.Helper()
	return one(n.t, n.all(path), "number", number)
}

// runLow prints so many notebooks that the uncoated paper goes low, and
// returns the stock item.
func (n *tenant) runLow() object {
	t := n.t
	t.Helper()
	const sheetsPerUnit = 32
	item := n.row("/factory/stock/itm_uncoated")
	units := (number(t, item, "on_hand")-number(t, item, "reorder_point"))/sheetsPerUnit + 1
	n.print(text(n.work("prd_notebook", int(units), ""), "id"))
	item = n.row("/factory/stock/itm_uncoated")
	if item["status"] != "low" {
		t.Fatalf("after the run %v of the paper are left and it is %v", item["on_hand"], item["status"])
	}
	return item
}

// wrote checks which events were written since a number, in their order, and
// returns them. Missions come last and may be left out.
func (n *tenant) wrote(since uint64, want ...string) []object {
	n.t.Helper()
	events := n.feed(since)
	if got := slices.DeleteFunc(types(events),
		func(kind string) bool { return !notMission(kind) }); !slices.Equal(got, want) {
		n.t.Errorf("written were %v, want %v", got, want)
	}
	return events
}

// refusesQuietly makes a call that has to be refused, and checks that it
// changed no row and wrote no event.
func (n *tenant) refusesQuietly(path, body string, status int, code string) *answer {
	n.t.Helper()
	left, at := n.refused, n.newest()
	before := left.rows
	if left.newest != at || left.at != left.writes.Load() { // something was done since the last refusal
		before = n.snapshot()
		at = n.newest() // reading completes missions
	}
	a := n.post(path, body).want(status, code)
	after := n.snapshot()
	if encode(n.t, after) != encode(n.t, before) || n.newest() != at {
		n.t.Errorf("%s was refused and changed the company", a.asked)
	}
	left.rows, left.newest, left.at = after, at, left.writes.Load()
	return a
}

// sums adds up a member of rows.
func sums(t testing.TB, list []object, name string) int64 {
	t.Helper()
	total := int64(0)
	for _, row := range list {
		total += number(t, row, name)
	}
	return total
}

// calm is a company without customers and without trouble among its people,
// whose suppliers deliver on the next working day and bill what they agreed
// to. The members change it further.
func calm(t testing.TB, members object) map[string]object {
	t.Helper()
	made := object{
		"demand": object{
			"per_day": 0, "per_day_max": 1, "reputation_base": 1, "reputation_slope": 0, "reputation_start": 0.6,
			"price_factor": 1, "due_days": []int{4, 9}, "answer_days": 2, "cancel_after_days": 7,
			"late_pct_per_day": 3, "late_cap_pct": 30,
		},
		"supply": supply(0.1, 1, 0),
		"contract_lots": object{
			"every_days": 0, "first_days": []int{0, 0}, "sheets": []int{0, 0}, "price_pct": []int{0, 0},
			"answer_days": 0, "deliver_days": []int{0, 0}, "penalty_pct": 0,
		},
		"staff": object{"sick_pct_day": 0, "leave_every_days": 0, "quit_pct_day": 0, "auto_rehire": true,
			"hire_fee_minor": 120000},
	}
	maps.Copy(made, members)
	return map[string]object{"calm": made}
}

// supply is how suppliers behave: factors on their lead times, prices and
// mistakes.
func supply(lead, price, mistakes float64) object {
	return object{
		"lead_factor": lead, "price_factor": price, "billing_error_factor": mistakes,
		"two_trucks_factor": 0, "billed_twice_factor": 0,
		"purchase_order_approval_minor": 300000, "requisition_auto_minor": 200000,
	}
}

// calmCompany is a sandbox of a calm company with a bridge.
func calmCompany(t testing.TB, bridge string, members object) *tenant {
	t.Helper()
	return serve(t, presets(t, calm(t, members))).
		create(t, fmt.Sprintf(`{"preset":"calm","seed":5,"bridge":%q,"clock":"manual"}`, bridge))
}
