package operation

import (
	"net/http"
	"reflect"
	"slices"

	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/event"
	"platen/internal/moment"
	"platen/internal/money"
	"platen/internal/problem"
	"platen/internal/sandbox"
)

// HireEmployee is the body of POST /office/employees.
type HireEmployee struct {
	_ struct{} `doc:"The body that hires an employee at Head Office."`

	Role        event.Role   `json:"role" required:"true" doc:"The work that the employee will do." agent:"-"`
	HourlyMinor *money.Minor `json:"hourly_minor,omitzero" minimum:"1" maximum:"100000" doc:"At least the lowest wage of the role at the opening of the company, which is also the default."`
}

// DismissEmployee is the body of POST /office/employees/{id}/dismiss.
type DismissEmployee struct {
	_ struct{} `doc:"The body that dismisses an employee of Head Office."`

	Reason *string `json:"reason,omitzero" nullable:"true" minLength:"1" maxLength:"200" doc:"For the record."`
}

// HoursEntry is the hours of one employee in the week.
type HoursEntry struct {
	_ struct{} `doc:"One employee's line in the body of a timesheet."`

	EmployeeID  *string `json:"employee_id,omitzero" oneOf:"true" minLength:"1" maxLength:"64" doc:"The employee; this or badge_no."`
	BadgeNo     *string `json:"badge_no,omitzero" oneOf:"true" minLength:"1" maxLength:"20" doc:"The badge number of /factory/attendance, instead of employee_id."`
	HoursWorked int64   `json:"hours_worked" required:"true" minimum:"0" maximum:"60" doc:"Whole hours."`
	HoursSick   int64   `json:"hours_sick,omitzero" minimum:"0" maximum:"40" doc:"8 for each day of illness; paid at 80 %."`
	HoursLeave  int64   `json:"hours_leave,omitzero" minimum:"0" maximum:"40" doc:"8 for each day of leave; paid in full."`
}

// CreateTimesheet is the body of POST /office/timesheets.
type CreateTimesheet struct {
	_ struct{} `doc:"The body that records the hours of all employees in one week at Head Office."`

	WeekStart moment.Date  `json:"week_start" required:"true" example:"2026-09-07" doc:"A Monday."`
	Entries   []HoursEntry `json:"entries" required:"true" minItems:"1" maxItems:"50" doc:"Every employee of the week, once each."`
}

// RunPayroll is the body of POST /office/payroll-runs.
type RunPayroll struct {
	_ struct{} `doc:"The body that pays the wages of one week at Head Office."`

	WeekStart moment.Date `json:"week_start" required:"true" example:"2026-09-07" doc:"The Monday of the week to pay for."`
}

func peopleOperations() []Operation {
	return slices.Concat(
		reads[hr.Employee](noun{
			system: Office, path: "/office/employees", resource: "employee", singular: "employee", plural: "employees",
			summary:         "employees",
			listDescription: "The employees of the company, those who have left included.",
			one:             "an employee",
		}),
		[]Operation{hireEmployee(), dismissEmployee()},
		reads[hr.LeaveRequest](noun{
			system: Office, path: "/office/leave-requests", resource: "leave_request", singular: "leave_request",
			plural: "leave_requests", summary: "leave requests",
			listDescription: "Holidays, announced five working days ahead and always granted.",
			one:             "a leave request",
		}),
		reads[hr.Timesheet](noun{
			system: Office, path: "/office/timesheets", resource: "timesheet", singular: "timesheet",
			plural: "timesheets", summary: "timesheets",
			listDescription: "The hours of each week, as the bridge or the client recorded them.",
			one:             "a timesheet",
		}),
		[]Operation{createTimesheet()},
		reads[hr.PayrollRun](noun{
			system: Office, path: "/office/payroll-runs", resource: "payroll_run", singular: "payroll_run",
			plural: "payroll_runs", summary: "payroll runs",
			listDescription: "The wages of each week: due on the Wednesday after, more expensive when late, and " +
				"collected in the end.",
			one: "a payroll run",
		}),
		[]Operation{runPayroll()},
	)
}

