package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// hours is a timesheet of the crew's full week, each by the badge.
func hours(badges ...string) []object {
	var entries []object
	for _, badge := range badges {
		entries = append(entries, object{"badge_no": badge, "hours_worked": 40})
	}
	return entries
}

// weekWages are the wages of the crew in a full week.
const weekWages = 684_000

func (n *tenant) timesheet(week string, entries any) *answer {
	n.t.Helper()
	return n.post("/office/timesheets", encode(n.t, object{"week_start": week, "entries": entries}))
}

func (n *tenant) payroll(week string) *answer {
	n.t.Helper()
	return n.post("/office/payroll-runs", encode(n.t, object{"week_start": week}))
}

// twice writes something twice under one key, and returns the answer.
func (n *tenant) twice(path, body string) *answer {
	n.t.Helper()
	key := freshKey()
	a := n.post(path, body, "Idempotency-Key", key).want(http.StatusCreated, "")
	again := n.post(path, body, "Idempotency-Key", key).want(http.StatusCreated, "")
	if string(again.Raw) != string(a.Raw) || again.Header.Get("Idempotency-Replayed") != "true" {
		n.t.Errorf("the same request again answers %s", again.Raw)
	}
	n.post(path, body+" ", "Idempotency-Key", key).want(http.StatusUnprocessableEntity, "idempotency_key_reused")
	return a
}

