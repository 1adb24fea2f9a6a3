package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestTheAutoBridgeCarriesAnOrderToCash plays one order from its acceptance to
// its payment with the preset starter, lets one order lapse and declines one.
func TestTheAutoBridgeCarriesAnOrderToCash(t *testing.T) {
	t.Parallel()
	n := shared.create(t, `{"seed":5,"clock":"manual"}`)
	w := watch(n)
	first, second := text(n.order("SO-1001"), "id"), text(n.order("SO-1002"), "id")
	var work, run string
	tell := func(name string, step func(*witness)) {
		w.step(name, func() {
			t.Run(name, func(t *testing.T) {
				told := *w
				told.tenant = n.within(t)
				step(&told)
			})
		})
		if t.Failed() && work == "" {
			t.FailNow()
		}
	}
	tell("accept", func(w *witness) { work = w.acceptsByAuto(first) })
	tell("decline", func(w *witness) { w.declines(second) })
	tell("print", func(w *witness) { run = w.prints(work) })
	tell("finish", func(w *witness) { w.finishes(work, run) })
	tell("dispatch", func(w *witness) { w.dispatchesByAuto(first, work) })
	tell("run low", func(w *witness) { w.runsLow() })
	for range 3 {
		w.step("a day passes", func() { n.day() })
	}
	tell("be paid", func(w *witness) { w.isPaid(first) })
	tell("lapse", func(w *witness) { w.lapses("SO-1003") })
	w.ended()
}

func (w *witness) acceptsByAuto(id string) (work string) {
	t := w.t
	rows(t, "SO.ACCEPT.AUTO",
		"SO.FIELDS", "SO.FIELDS.UNIT_PRICE_MINOR", "SO.FIELDS.BRIDGED_WORK_ORDER_ID", "SO.STATUS", "SO.BRIDGE.STARTER",
		"ROUTE.OFFICE.SALES_ORDERS.ACCEPT", "OPEN.FIELDS.SALES_ORDER", "OPEN.BRIDGE.ORDER", "OPEN.EVENT.TWO", "EVT.ONE",
		"OPEN.EVENT.MISSIONS_LAST", "EVT.TYPE.OFFICE.SALES_ORDER.ACCEPTED", "OPEN.EVT.OFFICE.SALES_ORDER.ACCEPTED",
		"EVT.TYPE.FACTORY.WORK_ORDER.CREATED", "OPEN.EVT.FACTORY.WORK_ORDER.CREATED", "OPEN.STATE.SALES_ORDER.REFUSED",
		"OPEN.ERR.INVALID_STATE", "CONV.SAME_ROW", "EVT.SAME_TRANSACTION", "EVT.TYPE.OFFICE.SALES_ORDER.RECEIVED",
		"OPEN.EVT.OFFICE.SALES_ORDER.RECEIVED", "OPEN.FIELDS.WORK_ORDER", "OPEN.STATE.WORK_ORDER")
	path := "/office/sales-orders/" + id
	before := w.row(path)
	if before["status"] != "received" || before["bridged_work_order_id"] != nil {
		t.Errorf("before it is accepted the order is %v", before)
	}
	received := w.about(w.feed(0), id, "office.sales_order.received")
	for _, same := range []string{
		"number", "customer_id", "sku", "quantity", "unit_price_minor", "total_minor", "answer_by", "due_date",
	} {
		if received[same] != before[same] {
			t.Errorf("received was %s %v, the order has %v", same, received[same], before[same])
		}
	}
	at := w.newest()
	a := w.post(path+"/accept", "").want(http.StatusOK, "")
	order := a.Data()
	has(t, "a sales order", order, "id", "quantity", "status", "unit_price_minor", "bridged_work_order_id", "number",
		"customer_id", "customer_name", "sku", "product_name", "unit", "total_minor", "currency", "received_on",
		"answer_by", "due_date", "cancel_after", "rush", "late_discount_pct_per_day",
		"late_discount_cap_pct", "shipment_id",
		"invoice_id", "shipped_on", "late_discount_minor", "decline_reason", "expired_reason")
	if number(t, order, "total_minor") != number(t, order, "unit_price_minor")*number(t, order, "quantity") {
		t.Errorf("%v times %v is not %v", order["unit_price_minor"], order["quantity"], order["total_minor"])
	}
	work = text(order, "bridged_work_order_id")
	if order["status"] != "in_production" || work == "" {
		t.Fatalf("the accepted order is %v with the work order %q", order["status"], work)
	}
	w.sameRow(a, path)
	made := w.row("/factory/work-orders/" + work)
	has(t, "a work order", made, "number", "sku", "product_name", "kind", "quantity", "quantity_from_stock",
		"quantity_good", "reference", "source", "due_date", "priority", "status", "waits_for", "material_needs",
		"print_run_ids",
		"ready_on", "shipment_id")
	if made["reference"] != id || made["source"] != "bridge" || made["status"] != "created" ||
		made["sku"] != order["sku"] || made["quantity"] != order["quantity"] || made["due_date"] != order["due_date"] {
		t.Errorf("the work order is %v", made)
	}
	events := w.feed(at)
	if got := types(events); len(got) < 2 || got[0] != "office.sales_order.accepted" ||
		got[1] != "factory.work_order.created" || slices.ContainsFunc(got[2:], notMission) {
		t.Errorf("acceptance wrote %v", got)
	}
	w.says(events, id, "office.sales_order.accepted", object{
		"status": "in_production", "number": order["number"], "sku": order["sku"], "quantity": order["quantity"],
		"due_date": order["due_date"], "bridge": "auto", "bridged_work_order_id": work,
	})
	w.says(events, work, "factory.work_order.created", object{
		"status": "created", "number": made["number"], "sku": made["sku"], "quantity": made["quantity"],
		"reference": id, "due_date": made["due_date"], "source": "bridge",
	})
	for _, verb := range []string{"accept", "decline"} {
		refused := w.post(path+"/"+verb, "").want(http.StatusConflict, "invalid_state")
		if d := refused.details(); d["status"] != "in_production" ||
			!slices.Equal(texts(d, "allowed"), []string{"received"}) {
			t.Errorf("%s again: details are %v", verb, d)
		}
	}
	w.post("/office/sales-orders/so_0/accept", "").want(http.StatusNotFound, "not_found")
	return work
}

