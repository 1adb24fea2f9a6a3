package company

import (
	"fmt"

	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/mission"
	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// This file is hours and wages. The hours are written down at the gate of the
// Factory; Head Office pays by the timesheet, which it gets from the auto
// bridge at the close of Friday, or from the client (hand-off 6). In the end
// the wages of each week leave the company, once.

// timerTimesheet lets the bridge carry the week's attendance across.
const timerTimesheet = "week.timesheet"

// scheduleTimesheet sets the bridge going on the Monday of a week.
func (c *Company) scheduleTimesheet() {
	if today := c.rec.Today(); c.bridged() && c.settings.Preset.Payroll.Paid && today == today.Monday() {
		c.rec.Set(sim.Timer{
			Due: (today + sim.DaysPerWeek - 1).At(sim.CloseMinute), Class: sim.ClassTimesheet, Kind: timerTimesheet,
		})
	}
}

// carryTimesheet records the week's hours as the gate has them, unless the
// client has recorded some.
func (c *Company) carryTimesheet() {
	attended := attendedHours(c.factory.WeekAttendance(c.rec.Today().Monday().Date()))
	if sheet, ok := c.people.Attended(c.rec, attended); ok {
		c.people.Record(c.rec, sheet, attended)
	}
}

func attendedHours(week []factory.WeekHours) []hr.HoursEntry {
	hours := make([]hr.HoursEntry, len(week))
	for i, w := range week {
		hours[i] = hr.HoursEntry{BadgeNo: &w.BadgeNo, HoursWorked: w.Worked, HoursSick: w.Sick, HoursLeave: w.Leave}
	}
	return hours
}

// RecordTimesheet records the hours of a week as the client has them, and
// returns the timesheet's id. Hours that are not those of the gate are taken,
// and annoy the crew.
func (c *Company) RecordTimesheet(in *hr.CreateTimesheet) (string, error) {
	sheet, err := c.people.Recordable(c.rec, in)
	if err != nil {
		return "", err
	}
	return c.people.Record(c.rec, sheet, attendedHours(c.factory.WeekAttendance(in.WeekStart))), nil
}

// RunPayroll pays the wages of a week with the costs of being late, and returns
// the payroll run's id.
func (c *Company) RunPayroll(in *hr.RunPayroll) (string, error) {
	settlement, err := c.people.Payable(c.rec, in.WeekStart)
	if err != nil {
		return "", err
	}
	if err := c.office.CanSpend(settlement.TotalMinor()); err != nil {
		return "", err
	}
	if c.payWages(settlement) {
		c.missions.Note(c.rec, mission.PaidPayrollInTime)
	}
	return settlement.RunID(), nil
}

// payWages pays a week and reports whether that was in time.
func (c *Company) payWages(s hr.Settlement) (inTime bool) {
	total := s.TotalMinor()
	eventID, inTime := c.people.Settle(c.rec, s, c.office.State.CashMinor-total)
	c.spend(total, office.Payroll, eventID, s.RunID())
	return inTime
}

// payrollWaits is a further day on which wages are late. In the end they are
// collected.
func (c *Company) payrollWaits(week int64) {
	if settlement, collected := c.people.Waits(c.rec, week); collected {
		c.payWages(settlement)
	}
}

// checkWages compares the wages paid with the ledger: each week once, and never
// without its payroll run.
func (c *Company) checkWages() error {
	booked := map[string]money.Minor{}
	for entry := range c.office.Ledger.All {
		if entry.Kind != office.Payroll {
			continue
		}
		if _, twice := booked[*entry.ReferenceID]; twice {
			return fmt.Errorf("the payroll run %s was paid twice", *entry.ReferenceID)
		}
		booked[*entry.ReferenceID] = -entry.AmountMinor
	}
	for run := range c.people.PayrollRuns.All {
		paid := money.Minor(0)
		if run.Status == hr.PayrollPaid {
			paid = run.TotalMinor
		}
		if booked[run.ID] != paid {
			return fmt.Errorf("payroll run %s has cost %d, the ledger says %d", run.ID, paid, booked[run.ID])
		}
		delete(booked, run.ID)
	}
	if len(booked) > 0 {
		return fmt.Errorf("%d payments of wages are of no payroll run", len(booked))
	}
	return c.checkEarned()
}

// checkEarned compares the earnings of weeks without a timesheet with the
// gate's records, up to yesterday.
func (c *Company) checkEarned() error {
	worth := map[moment.Date]money.Minor{}
	for row := range c.factory.Attendance.All {
		if day := sim.DayFrom(row.Date); day < c.rec.Today() {
			worth[day.Monday().Date()] += c.people.DayWage(row.BadgeNo, hr.Absence(row.Absence))
		}
	}
	for _, e := range c.people.State.Earned {
		if monday := (sim.Day(e.Week) * sim.DaysPerWeek).Date(); e.AmountMinor != worth[monday] {
			return fmt.Errorf("the week of %s has earned %d, by the gate %d", monday, e.AmountMinor, worth[monday])
		}
	}
	return nil
}
