package contract

import (
	"net/http"
	"strings"
	"testing"
)

const dry = `"dry_run":true`

// trace is all that a dry run must leave as it was.
func (n *tenant) trace() string {
	n.t.Helper()
	r := n.row("/sandbox/report")
	return encode(n.t, []any{r["state_hash"], r["writes"], r["missions"], r["last_seq"], n.snapshot(), n.suffered()})
}

// TestADryRunOfAPrintRunIsTrue: it says what then happens.
func TestADryRunOfAPrintRunIsTrue(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.DRY_RUN", "OPEN.DRY_RUN.TRACELESS", "OPEN.DRY_RUN.PRINT_RUN", "OPEN.BODY.FACTORY.PRINT_RUNS")
	n := calmCompany(t, "manual", nil)
	small, large := n.work("prd_notebook", 10, ""), n.work("prd_notebook", 20, "")
	n.settle()
	before := n.trace()
	body := `{"press_id":"prs_digital","work_order_ids":["` + text(small, "id") + `","` + text(large, "id") +
		`"],"overs_pct":10`
	said := n.call("POST", "/factory/print-runs", body+`,`+dry+`}`).want(http.StatusOK, "").Data()
	if after := n.trace(); after != before {
		t.Errorf("a dry run left\n%s\nbefore it there was\n%s", after, before)
	}
	made := n.post("/factory/print-runs", body+`,"dry_run":false}`).want(http.StatusCreated, "").Data()
	for _, name := range []string{"press_id", "paper_sku", "overs_pct", "sheets_planned", "sheets_make_ready",
		"ink_cans_used", "plates_used", "clicks_minor", "operator_badge_no", "ends_sim"} {
		if encode(t, said[name]) != encode(t, made[name]) {
			t.Errorf("%s was said to be %v and is %v", name, said[name], made[name])
		}
	}
	if encode(t, said["items"]) != encode(t, made["items"]) || said["dry_run"] != true {
		t.Errorf("it said %v, and made was %v", said, made)
	}
	for _, left := range children(t, said, "stock_left") {
		item := n.row("/factory/stock/itm_" + strings.TrimPrefix(text(left, "sku"), "mat_"))
		agrees(t, text(left, "sku"), item, object{"on_hand": left["left"]})
		if below := item["status"] == "low"; left["below_reorder_point"] != below {
			t.Errorf("%v was said of %v", left, item)
		}
	}
	n.tick(int(number(t, said, "minutes")) - 1)
	if run := n.row("/factory/print-runs/" + text(made, "id")); run["status"] != "running" {
		t.Errorf("a minute before its end the run is %v", run)
	}
	n.tick(1)
	if run := n.row("/factory/print-runs/" + text(made, "id")); run["status"] != "completed" {
		t.Errorf("at its end the run is %v", run)
	}
}

// TestMoreOversAreLessRisk, and short runs come where they are expected.
func TestMoreOversAreLessRisk(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.DRY_RUN.PRINT_RUN")
	n := calmCompany(t, "manual", nil)
	work := text(n.work("prd_notebook", 100, ""), "id")
	for overs, want := range map[string]string{"0": "likely", "20": "unlikely"} {
		said := n.call("POST", "/factory/print-runs", `{"press_id":"prs_digital","work_order_id":"`+work+
			`","overs_pct":`+overs+`,`+dry+`}`).want(http.StatusOK, "").Data()
		if said["short_risk"] != want {
			t.Errorf("with %s %% of overs the risk is %v, want %s", overs, said["short_risk"], want)
		}
	}
}

func TestADryRunOfAPurchaseOrderIsTrue(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.DRY_RUN", "OPEN.DRY_RUN.TRACELESS", "OPEN.DRY_RUN.PURCHASE_ORDER",
		"OPEN.BODY.OFFICE.PURCHASE_ORDERS")
	n := calmCompany(t, "auto", nil)
	n.settle()
	left := int64(0)
	for i, quantity := range []string{"12501", "12500", "4000"} {
		before := n.trace()
		body := `{"supplier_id":"sup_mill","lines":[{"sku":"mat_uncoated","quantity":` + quantity + `}]`
		said := n.call("POST", "/office/purchase-orders", body+`,`+dry+`}`).want(http.StatusOK, "").Data()
		if after := n.trace(); after != before {
			t.Errorf("a dry run left\n%s\nbefore it there was\n%s", after, before)
		}
		credit := number(t, said, "credit_left_minor")
		if i > 0 && credit != left-number(t, said, "total_minor") {
			t.Errorf("after one that left %d of the credit, an order of %v leaves %d", left, said["total_minor"],
				credit)
		}
		left = credit
		made := n.post("/office/purchase-orders", body+`}`).want(http.StatusCreated, "").Data()
		if made["status"] == "pending_approval" {
			made = n.post("/office/purchase-orders/"+text(made, "id")+"/approve", "").want(http.StatusOK, "").Data()
		}
		for _, name := range []string{"supplier_id", "requisition_id", "lines", "total_minor", "currency",
			"approval_required", "expected_on"} {
			if encode(t, said[name]) != encode(t, made[name]) {
				t.Errorf("%s was said to be %v and is %v", name, said[name], made[name])
			}
		}
	}
}

