package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestWithTheManualBridgeTheClientCarriesALot accepts four lots. One takes its
// proper road; one is billed long before its goods leave in two parcels; of one
// a part is sent without a customer; one is forgotten.
func TestWithTheManualBridgeTheClientCarriesALot(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BRIDGE.MANUAL", "OPEN.BRIDGE.LOT", "OPEN.STATE.CUSTOMER_INVOICE.PHYSICAL",
		"OPEN.STATE.FACTORY_SHIPMENT.REFERENCE")
	n := bulk(t, "manual", nil)
	w := watch(n)
	lots := map[string]object{}
	w.step("four mornings", func() {
		n.untilDay(3)
		lots["LOT-0001"] = w.acceptsLotByHand("LOT-0001", "")
		n.untilDay(4)
	})
	w.step("accept", func() {
		for _, numbered := range []string{"LOT-0002", "LOT-0003", "LOT-0004"} {
			lots[numbered] = w.acceptsLotByHand(numbered, "{}")
		}
	})
	w.step("print and send the first", func() { w.sendsLotByHand(lots["LOT-0001"]) })
	w.step("bill the others first", func() {
		for _, numbered := range []string{"LOT-0002", "LOT-0003"} {
			w.billsLotByHand(lots[numbered], "")
		}
	})
	w.step("send two parcels that make one lot", func() { n.sendsInParts(lots["LOT-0002"], "LOT-0002") })
	w.step("lose one parcel of two", func() { n.sendsInParts(lots["LOT-0003"], "LOT-3") })
	var forgotten string
	w.step("order what will be forgotten", func() {
		forgotten = text(n.work(text(lots["LOT-0004"], "sku"), int(number(t, lots["LOT-0004"], "quantity")),
			text(lots["LOT-0004"], "id")), "id")
	})
	for day := 6; day <= 20; day++ {
		w.step("a day passes", func() { n.untilDay(day) })
	}
	for numbered, want := range map[string]object{
		"LOT-0001": {"status": "paid", "dispute_code": nil},
		"LOT-0002": {"status": "paid", "dispute_code": nil},
		"LOT-0003": {"status": "overdue", "dispute_code": "goods_not_received", "amount_paid_minor": 0},
	} {
		agrees(t, "the bill of "+numbered,
			n.row("/office/customer-invoices/"+text(n.lot(numbered), "invoice_id")), want)
		status := "delivered"
		if numbered == "LOT-0003" { // billed, and never whole
			status = "expired"
		}
		agrees(t, numbered, n.lot(numbered), object{"status": status, "work_order_ref": nil})
	}
	agrees(t, "LOT-0004", n.lot("LOT-0004"), object{"status": "expired", "expired_reason": "delivery_missed"})
	penalties := n.penalties()
	for _, numbered := range []string{"LOT-0003", "LOT-0004"} {
		one(t, penalties, "reference_id", text(lots[numbered], "id"))
	}
	if len(penalties) != 2 {
		t.Errorf("two lots were missed, booked are %v", penalties)
	}
	w.step("print it all the same", func() { n.print(forgotten) }) // the Factory cannot know
	w.ended()
}

func (w *witness) acceptsLotByHand(numbered, body string) object {
	t := w.t
	t.Helper()
	rows(t, "EVT.TYPE.OFFICE.CONTRACT_LOT.ACCEPTED", "OPEN.EVT.OFFICE.CONTRACT_LOT.ACCEPTED",
		"OPEN.BODY.OFFICE.CONTRACT_LOTS")
	at, path := w.newest(), "/office/contract-lots/"+text(w.lot(numbered), "id")
	a := w.post(path+"/accept", body).want(http.StatusOK, "")
	w.sameRow(a, path)
	agrees(t, "the accepted lot", a.Data(), object{"status": "accepted", "work_order_ref": nil})
	w.says(w.wrote(at, "office.contract_lot.accepted"), text(a.Data(), "id"), "office.contract_lot.accepted", object{
		"status": "accepted", "number": numbered, "deliver_by": a.Data()["deliver_by"], "bridged_work_order_id": nil,
	})
	if works := w.all("/factory/work-orders"); len(works) > 0 {
		t.Errorf("the manual bridge made %v", works)
	}
	return a.Data()
}

