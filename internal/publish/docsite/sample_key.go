package docsite

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"platen/internal/operation"
)

// sampleKey is how a sample names the Idempotency-Key of a write: the step and its record, so that a program that is
// started again sends the same one.
type sampleKey struct {
	// Key has the variables of the sample in braces.
	Key string
	// Again says where the ordinal at the end of the key comes from, empty where the step happens once.
	Again string
	// From maps a variable of the body to the path of its record, or to its value.
	From map[string]string
}

// onceKey explains a key without an ordinal.
const onceKey = "The key names the step and its record: a retry sends it again."

const (
	workOrderPath = "/factory/work-orders/{id}"
	orderPath     = "/office/sales-orders/{id}"
	purchasePath  = "/office/purchase-orders/{id}"
)

// sampleKeys has every write that takes a key, but for those that make a sandbox and for PATCH, which does the same
// when it is sent twice.
var sampleKeys = map[string]sampleKey{ //nolint:gochecknoglobals // read only
	"poll_ticket": {Key: "claim-{ticket}"},
	"advance_time": {Key: "tick-2026-09-07-0800", Again: "The key names the in-world moment of the tick's beginning: " +
		"read sim_date and sim_time."},
	"extend_sandbox": {Key: "extend-2", Again: "The ordinal is extensions_left of the sandbox."},
	"delete_sandbox": {Key: "delete-sandbox"},
	"create_checkpoint": {Key: "checkpoint-2026-09-07-1",
		Again: "The ordinal is one more than the checkpoints of that day."},
	"delete_checkpoint": {Key: "delete-{id}"},
	"pull_trigger":      {Key: "trigger-order-1", Again: "The ordinal is that of the order in your test."},
	"inject_fault":      {Key: "fault-1", Again: "The ordinal is that of the fault in your test."},

	"accept_sales_order":  {Key: "accept-{id}"},
	"decline_sales_order": {Key: "decline-{id}"},
	"create_office_shipment": {Key: "bill-{sales_order_id}",
		From: map[string]string{"sales_order_id": orderPath}},
	"accept_contract_lot":  {Key: "accept-{id}"},
	"decline_contract_lot": {Key: "decline-{id}"},
	"trade_on_market": {Key: "buy-mat_coated-2026-09-07-1",
		Again: "The ordinal is one more than the day's trades of the material."},
	"create_requisition":  {Key: "request-{reference}", From: map[string]string{"reference": "WO-3001"}},
	"approve_requisition": {Key: "approve-{id}"},
	"reject_requisition":  {Key: "reject-{id}"},
	"create_purchase_order": {Key: "buy-{requisition_id}",
		From: map[string]string{"requisition_id": "/office/requisitions/{id}"}},
	"approve_purchase_order": {Key: "approve-{id}"},
	"create_office_goods_receipt": {Key: "receive-{reference}", From: map[string]string{
		"purchase_order_id": purchasePath, "reference": "/factory/goods-receipts/{id}"}},
	"pay_supplier_invoice": {Key: "pay-{id}"},
	"hire_employee": {Key: "hire-operator-4",
		Again: "The ordinal is one more than the people that the role has had."},
	"dismiss_employee": {Key: "dismiss-{id}"},
	"create_timesheet": {Key: "hours-2026-09-07"},
	"run_payroll":      {Key: "wages-2026-09-07"},

	"create_work_order": {Key: "carry-{reference}", From: map[string]string{"reference": "SO-1001"}},
	"start_print_run": {Key: "print-{work_order_id}-1", From: map[string]string{"work_order_id": workOrderPath},
		Again: "The ordinal is one more than the print_run_ids of the work order."},
	"create_factory_shipment": {Key: "ship-{work_order_id}",
		From: map[string]string{"work_order_id": workOrderPath}},
	"create_factory_goods_receipt": {Key: "count-{delivery_id}",
		From: map[string]string{"delivery_id": "/factory/deliveries/{id}"}},

	"create_webhook": {Key: "subscribe-orders"},
	"delete_webhook": {Key: "delete-{id}"},
	"test_webhook": {Key: "test-{id}-1", Again: "The ordinal is one more than the tests that you sent: " +
		"GET /webhooks/{id}/deliveries lists them."},
	"rotate_webhook_secret": {Key: "rotate-{id}-1",
		Again: "The ordinal is one more than the secrets that you replaced."},
	"redeliver_webhook": {Key: "redeliver-{delivery_id}-2",
		Again: "The ordinal is one more than the attempts of the delivery."},
	"redeliver_failed_events": {Key: "redeliver-{id}-since-1",
		Again: "The key names the first event that is sent again."},
}

// unguessable marks the two operations that make a sandbox: a key of theirs counts for a whole network, and
// returns the sandbox.
func unguessable(op *operation.Operation) bool {
	return op.ID == "create_sandbox" || op.ID == "fork_sandbox"
}

// nameKey fills in the idempotency key of a sample, and the variables of its body.
func (l *library) nameKey(c *call, op *operation.Operation) {
	key, ok := sampleKeys[op.ID]
	if !ok {
		return
	}
	c.IdempotencyKey, c.Note = key.Key, cmp.Or(key.Again, onceKey)
	for _, field := range slices.Sorted(maps.Keys(key.From)) {
		value := key.From[field]
		if strings.HasPrefix(value, "/") {
			value = l.exampleID(value, "id")
		}
		c.Places = append(c.Places, pathPlace{
			place: field, words: strings.Split(field, "_"), Value: value, InBody: true,
		})
	}
}

// inText writes a text with names in braces for a language: each variable stands between before and after.
func (c call) inText(text string, name func(pathPlace) string, before, after string) string {
	for _, p := range c.Places {
		text = strings.ReplaceAll(text, "{"+p.Snake()+"}", before+name(p)+after)
	}
	return text
}

// inBody does the same in a body, where a variable takes its quotation marks along.
func (c call) inBody(text string, name func(pathPlace) string, before, after string) string {
	for _, p := range c.Places {
		text = strings.ReplaceAll(text, `"{`+p.Snake()+`}"`, before+name(p)+after)
	}
	return text
}

// ShellKey is the key with variables of a shell.
func (c call) ShellKey() string { return c.inText(c.IdempotencyKey, pathPlace.Shell, "$", "") }

// PythonKey is the key as an expression of Python.
func (c call) PythonKey() string {
	if strings.Contains(c.IdempotencyKey, "{") {
		return `f"` + c.IdempotencyKey + `"`
	}
	return `"` + c.IdempotencyKey + `"`
}

// JavaScriptKey is the key as an expression of JavaScript.
func (c call) JavaScriptKey() string {
	if strings.Contains(c.IdempotencyKey, "{") {
		return "`" + c.inText(c.IdempotencyKey, pathPlace.Camel, "${", "}") + "`"
	}
	return `"` + c.IdempotencyKey + `"`
}

// GoKey is the key as an expression of Go.
func (c call) GoKey() string {
	return strings.TrimSuffix(`"`+c.inText(c.IdempotencyKey, pathPlace.Mixed, `" + `, ` + "`)+`"`, ` + ""`)
}