// TestADryRunIsRefusedAsTheRequestWouldBe, and the refusal counts for nothing.
func TestADryRunIsRefusedAsTheRequestWouldBe(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.DRY_RUN", "OPEN.DRY_RUN.TRACELESS")
	n := calmCompany(t, "manual", nil)
	work := text(n.work("prd_notebook", 5000, ""), "id")
	n.settle()
	for _, c := range []struct {
		path, body, code string
		status           int
	}{
		{"/factory/print-runs", `"press_id":"prs_none","work_order_id":"` + work + `"`, "not_found", 404},
		{"/factory/print-runs", `"press_id":"prs_digital","work_order_id":"wo_none"`, "not_found", 404},
		{"/factory/print-runs", `"press_id":"prs_digital","work_order_id":"` + work + `"`, "insufficient_stock", 409},
		{"/factory/print-runs", `"press_id":"prs_digital"`, "validation_failed", 422},
		{"/factory/print-runs", `"press_id":"prs_digital","work_order_id":"` + work + `","overs_pct":21`,
			"validation_failed", 422},
		{"/factory/print-runs", `"press_id":"prs_digital","work_order_id":"` + work + `","x":1`,
			"validation_failed", 422},
		{"/office/purchase-orders", `"supplier_id":"sup_none","lines":[{"sku":"mat_ink","quantity":1}]`,
			"not_found", 404},
		{"/office/purchase-orders", `"supplier_id":"sup_mill","lines":[{"sku":"mat_ink","quantity":1}]`,
			"sku_not_supplied", 422},
		{"/office/purchase-orders", `"supplier_id":"sup_mill","lines":[{"sku":"mat_coated","quantity":200000},` +
			`{"sku":"mat_uncoated","quantity":200000}]`,
			"credit_limit_exceeded", 409},
		{"/office/purchase-orders", `"supplier_id":"sup_mill","lines":[{"sku":"mat_coated",` +
			`"quantity":99999999999999999999}]`, "validation_failed", 422},
	} {
		before := n.trace()
		tried := n.call("POST", c.path, `{`+c.body+`,`+dry+`}`).want(c.status, c.code)
		if after := n.trace(); after != before {
			t.Errorf("%s: a refused dry run left\n%s\nbefore it there was\n%s", c.body, after, before)
		}
		sent := n.post(c.path, `{`+c.body+`}`).want(c.status, c.code)
		for _, name := range []string{"message", "details", "hint"} {
			if a, b := encode(t, tried.Failure()[name]), encode(t, sent.Failure()[name]); a != b &&
				c.code != "validation_failed" { // which lists the fields that are known
				t.Errorf("%s: tried, the %s is %s, sent %s", c.body, name, a, b)
			}
		}
	}
	for _, value := range []string{`"true"`, "1", "null", "[true]"} {
		n.post("/office/purchase-orders", `{"supplier_id":"sup_mill","lines":[{"sku":"mat_coated","quantity":4000}],`+
			`"dry_run":`+value+`}`).want(http.StatusUnprocessableEntity, "validation_failed")
	}
	n.post("/factory/work-orders", `{"sku":"prd_notebook","quantity":1,`+dry+`}`).
		want(http.StatusUnprocessableEntity, "validation_failed")
}

// TestADryRunUsesUpNoKeyAndMeetsNoFault: what waits to go wrong meets the next write.
func TestADryRunUsesUpNoKeyAndMeetsNoFault(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.DRY_RUN.TRACELESS")
	n := calmCompany(t, "auto", nil)
	body := `{"supplier_id":"sup_mill","lines":[{"sku":"mat_coated","quantity":4000}]`
	n.injects("request_lost", 1)
	for range 3 {
		got := n.tries("POST", "/office/purchase-orders", body+`,`+dry+`}`, "the-key")
		if got.status != http.StatusOK {
			t.Fatalf("a dry run is answered %+v", got)
		}
	}
	if kinds := n.suffered(); len(kinds) != 0 {
		t.Errorf("dry runs suffered %v", kinds)
	}
	if got := n.tries("POST", "/office/purchase-orders", body+`}`, "the-key"); !got.lost() {
		t.Errorf("the write after them is answered %+v", got)
	}
	a := n.post("/office/purchase-orders", body+`}`, "Idempotency-Key", "the-key").want(http.StatusCreated, "")
	if a.Header.Get("Idempotency-Replayed") != "" {
		t.Error("the key of a dry run was used up")
	}
	n.call("POST", "/office/purchase-orders", body+`,`+dry+`}`, "Idempotency-Key", strings.Repeat("k", 300)).
		want(http.StatusBadRequest, "idempotency_key_invalid")
	n.call("POST", "/office/purchase-orders", body+`}`).want(http.StatusBadRequest, "idempotency_required")
}

func TestADryRunStartsNoClock(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.DRY_RUN.TRACELESS", "OPEN.TIME.WAITS")
	n := shared.create(t, `{"preset":"starter"}`)
	n.call("POST", "/office/purchase-orders",
		`{"supplier_id":"sup_mill","lines":[{"sku":"mat_coated","quantity":4000}],`+dry+`}`).want(http.StatusOK, "")
	if !n.waiting() {
		t.Error("a dry run has started the clock")
	}
	n.row("/office/cash")
	if n.waiting() {
		t.Error("a read has not started the clock")
	}
}
