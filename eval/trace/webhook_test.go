package trace

import (
	"strings"
	"testing"
)

// TestWebhooksAreLeftOutHoweverTheyAreNamed: by another spelling of the path, or by an agent.
func TestWebhooksAreLeftOutHoweverTheyAreNamed(t *testing.T) {
	t.Parallel()
	for _, s := range []Step{
		{Method: "POST", Path: "/v1/webhooks"},
		{Method: "POST", Path: "/v1/%77ebhooks?a=b"},
		{Method: "PATCH", Path: "/v1//x/../webhooks/wh_1"},
		{Method: "POST", Path: "/mcp", Body: agentCalls("create_webhook")},
		{Method: "POST", Path: "/mcp/office", Body: agentCalls(`\u0063reate_webhook`)},
		{Method: "POST", Path: "/mcp", Body: "[" + agentCalls("get_sandbox") + "," + agentCalls("test_webhook") + "]"},
		{Method: "POST", Path: "/mcp", Body: agentDoes(`tick minutes=5`, `  create_webhook url=\"https://a.example\"`)},
		{Method: "POST", Path: "/mcp", Body: "[" + agentDoes(`update_w\u0065bhook wh_1`) + "]"},
		{Method: "POST", Path: "/mcp", Body: `{"operation":"create_webhook","operation":"get_sandbox"}`},
	} {
		if !aboutWebhooks(&s) {
			t.Errorf("%s %s %s is sent", s.Method, s.Path, s.Body)
		}
	}
	for _, s := range []Step{
		{Method: "GET", Path: "/v1/webhooks"},
		{Method: "POST", Path: "/v1/factory/work-orders", Body: `{"reference":"webhook"}`},
		{Method: "POST", Path: "/mcp", Body: agentDoes(`create_checkpoint label=webhook`, `tick minutes=5`)},
		{Method: "POST", Path: "/mcp", Body: agentDoes(`create_checkpoint label=\"create_webhook\"`)},
		{Method: "POST", Path: "/mcp", Body: `{"arguments":{"operation":"hire","body":{"name":"webhook"}}}`},
		{Method: "POST", Path: "/mcp", Body: agentCalls("create_work_order")},
	} {
		if aboutWebhooks(&s) {
			t.Errorf("%s %s %s is left out", s.Method, s.Path, s.Body)
		}
	}
}

func agentCalls(operation string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_operation",` +
		`"arguments":{"operation":"` + operation + `"}}}`
}

// agentDoes is the body of a call of do with some commands.
func agentDoes(commands ...string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"do","arguments":{"commands":["` +
		strings.Join(commands, `","`) + `"]}}}`
}
