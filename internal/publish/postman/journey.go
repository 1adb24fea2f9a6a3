package postman

// step is one request of the collection.
type step struct {
	// operation is the id of its row in the table.
	operation string
	// name replaces the operation's summary.
	name string
	// query has the parameters that are sent, as name=value.
	query []string
	// body replaces that of package specimen.
	body string
	// keep lists variable=path: what later requests need of the data of the response.
	keep []string
	// expect lists path=value: what the data of the response has.
	expect []string
	// key is the variable with the key to send, where the operation does not say.
	key string
	// id is the variable for the record that the path names, where that is not the one which its list keeps.
	id string
}

// chapter is a folder whose requests take a story from its beginning to its end.
type chapter struct {
	name, about string
	steps       []step
}

// chapters are the folders before those of the systems. The seed makes each run the same. Where two records wait,
// lists have the newest first.
//
//nolint:gochecknoglobals // read only
var chapters = []chapter{
	{"1 Create a sandbox", "Send this first: its script keeps the two keys in variables of the collection.", []step{
		{
			operation: "create_sandbox",
			body:      `{"preset": "starter", "clock": "manual", "bridge": "manual", "seed": 7}`,
			keep:      []string{officeKey + "=office_key", factoryKey + "=factory_key"},
		},
	}},
	{"2 Carry an order", "Carry an order through both systems. Send the requests in their order.", []step{
		{
			operation: "list_sales_orders", name: "Find an order for business cards",
			query: []string{"status=received", "sku=prd_card"},
			keep:  []string{"sales_order_id=items[0].id", "sku=items[0].sku", "quantity=items[0].quantity"},
		},
		{operation: "accept_sales_order", name: "Accept it in Head Office", expect: []string{"status=accepted"}},
		{
			operation: "create_work_order", name: "Create its work order in the Factory",
			body: `{"sku": "{{sku}}", "quantity": {{quantity}}, "reference": "{{sales_order_id}}"}`,
			keep: []string{"work_order_id=id"},
		},
		{operation: "start_print_run", name: "Print"},
		{operation: "advance_time", name: "Tick until noon", body: `{"minutes": 240}`},
		{operation: "get_work_order", name: "See that it is ready", expect: []string{"status=ready"}},
		{operation: "create_factory_shipment", name: "Ship from the Factory"},
		{
			operation: "create_office_shipment", name: "Bill in Head Office",
			keep: []string{"customer_invoice_id=invoice.id"},
		},
		{operation: "get_customer_invoice", name: "See the invoice", expect: []string{"status=open"}},
		{operation: "list_events", name: "Read the events of the order", query: []string{"after_seq=0"}},
	}},
	{"3 Buy paper", "Buy paper for the press, from the requisition to the payment of the bill.", []step{
		{
			operation: "create_requisition", name: "Request too much paper",
			body: `{"lines": [{"sku": "mat_coated", "quantity": 90000}]}`,
			keep: []string{"office_requisition_id=id"},
		},
		{operation: "reject_requisition", name: "Reject that", expect: []string{"status=rejected"}},
		{operation: "create_requisition", name: "Request paper", keep: []string{"office_requisition_id=id"}},
		{operation: "approve_requisition", name: "Approve the requisition"},
		{operation: "create_purchase_order", name: "Order the paper", keep: []string{"purchase_order_id=id"}},
		{operation: "approve_purchase_order", name: "Approve the purchase order"},
		{
			operation: "pull_trigger", name: "Let the truck come early",
			body: `{"type": "truck_early", "purchase_order_id": "{{purchase_order_id}}"}`,
		},
		{operation: "trade_on_market", name: "Buy a little on the market"},
		{operation: "advance_time", name: "Tick for a working day", body: `{"minutes": 480}`},
		{
			operation: "list_deliveries", name: "Find the truck at the gate", query: []string{"status=arrived"},
			keep:   []string{"delivery_id=items[1].id"},
			expect: []string{"items[1].lines[0].sku=mat_coated"},
		},
		{
			operation: "create_factory_goods_receipt", name: "Count the goods in",
			keep: []string{"factory_goods_receipt_id=id"},
		},
		{operation: "create_office_goods_receipt", name: "Record the receipt in Head Office"},
		{
			operation: "list_supplier_invoices", name: "Find the supplier's bill",
			query: []string{"purchase_order_id={{purchase_order_id}}"},
			keep:  []string{"supplier_invoice_id=items[0].id"},
		},
		{operation: "pay_supplier_invoice", name: "Pay it", expect: []string{"status=paid"}},
	}},
	{"4 Pay the wages", "End the week and pay the people.", []step{
		{
			operation: "advance_time", name: "Tick until the end of Friday",
			body: `{"minutes": 4800, "until": {"sim_date": "2026-09-11", "sim_time": "16:00"}}`,
		},
		{
			operation: "create_timesheet", name: "Record the hours of all employees",
			body: `{"week_start": "2026-09-07", "entries": [` +
				`{"badge_no": "1001", "hours_worked": 40}, {"badge_no": "1002", "hours_worked": 40}, ` +
				`{"badge_no": "1003", "hours_worked": 40}, {"badge_no": "1004", "hours_worked": 40}, ` +
				`{"badge_no": "1005", "hours_worked": 40}, {"badge_no": "1006", "hours_worked": 40}, ` +
				`{"badge_no": "1007", "hours_worked": 40}]}`,
		},
		{operation: "run_payroll", name: "Pay the wages"},
	}},
}

// particular has the operations which the folders of the systems send in another way than once, with the body of
// package specimen and the newest record.
//
//nolint:gochecknoglobals // read only
var particular = map[string][]step{
	"poll_events": {{query: []string{"after_seq=0"}}},
	"pull_trigger": {
		{name: "Trigger an order", body: `{"type": "order"}`},
		{name: "Trigger a bulk lot", body: `{"type": "contract_lot"}`},
		{name: "Trigger another bulk lot", body: `{"type": "contract_lot"}`},
		{name: "Trigger a holiday", body: `{"type": "leave"}`},
		{name: "Trigger a story", body: `{"type": "story"}`},
		{name: "Trigger a goal for all printers", body: `{"type": "major_order"}`},
	},
	"inject_fault":      {{body: `{"kind": "webhook_twice"}`}},
	"fork_sandbox":      {{keep: []string{forkKey + "=office_key"}}},
	"delete_sandbox":    {{name: "Delete the fork", key: forkKey}},
	"list_sales_orders": {{query: []string{"status=received"}}},
	"list_contract_lots": {{
		query: []string{"status=offered"},
		keep:  []string{"contract_lot_id=items[0].id", "other_contract_lot_id=items[1].id"},
	}},
	"decline_contract_lot": {{id: "other_contract_lot_id"}},
	"create_webhook":       {{body: `{"url": "{{webhook_url}}", "events": ["*"]}`}},
	"update_sandbox":       {{body: `{"clock": "manual"}`}},
	"update_webhook":       {{body: `{"description": "From Postman"}`}},
}

// absent has the operations that no request of a new company makes succeed, with the reason.
//
//nolint:gochecknoglobals // read only
var absent = map[string]string{
	"extend_sandbox":          "only the last minutes of a lease allow it, except in the profile local",
	"poll_ticket":             "only a full server gives tickets",
	"redeliver_webhook":       "the subscription has to be verified, by a receiver of yours",
	"redeliver_failed_events": "the subscription has to be verified, by a receiver of yours",
}
