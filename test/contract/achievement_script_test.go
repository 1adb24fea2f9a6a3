package contract

import (
	"maps"
	"net/http"
	"testing"
)

// deeds are scripted clients with the achievements that they unlock. Those of
// calls alone, and civic_duty, have tests of their own.
var deeds = []struct {
	name string
	// company returns the changes to the calm company.
	company func() object
	play    func(n *tenant)
	unlocks []string
}{
	{"runs", func() object { return object{} }, (*tenant).printsWell, []string{"gang_boss", "perfect_sheet"}},
	{"buyer", func() object { return object{"supply": supply(0.3, 1, 0)} }, (*tenant).buysWell,
		[]string{"approver", "sharp_eye", "early_bird"}},
	{"bargain", func() object { return object{} }, (*tenant).buysCheaply, []string{"market_timer"}},
	{"lots", func() object {
		return object{"customers": object{"late_factor": 0}, "contract_lots": object{
			"every_days": 1, "first_days": []int{1, 1}, "sheets": []int{300, 400}, "price_pct": []int{58, 80},
			"answer_days": 2, "deliver_days": []int{5, 5}, "penalty_pct": 15,
		}}
	}, (*tenant).deliversLots, []string{"lot_master"}},
	{"phoenix", func() object { return object{"cash_minor": 0, "overhead": noOverhead} }, (*tenant).waitsForCash,
		[]string{"phoenix"}},
	{"sixty days", func() object { return object{"cash_minor": 60_000_000} }, (*tenant).worksForSixtyDays,
		[]string{"on_the_dot", "first_profit", "crew_keeper", "marathon"}},
}

var noOverhead = object{
	"rent_minor_per_day": 0, "lease_minor_per_day": 0, "utilities_minor_per_day": 0, "insurance_minor_per_day": 0,
	"storage_basis_points_per_day": 0,
}

// TestGoodWorkIsNoticed plays each achievement of the company over HTTP, and
// looks each time that it was not there from the start.
func TestGoodWorkIsNoticed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ACHIEVEMENTS", "OPEN.FIELDS.ACHIEVEMENT")
	for _, d := range deeds {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			made := calm(t, d.company())
			if d.name == "sixty days" {
				demand, _ := made["calm"]["demand"].(object)
				demand["daily_order"] = object{
					"customer_id": "cus_lumen", "sku": "prd_notebook", "quantity": 10, "unit_price_minor": 60_000,
					"due_days": 5,
				}
			}
			settings := presets(t, made)
			maps.Copy(settings, map[string]string{"key-rate": "0", "ip-rate": "0"})
			n := serve(t, settings).create(t, `{"preset":"calm","seed":5,"clock":"manual"}`)
			for _, id := range d.unlocks {
				n.get("/sandbox/achievements/"+id).want(http.StatusNotFound, "not_found")
			}
			d.play(n)
			for _, id := range d.unlocks {
				n.unlocked(id)
			}
		})
	}
}

// gang prints several jobs of ten notebooks in one run.
func (n *tenant) gang(jobs, overs int) {
	n.t.Helper()
	ids := make([]any, jobs)
	for i := range ids {
		ids[i] = n.work("prd_notebook", 10, "")["id"]
	}
	n.post("/factory/print-runs", encode(n.t,
		object{"press_id": "prs_digital", "work_order_ids": ids, "overs_pct": overs})).want(http.StatusCreated, "")
	n.day()
}

// printsWell prints until five runs in a row came out in full.
func (n *tenant) printsWell() {
	n.gang(4, 20)
	const most = 12 // for which there is paper
	full := 0
	for range most {
		n.gang(1, 3)
		printed := children(n.t, n.all("/factory/print-runs")[0], "items")[0]
		if full++; number(n.t, printed, "quantity_short") > 0 {
			full = 0
		}
		if full == 5 {
			return
		}
	}
	n.t.Fatalf("of %d runs no five in a row came out in full", most)
}

func (n *tenant) buysWell() {
	for range 3 {
		if order := n.purchase("sup_mill", "mat_coated", 12_000).
			want(http.StatusCreated, "").Data(); order["status"] != "pending_approval" {
			n.t.Fatalf("the order is %v", order)
		} else {
			n.post("/office/purchase-orders/"+text(order, "id")+"/approve", "").want(http.StatusOK, "")
			n.pulls(object{"type": "wrong_bill", "purchase_order_id": order["id"]})
		}
	}
	paid := 0
	for range 15 {
		n.day()
		for _, truck := range n.all("/factory/deliveries?status=arrived") {
			n.countIn(text(truck, "id"))
		}
		for _, bill := range n.all("/office/supplier-invoices?status=open") {
			if matched := number(n.t, bill, "matched_minor"); bill["discount_until"] != nil && matched > 0 &&
				bill["number"] != "SI-7001" {
				n.pay(text(bill, "id"), encode(n.t, object{"amount_minor": matched})).want(http.StatusOK, "")
				paid++
			}
		}
		if paid == 3 {
			return
		}
	}
	n.t.Fatalf("%d bills were paid", paid)
}

func (n *tenant) buysCheaply() {
	for range 60 {
		for _, quote := range n.quotes() {
			if quote["ask_minor"] != nil && number(n.t, quote, "ask_minor")*10 <= number(n.t, quote, "base_minor")*9 {
				n.trade("buy", text(quote, "sku"), 1).want(http.StatusCreated, "")
				return
			}
		}
		n.day()
	}
	n.t.Fatal("nothing was cheap in sixty days")
}

func (n *tenant) deliversLots() {
	for range 3 {
		n.day()
		lot := n.all("/office/contract-lots?status=offered")[0]
		work := text(n.post("/office/contract-lots/"+text(lot, "id")+"/accept", "").want(http.StatusOK, "").Data(),
			"work_order_ref")
		n.finish(work)
		n.dispatch(work)
	}
	n.day()
	n.day()
}

func (n *tenant) waitsForCash() {
	for _, sku := range []string{"mat_board", "mat_coated", "mat_uncoated"} {
		n.trade("buy", sku, 5000).want(http.StatusCreated, "")
	}
	if cash := number(n.t, n.row("/sandbox"), "cash_minor"); cash > -600_000 {
		n.t.Fatalf("all paper that there is leaves a cash of %d", cash)
	}
	for range 12 {
		n.day()
		if number(n.t, n.row("/sandbox"), "cash_minor") > 0 {
			return
		}
	}
	n.t.Fatalf("the cash stays at %v", n.row("/sandbox")["cash_minor"])
}

// worksForSixtyDays carries an order a day for two weeks, and pays the wages to
// the end.
func (n *tenant) worksForSixtyDays() {
	const busyDays = 12
	for day := 1; day <= 61; day++ {
		n.untilDay(day)
		if day <= busyDays {
			order := n.all("/office/sales-orders?status=received&sku=prd_notebook")[0]
			work := text(n.accept(text(order, "id")), "bridged_work_order_id")
			if n.row("/factory/work-orders/" + work)["status"] != "ready" { // not from what was printed too much
				n.finish(work)
			}
			n.dispatch(work)
		}
		for _, run := range n.all("/office/payroll-runs?status=due") {
			n.payroll(text(run, "week_start")).want(http.StatusCreated, "")
		}
	}
}
