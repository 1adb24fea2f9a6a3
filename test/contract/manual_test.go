package contract

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestWithTheManualBridgeTheClientCarriesEverything plays a week in which some
// records disagree: an order is billed long before its goods leave, one is sent
// with an unknown reference.
func TestWithTheManualBridgeTheClientCarriesEverything(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BRIDGE.MANUAL", "OPEN.STATE.CUSTOMER_INVOICE.PHYSICAL", "OPEN.STATE.FACTORY_SHIPMENT.REFERENCE",
		"OPEN.PRESET.MANUAL")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	w := watch(n)
	early, number, lost := text(n.order("SO-1001"), "id"), text(n.order("SO-1002"), "id"),
		text(n.order("SO-1003"), "id")
	var invoice, parcel string
	w.step("accept", func() {
		for _, id := range []string{early, number, lost} {
			w.acceptsByHand(id)
		}
	})
	w.step("bill what was never sent", func() { invoice = w.bills(early) })
	var works []string
	w.step("print", func() {
		works = []string{
			text(n.work("prd_flyer", 120, "SO-1002"), "id"), text(n.work("prd_poster", 30, "SO-9999"), "id"),
			text(n.work("prd_card", 10, early), "id"),
		}
		n.post("/factory/print-runs",
			encode(t, object{"press_id": "prs_digital", "work_order_ids": works[:2], "overs_pct": 20})).want(201, "")
		n.tick(300)
		n.print(works[2])
	})
	w.step("send, and bill, two", func() {
		before := n.newest()
		if sent := n.dispatch(works[0]); sent["bridged_office_shipment_id"] != nil {
			t.Errorf("the manual bridge carried %v", sent)
		}
		n.dispatch(works[1])
		if got := types(n.feed(before)); !slices.Equal(got,
			[]string{"factory.shipment.created", "factory.shipment.created"}) {
			t.Errorf("two parcels wrote %v", got)
		}
		if got := n.row("/office/sales-orders/" + number)["status"]; got != "accepted" {
			t.Errorf("the order whose goods left is %v at Head Office", got)
		}
		n.bill(number)
		n.bill(lost)
	})
	for range 4 {
		w.step("a day passes", func() { n.day() })
	}
	w.step("the customer waits", func() { w.isDisputed(early, invoice) })
	w.step("send the goods at last", func() { parcel = text(n.dispatch(works[2]), "id") })
	if parcel == "" || n.row("/office/customer-invoices/" + invoice)["status"] != "overdue" {
		t.Error("the invoice is not overdue any more though nobody paid")
	}
	for range 2 {
		w.step("a day passes", func() { n.day() })
	}
	settled := n.row("/office/customer-invoices/" + invoice)
	if settled["status"] != "paid" || settled["paid_on"] == nil ||
		n.row("/office/sales-orders/" + early)["status"] != "paid" {
		t.Errorf("with the goods the customer did not pay: %v", settled)
	}
	// A reference can be the number of the order. Goods with any other reference
	// reach no customer, and are not paid.
	if got := n.row("/office/sales-orders/" + number)["status"]; got != "paid" {
		t.Errorf("the goods for SO-1002 were sent and billed, and the order is %v", got)
	}
	unpaid := n.row("/office/customer-invoices/" + text(n.row("/office/sales-orders/"+lost), "invoice_id"))
	if unpaid["status"] != "overdue" || unpaid["dispute_code"] != "goods_not_received" {
		t.Errorf("the goods for SO-1003 went to SO-9999, and its invoice is %v with the dispute %v",
			unpaid["status"], unpaid["dispute_code"])
	}
	w.ended()
}

func (w *witness) acceptsByHand(id string) {
	t := w.t
	rows(t, "SO.ACCEPT.MANUAL", "SO.STATUS", "OPEN.BRIDGE.MANUAL", "EVT.ONE")
	before := w.newest()
	a := w.post("/office/sales-orders/"+id+"/accept", "").want(http.StatusOK, "")
	if order := a.Data(); order["status"] != "accepted" || order["bridged_work_order_id"] != nil {
		t.Errorf("the accepted order is %v with %v", order["status"], order["bridged_work_order_id"])
	}
	w.sameRow(a, "/office/sales-orders/"+id)
	if works := w.all("/factory/work-orders"); len(works) != 0 {
		t.Errorf("the manual bridge made %v", works)
	}
	events := slices.DeleteFunc(w.feed(before), func(e object) bool { return e["type"] == "sandbox.mission.completed" })
	if got := types(events); !slices.Equal(got, []string{"office.sales_order.accepted"}) {
		t.Errorf("acceptance wrote %v", got)
	}
	w.says(events, id, "office.sales_order.accepted",
		object{"status": "accepted", "bridge": "manual", "bridged_work_order_id": nil})
}

