package docsite

import (
	"strings"

	"platen/internal/operation"
	"platen/internal/words/event"
)

// bringing is a way to an event of a type: commands for a sandbox that has just begun.
type bringing struct {
	// Preset is that of the sandbox.
	Preset string
	// Text says what else there has to be, "" for nothing.
	Text, Command string
	// Trigger is set where one does it.
	Trigger bool
}

// theEvents are the types with how to bring each about.
type theEvents struct {
	Triggers []operation.TriggerKind
	Events   []eventView
}

// bringing returns the way to an event of a type.
func (l *library) bringing(t event.Type) *bringing {
	b, ok := bringings[t]
	if !ok {
		return nil
	}
	if b.Preset == "" {
		b.Preset = "starter"
	}
	b.Trigger = strings.Contains(b.Command, "/sandbox/triggers")
	b.Command = l.filled(b.Command)
	return &b
}

// addTriggers adds the page of the triggers for each event.
func (l *library) addTriggers() error {
	return l.add("/docs/triggers", guides, func() (page, error) {
		content := theEvents{Triggers: operation.Triggers().Triggers}
		for _, d := range l.events {
			content.Events = append(content.Events, l.eventView(d))
		}
		return page{
			Template: "triggers", Title: "Triggers", Contents: l.sections(), Content: content,
			Description: "Things that you can trigger, and the commands that lead to each type of event.",
		}, nil
	})
}

// trigger is the command that pulls a trigger.
func trigger(body string) string {
	return "curl -s BASE/sandbox/triggers AS_OFFICE --json '" + body + "'\n"
}

// until is the command that moves the clock until an event of a type.
func until(t event.Type) string {
	return `curl -s BASE/sandbox/tick AS_OFFICE --json '{"until": {"event_types": ["` + string(t) + `"]}}'` + "\n"
}

// ask is a POST to Head Office, whose id goes into a variable.
func ask(variable, path, key, body string) string {
	return variable + `=$(curl -s BASE` + path + ` AS_OFFICE -H "Idempotency-Key: ` + key + "\" \\\n  --json '" + body +
		`' | jq -r .data.id)` + "\n"
}

const (
	// requisition files one that nobody approves by itself, purchase sends an order to a
	// supplier, truck lets its truck come.
	requisitionBody = `{"lines": [{"sku": "mat_coated", "quantity": 12000}]}`
	purchaseBody    = `{"supplier_id": "sup_chroma", "lines": [{"sku": "mat_plate", "quantity": 5}]}`
	largeBody       = `{"supplier_id": "sup_mill", "lines": [{"sku": "mat_coated", "quantity": 12000}]}`

	printing = workOrder + `curl -s BASE/factory/print-runs AS_FACTORY -H "Idempotency-Key: run" \
  --json '{"press_id": "prs_digital", "work_order_id": "'$WORK'"}'
`
	billing = `curl -s -X POST BASE/office/sales-orders/$ORDER/accept AS_OFFICE
curl -s BASE/office/shipments AS_OFFICE -H "Idempotency-Key: bill" --json '{"sales_order_id": "'$ORDER'"}'
`
	employeeFour = `PERSON=$(curl -s BASE/office/employees AS_OFFICE | jq -r '.data.items[3].id')
`
)

//nolint:gochecknoglobals // read only
var (
	requisition = ask("REQUISITION", "/office/requisitions", "wish", requisitionBody)
	purchase    = ask("PURCHASE", "/office/purchase-orders", "plates", purchaseBody)
	large       = ask("PURCHASE", "/office/purchase-orders", "large", largeBody)
	lot         = `LOT=$(` + strings.TrimSuffix(trigger(`{"type": "contract_lot", "sku": "prd_poster"}`), "\n") +
		` | jq -r .data.id)` + "\n"
	truck = purchase + trigger(`{"type": "truck_early"}`)
	count = truck + `DELIVERY=$(curl -s "BASE/factory/deliveries?status=arrived" AS_FACTORY | jq -r '.data.items[0].id')
curl -s BASE/factory/goods-receipts AS_FACTORY -H "Idempotency-Key: count" --json '{"delivery_id": "'$DELIVERY'"}'
`
)