func notMission(kind string) bool {
	return kind != "sandbox.mission.completed" && kind != "sandbox.achievement.unlocked"
}

// company lists the types of what happened, without missions and achievements.
func company(events []object) []string {
	return slices.DeleteFunc(types(events), func(kind string) bool { return !notMission(kind) })
}

// about returns the data of the one event of a type about a record.
func (n *tenant) about(events []object, id, kind string) object {
	n.t.Helper()
	var found []object
	for _, e := range ofType(events, kind) {
		if data := child(n.t, e, "data"); data["id"] == id {
			found = append(found, data)
		}
	}
	if len(found) != 1 {
		n.t.Fatalf("%d events %s about %s among %v", len(found), kind, id, types(events))
	}
	return found[0]
}

// says checks values in the data of the one event of a type about a record.
func (n *tenant) says(events []object, id, kind string, want object) {
	n.t.Helper()
	data := n.about(events, id, kind)
	for name, value := range want {
		if encode(n.t, data[name]) != encode(n.t, value) {
			n.t.Errorf("%s says %s %v, want %v", kind, name, data[name], value)
		}
	}
}

// rider returns what an event says of a record that moved along.
func (n *tenant) rider(events []object, kind, resource, id string) string {
	n.t.Helper()
	for _, e := range ofType(events, kind) {
		for _, change := range changes(n.t, e) {
			if change["resource"] == resource && change["id"] == id {
				return text(change, "from") + ">" + text(change, "to")
			}
		}
	}
	n.t.Errorf("no %s has the rider %s %s", kind, resource, id)
	return ""
}

