package contract

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// witness looks at a whole company after every step of a story.
type witness struct {
	*tenant

	seen map[string]object
}

func watch(n *tenant) *witness { return &witness{tenant: n, seen: n.snapshot()} }

// step does something and compares every row with what it was before: nothing
// may be gone, and what changed must say so.
func (w *witness) step(name string, do func()) {
	w.t.Helper()
	do()
	now := w.snapshot()
	for path, was := range w.seen {
		is, there := now[path]
		if !there {
			w.t.Errorf("%s: %s is gone", name, path)
			continue
		}
		if encode(w.t, was) == encode(w.t, is) {
			continue
		}
		if !moment(w.t, is["updated_at"]).After(moment(w.t, was["updated_at"])) {
			w.t.Errorf("%s: %s changed and is still of %v:\nwas %s\nis  %s",
				name, path, is["updated_at"], encode(w.t, was), encode(w.t, is))
		}
		for _, fixed := range []string{"id", "created_at", "created_on"} {
			if was[fixed] != is[fixed] {
				w.t.Errorf("%s: %s of %s went from %v to %v", name, fixed, path, was[fixed], is[fixed])
			}
		}
	}
	w.seen = now
}

// ended runs the checks that hold for the whole history of any company.
func (w *witness) ended() {
	events := w.feed(0)
	for name, check := range map[string]func(*testing.T){
		"rows":   func(t *testing.T) { w.within(t).checkRows(w.seen) },
		"feed":   func(t *testing.T) { w.within(t).checkFeed(events) },
		"states": func(t *testing.T) { w.within(t).checkStates(events, w.seen) },
		"books":  func(t *testing.T) { w.within(t).checkBooks(events) },
		"walls":  func(t *testing.T) { w.within(t).checkWalls(w.seen) },
	} {
		w.t.(*testing.T).Run(name, check)
	}
}

// checkRows looks at what all rows have.
func (n *tenant) checkRows(seen map[string]object) {
	rows(n.t, "OPEN.FIELDS.COMMON", "OPEN.FIELDS.CURRENCY", "OPEN.NOTHING_DELETED", "OPEN.FIELDS.UPDATED_AT",
		"CONV.SNAKE_CASE", "CONV.MONEY")
	for path, row := range seen {
		has(n.t, path, row, "id", "created_at", "updated_at", "created_on")
		for _, at := range []string{"created_at", "updated_at"} {
			if !instant.MatchString(text(row, at)) {
				n.t.Errorf("%s: %s is %v", path, at, row[at])
			}
		}
		if moment(n.t, row["updated_at"]).Before(moment(n.t, row["created_at"])) {
			n.t.Errorf("%s was updated at %v, before its birth at %v", path, row["updated_at"], row["created_at"])
		}
		_, money := row["amount_minor"]
		if _, total := row["total_minor"]; money || total {
			if row["currency"] != "XTS" {
				n.t.Errorf("%s: the currency is %v", path, row["currency"])
			}
		}
	}
	for i := range n.judge.operations {
		if o := &n.judge.operations[i]; o.method == "DELETE" && !strings.HasPrefix(o.path, "/webhooks/") &&
			!strings.HasPrefix(o.path, "/sandbox") {
			n.t.Errorf("%s deletes", o.id)
		}
	}
}

