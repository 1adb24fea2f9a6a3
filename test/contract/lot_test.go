package contract

import (
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
)

// Lots are orders of framework customers in bulk. Their bridges are those of
// sales orders, their end may be a penalty.

// bulk is a calm company that is offered a small lot on each morning from day 1
// on. An offer waits for two days, a lot that came on day 1 for one of six.
func bulk(t testing.TB, bridge string, terms object) *tenant {
	t.Helper()
	lots := object{
		"every_days": 1, "first_days": []int{1, 1}, "sheets": []int{300, 400}, "price_pct": []int{58, 80},
		"answer_days": 2, "deliver_days": []int{5, 5}, "penalty_pct": 15,
	}
	maps.Copy(lots, terms)
	return calmCompany(t, bridge, object{"contract_lots": lots, "customers": object{"late_factor": 0}})
}

// lot is the contract lot with a number.
func (n *tenant) lot(numbered string) object {
	n.t.Helper()
	return n.numbered("/office/contract-lots", numbered)
}

// takeLot accepts a lot and returns its row.
func (n *tenant) takeLot(numbered string) object {
	n.t.Helper()
	return n.post("/office/contract-lots/"+text(n.lot(numbered), "id")+"/accept", "").want(http.StatusOK, "").Data()
}

// billLot ships a lot at Head Office.
func (n *tenant) billLot(lot object) *answer {
	n.t.Helper()
	return n.post("/office/shipments", encode(n.t, object{"contract_lot_id": lot["id"]}))
}

// finish prints a work order and waits until its goods are ready.
func (n *tenant) finish(work string) {
	n.t.Helper()
	const hours = 8
	n.print(work)
	for range hours {
		n.tick(60)
		if n.row("/factory/work-orders/" + work)["status"] == "ready" {
			return
		}
	}
	n.t.Fatalf("after %d hours the work order is %v", hours, n.row("/factory/work-orders/"+work))
}

// wrongLotState makes a call that the state of a lot does not allow.
func (n *tenant) wrongLotState(path, body, status, allowed string) {
	n.t.Helper()
	agrees(n.t, "details of "+path, n.refusesQuietly(path, body, http.StatusConflict, "invalid_state").details(),
		object{"status": status, "allowed": []string{allowed}})
}

// refusesEverything tries each call for a lot that is over.
func (n *tenant) refusesEverything(lot object) {
	n.t.Helper()
	path := "/office/contract-lots/" + text(lot, "id")
	n.wrongLotState(path+"/accept", "", text(lot, "status"), "offered")
	n.wrongLotState(path+"/decline", "", text(lot, "status"), "offered")
	n.wrongLotState("/office/shipments", encode(n.t, object{"contract_lot_id": lot["id"]}),
		text(lot, "status"), "accepted")
}

// offered checks the lot of a morning, its event and its terms.
func (w *witness) offered(since uint64, numbered string) object {
	t := w.t
	t.Helper()
	rows(t, "EVT.TYPE.OFFICE.CONTRACT_LOT.OFFERED", "OPEN.EVT.OFFICE.CONTRACT_LOT.OFFERED", "OPEN.FIELDS.CONTRACT_LOT",
		"OPEN.STATE.CONTRACT_LOT", "OPEN.ROUTE.OFFICE.CONTRACT_LOTS")
	lot := w.lot(numbered)
	exactly(t, "a contract lot",
		lot, "number customer_id sku product_name unit quantity unit_price_minor total_minor penalty_minor currency "+
			"answer_by deliver_by status work_order_ref shipment_id invoice_id expired_reason")
	product := w.row("/office/products/" + text(lot, "sku"))
	price, list, total := number(t, lot, "unit_price_minor"), number(t, product, "list_price_minor"),
		number(t, lot, "total_minor")
	if price*100 < list*58-50 || price*100 > list*80+50 || total != price*number(t, lot, "quantity") {
		t.Errorf("the lot is for %v at %d, %d in all, where the list says %d", lot["quantity"], price, total, list)
	}
	agrees(t, "the offer", lot, object{
		"customer_id": "cus_fennimore", "status": "offered", "currency": "XTS",
		"penalty_minor": (total*15 + 50) / 100, "product_name": product["name"], "unit": product["unit"],
		"work_order_ref": nil, "shipment_id": nil, "invoice_id": nil, "expired_reason": nil,
	})
	events := w.feed(since)
	said := object{"status": "offered"}
	for _, same := range []string{
		"number", "sku", "quantity", "unit_price_minor", "total_minor", "penalty_minor", "answer_by", "deliver_by",
	} {
		said[same] = lot[same]
	}
	w.says(events, text(lot, "id"), "office.contract_lot.offered", said)
	for _, e := range ofType(events, "office.contract_lot.offered") {
		if child(t, e, "links")["self"] != "/office/contract-lots/"+text(lot, "id") ||
			e["sim_date"] != lot["created_on"] || len(changes(t, e)) > 0 {
			t.Errorf("the offer is told of as %v", e)
		}
	}
	return lot
}

