package contract

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"platen/test/testclient"
)

// lines calls a tool whose result is lines of text.
func (a *agent) lines(name, arguments string) (all []string, refused bool) {
	a.t.Helper()
	got := a.rpc("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
	if got.Status != http.StatusOK || got.Body["result"] == nil {
		a.t.Fatalf("%s was answered %d %s", name, got.Status, got.Raw)
	}
	result := child(a.t, got.Body, "result")
	content := children(a.t, result, "content")
	said := text(content[0], "text")
	if _, structured := result["structuredContent"]; structured || len(content) != 1 {
		a.t.Errorf("%s has more than text: %v", name, result)
	}
	if _, err := testclient.Decode([]byte(said)); err == nil {
		a.t.Errorf("%s(%s) is answered in JSON: %s", name, arguments, said)
	}
	return strings.Split(said, "\n"), result["isError"] == true
}

// does calls do with commands, and expects all of them to succeed.
func (a *agent) does(commands ...string) []string {
	a.t.Helper()
	all, refused := a.lines("do", encode(a.t, object{"commands": commands}))
	for _, line := range all {
		if refused || strings.Contains(line, " error ") || strings.HasPrefix(line, "stopped") {
			a.t.Fatalf("%v: %s", commands, strings.Join(all, "\n"))
		}
	}
	return all
}

// word returns the text after a name and = in a line.
func word(t testing.TB, line, name string) string {
	t.Helper()
	m := regexp.MustCompile(`\b` + name + `=(\S+)`).FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("%q has no %s", line, name)
	}
	return m[1]
}

// TestAnAgentPlaysFromAnOrderToItsBillInAFewCalls: what each command did is in the lists of
// HTTP.
func TestAnAgentPlaysFromAnOrderToItsBillInAFewCalls(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MCP.DO", "OPEN.MCP.ADVANCE", "OPEN.TICK.BRIEF", "OPEN.TICK.IDLE_PRESS")
	n := shared.create(t, `{"preset":"starter","seed":7,"clock":"manual"}`)
	a := shared.agent(t, n.office)
	order := n.order("SO-1001")
	said := a.does("accept_sales_order "+text(order, "id"), "list_work_orders waits_for=press")
	work := word(t, said[0], "bridged_work_order_id")
	if !strings.Contains(strings.Join(said, "\n"), work+"|created|press|"+text(order, "sku")) {
		t.Errorf("the list after it is %q", said)
	}
	tried := a.does("start_print_run press_id=prs_digital work_order_id=" + work + " overs_pct=20 dry_run=true")[0]
	said = a.does("start_print_run press_id=prs_digital work_order_id="+work+" overs_pct=20",
		"advance_time until=factory.work_order.ready max_minutes=960")
	if ends := word(t, tried, "ends_sim"); !strings.Contains(said[0], ends) {
		t.Errorf("tried, it ends %s; started, %q", ends, said[0])
	}
	ready := ""
	for _, line := range said {
		if strings.HasPrefix(line, "create_factory_shipment work_order_id="+work+" # ") {
			ready = line
		}
	}
	if !strings.Contains(ready, "for SO-1001") {
		t.Fatalf("nothing is ready in %q", said)
	}
	a.does("create_factory_shipment work_order_id="+work, "get_cash")
	if got := n.row("/office/sales-orders/" + text(order, "id")); got["status"] != "shipped" {
		t.Errorf("the order is %v", got)
	}
	calls := 0
	for _, call := range n.all("/requests") {
		if text(call, "method") == "POST" {
			calls++
		}
	}
	if calls != 5 {
		t.Errorf("%d writes are among the requests, want 5", calls)
	}
}