func gateOperations() []Operation {
	return reads[factory.Attendance](noun{
		system: Factory, path: "/factory/attendance", resource: "attendance", singular: "attendance_row",
		plural: "attendance", summary: "attendance",
		listDescription: "Attendance on each day, by badge. week_start picks the week of a Monday.",
		one:             "an attendance record",
	})
}

func hireEmployee() Operation {
	return write(Operation{
		ID: "hire_employee", Path: "/office/employees", System: Office, Status: http.StatusCreated,
		Out:         reflect.TypeFor[hr.Employee](),
		Summary:     "Hire an employee",
		Description: "Costs a fee. They begin two working days later, and replace the employee who left the role.",
		Problems:    []problem.Code{problem.InsufficientFunds, problem.HeadcountLimit},
		Events:      []event.Type{event.EmployeeHired},
	}, func(tx *sandbox.Tx, _ PathParams, in *HireEmployee) (Result, error) {
		id, err := tx.Company.HireEmployee(in.Role, in.HourlyMinor)
		return Result{Resource: "employee", ID: id}, err
	})
}

func dismissEmployee() Operation {
	return write(Operation{
		ID: "dismiss_employee", Path: "/office/employees/{id}/dismiss", System: Office, BodyOptional: true,
		Out:     reflect.TypeFor[hr.Employee](),
		Summary: "Dismiss an employee",
		Description: "Costs two weeks' wage. Today still counts as worked, and a press that they have " +
			"set going runs on.",
		Problems: []problem.Code{problem.NotFound, problem.InvalidState, problem.InsufficientFunds},
		Events:   []event.Type{event.EmployeeDismissed},
	}, func(tx *sandbox.Tx, at PathParams, in *DismissEmployee) (Result, error) {
		return Result{Resource: "employee", ID: at.ID}, tx.Company.DismissEmployee(at.ID, in.Reason)
	})
}

func createTimesheet() Operation {
	return write(Operation{
		ID: "create_timesheet", Path: "/office/timesheets", System: Office, Key: KeyRequired,
		Status: http.StatusCreated, Out: reflect.TypeFor[hr.Timesheet](),
		Summary: "Record the hours of a week",
		Description: "From Friday noon on, once for each week. The wages are then due on the Wednesday after. " +
			"With the auto bridge the Factory's attendance is recorded at the close of Friday unless you were first. " +
			"Hours that differ from attendance are taken, and annoy the crew.",
		Problems: []problem.Code{problem.TimesheetExists, problem.WeekNotOver, problem.PayrollAlreadyPaid,
			problem.EmployeeMissing},
		Events: []event.Type{event.PayrollDue},
	}, func(tx *sandbox.Tx, _ PathParams, in *CreateTimesheet) (Result, error) {
		id, err := tx.Company.RecordTimesheet(in.WeekStart, in.hours())
		return Result{Resource: "timesheet", ID: id}, err
	})
}

// hours reads the entries, each of which says whose hours it has.
func (in *CreateTimesheet) hours() []hr.Hours {
	hours := make([]hr.Hours, len(in.Entries))
	for i := range in.Entries {
		e := &in.Entries[i]
		hours[i] = hr.Hours{Worked: e.HoursWorked, Sick: e.HoursSick, Leave: e.HoursLeave}
		if e.EmployeeID != nil {
			hours[i].EmployeeID = *e.EmployeeID
		} else {
			hours[i].BadgeNo = *e.BadgeNo
		}
	}
	return hours
}

func runPayroll() Operation {
	return write(Operation{
		ID: "run_payroll", Path: "/office/payroll-runs", System: Office, Key: KeyRequired, Status: http.StatusCreated,
		Out:     reflect.TypeFor[hr.PayrollRun](),
		Summary: "Pay the wages of a week",
		Description: "Pays the hours of the week's timesheet. Late wages cost 2 % for each working day, 10 % at " +
			"most; after five working days they are collected, whether or not the cash is there.",
		Problems: []problem.Code{problem.NotFound, problem.TimesheetMissing, problem.PayrollAlreadyPaid,
			problem.InsufficientFunds},
		Events: []event.Type{event.PayrollPaid, event.MissionCompleted},
	}, func(tx *sandbox.Tx, _ PathParams, in *RunPayroll) (Result, error) {
		id, err := tx.Company.RunPayroll(in.WeekStart)
		return Result{Resource: "payroll_run", ID: id}, err
	})
}
