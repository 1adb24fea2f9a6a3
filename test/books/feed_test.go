package books

import (
	"fmt"
	"strings"
)

// resourceOf names the record that the events of a kind are about, as data.changes names it. Milestones are left out:
// their records do not move with them.
var resourceOf = map[string]string{
	"office.sales_order": "sales_order", "office.requisition": "office_requisition",
	"office.purchase_order": "purchase_order", "office.supplier_invoice": "supplier_invoice",
	"office.customer_invoice": "customer_invoice", "office.contract_lot": "contract_lot",
	"factory.work_order": "work_order", "factory.print_run": "print_run", "factory.requisition": "factory_requisition",
	"factory.delivery": "delivery", "factory.stock": "stock_item", "hr.employee": "employee",
	"hr.payroll":        "payroll_run",
	"world.major_order": "major_order", "world.lore_event": "lore_event", "office.payment.overdue": "supplier_invoice",
	"sandbox.disruption": "lore_event",
}

// listOf says where the records of a kind are whose status the feed tells.
var listOf = map[string]string{
	"sales_order": orders, "office_requisition": requests, "purchase_order": purchases,
	"supplier_invoice": supplierBills,
	"customer_invoice": invoices, "contract_lot": lots, "work_order": work, "print_run": runs, "press": presses,
	"factory_requisition": requisitions, "delivery": deliveries, "stock_item": stock, "employee": employees,
	"payroll_run": payrolls, "major_order": majorOrders, "lore_event": lore,
}

// feed checks that the feed has no gap and grows in time (contract: EVT.FEED, DLV.ORDER_BY).
func (a *auditor) feed() {
	same(a.tally, "feed: an id is there once", "events", len(a.event), len(a.events))
	for i, e := range a.events {
		same(a.tally, "feed: seq has no gap", text(e, "id"), number(e, "seq"), int64(i+1))
		if i > 0 {
			before := a.events[i-1]
			a.is("feed: created_at rises", text(e, "created_at") > text(before, "created_at"), "event %d", i+1)
			a.is("feed: sim_date does not go back", text(e, "sim_date") >= text(before, "sim_date"), "event %d", i+1)
		}
	}
}

// projection replays every change of a status in the feed and compares the end with the rows.
func (a *auditor) projection() {
	status := map[string]string{}
	hired := map[string]bool{}
	for _, e := range a.events {
		if text(e, "type") == "hr.employee.hired" {
			hired[text(object(e, "data"), "id")] = true
		}
	}
	for _, r := range a.list[presses] {
		status["press "+text(r, "id")] = "idle"
	}
	for _, r := range a.list[stock] {
		status["stock_item "+text(r, "id")] = "ok"
	}
	for _, r := range a.list[employees] {
		if !hired[text(r, "id")] { // of the opening
			status["employee "+text(r, "id")] = "active"
		}
	}
	for _, e := range a.events {
		data, kind := object(e, "data"), text(e, "type")
		resource := resourceOf[kind]
		if resource == "" {
			resource = resourceOf[kind[:strings.LastIndexByte(kind, '.')]]
		}
		if resource != "" && given(data, "status") {
			status[resource+" "+text(data, "id")] = text(data, "status")
		}
		for _, change := range lines(data, "changes") {
			name := text(change, "resource") + " " + text(change, "id")
			same(a.tally, "feed: a rider's from is the status before", fmt.Sprintf("event %d, %s", number(e, "seq"),
				name),
				text(change, "from"), status[name])
			status[name] = text(change, "to")
		}
	}
	for resource, path := range listOf {
		for _, r := range a.list[path] {
			name := resource + " " + text(r, "id")
			same(a.tally, "feed: a status is what the events made it", name, text(r, "status"), status[name])
		}
	}
}
