package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// staffed is a server with presets for different staffs: in steady nothing
// happens to people, in restless a lot does, poor cannot pay.
func staffed(t testing.TB) *service {
	t.Helper()
	manual := object{"mode": "manual", "speed": 8}
	nothing := object{
		"sick_pct_day": 0, "leave_every_days": 0, "quit_pct_day": 0, "auto_rehire": true, "hire_fee_minor": 120000,
	}
	free := object{
		"rent_minor_per_day": 0, "lease_minor_per_day": 0, "utilities_minor_per_day": 0, "insurance_minor_per_day": 0,
		"storage_basis_points_per_day": 0,
	}
	return serve(t, presets(t, map[string]object{
		"steady": {"clock": manual, "staff": nothing},
		"restless": {"clock": manual, "staff": object{"sick_pct_day": 20, "leave_every_days": 4, "quit_pct_day": 6,
			"auto_rehire": true, "hire_fee_minor": 120000}},
		"poor": {"clock": manual, "staff": nothing, "cash_minor": 100000, "overdraft_limit_minor": 20000,
			"opening_documents": false, "overhead": free},
		"prompt": {"clock": object{"mode": "realtime", "speed": 8}, "staff": nothing},
	}))
}

// badge is the employee with a badge.
func (n *tenant) badge(number string) object {
	n.t.Helper()
	return one(n.t, n.all("/office/employees"), "badge_no", number)
}

var crew = []string{"1001", "1002", "1003", "1004", "1005", "1006", "1007"}

// untilDay moves the clock to the opening of a day.
func (n *tenant) untilDay(day int) {
	n.t.Helper()
	for range 2 * (day + 1) { // a part of a day, and whole ones
		clock := child(n.t, n.row("/sandbox"), "clock")
		at := int(number(n.t, clock, "day_number"))
		minute, err := time.Parse("15:04", text(clock, "sim_time"))
		if err != nil {
			n.t.Fatal(err)
		}
		left := (day-at)*480 - (minute.Hour()-8)*60 - minute.Minute()
		if left <= 0 {
			return
		}
		n.tick(min(left, 480))
	}
	n.t.Fatalf("the clock does not reach day %d", day)
}

// TestPeopleAreHiredAndDismissed.
func TestPeopleAreHiredAndDismissed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FIELDS.EMPLOYEE", "OPEN.STATE.EMPLOYEE", "OPEN.ROUTE.OFFICE.EMPLOYEES", "OPEN.BODY.OFFICE.EMPLOYEES",
		"OPEN.BODY.OFFICE.EMPLOYEES.DISMISS", "EVT.TYPE.HR.EMPLOYEE.HIRED", "OPEN.EVT.HR.EMPLOYEE.HIRED",
		"EVT.TYPE.HR.EMPLOYEE.DISMISSED", "OPEN.EVT.HR.EMPLOYEE.DISMISSED", "OPEN.ERR.HEADCOUNT_LIMIT")
	n := staffed(t).create(t, `{"preset":"steady","seed":5}`)
	w := watch(n)
	for _, e := range n.all("/office/employees") {
		has(t, "an employee", e, "badge_no", "name", "role", "hourly_minor", "skill", "hired_on", "starts_on", "status",
			"sick_until", "left_on", "left_reason")
	}
	if got := len(n.all("/office/employees?role=operator&status=active")); got != 3 {
		t.Errorf("%d operators are active", got)
	}
	var hired object
	w.step("hire", func() {
		before, at := n.row("/office/cash"), n.newest()
		a := n.post("/office/employees", `{"role":"operator"}`).want(http.StatusCreated, "")
		hired = a.Data()
		n.sameRow(a, "/office/employees/"+text(hired, "id"))
		if hired["badge_no"] != "1008" || number(t, hired, "hourly_minor") != 2400 || hired["status"] != "active" ||
			hired["starts_on"] != "2026-09-09" {
			t.Errorf("hired was %v", hired)
		}
		events := n.feed(at)
		if got := types(events); !slices.Equal(got, []string{"hr.employee.hired"}) {
			t.Errorf("hiring wrote %v", got)
		}
		n.says(events, text(hired, "id"), "hr.employee.hired", object{"status": "active",
			"badge_no": "1008", "role": "operator", "hourly_minor": 2400, "starts_on": "2026-09-09",
			"fee_minor": 120_000, "cash_minor": number(t, before, "cash_minor") - 120_000})
	})
	w.step("dismiss", func() {
		e := n.badge("1007")
		before, at := n.row("/office/cash"), n.newest()
		path := "/office/employees/" + text(e, "id")
		a := n.post(path+"/dismiss", `{"reason":"nothing to sell"}`).want(http.StatusOK, "")
		n.sameRow(a, path)
		if gone := a.Data(); gone["status"] != "left" || gone["left_on"] != "2026-09-07" ||
			gone["left_reason"] != "nothing to sell" {
			t.Errorf("dismissed was %v", gone)
		}
		events := n.feed(at)
		if got := types(events); !slices.Equal(got, []string{"hr.employee.dismissed"}) {
			t.Errorf("dismissing wrote %v", got)
		}
		n.says(events, text(e, "id"), "hr.employee.dismissed", object{"status": "left", "badge_no": "1007",
			"role": "sales", "severance_minor": 2600 * 80, "cash_minor": number(t, before, "cash_minor") - 2600*80})
		d := n.post(path+"/dismiss", "").want(http.StatusConflict, "invalid_state").details()
		if d["status"] != "left" || !slices.Equal(texts(d, "allowed"), []string{"active", "sick"}) {
			t.Errorf("dismissing again: %v", d)
		}
		n.post("/office/employees/emp_0/dismiss", "").want(http.StatusNotFound, "not_found")
	})
	w.step("hire until there is no room", func() {
		for range 13 {
			n.post("/office/employees", `{"role":"warehouse","hourly_minor":2100}`).want(http.StatusCreated, "")
		}
		if d := n.post("/office/employees", `{"role":"sales"}`).
			want(http.StatusConflict, "headcount_limit").details(); number(t, d, "limit") != 20 {
			t.Errorf("the limit is %v", d)
		}
	})
	w.ended()
}

