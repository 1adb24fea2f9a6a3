package contract

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// pulls brings something about.
func (n *tenant) pulls(body object) object {
	n.t.Helper()
	before := n.newest()
	data := n.post("/sandbox/triggers", encode(n.t, body)).want(http.StatusOK, "").Data()
	if wrote := uint64(len(company(n.feed(before)))); uint64(number(n.t, data, "events_written")) < wrote {
		n.t.Errorf("%v says that it wrote %v events; %d are there", body, data["events_written"], wrote)
	}
	agrees(n.t, "the trigger", data, object{"type": body["type"]})
	return data
}

// until moves the clock until an event of a type, and returns it.
func (n *tenant) until(kind string) object {
	n.t.Helper()
	before := n.newest()
	data := n.post("/sandbox/tick", encode(n.t, object{"until": object{"event_types": []any{kind}}})).
		want(http.StatusOK, "").Data()
	found := ofType(n.feed(before), kind)
	if data["stopped_by"] != "event_type" || len(found) == 0 {
		n.t.Fatalf("no %s came: stopped by %v", kind, data["stopped_by"])
	}
	return found[0]
}

// soon is a sandbox with a purchase whose truck is under way.
func (n *tenant) soon() object {
	n.t.Helper()
	return n.purchase("sup_chroma", "mat_plate", 20).want(http.StatusCreated, "").Data()
}