func (w *witness) bills(order string) (invoice string) {
	t := w.t
	rows(t, "SHP.FIELDS", "SHP.INVOICE", "ROUTE.OFFICE.SHIPMENTS.CREATE",
		"OPEN.FIELDS.OFFICE_SHIPMENT", "OPEN.FIELDS.CUSTOMER_INVOICE", "OPEN.STATE.SALES_ORDER.SHIPPED",
		"OPEN.ERR.QUANTITY_MISMATCH", "CONV.SAME_ROW", "OPEN.EVENT.CHANGES", "OPEN.BRIDGE.MANUAL")
	sold := w.row("/office/sales-orders/" + order)
	ordered := number(t, sold, "quantity")
	wrong := w.post("/office/shipments", encode(t, object{"sales_order_id": order, "quantity": ordered + 1})).
		want(http.StatusUnprocessableEntity, "quantity_mismatch")
	if number(t, wrong.details(), "quantity") != ordered {
		t.Errorf("quantity_mismatch has the details %v", wrong.details())
	}
	w.post("/office/shipments",
		encode(t, object{"sales_order_id": order, "factory_shipment_ref": strings.Repeat("x", 65)})).
		want(422, "validation_failed")
	before := w.newest()
	a := w.post("/office/shipments",
		encode(t, object{"sales_order_id": order, "quantity": ordered, "factory_shipment_ref": "a blue van"})).
		want(http.StatusCreated, "")
	row := a.Data()
	has(t, "an office shipment", row, "id", "number", "sales_order_id", "contract_lot_id", "quantity", "shipped_on",
		"factory_shipment_ref", "source", "status", "invoice")
	if row["status"] != "shipped" || row["factory_shipment_ref"] != "a blue van" || row["source"] != "client" ||
		number(t, row, "quantity") != ordered {
		t.Errorf("the shipment is %v", row)
	}
	w.sameRow(a, "/office/shipments/"+text(row, "id"))
	nested := child(t, row, "invoice")
	has(t, "a customer invoice", nested, "id", "number", "shipment_id", "sales_order_id", "contract_lot_id",
		"customer_id", "gross_minor", "late_discount_minor", "total_minor", "amount_paid_minor", "balance_minor",
		"issued_on", "due_date", "status", "dispute_code", "paid_on")
	if nested["status"] != "open" || nested["total_minor"] != sold["total_minor"] ||
		nested["balance_minor"] != nested["total_minor"] || nested["shipment_id"] != row["id"] {
		t.Errorf("the invoice is %v", nested)
	}
	if got := w.row("/office/customer-invoices/" + text(nested, "id")); encode(t, got) != encode(t, nested) {
		t.Errorf("nested is %v, listed %v", nested, got)
	}
	if parcels := w.all("/factory/shipments"); len(parcels) != 0 {
		t.Errorf("the manual bridge sent %v", parcels)
	}
	events := w.feed(before)
	if got := slices.DeleteFunc(types(events), func(kind string) bool { return !notMission(kind) }); !slices.Equal(got,
		[]string{"office.customer_invoice.created"}) {
		t.Errorf("the shipment wrote %v", got)
	}
	if got := w.rider(events, "office.customer_invoice.created", "sales_order", order); got != "accepted>shipped" {
		t.Errorf("the order went %s", got)
	}
	return text(nested, "id")
}

