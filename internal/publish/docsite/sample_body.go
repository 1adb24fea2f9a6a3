package docsite

import (
	"encoding/json"
	"fmt"
	"strings"

	"platen/internal/operation"
)

// bodyWidth is how many characters of a body fit on one line of a sample.
const bodyWidth = 48

// sampleBodies are bodies that the tags cannot give: where one of two optional
// fields is wanted.
var sampleBodies = map[string]string{ //nolint:gochecknoglobals // read only
	"create_sandbox":    `{"preset": "starter"}`,
	"start_print_run":   `{"press_id": "prs_digital", "work_order_id": "{work_order_id}"}`,
	"create_work_order": `{"sku": "prd_flyer", "quantity": 100, "reference": "{reference}"}`,
	"advance_time":      `{"minutes": 60}`,

	"create_office_shipment": `{"sales_order_id": "{sales_order_id}"}`,
	"create_requisition":     `{"lines": [{"sku": "mat_coated", "quantity": 12000}], "reference": "{reference}"}`,
	"create_purchase_order": `{"supplier_id": "sup_mill", "lines": [{"sku": "mat_coated", "quantity": 12000}], ` +
		`"requisition_id": "{requisition_id}"}`,
	"create_office_goods_receipt": `{"purchase_order_id": "{purchase_order_id}", "lines": [{"sku": "mat_coated", ` +
		`"quantity_accepted": 12000}], "reference": "{reference}"}`,
	"create_factory_shipment":      `{"work_order_id": "{work_order_id}"}`,
	"create_factory_goods_receipt": `{"delivery_id": "{delivery_id}"}`,
	"pay_supplier_invoice":         `{"amount_minor": 384000}`,
	"create_webhook":               `{"url": "https://…", "events": ["*"]}`,
	"update_webhook":               `{"status": "active"}`,
	"create_timesheet": `{"week_start": "2026-09-07", "entries": [{"badge_no": "1001", ` +
		`"hours_worked": 40}]}`,
}

func sampleBody(op *operation.Operation, body []field) string {
	if sample, ok := sampleBodies[op.ID]; ok {
		return sample
	}
	var members []string
	for _, f := range body {
		if f.Required {
			members = append(members, fmt.Sprintf("%q: %s", f.Name, sampleValue(f)))
		}
	}
	if len(members) == 0 {
		return ""
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// laidOut is a body as the languages write it, all of which take JSON for a
// literal of their own: on one line, or with a line for each field. Tail is
// behind the last field where a language requires that.
func laidOut(text, indent, step, tail string) string {
	if len(text) <= bodyWidth {
		return text
	}
	d := json.NewDecoder(strings.NewReader(text))
	var members []string
	_, err := d.Token()
	for err == nil && d.More() {
		var name json.Token
		var value json.RawMessage
		if name, err = d.Token(); err == nil {
			err = d.Decode(&value)
		}
		members = append(members, fmt.Sprintf("%s%s%q: %s", indent, step, name, value))
	}
	if err != nil {
		return text
	}
	return "{\n" + strings.Join(members, ",\n") + tail + "\n" + indent + "}"
}