func TestTriggersAreTrueCauses(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TRIGGER.PULL", "OPEN.TRIGGER.CAUSE", "OPEN.TRIGGER.ASSISTED", "OPEN.SANDBOX.FIELDS.ASSISTED")
	for name, pull := range map[string]func(t *testing.T, n *tenant){
		"orders": func(t *testing.T, n *tenant) {
			t.Helper()
			card := n.all("/office/products")[0]
			for _, p := range n.all("/office/products") {
				if p["sku"] == "prd_card" {
					card = p
				}
			}
			made := n.pulls(object{"type": "order", "sku": "prd_card", "quantity": 12, "days": 9})
			agrees(t, "the order", n.row("/office/sales-orders/"+text(made, "id")), object{
				"sku": "prd_card", "quantity": 12, "unit_price_minor": card["list_price_minor"], "status": "received",
				"due_date": "2026-09-18",
			})
			rush := n.pulls(object{"type": "rush_order"})
			agrees(t, "the rush order", n.row("/office/sales-orders/"+text(rush, "id")),
				object{"due_date": "2026-09-08", "rush": true})
			n.accept(text(rush, "id"))
			lot := n.pulls(object{"type": "contract_lot", "sku": "prd_poster"})
			agrees(t, "the lot", n.row("/office/contract-lots/"+text(lot, "id")),
				object{"sku": "prd_poster", "status": "offered"})
			n.post("/office/contract-lots/"+text(lot, "id")+"/accept", "").want(http.StatusOK, "")
		},
		"payments": func(t *testing.T, n *tenant) {
			t.Helper()
			cash := number(t, n.row("/office/cash"), "cash_minor")
			paid := n.row("/office/customer-invoices/" + text(n.pulls(object{"type": "customer_pays"}), "id"))
			agrees(t, "the invoice", paid, object{"status": "paid", "balance_minor": 0})
			if got := number(t, n.row("/office/cash"), "cash_minor"); got != cash+number(t, paid, "total_minor") {
				t.Errorf("%d came of an invoice of %v", got-cash, paid["total_minor"])
			}
			n.post("/sandbox/triggers", encode(t, object{"type": "customer_pays", "customer_invoice_id": paid["id"]})).
				want(http.StatusConflict, "trigger_impossible")
			late := n.pulls(object{"type": "customer_disputes", "days": 3})
			overdue := n.until("office.customer_invoice.overdue")
			agrees(t, "what is overdue", child(t, overdue, "data"),
				object{"id": late["id"], "dispute_code": "goods_not_received"})
			for n.row("/office/customer-invoices/" + text(late, "id"))["status"] != "paid" {
				n.until("office.customer_invoice.paid")
			}
			agrees(t, "the invoice in the end", n.row("/office/customer-invoices/"+text(late, "id")),
				object{"dispute_code": nil})
			n.pulls(object{"type": "payment_outage", "days": 2})
			n.post("/sandbox/triggers", `{"type":"customer_pays"}`).want(http.StatusConflict, "trigger_impossible")
		},
		"trucks": func(t *testing.T, n *tenant) {
			t.Helper()
			order := n.soon()
			n.pulls(object{"type": "truck_short", "purchase_order_id": order["id"], "pct": 50})
			n.pulls(object{"type": "truck_damaged", "purchase_order_id": order["id"], "pct": 10})
			n.pulls(object{"type": "wrong_bill", "purchase_order_id": order["id"]})
			before := n.newest()
			agrees(t, "the early truck", n.pulls(object{"type": "truck_early", "purchase_order_id": order["id"]}),
				object{"sim_date": "2026-09-07"})
			arrived := ofType(n.feed(before), "factory.delivery.arrived")
			agrees(t, "the truck", children(t, child(t, arrived[0], "data"), "lines")[0],
				object{"quantity_advised": 20, "quantity_counted": 10, "quantity_damaged": 1})
			n.countIn(text(child(t, arrived[0], "data"), "id"))
			for {
				billed := child(t, n.until("office.supplier_invoice.received"), "data")
				if billed["purchase_order_id"] == order["id"] {
					agrees(t, "the bill", n.row("/office/supplier-invoices/"+text(billed, "id")),
						object{"match_status": "quantity_and_price_mismatch"})
					break
				}
			}
			other := n.soon()
			late := func(days int) string {
				return text(n.pulls(object{"type": "truck_late", "purchase_order_id": other["id"], "days": days}),
					"sim_date")
			}
			first := late(1)
			if second := late(4); second <= first {
				t.Errorf("four days later is %s, one was %s", second, first)
			}
			n.post("/sandbox/triggers", encode(t, object{"type": "truck_late", "purchase_order_id": order["id"]})).
				want(http.StatusConflict, "trigger_impossible")
		},
		"people": func(t *testing.T, n *tenant) {
			t.Helper()
			for _, trigger := range []struct{ kind, event string }{
				{"employee_sick", "hr.employee.sick"}, {"employee_quits", "hr.employee.quit"},
			} {
				kind := trigger.kind
				pulled := n.pulls(object{"type": kind})
				happened := n.until(trigger.event)
				if child(t, happened, "data")["id"] != pulled["id"] || happened["sim_date"] != pulled["sim_date"] {
					t.Errorf("%s: %v brought about %v", kind, pulled, happened)
				}
			}
			n.pulls(object{"type": "employee_sick", "badge_no": "1006", "days": 20})
			n.until("hr.employee.sick")
			n.pulls(object{"type": "employee_returns", "badge_no": "1006"})
			agrees(t, "who returns", child(t, n.until("hr.employee.returned"), "data"), object{"badge_no": "1006"})
			leave := n.pulls(object{"type": "leave", "badge_no": "1005", "days": 4})
			agrees(t, "the leave", n.row("/office/leave-requests/"+text(leave, "id")), object{"days": 4})
		},
		"stock and prices": func(t *testing.T, n *tenant) {
			t.Helper()
			item := n.row("/factory/stock/" + text(n.pulls(object{"type": "stock_low", "sku": "mat_ink"}), "id"))
			agrees(t, "the ink", item, object{"status": "low"})
			n.post("/sandbox/triggers", `{"type":"stock_low","sku":"mat_ink"}`).
				want(http.StatusConflict, "trigger_impossible")
			ask := number(t, n.quoted("mat_board"), "ask_minor")
			n.pulls(object{"type": "market_move", "sku": "mat_board", "pct": 50})
			if now := number(t, n.quoted("mat_board"), "ask_minor"); now < ask*149/100 || now > ask*151/100+1 {
				t.Errorf("half as much again as %d is %d", ask, now)
			}
		},
		"the world": func(t *testing.T, n *tenant) {
			t.Helper()
			for _, kind := range []string{
				"paper_shortage", "courier_strike", "flu_wave", "press_fault", "power_cut", "trade_fair",
				"payment_outage", "heat_wave",
			} {
				pulled := n.pulls(object{"type": kind})
				agrees(t, kind, child(t, n.row("/sandbox/lore-events/"+text(pulled, "id")), "disruption"),
					object{"kind": kind})
				n.post("/sandbox/triggers", encode(t, object{"type": kind})).
					want(http.StatusConflict, "trigger_impossible")
			}
			n.post("/factory/print-runs", encode(t, object{"press_id": "prs_offset",
				"work_order_id": n.work("prd_card", 1, "x")["id"]})).want(http.StatusConflict, "press_down")
			n.until("sandbox.disruption.ended")
			n.pulls(object{"type": "story"})
			n.pulls(object{"type": "major_order"})
			n.post("/sandbox/triggers", `{"type":"major_order"}`).want(http.StatusConflict, "trigger_impossible")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := shared.create(t, `{"clock":"manual","seed":11}`)
			n.history() // reads complete missions
			agrees(t, "before", n.row("/sandbox"), object{"assisted": false})
			pull(t, n)
			n.day()
			agrees(t, "afterwards", n.row("/sandbox"), object{"assisted": true})
			agrees(t, "the report", n.row("/sandbox/report"),
				object{"assisted": true, "invariants": object{"hold": true, "violation": nil}})
			agrees(t, "a fork", n.fork("").row("/sandbox"), object{"assisted": true})
		})
	}
}

