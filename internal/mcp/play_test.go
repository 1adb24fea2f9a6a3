package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxPlayList is the most that the few tools for playing may take of a model's context, in bytes: 1,900 tokens of four.
const maxPlayList = 7600

func TestPlayingTakesFewTools(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/mcp?tools=play":         "advance_time do factory_list get_sandbox office_list search_docs search_operations",
		"/mcp/office?tools=play":  "advance_time do get_sandbox office_list search_docs search_operations",
		"/mcp/factory?tools=play": "advance_time do factory_list get_sandbox search_docs search_operations",
	} {
		l, raw := list(t, path)
		var names []string
		for _, tool := range l.Tools {
			names = append(names, tool.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s has %s", path, got)
		}
		t.Logf("%s: %d bytes", path, len(raw))
		if len(raw) > maxPlayList {
			t.Errorf("%s: the list has %d bytes, the most is %d", path, len(raw), maxPlayList)
		}
	}
	for _, path := range []string{
		"/mcp?tools=all", "/mcp?structured=1", "/mcp?tools=play&tools=play", "/mcp?play", "/mcp?a=%",
	} {
		w := post(t, open(t, &door{}), path, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if w.Code != http.StatusBadRequest {
			t.Errorf("%s is answered with %d: %s", path, w.Code, w.Body)
		}
	}
}

// name is a word that can be the name of a tool or of a command.
var name = regexp.MustCompile(`\b[a-z]+(?:_[a-z]+)+\b`)

func TestTheInstructionsForPlayingNameNothingThatIsNotThere(t *testing.T) {
	t.Parallel()
	e := open(t, &door{})
	var hello struct {
		Instructions string
		Capabilities struct{ Prompts *struct{} }
	}
	raw := read(t, post(t, e, "/mcp?tools=play", initialize)).Result
	if err := json.Unmarshal(raw, &hello); err != nil {
		t.Fatal(err)
	}
	here, _ := list(t, "/mcp?tools=play")
	var tools []string
	for _, tool := range here.Tools {
		tools = append(tools, tool.Name)
	}
	names := name.FindAllString(hello.Instructions, -1)
	if len(names) == 0 || hello.Capabilities.Prompts != nil {
		t.Errorf("the instructions name no tool, or there are prompts: %s", raw)
	}
	for _, n := range names {
		if slices.Contains(tools, n) {
			continue
		}
		text, _ := call(t, e, "/mcp?tools=play", "do", fmt.Sprintf(`{"commands":[%q]}`, n))
		if strings.Contains(text, "is no operation that do performs") {
			t.Errorf("%s is neither a tool here nor a command: %s", n, text)
		}
	}
}

func TestAnUnknownToolNamesThoseThatAreThere(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/mcp?tools=play": "this address has get_sandbox, advance_time, do, ",
		"/mcp/factory":    "factory_start_print_run",
	} {
		w := post(t, open(t, &door{}), path,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"office_answer_sales_order"}}`)
		refusal := read(t, w).Error
		if refusal == nil || refusal.Code != -32602 || !strings.Contains(refusal.Message, want) ||
			!strings.Contains(refusal.Message, "do performs a command") {
			t.Errorf("%s is answered with %s", path, w.Body)
		}
	}
}

func TestListsForPlayingAreLines(t *testing.T) {
	t.Parallel()
	page := map[string]string{
		"GET /v1/office/sales-orders": `{"data":{"items":[{"id":"so_1","number":"SO-1001"}],"next_cursor":null}}`,
	}
	for arguments, want := range map[string]string{
		`{"resource":"sales_orders"}`:                   "id|status|",
		`{"resource":"sales_orders","fields":"number"}`: "number\nSO-1001",
		`{"resource":"sales_orders","view":"full"}`:     `{"data":`,
		`{"resource":"sales_orders","view":"compact"}`:  "id|status|",
	} {
		var asked []string
		text, refused := call(t, open(t, scripted(&asked, page)), "/mcp?tools=play", "office_list", arguments)
		if refused || !strings.HasPrefix(text, want) {
			t.Errorf("%s is answered with %s", arguments, text)
		}
	}
}

func TestAResultIsTextAloneWhereTheAddressSaysSo(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"/mcp": true, "/mcp?structured=0": false, "/mcp?structured=0&tools=play": false,
	} {
		var asked []string
		raw := read(t, post(t, open(t, scripted(&asked, nil)), path,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_sandbox","arguments":{}}}`)).Result
		var result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
		if err := json.Unmarshal(raw, &result); err != nil {
			t.Fatal(err)
		}
		if got := result.StructuredContent != nil; got != want || len(result.Content) != 1 {
			t.Errorf("%s: %s", path, raw)
		}
	}
}

func TestErrorsHaveNoMeta(t *testing.T) {
	t.Parallel()
	var asked []string
	e := open(t, scripted(&asked, map[string]string{
		"GET /v1/sandbox": `!{"code":"not_found","message":"There is none."}`,
	}))
	for tool, arguments := range map[string]string{"get_sandbox": `{}`, "office_get": `{}`} {
		text, refused := call(t, e, "/mcp", tool, arguments)
		if !refused || !strings.HasPrefix(text, `{"error":{"code":`) {
			t.Errorf("%s is answered with %s", tool, text)
		}
	}
}

func TestABodyIsAnObjectOrTheTextOfOne(t *testing.T) {
	t.Parallel()
	var asked []string
	e := open(t, scripted(&asked, nil))
	for _, body := range []string{`{"reason":"full"}`, `"{\"reason\":\"full\"}"`} {
		if text, refused := call(t, e, "/mcp", "call_operation",
			fmt.Sprintf(`{"operation":"decline_sales_order","id":"so_1","body":%s}`, body)); refused {
			t.Errorf("%s is answered with %s", body, text)
		}
	}
	want := `POST /v1/office/sales-orders/so_1/decline {"reason":"full"}`
	if !slices.Equal(asked, []string{want, want}) {
		t.Errorf("asked %q", asked)
	}
	for _, body := range []string{`[1]`, `7`, `true`} {
		got := refuse(t, e, "call_operation",
			fmt.Sprintf(`{"operation":"decline_sales_order","id":"so_1","body":%s}`, body))
		if got.Code != "validation_failed" {
			t.Errorf("%s is answered with %v", body, got)
		}
	}
}

func TestEqualFaultsAreSaidOnce(t *testing.T) {
	t.Parallel()
	var asked []string
	text, refused := call(t, open(t, scripted(&asked, nil)), "/mcp", "do",
		`{"commands":["approve so_1","list_stock_items","approve so_2"]}`)
	if !refused || strings.Count(text, "is no operation that do performs") != 2 || // in the message and the details
		!strings.Contains(text, "commands[2]: as commands[0].") || len(asked) != 0 {
		t.Errorf("asked %v: %s", asked, text)
	}
}
