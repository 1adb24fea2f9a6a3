package contract

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"platen/platentest"
)

func TestTheSandboxAtAGlance(t *testing.T) {
	t.Parallel()
	rows(t, "SBX.STATUS.FIELDS", "ROUTE.SANDBOX.GET", "OPEN.SANDBOX.FIELDS.IDENTITY", "OPEN.SANDBOX.FIELDS.CLOCK",
		"OPEN.SANDBOX.FIELDS.INVENTORY", "OPEN.SANDBOX.FIELDS.PRESSES", "CONV.MONEY", "CONV.MONEY.NEVER_STRING",
		"OPEN.FIELDS.CURRENCY", "OPEN.TIME.START", "OPEN.SANDBOX.FIELDS.MONEY", "OPEN.ROUTE.OFFICE.CASH")
	n := shared.create(t, `{"seed":3,"clock":"manual"}`)
	s := n.row("/sandbox")
	has(t, "the sandbox", s, "sandbox_id", "public_name", "status", "preset", "seed", "bridge", "created_at",
		"expires_at", "last_seq", "expires_in_s", "currency", "cash_minor", "opening_cash_minor", "net_worth_minor",
		"overdraft_limit_minor", "days_negative", "reputation")
	clock := child(t, s, "clock")
	has(t, "clock", clock, "mode", "speed", "sim_date", "sim_time", "day_number")
	if clock["sim_date"] != "2026-09-07" || clock["sim_time"] != "08:00" || number(t, clock, "day_number") != 0 {
		t.Errorf("the clock begins at %v", clock)
	}
	if number(t, s, "extensions_left") < 0 || number(t, s, "expires_in_s") > 1800 || s["status"] != "active" ||
		s["currency"] != "XTS" {
		t.Errorf("the sandbox is %v", s)
	}
	if r, err := s["reputation"].(json.Number).Float64(); err != nil || r < 0 || r > 100 {
		t.Errorf("the reputation is %v", s["reputation"])
	}
	cash := n.row("/office/cash")
	ledger := n.all("/office/ledger")
	if s["cash_minor"] != cash["cash_minor"] || s["cash_minor"] != ledger[0]["balance_minor"] ||
		s["opening_cash_minor"] != ledger[len(ledger)-1]["amount_minor"] {
		t.Errorf("cash is %v here, %v there, %v in the ledger", s["cash_minor"], cash["cash_minor"], ledger)
	}
	events := n.feed(0)
	if got, want := number(t, s, "last_seq"), number(t, events[len(events)-1], "seq"); got > want || got < want-1 {
		t.Errorf("last_seq is %d, the feed ends with %d", got, want)
	}

	n.print(text(n.work("prd_notebook", 10, ""), "id"))
	s = n.row("/sandbox")
	presses := child(t, s, "presses")
	if number(t, presses, "idle") != 1 || number(t, presses, "running") != 1 || number(t, presses, "down") != 0 {
		t.Errorf("with one run the presses are %v", presses)
	}
	inventory := child(t, s, "inventory")
	number(t, inventory, "stock_value_minor")
	stock := n.all("/factory/stock")
	for list, members := range map[string][]string{
		"materials": {"sku", "name", "unit", "on_hand", "reorder_point", "status"},
		"finished":  {"sku", "on_hand", "reserved"},
	} {
		items := children(t, inventory, list)
		if len(items) == 0 {
			t.Errorf("no %s", list)
		}
		for _, item := range items {
			has(t, list, item, members...)
			row := one(t, stock, "sku", text(item, "sku"))
			for _, same := range members {
				if item[same] != row[same] {
					t.Errorf("%s of %v is %v here, %v in the Factory", same, item["sku"], item[same], row[same])
				}
			}
		}
	}
}

func TestAClockInRealTimeMakesADayAMinute(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.TIME.REALTIME", "OPEN.SANDBOX.FIELDS.CLOCK")
		n := serve(t).create(t, "")
		began := moment(t, n.get("/sandbox").want(200, "").Meta()["server_time"]) // the first request starts the clock
		for range 3 {
			a := n.get("/sandbox").want(200, "")
			clock := child(t, a.Data(), "clock")
			if speed, err := clock["speed"].(json.Number).Float64(); err != nil || speed != 8 {
				t.Errorf("the speed is %v minutes a second", clock["speed"])
			}
			passed := moment(t, a.Meta()["server_time"]).Sub(began)
			if got, want := minuteOfDay(t, clock), passed.Minutes()*480; math.Abs(float64(got)-want) > 1 {
				t.Errorf("after %v the clock shows minute %d, want %.1f", passed, got, want)
			}
			waitUntil(t, time.Now().Add(700*time.Millisecond))
		}
	})
}

