package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// scripted is a door that notes what it is asked and answers by the path.
func scripted(asked *[]string, answers map[string]string) *door {
	return &door{act: func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		line := r.Method + " " + r.URL.RequestURI() + " " + string(body)
		if key := r.Header.Get("Idempotency-Key"); strings.HasPrefix(key, "mine") {
			line += " " + key
		}
		*asked = append(*asked, strings.TrimSpace(line))
		answer, status := answers[r.Method+" "+r.URL.Path], http.StatusOK
		if answer == "" {
			answer = `{"meta":{},"data":{}}`
		}
		if strings.HasPrefix(answer, "!") {
			status, answer = http.StatusConflict, `{"meta":{},"error":`+answer[1:]+`}`
		}
		w.WriteHeader(status)
		fmt.Fprint(w, answer)
	}}
}

func TestCommandsAreRequestsInTheirOrder(t *testing.T) {
	t.Parallel()
	var asked []string
	e := open(t, scripted(&asked, map[string]string{
		"POST /v1/office/sales-orders/so_1/accept": `{"data":{"id":"so_1","status":"in_production",` +
			`"bridged_work_order_id":"wo_1"}}`,
		"GET /v1/factory/stock": `{"data":{"items":[{"sku":"mat_ink","kind":"material","on_hand":7,"reserved":0,` +
			`"reorder_point":9,"reorder_quantity":20,"status":"low"}],"next_cursor":null}}`,
		"POST /v1/sandbox/tick": `{"data":{"sim_date":"2026-09-07","sim_time":"09:30","day_number":0,` +
			`"advanced_minutes":90,"stopped_by":"decision","events_written":3,"last_seq":12,"cash_minor":5,` +
			`"status":"active","digest":{"events":[{"type":"office.sales_order.received","count":2}],"decisions":[],` +
			`"decisions_total":0,"lines":["order so_2 50 prd_flyer"]}}}`,
	}))
	text, refused := call(t, e, "/mcp", "do", `{"idempotency_key":"mine","commands":[`+
		`"accept_sales_order so_1","pay_supplier_invoice id=sin_1 amount_minor=100 note=\"two words\"",`+
		`"start_print_run press_id=prs_digital work_order_ids=wo_1,wo_2 dry_run=false",`+
		`"create_purchase_order supplier_id=sup_mill lines=[{\"sku\":\"mat_ink\",\"quantity\":5}]",`+
		`"list_stock_items kind=material limit=3","advance_time until=decision max_minutes=480"]}`)
	if refused {
		t.Fatal(text)
	}
	want := []string{
		"POST /v1/office/sales-orders/so_1/accept  mine.1",
		`POST /v1/office/supplier-invoices/sin_1/pay {"amount_minor":100,"note":"two words"} mine.2`,
		`POST /v1/factory/print-runs {"dry_run":false,"press_id":"prs_digital",` +
			`"work_order_ids":["wo_1","wo_2"]} mine.3`,
		`POST /v1/office/purchase-orders {"lines":[{"sku":"mat_ink","quantity":5}],"supplier_id":"sup_mill"} mine.4`,
		"GET /v1/factory/stock?kind=material&limit=3",
		`POST /v1/sandbox/tick {"brief":true,"minutes":480,"until":{"decision":true}} mine.6`,
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("it asked (-want +got):\n%s", diff)
	}
	for _, line := range []string{
		"1 ok accept_sales_order id=so_1 status=in_production bridged_work_order_id=wo_1\n",
		"5 ok list_stock_items\nsku|kind|on_hand|reserved|reorder_point|reorder_quantity|status\n" +
			"mat_ink|material|7|0|9|20|low\n",
		"6 ok advance_time\n2026-09-07 09:30 day 0|90 min passed, stopped by decision|cash_minor 5|" +
			"last_seq 12|active\n" +
			"happened: office.sales_order.received 2\norder so_2 50 prd_flyer",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the answer lacks %q:\n%s", line, text)
		}
	}
}