// TestTheAutoBridgeRecordsTheWeek, and the client pays it.
func TestTheAutoBridgeRecordsTheWeek(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BRIDGE.TIMESHEET", "OPEN.FIELDS.TIMESHEET", "OPEN.FIELDS.PAYROLL_RUN",
		"OPEN.STATE.PAYROLL_RUN", "OPEN.ROUTE.OFFICE.TIMESHEETS", "OPEN.ROUTE.OFFICE.PAYROLL_RUNS",
		"ROUTE.OFFICE.PAYROLL_RUNS.CREATE", "OPEN.BODY.OFFICE.PAYROLL_RUNS", "EVT.TYPE.HR.PAYROLL.DUE",
		"OPEN.EVT.HR.PAYROLL.DUE", "EVT.TYPE.HR.PAYROLL.PAID", "OPEN.EVT.HR.PAYROLL.PAID", "OPEN.ERR.TIMESHEET_EXISTS",
		"OPEN.ERR.PAYROLL_ALREADY_PAID", "OPEN.ERR.TIMESHEET_MISSING", "OPEN.MISSION.PAYROLL_ON_TIME",
		"OPEN.SANDBOX.FIELDS.MORALE", "OPEN.FIELDS.ATTENDANCE", "OPEN.ROUTE.FACTORY.ATTENDANCE")
	n := staffed(t).create(t, `{"preset":"steady","seed":5}`)
	w := watch(n)
	w.step("the week", func() {
		n.untilDay(4)
		n.tick(478)
		if got := n.all("/office/timesheets"); len(got) != 0 {
			t.Errorf("before the close of Friday there is %v", got)
		}
		n.payroll("2026-09-07").want(http.StatusConflict, "timesheet_missing")
	})
	var sheet, run object
	w.step("the close of Friday", func() {
		at := n.newest()
		n.tick(1)
		sheet, run = n.all("/office/timesheets")[0], n.all("/office/payroll-runs?status=due")[0]
		has(t, "a timesheet", sheet, "week_start", "entries", "source", "payroll_run_id")
		has(t, "a payroll run", run, "week_start", "week_end", "due_date", "status", "timesheet_id", "gross_minor",
			"arrears_minor", "surcharge_minor", "total_minor", "paid_on", "forced")
		if sheet["source"] != "bridge" || sheet["week_start"] != "2026-09-07" || sheet["payroll_run_id"] != run["id"] ||
			run["timesheet_id"] != sheet["id"] || len(children(t, sheet, "entries")) != 7 {
			t.Errorf("the bridge recorded %v, so %v", sheet, run)
		}
		if run["week_end"] != "2026-09-11" || run["due_date"] != "2026-09-16" ||
			number(t, run, "gross_minor") != weekWages || number(t, run, "total_minor") != weekWages ||
			run["forced"] != false {
			t.Errorf("the payroll run is %v", run)
		}
		n.says(n.feed(at), text(run, "id"), "hr.payroll.due", object{"status": "due", "week_start": "2026-09-07",
			"timesheet_id": sheet["id"], "gross_minor": weekWages, "arrears_minor": 0, "due_date": "2026-09-16"})
		if d := n.timesheet("2026-09-07", hours(crew...)).
			want(http.StatusConflict, "timesheet_exists").details(); d["timesheet_id"] != sheet["id"] {
			t.Errorf("recording again: %v", d)
		}
	})
	w.step("payday", func() {
		before, morale, at := n.row("/office/cash"), n.row("/sandbox")["morale"], n.newest()
		a := n.twice("/office/payroll-runs", `{"week_start":"2026-09-07"}`)
		n.sameRow(a, "/office/payroll-runs/"+text(run, "id"))
		if paid := a.Data(); paid["id"] != run["id"] || paid["status"] != "paid" || paid["paid_on"] != "2026-09-11" ||
			number(t, paid, "surcharge_minor") != 0 {
			t.Errorf("the paid run is %v", paid)
		}
		events := n.feed(at)
		if got := company(events); !slices.Equal(got, []string{"hr.payroll.paid"}) {
			t.Errorf("paying wrote %v", got)
		}
		n.says(events, text(run, "id"), "hr.payroll.paid",
			object{"status": "paid", "week_start": "2026-09-07", "total_minor": weekWages, "arrears_minor": 0,
				"surcharge_minor": 0, "forced": false, "cash_minor": number(t, before, "cash_minor") - weekWages})
		if n.row("/missions/payroll_on_time")["status"] != "completed" {
			t.Error("the mission is not completed")
		}
		if now := n.row("/sandbox")["morale"]; fmt.Sprint(morale) != "82" || fmt.Sprint(now) != "85" {
			t.Errorf("paying in time took morale from %v to %v", morale, now)
		}
		if d := n.payroll("2026-09-07").
			want(http.StatusConflict, "payroll_already_paid").details(); d["payroll_run_id"] != run["id"] {
			t.Errorf("paying again: %v", d)
		}
	})
	if got := n.all("/factory/attendance?week_start=2026-09-07&badge_no=1004"); len(got) != 5 {
		t.Errorf("the finisher came on %d days", len(got))
	} else {
		has(t, "an attendance row", got[0], "badge_no", "date", "hours", "absence")
	}
	if got := len(n.all("/factory/attendance?week_start=2026-09-14")); got != 0 {
		t.Errorf("next week %d have come", got)
	}
	for _, path := range []string{
		"/factory/attendance", "/office/timesheets", "/office/payroll-runs", "/office/employees",
	} {
		n.pages(path)
		n.sameTable(n.get(path+"?limit=100"), n.get(path+".csv?limit=100").want(http.StatusOK, "").Raw)
	}
	w.ended()
}

// TestTheClientCanRecordBeforeTheBridge: the first one counts.
func TestTheClientCanRecordBeforeTheBridge(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BRIDGE.TIMESHEET", "OPEN.BODY.OFFICE.TIMESHEETS")
	n := staffed(t).create(t, `{"preset":"steady","seed":5}`)
	n.untilDay(4)
	n.tick(240)
	sheet := n.timesheet("2026-09-07", hours(crew...)).want(http.StatusCreated, "").Data()
	n.tick(240)
	if all := n.all("/office/timesheets"); len(all) != 1 || all[0]["id"] != sheet["id"] || sheet["source"] != "client" {
		t.Errorf("recorded were %v", all)
	}
}