// sendsLotByHand gives the Factory the number of the lot, sends the goods and
// then bills them.
func (w *witness) sendsLotByHand(lot object) {
	t := w.t
	work := text(w.work(text(lot, "sku"), int(number(t, lot, "quantity")), text(lot, "number")), "id")
	w.finish(work)
	at := w.newest()
	parcel := w.dispatch(work)
	agrees(t, "the parcel", parcel, object{"reference": lot["number"], "bridged_office_shipment_id": nil})
	w.wrote(at, "factory.shipment.created")
	agrees(t, "the lot whose goods left", w.lot(text(lot, "number")), object{"status": "accepted", "shipment_id": nil})
	w.billsLotByHand(lot, text(parcel, "id"))
}

func (w *witness) billsLotByHand(lot object, reference string) {
	t := w.t
	at, parcels := w.newest(), len(w.all("/factory/shipments"))
	body := object{"contract_lot_id": lot["id"], "quantity": lot["quantity"]}
	var want any
	if reference != "" {
		body["factory_shipment_ref"], want = reference, reference
	}
	a := w.post("/office/shipments", encode(t, body)).want(http.StatusCreated, "")
	w.sameRow(a, "/office/shipments/"+text(a.Data(), "id"))
	agrees(t, "the shipment", a.Data(), object{"factory_shipment_ref": want})
	events := w.wrote(at, "office.contract_lot.delivered", "office.customer_invoice.created")
	w.refusesEverything(w.delivered(events, lot, a.Data(), "client"))
	if got := len(w.all("/factory/shipments")); got != parcels {
		t.Errorf("the manual bridge sent %d parcels", got-parcels)
	}
}

// sendsInParts prints a lot as two work orders of one run. All but one of its
// units go to its id, the last to another reference.
func (n *tenant) sendsInParts(lot object, reference string) {
	t := n.t
	t.Helper()
	quantity := int(number(t, lot, "quantity"))
	works := []string{
		text(n.work(text(lot, "sku"), quantity-1, text(lot, "id")), "id"),
		text(n.work(text(lot, "sku"), 1, reference), "id"),
	}
	n.post("/factory/print-runs", encode(t,
		object{"press_id": "prs_digital", "work_order_ids": works, "overs_pct": 20})).want(http.StatusCreated, "")
	ready := func(work string) bool { return n.row("/factory/work-orders/" + work)["status"] == "ready" }
	const hours = 8
	for range hours {
		if ready(works[0]) && ready(works[1]) {
			n.dispatch(works[0])
			n.dispatch(works[1])
			return
		}
		n.tick(60)
	}
	t.Fatalf("after %d hours the goods of %v are not ready", hours, lot["number"])
}

// TestHeadOfficeCanShipALotFirst, and the auto bridge makes the Factory follow.
func TestHeadOfficeCanShipALotFirst(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.OFFICE.SHIPMENTS", "OPEN.BODY.OFFICE.SHIPMENTS.LOT", "OPEN.BRIDGE.SHIPMENT",
		"OPEN.ERR.QUANTITY_MISMATCH", "OPEN.IDEM.BYTES", "SHP.INVOICE")
	n := bulk(t, "auto", nil)
	w := watch(n)
	w.step("two mornings", func() { n.untilDay(2) })
	for i, c := range []struct {
		numbered string
		given    any
	}{{"LOT-0001", nil}, {"LOT-0002", "a blue van"}} {
		lot := n.takeLot(c.numbered)
		w.step("print", func() { n.finish(text(lot, "work_order_ref")) })
		body := object{"contract_lot_id": lot["id"]}
		quantity := number(t, lot, "quantity")
		for _, wrong := range []int64{1, quantity - 1, quantity + 1, 1<<63 - 1} {
			body["quantity"] = wrong
			agrees(t, "details", n.refusesQuietly("/office/shipments", encode(t, body), http.StatusUnprocessableEntity,
				"quantity_mismatch").details(), object{"quantity": quantity})
		}
		delete(body, "quantity")
		if c.given != nil {
			body["quantity"], body["factory_shipment_ref"] = quantity, c.given
		}
		at := n.newest()
		var shipment object
		w.step("ship", func() { shipment = n.twice("/office/shipments", encode(t, body)).Data() })
		events := w.wrote(at, "factory.shipment.created", "office.contract_lot.delivered",
			"office.customer_invoice.created")
		w.delivered(events, lot, shipment, "client")
		parcel := one(t, n.all("/factory/shipments"), "work_order_id", text(lot, "work_order_ref"))
		agrees(t, "the parcel", parcel,
			object{"bridged_office_shipment_id": shipment["id"], "reference": lot["id"], "quantity": quantity})
		w.says(events, text(parcel, "id"), "factory.shipment.created", object{"source": "bridge"})
		if c.given == nil {
			c.given = parcel["id"]
		}
		agrees(t, "the shipment", shipment, object{"factory_shipment_ref": c.given})
		agrees(t, "the score", child(t, n.row("/sandbox"), "score"), object{"lots_delivered": i + 1})
	}
	w.ended()
}