// minuteOfDay returns the minute of an in-world clock, counted from 08:00.
func minuteOfDay(t testing.TB, clock object) int {
	t.Helper()
	at, err := time.Parse("15:04", text(clock, "sim_time"))
	if err != nil {
		t.Fatalf("sim_time is %v", clock["sim_time"])
	}
	return at.Hour()*60 + at.Minute() - 8*60
}

func TestAManualClockStandsStillBetweenTicks(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.TIME.MANUAL", "OPEN.FIELDS.UPDATED_AT")
		n := serve(t).create(t, `{"clock":"manual"}`)
		n.print(text(n.work("prd_notebook", 1, ""), "id"))
		n.tick(1)
		before, seen := child(t, n.row("/sandbox"), "clock"), n.snapshot()
		waitUntil(t, time.Now().Add(1200*time.Millisecond))
		if after := child(t, n.row("/sandbox"), "clock"); encode(t, after) != encode(t, before) {
			t.Errorf("the clock went from %v to %v by itself", before, after)
		}
		if later := n.snapshot(); encode(t, later) != encode(t, seen) {
			t.Error("rows changed because time passed")
		}
	})
}

// snapshot is every row of every list but the feed, by path and id.
func (n *tenant) snapshot() map[string]object {
	n.t.Helper()
	// Reading may complete missions, so these are left out, and none is completed
	// in between.
	n.settle()
	all := map[string]object{}
	for _, path := range n.judge.records() {
		if !slices.Contains([]string{"/events", "/missions", "/sandbox/achievements"}, path) {
			for _, row := range n.all(path) {
				all[path+"/"+text(row, "id")] = row
			}
		}
	}
	return all
}

func TestWorkingMinutesAreAllThereAre(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TIME.WORKING_MINUTES", "OPEN.TICK.BODY", "OPEN.TICK.ANSWER", "OPEN.TIME.SERVER_TIME")
	n := shared.create(t, `{"clock":"manual"}`)
	for _, step := range []struct {
		minutes    int
		date, time string
		day        int64
	}{
		{479, "2026-09-07", "15:59", 0},
		{1, "2026-09-08", "08:00", 1},
		{480, "2026-09-09", "08:00", 2},
		{480, "2026-09-10", "08:00", 3},
		{480, "2026-09-11", "08:00", 4},
		{480, "2026-09-14", "08:00", 5}, // after Friday comes Monday
	} {
		before := n.greet().newest()
		cash := n.row("/office/cash")["cash_minor"]
		got := n.tick(step.minutes)
		has(t, "a tick", got, "sim_date", "sim_time", "day_number", "advanced_minutes", "events_written", "last_seq",
			"cash_minor", "status")
		if got["sim_date"] != step.date || got["sim_time"] != step.time || number(t, got, "day_number") != step.day ||
			number(t, got, "advanced_minutes") != int64(step.minutes) {
			t.Errorf("after %d minutes it is %v, want %s %s", step.minutes, got, step.date, step.time)
		}
		status := n.row("/sandbox")
		clock := child(t, status, "clock")
		if clock["sim_date"] != step.date || clock["sim_time"] != step.time || got["last_seq"] != status["last_seq"] ||
			got["cash_minor"] != status["cash_minor"] || got["status"] != status["status"] {
			t.Errorf("the tick says %v, the sandbox %v", got, status)
		}
		written := n.feed(before)
		if number(t, got, "events_written") != int64(len(written)) {
			t.Errorf("the tick wrote %v events, the feed has %d more", got["events_written"], len(written))
		}
		moved := func(e object) bool { // a payment, or the fee for the successor of a person who quit
			return e["type"] == "office.payment.received" || e["type"] == "hr.employee.hired"
		}
		if paid := slices.ContainsFunc(written, moved); paid != (got["cash_minor"] != cash) {
			t.Errorf("cash went from %v to %v with the events %v", cash, got["cash_minor"], types(written))
		}
		a := n.get("/events?limit=100").want(200, "")
		items := a.Items()
		if last := moment(t, items[len(items)-1]["created_at"]); moment(t, a.Meta()["server_time"]).Before(last) {
			t.Errorf("server_time %v is before the event of %v", a.Meta()["server_time"], last)
		}
	}
}

