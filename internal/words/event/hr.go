package event

import (
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// EmployeeSickData is the data of hr.employee.sick.
type EmployeeSickData struct {
	Head
	BadgeNo      string      `json:"badge_no" doc:"The badge of the employee, the same in both systems."`
	Role         Role        `json:"role" doc:"The work that is not done meanwhile, unless others do it."`
	ExpectedBack moment.Date `json:"expected_back" doc:"The first day on which they are at work again."`
	Riders
}

// EmployeeReturnedData is the data of hr.employee.returned.
type EmployeeReturnedData struct {
	Head
	BadgeNo    string `json:"badge_no" doc:"The badge of the employee, the same in both systems."`
	Role       Role   `json:"role" doc:"The work that they do."`
	DaysAbsent int64  `json:"days_absent" doc:"Working days of the illness."`
	Riders
}

// EmployeeQuitData is the data of hr.employee.quit.
type EmployeeQuitData struct {
	Head
	BadgeNo string `json:"badge_no" doc:"The badge of the employee, the same in both systems."`
	Role    Role   `json:"role" doc:"The work that they did."`
	Reason  string `json:"reason" enum:"personal,low_morale" doc:"low_morale: they were unhappy; personal: for reasons of their own."`
	Riders
}

// EmployeeDismissedData is the data of hr.employee.dismissed.
type EmployeeDismissedData struct {
	Head
	BadgeNo        string      `json:"badge_no" doc:"The badge of the employee, the same in both systems."`
	Role           Role        `json:"role" doc:"The work that they did."`
	SeveranceMinor money.Minor `json:"severance_minor" doc:"The severance that was paid, in minor units: two weeks of wages."`
	CashMinor      money.Minor `json:"cash_minor" doc:"The cash of the company afterwards, in minor units."`
	Riders
}

// EmployeeHiredData is the data of hr.employee.hired.
type EmployeeHiredData struct {
	Head
	BadgeNo     string      `json:"badge_no" doc:"The badge of the employee, the same in both systems."`
	Role        Role        `json:"role" doc:"The work that they do."`
	HourlyMinor money.Minor `json:"hourly_minor" doc:"The wage for an hour, in minor units."`
	StartsOn    moment.Date `json:"starts_on" doc:"The first day at work."`
	FeeMinor    money.Minor `json:"fee_minor" doc:"The fee for hiring that was paid, in minor units; 0 for the replacement of one who quit."`
	CashMinor   money.Minor `json:"cash_minor" doc:"The cash of the company afterwards, in minor units."`
	Riders
}

// LeaveRequestCreatedData is the data of hr.leave_request.created.
type LeaveRequestCreatedData struct {
	Head
	EmployeeID string      `json:"employee_id" doc:"The employee who is on leave."`
	BadgeNo    string      `json:"badge_no" doc:"The badge of the employee, the same in both systems."`
	FromDate   moment.Date `json:"from_date" doc:"The first day of the leave."`
	ToDate     moment.Date `json:"to_date" doc:"The last day of the leave."`
	Days       int64       `json:"days" doc:"Working days, the first and the last included."`
	Riders
}

// PayrollDueData is the data of hr.payroll.due.
type PayrollDueData struct {
	Head
	WeekStart    moment.Date `json:"week_start" doc:"The Monday of the week."`
	TimesheetID  string      `json:"timesheet_id" doc:"The timesheet with the hours."`
	GrossMinor   money.Minor `json:"gross_minor" doc:"The wages for these hours, in minor units."`
	ArrearsMinor money.Minor `json:"arrears_minor" doc:"Owed for hours that earlier timesheets left out, with 10 % on top, in minor units."`
	DueDate      moment.Date `json:"due_date" doc:"The last date for a payment in time."`
	// Entries are those of the timesheet, with the wages that they make. In a
	// large company they make the event larger than a delivery may be (contract:
	// EVT.BODY.MAX). Events that an earlier version wrote have none.
	Entries []WageEntry `json:"entries,omitempty" doc:"The hours and wages of each employee. Left out in events that an earlier version wrote."`
	Riders
}

// WageEntry is the week of one employee: whole hours and the wage for each kind of
// them, of which hours of illness are paid in part. The gross wage is their sum.
type WageEntry struct {
	_ struct{} `doc:"The hours and the wage of one employee in a payroll run."`

	EmployeeID  string      `json:"employee_id" doc:"The employee whose week this is."`
	BadgeNo     string      `json:"badge_no" doc:"The badge of the employee, the same in both systems."`
	Name        string      `json:"name" doc:"The name of the employee."`
	Role        Role        `json:"role" doc:"The work that they do."`
	HoursWorked int64       `json:"hours_worked" doc:"Whole hours at work, paid in full."`
	HoursSick   int64       `json:"hours_sick" doc:"Whole hours of illness, paid at 80 %."`
	HoursLeave  int64       `json:"hours_leave" doc:"Whole hours of leave, paid in full."`
	HourlyMinor money.Minor `json:"hourly_minor" doc:"The wage for an hour, in minor units."`
	WorkedMinor money.Minor `json:"worked_minor" doc:"The wage for hours_worked, in minor units."`
	SickMinor   money.Minor `json:"sick_minor" doc:"The wage for hours_sick, in minor units."`
	LeaveMinor  money.Minor `json:"leave_minor" doc:"The wage for hours_leave, in minor units."`
	GrossMinor  money.Minor `json:"gross_minor" doc:"The sum of the three wages, in minor units."`
}

// PayrollLateData is the data of hr.payroll.late.
type PayrollLateData struct {
	Head
	WeekStart  moment.Date `json:"week_start" doc:"The Monday of the week."`
	Reason     string      `json:"reason" enum:"unpaid,no_timesheet" doc:"unpaid: the wages of the timesheet were not paid; no_timesheet: there was none to pay by."`
	TotalMinor money.Minor `json:"total_minor" doc:"The debt so far, in minor units: wages of the timesheet and arrears, without a surcharge."`
	Riders
}

// PayrollPaidData is the data of hr.payroll.paid.
type PayrollPaidData struct {
	Head
	WeekStart      moment.Date `json:"week_start" doc:"The Monday of the week."`
	TotalMinor     money.Minor `json:"total_minor" doc:"The amount that left the company, in minor units, with arrears and surcharge."`
	ArrearsMinor   money.Minor `json:"arrears_minor" doc:"The part of it that earlier timesheets had left out, in minor units."`
	SurchargeMinor money.Minor `json:"surcharge_minor" doc:"The part of it that is the surcharge for a late payment, in minor units."`
	Forced         bool        `json:"forced" doc:"True when it was collected because it stayed unpaid."`
	CashMinor      money.Minor `json:"cash_minor" doc:"The cash of the company afterwards, in minor units."`
	Riders
}
