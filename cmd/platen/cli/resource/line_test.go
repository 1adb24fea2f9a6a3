package resource_test

import (
	"encoding/json"
	"testing"

	"platen/client"
	"platen/cmd/platen/cli/resource"
)

func TestASuggestionIsACommandOfTheTerminal(t *testing.T) {
	t.Parallel()
	order := client.AttentionRecord{Resource: "sales_order", ID: "so_1", Number: "SO-1001"}
	work := client.AttentionRecord{Resource: "work_order", ID: "wo_1", Number: "WO-3001"}
	truck := client.AttentionRecord{Resource: "delivery", ID: "dlv_1", Number: "PO-5001"}
	for want, item := range map[string]client.AttentionItem{
		"platen orders accept SO-1001": {
			Command: &client.AttentionCommand{
				Operation: "accept_sales_order", Method: "POST", Path: "/office/sales-orders/so_1/accept",
				Body: json.RawMessage(`{}`),
			}, Records: []client.AttentionRecord{order},
		},
		"platen runs start --press-id prs_digital --work-order-ids WO-3001,wo_2 --overs-pct 5": {
			Command: &client.AttentionCommand{
				Operation: "start_print_run", Method: "POST", Path: "/factory/print-runs",
				Body: json.RawMessage(`{"press_id":"prs_digital","work_order_ids":["wo_1","wo_2"],"overs_pct":5}`),
			}, Records: []client.AttentionRecord{work},
		},
		"platen purchase-orders create --supplier-id sup_1 --lines sku=mat_ink,quantity=5 " +
			"--lines sku=mat_board,quantity=9": {
			Command: &client.AttentionCommand{
				Operation: "create_purchase_order", Method: "POST", Path: "/office/purchase-orders",
				Body: json.RawMessage(`{"supplier_id":"sup_1","lines":[{"quantity":5,"sku":"mat_ink"},` +
					`{"sku":"mat_board","quantity":9}]}`),
			},
		},
		`platen orders decline so_2 --reason 'it'\''s too late'`: {
			Command: &client.AttentionCommand{
				Operation: "decline_sales_order", Method: "POST", Path: "/office/sales-orders/so_2/decline",
				Body: json.RawMessage(`{"reason":"it's too late"}`),
			},
		},
		"platen factory-goods-receipts create --delivery-id dlv_1": {
			Command: &client.AttentionCommand{
				Operation: "create_factory_goods_receipt", Method: "POST", Path: "/factory/goods-receipts",
				Body: json.RawMessage(`{"delivery_id":"dlv_1"}`),
			}, Records: []client.AttentionRecord{truck},
		},
		`platen api POST /sandbox/tick --data '{"minutes":60}'`: {
			Command: &client.AttentionCommand{
				Operation: "advance_time", Method: "POST", Path: "/sandbox/tick",
				Body: json.RawMessage(`{"minutes":60}`),
			},
		},
		`platen api POST /office/sales-orders/so_1/accept --data '{"new_field":1}'`: {
			Command: &client.AttentionCommand{
				Operation: "accept_sales_order", Method: "POST", Path: "/office/sales-orders/so_1/accept",
				Body: json.RawMessage(`{"new_field":1}`),
			}, Records: []client.AttentionRecord{order},
		},
	} {
		if got := resource.Line(&item); got != want {
			t.Errorf("the suggestion is\n%s, want\n%s", got, want)
		}
	}
}
