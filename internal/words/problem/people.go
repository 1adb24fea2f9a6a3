package problem

import "net/http"

// Codes of the people: timesheets, payroll, hiring.
const (
	TimesheetExists    Code = "timesheet_exists"
	TimesheetMissing   Code = "timesheet_missing"
	WeekNotOver        Code = "week_not_over"
	PayrollAlreadyPaid Code = "payroll_already_paid"
	HeadcountLimit     Code = "headcount_limit"
	EmployeeMissing    Code = "employee_missing"
)

var people = []Definition{ //nolint:gochecknoglobals // the table itself
	{
		Code: TimesheetExists, Status: http.StatusConflict,
		Hint: "details.timesheet_id is the week's timesheet.",
		Meaning: "The week has a timesheet already. With the auto bridge the Factory's attendance becomes one at the " +
			"close of Friday.",
		Remedy: "Use the timesheet that exists; it cannot be replaced.",
	},
	{
		Code: TimesheetMissing, Status: http.StatusConflict,
		Hint:    "POST /office/timesheets first.",
		Meaning: "The hours of the week have not been recorded, so the wages are not known.",
		Remedy:  "Read /factory/attendance?week_start=…, record the timesheet, then pay.",
	},
	{
		Code: WeekNotOver, Status: http.StatusConflict, Retryable: true,
		Hint:    "A week can be recorded from Friday noon on.",
		Meaning: "The week is still being worked, so its hours are not known.",
		Remedy:  "Wait until retry_at, or move the clock.",
	},
	{
		Code: PayrollAlreadyPaid, Status: http.StatusConflict,
		Hint:    "details.payroll_run_id is the run that was paid.",
		Meaning: "The wages of the week have left the company, by a payroll run or by collection.",
		Remedy:  "Nothing is left to do for this week.",
	},
	{
		Code: HeadcountLimit, Status: http.StatusConflict,
		Hint:    "details.limit is the most employees that the company can have.",
		Meaning: "The company has as many employees as it can have.",
		Remedy:  "Dismiss an employee first.",
	},
	{
		Code: EmployeeMissing, Status: http.StatusUnprocessableEntity,
		Hint:    "details.employee_ids lists the missing employees.",
		Meaning: "A timesheet names every employee of its week, those who were ill or away included.",
		Remedy:  "Add an entry for each of details.employee_ids and record the timesheet again.",
	},
}
