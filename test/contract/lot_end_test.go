package contract

import (
	"encoding/json"
	"math"
	"net/http"
	"testing"
)

// How lots end that bring nothing: turned down, forgotten, or taken on and not
// delivered.

// TestALotThatIsNotTakenCostsNothing turns one down, forgets another, and reads
// the list of both.
func TestALotThatIsNotTakenCostsNothing(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.CONTRACT_LOT", "OPEN.ROUTE.OFFICE.CONTRACT_LOTS")
	n := bulk(t, "auto", nil)
	w := watch(n)
	w.step("the first morning", func() { n.day() })
	w.step("decline", func() { w.declinesLot(n.lot("LOT-0001")) })
	w.step("the second morning", func() { n.day() })
	w.step("the third", func() { n.day() })
	n.listsLots()
	w.step("the last minute of the last day", func() {
		n.untilDay(4)
		n.tick(479)
	})
	forgotten := n.lot("LOT-0002")
	agrees(t, "the second offer", forgotten,
		object{"created_on": "2026-09-09", "answer_by": "2026-09-11", "status": "offered"})
	at, before := n.newest(), n.row("/sandbox")
	w.step("the morning after", func() { n.tick(1) })
	w.lapsesLot(at, forgotten)
	after := n.row("/sandbox")
	agrees(t, "the sandbox", after, object{"reputation": before["reputation"]})
	agrees(t, "the score", child(t, after, "score"), object{"lots_delivered": 0})
	n.countsAgree()
	n.listsLots()
	if penalties := n.penalties(); len(penalties) > 0 {
		t.Errorf("nobody accepted a lot, and the ledger has %v", penalties)
	}
	w.ended()
}

func (w *witness) declinesLot(lot object) {
	t := w.t
	rows(t, "EVT.TYPE.OFFICE.CONTRACT_LOT.DECLINED", "OPEN.EVT.OFFICE.CONTRACT_LOT.DECLINED",
		"OPEN.BODY.OFFICE.CONTRACT_LOTS", "IDEM.REPLAY")
	path := "/office/contract-lots/" + text(lot, "id")
	w.refusesQuietly(path+"/decline", `{"reason":"too cheap"}`, http.StatusUnprocessableEntity, "validation_failed")
	for _, body := range []string{`[]`, `"no"`, `{"a":1,"a":2}`, `{`} {
		w.refusesQuietly(path+"/accept", body, http.StatusBadRequest, "invalid_json")
	}
	for _, id := range []string{"lot_0", "LOT-9999", text(w.order("SO-1001"), "id"), "%20", "%C3%A9"} {
		w.refusesQuietly("/office/contract-lots/"+id+"/decline", "", http.StatusNotFound, "not_found")
	}
	for _, verb := range []string{"/accept", "/decline"} {
		w.send(t, request{method: "POST", path: path + verb, key: w.factory}).want(http.StatusForbidden, "wrong_system")
	}
	at, before, key := w.newest(), w.row("/sandbox"), freshKey()
	a := w.post(path+"/decline", "", "Idempotency-Key", key).want(http.StatusOK, "")
	agrees(t, "the declined lot", a.Data(),
		object{"status": "declined", "work_order_ref": nil, "shipment_id": nil, "expired_reason": nil})
	w.sameRow(a, path)
	events := w.wrote(at, "office.contract_lot.declined")
	w.says(events, text(lot, "id"), "office.contract_lot.declined",
		object{"status": "declined", "number": lot["number"]})
	w.refusesEverything(a.Data())
	again := w.post(path+"/decline", "", "Idempotency-Key", key).want(http.StatusOK, "")
	if string(again.Raw) != string(a.Raw) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("declining again under its key answers %s", again.Raw)
	}
	agrees(t, "the sandbox", w.row("/sandbox"),
		object{"reputation": before["reputation"], "cash_minor": before["cash_minor"]})
}

