// Package hr is the people of the company: its employees and former employees,
// their illnesses, leave and morale, and the wages that they are owed. It
// decides which employees are at work; the attendance that the gate of the
// Factory writes down is the Factory's own.
//
// Chance events of employees are drawn by their slot and the day. A slot is a
// place in the crew: a replacement takes over the slot, so no action of a
// client can shift the draws.
package hr

import (
	"fmt"

	"platen/internal/company/catalog"
	"platen/internal/company/preset"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

// HR holds the department's tables and its other state.
type HR struct {
	Employees     *record.Table[Employee, EmployeePrivate]
	LeaveRequests *record.Table[LeaveRequest, struct{}]
	Timesheets    *record.Table[Timesheet, struct{}]
	PayrollRuns   *record.Table[PayrollRun, PayrollRunPrivate]

	// State is stored with every commit.
	State State

	staff   preset.Staff
	payroll preset.Payroll
	streams streams
}

// State is the department's state outside its tables.
type State struct {
	// MoralePPM is 0 to a million.
	MoralePPM int64 `json:"morale_ppm"`
	// NextBadge is the number on the next badge, NextSlot the next new place.
	NextBadge int64 `json:"next_badge"`
	NextSlot  int64 `json:"next_slot"`
	// LatePayrolls counts the payrolls that were not paid in time.
	LatePayrolls int64 `json:"late_payrolls"`
	// Earned is the wages earned in the weeks that have no timesheet and are
	// not paid, oldest first.
	Earned []Earnings `json:"earned"`
	// UnpaidMinor is the gross of all timesheets that are not paid, and the arrears of all
	// payroll runs that are not.
	UnpaidMinor money.Minor `json:"unpaid_minor"`
	// ArrearsMinor is owed for hours that timesheets left out, and waits for the next
	// payroll run. WithheldMinor is the worth of all hours that were ever left out.
	ArrearsMinor  money.Minor `json:"arrears_minor,omitzero"`
	WithheldMinor money.Minor `json:"withheld_minor,omitzero"`
	// FluWave is set while employees fall ill more often.
	FluWave bool `json:"flu_wave,omitzero"`
}

// Earnings is the crew's earnings in a week.
type Earnings struct {
	Week        Week        `json:"week"`
	AmountMinor money.Minor `json:"amount_minor"`
}

// streams are the random streams of people.
type streams struct {
	sick, sickDays, leave, leaveDays, quit, skill sim.Stream
}

// New returns an empty department.
func New(p preset.Preset, seed uint64) *HR {
	stream := func(name string) sim.Stream { return sim.NewStream(seed, name) }
	return &HR{
		Employees: newEmployees(), LeaveRequests: newLeaveRequests(), Timesheets: newTimesheets(),
		PayrollRuns: newPayrollRuns(),
		staff:       p.Staff, payroll: p.Payroll,
		streams: streams{
			sick: stream("sick"), sickDays: stream("sick.days"), leave: stream("leave"),
			leaveDays: stream("leave.days"),
			quit:      stream("quit"), skill: stream("skill"),
		},
	}
}

// Tables lists the tables in the order in which they are stored.
func (h *HR) Tables() []*record.Rows {
	return []*record.Rows{h.Employees.Rows, h.LeaveRequests.Rows, h.Timesheets.Rows, h.PayrollRuns.Rows}
}

// Open employs the opening crew and starts the first week. cash is the
// company's balance; the crew costs it nothing.
func (h *HR) Open(r *record.Recorder, cash money.Minor) {
	crew := catalog.Crew()
	h.State = State{MoralePPM: moraleStart, NextBadge: firstBadge, Earned: []Earnings{}}
	for i := range crew {
		h.open(r, &crew[i], cash)
	}
	h.BeginWeek(r)
}

// AccruedMinor is the wages that the company owes its people: earned, up to
// yesterday, and not paid.
func (h *HR) AccruedMinor() money.Minor {
	accrued := h.State.UnpaidMinor + h.State.ArrearsMinor
	for _, e := range h.State.Earned {
		accrued += e.AmountMinor
	}
	return accrued
}

// earn adds to the earnings of a week.
func (h *HR) earn(week Week, amount money.Minor) {
	earned := h.State.Earned
	if n := len(earned); n > 0 && earned[n-1].Week == week {
		earned[n-1].AmountMinor += amount
		return
	}
	h.State.Earned = append(earned, Earnings{Week: week, AmountMinor: amount})
}

// earned returns the earnings so far of a week without a timesheet.
func (h *HR) earned(week Week) money.Minor {
	for _, e := range h.State.Earned {
		if e.Week == week {
			return e.AmountMinor
		}
	}
	return 0
}

// Earned returns the earnings of a day's week, while it has no timesheet.
func (h *HR) Earned(day sim.Day) money.Minor { return h.earned(weekOf(day)) }

// closeWeek removes a week from the earnings: from now on a payroll run has it.
func (h *HR) closeWeek(week Week) {
	kept := []Earnings{}
	for _, e := range h.State.Earned {
		if e.Week != week {
			kept = append(kept, e)
		}
	}
	h.State.Earned = kept
}

// Check reports a state that cannot be.
func (h *HR) Check() error {
	if h.State.MoralePPM < 0 || h.State.MoralePPM > sim.Million {
		return fmt.Errorf("morale is %d", h.State.MoralePPM)
	}
	if err := h.checkEmployees(); err != nil {
		return err
	}
	return h.checkPayroll()
}