func (w *witness) isDisputed(order, invoice string) {
	t := w.t
	rows(t, "OPEN.STATE.CUSTOMER_INVOICE", "EVT.TYPE.OFFICE.CUSTOMER_INVOICE.OVERDUE",
		"OPEN.EVT.OFFICE.CUSTOMER_INVOICE.OVERDUE", "OPEN.STATE.CUSTOMER_INVOICE.PHYSICAL")
	row := w.row("/office/customer-invoices/" + invoice)
	if row["status"] != "overdue" || row["dispute_code"] != "goods_not_received" ||
		number(t, row, "amount_paid_minor") != 0 {
		t.Errorf("goods were billed and not sent, and the invoice is %v", row)
	}
	if nested := child(t, w.row("/office/shipments/"+text(row, "shipment_id")),
		"invoice"); encode(t, nested) != encode(t, row) {
		t.Errorf("nested is %v, listed %v", nested, row)
	}
	events := w.feed(0)
	w.says(events, invoice, "office.customer_invoice.overdue", object{"status": "overdue", "number": row["number"],
		"balance_minor": row["balance_minor"], "due_date": row["due_date"], "dispute_code": "goods_not_received"})
	for _, e := range ofType(events, "office.customer_invoice.overdue") {
		// It is due on Thursday the 10th, and overdue when the 11th opens.
		if data := child(t, e, "data"); data["id"] == invoice &&
			(row["due_date"] != "2026-09-10" || e["sim_date"] != "2026-09-11") {
			t.Errorf("due on %v, overdue on %v", row["due_date"], e["sim_date"])
		}
	}
	if w.row("/office/sales-orders/" + order)["status"] != "shipped" {
		t.Error("the order is not shipped any more")
	}
}

// TestGoodsThatWereNeverBilledBringNoCash sends an order and bills nothing.
func TestGoodsThatWereNeverBilledBringNoCash(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.CUSTOMER_INVOICE.PHYSICAL")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	order := n.accept(text(n.order("SO-1001"), "id"))
	work := text(n.work("prd_card", 10, text(order, "id")), "id")
	n.print(work)
	n.tick(480)
	n.dispatch(work)
	for range 4 {
		n.day()
	}
	invoiced := map[string]bool{}
	for _, i := range n.all("/office/customer-invoices") {
		invoiced[text(i, "id")] = true
		if i["sales_order_id"] == order["id"] {
			t.Errorf("nobody billed the order, and there is %v", i)
		}
	}
	for _, p := range n.all("/office/payments") {
		if p["payer_name"] == order["customer_name"] || !invoiced[text(p, "customer_invoice_id")] {
			t.Errorf("nobody was billed, and there is %v", p)
		}
	}
	if got := n.row("/office/sales-orders/" + text(order, "id"))["status"]; got != "accepted" {
		t.Errorf("the order is %v", got)
	}
}

// TestTheBridgeDecidesNothing accepts one order and does nothing else.
func TestTheBridgeDecidesNothing(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BRIDGE.DECIDES_NOTHING", "OPEN.BRIDGE.ORDER")
	n := shared.create(t, `{"seed":5,"clock":"manual"}`)
	order := n.accept(text(n.order("SO-1001"), "id"))
	shipped := len(n.all("/office/shipments"))
	n.day()
	for _, other := range n.all("/office/sales-orders") {
		if status := text(other, "status"); other["id"] != order["id"] && status != "received" && status != "shipped" &&
			status != "paid" {
			t.Errorf("nobody touched %v, and it is %s", other["number"], status)
		}
	}
	works := n.all("/factory/work-orders")
	if len(works) != 1 || works[0]["status"] != "created" || works[0]["reference"] != order["id"] ||
		len(n.all("/factory/print-runs")) != 0 {
		t.Errorf("the bridge left the work orders %v", works)
	}
	if len(n.all("/factory/shipments")) != 0 || len(n.all("/office/shipments")) != shipped ||
		n.row("/office/sales-orders/" + text(order, "id"))["status"] != "in_production" {
		t.Error("the bridge shipped by itself")
	}
}

// TestNobodyKeepsAnOrderFromBeingAccepted: a work order of the client which has
// the order's reference does not prevent the bridge's.
func TestNobodyKeepsAnOrderFromBeingAccepted(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BRIDGE.ORDER", "SO.ACCEPT.AUTO")
	n := shared.create(t, `{"seed":3,"clock":"manual"}`)
	order := n.order("SO-1001")
	own := n.work("prd_card", 10, text(order, "id"))
	got := n.accept(text(order, "id"))
	work := n.row("/factory/work-orders/" + text(got, "bridged_work_order_id"))
	if got["status"] != "in_production" || work["id"] == own["id"] || work["source"] != "bridge" ||
		work["reference"] != order["id"] || work["quantity"] != order["quantity"] {
		t.Errorf("the order is %v, the bridge's work order %v", got, work)
	}
}

