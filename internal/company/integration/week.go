package integration

import (
	"fmt"
	"maps"
	"slices"

	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
)

// weeks compares the gate's records of each week that is over with its timesheet.
func (v *verifier) weeks() {
	if !v.Wages {
		return
	}
	sheets := map[moment.Date]*hr.Timesheet{}
	for sheet := range v.People.Timesheets.All {
		sheets[sheet.WeekStart] = sheet
	}
	for monday := sim.Day(0); ; monday += sim.DaysPerWeek {
		friday := monday + sim.DaysPerWeek - 1
		if friday.At(sim.TimesheetMinute) > v.Now {
			return
		}
		week := v.Factory.WeekAttendance(monday.Date())
		if len(week) == 0 {
			continue // nobody worked here
		}
		id := monday.Date().String()
		o := obligation{
			kind: Week, Record: Record{event.Factory, "attendance", id, "The week of " + id},
			since: friday, ordinal: int(monday), inTime: inTimeDays, missed: missedDays, wants: "timesheet",
		}
		if sheet := sheets[monday.Date()]; sheet != nil {
			o.effects = []effect{{Record{event.HR, "timesheet", sheet.ID, ""}, sim.DayFrom(sheet.CreatedOn),
				sheet.UpdatedAt, v.People.Timesheets.Rows.Ordinal(sheet.ID)}}
			o.differs = v.hours(sheet, week)
		}
		v.judge(&o)
	}
}

// hours compares a timesheet with the gate, person by person.
func (v *verifier) hours(sheet *hr.Timesheet, week []factory.WeekHours) string {
	badges := map[string]string{}
	for e := range v.People.Employees.All {
		badges[e.ID] = e.BadgeNo
	}
	recorded := map[string]hr.TimesheetEntry{}
	for _, entry := range sheet.Entries {
		recorded[badges[entry.EmployeeID]] = entry
	}
	for _, at := range week {
		entry := recorded[at.BadgeNo]
		delete(recorded, at.BadgeNo)
		text := firstOf(compared("hours_worked", entry.HoursWorked, at.Worked),
			compared("hours_sick", entry.HoursSick, at.Sick), compared("hours_leave", entry.HoursLeave, at.Leave))
		if text != "" {
			return fmt.Sprintf("%s of badge %s", text, at.BadgeNo)
		}
	}
	for _, badge := range slices.Sorted(maps.Keys(recorded)) {
		if entry := recorded[badge]; entry.HoursWorked+entry.HoursSick+entry.HoursLeave > 0 {
			return fmt.Sprintf("badge %s was never at the gate", badge)
		}
	}
	return ""
}