// TestAShipmentIsForAnOrderOrALot, never for both, and for nothing that is not
// there.
func TestAShipmentIsForAnOrderOrALot(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.OFFICE.SHIPMENTS", "OPEN.ERR.VALIDATION_FAILED", "OPEN.HTTP.NULL", "OPEN.HTTP.INTEGERS",
		"ERR.IDEMPOTENCY_REQUIRED")
	n := bulk(t, "manual", nil)
	n.day()
	lot, order := text(n.takeLot("LOT-0001"), "id"), text(n.accept(text(n.order("SO-1001"), "id")), "id")
	for body, fields := range map[string]string{
		`{}`: "sales_order_id",
		fmt.Sprintf(`{"sales_order_id":%q,"contract_lot_id":%q}`, order, lot): "contract_lot_id",
		`{"contract_lot_id":null}`: "contract_lot_id",
		`{"contract_lot_id":""}`:   "contract_lot_id",
		`{"contract_lot_id":7}`:    "contract_lot_id",
		`{"contract_lot_id":["` + lot +
			`"]}`: "contract_lot_id",
		`{"contract_lot_id":"` + strings.Repeat("é", 65) +
			`"}`: "contract_lot_id",
		fmt.Sprintf(`{"sales_order_id":%q,"contract_lot_id":null}`,
			order): "contract_lot_id",
		fmt.Sprintf(`{"contract_lot_id":%q,"quantity":0}`, lot):                   "quantity",
		fmt.Sprintf(`{"contract_lot_id":%q,"quantity":-1}`, lot):                  "quantity",
		fmt.Sprintf(`{"contract_lot_id":%q,"quantity":"1"}`, lot):                 "quantity",
		fmt.Sprintf(`{"contract_lot_id":%q,"quantity":1.5}`, lot):                 "quantity",
		fmt.Sprintf(`{"contract_lot_id":%q,"quantity":9223372036854775808}`, lot): "quantity",
		fmt.Sprintf(`{"contract_lot_id":%q,"quantity":null}`, lot):                "quantity",
		fmt.Sprintf(`{"contract_lot_id":%q,"factory_shipment_ref":"%s"}`,
			lot, strings.Repeat("é", 65)): "factory_shipment_ref",
		fmt.Sprintf(`{"contract_lot_id":%q,"lot_id":%q}`, lot, lot): "lot_id",
		fmt.Sprintf(`{"sales_order_id":%q,"contract_lot_id":%q,"quantity":1}`,
			"so_nobody", "lot_nobody"): "contract_lot_id",
	} {
		a := n.refusesQuietly("/office/shipments", body, http.StatusUnprocessableEntity, "validation_failed")
		if got := slices.Sorted(slices.Values(badFields(a))); !slices.Equal(got, strings.Fields(fields)) {
			t.Errorf("%s: named are %v, want %s", body, got, fields)
		}
	}
	for _, nobody := range []object{
		{"contract_lot_id": "lot_0"}, {"contract_lot_id": order}, {"contract_lot_id": "LOT-0001"},
		{"sales_order_id": lot}, {"contract_lot_id": strings.Repeat("é", 64)},
	} {
		n.refusesQuietly("/office/shipments", encode(t, nobody), http.StatusNotFound, "not_found")
	}
	n.refusesQuietly("/office/shipments", fmt.Sprintf(`{"contract_lot_id":%q,"contract_lot_id":%q}`, lot, lot),
		http.StatusBadRequest, "invalid_json")
	n.send(t, request{
		method: "POST", path: "/office/shipments", body: encode(t, object{"contract_lot_id": lot}), key: n.office,
	}).want(http.StatusBadRequest, "idempotency_required")
	n.billLot(object{"id": lot}).want(http.StatusCreated, "")
	n.bill(order)
}

