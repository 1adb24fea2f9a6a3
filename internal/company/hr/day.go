package hr

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/money"
)

// TimerDay is the department's part of a day's opening.
const TimerDay = "staff.day"

// maxSickDays is the most working days that an illness takes, sickPct the share
// of the wage that an ill employee is paid, fluFactor how much more often
// employees fall ill while the flu goes round.
const (
	maxSickDays = 4
	sickPct     = 80
	fluFactor   = 5
)

// Absence is the reason why an employee is not at work.
type Absence string

// Absences.
const (
	AbsenceNone  Absence = "none"
	AbsenceSick  Absence = "sick"
	AbsenceLeave Absence = "leave"
)

// Presence is whether an employee is at work on a day.
type Presence struct {
	BadgeNo string
	Role    event.Role
	Skill   int64
	Absence Absence
}

// OpenDay applies the day to the employees: yesterday's wages are earned, some
// return, some fall ill, some announce leave, some quit, and morale recovers.
// Nothing is drawn for the first day, which is the same in every sandbox.
// Replacing employees who quit is the caller's, since it costs.
func (h *HR) OpenDay(r *record.Recorder) {
	today := r.Today()
	if h.payroll.Paid {
		h.earnDay(today - 1)
	}
	for _, phase := range []func(*record.Recorder, *Employee, *EmployeePrivate){
		h.comeBack, h.fallIll, h.announceLeave, h.quit,
	} {
		for e, p := range h.Employees.All {
			if e.employed() {
				phase(r, e, p)
			}
		}
	}
	h.recover()
	if today == weekOf(today).monday() {
		h.BeginWeek(r)
	}
}

// BeginWeek makes sure that the wages of the week that begins are asked for.
func (h *HR) BeginWeek(r *record.Recorder) {
	if !h.payroll.Paid {
		return
	}
	week := weekOf(r.Today())
	r.Set(sim.Timer{Due: (h.dueDay(week) + 1).Open(), Class: sim.ClassPayroll, Kind: TimerPayrollLate,
		Ref: week.start().String(), Index: int64(week)})
}

// earnDay adds a day's wages to those of its week, unless the week's timesheet
// has been recorded, which covers all of it.
func (h *HR) earnDay(day sim.Day) {
	if run := h.runOf(weekOf(day)); run != nil && run.TimesheetID != nil {
		return
	}
	amount := money.Minor(0)
	for e, p := range h.Employees.All {
		if p.worksOn(e, day) {
			amount += h.DayWage(e.BadgeNo, p.absence(day))
		}
	}
	h.earn(weekOf(day), amount)
}

// DayWage is the wage of a badge's owner for a day.
func (h *HR) DayWage(badge string, absence Absence) money.Minor {
	e := h.byBadge(badge)
	if absence == AbsenceSick {
		return wage(e, 0, catalog.HoursPerDay)
	}
	return wage(e, catalog.HoursPerDay, 0)
}

// wage is the amount owed to an employee for hours at the full rate and for
// hours ill.
func wage(e *Employee, full, sick int64) money.Minor {
	return e.HourlyMinor.Times(full) + e.HourlyMinor.Times(sick).PerCent(sickPct)
}

// worksOn reports whether a day is one of an employee's working days here,
// whether they come or not.
func (p *EmployeePrivate) worksOn(e *Employee, day sim.Day) bool {
	return p.started(day) && (e.employed() || day < p.Ends)
}

func (p *EmployeePrivate) absence(day sim.Day) Absence {
	switch {
	case day >= p.SickBegins && day < p.SickEnds:
		return AbsenceSick // illness takes precedence over leave
	case day >= p.LeaveBegins && day < p.LeaveEnds:
		return AbsenceLeave
	default:
		return AbsenceNone
	}
}

