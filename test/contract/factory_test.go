package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestWorkOrdersAreTakenOnAsAsked(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.FACTORY.WORK_ORDERS", "OPEN.HTTP.STRICT_BODY", "OPEN.HTTP.INTEGERS", "OPEN.HTTP.NULL",
		"OPEN.HTTP.ALL_FIELDS", "OPEN.ERR.VALIDATION_FAILED", "OPEN.ERR.INVALID_JSON", "OPEN.ERR.REFERENCE_REQUIRED",
		"OPEN.ERR.DUPLICATE_REFERENCE", "OPEN.FIELDS.FACTORY_PRODUCT", "OPEN.FIELDS.OFFICE_PRODUCT", "CONV.SAME_ROW")
	n := shared.create(t, `{"clock":"manual"}`)
	for _, p := range n.all("/factory/products") {
		has(t, "a product of the Factory", p, "sku", "name", "kind", "unit", "paper_sku", "sheets_per_unit",
			"ink_units_per_can", "plates_per_run", "finishing_minutes")
		sold := n.row("/office/products/" + text(p, "id"))
		has(t, "a product of Head Office", sold, "sku", "name", "kind", "unit", "list_price_minor", "active")
		if sold["sku"] != p["sku"] || sold["kind"] != p["kind"] {
			t.Errorf("the product is %v there and %v here", sold, p)
		}
	}
	a := n.post("/factory/work-orders", `{"sku":"prd_flyer","quantity":5000,"reference":"`+strings.Repeat("é", 64)+
		`","due_date":"2026-10-01","priority":9}`).want(http.StatusCreated, "")
	if w := a.Data(); w["sku"] != "prd_flyer" || number(t, w, "quantity") != 5000 ||
		w["reference"] != strings.Repeat("é", 64) || w["due_date"] != "2026-10-01" || number(t, w, "priority") != 9 ||
		w["source"] != "client" {
		t.Errorf("the work order is %v", w)
	}
	n.sameRow(a, "/factory/work-orders/"+text(a.Data(), "id"))
	plain := n.post("/factory/work-orders", `{"sku":"prd_notebook","quantity":1}`).want(http.StatusCreated, "").Data()
	if plain["reference"] != nil || plain["due_date"] != nil {
		t.Errorf("the plain work order is %v", plain)
	}
	for body, want := range map[string]string{ // the fields that are named
		`{"sku":"prd_flyer","quantity":0,"reference":"a"}`:                               "quantity",
		`{"sku":"prd_flyer","quantity":5001,"reference":"a"}`:                            "quantity",
		`{"sku":"prd_flyer","quantity":1.5,"reference":"a"}`:                             "quantity",
		`{"sku":"prd_flyer","quantity":1e-2,"reference":"a"}`:                            "quantity",
		`{"sku":"prd_flyer","quantity":9223372036854775808,"reference":"a"}`:             "quantity",
		`{"sku":"prd_flyer","quantity":"1","reference":"a"}`:                             "quantity",
		`{"sku":"prd_flyer","quantity":null,"reference":"a"}`:                            "quantity",
		`{"sku":"prd_flyer","quantity":1,"reference":""}`:                                "reference",
		`{"sku":"prd_flyer","quantity":1,"reference":"` + strings.Repeat("é", 65) + `"}`: "reference",
		`{"sku":"prd_flyer","quantity":1,"reference":"a","due_date":"2026-02-30"}`:       "due_date",
		`{"sku":"prd_flyer","quantity":1,"reference":"a","priority":0}`:                  "priority",
		`{"sku":"prd_flyer","quantity":1,"reference":"a","priority":10}`:                 "priority",
		`{"sku":"prd_kite","quantity":1,"reference":"a"}`:                                "sku",
		`{"quantity":1}`: "sku",
		`{}`:             "quantity sku",
		`{"sku":7,"quantity":0,"reference":"","due_date":"soon","priority":"high","colour":"red",` +
			`"shape":"big"}`: "colour due_date priority quantity reference shape sku",
	} {
		fields := badFields(n.post("/factory/work-orders", body).
			want(http.StatusUnprocessableEntity, "validation_failed"))
		slices.Sort(fields)
		if got := strings.Join(fields, " "); got != want {
			t.Errorf("%s: named are %q, want %q", body, got, want)
		}
	}
	for _, body := range []string{
		"", " ", "{", "[]", "null", `{"sku":"prd_notebook","quantity":1}x`,
		`{"sku":"a","sku":"prd_notebook","quantity":1}`, "\ufeff{}", `{"sku":"\ud800","quantity":1}`,
	} {
		n.post("/factory/work-orders", body).want(http.StatusBadRequest, "invalid_json")
	}
	n.post("/factory/work-orders", `{"sku":"prd_card","quantity":1}`).
		want(http.StatusUnprocessableEntity, "reference_required")
	n.work("prd_card", 1, "twice")
	n.post("/factory/work-orders", `{"sku":"prd_notebook","quantity":2,"reference":"twice"}`).
		want(http.StatusConflict, "duplicate_reference")
}