// members of data by the type of the event, beside id, status and changes.
var members = map[string]string{
	"office.sales_order.received": "number customer_id sku quantity unit_price_minor total_minor " +
		"answer_by due_date",
	"office.sales_order.accepted": "number sku quantity due_date bridge bridged_work_order_id",
	"office.sales_order.declined": "number reason",
	"office.sales_order.expired":  "number reason reputation_change",
	"office.customer_invoice.created": "number shipment_id sales_order_id contract_lot_id quantity final total_minor " +
		"late_discount_minor due_date source",
	"office.customer_invoice.paid":    "number sales_order_id total_minor paid_on",
	"office.customer_invoice.overdue": "number balance_minor due_date dispute_code",
	"office.payment.received":         "kind amount_minor customer_invoice_id remaining_minor payer_name cash_minor",
	"factory.work_order.created":      "number sku quantity reference due_date source",
	"factory.work_order.ready":        "number sku quantity reference ready_on",
	"factory.shipment.created":        "number work_order_id reference sku quantity part_ref final source",
	"factory.print_run.started": "press_id work_order_id items_count paper_sku sheets_planned " +
		"operator_badge_no ends_sim ends_at",
	"factory.print_run.completed": "press_id work_order_id quantity_good quantity_short " +
		"sheets_wasted spoilage_pct",
	"factory.stock.below_reorder_point": "sku on_hand reorder_point unit",
	"factory.requisition.created":       "number sku quantity on_hand needed_by",
	"factory.delivery.arrived":          "supplier_name purchase_order_number lines",
	"factory.goods_receipt.recorded":    "delivery_id purchase_order_number quantity_accepted quantity_rejected",

	"office.requisition.received":             "number reference sku quantity estimated_minor source",
	"office.requisition.approved":             "number decided_by",
	"office.requisition.rejected":             "number decided_by reason",
	"office.purchase_order.created":           "number supplier_id total_minor requisition_id lines",
	"office.purchase_order.approval_required": "number total_minor limit_minor",
	"office.purchase_order.approved":          "number supplier_id total_minor approved_by expected_on",
	"office.goods_receipt.recorded": "purchase_order_id reference quantity_accepted quantity_rejected " +
		"source receipt_status",
	"office.supplier_invoice.received": "number supplier_reference supplier_id purchase_order_id kind billed_minor " +
		"due_date discount_until",
	"office.supplier_invoice.paid": "number paid_minor credited_minor discount_minor duplicate_of paid_by cash_minor",
	"office.payment.overdue": "supplier_invoice_id supplier_id billed_minor late_fee_minor " +
		"due_date collect_on",

	"office.market_trade.executed":     "side sku quantity unit_price_minor total_minor cash_minor",
	"factory.market_delivery.received": "sku quantity trade_ref",

	"office.contract_lot.offered": "number sku quantity unit_price_minor total_minor penalty_minor " +
		"answer_by deliver_by",
	"office.contract_lot.accepted":  "number deliver_by bridged_work_order_id",
	"office.contract_lot.declined":  "number",
	"office.contract_lot.expired":   "number reason penalty_minor cash_minor",
	"office.contract_lot.delivered": "number shipment_id total_minor on_time",

	"hr.employee.sick":         "badge_no role expected_back",
	"hr.employee.returned":     "badge_no role days_absent",
	"hr.employee.quit":         "badge_no role reason",
	"hr.employee.dismissed":    "badge_no role severance_minor cash_minor",
	"hr.employee.hired":        "badge_no role hourly_minor starts_on fee_minor cash_minor",
	"hr.leave_request.created": "employee_id badge_no from_date to_date days",
	"hr.payroll.due":           "week_start timesheet_id gross_minor arrears_minor due_date entries",
	"hr.payroll.late":          "week_start reason total_minor",
	"hr.payroll.paid":          "week_start total_minor arrears_minor surcharge_minor forced cash_minor",

	"world.lore_event.started":  "kind title disruption_kind ends_on",
	"world.major_order.updated": "title sku target_quantity world_quantity own_quantity milestone closes_on",
	"sandbox.disruption.ended":  "lore_event_id disruption_kind started_on",
	"sandbox.mission.completed": "title completed_count total_count", "sandbox.achievement.unlocked": "title",
}

// lists of the records that events are about, by what their links begin with.
var resources = map[string]string{
	"/office/sales-orders": "sales_order", "/office/shipments": "office_shipment",
	"/office/customer-invoices": "customer_invoice", "/office/payments": "payment",
	"/factory/work-orders": "work_order", "/factory/print-runs": "print_run",
	"/factory/shipments": "factory_shipment", "/factory/stock": "stock_item", "/factory/presses": "press",
	"/missions": "mission", "/sandbox/achievements": "achievement", "/office/requisitions": "office_requisition",
	"/office/purchase-orders": "purchase_order", "/office/goods-receipts": "office_goods_receipt",
	"/office/supplier-invoices": "supplier_invoice", "/factory/requisitions": "factory_requisition",
	"/factory/deliveries": "delivery", "/factory/goods-receipts": "factory_goods_receipt",
	"/office/employees": "employee", "/office/leave-requests": "leave_request",
	"/office/payroll-runs": "payroll_run", "/office/contract-lots": "contract_lot",
	"/office/market/trades": "market_trade", "/factory/market-deliveries": "market_delivery",
	"/sandbox/lore-events": "lore_event", "/sandbox/major-orders": "major_order",
}