// TestTheAutoBridgeCarriesALotToCash plays one lot from the offer to the
// payment, and another into nothing.
func TestTheAutoBridgeCarriesALotToCash(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.CONTRACT_LOT", "OPEN.SANDBOX.FIELDS.COUNTS")
	n := bulk(t, "auto", nil)
	if lots := n.all("/office/contract-lots"); len(lots) > 0 {
		t.Errorf("the company opens with the lots %v", lots)
	}
	w := watch(n)
	at := n.newest()
	w.step("the first morning", func() { n.day() })
	lot := w.offered(at, "LOT-0001")
	agrees(t, "the first offer", lot,
		object{"created_on": "2026-09-08", "answer_by": "2026-09-10", "deliver_by": "2026-09-15"})
	n.countsAgree()
	w.step("accept", func() { lot = w.acceptsLotByAuto(lot) })
	work := text(lot, "work_order_ref")
	n.refusesQuietly("/office/shipments", encode(t, object{"contract_lot_id": lot["id"]}), http.StatusConflict,
		"work_order_not_ready")
	n.refusesQuietly("/factory/shipments", encode(t, object{"work_order_id": work}), http.StatusConflict,
		"work_order_not_ready")
	w.step("print", func() { n.finish(work) })
	w.step("ship", func() { lot = w.shipsLotFromFactory(lot) })
	n.countsAgree()
	n.refusesEverything(lot)
	n.wrongLotState("/factory/shipments", encode(t, object{"work_order_id": work}), "shipped", "ready")
	var paid int64
	for range 11 {
		w.step("a day passes", func() { n.day() })
		if paid = w.lotIsPaid(lot); paid > 0 {
			break
		}
	}
	if paid != number(t, lot, "total_minor") {
		t.Errorf("for a lot of %v were paid %d in two weeks", lot["total_minor"], paid)
	}
	w.ended()
}

func (w *witness) acceptsLotByAuto(lot object) object {
	t := w.t
	rows(t, "OPEN.BRIDGE.LOT", "OPEN.BODY.OFFICE.CONTRACT_LOTS", "EVT.TYPE.OFFICE.CONTRACT_LOT.ACCEPTED",
		"OPEN.EVT.OFFICE.CONTRACT_LOT.ACCEPTED", "OPEN.EVENT.TWO", "EVT.ONE", "IDEM.REPLAY")
	id := text(lot, "id")
	path := "/office/contract-lots/" + id
	w.wrongLotState("/office/shipments", encode(t, object{"contract_lot_id": id}), "offered", "accepted")
	at, key := w.newest(), freshKey()
	a := w.post(path+"/accept", "", "Idempotency-Key", key).want(http.StatusOK, "")
	w.sameRow(a, path)
	accepted := a.Data()
	if again := w.post(path+"/accept", "", "Idempotency-Key", key); string(again.Raw) != string(a.Raw) ||
		again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("accepting again under its key answers %s", again.Raw)
	}
	work := text(accepted, "work_order_ref")
	want := maps.Clone(lot)
	want["status"], want["work_order_ref"], want["updated_at"] = "accepted", work, accepted["updated_at"]
	agrees(t, "the accepted lot", accepted, want)
	made := w.row("/factory/work-orders/" + work)
	agrees(t, "its work order", made, object{"reference": id, "source": "bridge", "status": "created",
		"sku": lot["sku"], "quantity": lot["quantity"], "due_date": lot["deliver_by"]})
	events := w.wrote(at, "office.contract_lot.accepted", "factory.work_order.created")
	w.says(events, id, "office.contract_lot.accepted", object{
		"status": "accepted", "number": lot["number"], "deliver_by": lot["deliver_by"], "bridged_work_order_id": work,
	})
	w.says(events, work, "factory.work_order.created",
		object{"reference": id, "due_date": lot["deliver_by"], "source": "bridge"})
	w.countsAgree()
	w.wrongLotState(path+"/accept", "", "accepted", "offered")
	w.wrongLotState(path+"/decline", "{}", "accepted", "offered")
	return accepted
}

