package contract

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// stormy is a company in which something happens on the morning of day 1, and
// what it is depends on the world.
func stormy(t testing.TB) *tenant {
	t.Helper()
	made := calm(t, nil)
	maps.Copy(made["calm"], world(250, 250, 25))
	return serve(t, presets(t, made)).create(t, `{"preset":"calm","seed":5,"clock":"manual"}`)
}

// TestTheWorldTellsWhatHappens: a disruption runs, is seen at a glance and ends
// with an event of its own; a story is over from the start.
func TestTheWorldTellsWhatHappens(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ROUTE.SANDBOX.LORE_EVENTS", "OPEN.FIELDS.LORE_EVENT", "OPEN.STATE.LORE_EVENT",
		"OPEN.SANDBOX.FIELDS.DISRUPTIONS", "EVT.TYPE.WORLD.LORE_EVENT.STARTED", "OPEN.EVT.WORLD.LORE_EVENT.STARTED",
		"EVT.TYPE.SANDBOX.DISRUPTION.ENDED", "OPEN.EVT.SANDBOX.DISRUPTION.ENDED")
	n := stormy(t)
	w := watch(n)
	if found := n.all("/sandbox/lore-events"); len(found) != 0 ||
		len(children(t, n.row("/sandbox"), "disruptions")) != 0 {
		t.Fatalf("on the first morning the world has told %v", found)
	}
	at := n.newest()
	w.step("day 1", func() { n.day() })
	told := n.all("/sandbox/lore-events")
	if len(told) != 2 {
		t.Fatalf("on day 1 the world has told %v", told)
	}
	story, disrupted := told[0], told[1] // newest first
	for _, row := range told {
		exactly(t, "a lore event", row, "kind title story started_on disruption status")
		if row["started_on"] != "2026-09-08" || !strings.HasPrefix(text(row, "id"), "lor_") ||
			text(row, "story") == "" {
			t.Errorf("a lore event is %v", row)
		}
		n.says(n.feed(at), text(row, "id"), "world.lore_event.started",
			object{"kind": row["kind"], "title": row["title"], "status": row["status"]})
	}
	if story["disruption"] != nil || story["status"] != "over" {
		t.Errorf("a story is %v", story)
	}
	n.says(n.feed(at), text(story, "id"), "world.lore_event.started", object{"disruption_kind": nil, "ends_on": nil})
	disruption := child(t, disrupted, "disruption")
	if got := names(disruption); !slices.Equal(got, []string{"effect_text", "ends_on", "kind", "severity"}) ||
		text(disruption, "kind") == "" || disrupted["status"] != "running" {
		t.Errorf("a disruption is %v", disrupted)
	}
	n.says(n.feed(at), text(disrupted, "id"), "world.lore_event.started",
		object{"disruption_kind": disruption["kind"], "ends_on": disruption["ends_on"]})
	glance := children(t, n.row("/sandbox"), "disruptions")
	if len(glance) != 1 || encode(t, glance[0]) != encode(t, object{
		"lore_event_id": disrupted["id"], "kind": disruption["kind"], "ends_on": disruption["ends_on"],
	}) {
		t.Errorf("at a glance there run %v", glance)
	}

	at = n.newest()
	const maxDays = 20
	for range maxDays {
		if text(child(t, n.row("/sandbox"), "clock"), "sim_date") < text(disruption, "ends_on") {
			w.step("a day", func() { n.day() })
		}
	}
	over := n.row("/sandbox/lore-events/" + text(disrupted, "id"))
	if over["status"] != "over" || encode(t, over["disruption"]) != encode(t, disruption) ||
		len(children(t, n.row("/sandbox"), "disruptions")) != 0 {
		t.Errorf("on %v the disruption is %v", disruption["ends_on"], over)
	}
	ended := ofType(n.feed(at), "sandbox.disruption.ended")
	n.says(ended, text(disrupted, "id"), "sandbox.disruption.ended", object{
		"status": "over", "lore_event_id": disrupted["id"], "disruption_kind": disruption["kind"],
		"started_on": disrupted["started_on"],
	})
	if ended[0]["sim_date"] != disruption["ends_on"] || ended[0]["system"] != "sandbox" {
		t.Errorf("the disruption of %v ends with %v", disruption, ended[0])
	}
	w.ended()
}