// checkFeed looks at the form and the order of events.
func (n *tenant) checkFeed(events []object) {
	t := n.t
	rows(t, "EVT.FEED", "EVT.ORDER", "EVT.BODY", "EVT.BODY.ID", "EVT.BODY.TYPE",
		"EVT.BODY.CREATED_AT", "EVT.BODY.SIM_DATE", "EVT.BODY.SANDBOX_ID", "EVT.BODY.SYSTEM", "EVT.BODY.SIMULATION",
		"EVT.BODY.DATA", "EVT.BODY.LINKS_SELF", "OPEN.FEED.ROWS", "OPEN.FEED.GAPLESS", "OPEN.FEED.ASCENDING",
		"OPEN.TIME.CREATED_AT", "OPEN.EVENT.PRIMARY", "OPEN.ENV.LINKS")
	catalogue := eventTypes(t)
	ids := map[string]bool{}
	for i, e := range events {
		if number(t, e, "seq") != int64(i+1) {
			t.Fatalf("event %d has the seq %v", i+1, e["seq"])
		}
		if got := names(e); !slices.Equal(got, []string{
			"created_at", "data", "id", "links", "sandbox_id", "seq", "sim_date", "simulation", "system", "type",
		}) {
			t.Errorf("event %d has the members %v", i+1, got)
		}
		kind := text(e, "type")
		if system, known := catalogue[kind]; !known || e["system"] != system {
			t.Errorf("event %d is of the type %q and the system %v, in the contract %q", i+1, kind, e["system"], system)
		}
		if e["sandbox_id"] != n.id || e["simulation"] != true || ids[text(e, "id")] {
			t.Errorf("event %d is %v", i+1, e)
		}
		ids[text(e, "id")] = true
		if i > 0 && !moment(t, e["created_at"]).After(moment(t, events[i-1]["created_at"])) {
			t.Errorf("event %d is of %v, the one before of %v", i+1, e["created_at"], events[i-1]["created_at"])
		}
		if i > 0 && text(e, "sim_date") < text(events[i-1], "sim_date") {
			t.Errorf("event %d is of the day %v, the one before of %v", i+1, e["sim_date"], events[i-1]["sim_date"])
		}
		n.checkAbout(e)
	}
}

// checkAbout follows the link of an event and looks at its data.
func (n *tenant) checkAbout(e object) {
	t := n.t
	t.Helper()
	kind, data := text(e, "type"), child(t, e, "data")
	self := text(child(t, e, "links"), "self")
	path, id := self[:strings.LastIndex(self, "/")], self[strings.LastIndex(self, "/")+1:]
	if resources[path] == "" || data["id"] != id {
		t.Errorf("%s is about %s, its id is %v", kind, self, data["id"])
	}
	if got := n.row(self); got["id"] != id {
		t.Errorf("%s leads to %v", self, got["id"])
	}
	for _, rider := range changes(t, e) {
		if rider["resource"] == resources[path] && rider["id"] == id {
			t.Errorf("%s is among its own riders", self)
		}
	}
	want := append(strings.Fields(members[kind]), "id")
	if _, moves := data["stock"]; moves {
		want = append(want, "stock")
	}
	if _, has := data["status"]; has {
		want = append(want, "status")
	}
	if _, has := data["changes"]; has {
		want = append(want, "changes")
	}
	slices.Sort(want)
	if got := names(data); !slices.Equal(got, want) {
		t.Errorf("%s has the data %v, want %v", kind, got, want)
	}
}

// eventTypes reads the catalogue from the contract: the system of each type.
func eventTypes(t testing.TB) map[string]string {
	t.Helper()
	all, err := contractRows()
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile("`([a-z_.]+)` is an event type of the system `([a-z]+)`")
	catalogue := map[string]string{}
	for _, line := range all {
		if match := form.FindStringSubmatch(line); match != nil {
			catalogue[match[1]] = match[2]
		}
	}
	if len(catalogue) != 50 {
		t.Fatalf("the contract lists %d event types", len(catalogue))
	}
	return catalogue
}

