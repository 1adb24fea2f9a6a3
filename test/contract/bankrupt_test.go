package contract

import (
	"net/http"
	"slices"
	"testing"
	"time"
)

// ruined is a preset whose company has no customers and next to no cash, and a
// working day in each second. Its first debit is at the close of day 9, so it
// ends about ten seconds after it began, or nine closes later when the bank
// lends without end.
func ruined(overdraft int) map[string]object {
	return map[string]object{"ruined": {
		"cash_minor": 1, "overdraft_limit_minor": overdraft, "opening_documents": false,
		"clock": object{"mode": "realtime", "speed": 480},
		"demand": object{
			"per_day": 0, "per_day_max": 0, "reputation_base": 1, "reputation_slope": 0, "reputation_start": 0.6,
			"price_factor": 1, "due_days": []int{4, 9}, "answer_days": 2, "cancel_after_days": 7,
			"late_pct_per_day": 3, "late_cap_pct": 30,
		},
	}}
}

// TestABankruptCompanyCanOnlyBeRead, also when the time of its sandbox is over:
// the clock has stopped, reads go on, writes are answered 423.
func TestABankruptCompanyCanOnlyBeRead(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]map[string]string{
		"within its time": {},
		"after its time":  {"sandbox-duration": "11s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows(t, "ERR.SANDBOX_BANKRUPT", "LIFE.BANKRUPT", "OPEN.BANKRUPT.WHEN",
				"OPEN.TIME.STOPS", "OPEN.SANDBOX.STATUS", "OPEN.LIFE.BANKRUPT_STAYS", "OPEN.LIFE.DELETE.ANY_STATUS",
				"EVT.TYPE.SANDBOX.BANKRUPT", "OPEN.EVT.SANDBOX.BANKRUPT")
			settings["presets"] = presets(t, ruined(0))["presets"]
			n := serve(t, settings).create(t, `{"preset":"ruined","seed":3}`)
			if got := n.row("/sandbox")["status"]; got != "active" {
				t.Errorf("a new sandbox is %v", got)
			}
			waitUntil(t, moment(t, n.row("/sandbox")["created_at"]).Add(11100*time.Millisecond))
			n.isBankrupt()
		})
	}
}

func (n *tenant) isBankrupt() {
	t := n.t
	t.Helper()
	status := n.row("/sandbox")
	clock := child(t, status, "clock")
	if status["status"] != "bankrupt" || clock["sim_date"] != "2026-09-18" || clock["sim_time"] != "15:59" ||
		number(t, status, "cash_minor") >= 0 {
		t.Fatalf("after the first debit the sandbox is %s", encode(t, status))
	}
	ended := ofType(n.feed(0), "sandbox.bankrupt")
	if len(ended) != 1 {
		t.Fatalf("the feed has %d events of the end", len(ended))
	}
	data := child(t, ended[0], "data")
	if data["status"] != "bankrupt" || data["id"] != n.id || data["cash_minor"] != status["cash_minor"] ||
		number(t, data, "days_negative") != 1 || number(t, data, "day_number") != 9 {
		t.Errorf("the end says %v", data)
	}
	if self := text(child(t, ended[0], "links"), "self"); self != "/sandbox" || ended[0]["system"] != "sandbox" {
		t.Errorf("the end is about %s, of the system %v", self, ended[0]["system"])
	}
	rows(t, "OPEN.ATTENTION.HISTORY")
	attention := n.row("/sandbox/attention")
	history := children(t, attention, "history")
	if len(history) == 0 || len(children(t, attention, "items")) > 0 {
		t.Fatalf("a bankrupt company needs %v", attention)
	}
	if last := history[len(history)-1]; last["seq"] != ended[0]["seq"] || last["sim_date"] != "2026-09-18" {
		t.Errorf("its history ends with %v", last)
	}
	for _, write := range [][2]string{
		{"/sandbox/tick", ""}, {"/sandbox/extend", ""},
		{"/office/requisitions", `{"lines":[{"sku":"mat_ink","quantity":5}]}`},
		{"/factory/work-orders", `{"sku":"prd_notebook","quantity":5}`}, {"/office/employees", `{"role":"sales"}`},
	} {
		n.post(write[0], write[1]).want(http.StatusLocked, "sandbox_bankrupt")
	}
	n.patch("/sandbox", `{"clock":"manual"}`).want(http.StatusLocked, "sandbox_bankrupt")
	for _, path := range n.judge.records() {
		n.get(path).want(http.StatusOK, "")
	}
	later := n.row("/sandbox")
	if encode(t, child(t, later, "clock")) != encode(t, clock) || later["cash_minor"] != status["cash_minor"] {
		t.Errorf("time has passed in a company that has ended: %v, was %v", later["clock"], clock)
	}
	if after := n.feed(uint64(number(t, ended[0], "seq"))); slices.ContainsFunc(after, func(e object) bool {
		return e["type"] != "sandbox.expiring"
	}) {
		t.Errorf("after the end happened %v", types(after))
	}
	n.deletes()
}

// TestTenNegativeClosesAreTheEnd, however much the bank lends.
func TestTenNegativeClosesAreTheEnd(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.BANKRUPT.WHEN")
		n := serve(t, presets(t, ruined(1_000_000_000))).create(t, `{"preset":"ruined","seed":3}`)
		waitUntil(t, moment(t, n.row("/sandbox")["created_at"]).Add(20*time.Second))
		data := child(t, one(t, n.feed(0), "type", "sandbox.bankrupt"), "data")
		if number(t, data, "days_negative") != 10 || number(t, data, "day_number") != 18 {
			t.Errorf("the first debit is on day 9, and the end says %v", data)
		}
	})
}

// TestTheLastTickAndTheLastPointAreTrue: a tick on which the company ends says
// how far it came, and the series and the report have the close that was its
// last.
func TestTheLastTickAndTheLastPointAreTrue(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TICK.ANSWER", "OPEN.FIELDS.REPORT", "OPEN.ROUTE.SANDBOX.SERIES", "OPEN.BANKRUPT.WHEN")
	n := serve(t, presets(t, ruined(0))).create(t, `{"preset":"ruined","seed":3,"clock":"manual"}`)
	for range 9 {
		n.day()
	}
	n.tick(476)
	got := n.tick(7)
	agrees(t, "the last tick", got,
		object{"status": "bankrupt", "sim_date": "2026-09-18", "sim_time": "15:59", "advanced_minutes": 3})
	points := n.points("")
	last := points[len(points)-1]
	agrees(t, "the last point", last,
		object{"sim_time": "2026-09-18T15:59", "cash_minor": got["cash_minor"], "seq": got["last_seq"]})
	path := children(t, n.row("/sandbox/report"), "net_worth")
	if len(path) != 11 {
		t.Errorf("the report has %d points, want the opening and ten closes", len(path))
	}
	agrees(t, "the end of the report", path[len(path)-1], object{"sim_time": last["sim_time"],
		"cash_minor": got["cash_minor"], "net_worth_minor": n.row("/sandbox")["net_worth_minor"]})
}