// bringings lead to each type of event. A test runs each of them.
var bringings = map[event.Type]bringing{ //nolint:gochecknoglobals // read only
	event.SalesOrderReceived: {Command: trigger(`{"type": "rush_order", "sku": "prd_card", "quantity": 10}`)},
	event.SalesOrderAccepted: {Command: order + "curl -s -X POST BASE/office/sales-orders/$ORDER/accept AS_OFFICE\n"},
	event.SalesOrderDeclined: {Command: order + "curl -s -X POST BASE/office/sales-orders/$ORDER/decline AS_OFFICE\n"},
	event.SalesOrderExpired:  {Command: until(event.SalesOrderExpired)},

	event.OfficeRequisitionReceived: {Command: trigger(`{"type": "stock_low"}`)},
	event.OfficeRequisitionApproved: {
		Command: requisition + "curl -s -X POST BASE/office/requisitions/$REQUISITION/approve AS_OFFICE\n",
	},
	event.OfficeRequisitionRejected: {
		Command: requisition + "curl -s -X POST BASE/office/requisitions/$REQUISITION/reject AS_OFFICE\n",
	},
	event.PurchaseOrderCreated:          {Command: purchase},
	event.PurchaseOrderApprovalRequired: {Command: large},
	event.PurchaseOrderApproved: {
		Command: large + `curl -s -X POST BASE/office/purchase-orders/$PURCHASE/approve AS_OFFICE ` +
			"-H \"Idempotency-Key: sign\"\n",
	},
	event.SupplierInvoiceReceived: {
		Command: purchase + trigger(`{"type": "wrong_bill"}`) + trigger(`{"type": "truck_early"}`) +
			until(event.SupplierInvoiceReceived),
	},
	event.SupplierInvoicePaid: {Command: bill +
		`MATCHED=$(curl -s BASE/office/supplier-invoices/$BILL AS_OFFICE | jq .data.matched_minor)
curl -s BASE/office/supplier-invoices/$BILL/pay AS_OFFICE -H "Idempotency-Key: pay" \
  --json '{"amount_minor": '$MATCHED'}'
`},
	event.CustomerInvoiceCreated: {Preset: "manual", Command: order + billing},
	event.CustomerInvoicePaid:    {Command: trigger(`{"type": "customer_pays"}`)},
	event.CustomerInvoiceOverdue: {
		Command: trigger(`{"type": "customer_disputes"}`) + until(event.CustomerInvoiceOverdue),
	},
	event.PaymentReceived:            {Command: trigger(`{"type": "customer_pays"}`)},
	event.PaymentOverdue:             {Command: until(event.PaymentOverdue)},
	event.OfficeGoodsReceiptRecorded: {Command: count},
	event.ContractLotOffered:         {Command: trigger(`{"type": "contract_lot"}`)},
	event.ContractLotAccepted: {
		Command: lot + "curl -s -X POST BASE/office/contract-lots/$LOT/accept AS_OFFICE\n",
	},
	event.ContractLotDeclined: {
		Command: lot + "curl -s -X POST BASE/office/contract-lots/$LOT/decline AS_OFFICE\n",
	},
	event.ContractLotExpired: {Command: trigger(`{"type": "contract_lot"}`) + until(event.ContractLotExpired)},
	event.ContractLotDelivered: {Preset: "manual", Command: lot +
		`curl -s -X POST BASE/office/contract-lots/$LOT/accept AS_OFFICE
curl -s BASE/office/shipments AS_OFFICE -H "Idempotency-Key: bill-lot" --json '{"contract_lot_id": "'$LOT'"}'
`},
	event.MarketTradeExecuted: {Command: trigger(`{"type": "market_move", "sku": "mat_coated", "pct": -30}`) +
		`curl -s BASE/office/market AS_OFFICE -H "Idempotency-Key: cheap" \
  --json '{"side": "buy", "sku": "mat_coated", "quantity": 10}'
`},
	event.WorkOrderCreated: {Command: workOrder},
	event.WorkOrderReady:   {Command: printing + until(event.WorkOrderReady)},
	event.ShipmentCreated: {Command: printing + until(event.WorkOrderReady) +
		`curl -s BASE/factory/shipments AS_FACTORY -H "Idempotency-Key: ship" --json '{"work_order_id": "'$WORK'"}'
`},
	event.PrintRunStarted:           {Command: printing},
	event.PrintRunCompleted:         {Command: printing + until(event.PrintRunCompleted)},
	event.FactoryRequisitionCreated: {Command: trigger(`{"type": "stock_low"}`)},
	event.StockBelowReorderPoint:    {Command: trigger(`{"type": "stock_low", "sku": "mat_ink"}`)},
	event.DeliveryArrived: {
		Command: purchase + trigger(`{"type": "truck_short"}`) + trigger(`{"type": "truck_early"}`),
	},
	event.FactoryGoodsReceiptRecorded: {Command: count},
	event.MarketDeliveryReceived: {Command: `curl -s BASE/office/market AS_OFFICE -H "Idempotency-Key: paper" \
  --json '{"side": "buy", "sku": "mat_coated", "quantity": 10}'
` + until(event.MarketDeliveryReceived)},
	event.EmployeeSick: {Command: trigger(`{"type": "employee_sick", "days": 3}`) + until(event.EmployeeSick)},
	event.EmployeeReturned: {
		Command: trigger(`{"type": "employee_sick", "days": 1}`) + until(event.EmployeeReturned),
	},
	event.EmployeeQuit: {Command: trigger(`{"type": "employee_quits"}`) + until(event.EmployeeQuit)},
	event.EmployeeDismissed: {Command: employeeFour +
		"curl -s -X POST BASE/office/employees/$PERSON/dismiss AS_OFFICE\n"},
	event.EmployeeHired: {
		Command: `curl -s BASE/office/employees AS_OFFICE --json '{"role": "finisher"}'` + "\n",
	},
	event.LeaveRequestCreated: {Command: trigger(`{"type": "leave"}`)},
	event.PayrollDue:          {Command: until(event.PayrollDue)},
	event.PayrollLate:         {Command: until(event.PayrollLate)},
	event.PayrollPaid: {Command: until(event.PayrollDue) +
		`curl -s BASE/office/payroll-runs AS_OFFICE -H "Idempotency-Key: wages" --json '{"week_start": "2026-09-07"}'
`},
	event.MajorOrderUpdated: {Command: trigger(`{"type": "major_order"}`)},
	event.LoreEventStarted:  {Command: trigger(`{"type": "story"}`)},
	event.MissionCompleted:  {Command: order + "curl -s -X POST BASE/office/sales-orders/$ORDER/accept AS_OFFICE\n"},
	event.AchievementUnlocked: {Command: trigger(`{"type": "market_move", "sku": "mat_coated", "pct": -30}`) +
		`curl -s BASE/office/market AS_OFFICE -H "Idempotency-Key: bargain" \
  --json '{"side": "buy", "sku": "mat_coated", "quantity": 10}'
`},
	event.SandboxExpiring: {
		Text: "The server was started with `--sandbox-duration 5m2s`, so that two seconds later five minutes are left.",
		Command: `curl -s "BASE/events/poll?after_seq=0&types=sandbox.expiring&wait_s=25" AS_OFFICE
`,
	},
	event.SandboxBankrupt: {Preset: "crunch", Command: `for fortnight in $(seq 12); do
  curl -s BASE/sandbox/tick AS_OFFICE --json '{"until": {"event_types": ["sandbox.bankrupt"]}}' > last.json
  grep -q '"stopped_by":"minutes"' last.json || break
  sleep 1
done
cat last.json
`},
	event.DisruptionEnded: {Command: trigger(`{"type": "power_cut"}`) + until(event.DisruptionEnded)},
}
