// Package specimen has a body and an idempotency key for each operation, for the samples in the docs and the collection
// for Postman. Braces mark a variable.
package specimen

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"platen/internal/operation"
	"platen/internal/words/jsonfield"
	"platen/internal/words/moment"
)

// bodies are those that the tags cannot give: where one of two optional
// fields is wanted.
var bodies = map[string]string{ //nolint:gochecknoglobals // read only
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

// Body is a body of an operation with its required fields, "" where it needs none.
func Body(op *operation.Operation) string {
	if body, ok := bodies[op.ID]; ok {
		return body
	}
	if op.In == nil {
		return ""
	}
	var members []string
	for _, f := range jsonfield.Of(op.In) {
		if f.Required() {
			members = append(members, fmt.Sprintf("%q: %s", f.JSON, value(&f)))
		}
	}
	if len(members) == 0 {
		return ""
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// value is the value of a required field.
func value(f *jsonfield.Field) string {
	base := jsonfield.Base(f.Type)
	isDate := base == reflect.TypeFor[moment.Date]()
	switch example := f.Example(); {
	case example != "" && (isDate || base.Kind() == reflect.String || base == reflect.TypeFor[moment.Instant]()):
		return strconv.Quote(example)
	case example != "":
		return example
	case len(f.Enum()) > 0:
		return strconv.Quote(f.Enum()[0])
	case isDate:
		return `"2026-09-11"`
	case base.Kind() >= reflect.Int && base.Kind() <= reflect.Uint64:
		return "100"
	}
	return `"…"`
}