func TestTriggersAreListed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TRIGGER.LIST")
	n := shared.create(t, `{"clock":"manual"}`)
	listed := children(t, n.row("/sandbox/triggers"), "triggers")
	for _, kind := range listed {
		has(t, text(kind, "type"), kind, "summary", "needs", "fields", "events")
		a := n.post("/sandbox/triggers", encode(t, object{"type": kind["type"]}))
		if a.Status != http.StatusOK && a.Status != http.StatusConflict {
			t.Errorf("%v: %d %s", kind["type"], a.Status, a.Raw)
		}
	}
	if len(listed) < 20 {
		t.Errorf("%d triggers are listed", len(listed))
	}
}

func TestATriggerIsRefusedWhole(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TRIGGER.PULL", "OPEN.TRIGGER.IMPOSSIBLE", "OPEN.ERR.TRIGGER_IMPOSSIBLE", "OPEN.TRIGGER.EVALUATION")
	n := shared.create(t, `{"clock":"manual","preset":"empty"}`)
	n.history()
	before, hash := n.history(), n.stateHash()
	for body, want := range map[string]string{
		"":                                                          "invalid_json",
		`{}`:                                                        "validation_failed",
		`{"type":""}`:                                               "validation_failed",
		`{"type":"earthquake"}`:                                     "validation_failed",
		`{"type":"order","pct":5}`:                                  "validation_failed",
		`{"type":"order","days":0}`:                                 "validation_failed",
		`{"type":"order","days":61}`:                                "validation_failed",
		`{"type":"order","quantity":-1}`:                            "validation_failed",
		`{"type":"order","quantity":1e99}`:                          "validation_failed",
		`{"type":"order","sku":"mat_ink"}`:                          "validation_failed",
		`{"type":"order","sku":"\u0000"}`:                           "validation_failed",
		`{"type":"stock_low","sku":"prd_card"}`:                     "validation_failed",
		`{"type":"market_move","pct":0}`:                            "validation_failed",
		`{"type":"market_move","sku":"mat_ink"}`:                    "validation_failed",
		`{"type":"truck_short","pct":-5}`:                           "validation_failed",
		`{"type":"power_cut","days":2}`:                             "validation_failed",
		`{"type":"order","type":"order"}`:                           "invalid_json",
		`{"type":"press_fault","press_id":"prs_none"}`:              "not_found",
		`{"type":"employee_sick","badge_no":"9999"}`:                "not_found",
		`{"type":"customer_pays","customer_invoice_id":"cin_none"}`: "not_found",
		`{"type":"truck_early","purchase_order_id":"po_none"}`:      "not_found",
		`{"type":"customer_pays"}`:                                  "trigger_impossible",
		`{"type":"customer_disputes"}`:                              "trigger_impossible",
		`{"type":"truck_early"}`:                                    "trigger_impossible",
		`{"type":"wrong_bill"}`:                                     "trigger_impossible",
		`{"type":"employee_returns"}`:                               "trigger_impossible",
	} {
		a := n.post("/sandbox/triggers", body)
		if got := text(a.Failure(), "code"); got != want {
			t.Errorf("%s: %d %q, want %q", body, a.Status, got, want)
		}
	}
	if n.history() != before || n.stateHash() != hash || n.row("/sandbox")["assisted"] != false {
		t.Error("a trigger that was refused changed something")
	}
	evaluated := shared.create(t, `{"preset":"agent_eval"}`)
	for _, kind := range []string{"order", "customer_pays", "power_cut"} {
		evaluated.post("/sandbox/triggers", fmt.Sprintf(`{"type":%q}`, kind)).
			want(http.StatusForbidden, "not_in_evaluation")
	}
	if slices.Contains(types(evaluated.feed(0)), "world.lore_event.started") {
		t.Error("something was brought about in an evaluation")
	}
}