// TestWithTheManualBridgeTheClientRecordsTheWeek, or does not: then the wages
// are late, and in the end collected.
func TestWithTheManualBridgeTheClientRecordsTheWeek(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BRIDGE.TIMESHEET", "ROUTE.OFFICE.TIMESHEETS.CREATE", "OPEN.BODY.OFFICE.TIMESHEETS",
		"OPEN.ERR.WEEK_NOT_OVER", "OPEN.ERR.MANUAL_CLOCK", "OPEN.ERR.EMPLOYEE_MISSING", "OPEN.STATE.PAYROLL_RUN",
		"EVT.TYPE.HR.PAYROLL.LATE", "OPEN.EVT.HR.PAYROLL.LATE", "OPEN.ERR.TIMESHEET_MISSING", "OPEN.ERR.RETRYABLE",
		"OPEN.STATE.PAYROLL_RUN.ARREARS", "OPEN.EVT.HR.PAYROLL.DUE")
	n := staffed(t).create(t, `{"preset":"steady","bridge":"manual","seed":5}`)
	w := watch(n)
	early := n.timesheet("2026-09-07", hours(crew...)).want(http.StatusConflict, "week_not_over")
	if at, has := early.Failure()["retry_at"]; has || early.Failure()["retryable"] != false ||
		!strings.Contains(text(early.Failure(), "hint"), "/sandbox/tick") {
		t.Errorf("under a manual clock week_not_over says %v, until %v", early.Failure(), at)
	}
	w.step("Friday noon", func() {
		n.untilDay(4)
		n.tick(239)
		n.timesheet("2026-09-07", hours(crew...)).want(http.StatusConflict, "week_not_over")
		n.tick(1)
	})
	w.step("record", func() {
		missing := n.timesheet("2026-09-07", hours(crew[:5]...)).
			want(http.StatusUnprocessableEntity, "employee_missing").details()
		if want := []string{
			text(n.badge("1006"), "id"), text(n.badge("1007"), "id"),
		}; !slices.Equal(texts(missing, "employee_ids"), want) {
			t.Errorf("missing are %v, want %v", missing, want)
		}
		at := n.newest()
		entries := hours(crew[1:]...)
		entries = append(entries, object{"employee_id": n.badge("1001")["id"], "hours_worked": 32, "hours_sick": 8})
		a := n.twice("/office/timesheets", encode(t, object{"week_start": "2026-09-07", "entries": entries}))
		sheet := a.Data()
		n.sameRow(a, "/office/timesheets/"+text(sheet, "id"))
		events := n.feed(at)
		if got := company(events); !slices.Equal(got, []string{"hr.payroll.due"}) {
			t.Errorf("recording wrote %v", got)
		}
		run := n.row("/office/payroll-runs/" + text(sheet, "payroll_run_id"))
		// One of 280 hours is as good as right; eight of them at 80 %.
		if sheet["source"] != "client" || number(t, run, "gross_minor") != weekWages-8*2700/5 {
			t.Errorf("recorded was %v, so %v", sheet, run)
		}
		n.payroll("2026-09-07").want(http.StatusCreated, "")
	})
	w.step("nobody records the second week", func() { n.untilDay(13) })
	var late object
	// The fifth of eight hours that the first sheet left out, and a tenth on top.
	const arrears = 8 * 2700 / 5 * 110 / 100
	w.step("its wages are late", func() {
		late = n.all("/office/payroll-runs?status=late")[0]
		if late["week_start"] != "2026-09-14" || late["timesheet_id"] != nil ||
			number(t, late, "arrears_minor") != arrears || number(t, late, "total_minor") != arrears {
			t.Errorf("late is %v", late)
		}
		n.says(n.feed(0), text(late, "id"), "hr.payroll.late",
			object{"status": "late", "week_start": "2026-09-14", "reason": "no_timesheet", "total_minor": arrears})
		n.payroll("2026-09-14").want(http.StatusConflict, "timesheet_missing")
		score := child(t, n.row("/sandbox"), "score")
		if number(t, score, "payroll_late") != 1 {
			t.Errorf("the score counts %v late payrolls", score["payroll_late"])
		}
	})
	w.step("the hours come late", func() {
		at := n.newest()
		n.timesheet("2026-09-14", hours(crew...)).want(http.StatusCreated, "")
		n.says(n.feed(at), text(late, "id"), "hr.payroll.due",
			object{"status": "late", "gross_minor": weekWages, "arrears_minor": arrears})
		paid := n.payroll("2026-09-14").want(http.StatusCreated, "").Data()
		surcharge := number(t, paid, "surcharge_minor")
		near(t, "the surcharge for a day", surcharge, float64(weekWages+arrears)*0.02)
		if number(t, paid, "total_minor") != weekWages+arrears+surcharge {
			t.Errorf("a day late costs %v", paid)
		}
	})
	w.ended()
}

