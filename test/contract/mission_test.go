package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// statuses of the missions in their order.
func (n *tenant) missions() map[string]string {
	n.t.Helper()
	all := map[string]string{}
	for _, m := range n.all("/missions") {
		all[text(m, "id")] = text(m, "status")
	}
	return all
}

func TestMissionsSuggestWhatToDo(t *testing.T) {
	t.Parallel()
	rows(t, "MIS.FIELDS", "MIS.STATUS", "OPEN.FIELDS.MISSION", "OPEN.STATE.MISSION", "SVC.MISSIONS",
		"ROUTE.MISSIONS.LIST")
	n := shared.create(t, `{"clock":"manual"}`)
	all := n.all("/missions")
	active := 0
	for _, m := range all {
		has(t, "a mission", m, "id", "objective", "hint", "status", "order", "title", "track", "progress",
			"completed_at", "docs_url")
		progress := child(t, m, "progress")
		current, target := number(t, progress, "current"), number(t, progress, "target")
		if current < 0 || current > target || (m["status"] == "completed") != (current == target) ||
			(m["status"] == "completed") != (m["completed_at"] != nil) {
			t.Errorf("the mission %v is %v at %v, completed at %v", m["id"], m["status"], progress, m["completed_at"])
		}
		if !slices.Contains([]string{"upcoming", "active", "completed"}, text(m, "status")) {
			t.Errorf("the mission %v is %v", m["id"], m["status"])
		}
		if status := n.page(t, strings.TrimPrefix(text(m, "docs_url"), shared.Origin)); status != http.StatusOK {
			t.Errorf("%v is answered %d", m["docs_url"], status)
		}
		if m["status"] == "active" {
			active++
		}
		if m["status"] == "upcoming" && active < 3 {
			t.Errorf("%v is upcoming while %d before it are active", m["id"], active)
		}
	}
	if active != 3 {
		t.Errorf("%d missions are active", active)
	}
}

// TestMissionsNoticeWhatTheClientDoes does things in another order than that
// of the missions.
func TestMissionsNoticeWhatTheClientDoes(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.FIRST_CALL", "OPEN.MISSION.BOTH_KEYS",
		"OPEN.MISSION.ACCEPT_ORDER", "OPEN.MISSION.START_PRINT_RUN", "OPEN.MISSION.SHIP_ORDER",
		"OPEN.MISSION.OWN_CALLS", "OPEN.STATE.MISSION", "SVC.MISSIONS", "OPEN.MISSION.ORDER_TO_CASH")
	n := shared.create(t, `{"seed":5,"clock":"manual"}`)
	n.get("/office/sales-orders/so_0").want(404, "not_found")
	refused := n.get("/nothing").want(404, "route_not_found")
	n.greet()
	first := one(t, n.all("/missions"), "id", "first_call")
	if first["status"] != "completed" ||
		!moment(t, first["completed_at"]).After(moment(t, refused.Meta()["server_time"])) {
		t.Errorf("after refusals at %v and one read, first_call is %v", refused.Meta()["server_time"], first)
	}
	expect := func(what string, completed ...string) {
		t.Helper()
		var got []string
		for id, status := range n.missions() {
			if status == "completed" {
				got = append(got, id)
			}
		}
		slices.Sort(got)
		slices.Sort(completed)
		if !slices.Equal(got, completed) {
			t.Errorf("%s: completed are %v, want %v", what, got, completed)
		}
	}
	order := text(n.order("SO-1001"), "id")
	n.accept(order)
	// The bridge has been to the Factory; the client has not.
	expect("accepted", "first_call", "accept_order")
	n.tick(480)
	n.tick(400)
	// Customers have paid for orders of last week; the client accepted none of them.
	if len(n.all("/office/payments")) == 0 {
		t.Error("nobody has paid yet")
	}
	expect("two days passed", "first_call", "accept_order")
	before := n.missions()
	if before["start_print_run"] != "active" || before["ship_order"] != "active" ||
		before["order_to_cash"] != "upcoming" {
		t.Errorf("the missions are %v", before)
	}
	other := shared.create(t, `{"clock":"manual"}`)
	other.print(text(other.work("prd_notebook", 1, ""), "id"))
	if got := other.missions(); got["start_print_run"] != "completed" || got["accept_order"] != "active" {
		t.Errorf("started before its time, start_print_run left %v", got)
	}
	work := text(n.row("/office/sales-orders/"+order), "bridged_work_order_id")
	n.send(t, request{method: "GET", path: "/factory/presses", key: n.office}).want(403, "wrong_system")
	n.print(work)
	expect("printed", "first_call", "accept_order", "both_keys", "start_print_run")
	n.tick(150)
	expect("ready", "first_call", "accept_order", "both_keys", "start_print_run")
	n.dispatch(work)
	expect("shipped", "first_call", "accept_order", "both_keys", "start_print_run", "ship_order")
	events := ofType(n.feed(0), "sandbox.mission.completed")
	for i, e := range events {
		data := child(t, e, "data")
		if number(t, data, "completed_count") != int64(i+1) ||
			number(t, data, "total_count") != int64(len(n.missions())) ||
			data["title"] != n.row("/missions/" + text(data, "id"))["title"] {
			t.Errorf("mission event %d is %v", i+1, data)
		}
	}
}