// TestAPressThatIsDownRefusesRuns, says when it will not, and rides with the
// events of its disruption.
func TestAPressThatIsDownRefusesRuns(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.PRESS_DOWN", "OPEN.FIELDS.PRESS", "ERR.RETRY", "OPEN.EVENT.CHANGES")
	for kind, want := range map[string]int{"power_cut": 2, "press_fault": 1} {
		n := calmCompany(t, "auto", nil)
		n.tick(478)
		waiting := n.print(text(n.work("prd_card", 10, "SO-1001"), "id"))
		n.tick(2)
		at := n.newest()
		n.pulls(object{"type": kind})
		started := n.feed(at)
		var down []object
		for _, press := range n.all("/factory/presses") {
			if press["status"] == "down" {
				down = append(down, press)
				if from := n.rider(started, "world.lore_event.started", "press",
					text(press, "id")); from != "idle>down" && from != "running>down" ||
					press["down_until_sim"] == nil {
					t.Errorf("%v goes from %s", press, from)
				}
			}
		}
		glance := child(t, n.row("/sandbox"), "presses")
		if len(down) != want || number(t, glance, "down") != int64(want) {
			t.Fatalf("%s: down are %v, at a glance %v", kind, down, glance)
		}
		press := down[0]
		body := encode(t, object{"press_id": press["id"], "work_order_id": n.work("prd_notebook", 10, "")["id"]})
		refused := n.refusesQuietly("/factory/print-runs", body, http.StatusConflict, "press_down")
		failure := refused.Failure()
		if got := names(failure); !slices.Equal(got, []string{"code", "docs_url", "hint", "message", "retryable"}) ||
			failure["retryable"] != false || refused.Header.Get("Retry-After") != "" {
			t.Errorf("press_down is %v", failure)
		}
		if !strings.Contains(text(failure, "hint"), "/sandbox/tick") {
			t.Errorf("with a manual clock the hint is %v", failure["hint"])
		}
		if kind == "power_cut" {
			run := n.row("/factory/print-runs/" + text(waiting, "id"))
			if run["status"] != "running" || text(run, "ends_sim") <= text(press, "down_until_sim") ||
				run["ends_sim"] == waiting["ends_sim"] {
				t.Errorf("in a power cut until %v the run %v is %v", press["down_until_sim"], waiting, run)
			}
			at = n.newest()
			n.tick(240)
			if from := n.rider(n.feed(at), "sandbox.disruption.ended", "press", "prs_digital"); from != "down>running" {
				t.Errorf("at noon the press goes from %s", from)
			}
			n.tick(240)
			if run := n.row("/factory/print-runs/" + text(waiting, "id")); run["status"] != "completed" ||
				run["completed_sim"] != run["ends_sim"] {
				t.Errorf("in the end the run is %v", run)
			}
		}
	}
}

