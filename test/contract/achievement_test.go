package contract

import (
	"net/http"
	"strings"
	"testing"
)

// unlocked is an achievement's row. It fails when there is none, or not its one
// event.
func (n *tenant) unlocked(id string) object {
	n.t.Helper()
	row := n.row("/sandbox/achievements/" + id)
	var events []object
	for _, e := range ofType(n.feed(0), "sandbox.achievement.unlocked") {
		if child(n.t, e, "data")["id"] == id {
			events = append(events, e)
		}
	}
	if len(events) != 1 {
		n.t.Fatalf("%d events unlock %s", len(events), id)
	}
	data := child(n.t, events[0], "data")
	if data["status"] != "unlocked" || data["title"] != row["title"] ||
		child(n.t, events[0], "links")["self"] != "/sandbox/achievements/"+id {
		n.t.Errorf("%s is unlocked by %v", id, events[0])
	}
	return row
}

func TestAchievementsAreThereOnceUnlocked(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ACHIEVEMENTS", "OPEN.ROUTE.SANDBOX.ACHIEVEMENTS", "OPEN.FIELDS.ACHIEVEMENT",
		"EVT.TYPE.SANDBOX.ACHIEVEMENT.UNLOCKED", "OPEN.EVT.SANDBOX.ACHIEVEMENT.UNLOCKED", "OPEN.EVENT.MISSIONS_LAST")
	n := shared.create(t, `{"clock":"manual"}`)
	if locked := n.all("/sandbox/achievements"); len(locked) != 0 {
		t.Errorf("a new company has %v", locked)
	}
	n.get("/sandbox/achievements/books_balance").want(http.StatusNotFound, "not_found")
	n.all("/office/ledger")
	for range 3 { // reading completes missions, and so the feed grows
		n.feed(0)
		n.all("/office/ledger")
	}
	row := n.unlocked("books_balance")
	has(t, "an achievement", row, "id", "title", "text", "status", "unlocked_at", "created_at",
		"updated_at", "created_on")
	if row["status"] != "unlocked" ||
		moment(t, row["unlocked_at"]).After(moment(t, n.get("/sandbox").Meta()["server_time"])) {
		t.Errorf("it is %v", row)
	}
	if list := n.all("/sandbox/achievements"); len(list) != 1 || list[0]["id"] != "books_balance" {
		t.Errorf("the list is %v", list)
	}
	page := n.words(t, "/docs/missions")
	for _, id := range []string{
		"first_profit", "on_the_dot", "gang_boss",
		"perfect_sheet", "sharp_eye", "early_bird", "market_timer", "lot_master", "approver", "civic_duty",
		"crew_keeper", "phoenix", "clean_integration", "books_balance", "marathon",
	} {
		if !strings.Contains(page, "<code>"+id+"</code>") {
			t.Errorf("the docs know no achievement %s", id)
		}
	}
}

func TestTheScoreCountsRefusedWrites(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.SANDBOX.FIELDS.SCORE")
	n := shared.create(t, `{"seed":5,"clock":"manual"}`)
	refused := func(want int64) {
		t.Helper()
		s := n.row("/sandbox")
		score := child(t, s, "score")
		has(t, "the score", score, "net_worth_minor", "profit_minor", "orders_shipped", "on_time_pct", "spoilage_pct",
			"orders_expired", "orders_lapsed", "lots_delivered", "lots_expired", "payroll_late", "wages_withheld_minor",
			"writes_refused")
		if got := number(t, score, "writes_refused"); got != want {
			t.Errorf("%d writes are said to be refused, want %d", got, want)
		}
		if score["net_worth_minor"] != s["net_worth_minor"] {
			t.Errorf("the worth is %v, in the score %v", s["net_worth_minor"], score["net_worth_minor"])
		}
	}
	refused(0)
	n.get("/office/sales-orders/so_0").want(404, "not_found")
	n.get("/nothing").want(404, "route_not_found")
	work := text(n.work("prd_notebook", 1, ""), "id")
	n.print(work)
	n.post("/factory/print-runs", `{"press_id":"prs_digital","work_order_id":"`+
		text(n.work("prd_notebook", 1, ""), "id")+`"}`).want(409, "press_busy")
	refused(0)
	n.post("/factory/work-orders", `{"sku":"prd_flyer"}`).want(422, "validation_failed")
	n.post("/factory/shipments", `{"work_order_id":"wo_0"}`).want(404, "not_found")
	n.send(t, request{method: "POST", path: "/factory/shipments", key: n.office, body: `{}`}).want(403, "wrong_system")
	refused(3)
	n.tick(480)
	refused(3)
}

func TestAHundredCleanWritesAreNoticed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ACHIEVEMENTS")
	quick := serve(t, map[string]string{"key-rate": "0", "ip-rate": "0"})
	n := quick.create(t, `{"clock":"manual"}`)
	n.post("/factory/work-orders", `{"sku":"prd_flyer"}`).want(422, "validation_failed")
	for range 99 {
		n.work("prd_notebook", 1, "")
	}
	n.tick(1)
	if list := n.all("/sandbox/achievements"); len(list) != 0 {
		t.Errorf("99 writes and a tick unlock %v", list)
	}
	n.work("prd_notebook", 1, "")
	n.unlocked("clean_integration")
}
