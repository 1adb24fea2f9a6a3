package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAToolIsTheRequestThatTheTableSays, by the system whose key it takes.
func TestAToolIsTheRequestThatTheTableSays(t *testing.T) {
	t.Parallel()
	e := open(t, &door{})
	for _, c := range []struct{ tool, arguments, request, system string }{
		{"get_sandbox", `{}`, "GET /v1/sandbox", "office"},
		{"office_list", `{"resource":"sales_orders","status":"received"}`,
			"GET /v1/office/sales-orders?limit=20&status=received", "office"},
		{"office_list", `{"resource":"shipments","limit":3,"cursor":"abc"}`,
			"GET /v1/office/shipments?cursor=abc&limit=3", "office"},
		{"office_get", `{"resource":"cash"}`, "GET /v1/office/cash", "office"},
		{"office_get", `{"resource":"goods_receipts","id":"gr_1"}`, "GET /v1/office/goods-receipts/gr_1", "office"},
		{"office_answer_sales_order", `{"id":"so_1","answer":"decline"}`,
			"POST /v1/office/sales-orders/so_1/decline", "office"},
		{"factory_list", `{"resource":"stock_items","kind":"paper","sandbox":null}`,
			"GET /v1/factory/stock?kind=paper&limit=20", "factory"},
		{"factory_get", `{"resource":"presses","id":"../../sandbox?x=1"}`,
			"GET /v1/factory/presses/..%2F..%2Fsandbox%3Fx=1", "factory"},
		{"wait_for_events", `{}`, "GET /v1/events/poll?after_seq=0&limit=20&wait_s=20", "office"},
		{"call_operation", `{"operation":"redeliver_webhook","id":"whk_1","delivery_id":"dlv_2"}`,
			"POST /v1/webhooks/whk_1/deliveries/dlv_2/redeliver", "office"},
		{"call_operation", `{"operation":"list_webhooks","query":"status=active"}`,
			"GET /v1/webhooks?limit=20&status=active", "office"},
	} {
		text, refused := call(t, e, "/mcp", c.tool, c.arguments)
		var got struct {
			Data struct{ Request, System string } `json:"data"`
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if refused || got.Data.Request != c.request || got.Data.System != c.system {
			t.Errorf("%s(%s) became %+v, want %s for %s", c.tool, c.arguments, got.Data, c.request, c.system)
		}
	}
	if text, _ := call(t, e, "/mcp/factory", "get_sandbox", `{}`); !strings.Contains(text, `"system":"factory"`) {
		t.Errorf("at the Factory's address a shared call is %s", text)
	}
}

func TestWritesCarryAnIdempotencyKeyAndTheirBody(t *testing.T) {
	t.Parallel()
	type asked struct {
		key  string
		body map[string]any
	}
	var got []asked
	e := open(t, &door{act: func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		got = append(got, asked{r.Header.Get("Idempotency-Key"), body})
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"meta":{},"data":{}}`)
	}})
	for _, arguments := range []string{
		`{"sku":"prd_flyer","quantity":5}`, `{"sku":"prd_flyer","quantity":5}`,
		`{"sku":"prd_flyer","quantity":5,"idempotency_key":"mine"}`,
	} {
		if text, refused := call(t, e, "/mcp", "factory_create_work_order", arguments); refused {
			t.Fatal(text)
		}
	}
	if got[0].key == "" || got[0].key == got[1].key || got[2].key != "mine" {
		t.Errorf("the keys are %v", got)
	}
	for _, a := range got {
		if len(a.body) != 2 || a.body["sku"] != "prd_flyer" || a.body["quantity"] != 5.0 {
			t.Errorf("the body is %v", a.body)
		}
	}
}

// failure is the error of a refused call.
type failure struct {
	Code, Message, Hint string
	Details             struct {
		Fields []struct{ Field, Rule, Message string }
	}
}

func refuse(t *testing.T, e http.Handler, tool, arguments string) failure {
	t.Helper()
	text, refused := call(t, e, "/mcp", tool, arguments)
	var got struct{ Error failure }
	if err := json.Unmarshal([]byte(text), &got); err != nil || !refused {
		t.Fatalf("%s is answered %s", arguments, text)
	}
	return got.Error
}

func TestAllBadArgumentsAreNamedAtOnce(t *testing.T) {
	t.Parallel()
	d := &door{}
	e := open(t, d)
	for arguments, wants := range map[string][]string{
		`{}`: {"required supplier_id is required and missing.", "required lines is required and missing."},
		`{"supplier_id":null,"lines":null}`: {
			"required supplier_id is required and missing.", "required lines is required and missing.",
		},
		`{"supplier_id":7,"lines":{},"x":1}`: {
			"type supplier_id must be a string; it is 7.", "type lines must be an array; it is an object.",
			"additionalProperties x is not known; " +
				"known here: dry_run, idempotency_key, lines, requisition_id, sandbox, supplier_id.",
		},
		`{"supplier":"s","lines":[{"sku":"mat","quantity":"9"},{"quantity":0,"y":1},3,{"sku":"mat","quantity":1.5}]}`: {
			"required supplier_id is required and missing.",
			"type lines[0].quantity must be a whole number; it is the string \"9\".",
			"required lines[1].sku is required and missing.", "minimum lines[1].quantity must be at least 1; it is 0.",
			"additionalProperties lines[1].y is not known; known here: sku, quantity.",
			"type lines[2] must be an object; it is 3.",
			"type lines[3].quantity must be a whole number that fits 64 bits; it is 1.5.",
			"additionalProperties supplier is not known; did you mean supplier_id?",
		},
		`{"supplier_id":"","lines":[]}`: {
			"minLength supplier_id must have at least 1 character; it has 0.",
			"minItems lines must have at least 1 item; it has 0.",
		},
		`{"supplier_id":"lab_off_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","lines":[]}`: {
			"maxLength supplier_id must have at most 40 characters; it has 51.",
			"minItems lines must have at least 1 item; it has 0.",
			"credential supplier_id holds a key or a sandbox handle, which do not belong there.",
		},
		`{"supplier_id":"s\u0007","lines":[{"sku":"mat","quantity":1}],"sandbox":true}`: {
			"pattern supplier_id must not contain control characters; it contains U+0007.",
			"type sandbox must be a string; it is true.",
		},
		`{"supplier_id":"s","lines":[{"sku":"mat","quantity":99999999999999999999999999}]}`: {
			"type lines[0].quantity must be a whole number that fits 64 bits; " +
				"it is 99999999999999999999999999.",
		},
		`{"supplier_id":"s","lines":[{"sku":"mat","quantity":1e99999999999}]}`: {
			"type lines[0].quantity must be a whole number that fits 64 bits; it is 1e99999999999.",
		},
	} {
		got := refuse(t, e, "office_create_purchase_order", arguments)
		if got.Code != "validation_failed" || !strings.Contains(got.Hint, "office_create_purchase_order") {
			t.Errorf("%s: the refusal is %+v", arguments, got)
		}
		var fields []string
		for _, f := range got.Details.Fields {
			fields = append(fields, f.Rule+" "+f.Message)
			if !strings.Contains(got.Message, f.Message) {
				t.Errorf("%s: %q lacks %q", arguments, got.Message, f.Message)
			}
		}
		slices.Sort(fields)
		slices.Sort(wants)
		if diff := cmp.Diff(wants, fields); diff != "" {
			t.Errorf("%s: the faults are (-want +got):\n%s", arguments, diff)
		}
	}
	if slices.Contains(d.spent, "request") {
		t.Error("a refused call reached the door")
	}
}

// TestArgumentsAreReadAsBodiesAre: a member that stands twice, text that is not
// Unicode and endless nesting are refused, and nothing is done.
func TestArgumentsAreReadAsBodiesAre(t *testing.T) {
	t.Parallel()
	d := &door{}
	e := open(t, d)
	for arguments, want := range map[string]string{
		`[]`:  "The field arguments is an array at byte 0; it must be a JSON object.",
		`"x"`: "The field arguments is a string at byte 0; it must be a JSON object.",
		`{"sku":"a","quantity":1,"sku":"b"}`: `The field "sku" stands twice in the object. ` +
			`The second one is at byte 24.`,
		`{"sku":"a","quantity":1,"\u0073ku":"b"}`: `The field "sku" stands twice`,
		`{"sku":"\ud800","quantity":1}`:           "an escape stands for one half of a surrogate pair",
		"{\"sku\":\"\xff\",\"quantity\":1}":       "something that is not valid UTF-8",
		`{"sku":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`: "the field arguments is nested deeper " +
			"than 32 levels",
	} {
		if got := refuse(t, e, "factory_create_work_order", arguments); got.Code != "invalid_json" ||
			!strings.Contains(got.Message, want) {
			t.Errorf("%s is refused with %s %q, want %q", arguments, got.Code, got.Message, want)
		}
	}
	if slices.Contains(d.spent, "request") {
		t.Error("a refused call reached the door")
	}
	if text, refused := call(t, e, "/mcp", "list_missions", `null`); refused || !strings.Contains(text, "limit=20") {
		t.Errorf("arguments that are null are answered %s", text)
	}
	if text, refused := call(t, e, "/mcp", "call_operation",
		`{"operation":"create_requisition","body":"{\n\t\"lines\": []\n}"}`); refused {
		t.Errorf("a body of several lines is refused: %s", text)
	}
}

func TestAPanicIsAnErrorResult(t *testing.T) {
	t.Parallel()
	e := open(t, &door{act: func(http.ResponseWriter, *http.Request) { panic("a mistake") }})
	for range 2 { // the process lives
		text, refused := call(t, e, "/mcp", "get_sandbox", `{}`)
		if !refused || !strings.Contains(text, "Something went wrong on our side.") ||
			strings.Contains(text, "a mistake") {
			t.Errorf("a panic is answered with %s", text)
		}
	}
}

// initialize begins a session.
const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// TestEveryMessageHasItsPrice: what a call of a tool costs is for the request
// that it makes.
func TestEveryMessageHasItsPrice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body    string
		headers []string
		want    []string
	}{
		"initialize":            {initialize, []string{"Authorization", ""}, []string{"anonymous"}},
		"initialize with a key": {initialize, nil, []string{"anonymous"}},
		"a list with a key":     {`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil, []string{"network"}},
		"a list without": {`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
			[]string{"Authorization", ""}, []string{"anonymous"}},
		"a call": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_sandbox"}}`, nil, []string{"request"},
		},
		"a call of the endpoint's own": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_docs","arguments":{"query":"x"}}}`,
			nil, []string{"key"},
		},
		"a call with bad arguments": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"office_list"}}`, nil, []string{"key"},
		},
		"an unknown tool": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing"}}`,
			nil, []string{"anonymous"}},
		"without the right Accept": {initialize, []string{"Accept", "*/*"}, []string{"anonymous"}},
		"for another host": {initialize, []string{"Origin", "https://evil.example"},
			[]string{"anonymous"}},
		"an unknown session": {`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
			[]string{"Mcp-Session-Id", "none"}, []string{"anonymous"}},
		"a batch, each of " +
			"its messages": {`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`,
			[]string{"Mcp-Protocol-Version", "2025-03-26"}, []string{"network", "network"}},
	} {
		d := &door{}
		post(t, open(t, d), "/mcp", c.body, c.headers...)
		if !slices.Equal(d.spent, c.want) {
			t.Errorf("%s spent %v, want %v", name, d.spent, c.want)
		}
	}
}

func TestWhatIsNoMessageIsAnsweredInTheProtocolsWords(t *testing.T) {
	t.Parallel()
	e := open(t, &door{})
	batch := "[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, 20) +
		`{"jsonrpc":"2.0","id":1,"method":"ping"}]`
	for name, c := range map[string]struct {
		body         string
		headers      []string
		status, code int
	}{
		"no JSON":             {`{`, nil, http.StatusBadRequest, -32700},
		"nothing":             {``, nil, http.StatusBadRequest, -32700},
		"no message":          {`{"hello":1}`, nil, http.StatusBadRequest, -32600},
		"a number":            {`5`, nil, http.StatusBadRequest, -32600},
		"an empty batch":      {`[]`, nil, http.StatusBadRequest, -32600},
		"a batch of 21":       {batch, []string{"Mcp-Protocol-Version", "2025-03-26"}, http.StatusBadRequest, -32600},
		"an unknown method":   {`{"jsonrpc":"2.0","id":1,"method":"no/such"}`, nil, http.StatusOK, -32601},
		"no id":               {`{"jsonrpc":"2.0","method":"ping"}`, nil, http.StatusBadRequest, -32600},
		"null for an id":      {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, nil, http.StatusBadRequest, -32600},
		"an object for an id": {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, nil, http.StatusBadRequest, -32600},
		"true for an id":      {`{"jsonrpc":"2.0","id":true,"method":"ping"}`, nil, http.StatusBadRequest, -32600},
		"an array for params": {`{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, nil, http.StatusOK, -32602},
		"a text for params": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}`, nil,
			http.StatusOK, -32602},
		"a number for a name": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}`, nil,
			http.StatusOK, -32602},
		"null for a uri": {`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":null}}`, nil,
			http.StatusOK, -32602},
		"too much": {`{"x":"` + strings.Repeat("x", 64<<10) + `"}`, nil,
			http.StatusRequestEntityTooLarge, -32000},
		"another media type": {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"Content-Type", "text/plain"},
			http.StatusUnsupportedMediaType, -32000},
		"a coded body": {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"Content-Encoding", "gzip"},
			http.StatusUnsupportedMediaType, -32000},
		"an unknown revision": {`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
			[]string{"Mcp-Protocol-Version", "1999-01-01"}, http.StatusBadRequest, -32000},
		"a page of other hosts": {`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
			[]string{"Origin", "https://evil.example"}, http.StatusForbidden, -32000},
		"an unknown session": {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"Mcp-Session-Id", "x"},
			http.StatusNotFound, -32001},
		"an unknown tool": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`, nil,
			http.StatusOK, -32602},
		"an unknown prompt": {`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"x"}}`, nil,
			http.StatusOK, -32602},
		"an unknown mission": {`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"play_mission",` +
			`"arguments":{"mission":"x"}}}`, nil, http.StatusOK, -32602},
	} {
		w := post(t, e, "/mcp", c.body, c.headers...)
		got := read(t, w)
		if w.Code != c.status || got.Error == nil || got.Error.Code != c.code {
			t.Errorf("%s is answered %d %s, want %d and %d", name, w.Code, w.Body, c.status, c.code)
		}
		for _, word := range []string{"unmarshal", "mcp.", "Go ", "interface"} { // of a library
			if strings.Contains(w.Body.String(), word) {
				t.Errorf("%s is answered %s", name, w.Body)
			}
		}
	}
	if w := post(t, e, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`); read(t, w).Error != nil {
		t.Errorf("null for params is answered %d %s", w.Code, w.Body)
	}
	if w := post(t, e, "/mcp", `{"jsonrpc":"2.0","method":"notifications/nothing"}`); w.Code != http.StatusAccepted {
		t.Errorf("an unknown notification is answered %d %s", w.Code, w.Body)
	}
	for _, origin := range []string{"https://sandbox.example", "https://SANDBOX.example"} {
		if w := post(t, e, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Origin",
			origin); w.Code != http.StatusOK {
			t.Errorf("the origin %s is answered %d %s", origin, w.Code, w.Body)
		}
	}
}

