package mcp

import (
	"testing"
)

// TestToolCallsSpendTheBudgetOfTheirKey, the same that calls over HTTP spend,
// and the model reads when it may go on.
func TestToolCallsSpendTheBudgetOfTheirKey(t *testing.T) {
	t.Parallel()
	p := launch(t, "--key-rate", "6", "--key-burst", "5")
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
	if list, err := office.session.ListTools(within(t), nil); err != nil || len(list.Tools) != 25 {
		t.Errorf("the list of tools: %v", err)
	}
}