// delivered checks what a shipment made of a lot, and its bill.
func (w *witness) delivered(events []object, lot object, shipment object, source string) object {
	t := w.t
	t.Helper()
	rows(t, "OPEN.BODY.OFFICE.SHIPMENTS.LOT", "EVT.TYPE.OFFICE.CONTRACT_LOT.DELIVERED",
		"OPEN.EVT.OFFICE.CONTRACT_LOT.DELIVERED", "OPEN.EVENT.CHANGES")
	id, invoice := text(lot, "id"), child(t, shipment, "invoice")
	agrees(t, "the shipment", shipment, object{"contract_lot_id": id, "sales_order_id": nil,
		"quantity": lot["quantity"], "source": source, "status": "shipped"})
	agrees(t, "the invoice", invoice, object{
		"contract_lot_id": id, "sales_order_id": nil, "shipment_id": shipment["id"], "customer_id": "cus_fennimore",
		"gross_minor": lot["total_minor"], "late_discount_minor": 0, "total_minor": lot["total_minor"],
		"balance_minor": lot["total_minor"], "status": "open", "issued_on": shipment["shipped_on"],
	})
	after := w.row("/office/contract-lots/" + id)
	want := maps.Clone(lot)
	want["status"], want["shipment_id"], want["invoice_id"], want["updated_at"] = "delivered", shipment["id"],
		invoice["id"], after["updated_at"]
	agrees(t, "the delivered lot", after, want)
	w.says(events, id, "office.contract_lot.delivered", object{"status": "delivered", "number": lot["number"],
		"shipment_id": shipment["id"], "total_minor": lot["total_minor"], "on_time": true})
	w.says(events, text(invoice, "id"), "office.customer_invoice.created", object{
		"shipment_id": shipment["id"], "sales_order_id": nil, "contract_lot_id": id, "total_minor": lot["total_minor"],
		"late_discount_minor": 0, "due_date": invoice["due_date"], "source": source,
	})
	if got := w.rider(events, "office.customer_invoice.created", "office_shipment",
		text(shipment, "id")); got != ">shipped" {
		t.Errorf("the shipment went %s", got)
	}
	return after
}

func (w *witness) shipsLotFromFactory(lot object) object {
	t := w.t
	rows(t, "OPEN.BRIDGE.SHIPMENT", "OPEN.EVENT.TWO")
	score := child(t, w.row("/sandbox"), "score")
	at := w.newest()
	parcel := w.dispatch(text(lot, "work_order_ref"))
	agrees(t, "the parcel", parcel, object{"reference": lot["id"], "sku": lot["sku"], "quantity": lot["quantity"]})
	events := w.wrote(at, "factory.shipment.created", "office.contract_lot.delivered",
		"office.customer_invoice.created")
	shipment := w.row("/office/shipments/" + text(parcel, "bridged_office_shipment_id"))
	agrees(t, "the mirror", shipment, object{"factory_shipment_ref": parcel["id"]})
	if got := w.rider(events, "factory.shipment.created", "work_order",
		text(lot, "work_order_ref")); got != "ready>shipped" {
		t.Errorf("the work order went %s", got)
	}
	after := w.delivered(events, lot, shipment, "bridge")
	agrees(t, "the score", child(t, w.row("/sandbox"), "score"),
		object{"lots_delivered": 1, "orders_shipped": score["orders_shipped"]})
	return after
}