// TestHiringBodiesAreChecked.
func TestHiringBodiesAreChecked(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.OFFICE.EMPLOYEES", "OPEN.BODY.OFFICE.EMPLOYEES.DISMISS", "OPEN.CASH.SPENDING")
	n := staffed(t).create(t, `{"preset":"poor","seed":5}`)
	before := n.greet().newest()
	for body, want := range map[string]string{
		`{}`: "role", `{"role":"juggler"}`: "role", `{"role":null}`: "role", `{"role":7}`: "role",
		`{"role":"operator","hourly_minor":2399}`:                "hourly_minor",
		`{"role":"operator","hourly_minor":-1}`:                  "hourly_minor",
		`{"role":"operator","hourly_minor":100001}`:              "hourly_minor",
		`{"role":"operator","hourly_minor":24.5}`:                "hourly_minor",
		`{"role":"operator","hourly_minor":"2400"}`:              "hourly_minor",
		`{"role":"operator","hourly_minor":null}`:                "hourly_minor",
		`{"role":"operator","hourly_minor":9223372036854775808}`: "hourly_minor",
		`{"role":"operator","wage":1}`:                           "wage",
	} {
		if got := strings.Join(badFields(n.post("/office/employees", body).
			want(http.StatusUnprocessableEntity, "validation_failed")), " "); got != want {
			t.Errorf("%s: named are %q, want %q", body, got, want)
		}
	}
	for _, body := range []string{"", "[]", "{", `{"role":"sales","role":"sales"}`} {
		n.post("/office/employees", body).want(http.StatusBadRequest, "invalid_json")
	}
	path := "/office/employees/" + text(n.badge("1001"), "id") + "/dismiss"
	for _, body := range []string{
		`{"reason":""}`, `{"reason":7}`, `{"reason":"` + strings.Repeat("é", 201) + `"}`, `{"why":"x"}`,
	} {
		n.post(path, body).want(http.StatusUnprocessableEntity, "validation_failed")
	}
	if n.newest() != before {
		t.Errorf("refusals wrote %v", types(n.feed(before)))
	}
	n.post("/office/employees", `{"role":"sales"}`).want(http.StatusCreated, "") // the overdraft is there for it
	for _, a := range []*answer{n.post("/office/employees", `{"role":"sales"}`), n.post(path, "")} {
		if d := a.want(http.StatusConflict, "insufficient_funds").details(); number(t, d, "available_minor") != 0 ||
			number(t, d, "amount_minor") <= 0 {
			t.Errorf("insufficient_funds has the details %v", d)
		}
	}
}