func (w *witness) lapsesLot(since uint64, lot object) {
	t := w.t
	rows(t, "EVT.TYPE.OFFICE.CONTRACT_LOT.EXPIRED", "OPEN.EVT.OFFICE.CONTRACT_LOT.EXPIRED")
	row := w.row("/office/contract-lots/" + text(lot, "id"))
	agrees(t, "the forgotten lot", row, object{"status": "expired", "expired_reason": "offer_lapsed",
		"penalty_minor": lot["penalty_minor"], "shipment_id": nil})
	w.says(w.feed(since), text(lot, "id"), "office.contract_lot.expired", object{
		"status": "expired", "number": lot["number"], "reason": "offer_lapsed", "penalty_minor": 0,
		"cash_minor": w.row("/office/cash")["cash_minor"],
	})
	w.refusesEverything(row)
}

// penalties are the entries of the ledger that are for lots.
func (n *tenant) penalties() []object {
	n.t.Helper()
	var found []object
	for _, entry := range n.all("/office/ledger") {
		if entry["kind"] == "lot_penalty" {
			found = append(found, entry)
		}
	}
	return found
}

// listsLots reads the list of lots in each way there is.
func (n *tenant) listsLots() {
	t := n.t
	t.Helper()
	rows(t, "OPEN.ROUTE.OFFICE.CONTRACT_LOTS", "OPEN.LIST.FILTERS", "LIST.ETAG", "LIST.NOT_MODIFIED", "LIST.CSV.SUFFIX")
	const path = "/office/contract-lots"
	n.pages(path)
	list := n.get(path+"?limit=100").want(http.StatusOK, "")
	n.sameTable(list, n.get(path+".csv?limit=100").want(http.StatusOK, "").Raw)
	found := 0
	for _, status := range []string{"offered", "accepted", "declined", "expired", "delivered"} {
		of := n.all(path + "?status=" + status)
		found += len(of)
		for _, lot := range of {
			agrees(t, "a filtered lot", lot, object{"status": status})
		}
	}
	if all := list.Items(); found != len(all) {
		t.Errorf("of %d lots the filters find %d", len(all), found)
	}
	for _, bad := range []string{
		"status=lost", "status=", "status=OFFERED", "status=offered,declined", "status=offered&status=declined",
	} {
		agrees(t, "details", n.get(path+"?"+bad).want(http.StatusBadRequest, "invalid_parameter").details(),
			object{"parameter": "status"})
	}
	agrees(t, "details", n.get(path+"?customer_id=cus_fennimore").
		want(http.StatusBadRequest, "invalid_parameter").details(), object{"parameter": "customer_id"})
	for _, read := range []string{path, path + "/" + text(list.Items()[0], "id")} {
		tag := n.get(read).want(http.StatusOK, "").Header.Get("ETag")
		n.get(read, "If-None-Match", tag).want(http.StatusNotModified, "")
	}
	n.send(t, request{method: "GET", path: path, key: n.factory}).want(http.StatusForbidden, "wrong_system")
}

