package tokens

import (
	"strings"
)

// byLists plays with lists and one call for each command, as agents did before there were
// lines.
type byLists struct {
	*agent
	*rules

	every int // minutes between two looks
}

type row = map[string]any

func text(r row, name string) string {
	if v, ok := r[name].(string); ok {
		return v
	}
	return ""
}

func number(r row, name string) int64 {
	v, _ := r[name].(float64)
	return int64(v)
}

// list reads all rows of a list.
func (b *byLists) list(system, resource string, filters ...string) []row {
	arguments := row{"resource": resource, "limit": 100}
	for i := 0; i < len(filters); i += 2 {
		arguments[filters[i]] = filters[i+1]
	}
	var all []row
	for {
		page := b.data(system+"_list", arguments)
		for _, item := range page["items"].([]any) {
			all = append(all, item.(row))
		}
		cursor, more := page["next_cursor"].(string)
		if !more {
			return all
		}
		arguments["cursor"] = cursor
	}
}

func (b *byLists) begin() {
	b.rules = newRules()
	for _, r := range b.list("factory", "products") {
		b.products[text(r, "sku")] = product{text(r, "paper_sku"), number(r, "sheets_per_unit"),
			number(r, "ink_units_per_can"), number(r, "plates_per_run"), number(r, "finishing_minutes")}
	}
	for _, r := range b.list("factory", "presses") {
		b.presses = append(b.presses, press{text(r, "id"), number(r, "make_ready_minutes"),
			number(r, "make_ready_sheets"), number(r, "sheets_per_hour"), r["uses_plates"] == true})
	}
}

// look reads where the company stands.
func (b *byLists) look(c *company) {
	for _, r := range b.list("office", "sales_orders", "status", "received") {
		c.offers = append(c.offers, offer{text(r, "id"), text(r, "sku"), text(r, "due_date"), text(r, "answer_by"),
			number(r, "quantity")})
	}
	for _, r := range b.list("office", "contract_lots", "status", "offered") {
		c.lots = append(c.lots, text(r, "id"))
	}
	wanted := map[string]bool{}
	for _, r := range b.list("office", "sales_orders", "status", "in_production") {
		wanted[text(r, "id")] = true
	}
	for _, r := range b.list("factory", "work_orders", "waits_for", "press") {
		if !wanted[text(r, "reference")] {
			continue
		}
		c.print = append(c.print, job{text(r, "id"), text(r, "sku"), text(r, "due_date"),
			number(r, "quantity") - number(r, "quantity_from_stock") - number(r, "quantity_good")})
	}
	for _, r := range b.list("factory", "work_orders", "waits_for", "shipment") {
		c.ready = append(c.ready, text(r, "id"))
	}
	for _, r := range b.list("factory", "deliveries", "status", "arrived") {
		one := truck{text(r, "id"), map[string]int64{}}
		for _, line := range r["lines"].([]any) {
			one.loads[text(line.(row), "sku")] = number(line.(row), "quantity_counted")
		}
		c.trucks = append(c.trucks, one)
	}
	for _, r := range b.list("factory", "presses") {
		if text(r, "status") == "idle" {
			c.idle = append(c.idle, text(r, "id"))
		}
	}
	c.stock = map[string]item{}
	for _, r := range b.list("factory", "stock_items", "kind", "material") {
		c.stock[text(r, "sku")] = item{number(r, "on_hand"), number(r, "reorder_point"), number(r, "reorder_quantity")}
	}
	for _, status := range []string{"received", "approved"} {
		for _, r := range b.list("office", "requisitions", "status", status) {
			line := r["lines"].([]any)[0].(row)
			switch {
			case status == "received":
				c.requisitions = append(c.requisitions, text(r, "id"))
			case r["purchase_order_id"] == nil:
				c.wishes = append(c.wishes, wish{text(r, "id"), text(line, "sku"), number(line, "quantity")})
			}
		}
	}
	for _, r := range b.list("office", "purchase_orders", "status", "pending_approval") {
		c.purchaseOrders = append(c.purchaseOrders, text(r, "id"))
	}
	for _, status := range []string{"open", "overdue"} {
		for _, r := range b.list("office", "supplier_invoices", "status", status, "kind", "materials") {
			until := ""
			if number(r, "discount_minor") > 0 {
				until = text(r, "discount_until")
			}
			c.bills = append(c.bills, bill{text(r, "id"), text(r, "due_date"), until, number(r, "matched_minor")})
		}
	}
	for _, status := range []string{"due", "late"} {
		for _, r := range b.list("office", "payroll_runs", "status", status) {
			if r["timesheet_id"] != nil {
				c.weeks = append(c.weeks, text(r, "week_start"))
			}
		}
	}
}

// tools are those of the commands; others go through call_operation.
var tools = map[string]string{
	"pay_supplier_invoice": "office_pay_supplier_invoice", "run_payroll": "office_run_payroll",
	"create_purchase_order": "office_create_purchase_order", "approve_purchase_order": "office_approve_purchase_order",
	"start_print_run": "factory_start_print_run", "create_factory_shipment": "factory_create_shipment",
	"create_factory_goods_receipt": "factory_record_goods_receipt",
}

func (b *byLists) perform(c command) {
	arguments := row{}
	for _, f := range c.fields {
		arguments[f.name] = f.value
	}
	if c.id != "" {
		arguments["id"] = c.id
	}
	tool, has := tools[c.operation]
	if answer, order := strings.CutSuffix(c.operation, "_sales_order"); order {
		tool, has, arguments["answer"] = "office_answer_sales_order", true, answer
	}
	if !has {
		tool, arguments = "call_operation", row{"operation": c.operation, "id": c.id}
	}
	b.call(tool, arguments)
}

// play plays so many days.
func (b *byLists) play(end int) {
	b.begin()
	seen := -1.0
	for minute := 0; minute < end*dayMinutes; minute += b.every {
		status := b.data("get_sandbox", row{})
		if at := status["last_seq"].(float64); at != seen || minute%dayMinutes == 0 {
			clock := status["clock"].(row)
			c := &company{date: text(clock, "sim_date"), minute: int64(minute % dayMinutes),
				cash: number(status, "cash_minor")}
			b.look(c)
			for _, command := range b.commands(c) {
				b.perform(command)
			}
			seen = at
		}
		b.data("advance_time", row{"minutes": b.every, "view": "full"})
	}
}