func TestBodiesAreDeclaredAndBounded(t *testing.T) {
	t.Parallel()
	rows(t, "CONV.BODY.CONTENT_TYPE", "ERR.UNSUPPORTED_MEDIA_TYPE", "CONV.BODY.MAX", "LIMIT.BODY",
		"OPEN.HTTP.BODY_TOO_LARGE", "OPEN.ERR.BODY_TOO_LARGE", "CONV.BODY.JSON")
	n := shared.create(t, `{"clock":"manual"}`)
	const body = `{"sku":"prd_notebook","quantity":1}`
	for _, media := range []string{
		"", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "json",
		"application/json; charset=latin1", "*/*",
	} {
		n.post("/factory/work-orders", body, "Content-Type", media).
			want(http.StatusUnsupportedMediaType, "unsupported_media_type")
		shared.send(t,
			request{method: "POST", path: "/sandboxes", body: "{}", headers: []string{"Content-Type", media}}).
			want(http.StatusUnsupportedMediaType, "unsupported_media_type")
	}
	for _, media := range []string{"application/json", "application/json; charset=utf-8", "APPLICATION/JSON"} {
		n.post("/factory/work-orders", body, "Content-Type", media).want(http.StatusCreated, "")
	}
	n.post("/sandbox/tick", "", "Content-Type", "").want(http.StatusOK, "") // no body, nothing to declare
	padded := func(length int) string { return body + strings.Repeat(" ", length-len(body)) }
	n.post("/factory/work-orders", padded(16384)).want(http.StatusCreated, "")
	for _, length := range []int{16385, 100_000} {
		a := n.post("/factory/work-orders", padded(length)).want(http.StatusRequestEntityTooLarge, "body_too_large")
		if number(t, a.details(), "limit_bytes") != 16384 {
			t.Errorf("%d bytes: details are %v", length, a.details())
		}
	}
}

func TestRecordsThatAreNotThereAreNamed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.NOT_FOUND", "OPEN.LIST.ITEM")
	n := shared.create(t, `{"clock":"manual"}`)
	for _, path := range n.judge.records() {
		if path == "/events" {
			continue
		}
		details := n.get(path+"/x_0").want(http.StatusNotFound, "not_found").details()
		if text(details, "resource") == "" || details["id"] != "x_0" {
			t.Errorf("%s/x_0: details are %v", path, details)
		}
	}
	details := n.post("/factory/print-runs", `{"press_id":"prs_digital","work_order_id":"wo_0"}`).
		want(http.StatusNotFound, "not_found").details()
	if details["id"] != "wo_0" || text(details, "resource") != "work_order" {
		t.Errorf("details are %v", details)
	}
	// A record of one sandbox is none of another.
	other := shared.create(t, `{"clock":"manual","seed":99}`)
	n.get("/office/sales-orders/"+text(other.order("SO-1001"), "id")).want(http.StatusNotFound, "not_found")
}

