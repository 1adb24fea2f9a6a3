// Package hr is the people of the company: who is employed, ill, on leave or
// gone, their morale, and the wages that they are owed. It decides who is at
// work; what the gate of the Factory writes down about that is the Factory's
// own.
//
// What happens to people by chance is drawn by their slot and the day. A slot
// is a place in the crew: whoever takes somebody's place takes their slot, so
// nothing a client does can shift what the days bring.
package hr

import (
	"fmt"

	"platen/internal/company/catalog"
	"platen/internal/company/preset"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/money"
)

// HR is the department's tables and what it keeps beside them.
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

// State is what the department keeps beside its tables.
type State struct {
	// MoralePPM is 0 to a million.
	MoralePPM int64 `json:"morale_ppm"`
	// NextBadge is the number on the next badge, NextSlot the next new place.
	NextBadge int64 `json:"next_badge"`
	NextSlot  int64 `json:"next_slot"`
	// LatePayrolls counts the payrolls that were not paid in time.
	LatePayrolls int64 `json:"late_payrolls"`
	// Earned is what was earned in the weeks that have no timesheet and are
	// not paid, oldest first.
	Earned []Earnings `json:"earned"`
	// UnpaidMinor is the gross of all timesheets that are not paid.
	UnpaidMinor money.Minor `json:"unpaid_minor"`
	// FluWave is set while everybody falls ill more often.
	FluWave bool `json:"flu_wave,omitzero"`
}

// Earnings is what the crew has earned in a week.
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
		Employees: newEmployees(), LeaveRequests: newLeaveRequests(), Timesheets: newTimesheets(), PayrollRuns: newPayrollRuns(),
		staff: p.Staff, payroll: p.Payroll,
		streams: streams{
			sick: stream("sick"), sickDays: stream("sick.days"), leave: stream("leave"), leaveDays: stream("leave.days"),
			quit: stream("quit"), skill: stream("skill"),
		},
	}
}

// Tables lists the tables in the order in which they are stored.
func (h *HR) Tables() []record.Keeper {
	return []record.Keeper{h.Employees, h.LeaveRequests, h.Timesheets, h.PayrollRuns}
}

// Open employs the opening crew and sets the first week going. cash is what
// the company has; the crew costs it nothing.
func (h *HR) Open(r *record.Recorder, cash money.Minor) {
	crew := catalog.Crew()
	h.State = State{MoralePPM: moraleStart, NextBadge: firstBadge, Earned: []Earnings{}}
	for i := range crew {
		h.open(r, &crew[i], cash)
	}
	h.BeginWeek(r)
}

// AccruedMinor is what the company owes its people: what they have earned, up
// to yesterday, and have not been paid.
func (h *HR) AccruedMinor() money.Minor {
	accrued := h.State.UnpaidMinor
	for _, e := range h.State.Earned {
		accrued += e.AmountMinor
	}
	return accrued
}

// earn adds to what a week has earned.
func (h *HR) earn(week Week, amount money.Minor) {
	earned := h.State.Earned
	if n := len(earned); n > 0 && earned[n-1].Week == week {
		earned[n-1].AmountMinor += amount
		return
	}
	h.State.Earned = append(earned, Earnings{Week: week, AmountMinor: amount})
}

// earned returns what a week without a timesheet has earned so far.
func (h *HR) earned(week Week) money.Minor {
	for _, e := range h.State.Earned {
		if e.Week == week {
			return e.AmountMinor
		}
	}
	return 0
}

// Earned returns what the week of a day has earned, while it has no timesheet.
func (h *HR) Earned(day sim.Day) money.Minor { return h.earned(weekOf(day)) }

// closeWeek takes a week off what was earned: from now on a payroll run stands
// for it.
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
