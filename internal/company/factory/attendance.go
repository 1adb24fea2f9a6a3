package factory

import (
	"fmt"
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// Absence is the reason why an employee is not at work.
type Absence string

// Absences.
const (
	AbsenceNone  Absence = "none"
	AbsenceSick  Absence = "sick"
	AbsenceLeave Absence = "leave"
)

// Attendance is the gate's record of an employee on a working day. Absences are
// known when the day opens. It has no status and no event.
type Attendance struct {
	_ struct{} `doc:"The Factory gate's record of one employee on one working day."`

	record.Head
	BadgeNo string      `json:"badge_no" doc:"The badge at the gate. Head Office knows the employee by the same number."`
	Date    moment.Date `json:"date" doc:"The working day."`
	Hours   int64       `json:"hours" doc:"Whole hours at work: 8 for an employee who is there, else 0."`
	Absence Absence     `json:"absence" enum:"none,sick,leave" doc:"Why the employee is not there: sick or leave; none for one who is."`
	record.Stamps
}

// Resource implements record.Row.
func (*Attendance) Resource() string { return "attendance" }

// State implements record.Row.
func (*Attendance) State() string { return "" }

// newAttendance makes the table. A row can be found by the Monday of its week,
// which it does not show.
func newAttendance() *record.Table[Attendance, struct{}] {
	return record.NewTable(record.Definition{Resource: "attendance", Prefix: "att"},
		[]record.Filter[Attendance, struct{}]{
			{Name: "week_start", Date: true, Of: func(a *Attendance) string {
				return sim.DayFrom(a.Date).Monday().Date().String()
			}},
			{Name: "badge_no", Of: func(a *Attendance) string { return a.BadgeNo }},
		})
}

// Attendant is an employee whose working day it is.
type Attendant struct {
	BadgeNo string
	Role    event.Role
	Skill   int64
	Absence Absence
}

// OpenGate records the attendance of the crew, last to first: lists are newest
// first and are to be read by badge.
func (f *Factory) OpenGate(r *record.Recorder, crew []Attendant) {
	f.State.FinishersPresent, f.State.WarehousePresent = 0, 0
	for i := range slices.Backward(crew) {
		a := &crew[i]
		hours := int64(0)
		if a.Absence == AbsenceNone {
			hours = catalog.HoursPerDay
			switch a.Role {
			case event.Finisher:
				f.State.FinishersPresent++
			case event.Warehouse:
				f.State.WarehousePresent++
			case event.Operator, event.Bookkeeper, event.Sales:
			}
		}
		f.Attendance.Add(r, Attendance{BadgeNo: a.BadgeNo, Date: r.Date(), Hours: hours, Absence: a.Absence},
			struct{}{})
		if a.Role == event.Operator {
			f.seeOperator(r, a)
		}
	}
	for operator := range f.Operators.All {
		if !slices.ContainsFunc(crew, func(a Attendant) bool { return a.BadgeNo == operator.BadgeNo }) {
			f.misses(r, operator)
		}
	}
}

// HandsIn takes a badge back: its owner has gone for good. The gate's record of
// today remains.
func (f *Factory) HandsIn(r *record.Recorder, badge string, role event.Role) {
	if row, ok := f.today(r.Date(), badge); ok && row.Absence == AbsenceNone {
		switch role {
		case event.Finisher:
			f.State.FinishersPresent--
		case event.Warehouse:
			f.State.WarehousePresent--
		case event.Operator, event.Bookkeeper, event.Sales:
		}
	}
	if operator, ok := f.Operators.Find(operatorID(badge)); ok {
		f.misses(r, operator)
	}
}

func (f *Factory) today(date moment.Date, badge string) (*Attendance, bool) {
	for row := range f.attendanceSince(date) {
		if row.BadgeNo == badge {
			return row, true
		}
	}
	return nil, false
}

// attendanceSince goes back through the rows to a date.
func (f *Factory) attendanceSince(date moment.Date) func(yield func(*Attendance) bool) {
	return func(yield func(*Attendance) bool) {
		for n := f.Attendance.Rows.Len() - 1; n >= 0; n-- {
			if row, _ := f.Attendance.Find(f.Attendance.Rows.IDAt(n)); row.Date < date || !yield(row) {
				return
			}
		}
	}
}

// handled refuses to move goods that came up today while nobody of the warehouse is at
// work: from the next working day on the crew lends a hand.
func (f *Factory) handled(r *record.Recorder, since moment.Date, goods string) error {
	if f.State.WarehousePresent > 0 || since < r.Date() {
		return nil
	}
	return r.Retrying(problem.New(problem.NoWarehouseWorker,
		"No warehouse worker is at work, so %s until tomorrow.", goods), (r.Today() + 1).Open())
}

// WeekHours is the gate's record of an employee in a week.
type WeekHours struct {
	BadgeNo             string
	Worked, Sick, Leave int64
}

// WeekAttendance adds up the days of the week that begins on a Monday, so far.
func (f *Factory) WeekAttendance(weekStart moment.Date) []WeekHours {
	const fridayFromMonday = 4
	var week []WeekHours
	for row := range f.attendanceSince(weekStart) {
		if row.Date > weekStart.AddDays(fridayFromMonday) {
			continue
		}
		at := slices.IndexFunc(week, func(w WeekHours) bool { return w.BadgeNo == row.BadgeNo })
		if at < 0 {
			at = len(week)
			week = append(week, WeekHours{BadgeNo: row.BadgeNo})
		}
		switch row.Absence {
		case AbsenceNone:
			week[at].Worked += row.Hours
		case AbsenceSick:
			week[at].Sick += catalog.HoursPerDay
		case AbsenceLeave:
			week[at].Leave += catalog.HoursPerDay
		}
	}
	return week
}

// finishingMinutes is how long it takes to dry, cut and bind: twice the time
// when no finisher is there as it begins.
func (f *Factory) finishingMinutes(p catalog.Product) sim.Minute {
	minutes := sim.Minute(p.FinishingMinute)
	if f.State.FinishersPresent == 0 {
		minutes *= 2
	}
	return minutes
}

// checkAttendance reports rows out of order, and an employee who is recorded
// twice for a day.
func (f *Factory) checkAttendance() error {
	seen := map[string]moment.Date{}
	for row := range f.Attendance.All {
		if last, ok := seen[row.BadgeNo]; ok && last >= row.Date {
			return fmt.Errorf("badge %s is written down for %s after %s", row.BadgeNo, row.Date, last)
		}
		seen[row.BadgeNo] = row.Date
		if (row.Absence == AbsenceNone) != (row.Hours == catalog.HoursPerDay) ||
			row.Absence != AbsenceNone && row.Hours != 0 {
			return fmt.Errorf("attendance %s has %d hours with the absence %s", row.ID, row.Hours, row.Absence)
		}
	}
	return nil
}