// TestWagesAreCollectedInTheEnd, with a surcharge, whether or not there was a
// timesheet.
func TestWagesAreCollectedInTheEnd(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.PAYROLL_RUN", "OPEN.EVT.HR.PAYROLL.LATE", "OPEN.EVT.HR.PAYROLL.PAID",
		"OPEN.ERR.PAYROLL_ALREADY_PAID", "OPEN.CASH.SPENDING")
	s := staffed(t)
	for bridge, reason := range map[string]string{"auto": "unpaid", "manual": "no_timesheet"} {
		t.Run(bridge, func(t *testing.T) {
			t.Parallel()
			n := s.create(t, fmt.Sprintf(`{"preset":"poor","bridge":%q,"seed":5}`, bridge))
			n.untilDay(5)
			if bridge == "auto" {
				d := n.payroll("2026-09-07").want(http.StatusConflict, "insufficient_funds").details()
				if number(t, d, "amount_minor") != weekWages {
					t.Errorf("insufficient_funds has the details %v", d)
				}
			}
			n.untilDay(13)
			run := one(t, n.all("/office/payroll-runs"), "week_start", "2026-09-07")
			if run["status"] != "paid" || run["forced"] != true || run["paid_on"] != "2026-09-24" ||
				number(t, run, "gross_minor") != weekWages || number(t, run, "total_minor") != weekWages*110/100 {
				t.Errorf("collected was %v", run)
			}
			events := n.feed(0)
			n.says(events, text(run, "id"), "hr.payroll.late", object{"status": "late", "reason": reason})
			n.says(events, text(run, "id"), "hr.payroll.paid",
				object{"status": "paid", "forced": true, "total_minor": weekWages * 110 / 100})
			n.payroll("2026-09-07").want(http.StatusConflict, "payroll_already_paid")
			if bridge == "manual" {
				n.timesheet("2026-09-07", hours(crew...)).want(http.StatusConflict, "payroll_already_paid")
			}
			n.checkBooks(events)
		})
	}
}