// checkStates replays the feed and compares the statuses that it tells of
// with those that are served.
func (n *tenant) checkStates(events []object, seen map[string]object) {
	t := n.t
	rows(t, "EVT.ONE", "OPEN.EVENT.STATE")
	told, milestones := map[string]string{}, map[string]int64{}
	stored := map[string]string{} // the list of each resource
	for path, resource := range resources {
		stored[resource] = path
	}
	// Presses, stock and missions are there from the beginning.
	beginnings := map[string][]string{"press": {"idle"}, "stock_item": {"ok"}, "mission": {"active", "upcoming"}}
	for i, e := range events {
		data := child(t, e, "data")
		self := text(child(t, e, "links"), "self")
		moved := 0
		for _, rider := range changes(t, e) {
			moved++
			path := stored[text(rider, "resource")] + "/" + text(rider, "id")
			was, known := told[path]
			if begin := beginnings[text(rider, "resource")]; !known && begin != nil {
				was = begin[0]
			}
			if text(rider, "from") != was || text(rider, "to") == was {
				t.Errorf("event %d moves %s from %v to %v, it was %q", i+1, path, rider["from"], rider["to"], was)
			}
			told[path] = text(rider, "to")
		}
		if status := text(data, "status"); status != "" {
			if told[self] != status {
				moved++
			}
			told[self] = status
		}
		if slices.Contains([]string{"office.payment.received", "hr.leave_request.created", "hr.payroll.due"},
			text(e, "type")) {
			moved++ // a payment, a leave request, a timesheet has no status; its birth is the change
		}
		if e["type"] == "world.major_order.updated" && number(t, data, "milestone") > milestones[self] {
			moved++
			milestones[self] = number(t, data, "milestone")
		}
		if moved == 0 {
			t.Errorf("event %d, %v about %s, changes no state", i+1, e["type"], self)
		}
	}
	for path, row := range seen {
		status := text(row, "status")
		list := path[:strings.LastIndex(path, "/")]
		if status == "" || told[path] == status {
			continue
		}
		if told[path] != "" || !slices.Contains(beginnings[resources[list]], status) {
			t.Errorf("%s is %s, the feed says %q", path, status, told[path])
		}
	}
}

// checkBooks adds up cash and stock.
func (n *tenant) checkBooks(events []object) {
	t := n.t
	rows(t, "OPEN.EVENT.CASH_AND_STOCK", "OPEN.EVENT.STATE", "OPEN.FIELDS.LEDGER_ENTRY", "OPEN.FIELDS.STOCK_MOVE")
	happened := map[string]object{}
	for _, e := range events {
		happened[text(e, "id")] = e
	}
	ledger := n.all("/office/ledger")
	balance, booked := int64(0), map[string]int{}
	for _, entry := range slices.Backward(ledger) {
		balance += number(t, entry, "amount_minor")
		if number(t, entry, "balance_minor") != balance {
			t.Errorf("after %v the balance is %v, want %d", entry["id"], entry["balance_minor"], balance)
		}
		e := happened[text(entry, "event_id")]
		if e == nil {
			if entry["kind"] != "opening_balance" {
				t.Errorf("the entry %v belongs to the event %v", entry["id"], entry["event_id"])
			}
			continue
		}
		booked[text(entry, "event_id")]++
		data := child(t, e, "data")
		if cashOf(t, e) != number(t, entry, "amount_minor") || data["cash_minor"] != entry["balance_minor"] ||
			data["id"] != entry["reference_id"] {
			t.Errorf("the entry %v is for the event %v", entry, e)
		}
	}
	for _, e := range events {
		if cashOf(t, e) != 0 && booked[text(e, "id")] != 1 {
			t.Errorf("the event %v has %d entries", e["id"], booked[text(e, "id")])
		}
	}
	if cash := n.row("/office/cash"); number(t, cash, "cash_minor") != balance {
		t.Errorf("cash is %v, the ledger adds up to %d", cash["cash_minor"], balance)
	}
	n.checkStock(happened)
}

// payments are the events that take cash, and the member that says how much.
var payments = map[string]string{
	"office.supplier_invoice.paid": "paid_minor", "office.contract_lot.expired": "penalty_minor",
	"hr.employee.hired": "fee_minor", "hr.employee.dismissed": "severance_minor", "hr.payroll.paid": "total_minor",
}

// cashOf returns the cash that an event brought, or took.
func cashOf(t testing.TB, e object) int64 {
	t.Helper()
	kind, data := text(e, "type"), child(t, e, "data")
	switch taken := payments[kind]; {
	case taken != "":
		return -number(t, data, taken)
	case kind == "office.payment.received":
		return number(t, data, "amount_minor")
	case kind == "office.market_trade.executed" && data["side"] == "buy":
		return -number(t, data, "total_minor")
	case kind == "office.market_trade.executed":
		return number(t, data, "total_minor")
	default:
		return 0
	}
}

