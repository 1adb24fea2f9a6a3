package event

import (
	"platen/internal/moment"
	"platen/internal/money"
)

// EmployeeSickData is the data of hr.employee.sick.
type EmployeeSickData struct {
	Head
	BadgeNo string `json:"badge_no"`
	Role    Role   `json:"role"`
	// ExpectedBack is the first day on which they are at work again.
	ExpectedBack moment.Date `json:"expected_back"`
	Riders
}

// EmployeeReturnedData is the data of hr.employee.returned.
type EmployeeReturnedData struct {
	Head
	BadgeNo    string `json:"badge_no"`
	Role       Role   `json:"role"`
	DaysAbsent int64  `json:"days_absent"`
	Riders
}

// EmployeeQuitData is the data of hr.employee.quit.
type EmployeeQuitData struct {
	Head
	BadgeNo string `json:"badge_no"`
	Role    Role   `json:"role"`
	Reason  string `json:"reason" enum:"personal,low_morale"`
	Riders
}

// EmployeeDismissedData is the data of hr.employee.dismissed.
type EmployeeDismissedData struct {
	Head
	BadgeNo        string      `json:"badge_no"`
	Role           Role        `json:"role"`
	SeveranceMinor money.Minor `json:"severance_minor"`
	CashMinor      money.Minor `json:"cash_minor"`
	Riders
}

// EmployeeHiredData is the data of hr.employee.hired.
type EmployeeHiredData struct {
	Head
	BadgeNo     string      `json:"badge_no"`
	Role        Role        `json:"role"`
	HourlyMinor money.Minor `json:"hourly_minor"`
	StartsOn    moment.Date `json:"starts_on"`
	FeeMinor    money.Minor `json:"fee_minor"`
	CashMinor   money.Minor `json:"cash_minor"`
	Riders
}

// LeaveRequestCreatedData is the data of hr.leave_request.created.
type LeaveRequestCreatedData struct {
	Head
	EmployeeID string      `json:"employee_id"`
	BadgeNo    string      `json:"badge_no"`
	FromDate   moment.Date `json:"from_date"`
	ToDate     moment.Date `json:"to_date"`
	Days       int64       `json:"days"`
	Riders
}

// PayrollDueData is the data of hr.payroll.due.
type PayrollDueData struct {
	Head
	WeekStart   moment.Date `json:"week_start"`
	TimesheetID string      `json:"timesheet_id"`
	GrossMinor  money.Minor `json:"gross_minor"`
	// ArrearsMinor is what earlier timesheets left out, with the surcharge on it.
	ArrearsMinor money.Minor `json:"arrears_minor"`
	DueDate      moment.Date `json:"due_date"`
	// Entries are those of the timesheet, with the wages that they make. In a
	// large company they make the event larger than a delivery may be (contract:
	// EVT.BODY.MAX). Events that an earlier version wrote have none.
	Entries []WageEntry `json:"entries,omitempty"`
	Riders
}

// WageEntry is the week of one employee: whole hours and the wage for each kind of
// them, of which hours of illness are paid in part. The gross wage is their sum.
type WageEntry struct {
	EmployeeID  string      `json:"employee_id"`
	BadgeNo     string      `json:"badge_no"`
	Name        string      `json:"name"`
	Role        Role        `json:"role"`
	HoursWorked int64       `json:"hours_worked"`
	HoursSick   int64       `json:"hours_sick"`
	HoursLeave  int64       `json:"hours_leave"`
	HourlyMinor money.Minor `json:"hourly_minor"`
	WorkedMinor money.Minor `json:"worked_minor"`
	SickMinor   money.Minor `json:"sick_minor"`
	LeaveMinor  money.Minor `json:"leave_minor"`
	GrossMinor  money.Minor `json:"gross_minor"`
}

// PayrollLateData is the data of hr.payroll.late.
type PayrollLateData struct {
	Head
	WeekStart  moment.Date `json:"week_start"`
	Reason     string      `json:"reason" enum:"unpaid,no_timesheet"`
	TotalMinor money.Minor `json:"total_minor"`
	Riders
}

// PayrollPaidData is the data of hr.payroll.paid.
type PayrollPaidData struct {
	Head
	WeekStart      moment.Date `json:"week_start"`
	TotalMinor     money.Minor `json:"total_minor"`
	ArrearsMinor   money.Minor `json:"arrears_minor"`
	SurchargeMinor money.Minor `json:"surcharge_minor"`
	Forced         bool        `json:"forced"`
	CashMinor      money.Minor `json:"cash_minor"`
	Riders
}