// TestAMajorOrderIsOpenTwentyDays: it tells of its milestones, and a share in a
// fulfilled one is paid.
func TestAMajorOrderIsOpenTwentyDays(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ROUTE.SANDBOX.MAJOR_ORDERS", "OPEN.FIELDS.MAJOR_ORDER",
		"OPEN.STATE.MAJOR_ORDER", "EVT.TYPE.WORLD.MAJOR_ORDER.UPDATED", "OPEN.EVT.WORLD.MAJOR_ORDER.UPDATED",
		"OPEN.FIELDS.PAYMENT", "OPEN.EVENT.STATE")
	for seed, ending := range map[int]string{39: "fulfilled", 4: "missed"} {
		t.Run(ending, func(t *testing.T) {
			t.Parallel()
			made := calm(t, object{"cash_minor": 50_000_000})
			maps.Copy(made["calm"], world(0, 0, 25))
			demand, _ := made["calm"]["demand"].(object)
			demand["daily_order"] = object{
				"customer_id": "cus_lumen", "sku": "prd_poster", "quantity": 90, "unit_price_minor": 2600,
				"due_days": 5,
			}
			n := serve(t, presets(t, made)).create(t, fmt.Sprintf(`{"preset":"calm","seed":%d,"clock":"manual"}`, seed))
			n.followsMajorOrder(ending)
		})
	}
}

// followsMajorOrder ships ninety units of posters on day 1 and waits for the
// end of the major order that opens then.
func (n *tenant) followsMajorOrder(ending string) {
	t := n.t
	w := watch(n)
	w.step("day 1", func() { n.day() })
	opened := n.all("/sandbox/major-orders")
	if len(opened) != 1 {
		t.Fatalf("on day 1 there are the major orders %v", opened)
	}
	exactly(t, "a major order", opened[0], "title story sku unit target_quantity world_quantity own_quantity "+
		"opens_on closes_on bonus_pct pool_minor currency milestone status")
	path := "/sandbox/major-orders/" + text(opened[0], "id")
	agrees(t, "a major order", opened[0], object{
		"sku": "prd_poster", "target_quantity": 4000, "world_quantity": 0, "own_quantity": 0, "opens_on": "2026-09-08",
		"closes_on": "2026-10-05", "bonus_pct": 12, "pool_minor": 300000, "milestone": 0, "status": "open",
	})
	orders := n.all("/office/sales-orders?sku=prd_poster&status=received")
	work := text(n.accept(text(orders[0], "id")), "bridged_work_order_id")
	w.step("print", func() { n.finish(work) })
	w.step("ship", func() { n.dispatch(work) })
	agrees(t, "after ninety", n.row(path),
		object{"world_quantity": 90, "own_quantity": 90, "milestone": 0, "status": "open"})
	for n.row(path)["status"] == "open" {
		n.day()
	}
	last := n.row(path)
	milestone := map[string]int{"fulfilled": 100, "missed": 75}[ending]
	agrees(t, "in the end", last, object{"own_quantity": 90, "milestone": milestone, "status": ending})
	events := ofType(n.feed(0), "world.major_order.updated")
	reached := int64(-1)
	for _, e := range events {
		data := child(t, e, "data")
		if number(t, data, "milestone") <= reached && data["status"] == "open" || child(t, e, "links")["self"] != path {
			t.Errorf("after the milestone %d comes %v", reached, e)
		}
		reached = number(t, data, "milestone")
	}
	if len(events) < 4 || len(events) > 6 {
		t.Errorf("the major order has the events %v", events)
	}
	n.day()
	n.tick(200)
	var bonuses []object
	for _, payment := range n.all("/office/payments") {
		if payment["kind"] == "major_order_bonus" {
			bonuses = append(bonuses, payment)
		}
	}
	if ending == "missed" {
		if len(bonuses) != 0 {
			t.Errorf("for a missed major order there is the bonus %v", bonuses)
		}
	} else if len(bonuses) != 1 {
		t.Fatalf("for a share there are the bonuses %v", bonuses)
	} else {
		agrees(t, "the bonus", bonuses[0],
			object{"major_order_id": last["id"], "customer_invoice_id": nil, "amount_minor": 300000 + 90*2600*12/100})
		entry := one(t, n.all("/office/ledger?kind=major_order_bonus"), "reference_id", text(bonuses[0], "id"))
		agrees(t, "its ledger entry", entry, object{"amount_minor": bonuses[0]["amount_minor"]})
		n.unlocked("civic_duty")
	}
	w.step("the end", func() {})
	w.ended()
}
