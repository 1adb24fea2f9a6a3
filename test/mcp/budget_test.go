package mcp

import (
	"encoding/json"
	"net/http"
	"testing"

	"platen/test/testclient"
)

// TestToolCallsSpendTheBudgetOfTheirKey, the same that calls over HTTP spend,
// and the model reads when it may go on.
func TestToolCallsSpendTheBudgetOfTheirKey(t *testing.T) {
	t.Parallel()
	p := launch(t, "--key-rate", "1", "--key-burst", "5")
	created := connect(t, p.url(), "").call("create_sandbox", object{"clock": "manual"})
	office := connect(t, p.url(), created["office_key"].(string))
	for range 4 {
		office.call("get_sandbox", object{})
	}
	office.call("search_docs", object{"query": "budget"}) // a call like any other
	refused := office.refuse("get_sandbox", object{})
	if refused["code"] != "rate_limited" || refused["retryable"] != true || refused["retry_at"] == nil {
		t.Errorf("over its budget a call is refused with %v", refused)
	}
	// The Factory's budget is another, and an office key's call of the Factory
	// spends it.
	office.call("factory_list", object{"resource": "presses"})
	factory := connect(t, p.url(), created["factory_key"].(string))
	for range 4 {
		factory.call("get_sandbox", object{})
	}
	if refused := factory.refuse("get_sandbox", object{}); refused["code"] != "rate_limited" {
		t.Errorf("over its budget the Factory is refused with %v", refused)
	}
	// Listing costs the key nothing.
	if list, err := office.session.ListTools(within(t), nil); err != nil || len(list.Tools) != 27 {
		t.Errorf("the list of tools: %v", err)
	}
}

// TestOpeningSessionsSpendsTheBudgetOfTheNameless, and a client without budget reads in
// the words of the protocol when to come again. The message is not read by then: the error has no id.
func TestOpeningSessionsSpendsTheBudgetOfTheNameless(t *testing.T) {
	t.Parallel()
	p := launch(t, "--anonymous-rate", "2")
	open := testclient.Request{
		Method: http.MethodPost, URL: p.url(), Headers: []string{"Accept", "application/json, text/event-stream"},
		Body: `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
			`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
	}
	for range 2 {
		if a := open.Send(t); a.Status != http.StatusOK {
			t.Fatalf("within the budget it is answered %d", a.Status)
		}
	}
	a := open.Send(t)
	var body struct {
		ID    *int
		Error struct {
			Code int
			Data struct {
				Code    string
				RetryAt string `json:"retry_at"`
			}
		}
	}
	if err := json.Unmarshal(a.Raw, &body); err != nil {
		t.Fatal(err)
	}
	if a.Status != http.StatusTooManyRequests || a.Header.Get("Retry-After") == "" || body.ID != nil ||
		body.Error.Code != -32000 || body.Error.Data.Code != "rate_limited" || body.Error.Data.RetryAt == "" ||
		a.Header.Get("Mcp-Session-Id") != "" {
		t.Errorf("over the budget it is answered %d %v %+v", a.Status, a.Header, body)
	}
}