func (n *tenant) checkStock(happened map[string]object) {
	t := n.t
	t.Helper()
	onHand := map[string]int64{}
	moves := n.all("/factory/stock-moves")
	issued, received := map[string]bool{}, map[string]int64{}
	moved := map[string]map[string]int64{}
	for _, move := range slices.Backward(moves) {
		sku := text(move, "sku")
		onHand[sku] += number(t, move, "quantity")
		if number(t, move, "balance_after") != onHand[sku] {
			t.Errorf("after %v there are %v of %s, want %d", move["id"], move["balance_after"], sku, onHand[sku])
		}
		e := happened[text(move, "event_id")]
		if (e == nil) != (move["kind"] == "opening") {
			t.Errorf("the move %v of the kind %v belongs to the event %v", move["id"], move["kind"], move["event_id"])
		}
		if e != nil && child(t, e, "data")["id"] != move["reference_id"] {
			t.Errorf("the move %v is of %v, its event about %v",
				move["id"], move["reference_id"], child(t, e, "data")["id"])
		}
		if e != nil {
			if moved[text(e, "id")] == nil {
				moved[text(e, "id")] = map[string]int64{}
			}
			moved[text(e, "id")][sku] += number(t, move, "quantity")
		}
		if move["kind"] == "receipt" {
			received[text(move, "event_id")] += number(t, move, "quantity")
		}
		if move["kind"] == "issue" {
			issued[text(move, "event_id")] = true
		}
	}
	for id, e := range happened {
		if told := stockOf(t, e); !maps.Equal(told, moved[id]) {
			t.Errorf("the event %v of the type %v says that stock moved by %v, the moves say %v",
				id, e["type"], told, moved[id])
		}
		if e["type"] == "factory.goods_receipt.recorded" &&
			received[id] != number(t, child(t, e, "data"), "quantity_accepted") {
			t.Errorf("the event %v says that %v were accepted, the stock got %d",
				id, child(t, e, "data")["quantity_accepted"], received[id])
		}
		if started := e["type"] == "factory.print_run.started"; started != issued[id] {
			t.Errorf("the event %v of the type %v has issues of material: %v", id, e["type"], issued[id])
		}
	}
	for _, item := range n.all("/factory/stock") {
		if number(t, item, "on_hand") != onHand[text(item, "sku")] {
			t.Errorf("%v of %v are on hand, the moves add up to %d",
				item["on_hand"], item["sku"], onHand[text(item, "sku")])
		}
	}
}

// stockOf returns the changes of the stock in an event, by SKU.
func stockOf(t testing.TB, e object) map[string]int64 {
	t.Helper()
	data, told := child(t, e, "data"), map[string]int64{}
	if _, moves := data["stock"]; moves {
		for _, change := range children(t, data, "stock") {
			told[text(change, "sku")] += number(t, change, "quantity")
		}
	}
	return told
}

// checkWalls looks for data of one system in the other.
func (n *tenant) checkWalls(seen map[string]object) {
	rows(n.t, "OPEN.SYSTEMS.NATURAL_KEYS", "SVC.TWO_SYSTEMS")
	foreign := map[string]*regexp.Regexp{
		"/office/": regexp.MustCompile(`^(wo|pr|itm|mov|shf|opr|att|prs|frq|dlv|grf|mdl)_[0-9a-z]+$`),
		"/factory/": regexp.MustCompile(
			`^(so|sho|cin|pay|led|cus|rqn|po|gro|sin|sup|emp|lvr|tms|prl|lot|mtr)_[0-9a-z]+$`),
	}
	bridges := []string{
		"bridged_work_order_id", "work_order_ref", "factory_shipment_ref", "bridged_office_shipment_id", "reference",
		"trade_ref", "market_delivery_id",
	}
	// The exchange's carrier fetches what was sold with a note of the trade.
	carrierNote := regexp.MustCompile(`^mtr_`)
	var look func(path, name string, value any)
	look = func(path, name string, value any) {
		switch value := value.(type) {
		case object:
			for inner, v := range value {
				look(path, inner, v)
			}
		case []any:
			for _, v := range value {
				look(path, name, v)
			}
		case string:
			for system, shape := range foreign {
				if strings.HasPrefix(path, system) && shape.MatchString(value) && !slices.Contains(bridges, name) &&
					(name != "reference_id" || !carrierNote.MatchString(value)) {
					n.t.Errorf("%s: %s is %s, of the other system", path, name, value)
				}
			}
		case json.Number, bool, nil:
		}
	}
	for path, row := range seen {
		look(path, "", row)
	}
}
