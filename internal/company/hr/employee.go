package hr

import (
	"fmt"
	"strconv"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// EmployeeStatus is the status of an employee.
//
//	active ──falls ill──▶ sick ──well again──▶ active
//	   └──quits, dismissed──▶ left ◀──dismissed──┘ (of sick)
type EmployeeStatus string

// Statuses.
const (
	EmployeeActive EmployeeStatus = "active"
	EmployeeSick   EmployeeStatus = "sick"
	EmployeeLeft   EmployeeStatus = "left"
)

// Limits and terms of employment.
const (
	// Headcount is how many people the company employs at most (contract:
	// OPEN.ERR.HEADCOUNT_LIMIT).
	Headcount = 20
	// MaxHourly bounds an hourly wage: forty times the highest one of the
	// opening, far from an overflow.
	MaxHourly money.Minor = 100_000

	// startAfterDays is when a new employee begins to work, replaceAfterDays
	// when one who quit is replaced.
	startAfterDays   = 2
	replaceAfterDays = 3
	// severanceHours is two weeks.
	severanceHours = 2 * int64(sim.DaysPerWeek) * catalog.HoursPerDay

	firstBadge = 1008
	// Skill of a new employee: skillLeast and up to skillSpread more.
	skillLeast, skillSpread = 30, 41
)

// Why people leave by themselves.
const (
	QuitPersonal  = "personal"
	QuitLowMorale = "low_morale"
	dismissed     = "dismissed"
)

// Employee is a present or former employee of the company.
type Employee struct {
	_ struct{} `doc:"A present or former employee of the company, as Head Office knows them."`

	record.Head
	BadgeNo     string         `json:"badge_no" doc:"The badge at the gate of the Factory, which knows the employee by it alone."`
	Name        string         `json:"name" doc:"The name of the employee."`
	Role        event.Role     `json:"role" doc:"The work that they do. Without anyone of the role at work something stops or costs more: runs, finishing, trucks and shipments, bills, or orders."`
	HourlyMinor money.Minor    `json:"hourly_minor" doc:"The wage for an hour, in minor units."`
	Currency    string         `json:"currency" doc:"Always XTS. Amounts count its hundredths."`
	Skill       int64          `json:"skill" doc:"0 to 100. An operator above 50 spoils fewer sheets, one below 50 more."`
	HiredOn     moment.Date    `json:"hired_on" doc:"The in-world date of the contract."`
	StartsOn    moment.Date    `json:"starts_on" doc:"The first day at work."`
	Status      EmployeeStatus `json:"status" enum:"active,sick,left" doc:"active is at work unless on leave, sick is ill at present, left has quit or was dismissed."`
	SickUntil   *moment.Date   `json:"sick_until" doc:"The last day of the present illness; null for an employee who is not ill."`
	LeftOn      *moment.Date   `json:"left_on" doc:"The in-world date on which they quit or were dismissed; null before."`
	LeftReason  *string        `json:"left_reason" doc:"personal or low_morale for those who quit; the given reason, or dismissed, for those who were dismissed. Null before."`
	record.Stamps
}

// EmployeePrivate holds the state of an employee that is never served.
type EmployeePrivate struct {
	// Slot is the place in the crew: the coordinate of draws.
	Slot int64 `json:"slot"`
	// Starts is the first day at work, Ends, of a former employee, the first
	// day that is none.
	Starts sim.Day `json:"starts,omitzero"`
	Ends   sim.Day `json:"ends,omitzero"`
	// The newest illness and the newest leave: from the day on which they
	// begin to the one before they end.
	SickBegins  sim.Day `json:"sick_begins,omitzero"`
	SickEnds    sim.Day `json:"sick_ends,omitzero"`
	LeaveBegins sim.Day `json:"leave_begins,omitzero"`
	LeaveEnds   sim.Day `json:"leave_ends,omitzero"`
	// Replace is the day on which another employee takes the place of one who
	// quit.
	Replace sim.Day `json:"replace,omitzero"`
	// WillBeIll is for how many days they were asked to be ill from tomorrow on, WillQuit
	// that they were asked to quit then.
	WillBeIll int64 `json:"will_be_ill,omitzero"`
	WillQuit  bool  `json:"will_quit,omitzero"`
}

// Resource implements record.Row.
func (*Employee) Resource() string { return "employee" }

// State implements record.Row.
func (e *Employee) State() string { return string(e.Status) }

func (e *Employee) employed() bool { return e.Status != EmployeeLeft }

func (p *EmployeePrivate) started(day sim.Day) bool { return day >= p.Starts }

func newEmployees() *record.Table[Employee, EmployeePrivate] {
	return record.NewTable(record.Definition{Resource: "employee", Prefix: "emp"},
		[]record.Filter[Employee, EmployeePrivate]{
			{Name: "status", Of: (*Employee).State},
			{Name: "role", Of: func(e *Employee) string { return string(e.Role) }},
		})
}

// open employs a member of the opening crew.
func (h *HR) open(r *record.Recorder, m *catalog.CrewMember, cash money.Minor) {
	h.employ(r, Employee{
		BadgeNo: m.BadgeNo, Name: m.Name, Role: m.Role, HourlyMinor: m.HourlyMinor, Skill: m.Skill, HiredOn: m.HiredOn,
		StartsOn: m.HiredOn,
	}, 0, cash)
}

// HireEmployee is the body of POST /office/employees.
type HireEmployee struct {
	_ struct{} `doc:"The body that hires an employee at Head Office."`

	Role        event.Role   `json:"role" required:"true" doc:"The work that the employee will do." agent:"-"`
	HourlyMinor *money.Minor `json:"hourly_minor,omitzero" minimum:"1" maximum:"100000" doc:"At least the lowest wage of the role at the opening of the company, which is also the default."`
}

// DismissEmployee is the body of POST /office/employees/{id}/dismiss.
type DismissEmployee struct {
	_ struct{} `doc:"The body that dismisses an employee of Head Office."`

	Reason *string `json:"reason,omitzero" nullable:"true" minLength:"1" maxLength:"200" doc:"For the record."`
}

// Hiring holds the role and the wage of an employee to hire.
type Hiring struct {
	Role        event.Role
	HourlyMinor money.Minor
}

// HeadcountDetails are the details of headcount_limit.
type HeadcountDetails struct {
	Limit int `json:"limit"`
}

// Hireable refuses to hire an employee for an unknown role, for less than the
// role is worth, or as one too many. Without an hourly wage it is the role's
// least.
func (h *HR) Hireable(in *HireEmployee) (Hiring, error) {
	role, hourly := in.Role, in.HourlyMinor
	floor, ok := catalog.HourlyFloor(role)
	switch {
	case !ok:
		return Hiring{}, problem.Invalid(problem.Field{
			Field: "role", Rule: "enum", Message: fmt.Sprintf("%q is no role here.", role),
		})
	case hourly == nil:
		hourly = &floor
	case *hourly < floor:
		return Hiring{}, problem.Invalid(problem.Field{Field: "hourly_minor", Rule: "minimum",
			Message: fmt.Sprintf("hourly_minor must be at least %d for the role %s.", floor, role)})
	case *hourly > MaxHourly:
		return Hiring{}, problem.Invalid(problem.Field{
			Field: "hourly_minor", Rule: "maximum", Message: fmt.Sprintf("hourly_minor must be at most %d.", MaxHourly),
		})
	}
	if h.headcount() >= Headcount {
		return Hiring{}, problem.New(problem.HeadcountLimit,
			"%d people are employed, which is as many as there can be.", Headcount).
			With(HeadcountDetails{Limit: Headcount})
	}
	return Hiring{Role: role, HourlyMinor: *hourly}, nil
}

// HireFeeMinor is the cost of hiring an employee.
func (h *HR) HireFeeMinor() money.Minor { return h.staff.HireFeeMinor }

// Hire employs a new employee, who begins in two days. cash is the balance
// after the fee. It returns the ids of the employee and of the event that owns
// the fee.
func (h *HR) Hire(r *record.Recorder, in Hiring, cash money.Minor) (id, eventID string) {
	badge := h.State.NextBadge
	h.State.NextBadge++
	return h.employ(r, Employee{
		BadgeNo: strconv.FormatInt(badge, 10), Name: catalog.Name(badge), Role: in.Role, HourlyMinor: in.HourlyMinor,
		Skill: skillLeast + h.streams.skill.Below(skillSpread, badge), HiredOn: r.Date(),
		StartsOn: (r.Today() + startAfterDays).Date(),
	}, h.staff.HireFeeMinor, cash)
}

// employ adds an employee, in the first free place of the role.
func (h *HR) employ(r *record.Recorder, e Employee, fee, cash money.Minor) (id, eventID string) {
	e.Currency, e.Status = money.Currency, EmployeeActive
	row, _ := h.Employees.Add(r, e, EmployeePrivate{Slot: h.freeSlot(e.Role), Starts: sim.DayFrom(e.StartsOn)})
	r.Born(row)
	eventID = r.Emit(event.EmployeeHired, row, &event.EmployeeHiredData{
		BadgeNo: row.BadgeNo, Role: row.Role, HourlyMinor: row.HourlyMinor, StartsOn: row.StartsOn,
		FeeMinor: fee, CashMinor: cash,
	})
	return row.ID, eventID
}

// freeSlot returns the place of a former employee of a role that was not
// filled, or a new one.
func (h *HR) freeSlot(role event.Role) int64 {
	free := int64(-1)
	for e, p := range h.Employees.All {
		if e.Role == role && h.occupant(p.Slot) == nil && (free < 0 || p.Slot < free) {
			free = p.Slot
		}
	}
	if free < 0 {
		free = h.State.NextSlot
		h.State.NextSlot++
	}
	return free
}

// occupant returns the employee in a place, nil when it is free.
func (h *HR) occupant(slot int64) *Employee {
	for e, p := range h.Employees.All {
		if p.Slot == slot && e.employed() {
			return e
		}
	}
	return nil
}

func (h *HR) headcount() int {
	n := 0
	for e := range h.Employees.All {
		if e.employed() {
			n++
		}
	}
	return n
}

// Employed reports whether the owner of a badge is employed.
func (h *HR) Employed(badge string) bool {
	e := h.byBadge(badge)
	return e != nil && e.employed()
}

func (h *HR) byBadge(badge string) *Employee {
	for e := range h.Employees.All {
		if e.BadgeNo == badge {
			return e
		}
	}
	return nil
}

// Dismissible returns an employee who can be dismissed, and the severance: two
// weeks' wage.
func (h *HR) Dismissible(id string) (e *Employee, severance money.Minor, err error) {
	e, ok := h.Employees.Find(id)
	if !ok {
		return nil, 0, problem.Missing("employee", id)
	}
	if !e.employed() {
		return nil, 0, problem.WrongState("employee", e.Name, string(e.Status), "dismissed",
			string(EmployeeActive), string(EmployeeSick))
	}
	return e, e.HourlyMinor.Times(severanceHours), nil
}

// Dismissal holds the employee to dismiss and the terms.
type Dismissal struct {
	EmployeeID string
	// Reason is optional.
	Reason         *string
	SeveranceMinor money.Minor
	// CashMinor is the balance after the severance.
	CashMinor money.Minor
}

// Dismiss dismisses a dismissible employee, and returns the id of the event
// that owns the severance. They have worked today, if they had begun.
func (h *HR) Dismiss(r *record.Recorder, d Dismissal) (eventID string) {
	reason := d.Reason
	if reason == nil {
		reason = new(dismissed)
	}
	e := h.endEmployment(r, d.EmployeeID, r.Today()+1, *reason)
	return r.Emit(event.EmployeeDismissed, e, &event.EmployeeDismissedData{
		BadgeNo: e.BadgeNo, Role: e.Role, SeveranceMinor: d.SeveranceMinor, CashMinor: d.CashMinor,
	})
}

// endEmployment ends an employment. ends is the first day that is not worked.
func (h *HR) endEmployment(r *record.Recorder, id string, ends sim.Day, reason string) *Employee {
	e, p := h.Employees.Edit(r, id)
	e.LeftOn, e.LeftReason, e.SickUntil = new(r.Date()), &reason, nil
	p.Ends = ends
	record.Move(r, e, &e.Status, EmployeeLeft)
	return e
}

func (h *HR) checkEmployees() error {
	slots := map[int64]string{}
	for e, p := range h.Employees.All {
		if (e.Status == EmployeeSick) != (e.SickUntil != nil) ||
			(e.Status == EmployeeLeft) != (e.LeftOn != nil && e.LeftReason != nil) {
			return fmt.Errorf("employee %s is %s, sick until %v, left on %v", e.ID, e.Status, e.SickUntil, e.LeftOn)
		}
		if p.Slot < 0 || p.Slot >= h.State.NextSlot {
			return fmt.Errorf("employee %s has the place %d of %d", e.ID, p.Slot, h.State.NextSlot)
		}
		if !e.employed() {
			continue
		}
		if slots[p.Slot] != "" {
			return fmt.Errorf("employees %s and %s have the same place", slots[p.Slot], e.ID)
		}
		slots[p.Slot] = e.ID
	}
	if len(slots) > Headcount {
		return fmt.Errorf("%d people are employed", len(slots))
	}
	return nil
}
