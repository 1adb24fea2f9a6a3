package hr

import (
	"platen/internal/company/record"
	"platen/internal/company/sim"
)

// somebody returns the employee with a badge, or the first one without a badge being
// named, if they can be said to be so: at work from tomorrow on, with nothing of the kind
// ahead already.
func (h *HR) somebody(
	r *record.Recorder, badge *string, fits func(*Employee, *EmployeePrivate) bool,
) (*Employee, bool) {
	tomorrow := r.Today() + 1
	for e, p := range h.Employees.All {
		if (badge == nil || e.BadgeNo == *badge) && p.worksOn(e, tomorrow) && e.employed() && fits(e, p) {
			return e, true
		}
	}
	return nil, false
}

// Healthy returns an employee who can fall ill or quit tomorrow.
func (h *HR) Healthy(r *record.Recorder, badge *string) (*Employee, bool) {
	return h.somebody(r, badge, func(e *Employee, p *EmployeePrivate) bool {
		return e.Status == EmployeeActive && p.WillBeIll == 0 && !p.WillQuit
	})
}

// FallsIll lets an employee fall ill tomorrow morning, for so many working days.
func (h *HR) FallsIll(r *record.Recorder, id string, days int64) {
	record.EditPrivate(h.Employees, r, id).WillBeIll = days
}

// Ill returns an employee who is ill and would not come back tomorrow.
func (h *HR) Ill(r *record.Recorder, badge *string) (*Employee, bool) {
	return h.somebody(r, badge, func(e *Employee, p *EmployeePrivate) bool {
		return e.Status == EmployeeSick && p.SickEnds > r.Today()+1
	})
}

// GetsWell lets an employee who is ill come back tomorrow morning.
func (h *HR) GetsWell(r *record.Recorder, id string) {
	e, p := h.Employees.Edit(r, id)
	p.SickEnds = r.Today() + 1
	e.SickUntil = new(r.Date())
}

// Quits lets an employee quit tomorrow morning.
func (h *HR) Quits(r *record.Recorder, id string) {
	record.EditPrivate(h.Employees, r, id).WillQuit = true
}

// Unplanned returns an employee without a holiday ahead.
func (h *HR) Unplanned(r *record.Recorder, badge *string) (*Employee, bool) {
	return h.somebody(r, badge, func(_ *Employee, p *EmployeePrivate) bool { return p.LeaveEnds <= r.Today() })
}

// AsksForLeave lets an employee announce a holiday of so many working days, and returns
// its id.
func (h *HR) AsksForLeave(r *record.Recorder, id string, days int64) string {
	e, _ := h.Employees.Find(id)
	return h.announce(r, e, sim.Day(days))
}