func TestAGangSharesOneMakeReady(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.PRINT_RUN.GANG", "OPEN.BODY.FACTORY.PRINT_RUNS", "OPEN.ERR.GANG_MIXED_PAPER",
		"OPEN.ERR.VALIDATION_FAILED", "ERR.OTHER_CONFLICTS", "OPEN.ERR.INSUFFICIENT_STOCK")
	n := shared.create(t, `{"clock":"manual"}`)
	var flyers []string
	for i := range 7 {
		flyers = append(flyers, text(n.work("prd_flyer", 5, fmt.Sprint("flyers ", i)), "id"))
	}
	cards, huge := text(n.work("prd_card", 5, "cards"), "id"), text(n.work("prd_notebook", 5000, ""), "id")
	start := func(body object) *answer { return n.post("/factory/print-runs", encode(t, body)) }

	mixed := start(object{"press_id": "prs_digital", "work_order_ids": []string{flyers[0], cards}}).
		want(http.StatusUnprocessableEntity, "gang_mixed_paper")
	if got := texts(mixed.details(), "papers"); !slices.Equal(got, []string{"mat_coated", "mat_board"}) {
		t.Errorf("the papers are %v", got)
	}
	short := start(object{"press_id": "prs_digital", "work_order_id": huge}).
		want(http.StatusConflict, "insufficient_stock")
	for _, s := range children(t, short.details(), "shortages") {
		item := one(t, n.all("/factory/stock"), "sku", text(s, "sku"))
		if s["on_hand"] != item["on_hand"] || number(t, s, "needed") <= number(t, item, "on_hand") {
			t.Errorf("the shortage is %v, on hand are %v", s, item["on_hand"])
		}
	}
	for _, body := range []object{
		{"press_id": "prs_digital"},
		{"press_id": "prs_digital", "work_order_id": cards, "work_order_ids": []string{cards}},
		{"press_id": "prs_digital", "work_order_ids": []string{}},
		{"press_id": "prs_digital", "work_order_ids": flyers},
		{"press_id": "prs_digital", "work_order_ids": []string{cards, cards}},
		{"press_id": "prs_digital", "work_order_id": cards, "overs_pct": -1},
		{"press_id": "prs_digital", "work_order_id": cards, "overs_pct": 21},
		{"work_order_id": cards},
		{"press_id": "prs_digital", "work_order_id": cards, "operator_badge_no": "9999"},
	} {
		start(body).want(http.StatusUnprocessableEntity, "validation_failed")
	}
	start(object{"press_id": "prs_laser", "work_order_id": cards}).want(http.StatusNotFound, "not_found")

	before := n.newest()
	run := start(object{"press_id": "prs_digital", "work_order_ids": flyers[:6]}).want(http.StatusCreated, "").Data()
	press := n.row("/factory/presses/prs_digital")
	if items := children(t, run, "items"); len(items) != 6 || run["sheets_make_ready"] != press["make_ready_sheets"] ||
		run["work_order_id"] != flyers[0] || number(t, run, "overs_pct") != 3 {
		t.Errorf("the gang run is %v", run)
	}
	n.says(n.feed(before), text(run, "id"), "factory.print_run.started",
		object{"items_count": 6, "work_order_id": flyers[0]})
	for _, id := range flyers[:6] {
		if got := n.row("/factory/work-orders/" + id); got["status"] != "printing" ||
			!slices.Equal(texts(got, "print_run_ids"), []string{text(run, "id")}) {
			t.Errorf("a work order of the gang is %v", got)
		}
	}
	start(object{"press_id": "prs_offset", "work_order_id": flyers[0]}).want(http.StatusConflict, "invalid_state")
	n.tick(480)
	for _, item := range children(t, n.row("/factory/print-runs/"+text(run, "id")), "items") {
		order := n.row("/factory/work-orders/" + text(item, "work_order_id"))
		if number(t, item, "quantity_good")+number(t, item, "quantity_short") != number(t, item, "quantity_planned") ||
			order["quantity_good"] != item["quantity_good"] {
			t.Errorf("the item is %v, its work order has %v", item, order["quantity_good"])
		}
	}
}

func TestEachRunNeedsAnOperator(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.PRINT_RUN.OPERATOR", "ERR.OTHER_CONFLICTS")
	n := shared.create(t, `{"clock":"manual"}`)
	first, second := text(n.work("prd_notebook", 5, ""), "id"), text(n.work("prd_notebook", 5, ""), "id")
	busy := n.post("/factory/print-runs", encode(t,
		object{"press_id": "prs_digital", "work_order_id": first, "operator_badge_no": "1001"})).want(201, "").Data()
	if busy["operator_badge_no"] != "1001" {
		t.Errorf("the operator is %v", busy["operator_badge_no"])
	}
	n.post("/factory/print-runs",
		encode(t, object{"press_id": "prs_offset", "work_order_id": second, "operator_badge_no": "1001"})).
		want(http.StatusConflict, "no_operator")
	other := n.post("/factory/print-runs", encode(t, object{"press_id": "prs_offset", "work_order_id": second})).
		want(201, "").Data()
	if free := one(t, n.all("/factory/operators"), "badge_no",
		text(other, "operator_badge_no")); other["operator_badge_no"] == "1001" || free["present"] != true {
		t.Errorf("the other run has the operator %v", free)
	}
}

