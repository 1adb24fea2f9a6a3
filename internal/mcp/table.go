package mcp

import (
	"fmt"

	"platen/internal/operation"
)

// made is an entry and how its tool is made.
type made struct {
	entry
	make func(b *builder, in entry) (*tool, error)
}

// by makes a tool of one operation.
func by(operationID string) func(*builder, entry) (*tool, error) {
	return func(b *builder, in entry) (*tool, error) { return b.one(in, operationID) }
}

// table is every tool: the texts that models read, and the operations behind
// them. Other operations are reached through call_operation.
func table() []made {
	const shared, office, factory = operation.Shared, operation.Office, operation.Factory
	return []made{
		{entry{name: createSandbox, title: "Create a sandbox", system: shared, writes: true, unowned: true,
			description: "Creates a sandbox with a printing company for this session. " +
				"Call this first, unless you hold a key. Returns both API keys and a handle (sandbox). " +
				"If the server is full, it returns a ticket: call again with it."}, (*builder).create},
		{entry{name: "get_sandbox", title: "Sandbox at a glance", system: shared, plays: true, viewed: true,
			description: "Cash, stock, presses, clock, score and the seconds that are left (expires_in_s)."},
			by("get_sandbox")},
		{entry{name: "advance_time", title: "Move the clock", system: shared, plays: true,
			description: "Moves the clock by working minutes, or until something happens, and lists what waits then: " +
				"orders, lots, work to print or ship, trucks, presses, shortages, bills, wages. At most once per " +
				"second. With the clock 'realtime' a day also passes automatically every minute."},
			(*builder).advance},
		{entry{name: "do", title: "Several commands in one call", system: shared, plays: true, writes: true,
			deletes: true, open: true,
			description: "Performs up to 20 commands in order and answers one line each. A command is " +
				"an operation, its id and its fields: accept_sales_order so_1, start_print_run press_id=prs_digital " +
				"work_order_id=wo_1, advance_time until=decision, list_stock_items. Values with " +
				"spaces or lists are JSON."}, (*builder).do},
		{entry{name: "list_missions", title: "Missions", system: shared,
			description: "Things to try next, each with an objective and a hint. " +
				"Doing it completes it, without a report."}, by("list_missions")},
		{entry{name: "wait_for_events", title: "Wait for events", system: shared, viewed: true,
			description: "Events after after_seq, oldest first, as soon as there are some. " +
				"The feed has the events of both systems in order. Go on with the last seq; last_seq is the newest. " +
				"With a manual clock nothing comes by waiting: use wait_s 0."}, (*builder).wait},
		{entry{name: "search_docs", title: "Search the docs", system: shared, plays: true, unowned: true,
			description: "Finds pages on operations, errors, events, missions and how the company works."},
			(*builder).searchDocs},

		{entry{name: "office_list", title: "List at Head Office", system: office, plays: true, viewed: true,
			description: "Rows of Head Office, newest first. Go on with cursor until next_cursor is null."},
			(*builder).list},
		{entry{name: "office_get", title: "Read at Head Office", system: office, viewed: true,
			description: "One row of Head Office by its id; cash needs none."}, (*builder).row},
		{entry{name: "office_answer_sales_order", title: "Answer a sales order", system: office,
			description: "Accepts or declines a received order before its answer_by. " +
				"With the bridge 'auto' the Factory gets the work order (bridged_work_order_id); with 'manual' " +
				"create it with factory_create_work_order."}, func(b *builder, in entry) (*tool, error) {
			return b.answer(in, "accept_sales_order", "decline_sales_order")
		}},
		{entry{name: "office_answer_contract_lot", title: "Answer a contract lot", system: office,
			description: "Accepts or declines an offered lot before its answer_by. An accepted lot that does not " +
				"arrive by deliver_by costs its penalty."}, func(b *builder, in entry) (*tool, error) {
			return b.answer(in, "accept_contract_lot", "decline_contract_lot")
		}},
		{entry{name: "office_create_shipment", title: "Ship and bill", system: office,
			description: "Records that an order or lot has left and bills the customer. Only with the bridge " +
				"'manual', after factory_create_shipment; put that shipment's id into factory_shipment_ref."},
			by("create_office_shipment")},
		{entry{name: "office_create_purchase_order", title: "Order from a supplier", system: office,
			description: "Orders material. Suppliers differ in price and lead time: office_list suppliers. " +
				"Above a limit it waits for office_approve_purchase_order."}, by("create_purchase_order")},
		{entry{name: "office_approve_purchase_order", title: "Approve a purchase order", system: office,
			description: "Sends a purchase order that waits for approval to its supplier."},
			by("approve_purchase_order")},
		{entry{name: "office_record_goods_receipt", title: "Record received goods", system: office,
			description: "Records at Head Office the goods that the Factory counted in, for the match of the " +
				"supplier's invoice. Only with the bridge 'manual'."}, by("create_office_goods_receipt")},
		{entry{name: "office_pay_supplier_invoice", title: "Pay a supplier", system: office,
			description: "Pays an invoice. One that does not match (match_status) is closed by paying its " +
				"matched_minor."}, by("pay_supplier_invoice")},
		{entry{name: "office_run_payroll", title: "Pay the wages", system: office,
			description: "Pays a week's wages from its timesheet; due on the Wednesday after. With the bridge " +
				"'manual' office_file_timesheet comes first."}, by("run_payroll")},
		{entry{name: "office_file_timesheet", title: "File the hours of a week", system: office,
			description: "Records everybody's hours of a week, from Friday noon on; the Factory's are factory_list " +
				"attendance. With the bridge 'auto' that happens automatically at Friday's close."},
			by("create_timesheet")},
		{entry{name: "office_trade_market", title: "Trade on the market", system: office,
			description: "Buys paper or sells at today's price (office_list market_quotes). Bought goods come on the " +
				"next working day. Large trades move the price against you."}, by("trade_on_market")},

		{entry{name: "factory_list", title: "List at the Factory", system: factory, plays: true, viewed: true,
			description: "Rows of the Factory, newest first. Go on with cursor until next_cursor is null."},
			(*builder).list},
		{entry{name: "factory_get", title: "Read at the Factory", system: factory, viewed: true,
			description: "One row of the Factory by its id."}, (*builder).row},
		{entry{name: "factory_create_work_order", title: "Order work", system: factory,
			description: "Orders work. Put the sales order's id into reference; without one the goods go on the " +
				"shelf. With the bridge 'auto' accepted orders get theirs automatically."}, by("create_work_order")},
		{entry{name: "factory_start_print_run", title: "Start a press", system: factory,
			description: "Prints one work order (work_order_id) or a gang of " +
				"several on the same paper (work_order_ids). press_busy names retry_at. Small jobs suit prs_digital. " +
				"A run that ends short needs another."}, by("start_print_run")},
		{entry{name: "factory_record_goods_receipt", title: "Count in a delivery", system: factory,
			description: "Takes a delivery that has arrived into stock. Without lines all undamaged goods on it are " +
				"accepted."}, by("create_factory_goods_receipt")},
		{entry{name: "factory_create_shipment", title: "Ship finished goods", system: factory,
			description: "Ships a work order, or a part. With the bridge 'auto' Head Office bills it at once."},
			by("create_factory_shipment")},

		{entry{name: "search_operations", title: "Search all operations", system: shared, plays: true, unowned: true,
			description: "Finds operations without a tool of their own, such as webhooks, requisitions, hiring or " +
				"extending the sandbox, with the arguments of do and call_operation for each."},
			(*builder).searchOperations},
		{entry{name: "call_operation", title: "Call any operation", system: shared, writes: true, deletes: true,
			open: true, description: "Calls any operation that search_operations names."}, (*builder).anything},
	}
}

// tools makes every tool.
func tools(b *builder) ([]*tool, error) {
	var all []*tool
	for _, m := range table() {
		t, err := m.make(b, m.entry)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", m.name, err)
		}
		all = append(all, t)
	}
	return all, nil
}
