package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// writes are one call of each write, in an order in which all of them work.
// They are for a sandbox with the manual bridge.
func (n *tenant) writes() []request {
	n.t.Helper()
	first, second := text(n.order("SO-1001"), "id"), text(n.order("SO-1002"), "id")
	ready := text(n.work("prd_notebook", 1, "goods for nobody"), "id")
	n.print(ready)
	approvable := text(n.require(object{"sku": "mat_ink", "quantity": 300}).want(201, "").Data(), "id")
	rejectable := text(n.require(object{"sku": "mat_ink", "quantity": 301}).want(201, "").Data(), "id")
	pending := text(n.purchase("sup_chroma", "mat_ink", 150).want(201, "").Data(), "id")
	n.tick(480)
	n.tick(100)
	bill := n.all("/office/supplier-invoices")[0]
	truck := n.all("/factory/deliveries?status=arrived")[0]
	coming := text(n.numbered("/office/purchase-orders", text(truck, "purchase_order_number")), "id")
	work := text(n.work("prd_notebook", 1, ""), "id")
	post := func(path, body string) request {
		return request{method: "POST", path: path, body: body, key: n.keyFor(path)}
	}
	return []request{
		post("/office/sales-orders/"+first+"/accept", ""),
		post("/office/sales-orders/"+second+"/decline", `{"reason":"too late"}`),
		post("/office/shipments", encode(n.t, object{"sales_order_id": first, "factory_shipment_ref": "a van"})),
		post("/factory/work-orders", `{"sku":"prd_card","quantity":5,"reference":"SO-1003"}`),
		post("/factory/print-runs", encode(n.t, object{"press_id": "prs_digital", "work_order_id": work})),
		post("/factory/shipments", encode(n.t, object{"work_order_id": ready})),
		post("/office/requisitions", `{"lines":[{"sku":"mat_plate","quantity":5}],"needed_by":"2026-09-30"}`),
		post("/office/requisitions/"+approvable+"/approve", ""),
		post("/office/requisitions/"+rejectable+"/reject", `{"reason":"too much"}`),
		post("/office/purchase-orders", `{"supplier_id":"sup_chroma","lines":[{"sku":"mat_plate","quantity":5}]}`),
		post("/office/purchase-orders/"+pending+"/approve", ""),
		post("/office/goods-receipts", encode(n.t,
			object{"purchase_order_id": coming, "lines": []object{{"sku": "mat_board", "quantity_accepted": 1}}})),
		post("/office/supplier-invoices/"+text(bill, "id")+"/pay",
			encode(n.t, object{"amount_minor": bill["matched_minor"], "note": "as received"})),
		post("/factory/goods-receipts", encode(n.t, object{"delivery_id": truck["id"]})),
		post("/office/market", `{"side":"sell","sku":"mat_coated","quantity":1,"limit_price_minor":1}`),
		post("/office/employees", `{"role":"finisher"}`),
		post("/office/employees/"+text(n.badge("1007"), "id")+"/dismiss", `{"reason":"nothing to sell"}`),
		post("/sandbox/tick", `{"minutes":1}`),
		post("/sandbox/extend", ""),
		post("/sandbox/checkpoints", `{"label":"so far"}`),
		post("/sandbox/triggers", `{"type":"order","sku":"prd_card"}`),
		post("/sandbox/faults", `{"kind":"webhook_late"}`),
	}
}

// repeatedLater are operations that take days of waiting, or a receiver:
// payday_test.go and the tests of lots, webhooks and forks repeat them.
var repeatedLater = []string{
	"create_timesheet", "run_payroll", "accept_contract_lot", "decline_contract_lot",
	"create_webhook", "test_webhook", "rotate_webhook_secret", "redeliver_webhook", "redeliver_failed_events",
	"fork_sandbox",
}

func (r request) under(key string) request {
	r.headers = []string{"Idempotency-Key", key}
	return r
}