// sameRow checks that a write answered with the row that reads return.
func (n *tenant) sameRow(a *answer, path string) {
	n.t.Helper()
	if got, want := a.rawData(), n.get(path).want(200, "").rawData(); got != want {
		n.t.Errorf("%s answered %s\n%s returns %s", a.asked, got, path, want)
	}
	list := path[:strings.LastIndex(path, "/")]
	if got, want := encode(n.t, one(n.t, n.all(list), "id", text(a.Data(), "id"))), encode(n.t, a.Data()); got != want {
		n.t.Errorf("%s answered %s\nthe list has %s", a.asked, want, got)
	}
}

func (w *witness) declines(id string) {
	rows(w.t, "OPEN.STATE.SALES_ORDER.DECLINED", "OPEN.STATE.SALES_ORDER", "EVT.TYPE.OFFICE.SALES_ORDER.DECLINED",
		"OPEN.EVT.OFFICE.SALES_ORDER.DECLINED", "CONV.SAME_ROW", "OPEN.HTTP.NULL")
	path := "/office/sales-orders/" + id
	w.post(path+"/decline", encode(w.t, object{"reason": strings.Repeat("é", 201)})).want(422, "validation_failed")
	w.post(path+"/decline", `{"reason":7}`).want(422, "validation_failed")
	at := w.newest()
	reason := strings.Repeat("é", 200)
	a := w.post(path+"/decline", encode(w.t, object{"reason": reason})).want(http.StatusOK, "")
	if a.Data()["status"] != "declined" || a.Data()["decline_reason"] != reason {
		w.t.Errorf("the declined order is %v", a.Data())
	}
	w.sameRow(a, path)
	events := w.feed(at)
	if got := types(events); len(got) != 1 {
		w.t.Errorf("declining wrote %v", got)
	}
	w.says(events, id, "office.sales_order.declined",
		object{"status": "declined", "number": a.Data()["number"], "reason": reason})
	w.post(path+"/accept", "").want(409, "invalid_state")
}

func (w *witness) prints(work string) (run string) {
	t := w.t
	rows(t, "OPEN.BODY.FACTORY.PRINT_RUNS", "OPEN.FIELDS.PRINT_RUN",
		"OPEN.STATE.PRINT_RUN", "OPEN.STATE.PRINT_RUN.OPERATOR", "EVT.TYPE.FACTORY.PRINT_RUN.STARTED",
		"OPEN.EVT.FACTORY.PRINT_RUN.STARTED", "CONV.SAME_ROW", "OPEN.FIELDS.PRESS", "OPEN.FIELDS.OPERATOR",
		"OPEN.STATE.WORK_ORDER", "OPEN.EVENT.CHANGES", "OPEN.EVENT.PRIMARY")
	at := w.newest()
	a := w.post("/factory/print-runs", encode(t,
		object{"press_id": "prs_digital", "work_order_id": work, "overs_pct": 20, "operator_badge_no": "1002"})).
		want(http.StatusCreated, "")
	row := a.Data()
	run = text(row, "id")
	has(t, "a print run", row, "press_id", "items", "work_order_id", "paper_sku", "overs_pct", "sheets_planned",
		"sheets_make_ready", "ink_cans_used", "plates_used", "operator_badge_no", "status", "started_sim", "ends_sim",
		"ends_at", "completed_sim", "sheets_wasted", "spoilage_pct", "clicks_minor")
	for _, item := range children(t, row, "items") {
		has(t, "an item", item, "work_order_id", "quantity_planned", "quantity_good", "quantity_short")
	}
	if row["status"] != "running" || row["operator_badge_no"] != "1002" || number(t, row, "overs_pct") != 20 ||
		row["ends_at"] != nil || row["completed_sim"] != nil {
		t.Errorf("the run is %v", row)
	}
	w.sameRow(a, "/factory/print-runs/"+run)
	press := w.row("/factory/presses/prs_digital")
	has(t, "a press", press, "name", "technology", "make_ready_minutes", "make_ready_sheets", "sheets_per_hour",
		"uses_plates", "click_minor_per_sheet", "last_sku", "status", "current_print_run_id", "down_until_sim")
	if press["status"] != "running" || press["current_print_run_id"] != run {
		t.Errorf("the press is %v with %v", press["status"], press["current_print_run_id"])
	}
	operator := one(t, w.all("/factory/operators"), "badge_no", "1002")
	has(t, "an operator", operator, "badge_no", "role", "present")
	if operator["present"] != true {
		t.Errorf("the operator is %v", operator)
	}
	order := w.row("/factory/work-orders/" + work)
	if order["status"] != "printing" || !slices.Equal(texts(order, "print_run_ids"), []string{run}) {
		t.Errorf("the work order is %v with the runs %v", order["status"], order["print_run_ids"])
	}
	// The start takes the material.
	for _, move := range w.all("/factory/stock-moves?kind=issue") {
		used := map[string]string{
			text(row, "paper_sku"): "sheets_planned", "mat_ink": "ink_cans_used", "mat_plate": "plates_used",
		}[text(move, "sku")]
		if number(t, move, "quantity") != -number(t, row, used) || move["reference_id"] != run {
			t.Errorf("the run with %v %s moved %v", row[used], used, move)
		}
	}
	events := w.feed(at)
	w.says(events, run, "factory.print_run.started", object{"status": "running", "press_id": "prs_digital",
		"work_order_id": work, "items_count": 1, "paper_sku": row["paper_sku"], "sheets_planned": row["sheets_planned"],
		"operator_badge_no": "1002", "ends_sim": row["ends_sim"], "ends_at": nil})
	if got := w.rider(events, "factory.print_run.started", "work_order", work); got != "created>printing" {
		t.Errorf("the work order went %s", got)
	}
	if got := w.rider(events, "factory.print_run.started", "press", "prs_digital"); got != "idle>running" {
		t.Errorf("the press went %s", got)
	}
	return run
}