// TestPeopleFallIllAnnounceLeaveAndQuit, and those who quit are replaced.
func TestPeopleFallIllAnnounceLeaveAndQuit(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.EMPLOYEE", "OPEN.FIELDS.LEAVE_REQUEST", "OPEN.ROUTE.OFFICE.LEAVE_REQUESTS",
		"OPEN.FIELDS.ATTENDANCE", "OPEN.FIELDS.OPERATOR", "EVT.TYPE.HR.EMPLOYEE.SICK", "OPEN.EVT.HR.EMPLOYEE.SICK",
		"EVT.TYPE.HR.EMPLOYEE.RETURNED", "OPEN.EVT.HR.EMPLOYEE.RETURNED", "EVT.TYPE.HR.EMPLOYEE.QUIT",
		"OPEN.EVT.HR.EMPLOYEE.QUIT", "EVT.TYPE.HR.LEAVE_REQUEST.CREATED", "OPEN.EVT.HR.LEAVE_REQUEST.CREATED",
		"OPEN.EVT.HR.EMPLOYEE.HIRED", "OPEN.STATE.PRINT_RUN.OPERATOR", "OPEN.ERR.NO_OPERATOR")
	n := staffed(t).create(t, `{"preset":"restless","seed":8}`)
	w := watch(n)
	w.step("what comes in any case", func() {
		n.pulls(object{"type": "employee_quits", "badge_no": "1007"})
		n.pulls(object{"type": "employee_sick", "badge_no": "1006"})
		n.pulls(object{"type": "leave", "badge_no": "1005"})
	})
	for range 9 {
		w.step("a day passes", func() { n.day() })
		n.gateIsRight()
	}
	events := n.feed(0)
	for _, kind := range []string{
		"hr.employee.sick", "hr.employee.returned", "hr.employee.quit", "hr.leave_request.created",
	} {
		if len(ofType(events, kind)) == 0 {
			t.Errorf("in two weeks nothing wrote %s", kind)
		}
	}
	expected := map[string]string{}
	for _, e := range events {
		data, id := child(t, e, "data"), text(child(t, e, "data"), "id")
		switch text(e, "type") {
		case "hr.employee.sick":
			expected[id] = text(data, "expected_back")
		case "hr.employee.returned":
			if expected[id] != text(e, "sim_date") || number(t, data, "days_absent") < 1 ||
				number(t, data, "days_absent") > 4 {
				t.Errorf("expected on %s, back is %v", expected[id], e)
			}
		case "hr.employee.quit":
			if gone := n.row("/office/employees/" + id); gone["status"] != "left" ||
				gone["left_reason"] != data["reason"] || gone["left_on"] != e["sim_date"] {
				t.Errorf("%v, and the employee is %v", e, gone)
			}
		case "hr.leave_request.created":
			request := n.row("/office/leave-requests/" + id)
			has(t, "a leave request", request, "employee_id", "from_date", "to_date", "days")
			for _, same := range []string{"employee_id", "from_date", "to_date", "days"} {
				if fmt.Sprint(data[same]) != fmt.Sprint(request[same]) {
					t.Errorf("the event says %v, the request is %v", data, request)
				}
			}
		}
	}
	if hired := ofType(events, "hr.employee.hired"); len(hired) <= len(crew) {
		t.Errorf("%d were hired, and nobody of them replaced who quit", len(hired))
	}
	n.pages("/office/leave-requests")
	w.ended()
}

// gateIsRight compares who is at work by Head Office's books with what the
// Factory's gate wrote down today.
func (n *tenant) gateIsRight() {
	t := n.t
	t.Helper()
	today := text(child(t, n.row("/sandbox"), "clock"), "sim_date")
	leave := map[string]bool{}
	for _, r := range n.all("/office/leave-requests") {
		if text(r, "from_date") <= today && today <= text(r, "to_date") {
			leave[text(r, "employee_id")] = true
		}
	}
	want := map[string]string{}
	for _, e := range n.all("/office/employees") {
		switch {
		case e["status"] == "left" || text(e, "starts_on") > today:
		case e["status"] == "sick":
			want[text(e, "badge_no")] = "sick"
		case leave[text(e, "id")]:
			want[text(e, "badge_no")] = "leave"
		default:
			want[text(e, "badge_no")] = "none"
		}
	}
	got := map[string]string{}
	for _, row := range n.all("/factory/attendance") {
		if text(row, "date") == today {
			got[text(row, "badge_no")] = text(row, "absence")
			if (number(t, row, "hours") == 8) != (row["absence"] == "none") {
				t.Errorf("the gate has %v", row)
			}
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("on %s the gate has %v, Head Office %v", today, got, want)
	}
	for _, operator := range n.all("/factory/operators") {
		if operator["present"] != (got[text(operator, "badge_no")] == "none") {
			t.Errorf("%v, and the gate has %q", operator, got[text(operator, "badge_no")])
		}
	}
}

// TestAPressNeedsAnOperatorWhoIsPresent.
func TestAPressNeedsAnOperatorWhoIsPresent(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.PRINT_RUN.OPERATOR", "OPEN.ERR.NO_OPERATOR", "OPEN.FIELDS.OPERATOR")
	n := staffed(t).create(t, `{"preset":"steady","bridge":"manual","seed":5}`)
	for _, badge := range crew[:3] {
		n.post("/office/employees/"+text(n.badge(badge), "id")+"/dismiss", "").want(http.StatusOK, "")
	}
	for _, operator := range n.all("/factory/operators") {
		has(t, "an operator", operator, "badge_no", "role", "present")
		if operator["present"] != false {
			t.Errorf("dismissed, %v", operator)
		}
	}
	work := text(n.work("prd_card", 10, "somebody"), "id")
	for _, body := range []object{
		{"press_id": "prs_digital", "work_order_id": work},
		{"press_id": "prs_digital", "work_order_id": work, "operator_badge_no": "1001"},
	} {
		// The time of the next arrival is unknown.
		a := n.post("/factory/print-runs", encode(t, body)).want(http.StatusConflict, "no_operator")
		if at, says := a.Failure()["retry_at"]; says && at != nil {
			t.Errorf("nobody is there, and it will work at %v", at)
		}
	}
}