// TestAnOrderThatWasCarriedAcrossByHandIsNoticed once the customer has paid for
// it, and only if what was written refers to the right things.
func TestAnOrderThatWasCarriedAcrossByHandIsNoticed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.BRIDGE_IT")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	if first := n.all("/missions")[0]; first["id"] != "bridge_it" || first["status"] != "active" {
		t.Errorf("with the manual bridge the first mission is %v", first)
	}
	for _, m := range shared.create(t, `{"clock":"manual"}`).all("/missions") {
		if m["id"] == "bridge_it" {
			t.Error("with the auto bridge there is nothing to carry")
		}
	}
	carry := func(numbered, sku string, quantity int, refer bool) (order string) {
		t.Helper()
		order = text(n.order(numbered), "id")
		n.accept(order)
		work := text(n.work(sku, quantity, order), "id")
		n.print(work)
		n.tick(240)
		parcel := n.dispatch(work)
		bill := object{"sales_order_id": order}
		if refer {
			bill["factory_shipment_ref"] = parcel["id"]
		}
		n.post("/office/shipments", encode(t, bill)).want(201, "")
		return order
	}
	isPaid := func(order string) {
		t.Helper()
		const patience = 25
		for range patience {
			if n.row("/office/sales-orders/" + order)["status"] == "paid" {
				return
			}
			n.day()
		}
		t.Fatalf("after %d days the order is not paid", patience)
	}
	loose := carry("SO-1001", "prd_card", 10, false)
	whole := carry("SO-1002", "prd_flyer", 120, true)
	isPaid(loose)
	if n.row("/office/sales-orders/" + whole)["status"] != "paid" {
		n.isOpen("bridge_it", 0)
		isPaid(whole)
	}
	n.isDone("bridge_it")
}

// settle completes what reading can complete, so that further reads change
// nothing.
func (n *tenant) settle() {
	n.t.Helper()
	if *n.settled {
		return
	}
	*n.settled = true
	n.get("/factory/presses").want(http.StatusOK, "")
	tag := n.get("/office/cash").want(http.StatusOK, "").Header.Get("ETag")
	n.get("/office/cash", "If-None-Match", tag).want(http.StatusNotModified, "")
	n.get("/missions.csv").want(http.StatusOK, "")
	for path := "/missions?limit=5"; ; {
		cursor := n.get(path).want(http.StatusOK, "").Cursor()
		if cursor == "" {
			break
		}
		path = "/missions?limit=5&cursor=" + cursor
	}
	for range 3 {
		n.all("/office/ledger")
		for after := uint64(0); ; {
			a := n.get(fmt.Sprintf("/events?limit=20&after_seq=%d", after)).want(http.StatusOK, "")
			items := a.Items()
			if len(items) == 0 {
				break
			}
			after = uint64(number(n.t, items[len(items)-1], "seq"))
		}
	}
}

// TestADisruptionIsRiddenOut: by who ships while it lasts, and lets no order
// expire.
func TestADisruptionIsRiddenOut(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.RIDE_OUT_DISRUPTION", "OPEN.SANDBOX.FIELDS.DISRUPTIONS")
	made := calm(t, world(250, 0, 0))
	server := serve(t, presets(t, made))
	for ships, want := range map[bool]string{true: "completed", false: "active"} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			n := server.create(t, `{"preset":"calm","seed":5,"clock":"manual"}`)
			work := text(n.accept(text(n.order("SO-1001"), "id")), "bridged_work_order_id")
			n.finish(work)
			n.untilDay(1)
			running := func() []object { return children(t, n.row("/sandbox"), "disruptions") }
			if len(running()) != 1 {
				t.Fatalf("on day 1 there are the disruptions %v", running())
			}
			if ships {
				n.dispatch(work)
			}
			for len(running()) > 0 {
				if m := n.row("/missions/ride_out_disruption"); m["status"] == "completed" {
					t.Fatalf("before its end the mission is %v", m)
				}
				for _, o := range n.get("/office/sales-orders?status=received").want(http.StatusOK, "").Items() {
					n.post("/office/sales-orders/"+text(o, "id")+"/decline", "").want(http.StatusOK, "")
				}
				n.day()
			}
			if m := n.row("/missions/ride_out_disruption"); (m["status"] == "completed") != ships {
				t.Errorf("who ships (%t) has the mission %v", ships, m)
			}
		})
	}
}