func TestAnErrorStopsTheCommandsUnlessToldOtherwise(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"POST /v1/office/sales-orders/so_1/accept": `!{"code":"invalid_state","message":"It is shipped.",` +
			`"hint":"Look."}`,
		"POST /v1/office/sales-orders/so_3/accept": `!{"code":"rate_limited","message":"Slow.",` +
			`"retry_at":"2026-09-07T08:00:00Z"}`,
	}
	const first = `1 error accept_sales_order invalid_state: It is shipped. Look.`
	for arguments, want := range map[string]struct {
		asked   int
		refused bool
		last    string
	}{
		`{"commands":["accept_sales_order so_1","accept_sales_order so_2"]}`: {
			1, true, "stopped: 1 of 2 commands were not performed"},
		`{"commands":["accept_sales_order so_1","accept_sales_order so_2"],"stop_on_error":false}`: {
			2, false, "2 ok accept_sales_order"},
		`{"commands":["accept_sales_order so_1","accept_sales_order so_3","accept_sales_order so_2"],` +
			`"stop_on_error":false}`: {
			2, true, "stopped: 1 of 3 commands were not performed"},
	} {
		var asked []string
		text, refused := call(t, open(t, scripted(&asked, answers)), "/mcp", "do", arguments)
		all := strings.Split(text, "\n")
		if len(asked) != want.asked || refused != want.refused || all[0] != first ||
			!strings.HasPrefix(all[len(all)-1], want.last) {
			t.Errorf("%s: %d requests, refused %t:\n%s", arguments, len(asked), refused, text)
		}
	}
}

