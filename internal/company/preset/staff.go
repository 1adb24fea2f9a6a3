package preset

import (
	"errors"
	"slices"

	"platen/internal/words/money"
	"platen/internal/words/share"
)

// Staff is the rates at which employees come, fall ill, take leave and go.
type Staff struct {
	// SickPct is the chance that an employee falls ill on a day.
	SickPct share.PerCent `json:"sick_pct_day" doc:"The chance that an employee falls ill on a day, in per cent."`
	// LeaveEveryDays is how many working days lie between two announcements of
	// leave on average; 0 for none ever.
	LeaveEveryDays int64 `json:"leave_every_days" doc:"Average working days between two announcements of leave. 0 disables them."`
	// QuitPct is the chance that a content employee quits on a day. Low morale
	// multiplies it.
	QuitPct share.PerCent `json:"quit_pct_day" doc:"The chance that a content employee quits on a day, in per cent; low morale multiplies it."`
	// AutoRehire is set when employees who quit are replaced.
	AutoRehire   bool        `json:"auto_rehire" doc:"Whether those who quit are replaced."`
	HireFeeMinor money.Minor `json:"hire_fee_minor" doc:"The fee for hiring an employee."`
}

// SickPPM is the chance to fall ill on a day, in parts per million.
func (s Staff) SickPPM() int64 { return int64(s.SickPct) * ppmPerHundredth }

// QuitPPM is the chance to quit on a day, in parts per million.
func (s Staff) QuitPPM() int64 { return int64(s.QuitPct) * ppmPerHundredth }

// ppmPerHundredth is how many parts per million a hundredth of a per cent is.
const ppmPerHundredth = 100

// Payroll is when wages are due and the cost of being late.
type Payroll struct {
	// Paid says whether people are paid at all.
	Paid bool `json:"paid" doc:"Whether people are paid. Without it nothing asks for timesheets and wages, which suits tests."`
	// DueWeekday is the day of the week after, mon to fri.
	DueWeekday string `json:"due_weekday" doc:"The day of the week after on which wages are due: mon, tue, wed, thu or fri."`
	// SurchargePctPerDay is added for each working day that a payroll is late,
	// up to SurchargeCapPct.
	SurchargePctPerDay int64 `json:"surcharge_pct_day" doc:"Added for each working day that wages are late, in per cent."`
	SurchargeCapPct    int64 `json:"surcharge_cap_pct" doc:"The most that is added, in per cent."`
	// CollectAfterDays is how many working days a payroll stays late before it
	// is collected.
	CollectAfterDays int64 `json:"collect_after_days" doc:"Working days after which late wages are collected."`
}

// DueDay is the due weekday as a number from Monday, 0; -1 for none.
func (p Payroll) DueDay() int64 {
	return int64(slices.Index([]string{"mon", "tue", "wed", "thu", "fri"}, p.DueWeekday))
}

const wholePct = 100

func (s Staff) check() error {
	switch {
	case s.SickPct < 0 || s.SickPct > wholePct*wholePct || s.QuitPct < 0 || s.QuitPct > wholePct*wholePct:
		return errors.New("staff.sick_pct_day and quit_pct_day must be 0 to 100")
	case s.LeaveEveryDays < 0 || s.LeaveEveryDays > maxAmount:
		return errors.New("staff.leave_every_days must be 0 to 1,000,000,000")
	case !within(s.HireFeeMinor, maxAmount):
		return errors.New("staff.hire_fee_minor must be 0 to 1,000,000,000")
	}
	return nil
}

func (p Payroll) check() error {
	switch {
	case p.DueDay() < 0:
		return errors.New("payroll.due_weekday must be mon, tue, wed, thu or fri")
	case !within(p.SurchargePctPerDay, wholePct) || !within(p.SurchargeCapPct, wholePct):
		return errors.New("payroll.surcharge_pct_day and surcharge_cap_pct must be 0 to 100")
	case p.CollectAfterDays < 1 || p.CollectAfterDays > wholePct:
		return errors.New("payroll.collect_after_days must be 1 to 100")
	}
	return nil
}