// TestALineForEachRecordThatWaits: a brief and the decisions of its digest are of the same
// records.
func TestALineForEachRecordThatWaits(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TICK.BRIEF", "OPEN.TICK.DIGEST", "OPEN.MCP.ADVANCE")
	n := shared.create(t, `{"preset":"crunch","seed":9,"clock":"manual"}`)
	a := shared.agent(t, n.office)
	known := regexp.MustCompile(`^([a-z]+(_[a-z]+)+( ([a-z_]+=)?\S+)+ # |` +
		`(offer|lot|waiting|press|goods|truck|short|requisition|bill) \S+ )\S`)
	numbered := map[string]string{
		"sales_order": "/office/sales-orders/", "contract_lot": "/office/contract-lots/",
		"office_requisition": "/office/requisitions/", "purchase_order": "/office/purchase-orders/",
		"supplier_invoice": "/office/supplier-invoices/",
	}
	for range 12 {
		d := child(t, n.post("/sandbox/tick", `{"minutes":240,"brief":true}`).want(http.StatusOK, "").Data(), "digest")
		var all []string
		for _, line := range d["lines"].([]any) {
			all = append(all, line.(string))
			if !known.MatchString(line.(string)) {
				t.Errorf("a line is %q", line)
			}
		}
		whole := strings.Join(all, "\n")
		for _, waits := range children(t, d, "decisions") {
			id, resource := text(waits, "id"), text(waits, "resource")
			switch path, has := numbered[resource]; {
			case has:
				id = text(n.row(path+id), "number")
			case resource == "payroll_run":
				id = text(n.row("/office/payroll-runs/"+id), "week_start")
			case resource == "work_order" && strings.Contains(whole, "waiting "):
				continue // one of those that are only counted
			}
			if !regexp.MustCompile(`(?m)[ ="]` + regexp.QuoteMeta(id) + `["\]]*( |$|,)`).MatchString(whole) {
				t.Errorf("%v waits and is in no line of\n%s", waits, whole)
			}
		}
		if lines, _ := a.lines("advance_time", `{"minutes":1}`); !strings.HasPrefix(lines[0], "2026-") {
			t.Errorf("the clock says %q", lines)
		}
	}
	if _, has := child(t, n.tick(1), "digest")["lines"]; has {
		t.Error("a tick has lines that nobody asked for")
	}
}

// TestALineIsACommand: whatever a line asks for succeeds as it is written, and a material that runs short says what is
// on its way.
func TestALineIsACommand(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TICK.BRIEF", "OPEN.MCP.DO")
	n := shared.create(t, `{"preset":"starter","seed":9,"clock":"manual"}`)
	a := shared.agent(t, n.office)
	n.post("/office/requisitions", `{"lines":[{"sku":"mat_coated","quantity":16000}]}`).want(http.StatusCreated, "")
	sent, refused, short := map[string]int{}, 0, 0
	for range 40 {
		d := child(t, n.post("/sandbox/tick", `{"minutes":120,"brief":true}`).want(http.StatusOK, "").Data(), "digest")
		ordered := map[string]int64{}
		for _, o := range n.all("/office/purchase-orders") {
			if o["receipt_status"] != "none" {
				continue // its truck has come
			}
			for _, l := range children(t, o, "lines") {
				ordered[text(l, "sku")] += max(0, number(t, l, "quantity")-number(t, l, "quantity_received"))
			}
		}
		for _, line := range d["lines"].([]any) { // what is on hand changes with the first command
			if _, about, found := strings.Cut(line.(string), "short "); found {
				short++
				sku := strings.Fields(about)[0]
				item := n.all("/factory/stock?sku=" + sku)[0]
				want := fmt.Sprintf("%d on hand, %d on order", number(t, item, "on_hand"), ordered[sku])
				if !strings.Contains(line.(string), want) {
					t.Errorf("%q does not say %q", line, want)
				}
			}
		}
		first := true
		for _, line := range d["lines"].([]any) {
			command, _, wants := strings.Cut(line.(string), " # ")
			if !wants {
				continue
			}
			name, _, _ := strings.Cut(command, " ")
			said, _ := a.lines("do", encode(t, object{"commands": []string{command}}))
			sent[name]++
			if !strings.Contains(said[0], " ok "+name) {
				refused++
				if first {
					t.Errorf("%q is answered by %q", line, said)
				}
			}
			first = false
		}
	}
	total := 0
	for _, times := range sent {
		total += times
	}
	for _, name := range []string{
		"accept_sales_order", "start_print_run", "create_factory_shipment", "create_factory_goods_receipt",
		"create_purchase_order", "pay_supplier_invoice", "run_payroll",
	} {
		if sent[name] == 0 {
			t.Errorf("no line began with %s: %v", name, sent)
		}
	}
	if refused*20 > total || short == 0 {
		t.Errorf("%d of %d commands were refused, %d lines said short", refused, total, short)
	}
}

// TestALineOffersNoDiscountThatIsOver: the company opens with a bill whose discount has ended.
func TestALineOffersNoDiscountThatIsOver(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TICK.BRIEF")
	n := shared.create(t, `{"preset":"manual","seed":7,"clock":"manual"}`)
	bills := 0
	digest := child(t, n.post("/sandbox/tick", `{"minutes":240,"brief":true}`).Data(), "digest")
	for _, line := range digest["lines"].([]any) {
		if line := line.(string); strings.HasPrefix(line, "pay_supplier_invoice ") {
			bills++
			_, until, has := strings.Cut(line, " until ")
			if has && until < "2026-09-07" {
				t.Errorf("a line is %q", line)
			}
		}
	}
	if bills == 0 {
		t.Error("no bill waits")
	}
}