func (w *witness) finishes(work, run string) {
	t := w.t
	rows(t, "OPEN.STATE.PRINT_RUN", "OPEN.STATE.PRINT_RUN.FINISHING", "EVT.TYPE.FACTORY.PRINT_RUN.COMPLETED",
		"OPEN.EVT.FACTORY.PRINT_RUN.COMPLETED", "EVT.TYPE.FACTORY.WORK_ORDER.READY",
		"OPEN.EVT.FACTORY.WORK_ORDER.READY", "OPEN.ERR.WORK_ORDER_NOT_READY", "OPEN.STATE.WORK_ORDER")
	order := w.row("/factory/work-orders/" + work)
	finishing := number(t, w.row("/factory/products/"+text(order, "sku")), "finishing_minutes")
	ends := minuteOfDay(t,
		object{"sim_time": strings.TrimPrefix(text(w.row("/factory/print-runs/"+run), "ends_sim"), "2026-09-07T")})
	status := func() string { return text(w.row("/factory/work-orders/"+work), "status") }
	at := w.newest()
	w.tick(ends - 1)
	if got := w.row("/factory/print-runs/" + run); got["status"] != "running" {
		t.Errorf("before its end the run is %v", got["status"])
	}
	w.tick(1)
	row := w.row("/factory/print-runs/" + run)
	if row["status"] != "completed" || row["completed_sim"] != row["ends_sim"] || status() != "printing" {
		t.Errorf("at its end the run is %v, the work order %v", row, status())
	}
	w.post("/factory/shipments", encode(t, object{"work_order_id": work})).
		want(http.StatusConflict, "work_order_not_ready")
	w.tick(int(finishing) - 1)
	if status() != "printing" {
		t.Errorf("before the end of finishing the work order is %v", status())
	}
	w.tick(1)
	if order = w.row("/factory/work-orders/" + work); order["status"] != "ready" || order["ready_on"] != "2026-09-07" ||
		order["quantity_good"] != order["quantity"] {
		t.Errorf("after finishing the work order is %v", order)
	}
	events := w.feed(at)
	item := children(t, row, "items")[0]
	w.says(events, run, "factory.print_run.completed", object{"status": "completed", "press_id": "prs_digital",
		"work_order_id": work, "quantity_good": item["quantity_good"], "quantity_short": item["quantity_short"],
		"sheets_wasted": row["sheets_wasted"], "spoilage_pct": row["spoilage_pct"]})
	w.says(events, work, "factory.work_order.ready", object{"status": "ready", "number": order["number"],
		"sku": order["sku"], "quantity": order["quantity"], "reference": order["reference"], "ready_on": "2026-09-07"})
	if got := w.rider(events, "factory.print_run.completed", "press", "prs_digital"); got != "running>idle" {
		t.Errorf("the press went %s", got)
	}
}

