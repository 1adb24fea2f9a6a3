package hr

import (
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
)

// Leave is announced leaveNoticeDays ahead and takes one to maxLeaveDays
// working days.
const (
	leaveNoticeDays = 5
	maxLeaveDays    = 4
)

// LeaveRequest is a holiday that an employee has announced. The law grants it,
// so it has no status; absences follow from its dates.
type LeaveRequest struct {
	_ struct{} `doc:"A holiday that an employee has announced to Head Office."`

	record.Head
	EmployeeID string      `json:"employee_id" doc:"The employee who is on leave."`
	FromDate   moment.Date `json:"from_date" doc:"The first day of it."`
	ToDate     moment.Date `json:"to_date" doc:"The last day of it."`
	Days       int64       `json:"days" doc:"Working days, the first and the last included."`
	record.Stamps
}

// Resource implements record.Row.
func (*LeaveRequest) Resource() string { return "leave_request" }

// State implements record.Row.
func (*LeaveRequest) State() string { return "" }

func newLeaveRequests() *record.Table[LeaveRequest, struct{}] {
	return record.NewTable[LeaveRequest, struct{}](record.Definition{Resource: "leave_request", Prefix: "lvr"}, nil)
}

// announceLeave makes an employee announce a holiday, if the day brings one and
// none is announced or taken already.
func (h *HR) announceLeave(r *record.Recorder, e *Employee, p *EmployeePrivate) {
	today := r.Today()
	every := h.staff.LeaveEveryDays
	if !p.started(today) || p.LeaveEnds > today || every == 0 ||
		h.streams.leave.Below(every, p.Slot, int64(today)) != 0 {
		return
	}
	h.announce(r, e, 1+sim.Day(h.streams.leaveDays.Below(maxLeaveDays, p.Slot, int64(today))))
}

// announce makes an employee announce a holiday of some working days, and returns its id.
func (h *HR) announce(r *record.Recorder, e *Employee, days sim.Day) string {
	from := r.Today() + leaveNoticeDays
	private := record.EditPrivate(h.Employees, r, e.ID)
	private.LeaveBegins, private.LeaveEnds = from, from+days
	request, _ := h.LeaveRequests.Add(r, LeaveRequest{
		EmployeeID: e.ID, FromDate: from.Date(), ToDate: (private.LeaveEnds - 1).Date(), Days: int64(days),
	}, struct{}{})
	r.Emit(event.LeaveRequestCreated, request, &event.LeaveRequestCreatedData{
		EmployeeID: e.ID, BadgeNo: e.BadgeNo, FromDate: request.FromDate, ToDate: request.ToDate, Days: int64(days),
	})
	return request.ID
}
