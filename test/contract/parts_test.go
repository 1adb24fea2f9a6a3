package contract

import (
	"net/http"
	"slices"
	"testing"
)

// orderTaking returns an order that waits, of at least 10 units, whose customer is wanted.
func (n *tenant) orderTaking(wanted func(customer object, quantity int64) bool) (order object) {
	n.t.Helper()
	for _, order := range n.all("/office/sales-orders?status=received") {
		quantity := number(n.t, order, "quantity")
		if quantity >= 10 && wanted(n.row("/office/customers/"+text(order, "customer_id")), quantity) {
			return order
		}
	}
	n.t.Fatal("no order of such a customer waits")
	return nil
}

func takesParts(customer object, _ int64) bool {
	return customer["accepts_parts"] == true && customer["payment_habit"] != "instalments"
}

func (n *tenant) sends(body object) *answer { return n.post("/factory/shipments", encode(n.t, body)) }

// TestAnOrderGoesInParts: with the auto bridge each part is sent and billed at once, from either side.
func TestAnOrderGoesInParts(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.PART.SHIP", "OPEN.PART.BILL", "OPEN.PART.CUSTOMER", "OPEN.BRIDGE.SHIPMENT",
		"OPEN.STATE.SALES_ORDER.SHIPPED", "OPEN.STATE.SALES_ORDER.PAID", "OPEN.FIELDS.CUSTOMER",
		"OPEN.EVT.FACTORY.SHIPMENT.CREATED", "OPEN.EVT.OFFICE.CUSTOMER_INVOICE.CREATED", "OPEN.ERR.QUANTITY_MISMATCH",
		"OPEN.MISSION.ORDER_IN_PARTS")
	n := shared.create(t, `{"seed":3,"clock":"manual"}`)
	order := n.accept(text(n.orderTaking(takesParts), "id"))
	id, work, quantity := text(order, "id"), text(order, "bridged_work_order_id"), number(t, order, "quantity")
	n.refusesQuietly("/factory/shipments", encode(t, object{"work_order_id": work, "quantity": 1}),
		http.StatusConflict, "work_order_not_ready")
	n.print(work)
	n.tick(240)

	for _, wrong := range []string{"0", "-1", "1.5", `"4"`, "9223372036854775808"} {
		n.post("/factory/shipments", `{"work_order_id":"`+work+`","quantity":`+wrong+`}`).
			want(http.StatusUnprocessableEntity, "validation_failed")
	}
	a := n.sends(object{"work_order_id": work, "quantity": quantity + 1}).want(422, "quantity_mismatch")
	if number(t, a.details(), "quantity") != quantity {
		t.Errorf("more than is ready is refused with %v", a.details())
	}
	before := n.newest()
	first := n.sends(object{"work_order_id": work, "quantity": 4, "part_ref": "part 1"}).want(201, "").Data()
	if number(t, first, "quantity") != 4 || first["part_ref"] != "part 1" || first["final"] != false {
		t.Errorf("the first part is %v", first)
	}
	events := n.feed(before)
	if got := types(events); len(got) < 2 || got[0] != "factory.shipment.created" ||
		got[1] != "office.customer_invoice.created" || rides(events, id) || rides(events, work) {
		t.Errorf("the first part wrote %v", events)
	}
	got, made := n.row("/office/sales-orders/"+id), n.row("/factory/work-orders/"+work)
	if got["status"] != "in_production" || number(t, got, "quantity_billed") != 4 || made["status"] != "ready" ||
		number(t, made, "quantity_shipped") != 4 || number(t, made, "quantity_ready") != quantity {
		t.Errorf("after the first part there are %v and %v", got, made)
	}
	n.sends(object{"work_order_id": work, "quantity": 1, "part_ref": "Part 1"}).want(409, "duplicate_reference")
	second := n.post("/office/shipments", encode(t, object{"sales_order_id": id, "quantity": 2})).want(201, "").Data()
	parcel := n.row("/factory/shipments/" + text(second, "factory_shipment_ref"))
	if number(t, parcel, "quantity") != 2 || parcel["source"] != "bridge" {
		t.Errorf("Head Office sent %v", parcel)
	}
	before = n.newest()
	n.sends(object{"work_order_id": work}).want(201, "")
	events = n.feed(before)
	if n.rider(events, "factory.shipment.created", "work_order", work) != "ready>shipped" ||
		n.rider(events, "office.customer_invoice.created", "sales_order", id) != "in_production>shipped" {
		t.Errorf("the last part wrote %v", events)
	}
	for range 12 {
		n.day()
	}
	got = n.row("/office/sales-orders/" + id)
	invoices, _ := got["invoice_ids"].([]any)
	sum := int64(0)
	for _, invoice := range invoices {
		row := n.row("/office/customer-invoices/" + invoice.(string))
		sum += number(t, row, "gross_minor")
	}
	if got["status"] != "paid" || len(invoices) != 3 || sum != number(t, got, "total_minor") {
		t.Errorf("in the end the order is %v with %v over %d", got["status"], invoices, sum)
	}
	if got := n.missions()["order_in_parts"]; got != "completed" {
		t.Errorf("the mission is %s", got)
	}
	paid := slices.DeleteFunc(n.feed(0), func(e object) bool {
		return e["type"] != "office.customer_invoice.paid" || child(t, e, "data")["sales_order_id"] != id
	})
	for i, e := range paid {
		if last := i == len(paid)-1; rides([]object{e}, id) != last {
			t.Errorf("payment %d of %d wrote %v", i+1, len(paid), e)
		}
	}
}