// TestAShipmentNamesAllThatIsWrongAtOnce: neither an order nor a lot is named,
// or both are, and there is more.
func TestAShipmentNamesAllThatIsWrongAtOnce(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.HTTP.ALL_FIELDS")
	n := shared.create(t, `{"clock":"manual"}`)
	for body, want := range map[string][]string{
		`{"quantity":0}`: {"quantity", "sales_order_id"},
		`{"sales_order_id":"so_0","contract_lot_id":"lot_0","quantity":0}`: {"contract_lot_id", "quantity"},
	} {
		got := badFields(n.post("/office/shipments", body).want(http.StatusUnprocessableEntity, "validation_failed"))
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: named are %v, want %v", body, got, want)
		}
	}
}

// TestNobodyKeepsALotFromBeingAccepted: a work order of the client which has
// the lot's reference does not prevent the bridge's.
func TestNobodyKeepsALotFromBeingAccepted(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BRIDGE.LOT", "OPEN.ERR.DUPLICATE_REFERENCE")
	n := bulk(t, "auto", nil)
	n.day()
	lot := n.lot("LOT-0001")
	own := n.work("prd_card", 5, text(lot, "id"))
	got := n.post("/office/contract-lots/"+text(lot, "id")+"/accept", "").want(http.StatusOK, "").Data()
	work := n.row("/factory/work-orders/" + text(got, "work_order_ref"))
	if work["id"] == own["id"] || work["source"] != "bridge" || work["reference"] != lot["id"] ||
		work["sku"] != lot["sku"] || work["quantity"] != lot["quantity"] {
		t.Errorf("the bridge's work order is %v", work)
	}
	n.refusesQuietly("/factory/work-orders", encode(t,
		object{"sku": "prd_card", "quantity": 5, "reference": lot["id"]}), http.StatusConflict, "duplicate_reference")
}

// TestBillingALotBeforeItsGoodsSavesNothing bills a lot on the day on which it
// was offered and sends it after its last day. The lot has expired with its penalty, which corrects on_time, and
// nobody pays the bill.
func TestBillingALotBeforeItsGoodsSavesNothing(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BRIDGE.MANUAL", "OPEN.STATE.CONTRACT_LOT", "OPEN.STATE.CUSTOMER_INVOICE.PHYSICAL",
		"OPEN.EVT.OFFICE.CONTRACT_LOT.DELIVERED", "OPEN.EVT.OFFICE.CONTRACT_LOT.EXPIRED", "OPEN.SCORE.PROMISES")
	n := bulk(t, "manual", nil)
	w := watch(n)
	w.step("the first morning", func() { n.day() })
	lot := n.takeLot("LOT-0001")
	invoice := text(child(t, n.billLot(lot).want(http.StatusCreated, "").Data(), "invoice"), "id")
	w.says(n.feed(0), text(lot, "id"), "office.contract_lot.delivered", object{"on_time": true})
	work := text(n.work(text(lot, "sku"), int(number(t, lot, "quantity")), text(lot, "id")), "id")
	w.step("print", func() { n.finish(work) })
	before := percent(t, n.row("/sandbox"), "reputation")
	w.step("wait until it is too late", func() { n.untilDay(8) }) // it was to be delivered on day 6
	if after := percent(t, n.row("/sandbox"), "reputation"); after >= before {
		t.Errorf("goods that did not come took the reputation from %v to %v", before, after)
	}
	w.step("send", func() { n.dispatch(work) })
	const last = 24
	w.step("weeks pass", func() { n.untilDay(last) })
	total, penalty := number(t, lot, "total_minor"), number(t, lot, "penalty_minor")
	agrees(t, "the lot", n.row("/office/contract-lots/"+text(lot, "id")),
		object{"status": "expired", "expired_reason": "delivery_missed", "invoice_id": invoice})
	agrees(t, "the bill", n.row("/office/customer-invoices/"+invoice), object{
		"status": "overdue", "dispute_code": "goods_not_received", "total_minor": total, "amount_paid_minor": 0,
	})
	w.says(n.feed(0), text(lot, "id"), "office.contract_lot.expired",
		object{"reason": "delivery_missed", "penalty_minor": penalty})
	if booked := n.penalties(); len(booked) != 1 || number(t, booked[0], "amount_minor") != -penalty {
		t.Errorf("the penalties are %v, want one of %d", booked, penalty)
	}
	agrees(t, "the score", child(t, n.row("/sandbox"), "score"), object{"lots_delivered": 0, "lots_expired": 1})
	w.ended()
}