// TestCommandsThatCannotBeReadAreNamedAndNothingIsDone: of many that are good and one that is
// not, none is performed.
func TestCommandsThatCannotBeReadAreNamedAndNothingIsDone(t *testing.T) {
	t.Parallel()
	d := &door{}
	e := open(t, d)
	good := `"accept_sales_order so_1"`
	for command, want := range map[string]string{
		`""`:                                         "commands[1]: it is empty",
		`"   "`:                                      "commands[1]: it is empty",
		`"do commands=[]"`:                           `"do" is no operation that do performs`,
		`"call_operation operation=x"`:               `"call_operation" is no operation`,
		`"office_list resource=sales_orders"`:        `"office_list" is no operation`,
		`"fly"`:                                      `"fly" is no operation`,
		`"poll_events"`:                              `"poll_events" is no operation`,
		`"delete_sandbox"`:                           `"delete_sandbox" is no operation`,
		`"create_sandbox"`:                           `"create_sandbox" is no operation`,
		`"fork_sandbox"`:                             `"fork_sandbox" is no operation`,
		`"test_webhook whk_1"`:                       `"test_webhook" is no operation`,
		`"accept_sales_order"`:                       "id is required and missing",
		`"accept_sales_order id="`:                   "id must have at least 1 character",
		`"accept_sales_order so_1 so_2"`:             `"so_2" is no field`,
		`"accept_sales_order so_1 id=so_2"`:          "id stands twice",
		`"accept_sales_order so_1 x=1"`:              "x is not known",
		`"get_cash office"`:                          `"office" is no field`,
		`"create_work_order sku=a quantity=1 sku=b"`: "sku stands twice",
		`"create_work_order sku=a quantity=99999999999999999999999"`:    "quantity must be a whole number",
		`"create_work_order sku=a quantity=many"`:                       "quantity must be a whole number",
		`"create_work_order sku=a quantity=1.5"`:                        "quantity must be a whole number",
		`"create_work_order sku=a quantity=0"`:                          "quantity must be at least 1",
		`"create_work_order sku=\"a quantity=1"`:                        "sku begins like JSON and is none",
		`"create_work_order sku=\"a\"b quantity=1"`:                     "sku has more after its value",
		`"create_work_order SKU=a quantity=1"`:                          `"SKU" is no name of a field`,
		`"create_purchase_order supplier_id=s lines=[]"`:                "lines must have at least 1 item",
		`"create_purchase_order supplier_id=s lines=[{\"sku\":\"a\"}]"`: "lines[0].quantity is required",
		`"create_purchase_order supplier_id=s lines=7"`:                 "lines must be an array",
		`"start_print_run press_id=p"`:                                  "work_order_id",
		`"start_print_run press_id=p work_order_id=a dry_run=yes"`:      "dry_run must be true or false",
		`"list_sales_orders limit=101"`:                                 "limit must be at most 100",
		`"list_sales_orders colour=red"`:                                "colour is not known",
		`"advance_time minutes=481"`:                                    "minutes must be at most 480",
		`"advance_time max_minutes=60"`:                                 "max_minutes goes with until",
		`"advance_time until=decision minutes=60"`:                      "with until send max_minutes",
		`"advance_time until=soon"`:                                     "until must be decision, idle_press",
		`"advance_time until={\"decision\":true}"`:                      "until must be a string",
		`7`:    "commands[1] must be a string",
		`null`: "commands[1] must be a string",
		`"accept_sales_order lab_off_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"`: "holds a key",
		`"accept_sales_order so_\u0007"`:                                           "control characters",
	} {
		got := refuse(t, e, "do", `{"commands":[`+good+`,`+command+`]}`)
		if got.Code != "validation_failed" || !strings.Contains(got.Message, want) {
			t.Errorf("%s is refused with %s %q, want %q", command, got.Code, got.Message, want)
		}
	}
	for arguments, want := range map[string]string{
		`{}`:                                 "commands is required and missing",
		`{"commands":[]}`:                    "commands must have at least 1 item",
		`{"commands":"get_cash"}`:            "commands must be an array",
		`{"commands":["get_cash"],"stop":1}`: "stop is not known",
		`{"commands":["get_cash"],"stop_on_error":"no"}`:                                 "must be true or false",
		`{"commands":["get_cash"],"idempotency_key":"` + strings.Repeat("k", 253) + `"}`: "must have at most",
		`{"commands":["get_cash"` + strings.Repeat(`,"get_cash"`, 20) + `]}`:             "at most 20 items",
	} {
		if got := refuse(t, e, "do", arguments); !strings.Contains(got.Message, want) {
			t.Errorf("%s is refused with %q, want %q", arguments, got.Message, want)
		}
	}
	for _, from := range d.spent {
		if from == "request" {
			t.Fatal("a command was performed")
		}
	}
	text, refused := call(t, e, "/mcp/factory", "do", `{"commands":["get_cash"]}`)
	if !refused || !strings.Contains(text, "get_cash belongs to the other system") {
		t.Errorf("at the Factory's address Head Office's cash is answered %s", text)
	}
}

