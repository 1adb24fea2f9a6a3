package company_test

import (
	"pgregory.net/rapid"

	"platen/internal/company/catalog"
	"platen/internal/company/hr"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/money"
)

// drawStaff hires or dismisses, now and then: a company without people does
// little.
func drawStaff(t *rapid.T, l *life) action {
	if rapid.Bool().Draw(t, "dismisses") {
		status := rapid.SampledFrom([]string{"active", "sick", "left"}).Draw(t, "status")
		return dismiss(l.pick(t, "employee", status),
			rapid.Ptr(rapid.SampledFrom([]string{"", "late again"}), true).Draw(t, "reason"))
	}
	role := rapid.SampledFrom(append(catalog.Roles(), event.Operator, event.Operator, "juggler")).Draw(t, "role")
	hourly := rapid.Ptr(rapid.SampledFrom([]money.Minor{-1, 2399, 2600, 9_999}), true).Draw(t, "hourly")
	return hire(role, hourly)
}

// drawDismissal dismisses somebody of a role that few people have, so that it is empty for a
// while.
func drawDismissal(t *rapid.T, l *life) action {
	role := rapid.SampledFrom([]event.Role{
		event.Warehouse, event.Warehouse, event.Bookkeeper, event.Sales, event.Finisher,
	}).Draw(t, "role")
	for _, e := range l.employees() {
		if e.Role == role && e.Status != hr.EmployeeLeft && rapid.Bool().Draw(t, "really") {
			return dismiss(e.ID, nil)
		}
	}
	return hire(role, nil)
}

// drawTimesheet records a week, mostly one that can be, mostly of the people
// who were there, mostly with the hours that they had, sometimes with none at all.
func drawTimesheet(t *rapid.T, l *life) action {
	week := sim.DayFrom(l.company.Summary().Now.Date())/sim.DaysPerWeek -
		sim.Day(rapid.SampledFrom([]int{0, 1, 1, 1, 2, -1}).Draw(t, "weeks ago"))
	monday := sim.Start.AddDays(7 * int(week))
	if rapid.IntRange(0, 19).Draw(t, "weekday") == 0 {
		monday++
	}
	hours := []hr.HoursEntry{}
	none := rapid.IntRange(0, 2).Draw(t, "none") == 0
	for _, e := range l.employees() {
		began, left := e.StartsOn <= monday+4, e.LeftOn != nil && *e.LeftOn < monday
		if !began || left {
			continue
		}
		h := hr.HoursEntry{EmployeeID: new(e.ID), HoursWorked: 40}
		if e.LeftOn != nil && *e.LeftOn <= monday+4 {
			h.HoursWorked = 8 * int64(*e.LeftOn-monday)
		}
		if none {
			hours = append(hours, hr.HoursEntry{EmployeeID: new(e.ID)})
			continue
		}
		switch rapid.IntRange(0, 29).Draw(t, "hours") {
		case 0:
			continue
		case 1:
			h = hr.HoursEntry{
				BadgeNo: new(e.BadgeNo), HoursWorked: rapid.Int64Range(0, 60).Draw(t, "worked"),
				HoursSick:  rapid.Int64Range(0, 40).Draw(t, "sick"),
				HoursLeave: rapid.Int64Range(0, 40).Draw(t, "leave"),
			}
		}
		hours = append(hours, h)
	}
	return recordHours(monday, hours)
}

func drawPayroll(t *rapid.T, l *life) action {
	week := sim.DayFrom(l.company.Summary().Now.Date())/sim.DaysPerWeek -
		sim.Day(rapid.SampledFrom([]int{0, 1, 1, 1, 2, -1}).Draw(t, "weeks ago"))
	return payroll(sim.Start.AddDays(7 * int(week)))
}