// Crew lists whose working day this is, in the order of their births, and
// whether they come.
func (h *HR) Crew(day sim.Day) []Presence {
	var crew []Presence
	for e, p := range h.Employees.All {
		if p.worksOn(e, day) {
			crew = append(crew, Presence{BadgeNo: e.BadgeNo, Role: e.Role, Skill: e.Skill, Absence: p.absence(day)})
		}
	}
	return crew
}

// Present is how many employees of a role are at work on a day.
func (h *HR) Present(role event.Role, day sim.Day) int64 {
	present := int64(0)
	for e, p := range h.Employees.All {
		if e.Role == role && e.employed() && p.started(day) && p.absence(day) == AbsenceNone {
			present++
		}
	}
	return present
}

// Staffed reports whether an employee holds a role on a day, whether they come or not.
func (h *HR) Staffed(role event.Role, day sim.Day) bool {
	for e, p := range h.Employees.All {
		if e.Role == role && e.employed() && p.started(day) {
			return true
		}
	}
	return false
}

func (h *HR) comeBack(r *record.Recorder, e *Employee, p *EmployeePrivate) {
	if e.Status != EmployeeSick || r.Today() < p.SickEnds {
		return
	}
	e, _ = h.Employees.Edit(r, e.ID)
	e.SickUntil = nil
	record.Move(r, e, &e.Status, EmployeeActive)
	r.Emit(event.EmployeeReturned, e,
		&event.EmployeeReturnedData{BadgeNo: e.BadgeNo, Role: e.Role, DaysAbsent: int64(p.SickEnds - p.SickBegins)})
}

func (h *HR) fallIll(r *record.Recorder, e *Employee, p *EmployeePrivate) {
	today := r.Today()
	falls := p.WillBeIll > 0 || h.streams.sick.PPM(p.Slot, int64(today)) < h.sickPPM()
	if e.Status != EmployeeActive || !p.started(today) || !falls {
		return
	}
	e, p = h.Employees.Edit(r, e.ID)
	days := sim.Day(p.WillBeIll)
	if days == 0 {
		days = 1 + sim.Day(h.streams.sickDays.Below(maxSickDays, p.Slot, int64(today)))
	}
	p.SickBegins, p.SickEnds, p.WillBeIll = today, today+days, 0
	e.SickUntil = new((p.SickEnds - 1).Date())
	record.Move(r, e, &e.Status, EmployeeSick)
	r.Emit(event.EmployeeSick, e,
		&event.EmployeeSickData{BadgeNo: e.BadgeNo, Role: e.Role, ExpectedBack: p.SickEnds.Date()})
}

// sickPPM is the chance to fall ill today.
func (h *HR) sickPPM() int64 {
	if h.State.FluWave {
		return h.staff.SickPPM() * fluFactor
	}
	return h.staff.SickPPM()
}

func (h *HR) quit(r *record.Recorder, e *Employee, p *EmployeePrivate) {
	today := r.Today()
	quits := p.WillQuit || h.streams.quit.PPM(p.Slot, int64(today)) < h.quitPPM()
	if e.Status != EmployeeActive || !p.started(today) || !quits {
		return
	}
	reason := QuitPersonal
	if !h.Content() {
		reason = QuitLowMorale
	}
	e = h.endEmployment(r, e.ID, today, reason)
	record.EditPrivate(h.Employees, r, e.ID).Replace = today + replaceAfterDays
	r.Emit(event.EmployeeQuit, e, &event.EmployeeQuitData{BadgeNo: e.BadgeNo, Role: e.Role, Reason: reason})
}

// Vacancies lists the employees to hire today in place of those who quit: the
// same role and wage, unless the place is taken already.
func (h *HR) Vacancies(today sim.Day) []Hiring {
	if !h.staff.AutoRehire || !h.Content() {
		return nil
	}
	var wanted []Hiring
	for e, p := range h.Employees.All {
		if p.Replace == today && !e.employed() && h.occupant(p.Slot) == nil && h.headcount()+len(wanted) < Headcount {
			wanted = append(wanted, Hiring{Role: e.Role, HourlyMinor: e.HourlyMinor})
		}
	}
	return wanted
}