// rides reports whether the status of a record moves with one of the events.
func rides(events []object, id string) bool {
	return slices.ContainsFunc(events, func(e object) bool {
		data, _ := e["data"].(object)
		changes, _ := data["changes"].([]any)
		return slices.ContainsFunc(changes, func(c any) bool {
			change, _ := c.(object)
			return change["id"] == id
		})
	})
}

// TestPartsAreCarriedByHand: with the manual bridge the client bills them, each once.
func TestPartsAreCarriedByHand(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.PART.NAMED", "OPEN.PART.FINAL", "OPEN.PART.OVER", "OPEN.PART.LATE", "OPEN.PART.REST",
		"OPEN.BODY.OFFICE.SHIPMENTS", "OPEN.BODY.FACTORY.SHIPMENTS", "OPEN.INTEGRATION.VERDICT",
		"OPEN.INTEGRATION.OBLIGATION", "OPEN.MISSION.CLOSE_SHORT")
	n := shared.create(t, `{"preset":"manual","seed":3,"clock":"manual"}`)
	order := n.accept(text(n.orderTaking(func(customer object, quantity int64) bool {
		return quantity*number(t, customer, "delivery_tolerance_pct") >= 100
	}), "id"))
	id, quantity := text(order, "id"), number(t, order, "quantity")
	tolerance := number(t, n.row("/office/customers/"+text(order, "customer_id")), "delivery_tolerance_pct")
	least := quantity - quantity*tolerance/100
	work := text(n.work(text(order, "sku"), int(quantity), id), "id")
	n.print(work)
	n.tick(240)
	parcel := text(n.sends(object{"work_order_id": work, "quantity": 4}).want(201, "").Data(), "id")
	bill := encode(t, object{"sales_order_id": id, "quantity": 4, "factory_shipment_ref": parcel})
	first := n.post("/office/shipments", bill).want(201, "").Data()
	if got := child(t, first, "invoice"); number(t, got, "gross_minor") != 4*number(t, order, "unit_price_minor") {
		t.Errorf("the bill of 4 is %v", got)
	}
	again := n.post("/office/shipments", bill).want(409, "duplicate_reference")
	if again.details()["shipment_id"] != first["id"] {
		t.Errorf("the second bill is refused with %v", again.details())
	}
	short := n.post("/office/shipments", encode(t, object{
		"sales_order_id": id, "quantity": least - 5, "final": true,
	})).want(422, "quantity_mismatch")
	if number(t, short.details(), "quantity") != least-4 {
		t.Errorf("a final bill for too few is refused with %v, the least is %d", short.details(), least)
	}
	rest := object{"work_order_id": work, "quantity": least - 4, "final": true}
	last := text(n.sends(rest).want(201, "").Data(), "id")
	if made := n.row("/factory/work-orders/" + work); made["status"] != "shipped" || made["waits_for"] != "nothing" ||
		number(t, made, "quantity_shipped") != least {
		t.Errorf("after the final part the work order is %v", made)
	}
	n.post("/office/shipments", encode(t, object{
		"sales_order_id": id, "quantity": least - 4, "final": true, "factory_shipment_ref": last,
	})).want(201, "")
	if got := n.row("/office/sales-orders/" + id); got["status"] != "shipped" ||
		number(t, got, "quantity_billed") != least || n.missions()["close_short"] != "completed" {
		t.Errorf("after the final bill the order is %v, the mission %s", got, n.missions()["close_short"])
	}
	n.work(text(order, "sku"), 1, id) // the reference of what was closed short is free
	for range 3 {
		n.day()
	}
	counts := child(t, n.score(), "counts")
	if number(t, counts, "exact") != number(t, counts, "due") || number(t, counts, "due") < 2 {
		t.Errorf("the score of two parts is %v", counts)
	}
}

// TestWhatIsReadyLeavesBeforeTheRest is printed.
func TestWhatIsReadyLeavesBeforeTheRest(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.PART.READY", "OPEN.STATE.PRINT_RUN.FINISHING", "OPEN.STATE.WORK_ORDER.SHORT",
		"OPEN.FIELDS.WORK_ORDER")
	n := shared.create(t, `{"seed":3,"clock":"manual"}`)
	order := n.accept(text(n.orderTaking(takesParts), "id"))
	work := text(order, "bridged_work_order_id")
	n.post("/factory/print-runs", encode(t, object{"press_id": "prs_digital", "work_order_id": work, "overs_pct": 0})).
		want(201, "")
	n.tick(300)
	made := n.row("/factory/work-orders/" + work)
	ready := number(t, made, "quantity_ready")
	if made["status"] != "printing" || made["waits_for"] != "press" || ready == 0 ||
		ready != number(t, made, "quantity_good") {
		t.Fatalf("the run without overs left %v", made)
	}
	n.sends(object{"work_order_id": work}).want(409, "work_order_not_ready")
	n.sends(object{"work_order_id": work, "quantity": ready}).want(201, "")
	n.print(work)
	n.refusesQuietly("/factory/shipments", encode(t, object{"work_order_id": work, "final": true}),
		http.StatusConflict, "work_order_not_ready")
	n.tick(300)
	n.sends(object{"work_order_id": work}).want(201, "")
	wrote := 0
	for _, e := range n.feed(0) {
		if e["type"] == "factory.work_order.ready" && child(t, e, "data")["number"] == made["number"] {
			wrote++
		}
	}
	if got := n.row("/office/sales-orders/" + text(order, "id")); wrote != 1 || got["status"] != "shipped" {
		t.Errorf("ready was written %d times, the order is %v", wrote, got)
	}
}