// TestTheBridgeKnowsTheGoodsAsTheCustomerDoes: by the number of the order, too.
func TestTheBridgeKnowsTheGoodsAsTheCustomerDoes(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BRIDGE.SHIPMENT", "OPEN.STATE.FACTORY_SHIPMENT.REFERENCE")
	n := shared.create(t, `{"seed":3,"clock":"manual"}`)
	order := n.accept(text(n.order("SO-1001"), "id"))
	own := n.work(text(order, "sku"), int(number(t, order, "quantity")), "SO-1001")
	n.print(text(own, "id"))
	n.tick(150)
	parcel := n.post("/factory/shipments", encode(t, object{"work_order_id": own["id"]})).
		want(http.StatusCreated, "").Data()
	mirror := n.row("/office/shipments/" + text(parcel, "bridged_office_shipment_id"))
	if mirror["sales_order_id"] != order["id"] || mirror["factory_shipment_ref"] != parcel["id"] ||
		n.order("SO-1001")["status"] != "shipped" {
		t.Errorf("Head Office has %v, the order is %v", mirror, n.order("SO-1001")["status"])
	}
	run := encode(t, object{"press_id": "prs_digital", "work_order_id": order["bridged_work_order_id"]})
	n.refusesQuietly("/factory/print-runs", run, http.StatusConflict, "invalid_state")
	n.refusesQuietly("/office/shipments", encode(t, object{"sales_order_id": order["id"]}),
		http.StatusConflict, "invalid_state")
}

// TestTheOfficeCanShipToo ships an order from Head Office with the auto
// bridge, which sends the goods from the Factory.
func TestTheOfficeCanShipToo(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BRIDGE.SHIPMENT", "OPEN.ERR.WORK_ORDER_NOT_READY", "OPEN.EVENT.TWO", "CONV.SAME_ROW")
	n := shared.create(t, `{"seed":5,"clock":"manual"}`)
	order := n.accept(text(n.order("SO-1001"), "id"))
	id, work := text(order, "id"), text(order, "bridged_work_order_id")
	n.post("/office/shipments", encode(t, object{"sales_order_id": id})).
		want(http.StatusConflict, "work_order_not_ready")
	n.print(work)
	n.tick(150)
	before := n.newest()
	a := n.post("/office/shipments", encode(t, object{"sales_order_id": id})).want(http.StatusCreated, "")
	n.sameRow(a, "/office/shipments/"+text(a.Data(), "id"))
	parcels := n.all("/factory/shipments")
	if len(parcels) != 1 || parcels[0]["bridged_office_shipment_id"] != a.Data()["id"] ||
		parcels[0]["source"] != "bridge" || parcels[0]["work_order_id"] != work {
		t.Errorf("from the Factory went %v", parcels)
	}
	if got := types(n.feed(before)); len(got) < 2 || got[0] != "factory.shipment.created" ||
		got[1] != "office.customer_invoice.created" {
		t.Errorf("the shipment wrote %v", got)
	}
}

// TestLateDeliveriesInstalmentsAndMissedOrders plays two weeks with many
// orders and short due dates. One of the morning is by a customer who pays by halves.
func TestLateDeliveriesInstalmentsAndMissedOrders(t *testing.T) {
	t.Parallel()
	n := serve(t, hasty(t)).create(t, briskSandbox)
	w := watch(n)
	w.step("the morning", func() {
		n.tick(240)
		for range n.all("/office/customers") { // they take turns
			n.pulls(object{"type": "order", "sku": "prd_card", "quantity": 10, "days": 1})
		}
	})
	var halves, missed object
	w.step("accept everything", func() {
		for _, order := range n.all("/office/sales-orders?status=received") {
			n.accept(text(order, "id"))
			terms := n.row("/office/customers/" + text(order, "customer_id"))
			has(t, "a customer", terms, "name", "payment_terms_days", "payment_habit", "credit_note",
				"satisfaction_pct")
			if small := number(t, order, "quantity") <= 50; halves == nil && terms["payment_habit"] == "instalments" &&
				number(t, terms, "payment_terms_days") == 5 && small {
				halves = order
			} else if missed == nil && order["due_date"] == "2026-09-08" {
				missed = order
			}
		}
	})
	if halves == nil || missed == nil {
		t.Fatal("no order of the kinds that this is about came in the morning")
	}
	w.step("print the one", func() {
		n.print(text(n.row("/office/sales-orders/"+text(halves, "id")), "bridged_work_order_id"))
	})
	w.step("the first day ends", func() { n.tick(240) })
	w.step("the second day", func() { n.day() })
	w.step("send it, a day late", func() { n.bill(text(halves, "id")) })
	w.step("the third day", func() { n.day() })
	w.isMissed(missed)
	for range 7 {
		if n.row("/office/sales-orders/" + text(halves, "id"))["status"] == "paid" {
			break
		}
		w.step("a day passes", func() { n.day() })
	}
	w.isPaidByHalves(text(halves, "id"))
	w.ended()
}