// TestEveryWriteCanBeRepeatedUnderItsKey replays each write byte for byte,
// after others have changed the company.
func TestEveryWriteCanBeRepeatedUnderItsKey(t *testing.T) {
	t.Parallel()
	rows(t, "IDEM.ACCEPTED", "IDEM.REPLAY", "IDEM.REPLAY.HEADER", "OPEN.IDEM.BYTES", "IDEM.REUSED",
		"ERR.IDEMPOTENCY_KEY_REUSED", "OPEN.IDEM.SAME", "OPEN.IDEM.SCOPE", "OPEN.IDEM.FIRST")
	// Any time is the time for an extension.
	s := serve(t, map[string]string{"extension-window": "30m"})
	n := s.create(t, `{"preset":"manual","clock":"manual"}`)
	calls := n.writes()
	known := map[string]bool{}
	answers := make([]*answer, len(calls))
	for i, r := range calls {
		answers[i] = n.send(t, r.under(fmt.Sprint("write ", i)))
		if answers[i].Status/100 != 2 || answers[i].Header.Get("Idempotency-Replayed") != "" {
			t.Fatalf("%s: %d %s, replayed %q",
				r, answers[i].Status, answers[i].Raw, answers[i].Header.Get("Idempotency-Replayed"))
		}
		known[answers[i].operation.id] = true
	}
	for i := range n.judge.operations {
		if o := &n.judge.operations[i]; o.method == "POST" && o.path != "/sandboxes" && !known[o.id] &&
			!slices.Contains(repeatedLater, o.id) {
			t.Errorf("%s was not tried", o.id)
		}
	}
	before := n.newest()
	for i, r := range calls {
		again := n.send(t, r.under(fmt.Sprint("write ", i)))
		if string(again.Raw) != string(answers[i].Raw) || again.Status != answers[i].Status ||
			again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%s: first %d %s\nagain %d %s, replayed %q",
				r, answers[i].Status, answers[i].Raw, again.Status, again.Raw, again.Header.Get("Idempotency-Replayed"))
		}
		for _, wrong := range []string{"{", `{"nothing":0}`, "[]"} { // the body under a used key is not looked at
			other := r.under(fmt.Sprint("write ", i))
			other.body = wrong
			n.send(t, other).want(http.StatusUnprocessableEntity, "idempotency_key_reused")
		}
		for _, other := range altered(r) {
			n.send(t, other.under(fmt.Sprint("write ", i))).
				want(http.StatusUnprocessableEntity, "idempotency_key_reused")
		}
	}
	if wrote := company(n.feed(before)); len(wrote) > 0 {
		t.Errorf("the replays wrote %v", wrote)
	}
	// Another system and another sandbox know nothing of the key.
	key := "write 0" // of the Head Office key
	if a := n.post("/factory/work-orders", `{"sku":"prd_notebook","quantity":1}`, "Idempotency-Key", key).
		want(201, ""); a.Header.Get("Idempotency-Replayed") != "" {
		t.Error("a key of Head Office was known in the Factory")
	}
	other := s.create(t, `{"clock":"manual"}`)
	if a := other.accept(text(other.order("SO-1001"), "id")); text(a, "id") == text(answers[0].Data(), "id") {
		t.Errorf("the order %v is in two sandboxes", a["id"])
	}
	other.post("/office/shipments", `{"sales_order_id":"so_0"}`, "Idempotency-Key", key).want(404, "not_found")
}

// altered are requests that differ from one in a single thing.
func altered(r request) []request {
	longer, elsewhere := r, r
	longer.body += " "
	if r.body == "" {
		longer.body = "{}"
	}
	elsewhere.path, elsewhere.body = "/sandbox/tick", ""
	if r.path == elsewhere.path {
		return []request{longer}
	}
	return []request{longer, elsewhere}
}

func TestCreationTakesAnIdempotencyKey(t *testing.T) {
	t.Parallel()
	rows(t, "IDEM.ACCEPTED")
	shared.send(t, request{method: "POST", path: "/sandboxes", headers: []string{"Idempotency-Key", longKey()}}).
		want(201, "")
	shared.send(t,
		request{method: "POST", path: "/sandboxes", headers: []string{"Idempotency-Key", strings.Repeat("k", 65)}}).
		want(400, "idempotency_key_invalid")
}

func TestSomeRoutesInsistOnAKey(t *testing.T) {
	t.Parallel()
	rows(t, "ERR.IDEMPOTENCY_REQUIRED", "ROUTE.OFFICE.SHIPMENTS.CREATE",
		"ROUTE.FACTORY.WORK_ORDERS.CREATE", "ROUTE.FACTORY.PRINT_RUNS.CREATE", "ROUTE.FACTORY.SHIPMENTS.CREATE",
		"ROUTE.OFFICE.REQUISITIONS.CREATE", "ROUTE.OFFICE.PURCHASE_ORDERS.CREATE",
		"ROUTE.OFFICE.PURCHASE_ORDERS.APPROVE", "ROUTE.OFFICE.GOODS_RECEIPTS.CREATE",
		"ROUTE.OFFICE.SUPPLIER_INVOICES.PAY", "ROUTE.FACTORY.GOODS_RECEIPTS.CREATE", "ROUTE.OFFICE.MARKET.TRADE")
	n := serve(t, map[string]string{"extension-window": "30m"}).create(t, `{"preset":"manual","clock":"manual"}`)
	insisting := map[string]int{
		"create_office_shipment": 201, "create_work_order": 201, "start_print_run": 201, "create_factory_shipment": 201,
		"create_requisition": 201, "create_purchase_order": 201, "approve_purchase_order": 200,
		"create_office_goods_receipt": 201, "pay_supplier_invoice": 200, "create_factory_goods_receipt": 201,
		"trade_on_market": 201,
	}
	for _, r := range n.writes() {
		a := n.send(t, r)
		status, insists := insisting[a.operation.id]
		if !insists {
			if a.Status/100 != 2 {
				t.Errorf("%s: without a key %d %s", r, a.Status, a.Raw)
			}
			continue
		}
		a.want(http.StatusBadRequest, "idempotency_required")
		a = n.send(t, r.under(freshKey())).want(status, "")
		if id := text(a.Data(), "id"); id == "" {
			t.Errorf("%s: no id: %s", r, a.Raw)
		}
		delete(insisting, a.operation.id)
	}
	if len(insisting) > 0 {
		t.Errorf("not tried were %v", insisting)
	}
}

