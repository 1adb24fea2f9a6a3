package mcp

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"platen/internal/operation"
	"platen/internal/words/jsonfield"
)

// column is one field of a row as the compact view shows it: a path into the row, and for an
// object or a list of objects the names of what is shown of each.
type column struct {
	path []string
	of   []string
}

// String is the column's head.
func (c column) String() string {
	name := strings.Join(c.path, ".")
	if len(c.of) > 0 {
		name += "(" + strings.Join(c.of, ":") + ")"
	}
	return name
}

// layout is how the rows of a type are shown in short.
type layout struct {
	// columns are those of the compact view, told those of the line about a command.
	columns, told []column
	// fields are the columns that a reader may choose, by their names.
	fields map[string]column
	names  []string
}

// shortened is the columns of a resource, or of the object of an operation: those that matter
// for decisions. Told is the part of the line about a command that describes its row.
type shortened struct{ of, columns, told string }

// layouts is the table of them. A resource that is not in it shows all fields but the stamps.
func layouts() []shortened {
	return []shortened{
		{"sales_order", "id status customer_id sku quantity unit_price_minor due_date answer_by cancel_after rush",
			"id status bridged_work_order_id"},
		{"contract_lot", "id status customer_id sku quantity unit_price_minor penalty_minor deliver_by answer_by",
			"id status work_order_ref"},
		{"customer_invoice", "id status customer_id sales_order_id total_minor balance_minor due_date dispute_code",
			"id status"},
		{"customer", "id satisfaction_pct payment_terms_days payment_habit", "id"},
		{"office_shipment", "id sales_order_id contract_lot_id quantity shipped_on factory_shipment_ref", "id"},
		{"payment", "id direction kind amount_minor received_on customer_invoice_id", "id"},
		{"ledger_entry", "entry_on kind amount_minor balance_minor reference_id", "id"},
		{"office_product", "sku list_price_minor kind active", "sku"},
		{"supplier", "id kind on_hold credit_limit_minor lead_days_min lead_days_max on_time_pct terms_days " +
			"early_discount_pct prices(sku unit_price_minor minimum_quantity)", "id"},
		{"office_requisition", "id status lines(sku quantity) reference needed_by purchase_order_id", "id status"},
		{"purchase_order", "id number status supplier_id total_minor expected_on receipt_status billing_status " +
			"lines(sku quantity quantity_expected quantity_received quantity_billed)",
			"id number status total_minor expected_on"},
		{"office_goods_receipt", "id purchase_order_id lines(sku quantity_accepted quantity_rejected)", "id"},
		{"supplier_invoice", "id status kind supplier_id supplier_reference purchase_order_id billed_minor " +
			"matched_minor match_status due_date discount_minor discount_until", "id status paid_minor credited_minor"},
		{"market_quote", "sku bid_minor ask_minor available_quantity depth", "sku"},
		{"market_trade", "id side sku quantity unit_price_minor total_minor traded_on", "id quantity total_minor"},
		{"employee", "id badge_no role status hourly_minor skill sick_until", "id role status starts_on"},
		{"leave_request", "employee_id from_date to_date", "id"},
		{"timesheet", "id week_start source entries(employee_id hours_worked hours_sick hours_leave)",
			"id payroll_run_id"},
		{"payroll_run", "week_start status due_date gross_minor arrears_minor total_minor timesheet_id",
			"id status total_minor"},

		{"work_order", "id status waits_for sku quantity quantity_from_stock quantity_good reference due_date " +
			"material_needs(sku quantity)", "id status waits_for"},
		{"print_run", "id status press_id items(work_order_id quantity_planned quantity_good) sheets_planned ends_sim",
			"id ends_sim sheets_planned"},
		{"factory_shipment", "id work_order_id sku quantity reference shipped_on",
			"id bridged_office_shipment_id"},
		{"stock_item", "sku kind on_hand reserved reorder_point reorder_quantity status", "sku"},
		{"stock_move", "sku quantity balance_after kind reference_id", "sku"},
		{"press", "id status make_ready_minutes make_ready_sheets sheets_per_hour uses_plates last_sku " +
			"current_run_ends_sim down_until_sim", "id"},
		{"operator", "badge_no present", "badge_no"},
		{"factory_product", "sku kind paper_sku sheets_per_unit ink_units_per_can plates_per_run finishing_minutes",
			"sku"},
		{"factory_requisition", "id status sku quantity needed_by", "id"},
		{"delivery", "id status purchase_order_number arrived_on lines(sku quantity_advised quantity_counted " +
			"quantity_damaged)", "id"},
		{"factory_goods_receipt", "id delivery_id purchase_order_number lines(sku quantity_accepted " +
			"quantity_rejected)", "id lines(sku quantity_accepted quantity_rejected)"},
		{"market_delivery", "id sku quantity status", "id"},
		{"attendance", "badge_no date hours absence", "badge_no"},

		{"mission", "id status title objective", "id status"},
		{"get_sandbox", "status clock(sim_date sim_time day_number mode) bridge expires_in_s cash_minor " +
			"net_worth_minor days_negative reputation morale presses(idle running down) " +
			"counts(orders_open lots_offered work_orders_open work_orders_to_print deliveries_waiting " +
			"invoices_payable) inventory.materials(sku on_hand status) inventory.finished(sku on_hand reserved) " +
			"disruptions(kind ends_on) score(profit_minor orders_shipped on_time_pct spoilage_pct payroll_late) " +
			"last_seq",
			"status"},
		{"get_cash", "cash_minor receivable_minor payable_minor days_negative overdraft_limit_minor", "cash_minor"},
		{"list_events", "seq sim_date type data(id status)", "seq"},
		{dryRunOf + "start_print_run", "minutes ends_sim sheets_planned clicks_minor operator_badge_no short_risk " +
			"stock_left(sku needed left below_reorder_point)", "minutes ends_sim sheets_planned short_risk " +
			"stock_left(sku left below_reorder_point)"},
		{dryRunOf + "create_purchase_order", "total_minor approval_required expected_on credit_left_minor " +
			"lines(sku quantity unit_price_minor amount_minor)", "total_minor approval_required expected_on " +
			"credit_left_minor"},
	}
}