func TestATickStopsAtAnIdlePress(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TICK.IDLE_PRESS")
	n := calmCompany(t, "manual", nil)
	first, second := text(n.work("prd_notebook", 10, ""), "id"), text(n.work("prd_notebook", 10, ""), "id")
	run := n.print(first)
	r := n.post("/sandbox/tick", `{"until":{"idle_press":true}}`).want(http.StatusOK, "").Data()
	at := text(r, "sim_date") + "T" + text(r, "sim_time")
	if r["stopped_by"] != "idle_press" || at != text(run, "ends_sim") {
		t.Errorf("the tick ended %v, the run %v", r, run)
	}
	n.print(second)
	r = n.post("/sandbox/tick", `{"minutes":480,"until":{"idle_press":true}}`).want(http.StatusOK, "").Data()
	if r["stopped_by"] != "minutes" {
		t.Errorf("without work to print the tick stopped by %v", r["stopped_by"])
	}
	for _, until := range []string{`{"idle_press":false}`, `{"idle_press":1}`, `{"idle_press":null}`,
		`{"idle_press":true,"decision":true}`} {
		n.post("/sandbox/tick", `{"until":`+until+`}`).want(http.StatusUnprocessableEntity, "validation_failed")
	}
}

// TestShortViewsShowTheRowsOfTheList, page by page.
func TestShortViewsShowTheRowsOfTheList(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MCP.VIEW", "OPEN.MCP.ENVELOPE")
	n := shared.create(t, `{"preset":"agent_eval","clock":"manual"}`)
	a := shared.agent(t, n.office)
	for tool, resources := range map[string]string{
		"office_list": "contract_lots customer_invoices customers employees goods_receipts leave_requests " +
			"ledger_entries market_quotes market_trades payments payroll_runs products purchase_orders requisitions " +
			"sales_orders shipments supplier_invoices suppliers timesheets",
		"factory_list": "attendance deliveries goods_receipts market_deliveries operators presses print_runs " +
			"products requisitions shipments stock_items stock_moves work_orders",
	} {
		for resource := range strings.FieldsSeq(resources) {
			full := children(t, a.data(tool, `{"resource":"`+resource+`","limit":100}`), "items")
			short, _ := a.lines(tool, `{"resource":"`+resource+`","limit":100,"view":"compact"}`)
			if want := max(len(full), 1) + 1; len(short) != want {
				t.Errorf("%s has %d rows and %d lines", resource, len(full), len(short))
			}
			heads := strings.Count(short[0], "|")
			for _, line := range short[1:] {
				if strings.Count(line, "|") != heads && line != "(no rows)" {
					t.Errorf("%s: the heads are %s, a line %s", resource, short[0], line)
				}
			}
		}
	}
	var ids []string
	cursor := ""
	for {
		arguments := object{"resource": "stock_items", "limit": 3, "fields": "sku,on_hand"}
		if cursor != "" {
			arguments["cursor"] = cursor
		}
		page, _ := a.lines("factory_list", encode(t, arguments))
		last := page[len(page)-1]
		for _, line := range page[1:] {
			if sku, count, ok := strings.Cut(line, "|"); ok {
				ids = append(ids, sku+"="+count)
			}
		}
		var more bool
		if cursor, more = strings.CutPrefix(last, "next_cursor "); !more {
			break
		}
	}
	var want []string
	for _, item := range n.all("/factory/stock") {
		want = append(want, fmt.Sprintf("%v=%v", item["sku"], item["on_hand"]))
	}
	if strings.Join(ids, " ") != strings.Join(want, " ") {
		t.Errorf("the pages have %v, the list %v", ids, want)
	}
	events, _ := a.lines("wait_for_events", `{"wait_s":0,"limit":100,"view":"compact"}`)
	if last := events[len(events)-1]; !strings.HasPrefix(last, "last_seq ") {
		t.Errorf("the feed ends with %q", last)
	}
	glance, _ := a.lines("get_sandbox", `{"fields":"cash_minor,status"}`)
	if len(glance) != 2 || glance[0] != "cash_minor|status" || !strings.HasSuffix(glance[1], "|active") {
		t.Errorf("the sandbox is %q", glance)
	}
}