// briskSandbox has many orders in the first morning.
const briskSandbox = `{"preset":"brisk","seed":1}`

func (w *witness) isMissed(order object) {
	t := w.t
	rows(t, "OPEN.STATE.SALES_ORDER.MISSED", "EVT.TYPE.OFFICE.SALES_ORDER.EXPIRED",
		"OPEN.EVT.OFFICE.SALES_ORDER.EXPIRED")
	row := w.row("/office/sales-orders/" + text(order, "id"))
	if row["status"] != "expired" || row["expired_reason"] != "delivery_missed" {
		t.Errorf("the order to be delivered by %v is %v: %v", row["cancel_after"], row["status"], row["expired_reason"])
	}
	events := w.feed(0)
	w.says(events, text(order, "id"), "office.sales_order.expired",
		object{"status": "expired", "number": row["number"], "reason": "delivery_missed"})
	for _, e := range ofType(events, "office.sales_order.expired") {
		if child(t, e, "data")["id"] == row["id"] &&
			(row["cancel_after"] != "2026-09-09" || e["sim_date"] != "2026-09-10") {
			t.Errorf("to be delivered by %v, expired on %v", row["cancel_after"], e["sim_date"])
		}
	}
	// With the auto bridge, goods that no customer will take cannot be printed.
	w.post("/factory/print-runs",
		encode(t, object{"press_id": "prs_offset", "work_order_id": row["bridged_work_order_id"]})).
		want(http.StatusConflict, "invalid_state")
}

func (w *witness) isPaidByHalves(id string) {
	t := w.t
	rows(t, "OPEN.STATE.PAYMENT.INSTALMENTS", "OPEN.STATE.SALES_ORDER.PAID", "OPEN.FIELDS.CUSTOMER",
		"OPEN.FIELDS.PAYMENT")
	order := w.row("/office/sales-orders/" + id)
	invoice := w.row("/office/customer-invoices/" + text(order, "invoice_id"))
	gross, discount := number(t, invoice, "gross_minor"), number(t, invoice, "late_discount_minor")
	if gross != number(t, order, "total_minor") || discount <= 0 ||
		number(t, invoice, "total_minor") != gross-discount || discount != number(t, order, "late_discount_minor") {
		t.Errorf("delivered a day late, %d are billed with the discount %d as %v",
			gross, discount, invoice["total_minor"])
	}
	var halves []object
	for _, p := range w.all("/office/payments") {
		if p["customer_invoice_id"] == invoice["id"] {
			halves = append(halves, p)
		}
	}
	if len(halves) != 2 || order["status"] != "paid" || invoice["status"] != "paid" {
		t.Fatalf("the order is %v, the invoice %v, with %d payments", order["status"], invoice["status"], len(halves))
	}
	sum := number(t, halves[0], "amount_minor") + number(t, halves[1], "amount_minor")
	if apart := number(t, halves[0], "amount_minor") - number(t, halves[1],
		"amount_minor"); sum != number(t, invoice, "total_minor") || apart < 0 || apart > 1 {
		t.Errorf("of %v were paid %v and %v",
			invoice["total_minor"], halves[1]["amount_minor"], halves[0]["amount_minor"])
	}
	events := w.feed(0)
	w.says(events, text(halves[1], "id"), "office.payment.received",
		object{"remaining_minor": halves[0]["amount_minor"]})
	w.says(events, text(halves[0], "id"), "office.payment.received", object{"remaining_minor": 0})
	w.about(events, text(invoice, "id"), "office.customer_invoice.paid")
}
