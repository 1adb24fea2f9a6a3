package hr

import (
	"fmt"

	"platen/internal/company/record"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// Recorders of a timesheet.
const (
	SourceBridge = "bridge"
	SourceClient = "client"
)

// TimesheetEntry is the hours of one employee in the week, in whole hours.
type TimesheetEntry struct {
	_ struct{} `doc:"The hours of one employee in the week of a timesheet."`

	EmployeeID  string `json:"employee_id" doc:"The employee whose hours these are."`
	HoursWorked int64  `json:"hours_worked" doc:"Whole hours at work, paid in full."`
	HoursSick   int64  `json:"hours_sick" doc:"Whole hours of illness, paid at 80 %."`
	HoursLeave  int64  `json:"hours_leave" doc:"Whole hours of leave, paid in full."`
}

// Timesheet is the hours of a week. There is one for each week, and it does not
// change; it has no status, the payroll run has one.
type Timesheet struct {
	_ struct{} `doc:"The hours of all employees in one week, as a client or the auto bridge recorded them at Head Office."`

	record.Head
	WeekStart    moment.Date      `json:"week_start" doc:"The Monday of the week."`
	Entries      []TimesheetEntry `json:"entries" doc:"The hours of each employee of that week."`
	Source       string           `json:"source" enum:"bridge,client" doc:"bridge: the auto bridge recorded the hours of the gate at the close of Friday; client: your program recorded it."`
	PayrollRunID string           `json:"payroll_run_id" doc:"The payroll run that pays for these hours."`
	record.Stamps
}

// Resource implements record.Row.
func (*Timesheet) Resource() string { return "timesheet" }

// State implements record.Row.
func (*Timesheet) State() string { return "" }

func newTimesheets() *record.Table[Timesheet, struct{}] {
	return record.NewTable[Timesheet, struct{}](record.Definition{Resource: "timesheet", Prefix: "tms"}, nil)
}

// HoursEntry is the hours of one employee in the week.
type HoursEntry struct {
	_ struct{} `doc:"One employee's line in the body of a timesheet."`

	EmployeeID  *string `json:"employee_id,omitzero" oneOf:"true" minLength:"1" maxLength:"64" doc:"The employee; this or badge_no."`
	BadgeNo     *string `json:"badge_no,omitzero" oneOf:"true" minLength:"1" maxLength:"20" doc:"The badge number of /factory/attendance, instead of employee_id."`
	HoursWorked int64   `json:"hours_worked" required:"true" minimum:"0" maximum:"60" doc:"Whole hours. Each kind of hours has a limit of its own, and their sum has none."`
	HoursSick   int64   `json:"hours_sick,omitzero" minimum:"0" maximum:"40" doc:"8 for each day of illness; paid at 80 %."`
	HoursLeave  int64   `json:"hours_leave,omitzero" minimum:"0" maximum:"40" doc:"8 for each day of leave; paid in full."`
}

// CreateTimesheet is the body of POST /office/timesheets.
type CreateTimesheet struct {
	_ struct{} `doc:"The body that records the hours of all employees in one week at Head Office."`

	WeekStart moment.Date  `json:"week_start" required:"true" example:"2026-09-07" doc:"A Monday."`
	Entries   []HoursEntry `json:"entries" required:"true" minItems:"1" maxItems:"50" doc:"Every employee of the week, once each."`
}

// Sheet is a timesheet that can be recorded.
type Sheet struct {
	week    Week
	entries []TimesheetEntry
	source  string
}

// TimesheetDetails are the details of timesheet_exists.
type TimesheetDetails struct {
	TimesheetID string `json:"timesheet_id"`
}

// PaidDetails are the details of payroll_already_paid.
type PaidDetails struct {
	PayrollRunID string `json:"payroll_run_id"`
}

// MissingDetails are the details of employee_missing.
type MissingDetails struct {
	EmployeeIDs []string `json:"employee_ids"`
}

// Recordable refuses a timesheet for an invalid week, that exists, that is paid
// already, that comes too soon, or that does not name just the employees of the
// week.
func (h *HR) Recordable(r *record.Recorder, in *CreateTimesheet) (Sheet, error) {
	weekStart := in.WeekStart
	week, ok := weekStarting(weekStart)
	switch {
	case !ok:
		return Sheet{}, badWeek("pattern", "week_start must be a Monday; %s is a %s.", weekStart, weekStart.Weekday())
	case week < 0:
		return Sheet{}, badWeek("minimum", "week_start must not be before %s, when the company opened.",
			Week(0).start())
	case week > weekOf(r.Today()):
		return Sheet{}, badWeek("maximum", "The week of %s has not begun.", weekStart)
	}
	if run := h.runOf(week); run != nil && run.TimesheetID != nil {
		return Sheet{}, problem.New(problem.TimesheetExists, "The week of %s has the timesheet %s.",
			weekStart, *run.TimesheetID).With(TimesheetDetails{TimesheetID: *run.TimesheetID})
	} else if run != nil && run.Status == PayrollPaid {
		return Sheet{}, alreadyPaid(run)
	}
	if r.Now() < week.recordable() {
		return Sheet{}, notOver(r, week)
	}
	sheet := Sheet{week: week, source: SourceClient}
	fields := []problem.Field{}
	for i := range in.Entries {
		entry, bad := h.entry(week, &in.Entries[i], sheet.entries)
		if bad != nil {
			bad.Field = fmt.Sprintf("entries[%d].%s", i, bad.Field)
			fields = append(fields, *bad)
		}
		sheet.entries = append(sheet.entries, entry)
	}
	if len(fields) > 0 {
		return Sheet{}, problem.Invalid(fields...)
	}
	if err := h.everybody(&sheet); err != nil {
		return Sheet{}, err
	}
	if len(sheet.entries) == 0 {
		return Sheet{}, problem.Invalid(problem.Field{Field: "entries", Rule: "minItems",
			Message: fmt.Sprintf("The company had no employees in the week of %s.", weekStart)})
	}
	return sheet, nil
}

func badWeek(rule, format string, values ...any) error {
	return problem.Invalid(problem.Field{Field: "week_start", Rule: rule, Message: fmt.Sprintf(format, values...)})
}

// notOver says when the week can be recorded.
func notOver(r *record.Recorder, week Week) error {
	p := problem.New(problem.WeekNotOver, "The hours of the week of %s can be recorded from %s on.",
		week.start(), week.recordable().Text())
	return r.Retrying(p, week.recordable())
}

// entry finds whose hours these are, or says which field is wrong.
func (h *HR) entry(week Week, in *HoursEntry, before []TimesheetEntry) (TimesheetEntry, *problem.Field) {
	field, key := "employee_id", ""
	var e *Employee
	switch {
	case in.BadgeNo != nil:
		field, key = "badge_no", *in.BadgeNo
		e = h.byBadge(key)
	case in.EmployeeID != nil:
		key = *in.EmployeeID
		e, _ = h.Employees.Find(key)
	}
	if e == nil {
		return TimesheetEntry{},
			&problem.Field{Field: field, Rule: "exists", Message: fmt.Sprintf("No employee has the %s %q.", field, key)}
	}
	entry := in.of(e)
	if !h.worksIn(e, week) {
		return entry, &problem.Field{
			Field: field, Rule: "exists",
			Message: fmt.Sprintf("%s was not employed in the week of %s.", e.Name, week.start()),
		}
	}
	for _, other := range before {
		if other.EmployeeID == e.ID {
			return entry, &problem.Field{
				Field: field, Rule: "uniqueItems", Message: e.Name + " can stand in one entry only.",
			}
		}
	}
	return entry, nil
}

// of is the entry of an employee.
func (in *HoursEntry) of(e *Employee) TimesheetEntry {
	return TimesheetEntry{
		EmployeeID: e.ID, HoursWorked: in.HoursWorked, HoursSick: in.HoursSick, HoursLeave: in.HoursLeave,
	}
}

// worksIn reports whether a day of the week is one of an employee's working
// days.
func (h *HR) worksIn(e *Employee, week Week) bool {
	p := record.Private(h.Employees, e.ID)
	for day := week.monday(); day <= week.friday(); day++ {
		if p.worksOn(e, day) {
			return true
		}
	}
	return false
}

// everybody refuses a sheet that leaves an employee out.
func (h *HR) everybody(s *Sheet) error {
	missing, names := []string{}, ""
	for e := range h.Employees.All {
		if h.worksIn(e, s.week) && s.find(e.ID) == nil {
			missing = append(missing, e.ID)
			names += ", " + e.Name
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return problem.New(problem.EmployeeMissing, "The timesheet leaves out %s.", names[len(", "):]).
		With(MissingDetails{EmployeeIDs: missing})
}

func (s *Sheet) find(employeeID string) *TimesheetEntry {
	for i := range s.entries {
		if s.entries[i].EmployeeID == employeeID {
			return &s.entries[i]
		}
	}
	return nil
}

// Attended is this week's timesheet as the bridge records it: the gate's
// records. It is false when the week has a timesheet already, or no employee
// worked here.
func (h *HR) Attended(r *record.Recorder, attended []HoursEntry) (Sheet, bool) {
	week := weekOf(r.Today())
	if h.runOf(week) != nil || len(attended) == 0 {
		return Sheet{}, false
	}
	sheet := Sheet{week: week, source: SourceBridge}
	for i := range attended {
		a := &attended[i]
		sheet.entries = append(sheet.entries, a.of(h.byBadge(*a.BadgeNo)))
	}
	return sheet, true
}

// Record writes a timesheet down, so that its wages are due, and returns its
// id. Hours that are not those of the gate annoy the crew, and hours that the gate
// counted and the sheet leaves out stay owed: they come with the next payroll run,
// and a part on top. More hours than the gate counted are paid, and lost.
func (h *HR) Record(r *record.Recorder, s Sheet, attended []HoursEntry) string {
	sheet, _ := h.Timesheets.Add(r, Timesheet{WeekStart: s.week.start(), Entries: s.entries, Source: s.source},
		struct{}{})
	run, private := h.bill(r, s.week, PayrollDue)
	sheet.PayrollRunID = run.ID
	run.TimesheetID = &sheet.ID
	run.GrossMinor = h.gross(sheet.Entries)
	run.TotalMinor = run.GrossMinor + run.ArrearsMinor
	h.closeWeek(s.week)
	h.State.UnpaidMinor += run.GrossMinor
	if left := h.leftOut(&s, attended); left > 0 && h.payroll.Paid {
		h.State.WithheldMinor += left
		h.State.ArrearsMinor += left + left.PerCent(arrearsPct)
	}
	if h.differs(&s, attended) {
		private.WrongHours = true
		h.changeMorale(moraleWrongHours)
	}
	r.Emit(event.PayrollDue, run, &event.PayrollDueData{
		WeekStart: run.WeekStart, TimesheetID: sheet.ID, GrossMinor: run.GrossMinor, ArrearsMinor: run.ArrearsMinor,
		DueDate: run.DueDate,
		Entries: h.wages(sheet.Entries),
	})
	return sheet.ID
}

// gross is the total worth of a week's hours.
func (h *HR) gross(entries []TimesheetEntry) money.Minor {
	gross := money.Minor(0)
	for _, entry := range h.wages(entries) {
		gross += entry.GrossMinor
	}
	return gross
}

// wages are the wages for hours: worked ones and leave in full, those of
// illness in part.
func (h *HR) wages(entries []TimesheetEntry) []event.WageEntry {
	wages := make([]event.WageEntry, len(entries))
	for i, entry := range entries {
		e, _ := h.Employees.Find(entry.EmployeeID)
		worked, sick, leave := wage(e, entry.HoursWorked, 0), wage(e, 0, entry.HoursSick), wage(e, entry.HoursLeave, 0)
		wages[i] = event.WageEntry{
			EmployeeID: e.ID, BadgeNo: e.BadgeNo, Name: e.Name, Role: e.Role,
			HoursWorked: entry.HoursWorked, HoursSick: entry.HoursSick, HoursLeave: entry.HoursLeave,
			HourlyMinor: e.HourlyMinor, WorkedMinor: worked, SickMinor: sick, LeaveMinor: leave,
			GrossMinor: worked + sick + leave,
		}
	}
	return wages
}

// arrearsPct is added to wages that a timesheet left out.
const arrearsPct = 10

// leftOut is the worth of the hours that the gate counted and a sheet leaves out,
// person by person: too much for one makes up for nobody else.
func (h *HR) leftOut(s *Sheet, attended []HoursEntry) money.Minor {
	left := money.Minor(0)
	for i := range attended {
		a := &attended[i]
		e := h.byBadge(*a.BadgeNo)
		entry := s.find(e.ID)
		left += max(0, wage(e, a.HoursWorked+a.HoursLeave, a.HoursSick)-
			wage(e, entry.HoursWorked+entry.HoursLeave, entry.HoursSick))
	}
	return left
}

// differs compares a sheet with the gate, person by person and kind by kind: by
// more than one hour in twenty is too much.
func (h *HR) differs(s *Sheet, attended []HoursEntry) bool {
	total, wrong := int64(0), int64(0)
	for i := range attended {
		a := &attended[i]
		total += a.HoursWorked + a.HoursSick + a.HoursLeave
		entry := s.find(h.byBadge(*a.BadgeNo).ID)
		wrong += distance(entry.HoursWorked,
			a.HoursWorked) + distance(entry.HoursSick, a.HoursSick) + distance(entry.HoursLeave, a.HoursLeave)
	}
	return wrong*100 > total*wrongHoursAbovePct
}

func distance(a, b int64) int64 { return max(a-b, b-a) }