// TestCommandsThatAreRepeatedAreDoneOnce, each with a key of its own.
func TestCommandsThatAreRepeatedAreDoneOnce(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MCP.DO")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	a := shared.agent(t, n.office)
	arguments := `{"idempotency_key":"morning","commands":["create_work_order sku=prd_notebook quantity=1",` +
		`"create_work_order sku=prd_notebook quantity=1","accept_sales_order so_none","get_cash"]}`
	first, refused := a.lines("do", arguments)
	again, _ := a.lines("do", arguments)
	if strings.Join(first, "\n") != strings.Join(again, "\n") || refused {
		t.Errorf("first it said\n%s\nthen\n%s", strings.Join(first, "\n"), strings.Join(again, "\n"))
	}
	if word(t, first[0], "id") == word(t, first[1], "id") ||
		!strings.HasPrefix(first[2], "3 error accept_sales_order not_found") ||
		first[3] != "stopped: 1 of 4 commands were not performed" {
		t.Errorf("it said %q", first)
	}
	if made := n.all("/factory/work-orders"); len(made) != 2 {
		t.Errorf("made were %v", made)
	}
	a.refused("do", strings.Replace(arguments, "quantity=1", "quantity=0", 1), "validation_failed")
	changed, _ := a.lines("do", strings.Replace(arguments, "quantity=1", "quantity=2", 1))
	if !strings.HasPrefix(changed[0], "1 error create_work_order idempotency_key_reused") {
		t.Errorf("a key for something else is answered %q", changed)
	}
}

// TestNoToolGoesAroundAnEvaluation: commands and views are requests, and refused as those are.
func TestNoToolGoesAroundAnEvaluation(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.EVAL.PLAYER", "OPEN.EVAL.SEED", "OPEN.MCP.EVALUATION", "OPEN.MCP.DO")
	const seed = "8765432109876543"
	n := shared.create(t, `{"preset":"starter","evaluation":true,"split":"dev","clock":"manual","seed":`+seed+`}`)
	a := shared.agent(t, n.office)
	for command, code := range map[string]string{
		"get_report": "not_in_evaluation", "get_integration": "not_in_evaluation", "list_faults": "not_in_evaluation",
		"list_integration_findings": "not_in_evaluation", "inject_fault kind=storm": "not_in_evaluation",
		"pull_trigger type=order": "not_in_evaluation", "create_checkpoint label=mine": "not_in_evaluation",
		"delete_checkpoint chk_none": "not_in_evaluation", "update_sandbox clock=realtime": "not_in_evaluation",
		"extend_sandbox": "not_in_evaluation",
	} {
		said, refused := a.lines("do", encode(t, object{"commands": []string{command}}))
		id, _, _ := strings.Cut(command, " ")
		if want := "1 error " + id + " " + code; !refused || !strings.HasPrefix(said[0], want) {
			t.Errorf("%s is answered %q, want %s", command, said, want)
		}
	}
	for _, command := range []string{"create_sandbox", "delete_sandbox", "fork_sandbox"} {
		a.refused("do", encode(t, object{"commands": []string{command}}), "validation_failed")
	}
	for tool, arguments := range map[string]string{
		"get_sandbox": `{"fields":"seed,split,faults,evaluation"}`, "advance_time": `{}`,
		"do": `{"commands":["get_sandbox","list_missions","list_requests","advance_time"],` +
			`"stop_on_error":false}`,
		"wait_for_events": `{"wait_s":0,"view":"compact"}`,
	} {
		said, _ := a.lines(tool, arguments)
		if whole := strings.Join(said, "\n"); strings.Contains(whole, seed) || strings.Contains(whole, "dev") {
			t.Errorf("%s tells %s", tool, whole)
		}
	}
	if said, _ := a.lines("get_sandbox", `{"fields":"seed,split,faults,evaluation"}`); said[1] != "-|-|-|true" {
		t.Errorf("the player sees %q", said)
	}
}