func TestShortViewsHaveALineForARow(t *testing.T) {
	t.Parallel()
	var asked []string
	e := open(t, scripted(&asked, map[string]string{
		"GET /v1/office/suppliers": `{"data":{"items":[{"id":"sup_a","kind":"materials","on_hold":false,"name":"A|B",` +
			`"credit_limit_minor":null,"prices":[{"sku":"mat_ink","unit_price_minor":5,"minimum_quantity":1},` +
			`{"sku":"mat_board","unit_price_minor":7,"minimum_quantity":2}]}],"next_cursor":"next"}}`,
		"GET /v1/office/cash":     `{"data":{"cash_minor":5}}`,
		"GET /v1/factory/presses": `{"data":{"items":[],"next_cursor":null}}`,
		"GET /v1/events/poll": `{"data":{"items":[{"seq":4,"type":"a.b","sim_date":"2026-09-07",` +
			`"data":{"id":"x","status":"y"}}],"last_seq":9}}`,
		"GET /v1/factory/presses/prs_1": `!{"code":"not_found","message":"No."}`,
	}))
	for _, c := range []struct{ tool, arguments, want string }{
		{"office_list", `{"resource":"suppliers","fields":"id, name,prices"}`,
			"id|name|prices(sku:unit_price_minor:minimum_quantity)\nsup_a|A/B|mat_ink:5:1,mat_board:7:2\n" +
				"next_cursor next"},
		{"office_get", `{"resource":"cash","view":"compact"}`,
			"cash_minor|receivable_minor|payable_minor|days_negative|overdraft_limit_minor\n5|-|-|-|-"},
		{"factory_list", `{"resource":"presses","view":"compact","fields":"id,status"}`, "id|status\n(no rows)"},
		{"wait_for_events", `{"view":"compact"}`,
			"seq|sim_date|type|data(id:status)\n4|2026-09-07|a.b|x:y\nlast_seq 9"},
	} {
		if text, refused := call(t, e, "/mcp", c.tool, c.arguments); refused || text != c.want {
			t.Errorf("%s(%s) is answered\n%s\nwant\n%s", c.tool, c.arguments, text, c.want)
		}
	}
	if text, refused := call(t, e, "/mcp", "factory_get",
		`{"resource":"presses","id":"prs_1","view":"compact"}`); !refused || !json.Valid([]byte(text)) {
		t.Errorf("an error is answered %s", text)
	}
	for arguments, want := range map[string]string{
		`{"resource":"suppliers","fields":"id,colour"}`:        `"colour", which is no field here; known are: id, name`,
		`{"resource":"suppliers","fields":"id,id"}`:            "fields names id twice",
		`{"resource":"suppliers","fields":","}`:                `names "", which is no field`,
		`{"resource":"suppliers","fields":""}`:                 "fields must have at least 1 character",
		`{"resource":"suppliers","fields":["id"]}`:             "fields must be a string",
		`{"resource":"suppliers","fields":"id","view":"full"}`: "leave view out, or fields",
		`{"resource":"suppliers","view":"tiny"}`:               "view must be",
	} {
		if got := refuse(t, e, "office_list", arguments); !strings.Contains(got.Message, want) {
			t.Errorf("%s is refused with %q, want %q", arguments, got.Message, want)
		}
	}
}

func TestTheClockIsToldWhereToStop(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		`{}`:             `{"brief":true}`,
		`{"minutes":90}`: `{"brief":true,"minutes":90}`,
		`{"until":"idle_press","max_minutes":4800}`: `{"brief":true,"minutes":4800,"until":{"idle_press":true}}`,
		`{"until":"office.payment.received, a.b_c"}`: `{"brief":true,"until":` +
			`{"event_types":["office.payment.received","a.b_c"]}}`,
		`{"until":"*"}`:                `{"brief":true,"until":{"event_types":["*"]}}`,
		`{"until":"2026-09-14"}`:       `{"brief":true,"until":{"sim_date":"2026-09-14"}}`,
		`{"until":"2026-09-14T09:30"}`: `{"brief":true,"until":{"sim_date":"2026-09-14","sim_time":"09:30"}}`,
		`{"until":"2026-09-14 09:30"}`: `{"brief":true,"until":{"sim_date":"2026-09-14","sim_time":"09:30"}}`,
		`{"until":"120"}`:              `{"brief":true,"until":{"seq":120}}`,
		`{"view":"full","minutes":1}`:  `{"minutes":1}`,
	} {
		var asked []string
		e := open(t, scripted(&asked, map[string]string{"POST /v1/sandbox/tick": `{"data":{"sim_date":"2026-09-07"}}`}))
		text, refused := call(t, e, "/mcp", "advance_time", arguments)
		if refused || len(asked) != 1 || asked[0] != "POST /v1/sandbox/tick "+want {
			t.Errorf("%s asked %q and is answered %s", arguments, asked, text)
		}
	}
}
