package operation

import (
	"slices"

	"platen/internal/company"
	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/words/event"
	"platen/internal/words/problem"
)

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
	return create[hr.Employee](Operation{
		ID: "hire_employee", Path: "/office/employees", System: Office,
		Summary:     "Hire an employee",
		Description: "Costs a fee. They begin two working days later, and replace the employee who left the role.",
		Problems:    []problem.Code{problem.InsufficientFunds, problem.HeadcountLimit},
		Events:      []event.Type{event.EmployeeHired},
	}, (*company.Company).HireEmployee)
}

func dismissEmployee() Operation {
	return change[hr.Employee](Operation{
		ID: "dismiss_employee", Path: "/office/employees/{id}/dismiss", System: Office, BodyOptional: true,
		Summary: "Dismiss an employee",
		Description: "Costs two weeks' wage. Today still counts as worked, and a press that they have " +
			"set going runs on.",
		Problems: []problem.Code{problem.NotFound, problem.InvalidState, problem.InsufficientFunds},
		Events:   []event.Type{event.EmployeeDismissed},
	}, (*company.Company).DismissEmployee)
}

func createTimesheet() Operation {
	return create[hr.Timesheet](Operation{
		ID: "create_timesheet", Path: "/office/timesheets", System: Office, Key: KeyRequired,
		Summary: "Record the hours of a week",
		Description: "From Friday noon on, once for each week. The wages are then due on the Wednesday after. " +
			"With the auto bridge the Factory's attendance is recorded at the close of Friday unless you were first. " +
			"Hours that differ from attendance are taken, and annoy the crew.",
		Problems: []problem.Code{problem.TimesheetExists, problem.WeekNotOver, problem.PayrollAlreadyPaid,
			problem.EmployeeMissing},
		Events: []event.Type{event.PayrollDue},
	}, (*company.Company).RecordTimesheet)
}

func runPayroll() Operation {
	return create[hr.PayrollRun](Operation{
		ID: "run_payroll", Path: "/office/payroll-runs", System: Office, Key: KeyRequired,
		Summary: "Pay the wages of a week",
		Description: "Pays the hours of the week's timesheet. Late wages cost 2 % for each working day, 10 % at " +
			"most; after five working days they are collected, whether or not the cash is there.",
		Problems: []problem.Code{problem.NotFound, problem.TimesheetMissing, problem.PayrollAlreadyPaid,
			problem.InsufficientFunds},
		Events: []event.Type{event.PayrollPaid, event.MissionCompleted},
	}, (*company.Company).RunPayroll)
}
