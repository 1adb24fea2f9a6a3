package books

import "fmt"

// sickPercent is the pay of a sick hour, in per cent of the wage.
const sickPercent = 80

// weeks compares the timesheets of the bridge with the gate, and each with its payroll run.
func (a *auditor) weeks() {
	byID, crew := index(a.list[payrolls], "id"), index(a.list[employees], "id")
	atGate := map[string]int64{} // hours by badge, week and kind
	for _, day := range a.list[attendance] {
		week := dayOf(text(day, "date")) / workingDays
		atGate[fmt.Sprint(text(day, "badge_no"), week, text(day, "absence"))] += hoursAtWork
	}
	weeks := map[string]int{}
	for _, sheet := range a.list[timesheets] {
		id, run := text(sheet, "id"), byID[text(sheet, "payroll_run_id")]
		weeks[text(sheet, "week_start")]++
		same(a.tally, "payroll: one timesheet a week", id, weeks[text(sheet, "week_start")], 1)
		same(a.tally, "payroll: it names its timesheet", id, text(run, "timesheet_id"), id)
		var gross int64 // in hundredths of the minor unit
		for _, e := range lines(sheet, "entries") {
			person := crew[text(e, "employee_id")]
			hours := (number(e, "hours_worked")+number(e, "hours_leave"))*hundredPercent + number(e,
				"hours_sick")*sickPercent
			gross += share(hours*number(person, "hourly_minor"), 1)
			if text(sheet, "source") != "bridge" {
				continue
			}
			week := dayOf(text(sheet, "week_start")) / workingDays
			for kind, name := range map[string]string{"none": "hours_worked", "sick": "hours_sick",
				"leave": "hours_leave"} {
				same(a.tally, "payroll: the bridge's hours are the gate's", id, number(e, name),
					atGate[fmt.Sprint(text(person, "badge_no"), week, kind)])
			}
		}
		same(a.tally, "payroll: gross is hours times wages", id, number(run, "gross_minor"), gross)
	}
}

// payrolls recomputes each payroll run from its parts.
func (a *auditor) payrolls() {
	late, weeks := map[string]int{}, map[string]int{}
	for _, e := range a.events {
		if text(e, "type") == "hr.payroll.late" {
			late[text(object(e, "data"), "id")]++
		}
	}
	for _, run := range a.list[payrolls] {
		id := text(run, "id")
		weeks[text(run, "week_start")]++
		same(a.tally, "payroll: one run a week", id, weeks[text(run, "week_start")], 1)
		total := number(run, "gross_minor") + number(run, "arrears_minor") + number(run, "surcharge_minor")
		same(a.tally, "payroll: the total is its parts", id, number(run, "total_minor"), total)
		want, surcharge := int64(0), int64(0)
		if text(run, "status") == "paid" {
			want = -total
			if days := dayOf(text(run, "paid_on")) - dayOf(text(run, "due_date")); days > 0 {
				const aDay, most = 2, 10
				surcharge = share(number(run, "gross_minor")+number(run, "arrears_minor"), min(aDay*int64(days), most))
			}
			same(a.tally, "payroll: late is paid after the due date", id, late[id] > 0,
				text(run, "paid_on") > text(run, "due_date"))
		}
		same(a.tally, "payroll: the surcharge", id, number(run, "surcharge_minor"), surcharge)
		same(a.tally, "payroll: the ledger has it", id, sum(a.ledgerOf[id], "amount_minor"), want)
		if text(run, "status") == "due" {
			a.is("payroll: due is not late", a.today() <= dayOf(text(run, "due_date")), "%s", id)
		}
	}
}

// attendance checks that the gate has one row for each day of each employee.
func (a *auditor) attendance() {
	days := map[string]int{}
	for _, day := range a.list[attendance] {
		days[fmt.Sprint(text(day, "badge_no"), " ", dayOf(text(day, "date")))]++
		there := int64(0)
		if text(day, "absence") == "none" {
			there = hoursAtWork
		}
		same(a.tally, "attendance: eight hours or an absence", text(day, "id"), number(day, "hours"), there)
	}
	for _, e := range a.list[employees] {
		left := given(e, "left_on")
		for day := range a.today() + 1 {
			name := fmt.Sprint(text(e, "badge_no"), " ", day)
			switch {
			case day < dayOf(text(e, "starts_on")), left && day > dayOf(text(e, "left_on")):
				same(a.tally, "attendance: one row a day of employment", name, days[name], 0)
			case left && day == dayOf(text(e, "left_on")): // someone who goes that day may have come
				a.is("attendance: one row a day of employment", days[name] <= 1, "%s: %d", name, days[name])
			default:
				same(a.tally, "attendance: one row a day of employment", name, days[name], 1)
			}
		}
	}
}