func TestATriggerTakesTheCaseOfATest(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TRIGGER.FIELDS")
	n := shared.create(t, `{"clock":"manual","preset":"starter","seed":3}`)
	customers := n.all("/office/customers")
	customer := text(customers[len(customers)-1], "id")
	for kind, more := range map[string]object{
		"order": {"due_date": "2026-09-15"}, "rush_order": {},
	} {
		want := object{"sku": "prd_poster", "quantity": 3, "customer_id": customer, "unit_price_minor": 777}
		maps.Copy(want, more)
		asked := maps.Clone(want)
		asked["type"] = kind
		agrees(t, kind, n.row("/office/sales-orders/"+text(n.pulls(asked), "id")), want)
	}
	lot := object{"quantity": 4, "unit_price_minor": 500, "due_date": "2026-09-28"}
	asked := maps.Clone(lot)
	asked["type"] = "contract_lot"
	lot["deliver_by"] = lot["due_date"]
	delete(lot, "due_date")
	agrees(t, "the lot", n.row("/office/contract-lots/"+text(n.pulls(asked), "id")), lot)

	n.history()
	before, hash := n.history(), n.stateHash()
	for body, limit := range map[string]string{
		`{"type":"order","customer_id":"cus_none"}`:                "there are cus_",
		`{"type":"order","unit_price_minor":10000000}`:             "ten times the list price",
		`{"type":"order","unit_price_minor":0}`:                    "at least 1",
		`{"type":"order","due_date":"2026-09-12"}`:                 "from 2026-09-08 to ",
		`{"type":"order","due_date":"2026-09-07"}`:                 "from 2026-09-08 to ",
		`{"type":"order","due_date":"2027-09-08"}`:                 "from 2026-09-08 to ",
		`{"type":"order","due_date":"2026-09-15","days":2}`:        "not both",
		`{"type":"rush_order","due_date":"2026-09-15"}`:            "takes no due_date",
		`{"type":"contract_lot","quantity":5001}`:                  "at most 5000",
		`{"type":"contract_lot","due_date":"2026-09-08"}`:          "from 2026-09-",
		`{"type":"contract_lot","customer_id":"` + customer + `"}`: "takes no customer_id",
		`{"type":"customer_pays","unit_price_minor":5}`:            "takes no unit_price_minor",
	} {
		a := n.post("/sandbox/triggers", body).want(http.StatusUnprocessableEntity, "validation_failed")
		if !strings.Contains(string(a.Raw), limit) {
			t.Errorf("%s: %s does not say %q", body, a.Raw, limit)
		}
	}
	if n.history() != before || n.stateHash() != hash {
		t.Error("a trigger that was refused changed something")
	}
}