// TestAMissedLotCostsItsPenaltyAndTheReputation accepts three lots. One is
// printed and not sent, one is not even printed, one leaves in the last minute.
func TestAMissedLotCostsItsPenaltyAndTheReputation(t *testing.T) {
	t.Parallel()
	rows(t, "EVT.TYPE.OFFICE.CONTRACT_LOT.EXPIRED", "OPEN.STATE.CONTRACT_LOT", "OPEN.BRIDGE.LOT",
		"OPEN.BODY.OFFICE.SHIPMENTS.LOT")
	n := bulk(t, "auto", nil)
	w := watch(n)
	var ready, unprinted, kept object
	w.step("three mornings", func() { n.untilDay(3) })
	w.step("accept", func() {
		ready, unprinted, kept = n.takeLot("LOT-0001"), n.takeLot("LOT-0002"), n.takeLot("LOT-0003")
	})
	w.step("print two", func() {
		n.finish(text(ready, "work_order_ref"))
		n.finish(text(kept, "work_order_ref"))
	})
	w.step("the last minute of the first", func() {
		n.untilDay(6)
		n.tick(479)
	})
	agrees(t, "on its last day the lot", n.lot("LOT-0001"), object{"status": "accepted", "deliver_by": "2026-09-15"})
	w.step("the morning after", func() { w.missesLot(ready, "2026-09-16") })
	w.step("send what nobody takes any more", func() {
		at, bills := n.newest(), len(n.all("/office/customer-invoices"))
		agrees(t, "the parcel", n.dispatch(text(ready, "work_order_ref")), object{"bridged_office_shipment_id": nil})
		n.wrote(at, "factory.shipment.created")
		if got := len(n.all("/office/customer-invoices")); got != bills {
			t.Errorf("for a lot that is over there are %d bills more", got-bills)
		}
		agrees(t, "the missed lot", n.lot("LOT-0001"),
			object{"status": "expired", "shipment_id": nil, "invoice_id": nil})
	})
	w.step("the last minute of the second", func() { n.tick(479) })
	w.step("the next morning", func() { w.missesLot(unprinted, "2026-09-17") })
	// With the auto bridge, goods that no customer will take cannot be printed.
	n.wrongLotState("/factory/print-runs", encode(t,
		object{"press_id": "prs_offset", "work_order_id": unprinted["work_order_ref"]}), "expired", "accepted")
	w.step("the last minute of the third", func() { n.tick(479) })
	w.step("in time", func() {
		at := n.newest()
		shipment := n.billLot(kept).want(http.StatusCreated, "").Data()
		w.delivered(w.wrote(at, "factory.shipment.created", "office.contract_lot.delivered",
			"office.customer_invoice.created"), kept, shipment, "client")
	})
	w.step("the day after", func() { n.day() })
	agrees(t, "the third lot", n.lot("LOT-0003"), object{"status": "delivered", "expired_reason": nil})
	if got, want := -sums(t, n.penalties(), "amount_minor"), number(t, ready, "penalty_minor")+number(t, unprinted,
		"penalty_minor"); got != want || len(n.penalties()) != 2 {
		t.Errorf("two lots were missed for %d, booked are %v", want, n.penalties())
	}
	w.ended()
}

// missesLot lets the one minute pass that an accepted lot had left.
func (w *witness) missesLot(lot object, today string) {
	t := w.t
	rows(t, "OPEN.EVT.OFFICE.CONTRACT_LOT.EXPIRED", "OPEN.EVENT.CASH_AND_STOCK")
	id, at, before := text(lot, "id"), w.newest(), w.row("/sandbox")
	w.tick(1)
	after, row := w.row("/sandbox"), w.row("/office/contract-lots/"+id)
	agrees(t, "the missed lot", row, object{"status": "expired", "expired_reason": "delivery_missed",
		"shipment_id": nil, "work_order_ref": lot["work_order_ref"]})
	penalty := number(t, lot, "penalty_minor")
	if got := number(t, before, "cash_minor") - number(t, after, "cash_minor"); got != penalty || penalty <= 0 {
		t.Errorf("the penalty is %d, and %d were taken", penalty, got)
	}
	if got := percent(t, before, "reputation") - percent(t, after, "reputation"); math.Abs(got-5) > 1e-9 {
		t.Errorf("the reputation went from %v to %v", before["reputation"], after["reputation"])
	}
	events := w.feed(at)
	w.says(events, id, "office.contract_lot.expired", object{
		"status": "expired", "number": lot["number"], "reason": "delivery_missed", "penalty_minor": penalty,
		"cash_minor": after["cash_minor"],
	})
	entry := one(t, w.penalties(), "reference_id", id)
	agrees(t, "the ledger", entry, object{
		"amount_minor": -penalty, "balance_minor": after["cash_minor"], "kind": "lot_penalty", "entry_on": today,
	})
	for _, e := range events {
		if e["id"] == entry["event_id"] &&
			(e["type"] != "office.contract_lot.expired" || e["sim_date"] != today || child(t, e, "data")["id"] != id) {
			t.Errorf("the penalty belongs to %v", e)
		}
	}
	w.refusesEverything(row)
}

// percent is a member that is a number with a fraction.
func percent(t testing.TB, o object, name string) float64 {
	t.Helper()
	n, _ := o[name].(json.Number)
	value, err := n.Float64()
	if err != nil {
		t.Fatalf("%s is %v", name, o[name])
	}
	return value
}