func TestIdempotencyKeysHaveAForm(t *testing.T) {
	t.Parallel()
	rows(t, "IDEM.MAX_LENGTH", "LIMIT.IDEMPOTENCY_KEY", "OPEN.IDEM.KEY_FORM", "OPEN.ERR.IDEMPOTENCY_KEY_INVALID")
	n := shared.create(t, `{"clock":"manual"}`)
	work := func(key string) *answer {
		return n.post("/factory/work-orders", `{"sku":"prd_notebook","quantity":1}`, "Idempotency-Key", key)
	}
	for _, key := range []string{
		strings.Repeat("k", 65), `"` + strings.Repeat("k", 63) + `"`, "a\tb", "clé", "a\u00a0b",
	} {
		work(key).want(http.StatusBadRequest, "idempotency_key_invalid")
		n.post("/sandbox/tick", "", "Idempotency-Key", key).want(http.StatusBadRequest, "idempotency_key_invalid")
	}
	work(" ").want(http.StatusBadRequest, "idempotency_required")
	n.post("/sandbox/tick", "", "Idempotency-Key", " ").want(http.StatusBadRequest, "idempotency_key_invalid")
	for i, key := range []string{
		strings.Repeat("k", 64), "k", `"quoted"`, `""`, "quoted", `"` + strings.Repeat("q", 62) + `"`,
		"!#$%&'()*+,-./:;<=>?@[]^_`{|}~ x",
	} {
		if a := work(key).want(201, ""); a.Header.Get("Idempotency-Replayed") != "" {
			t.Errorf("key %d was known", i)
		}
	}
}

func TestARefusalSpendsNoKey(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.IDEM.ONLY_SUCCESS")
	n := shared.create(t, `{"clock":"manual"}`)
	const key = "one for all"
	before := n.snapshot()
	for _, c := range []struct {
		body   string
		status int
		code   string
	}{
		{`{"sku":"prd_card","quantity":5}`, 422, "reference_required"},
		{`{"sku":"prd_card"}`, 422, "validation_failed"},
		{`{`, 400, "invalid_json"},
		{`{"sku":"prd_kite","quantity":1}`, 422, "validation_failed"},
	} {
		n.post("/factory/work-orders", c.body, "Idempotency-Key", key).want(c.status, c.code)
	}
	n.post("/factory/shipments", `{"work_order_id":"wo_0"}`, "Idempotency-Key", key).want(404, "not_found")
	if after := n.snapshot(); encode(t, after) != encode(t, before) {
		t.Error("refusals changed the company")
	}
	if a := n.post("/factory/work-orders", `{"sku":"prd_notebook","quantity":1}`, "Idempotency-Key", key).
		want(201, ""); a.Header.Get("Idempotency-Replayed") != "" {
		t.Error("a refusal was kept")
	}
}

func TestTheSameRequestAtTheSameTimeIsDoneOnce(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.IDEM.CONCURRENT", "EVT.ONE")
	n := shared.create(t, `{"clock":"manual"}`)
	n.get("/factory/presses")
	before := n.newest()
	const callers = 12
	answers := make([]*answer, callers)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			answers[i] = n.post("/factory/work-orders", `{"sku":"prd_notebook","quantity":1}`,
				"Idempotency-Key", "together")
		})
	}
	all.Wait()
	firsts := 0
	for _, a := range answers {
		if a.Status != http.StatusCreated || string(a.Raw) != string(answers[0].Raw) {
			t.Errorf("got %d %s, another got %s", a.Status, a.Raw, answers[0].Raw)
		}
		if a.Header.Get("Idempotency-Replayed") == "" {
			firsts++
		}
	}
	if written := slices.DeleteFunc(types(n.feed(before)),
		func(kind string) bool { return !notMission(kind) }); firsts != 1 || len(written) != 1 ||
		written[0] != "factory.work_order.created" {
		t.Errorf("%d answers were no replays, written was %v", firsts, written)
	}
}