func TestTicksWorkWithEitherKeyInBothModes(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TICK.BODY", "OPEN.TICK.NO_EVENT")
	for _, mode := range []string{"manual", "realtime"} {
		for _, body := range []string{"", "{}", `{"minutes":480}`, `{"minutes":1}`} {
			n := shared.create(t, fmt.Sprintf(`{"clock":%q}`, mode))
			n.row("/sandbox") // completes the mission of the first call
			key, minutes := n.office, int64(480)
			if body == `{"minutes":1}` {
				key, minutes = n.factory, 1
			}
			before := n.greet().newest()
			a := n.send(t, request{method: "POST", path: "/sandbox/tick", key: key, body: body}).want(200, "")
			if number(t, a.Data(), "advanced_minutes") != minutes {
				t.Errorf("%s %s: %v", mode, body, a.Data())
			}
			// Nothing is due in the first minute, and the tick itself is no event.
			if minutes == 1 && mode == "manual" &&
				(number(t, a.Data(), "events_written") != 0 || n.newest() != before) {
				t.Errorf("%s: a tick of a minute wrote %v events", mode, a.Data()["events_written"])
			}
		}
	}
	n := shared.create(t, "")
	for body, code := range map[string]int{
		`{"minutes":0}`: 422, `{"minutes":481}`: 422, `{"minutes":-1}`: 422, `{"minutes":1.5}`: 422,
		`{"minutes":null}`: 422, `[]`: 400,
	} {
		n.post("/sandbox/tick", body).want(code, map[int]string{422: "validation_failed", 400: "invalid_json"}[code])
	}
}

// paused is a server with the pause between ticks that servers have.
func paused(t testing.TB) *service {
	t.Helper()
	return serve(t, map[string]string{"tick-pause": platentest.Limits()["tick-pause"]})
}

func TestTheClockIsMovedByHandOnceASecond(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "ERR.TICK_RATE", "LIMIT.TICK", "OPEN.TICK.RETRY_AT", "ENV.ERROR.RETRY_AT", "IDEM.AFTER_429",
			"ERR.RETRY")
		n := paused(t).create(t, `{"clock":"manual"}`)
		// Ticks until two of them come within a second, by the
		// server's clock, with the one key and with the other.
		minutes, key := 0, ""
		var refused *answer
		var last time.Time
		for _, sent := range []string{n.office, n.factory} {
			for refused = nil; refused == nil; {
				key = freshKey()
				r := request{
					method: "POST", path: "/sandbox/tick", body: `{"minutes":2}`, key: sent,
					headers: []string{"Idempotency-Key", key},
				}
				a := n.send(t, r)
				at := moment(t, a.Meta()["server_time"])
				if soon := at.Sub(last) < time.Second; (a.Status == http.StatusTooManyRequests) != soon {
					t.Fatalf("ticked at %v and at %v: %d %s", last, at, a.Status, a.Raw)
				}
				if a.Status == http.StatusOK {
					last, minutes = at, minutes+2
					continue
				}
				refused = a.want(http.StatusTooManyRequests, "tick_rate")
			}
		}
		if got := minuteOfDay(t, child(t, n.row("/sandbox"), "clock")); got != minutes {
			t.Errorf("after %d minutes and refused ticks it is minute %d", minutes, got)
		}
		if refused.Header.Get("Retry-After") == "" || refused.Failure()["retryable"] != true {
			t.Errorf("the refusal is %v with Retry-After %q", refused.Failure(), refused.Header.Get("Retry-After"))
		}
		waitUntil(t, moment(t, refused.Failure()["retry_at"]))
		// The same request under the same key is a first try, and not a replay.
		again := n.send(t, request{method: "POST", path: "/sandbox/tick", body: `{"minutes":2}`, key: n.factory,
			headers: []string{"Idempotency-Key", key}}).want(200, "")
		if again.Header.Get("Idempotency-Replayed") != "" || minuteOfDay(t, again.Data()) != minutes+2 {
			t.Errorf("the second try answered %v, replayed %q", again.Data(), again.Header.Get("Idempotency-Replayed"))
		}
	})
}