// TestAnswersShowTheBudgetOfTheirCall: a session has no key of its own, but its
// calls are charged to one.
func TestAnswersShowTheBudgetOfTheirCall(t *testing.T) {
	t.Parallel()
	d := &door{act: func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["X-RateLimit-Limit"], w.Header()["X-RateLimit-Remaining"] = []string{"120"}, []string{"7"}
		w.Write([]byte(`{"data":{}}`))
	}}
	e := open(t, d)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_sandbox","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_sandbox","arguments":{},` +
			`"_meta":{"progressToken":1}}}`,
	} {
		w := post(t, e, "/mcp", body, "Authorization", "")
		//nolint:staticcheck // spelled as the API does
		if got := w.Header()["X-RateLimit-Remaining"]; !slices.Equal(got, []string{"7"}) {
			t.Errorf("%s shows %v", body, w.Header())
		}
	}
	for name, limit := range map[string]string{"search_docs": "120", "no_such_tool": "30"} {
		w := post(t, e, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+
			`","arguments":{"query":"webhook"}}}`)
		//nolint:staticcheck // spelled as the API does
		if got := w.Header()["X-RateLimit-Limit"]; !slices.Equal(got, []string{limit}) {
			t.Errorf("%s shows %v, which it was not taken from", name, got)
		}
	}
	//nolint:staticcheck // spelled as the API does
	if w := post(t, e, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Authorization",
		""); !slices.Equal(w.Header()["X-RateLimit-Limit"], []string{"30"}) {
		t.Errorf("a ping without a key shows %v", w.Header())
	}
}