// TestAgentsAnswerLotsAndFileTimesheets: the hours are the agent's to carry.
func TestAgentsAnswerLotsAndFileTimesheets(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MCP.ENVELOPE", "OPEN.MCP.HANDBOOK")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	a := shared.agent(t, n.office)
	a.refused("office_answer_contract_lot", `{"id":"lot_none","answer":"accept"}`, "not_found")
	a.refused("office_answer_contract_lot", `{"id":"lot_none","answer":"maybe"}`, "validation_failed")
	a.does("advance_time until=2026-09-11T15:00")
	page, _ := a.lines("factory_list", `{"resource":"attendance","fields":"badge_no,hours","limit":100}`)
	hours := map[string]int64{}
	for _, line := range page[1:] {
		if badge, worked, ok := strings.Cut(line, "|"); ok {
			whole, err := strconv.ParseInt(worked, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			hours[badge] += whole
		}
	}
	var entries []object
	for badge, worked := range hours {
		entries = append(entries, object{"badge_no": badge, "hours_worked": worked})
	}
	filed := a.data("office_file_timesheet", encode(t, object{"week_start": "2026-09-07", "entries": entries}))
	if len(children(t, filed, "entries")) != len(entries) {
		t.Errorf("filed was %v", filed)
	}
	a.refused("office_file_timesheet", `{"week_start":"2026-09-07","entries":[]}`, "validation_failed")
	a.refused("office_file_timesheet", `{"week_start":"2026-09-07","from_attendance":true}`, "validation_failed")
	book := a.rpc("resources/read", `{"uri":"platen://docs/handbook"}`)
	content := children(t, child(t, book.Body, "result"), "contents")
	if !strings.Contains(text(content[0], "text"), "What earns money") {
		t.Errorf("the handbook is %s", book.Raw)
	}
}

// TestIntegersMayBeSpelledLikeAnyNumber, in bodies and in the arguments of tools: programs that
// know floats alone write 60.0.
func TestIntegersMayBeSpelledLikeAnyNumber(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.HTTP.INTEGERS")
	n := shared.create(t, `{"clock":"manual","seed":7.0}`)
	a := shared.agent(t, n.office)
	for _, literal := range []string{"60", "60.0", "6e1", "600e-1", "0.6E+2"} {
		if tick := n.post("/sandbox/tick", `{"minutes":`+literal+`}`).want(http.StatusOK, "").Data(); number(t, tick,
			"advanced_minutes") != 60 {
			t.Errorf("%s is %v", literal, tick)
		}
		lines, refused := a.lines("advance_time", `{"minutes":`+literal+`}`)
		if said := strings.Join(lines, "|"); refused || !strings.Contains(said, "60 min passed") {
			t.Errorf("a tool takes %s for %s", literal, said)
		}
	}
	for _, literal := range []string{"60.5", "6e-1", "9223372036854775808.0", "1e999999999"} {
		if fields := badFields(n.post("/sandbox/tick", `{"minutes":`+literal+`}`).
			want(http.StatusUnprocessableEntity, "validation_failed")); strings.Join(fields, " ") != "minutes" {
			t.Errorf("%s is refused for %q", literal, fields)
		}
		a.refused("advance_time", `{"minutes":`+literal+`}`, "validation_failed")
	}
	body := `{"sku":"prd_flyer","quantity":10,"reference":"spelled"}`
	n.post("/factory/work-orders", body, "Idempotency-Key", "spelled").want(http.StatusCreated, "")
	n.post("/factory/work-orders", strings.Replace(body, "10", "10.0", 1), "Idempotency-Key", "spelled").
		want(http.StatusUnprocessableEntity, "idempotency_key_reused")
}

// TestALineSaysThatATruckComesTooLate: where the day by which enough has come is no earlier than the first due date of
// the work that waits for it.
func TestALineSaysThatATruckComesTooLate(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TICK.BRIEF")
	form := regexp.MustCompile(`short (\S+) (\d+) on hand, (\d+) on order by (\S+?)( \(too late\))?, ` +
		`(\d+) wanted by open work(?: from (\S+?))?, reorder`)
	late, inTime := 0, 0
	for _, preset := range []string{"starter", "supply_shock"} {
		n := shared.create(t, `{"preset":"`+preset+`","seed":4,"clock":"manual"}`)
		a := shared.agent(t, n.office)
		for range 40 {
			ticked := n.post("/sandbox/tick", `{"minutes":240,"brief":true}`).want(http.StatusOK, "").Data()
			for _, line := range child(t, ticked, "digest")["lines"].([]any) {
				if command, _, wants := strings.Cut(line.(string), " # "); wants {
					a.lines("do", encode(t, object{"commands": []string{command}}))
				}
				m := form.FindStringSubmatch(line.(string))
				if m == nil || m[7] == "" {
					continue
				}
				onHand, _ := strconv.Atoi(m[2])
				wanted, _ := strconv.Atoi(m[6])
				if says, is := m[5] != "", wanted > onHand && m[7] <= m[4]; says != is {
					t.Errorf("%q says that it is too late: %t", line, says)
				}
				if m[5] != "" {
					late++
				} else {
					inTime++
				}
			}
		}
	}
	if late == 0 || inTime == 0 {
		t.Errorf("%d lines speak of trucks that come too late, %d of others", late, inTime)
	}
}
