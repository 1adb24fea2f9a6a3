package company

import (
	"fmt"

	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// This file is the people: hr decides which employees are at work, the gate of
// the Factory writes it down, and Head Office pays for hiring and dismissing.
// All of it happens in every mode; only the timesheet is carried across
// (payday.go).

// openPeople lets the crew in on the first morning.
func (c *Company) openPeople() {
	c.people.Open(c.rec, c.office.State.CashMinor)
	c.openGate()
	c.scheduleTimesheet()
	c.scheduleStaff()
}

// openStaffDay applies a day's opening to the employees. One who quit three
// days ago is replaced last, if the company can afford it.
func (c *Company) openStaffDay() {
	// rehireCashMinor is the cash that the company must exceed to hire by
	// itself (contract: OPEN.EVT.HR.EMPLOYEE.HIRED).
	const rehireCashMinor money.Minor = 2_000_000
	c.people.OpenDay(c.rec)
	for _, hiring := range c.people.Vacancies(c.rec.Today()) {
		if c.office.State.CashMinor > rehireCashMinor {
			c.hire(hiring)
		}
	}
	c.openGate()
	c.scheduleTimesheet()
	c.scheduleStaff()
}

func (c *Company) scheduleStaff() {
	c.rec.Set(sim.Timer{Due: (c.rec.Today() + 1).Open(), Class: sim.ClassStaff, Kind: hr.TimerDay})
}

// openGate tells the Factory which employees come to work today.
func (c *Company) openGate() {
	var crew []factory.Attendant
	for _, p := range c.people.Crew(c.rec.Today()) {
		crew = append(crew,
			factory.Attendant{BadgeNo: p.BadgeNo, Role: p.Role, Skill: p.Skill, Absence: factory.Absence(p.Absence)})
	}
	c.factory.OpenGate(c.rec, crew)
	c.tellOffice()
}

// tellOffice tells Head Office which of its own people are at work.
func (c *Company) tellOffice() { c.office.State.Staff = c.officeStaff() }

func (c *Company) officeStaff() office.Staff {
	today := c.rec.Today()
	return office.Staff{
		Bookkeepers: c.people.Present(event.Bookkeeper, today), Sales: c.people.Present(event.Sales, today),
	}
}

// noteVacancies tells Head Office which roles nobody holds, so that an agency does their
// work.
func (c *Company) noteVacancies() {
	if !c.settings.Preset.Payroll.Paid {
		return
	}
	today := c.rec.Today()
	c.office.NoteVacancies(!c.people.Staffed(event.Bookkeeper, today), !c.people.Staffed(event.Warehouse, today),
		c.factory.Shipments.Rows.Len()+c.factory.GoodsReceipts.Rows.Len())
}

// HireEmployee hires an employee, who begins in two days, and returns their id.
func (c *Company) HireEmployee(in *hr.HireEmployee) (string, error) {
	hiring, err := c.people.Hireable(in)
	if err != nil {
		return "", err
	}
	if err := c.office.CanSpend(c.people.HireFeeMinor()); err != nil {
		return "", err
	}
	return c.hire(hiring), nil
}

func (c *Company) hire(hiring hr.Hiring) string {
	fee := c.people.HireFeeMinor()
	id, eventID := c.people.Hire(c.rec, hiring, c.office.State.CashMinor-fee)
	c.spend(fee, office.HiringFee, eventID, id)
	return id
}

// DismissEmployee dismisses an employee against severance. Work that they have
// started goes on without them.
func (c *Company) DismissEmployee(id string, in *hr.DismissEmployee) error {
	e, severance, err := c.people.Dismissible(id)
	if err != nil {
		return err
	}
	if err := c.office.CanSpend(severance); err != nil {
		return err
	}
	eventID := c.people.Dismiss(c.rec, hr.Dismissal{
		EmployeeID: id, Reason: in.Reason, SeveranceMinor: severance, CashMinor: c.office.State.CashMinor - severance,
	})
	c.spend(severance, office.Severance, eventID, id)
	c.factory.HandsIn(c.rec, e.BadgeNo, e.Role)
	c.tellOffice()
	return nil
}

// spend takes cash for an event. An event without an amount has no entry in the
// ledger.
func (c *Company) spend(amount money.Minor, kind office.LedgerKind, eventID, reference string) {
	if amount > 0 {
		c.office.Spend(c.rec, amount, kind, eventID, reference)
	}
}

// checkPeople compares hr's presences with the gate's records.
func (c *Company) checkPeople() error {
	if err := c.people.Check(); err != nil {
		return fmt.Errorf("hr: %w", err)
	}
	today := c.rec.Today()
	written := map[string]factory.Absence{}
	for row := range c.factory.Attendance.All {
		if row.Date == today.Date() {
			written[row.BadgeNo] = row.Absence
		}
	}
	crew := c.people.Crew(today)
	if len(crew) != len(written) {
		return fmt.Errorf("it is a working day of %d people, the gate knows of %d", len(crew), len(written))
	}
	finishers := int64(0)
	for _, p := range crew {
		if absence, ok := written[p.BadgeNo]; !ok || absence != factory.Absence(p.Absence) {
			return fmt.Errorf("badge %s has the absence %q, the gate says %q", p.BadgeNo, p.Absence, absence)
		}
		if p.Role == event.Finisher && p.Absence == hr.AbsenceNone && c.people.Employed(p.BadgeNo) {
			finishers++
		}
	}
	if finishers != c.factory.State.FinishersPresent {
		return fmt.Errorf("%d finishers are present, counted were %d", finishers, c.factory.State.FinishersPresent)
	}
	if present := c.people.Present(event.Warehouse, today); present != c.factory.State.WarehousePresent {
		return fmt.Errorf("%d warehouse workers are present, counted were %d", present,
			c.factory.State.WarehousePresent)
	}
	if staff := c.officeStaff(); staff != c.office.State.Staff {
		return fmt.Errorf("head office has %+v at work, it was told %+v", staff, c.office.State.Staff)
	}
	for operator := range c.factory.Operators.All {
		absence, ok := written[operator.BadgeNo]
		if here := ok && absence == factory.AbsenceNone &&
			c.people.Employed(operator.BadgeNo); here != operator.Present {
			return fmt.Errorf("operator %s is present: %t, and the gate says %q",
				operator.BadgeNo, operator.Present, absence)
		}
	}
	return nil
}

// peopleTimers lists the timers of the crew and its wages.
func (c *Company) peopleTimers(want func(waits bool, kind, ref string)) {
	want(true, hr.TimerDay, "")
	if !c.settings.Preset.Payroll.Paid {
		return
	}
	billed := map[moment.Date]bool{}
	for run := range c.people.PayrollRuns.All {
		billed[run.WeekStart] = true
		want(run.Status == hr.PayrollDue, hr.TimerPayrollLate, run.WeekStart.String())
		want(run.Status == hr.PayrollLate, hr.TimerPayrollWaits, run.WeekStart.String())
	}
	monday := sim.Day(0)
	for ; monday <= c.rec.Today(); monday += sim.DaysPerWeek {
		owed := c.people.Earned(monday) > 0 || monday+sim.DaysPerWeek > c.rec.Today()
		want(owed && !billed[monday.Date()], hr.TimerPayrollLate, monday.Date().String())
	}
	want(c.bridged() && c.now < (monday-1).At(sim.CloseMinute), timerTimesheet, "")
}
