package hr

import (
	"fmt"

	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// PayrollStatus is the status of a payroll run.
//
//	due ──due date passed──▶ late ──paid, collected──▶ paid
//	  └──paid──▶ paid
//
// Without a timesheet the run is born late.
type PayrollStatus string

// Statuses.
const (
	PayrollDue  PayrollStatus = "due"
	PayrollLate PayrollStatus = "late"
	PayrollPaid PayrollStatus = "paid"
)

// Timers of payrolls. Their Ref is the Monday of the week.
const (
	// TimerPayrollLate makes an unpaid payroll late; its Index is the week.
	TimerPayrollLate = "payroll.late"
	// TimerPayrollWaits is a further day of lateness; its Index is the week.
	TimerPayrollWaits = "payroll.waits"
)

// Why a payroll is late.
const (
	LateUnpaid      = "unpaid"
	LateNoTimesheet = "no_timesheet"
)

// PayrollRun is the wages of a week.
type PayrollRun struct {
	_ struct{} `doc:"The wages of all employees for one week, at Head Office."`

	record.Head
	WeekStart      moment.Date   `json:"week_start" doc:"The Monday of the week."`
	WeekEnd        moment.Date   `json:"week_end" doc:"The Friday of the week."`
	DueDate        moment.Date   `json:"due_date" doc:"The last date for a payment in time: the Wednesday after, unless the preset names another day."`
	Status         PayrollStatus `json:"status" enum:"due,late,paid" doc:"due can be paid in time, late was not, paid is final. One that stays late is collected."`
	TimesheetID    *string       `json:"timesheet_id" doc:"The timesheet with the hours; null while there is none."`
	GrossMinor     money.Minor   `json:"gross_minor" doc:"The wages for the hours of the timesheet, in minor units; 0 while there is none."`
	ArrearsMinor   money.Minor   `json:"arrears_minor" doc:"Owed for hours of earlier weeks that the gate counted and the timesheet left out, with 10 % on top, in minor units. It is fixed when the run is created."`
	SurchargeMinor money.Minor   `json:"surcharge_minor" doc:"The surcharge for a late payment, in minor units; 0 until the run is paid."`
	TotalMinor     money.Minor   `json:"total_minor" doc:"The sum of gross_minor, arrears_minor and surcharge_minor."`
	Currency       string        `json:"currency" doc:"Always XTS. Amounts count its hundredths."`
	PaidOn         *moment.Date  `json:"paid_on" doc:"The in-world date of the payment; null before."`
	Forced         bool          `json:"forced" doc:"True when it was collected because it stayed unpaid."`
	record.Stamps
}

// PayrollRunPrivate holds the state of a payroll run that is never served.
type PayrollRunPrivate struct {
	// WrongHours is set when the timesheet differs from the gate's records.
	WrongHours bool `json:"wrong_hours,omitzero"`
}

// Resource implements record.Row.
func (*PayrollRun) Resource() string { return "payroll_run" }

// State implements record.Row.
func (p *PayrollRun) State() string { return string(p.Status) }

func newPayrollRuns() *record.Table[PayrollRun, PayrollRunPrivate] {
	return record.NewTable(record.Definition{Resource: "payroll_run", Prefix: "prl"},
		[]record.Filter[PayrollRun, PayrollRunPrivate]{
			{Name: "status", Of: (*PayrollRun).State},
		})
}

// dueDay is the last day on which the wages of a week are in time.
func (h *HR) dueDay(week Week) sim.Day { return (week + 1).monday() + sim.Day(h.payroll.DueDay()) }

// runOf returns the payroll run of a week, nil when there is none.
func (h *HR) runOf(week Week) *PayrollRun {
	for run := range h.PayrollRuns.All {
		if run.WeekStart == week.start() {
			return run
		}
	}
	return nil
}

// bill returns the payroll run of a week to change, and makes it with a status
// if there is none.
func (h *HR) bill(r *record.Recorder, week Week, status PayrollStatus) (*PayrollRun, *PayrollRunPrivate) {
	if run := h.runOf(week); run != nil {
		return h.PayrollRuns.Edit(r, run.ID)
	}
	run, private := h.PayrollRuns.Add(r, PayrollRun{
		WeekStart: week.start(), WeekEnd: week.end(), DueDate: h.dueDay(week).Date(), Status: status,
		Currency: money.Currency, ArrearsMinor: h.State.ArrearsMinor, TotalMinor: h.State.ArrearsMinor,
	}, PayrollRunPrivate{})
	h.State.UnpaidMinor += run.ArrearsMinor
	h.State.ArrearsMinor = 0
	r.Born(run)
	return run, private
}

// FallsDue makes the payroll of a week late, unless it is paid or no employee
// worked here.
func (h *HR) FallsDue(r *record.Recorder, index int64) {
	week, reason := Week(index), LateNoTimesheet
	run := h.runOf(week)
	switch {
	case run == nil && h.earned(week) == 0:
		return
	case run == nil:
		run, _ = h.bill(r, week, PayrollLate)
	case run.Status == PayrollPaid:
		return
	default:
		run, _ = h.PayrollRuns.Edit(r, run.ID)
		reason = LateUnpaid
		record.Move(r, run, &run.Status, PayrollLate)
	}
	h.State.LatePayrolls++
	h.changeMorale(moraleLate)
	r.Emit(event.PayrollLate, run,
		&event.PayrollLateData{WeekStart: run.WeekStart, Reason: reason, TotalMinor: run.TotalMinor})
	h.waitFor(r, week)
}

func (h *HR) waitFor(r *record.Recorder, week Week) {
	r.Set(sim.Timer{Due: (r.Today() + 1).Open(), Class: sim.ClassPayroll, Kind: TimerPayrollWaits,
		Ref: week.start().String(), Index: int64(week)})
}

// Waits lets a late payroll be late for a further day. When it has been late
// for too long it returns the settlement that is collected, without asking.
func (h *HR) Waits(r *record.Recorder, index int64) (Settlement, bool) {
	week := Week(index)
	run := h.runOf(week)
	if run.Status == PayrollPaid {
		return Settlement{}, false
	}
	if r.Today() <= h.dueDay(week)+sim.Day(h.payroll.CollectAfterDays) {
		h.changeMorale(moraleStillLate)
		h.waitFor(r, week)
		return Settlement{}, false
	}
	s := Settlement{runID: run.ID, week: week, forced: true, gross: run.GrossMinor, arrears: run.ArrearsMinor}
	if run.TimesheetID == nil {
		s.gross = h.earned(week) // the hours are estimated: those of the gate
	}
	s.surcharge = (s.gross + s.arrears).PerCent(h.payroll.SurchargeCapPct)
	return s, true
}

// RunPayroll is the body of POST /office/payroll-runs.
type RunPayroll struct {
	_ struct{} `doc:"The body that pays the wages of one week at Head Office."`

	WeekStart moment.Date `json:"week_start" required:"true" example:"2026-09-07" doc:"The Monday of the week to pay for."`
}

// Settlement is the wages of a week as they leave the company today.
type Settlement struct {
	runID  string
	week   Week
	forced bool

	gross, arrears, surcharge money.Minor
}

// TotalMinor is the amount that leaves the company.
func (s *Settlement) TotalMinor() money.Minor { return s.gross + s.arrears + s.surcharge }

// RunID is the payroll run that is settled.
func (s *Settlement) RunID() string { return s.runID }

// Payable returns the settlement of a week's wages, as of today. It refuses an
// invalid week, a week without a timesheet, or one that is paid.
func (h *HR) Payable(r *record.Recorder, weekStart moment.Date) (Settlement, error) {
	week, ok := weekStarting(weekStart)
	if !ok {
		return Settlement{}, badWeek("pattern", "week_start must be a Monday; %s is a %s.",
			weekStart, weekStart.Weekday())
	}
	if week < 0 || week > weekOf(r.Today()) {
		return Settlement{}, problem.Missing("payroll_run", weekStart.String())
	}
	run := h.runOf(week)
	switch {
	case run != nil && run.Status == PayrollPaid:
		return Settlement{}, alreadyPaid(run)
	case run == nil || run.TimesheetID == nil:
		return Settlement{}, problem.New(problem.TimesheetMissing, "The week of %s has no timesheet.", weekStart)
	}
	s := Settlement{runID: run.ID, week: week, gross: run.GrossMinor, arrears: run.ArrearsMinor}
	if run.Status == PayrollLate {
		days := int64(r.Today() - h.dueDay(week))
		s.surcharge = (s.gross + s.arrears).PerCent(min(days*h.payroll.SurchargePctPerDay, h.payroll.SurchargeCapPct))
	}
	return s, nil
}

func alreadyPaid(run *PayrollRun) error {
	return problem.New(problem.PayrollAlreadyPaid, "The wages of the week of %s were paid on %s.",
		run.WeekStart, run.PaidOn).With(PaidDetails{PayrollRunID: run.ID})
}

// Settle pays a week, and returns the id of the event that owns the payment and
// whether it was in time. cash is the balance afterwards.
func (h *HR) Settle(r *record.Recorder, s Settlement, cash money.Minor) (eventID string, inTime bool) {
	run, private := h.PayrollRuns.Edit(r, s.runID)
	inTime = run.Status == PayrollDue
	if run.TimesheetID == nil {
		h.closeWeek(s.week)
	} else {
		h.State.UnpaidMinor -= run.GrossMinor
	}
	h.State.UnpaidMinor -= run.ArrearsMinor
	run.GrossMinor, run.SurchargeMinor, run.TotalMinor = s.gross, s.surcharge, s.TotalMinor()
	run.Forced, run.PaidOn = s.forced, new(r.Date())
	record.Move(r, run, &run.Status, PayrollPaid)
	if inTime && !private.WrongHours {
		h.changeMorale(moralePaidInTime)
	}
	eventID = r.Emit(event.PayrollPaid, run, &event.PayrollPaidData{
		WeekStart: run.WeekStart, TotalMinor: run.TotalMinor, ArrearsMinor: run.ArrearsMinor,
		SurchargeMinor: run.SurchargeMinor,
		Forced:         run.Forced, CashMinor: cash,
	})
	return eventID, inTime
}

func (h *HR) checkPayroll() error {
	unpaid, weeks := money.Minor(0), map[moment.Date]bool{}
	for run := range h.PayrollRuns.All {
		if weeks[run.WeekStart] {
			return fmt.Errorf("the week of %s has two payroll runs", run.WeekStart)
		}
		weeks[run.WeekStart] = true
		if run.TotalMinor != run.GrossMinor+run.ArrearsMinor+run.SurchargeMinor ||
			(run.Status == PayrollPaid) != (run.PaidOn != nil) ||
			run.Status != PayrollPaid && (run.SurchargeMinor != 0 || run.Forced) {
			return fmt.Errorf("payroll run %s does not add up: %+v", run.ID, run)
		}
		if run.Status != PayrollPaid {
			unpaid += run.ArrearsMinor
		}
		if run.TimesheetID == nil {
			continue
		}
		sheet, ok := h.Timesheets.Find(*run.TimesheetID)
		if !ok || sheet.PayrollRunID != run.ID || sheet.WeekStart != run.WeekStart ||
			h.gross(sheet.Entries) != run.GrossMinor {
			return fmt.Errorf("payroll run %s is not of its timesheet %s", run.ID, *run.TimesheetID)
		}
		if run.Status != PayrollPaid {
			unpaid += run.GrossMinor
		}
	}
	if unpaid != h.State.UnpaidMinor {
		return fmt.Errorf("timesheets of %d are unpaid, counted were %d", unpaid, h.State.UnpaidMinor)
	}
	for _, e := range h.State.Earned {
		if run := h.runOf(e.Week); run != nil && (run.TimesheetID != nil || run.Status == PayrollPaid) {
			return fmt.Errorf("the week of %s is settled and still earns %d", e.Week.start(), e.AmountMinor)
		}
	}
	return nil
}