func (w *witness) dispatchesByAuto(order, work string) {
	t := w.t
	rows(t, "OPEN.BODY.FACTORY.SHIPMENTS", "OPEN.FIELDS.FACTORY_SHIPMENT", "OPEN.BRIDGE.SHIPMENT",
		"OPEN.EVENT.TWO", "OPEN.EVENT.MISSIONS_LAST", "SHP.INVOICE", "EVT.TYPE.FACTORY.SHIPMENT.CREATED",
		"OPEN.EVT.FACTORY.SHIPMENT.CREATED", "EVT.TYPE.OFFICE.CUSTOMER_INVOICE.CREATED",
		"OPEN.EVT.OFFICE.CUSTOMER_INVOICE.CREATED", "OPEN.STATE.SALES_ORDER.SHIPPED", "OPEN.FIELDS.OFFICE_SHIPMENT",
		"OPEN.FIELDS.CUSTOMER_INVOICE", "CONV.SAME_ROW", "OPEN.STATE.WORK_ORDER")
	w.post("/factory/shipments", encode(t, object{"work_order_id": work, "carrier_note": strings.Repeat("x", 201)})).
		want(422, "validation_failed")
	at := w.newest()
	a := w.post("/factory/shipments",
		encode(t, object{"work_order_id": work, "carrier_note": strings.Repeat("x", 200)})).want(http.StatusCreated, "")
	parcel := a.Data()
	has(t, "a Factory shipment", parcel, "number", "work_order_id", "reference", "sku", "quantity", "shipped_on",
		"carrier_note", "status", "bridged_office_shipment_id")
	if parcel["status"] != "shipped" || parcel["reference"] != order || parcel["work_order_id"] != work {
		t.Errorf("the shipment is %v", parcel)
	}
	w.sameRow(a, "/factory/shipments/"+text(parcel, "id"))
	mirror := w.row("/office/shipments/" + text(parcel, "bridged_office_shipment_id"))
	invoice := child(t, mirror, "invoice")
	if mirror["sales_order_id"] != order || mirror["factory_shipment_ref"] != parcel["id"] ||
		mirror["source"] != "bridge" || mirror["quantity"] != parcel["quantity"] {
		t.Errorf("at Head Office the shipment is %v", mirror)
	}
	if encode(t, w.row("/office/customer-invoices/"+text(invoice, "id"))) != encode(t, invoice) {
		t.Errorf("nested is the invoice %v", invoice)
	}
	sold := w.row("/office/sales-orders/" + order)
	if sold["status"] != "shipped" || sold["shipment_id"] != mirror["id"] || sold["invoice_id"] != invoice["id"] ||
		w.row("/factory/work-orders/" + work)["status"] != "shipped" {
		t.Errorf("the order is %v", sold)
	}
	events := w.feed(at)
	if got := types(events); len(got) < 2 || got[0] != "factory.shipment.created" ||
		got[1] != "office.customer_invoice.created" || slices.ContainsFunc(got[2:], notMission) {
		t.Errorf("the shipment wrote %v", got)
	}
	w.says(events, text(parcel, "id"), "factory.shipment.created",
		object{"status": "shipped", "number": parcel["number"], "work_order_id": work, "reference": order,
			"sku": parcel["sku"], "quantity": parcel["quantity"], "source": "client"})
	w.says(events, text(invoice, "id"), "office.customer_invoice.created",
		object{"status": "open", "number": invoice["number"], "shipment_id": mirror["id"],
			"sales_order_id": order, "contract_lot_id": nil, "total_minor": invoice["total_minor"],
			"late_discount_minor": 0, "due_date": invoice["due_date"], "source": "bridge"})
	for _, moved := range [][4]string{
		{"factory.shipment.created", "work_order", work, "ready>shipped"},
		{"office.customer_invoice.created", "sales_order", order, "in_production>shipped"},
		{"office.customer_invoice.created", "office_shipment", text(mirror, "id"), ">shipped"},
	} {
		if got := w.rider(events, moved[0], moved[1], moved[2]); got != moved[3] {
			t.Errorf("%s went %s, want %s", moved[1], got, moved[3])
		}
	}
	again := w.post("/factory/shipments", encode(t, object{"work_order_id": work})).
		want(http.StatusConflict, "invalid_state")
	if again.details()["status"] != "shipped" {
		t.Errorf("shipping again: %v", again.details())
	}
	w.post("/office/shipments", encode(t, object{"sales_order_id": order})).want(http.StatusConflict, "invalid_state")
}