// lotIsPaid returns what was paid for a lot, and checks that the payment was
// one, on the customer's terms.
func (w *witness) lotIsPaid(lot object) int64 {
	t := w.t
	t.Helper()
	rows(t, "OPEN.BODY.OFFICE.SHIPMENTS.LOT", "OPEN.STATE.CUSTOMER_INVOICE")
	invoice := w.row("/office/customer-invoices/" + text(lot, "invoice_id"))
	if invoice["status"] != "paid" {
		return 0
	}
	payment := one(t, w.all("/office/payments"), "customer_invoice_id", text(invoice, "id"))
	agrees(t, "the payment", payment, object{"kind": "customer", "payer_name": "Fennimore Publishing",
		"amount_minor": invoice["total_minor"], "received_on": invoice["paid_on"]})
	if terms := number(t, w.row("/office/customers/cus_fennimore"), "payment_terms_days"); terms != 14 {
		t.Errorf("the framework customer pays after %d days", terms)
	}
	// It was sent on Tuesday the 8th.
	if invoice["issued_on"] != "2026-09-08" || invoice["due_date"] != "2026-09-22" ||
		text(invoice, "paid_on") > text(invoice, "due_date") || text(invoice, "paid_on") < "2026-09-15" {
		t.Errorf("of %v, due on %v, paid on %v", invoice["issued_on"], invoice["due_date"], invoice["paid_on"])
	}
	events := w.feed(0)
	w.says(events, text(invoice, "id"), "office.customer_invoice.paid",
		object{"sales_order_id": nil, "total_minor": invoice["total_minor"]})
	for _, e := range ofType(events, "office.customer_invoice.paid") {
		if child(t, e, "data")["id"] == invoice["id"] && len(changes(t, e)) > 0 {
			t.Errorf("with the invoice of a lot moved %v", changes(t, e))
		}
	}
	agrees(t, "the paid lot", w.row("/office/contract-lots/"+text(lot, "id")), object{"status": "delivered"})
	return number(t, payment, "amount_minor")
}

// TestOneOfManyAcceptsALot at the same moment.
func TestOneOfManyAcceptsALot(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.CONTRACT_LOT", "EVT.ONE")
	n := bulk(t, "auto", nil)
	n.day()
	path, at := "/office/contract-lots/"+text(n.lot("LOT-0001"), "id"), n.newest()
	const clients = 8
	verbs := []string{"/accept", "/decline"}
	statuses := make([]int, clients)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			a, err := n.try(t, request{method: "POST", path: path + verbs[i%len(verbs)], key: n.office})
			if err != nil {
				t.Error(err)
				return
			}
			statuses[i] = a.Status
		})
	}
	all.Wait()
	slices.Sort(statuses)
	if want := append([]int{200}, slices.Repeat([]int{409}, clients-1)...); !slices.Equal(statuses, want) {
		t.Errorf("%d answers to one lot: %v", clients, statuses)
	}
	want := []string{"office.contract_lot.declined"}
	if n.lot("LOT-0001")["status"] == "accepted" {
		want = []string{"office.contract_lot.accepted", "factory.work_order.created"}
	}
	n.wrote(at, want...)
}

// countsAgree compares what the sandbox counts with its lists.
func (n *tenant) countsAgree() {
	t := n.t
	t.Helper()
	rows(t, "OPEN.SANDBOX.FIELDS.COUNTS")
	in := func(path string, statuses ...string) (found int) {
		for _, row := range n.all(path) {
			if slices.Contains(statuses, text(row, "status")) {
				found++
			}
		}
		return found
	}
	counts := child(t, n.row("/sandbox"), "counts")
	want := object{
		"orders_open":          in("/office/sales-orders", "received", "accepted", "in_production"),
		"work_orders_open":     in("/factory/work-orders", "created", "printing", "ready"),
		"work_orders_to_print": len(n.all("/factory/work-orders?waits_for=press")),
		"deliveries_waiting":   in("/factory/deliveries", "arrived"),
		"invoices_payable":     in("/office/supplier-invoices", "open", "overdue"),
		"lots_offered":         in("/office/contract-lots", "offered"),
	}
	if got := names(counts); !slices.Equal(got, names(want)) {
		t.Errorf("counted are %v", got)
	}
	agrees(t, "counts", counts, want)
}
