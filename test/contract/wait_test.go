package contract

import (
	"net/http"
	"testing"
)

// TestAWorkOrderSaysForWhatItWaits in each step of its life, and after a short run for a
// press again, which a tick for decisions and the counts know.
func TestAWorkOrderSaysForWhatItWaits(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.WORK_ORDER.WAITS_FOR", "OPEN.FIELDS.WORK_ORDER", "OPEN.ROUTE.FACTORY.WORK_ORDERS",
		"OPEN.STATE.WORK_ORDER.SHORT", "OPEN.SANDBOX.FIELDS.COUNTS", "OPEN.TICK.DECISION", "OPEN.LIST.FILTERS")
	n := calmCompany(t, "manual", object{"opening_documents": false})
	w := watch(n)
	work := text(n.work("prd_poster", 60, "somebody"), "id")
	all := []string{"press", "run", "finishing", "shipment", "nothing"}
	waits := func(id, status, next string) {
		t.Helper()
		agrees(t, "the work order", n.row("/factory/work-orders/"+id), object{"status": status, "waits_for": next})
		for _, other := range all {
			found := false
			for _, row := range n.all("/factory/work-orders?waits_for=" + other) {
				agrees(t, "a filtered work order", row, object{"waits_for": other})
				found = found || row["id"] == id
			}
			if found != (other == next) {
				t.Errorf("while it waits for %s, the filter %s finds it: %t", next, other, found)
			}
		}
		n.countsAgree()
	}
	waits(work, "created", "press")
	run := func(overs int) {
		n.post("/factory/print-runs", encode(t,
			object{"press_id": "prs_digital", "work_order_id": work, "overs_pct": overs})).want(http.StatusCreated, "")
	}
	w.step("a run without overs", func() { run(0) })
	waits(work, "printing", "run")
	w.step("it ends short", func() {
		a := n.ticked(t, `{"until":{"decision":true}}`)
		if a["stopped_by"] != "decision" {
			t.Fatalf("no decision: %v", a)
		}
		presses := false
		for _, d := range children(t, child(t, a, "digest"), "decisions") {
			presses = presses || d["resource"] == "press" && d["id"] == "prs_digital"
		}
		if !presses {
			t.Errorf("a press is idle and a work order short of copies, and the decisions are %v",
				child(t, a, "digest")["decisions"])
		}
	})
	waits(work, "printing", "press")
	w.step("a run with overs", func() { run(20); n.until("factory.print_run.completed") })
	waits(work, "printing", "finishing")
	w.step("it is finished", func() { n.until("factory.work_order.ready") })
	waits(work, "ready", "shipment")
	w.step("it leaves", func() { n.dispatch(work) })
	waits(work, "shipped", "nothing")
	shelf := text(n.work("prd_notebook", 10, ""), "id")
	w.step("goods for the shelf", func() { n.print(shelf); n.until("factory.work_order.ready") })
	waits(shelf, "stocked", "nothing")
	for _, bad := range []string{"nobody", "", "PRESS", "press,run"} {
		agrees(t, "details", n.get("/factory/work-orders?waits_for="+bad).
			want(http.StatusBadRequest, "invalid_parameter").details(), object{"parameter": "waits_for"})
	}
	w.ended()
}

// TestReorderPointsFollowTheUseOfTwoWeeks when a week opens, and never fall below those
// of the opening.
func TestReorderPointsFollowTheUseOfTwoWeeks(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.STOCK_ITEM.REVIEW", "OPEN.STATE.STOCK_ITEM", "OPEN.FIELDS.STOCK_ITEM",
		"OPEN.STATE.FACTORY_REQUISITION")
	n := calmCompany(t, "auto", nil)
	w := watch(n)
	const coated = "/factory/stock/itm_coated"
	opening := n.row(coated)
	agrees(t, "the paper", opening, object{"on_hand": 12000, "reorder_point": 11000, "reorder_quantity": 16000})
	w.step("the first week", func() {
		for range 2 {
			n.post("/factory/print-runs", encode(t, object{
				"press_id": "prs_offset", "work_order_id": n.work("prd_brochure", 200, freshKey())["id"],
			})).want(http.StatusCreated, "")
			n.day()
		}
		n.untilDay(5)
	})
	used := -sums(t, n.all("/factory/stock-moves?sku=mat_coated&kind=issue"), "quantity")
	const step = 500
	want := (used*8/5 + step - 1) / step * step // 8 working days
	if want <= 11000 {
		t.Fatalf("%d sheets were used", used)
	}
	agrees(t, "on Monday the paper", n.row(coated), object{"reorder_point": want, "reorder_quantity": max(16000, want)})
	agrees(t, "what was not used", n.row("/factory/stock/itm_board"),
		object{"reorder_point": 3500, "reorder_quantity": 6000, "status": "ok"})
	w.step("an idle week", func() { n.untilDay(10) })
	agrees(t, "a week later the paper", n.row(coated), object{"reorder_point": want})
	w.step("another one", func() { n.untilDay(15) })
	agrees(t, "two weeks later the paper", n.row(coated), object{"reorder_point": 11000, "reorder_quantity": 16000,
		"status": "low"}) // no truck has come
	w.ended()
}