func TestABusyOperatorIsFreeWhenTheRunEnds(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.NO_OPERATOR")
	n := shared.create(t, "")
	first, second := text(n.work("prd_notebook", 50, ""), "id"), text(n.work("prd_notebook", 5, ""), "id")
	run := n.post("/factory/print-runs", encode(t,
		object{"press_id": "prs_digital", "work_order_id": first, "operator_badge_no": "1001"})).want(201, "").Data()
	refused := n.post("/factory/print-runs",
		encode(t, object{"press_id": "prs_offset", "work_order_id": second, "operator_badge_no": "1001"})).
		want(http.StatusConflict, "no_operator")
	// The run shows when it ends, so it is known.
	if at, has := refused.Failure()["retry_at"]; !has {
		t.Errorf("the operator's run ends at %v, and no_operator has no retry_at: %v",
			run["ends_at"], refused.Failure())
	} else if apart := moment(t, at).Sub(moment(t, run["ends_at"])); apart < 0 || apart > time.Second {
		t.Errorf("the operator's run ends at %v, retry_at is %v", run["ends_at"], at)
	}
}

func TestAShortRunIsToppedUp(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.WORK_ORDER.SHORT", "OPEN.STATE.WORK_ORDER", "OPEN.EVT.FACTORY.PRINT_RUN.COMPLETED")
	n := shared.create(t, `{"seed":5,"clock":"manual"}`)
	work := text(n.work("prd_notebook", 60, ""), "id")
	run := n.post("/factory/print-runs",
		encode(t, object{"press_id": "prs_digital", "work_order_id": work, "overs_pct": 0})).want(201, "").Data()
	n.tick(479)
	order := n.row("/factory/work-orders/" + work)
	missing := number(t, order, "quantity") - number(t, order, "quantity_good")
	if order["status"] != "printing" || missing <= 0 {
		t.Fatalf("printed without overs, the work order is %v with %v of %v",
			order["status"], order["quantity_good"], order["quantity"])
	}
	n.says(n.feed(0), text(run, "id"), "factory.print_run.completed",
		object{"quantity_good": order["quantity_good"], "quantity_short": missing})
	more := n.print(work)
	if item := children(t, more, "items")[0]; number(t, item, "quantity_planned") != missing {
		t.Errorf("missing are %d, the next run is %v", missing, item)
	}
	n.tick(479)
	// Without a reference the goods end on the shelf.
	order = n.row("/factory/work-orders/" + work)
	if order["status"] != "stocked" || order["quantity_good"] != order["quantity"] ||
		len(texts(order, "print_run_ids")) != 2 {
		t.Errorf("topped up, the work order is %v", order)
	}
	refused := n.post("/factory/shipments", encode(t, object{"work_order_id": work})).
		want(http.StatusConflict, "invalid_state")
	if refused.details()["status"] != "stocked" {
		t.Errorf("details are %v", refused.details())
	}
	// Goods on the shelf make an order ready at once.
	n.within(t).readyFromStock(number(t, order, "quantity"))
}

