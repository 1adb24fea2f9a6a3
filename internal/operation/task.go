package operation

import "strings"

// Task is the work that an operation belongs to. The docs and the OpenAPI document group
// operations by it.
type Task string

// Tasks.
const (
	TaskSandbox    Task = "Sandbox"
	TaskOrders     Task = "Orders"
	TaskProduction Task = "Production"
	TaskPurchasing Task = "Purchasing"
	TaskStock      Task = "Stock"
	TaskPeople     Task = "People"
	TaskMoney      Task = "Money"
	TaskWebhooks   Task = "Events and webhooks"
)

// TaskGroup is a task with what it covers, and the paths of its operations: those that are one of
// them, or go on with a slash behind it.
type TaskGroup struct {
	Task  Task
	About string
	paths []string
}

// Tasks lists the tasks in the order in which one meets them.
func Tasks() []TaskGroup {
	return []TaskGroup{
		{TaskSandbox, "Create a sandbox, move its clock, and see how it does.",
			[]string{"/sandboxes", "/queue", "/sandbox", "/missions", "/requests"}},
		{TaskOrders, "Customers, what they order, and what goes out to them.", []string{
			"/office/sales-orders", "/office/contract-lots", "/office/customers", "/office/products",
			"/office/shipments", "/factory/shipments",
		}},
		{TaskProduction, "Work orders, and the presses that print them.", []string{
			"/factory/work-orders", "/factory/print-runs", "/factory/presses", "/factory/products",
		}},
		{TaskPurchasing, "Suppliers, what is ordered from them, and its way into the warehouse.", []string{
			"/office/suppliers", "/office/requisitions", "/office/purchase-orders", "/office/goods-receipts",
			"/factory/requisitions", "/factory/deliveries", "/factory/goods-receipts",
		}},
		{TaskStock, "The warehouse, and the market beside the suppliers.", []string{
			"/factory/stock", "/factory/stock-moves", "/office/market", "/factory/market-deliveries",
		}},
		{TaskPeople, "The employees, their hours and their wages.", []string{
			"/office/employees", "/office/leave-requests", "/office/timesheets", "/office/payroll-runs",
			"/factory/operators", "/factory/attendance",
		}},
		{TaskMoney, "Cash, and the bills of customers and suppliers.", []string{
			"/office/cash", "/office/ledger", "/office/customer-invoices", "/office/payments",
			"/office/supplier-invoices",
		}},
		{TaskWebhooks, "The feed of events, and their delivery to a program of yours.",
			[]string{"/events", "/webhooks"}},
	}
}

// Task is the operation's task, "" for an operation that the table leaves out.
func (o *Operation) Task() Task {
	for _, group := range Tasks() {
		for _, path := range group.paths {
			if o.Path == path || strings.HasPrefix(o.Path, path+"/") {
				return group.Task
			}
		}
	}
	return ""
}