// dryRunOf begins the name of the layout of a dry run.
const dryRunOf = "dry run of "

// stamps are fields that no decision needs.
var stamps = []string{"created_at", "updated_at", "created_on", "currency"} //nolint:gochecknoglobals // read only

// layoutsOf compiles the table, by the types of the rows. An entry that names nothing, or a
// field that its rows do not have, is a mistake.
func layoutsOf(table []operation.Operation) (map[reflect.Type]*layout, error) {
	types, all := map[string]reflect.Type{}, map[reflect.Type]*layout{}
	for i := range table {
		op := &table[i]
		if op.Kind == operation.List || op.Kind == operation.Row {
			types[op.Resource] = op.Out
		}
		types[op.ID] = op.Out
		if op.Preview != nil {
			types[dryRunOf+op.ID] = op.Preview
		}
	}
	for _, s := range layouts() {
		of := types[s.of]
		if of == nil {
			return nil, fmt.Errorf("nothing is called %s", s.of)
		}
		l, err := newLayout(of, s.columns, s.told)
		if err != nil {
			return nil, fmt.Errorf("columns of %s: %w", s.of, err)
		}
		all[of] = l
	}
	for _, of := range types {
		if all[of] != nil || of == nil || of.Kind() != reflect.Struct {
			continue
		}
		var err error
		if all[of], err = newLayout(of, "", ""); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func newLayout(of reflect.Type, columns, told string) (*layout, error) {
	l := &layout{fields: map[string]column{}}
	var plain []string
	for _, f := range jsonfield.Of(of) {
		l.names = append(l.names, f.JSON)
		l.fields[f.JSON] = column{path: []string{f.JSON}}
		if !slices.Contains(stamps, f.JSON) {
			plain = append(plain, f.JSON)
		}
	}
	if columns == "" {
		columns = strings.Join(plain, " ")
	}
	var err error
	if l.columns, err = columnsOf(of, columns); err != nil {
		return nil, err
	}
	if l.told, err = columnsOf(of, told); err != nil {
		return nil, err
	}
	for _, c := range l.columns {
		if len(c.path) == 1 {
			l.fields[c.path[0]] = c
		}
	}
	return l, nil
}

// columnsOf reads columns, such as "id lines(sku quantity)".
func columnsOf(of reflect.Type, text string) ([]column, error) {
	var all []column
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		end := strings.IndexAny(text, " (")
		if end < 0 {
			end = len(text)
		}
		c := column{path: strings.Split(text[:end], ".")}
		text = text[end:]
		if strings.HasPrefix(text, "(") {
			inner, rest, _ := strings.Cut(text[1:], ")")
			c.of, text = strings.Fields(inner), rest
		}
		at := of
		for _, name := range c.path {
			inner, ok := member(at, name)
			if !ok {
				return nil, fmt.Errorf("%s has no field %s", of, c)
			}
			at = inner
		}
		for _, name := range c.of {
			if _, ok := member(at, name); !ok && at.Kind() == reflect.Struct {
				return nil, fmt.Errorf("%s has no field %s in %s", of, name, c)
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// member is the type of a field, or of the elements of a list in it.
func member(of reflect.Type, name string) (reflect.Type, bool) {
	if of.Kind() != reflect.Struct {
		return of, true
	}
	for _, f := range jsonfield.Of(of) {
		if f.JSON != name {
			continue
		}
		t := jsonfield.Base(f.Type)
		if t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 {
			t = jsonfield.Base(t.Elem())
		}
		return t, true
	}
	return nil, false
}
