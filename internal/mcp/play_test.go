package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
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