func (w *witness) runsLow() {
	t := w.t
	rows(t, "EVT.TYPE.FACTORY.STOCK.BELOW_REORDER_POINT", "OPEN.EVT.FACTORY.STOCK.BELOW_REORDER_POINT",
		"OPEN.STATE.STOCK_ITEM", "OPEN.FIELDS.STOCK_ITEM", "OPEN.EVENT.TWO")
	item := w.row("/factory/stock/itm_uncoated")
	has(t, "a stock item", item, "sku", "name", "kind", "unit", "on_hand", "reserved", "reorder_point",
		"reorder_quantity", "status", "average_cost_minor")
	if item["status"] != "ok" {
		t.Errorf("at the opening %v is %v", item["sku"], item["status"])
	}
	units := (number(t, item, "on_hand")-number(t, item, "reorder_point"))/32 + 1
	work := text(w.work("prd_notebook", int(units), ""), "id")
	at := w.newest()
	run := text(w.print(work), "id")
	item = w.row("/factory/stock/itm_uncoated")
	if item["status"] != "low" || number(t, item, "on_hand") >= number(t, item, "reorder_point") {
		t.Errorf("after the run %v of %v are left and it is %v", item["on_hand"], item["sku"], item["status"])
	}
	events := w.feed(at)
	if got := types(events); len(got) < 3 || got[0] != "factory.print_run.started" ||
		got[1] != "factory.stock.below_reorder_point" || got[2] != "factory.requisition.created" {
		t.Errorf("the run wrote %v", got)
	}
	w.says(events, "itm_uncoated", "factory.stock.below_reorder_point", object{"status": "low", "sku": item["sku"],
		"on_hand": item["on_hand"], "reorder_point": item["reorder_point"], "unit": item["unit"]})
	if w.row("/factory/print-runs/" + run)["status"] != "running" {
		t.Error("the run does not run")
	}
	for _, other := range w.all("/factory/stock?kind=material") {
		if low := number(t, other, "on_hand") < number(t, other, "reorder_point"); low != (other["status"] == "low") {
			t.Errorf("%v of %v, to be reordered at %v, is %v",
				other["on_hand"], other["sku"], other["reorder_point"], other["status"])
		}
	}
}