// TestTimesheetBodiesAreChecked, those of payroll runs too.
func TestTimesheetBodiesAreChecked(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.OFFICE.TIMESHEETS", "OPEN.BODY.OFFICE.PAYROLL_RUNS", "OPEN.ERR.WEEK_NOT_OVER")
	n := staffed(t).create(t, `{"preset":"steady","bridge":"manual","seed":5}`)
	n.untilDay(5)
	before := n.newest()
	entry := func(members string) string {
		return `{"week_start":"2026-09-07","entries":[{"badge_no":"1001","hours_worked":1},{` + members + `}]}`
	}
	for body, want := range map[string]string{
		`{}`:                          "entries week_start",
		`{"week_start":"2026-09-07"}`: "entries",
		`{"week_start":"2026-09-07","entries":[]}`: "entries",
		`{"week_start":"2026-09-07","entries":[` + strings.Repeat(`{"badge_no":"1","hours_worked":1},`, 50) +
			`{"badge_no":"1","hours_worked":1}]}`: "entries",
		`{"week_start":"2026-09-08","entries":[{"badge_no":"1001",` +
			`"hours_worked":1}]}`: "week_start",
		`{"week_start":"2026-08-31","entries":[{"badge_no":"1001",` +
			`"hours_worked":1}]}`: "week_start",
		`{"week_start":"2026-09-21","entries":[{"badge_no":"1001",` +
			`"hours_worked":1}]}`: "week_start",
		`{"week_start":"2026-W37","entries":[{"badge_no":"1001",` +
			`"hours_worked":1}]}`: "week_start",
		entry(`"hours_worked":1`): "entries[1].employee_id",
		entry(`"badge_no":"1002","employee_id":"emp_1","hours_worked":1`): "entries[1].badge_no",
		entry(`"badge_no":"1002"`):                                        "entries[1].hours_worked",
		entry(`"badge_no":"1002","hours_worked":61`):                      "entries[1].hours_worked",
		entry(`"badge_no":"1002","hours_worked":-1`):                      "entries[1].hours_worked",
		entry(`"badge_no":"1002","hours_worked":7.5`):                     "entries[1].hours_worked",
		entry(`"badge_no":"1002","hours_worked":1,"hours_sick":41`):       "entries[1].hours_sick",
		entry(`"badge_no":"1002","hours_worked":1,"hours_leave":41`):      "entries[1].hours_leave",
		entry(`"badge_no":"1002","hours_worked":1,"hours":1`):             "entries[1].hours",
		entry(`"badge_no":"9999","hours_worked":1`):                       "entries[1].badge_no",
		entry(`"employee_id":"emp_1","hours_worked":1`):                   "entries[1].employee_id",
		entry(`"badge_no":"1001","hours_worked":1`):                       "entries[1].badge_no",
		entry(`"badge_no":1002,"hours_worked":"1"`): "entries[1].badge_no " +
			"entries[1].hours_worked",
	} {
		fields := badFields(n.post("/office/timesheets", body).
			want(http.StatusUnprocessableEntity, "validation_failed"))
		slices.Sort(fields)
		if got := strings.Join(fields, " "); got != want {
			t.Errorf("%s: named are %q, want %q", body, got, want)
		}
	}
	for body, want := range map[string]string{
		`{}`: "week_start", `{"week_start":"2026-09-08"}`: "week_start", `{"week_start":"soon"}`: "week_start",
		`{"week_start":"2026-09-07","hours":1}`: "hours",
	} {
		if got := strings.Join(badFields(n.post("/office/payroll-runs", body).want(http.StatusUnprocessableEntity,
			"validation_failed")), " "); got != want {
			t.Errorf("%s: named are %q, want %q", body, got, want)
		}
	}
	for _, week := range []string{"2026-08-31", "2026-09-21", "9999-12-27"} {
		n.payroll(week).want(http.StatusNotFound, "not_found")
	}
	for _, path := range []string{"/office/timesheets", "/office/payroll-runs"} {
		n.post(path, "").want(http.StatusBadRequest, "invalid_json")
		n.call("POST", path, `{"week_start":"2026-09-07"}`).want(http.StatusBadRequest, "idempotency_required")
	}
	if n.newest() != before {
		t.Errorf("refusals wrote %v", types(n.feed(before)))
	}
}

// TestWeekNotOverNamesFridayNoon of a clock that runs by itself: 4 days and 4
// hours of a week in which a day takes a minute.
func TestWeekNotOverNamesFridayNoon(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.WEEK_NOT_OVER")
	n := staffed(t).create(t, `{"preset":"prompt","seed":5}`)
	opened := moment(t, n.row("/sandbox")["created_at"])
	refused := n.timesheet("2026-09-07", hours(crew...)).want(http.StatusConflict, "week_not_over")
	if got := moment(t, refused.Failure()["retry_at"]).Sub(opened); got < 270*time.Second || got > 272*time.Second {
		t.Errorf("the week can be recorded %s after it began, want 270 s", got)
	}
}
