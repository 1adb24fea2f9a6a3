package specimen

import "platen/internal/operation"

// Key is how a sample names the Idempotency-Key of a write: the step and its record, so that a program that is
// started again sends the same one.
type Key struct {
	// Text has the variables of the sample in braces.
	Text string
	// Again says where the ordinal at the end of the key comes from, empty where the step happens once.
	Again string
	// From maps a variable of the body to the path of its record, or to its value.
	From map[string]string
}

const (
	workOrderPath = "/factory/work-orders/{id}"
	orderPath     = "/office/sales-orders/{id}"
	purchasePath  = "/office/purchase-orders/{id}"
)

// keys has every write that takes a key, but for those that make a sandbox and for PATCH, which does the same
// when it is sent twice.
var keys = map[string]Key{ //nolint:gochecknoglobals // read only
	"poll_ticket": {Text: "claim-{ticket}"},
	"advance_time": {Text: "tick-2026-09-07-0800",
		Again: "The key names the in-world moment of the tick's beginning: read sim_date and sim_time."},
	"extend_sandbox": {Text: "extend-2", Again: "The ordinal is extensions_left of the sandbox."},
	"delete_sandbox": {Text: "delete-sandbox"},
	"create_checkpoint": {Text: "checkpoint-2026-09-07-1",
		Again: "The ordinal is one more than the checkpoints of that day."},
	"delete_checkpoint": {Text: "delete-{id}"},
	"pull_trigger":      {Text: "trigger-order-1", Again: "The ordinal is that of the order in your test."},
	"inject_fault":      {Text: "fault-1", Again: "The ordinal is that of the fault in your test."},

	"accept_sales_order":  {Text: "accept-{id}"},
	"decline_sales_order": {Text: "decline-{id}"},
	"create_office_shipment": {Text: "bill-{sales_order_id}",
		From: map[string]string{"sales_order_id": orderPath}},
	"accept_contract_lot":  {Text: "accept-{id}"},
	"decline_contract_lot": {Text: "decline-{id}"},
	"trade_on_market": {Text: "buy-mat_coated-2026-09-07-1",
		Again: "The ordinal is one more than the day's trades of the material."},
	"create_requisition":  {Text: "request-{reference}", From: map[string]string{"reference": "WO-3001"}},
	"approve_requisition": {Text: "approve-{id}"},
	"reject_requisition":  {Text: "reject-{id}"},
	"create_purchase_order": {Text: "buy-{requisition_id}",
		From: map[string]string{"requisition_id": "/office/requisitions/{id}"}},
	"approve_purchase_order": {Text: "approve-{id}"},
	"create_office_goods_receipt": {Text: "receive-{reference}", From: map[string]string{
		"purchase_order_id": purchasePath, "reference": "/factory/goods-receipts/{id}"}},
	"pay_supplier_invoice": {Text: "pay-{id}"},
	"hire_employee": {Text: "hire-operator-4",
		Again: "The ordinal is one more than the people that the role has had."},
	"dismiss_employee": {Text: "dismiss-{id}"},
	"create_timesheet": {Text: "hours-2026-09-07"},
	"run_payroll":      {Text: "wages-2026-09-07"},

	"create_work_order": {Text: "carry-{reference}", From: map[string]string{"reference": "SO-1001"}},
	"start_print_run": {Text: "print-{work_order_id}-1", From: map[string]string{"work_order_id": workOrderPath},
		Again: "The ordinal is one more than the print_run_ids of the work order."},
	"create_factory_shipment": {Text: "ship-{work_order_id}",
		From: map[string]string{"work_order_id": workOrderPath}},
	"create_factory_goods_receipt": {Text: "count-{delivery_id}",
		From: map[string]string{"delivery_id": "/factory/deliveries/{id}"}},

	"create_webhook": {Text: "subscribe-orders"},
	"delete_webhook": {Text: "delete-{id}"},
	"test_webhook": {Text: "test-{id}-1", Again: "The ordinal is one more than the tests that you sent: " +
		"GET /webhooks/{id}/deliveries lists them."},
	"rotate_webhook_secret": {Text: "rotate-{id}-1",
		Again: "The ordinal is one more than the secrets that you replaced."},
	"redeliver_webhook": {Text: "redeliver-{delivery_id}-2",
		Again: "The ordinal is one more than the attempts of the delivery."},
	"redeliver_failed_events": {Text: "redeliver-{id}-since-1",
		Again: "The key names the first event that is sent again."},
}

// KeyOf is the key of an operation, and false where a sample sends none or draws it at random.
func KeyOf(op *operation.Operation) (Key, bool) {
	key, ok := keys[op.ID]
	return key, ok
}

// Unguessable marks the two operations that make a sandbox: a key of theirs counts for a whole network, and
// returns the sandbox.
func Unguessable(op *operation.Operation) bool {
	return op.ID == "create_sandbox" || op.ID == "fork_sandbox"
}