func (w *witness) isPaid(order string) {
	t := w.t
	rows(t, "OPEN.STATE.SALES_ORDER.PAID", "OPEN.STATE.CUSTOMER_INVOICE",
		"OPEN.FIELDS.PAYMENT", "EVT.TYPE.OFFICE.PAYMENT.RECEIVED", "OPEN.EVT.OFFICE.PAYMENT.RECEIVED",
		"EVT.TYPE.OFFICE.CUSTOMER_INVOICE.PAID", "OPEN.EVT.OFFICE.CUSTOMER_INVOICE.PAID",
		"OPEN.EVENT.TWO", "OPEN.MISSION.ORDER_TO_CASH", "OPEN.FIELDS.LEDGER_ENTRY",
		"EVT.TYPE.SANDBOX.MISSION.COMPLETED", "OPEN.EVT.SANDBOX.MISSION.COMPLETED", "OPEN.EVENT.MISSIONS_LAST")
	sold := w.row("/office/sales-orders/" + order)
	invoice := w.row("/office/customer-invoices/" + text(sold, "invoice_id"))
	if sold["status"] != "paid" || invoice["status"] != "paid" || number(t, invoice, "balance_minor") != 0 ||
		invoice["amount_paid_minor"] != invoice["total_minor"] || invoice["paid_on"] == nil {
		t.Fatalf("the order is %v, its invoice %v", sold["status"], invoice)
	}
	var payment object
	for _, p := range w.all("/office/payments") {
		has(t, "a payment", p, "direction", "kind", "payer_name", "customer_invoice_id", "major_order_id",
			"amount_minor", "received_on", "remittance_text")
		if p["customer_invoice_id"] == invoice["id"] {
			payment = p
		}
	}
	if payment == nil || payment["amount_minor"] != invoice["total_minor"] ||
		payment["payer_name"] != sold["customer_name"] {
		t.Fatalf("the payment is %v", payment)
	}
	events := w.feed(0)
	at := slices.IndexFunc(events, func(e object) bool { return child(t, e, "data")["id"] == payment["id"] })
	if got := types(events[at : at+3]); got[0] != "office.payment.received" ||
		got[1] != "office.customer_invoice.paid" || got[2] != "sandbox.mission.completed" {
		t.Errorf("the payment wrote %v", got)
	}
	entry := one(t, w.all("/office/ledger"), "reference_id", text(payment, "id"))
	has(t, "a ledger entry", entry, "amount_minor", "balance_minor", "kind", "event_id", "reference_id", "entry_on")
	if entry["amount_minor"] != payment["amount_minor"] || entry["event_id"] != events[at]["id"] {
		t.Errorf("the ledger has %v", entry)
	}
	w.says(events, text(payment, "id"), "office.payment.received",
		object{"kind": "customer", "amount_minor": payment["amount_minor"], "customer_invoice_id": invoice["id"],
			"remaining_minor": 0, "payer_name": sold["customer_name"], "cash_minor": entry["balance_minor"]})
	w.says(events, text(invoice, "id"),
		"office.customer_invoice.paid", object{"status": "paid", "number": invoice["number"], "sales_order_id": order,
			"total_minor": invoice["total_minor"], "paid_on": invoice["paid_on"]})
	if got := w.rider(events, "office.customer_invoice.paid", "sales_order", order); got != "shipped>paid" {
		t.Errorf("the order went %s", got)
	}
	w.says(events, "order_to_cash", "sandbox.mission.completed", object{
		"status": "completed", "title": w.row("/missions/order_to_cash")["title"],
		"completed_count": len(ofType(events[:at+3], "sandbox.mission.completed")), "total_count": len(w.missions()),
	})
}

func (w *witness) lapses(numbered string) {
	t := w.t
	rows(t, "OPEN.STATE.SALES_ORDER.LAPSED", "EVT.TYPE.OFFICE.SALES_ORDER.EXPIRED",
		"OPEN.EVT.OFFICE.SALES_ORDER.EXPIRED")
	order := w.order(numbered)
	if order["status"] != "expired" || order["expired_reason"] != "answer_lapsed" {
		t.Fatalf("nobody answered, and the order is %v: %v", order["status"], order["expired_reason"])
	}
	for _, e := range ofType(w.feed(0), "office.sales_order.expired") {
		data := child(t, e, "data")
		if data["id"] != order["id"] {
			continue
		}
		// The first day after 2026-09-09, a Wednesday.
		if order["answer_by"] != "2026-09-09" || e["sim_date"] != "2026-09-10" {
			t.Errorf("the order to be answered by %v expired on %v", order["answer_by"], e["sim_date"])
		}
		if data["number"] != numbered || data["reason"] != "answer_lapsed" ||
			!strings.HasPrefix(fmt.Sprint(data["reputation_change"]), "-") {
			t.Errorf("the event says %v", data)
		}
		return
	}
	t.Error("no event says that the order expired")
}