func (n *tenant) readyFromStock(printed int64) {
	t := n.t
	rows(t, "OPEN.STATE.WORK_ORDER.FROM_STOCK", "OPEN.EVENT.TWO", "OPEN.FIELDS.STOCK_MOVE")
	shelf := n.row("/factory/stock/itm_notebook")
	if number(t, shelf, "on_hand") < printed {
		t.Fatalf("printed were %d, on the shelf are %v", printed, shelf["on_hand"])
	}
	before := n.newest()
	a := n.post("/factory/work-orders", `{"sku":"prd_notebook","quantity":7,"reference":"somebody"}`).want(201, "")
	order := a.Data()
	if order["status"] != "ready" || number(t, order, "quantity_from_stock") != 7 || order["ready_on"] == nil {
		t.Errorf("with goods on the shelf the work order is %v", order)
	}
	if got := types(n.feed(before)); !slices.Equal(got,
		[]string{"factory.work_order.created", "factory.work_order.ready"}) {
		t.Errorf("it wrote %v", got)
	}
	if got := number(t, n.row("/factory/stock/itm_notebook"), "reserved"); got != 7 {
		t.Errorf("reserved are %d", got)
	}
	if plain := n.work("prd_notebook", 7, ""); plain["status"] != "created" {
		t.Errorf("an order for the shelf itself is %v", plain["status"])
	}
	if big := n.work("prd_notebook", int(printed)+1, "somebody else"); big["status"] != "created" {
		t.Errorf("an order that the shelf does not cover is %v", big["status"])
	}
	parcel := n.dispatch(text(order, "id"))
	move := n.all("/factory/stock-moves")[0]
	has(t, "a stock move", move, "sku", "quantity", "balance_after", "kind", "event_id", "reference_id")
	if move["kind"] != "shipment" || number(t, move, "quantity") != -7 || move["reference_id"] != parcel["id"] {
		t.Errorf("the shipment moved %v", move)
	}
}

func TestABusyPressSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	rows(t, "ERR.PRESS_BUSY", "OPEN.ERR.MANUAL_CLOCK", "OPEN.PRESS_BUSY.RETRY_AT",
		"OPEN.PRESS_BUSY.NO_HEADER", "ERR.RETRY")
	for _, mode := range []string{"realtime", "manual"} {
		n := shared.create(t, fmt.Sprintf(`{"clock":%q}`, mode))
		work := text(n.work("prd_notebook", 10, ""), "id")
		run := n.print(text(n.work("prd_notebook", 60, ""), "id"))
		key := freshKey()
		body := encode(t, object{"press_id": "prs_digital", "work_order_id": work})
		refused := n.post("/factory/print-runs", body, "Idempotency-Key", key).want(http.StatusConflict, "press_busy")
		failure := refused.Failure()
		if got := names(failure); !slices.Equal(got, []string{
			"code", "docs_url", "hint", "message", "retry_at", "retryable",
		}) || refused.Header.Get("Retry-After") != "" || failure["retryable"] != (mode == "realtime") {
			t.Errorf("%s: press_busy is %v with Retry-After %q", mode, failure, refused.Header.Get("Retry-After"))
		}
		at, now := moment(t, failure["retry_at"]), moment(t, refused.Meta()["server_time"])
		if at.Nanosecond() != 0 {
			t.Errorf("%s: retry_at is %v, no whole second", mode, at)
		}
		if mode == "manual" {
			if left := at.Sub(now); left < time.Second || left >= 2*time.Second ||
				!strings.Contains(text(failure, "hint"), "/sandbox/tick") ||
				strings.Contains(text(failure, "hint"), "retry_at") {
				t.Errorf("with a manual clock retry_at is %v away, the hint %v", left, failure["hint"])
			}
			n.tick(480)
			if a := n.post("/factory/print-runs", body, "Idempotency-Key", key).
				want(201, ""); a.Header.Get("Idempotency-Replayed") != "" {
				t.Error("the refusal was kept")
			}
			continue
		}
		if ends := moment(t, run["ends_at"]); at.Before(ends) || at.Sub(ends) >= time.Second {
			t.Errorf("the run ends at %v, retry_at is %v", ends, at)
		}
	}
}

func TestASandboxHoldsTwoThousandOpenWorkOrders(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.WORK_ORDER.MAX_OPEN", "OPEN.ERR.TOO_MANY_OPEN")
	n := shared.create(t, `{"clock":"manual"}`)
	const most, clients = 2000, 4
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for range most / clients {
				n.work("prd_notebook", 1, "")
			}
		})
	}
	all.Wait()
	n.post("/factory/work-orders", `{"sku":"prd_notebook","quantity":1}`).want(http.StatusConflict, "too_many_open")
	n.post("/office/sales-orders/"+text(n.order("SO-1001"), "id")+"/accept", "").
		want(http.StatusConflict, "too_many_open")
	if got := len(n.all("/factory/work-orders")); got != most {
		t.Errorf("%d work orders are there", got)
	}
}
