package contract

import (
	"net/http"
	"strings"
	"testing"
)

// TestASecretInAnArgumentIsRefusedAndLives: of each kind that opens a sandbox, in each tool that takes a text.
func TestASecretInAnArgumentIsRefusedAndLives(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MCP.SECRETS")
	exam := shared.create(t, `{"preset":"agent_eval","clock":"manual","evaluation":true}`)
	own := shared.create(t, `{"clock":"manual"}`)
	creator := shared.agent(t, "")
	handle := text(creator.data("create_sandbox", `{"clock":"manual"}`), "sandbox")
	a := shared.agent(t, own.office)
	review := "lab_rev_" + strings.Repeat("A", 64)
	for kind, secret := range map[string]string{
		"office": own.office, "factory": own.factory, "grading": exam.grading, "review": review, "handle": handle,
	} {
		for tool, arguments := range map[string]string{
			"office_get":     `{"resource":"sales_orders","id":"SECRET"}`,
			"office_list":    `{"resource":"sales_orders","cursor":"SECRET"}`,
			"call_operation": `{"operation":"get_sales_order","id":"SECRET"}`,
			"do":             `{"commands":["get_sales_order SECRET"]}`,
		} {
			arguments = strings.ReplaceAll(arguments, "SECRET", secret)
			if p := a.refused(tool, arguments, "validation_failed"); strings.Contains(encode(t, p), secret) {
				t.Errorf("%s shows the %s: %v", tool, kind, p)
			}
		}
	}
	for _, key := range []string{own.office, own.factory, exam.grading} {
		shared.send(t, request{method: http.MethodGet, path: "/sandbox", key: key}).want(http.StatusOK, "")
	}
	creator.data("get_sandbox", `{}`)
}

// TestASessionUsesTheKeyThatWorks, and names the one that does not.
func TestASessionUsesTheKeyThatWorks(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MCP.ONE_KEY", "OPEN.MCP.GONE")
	a := shared.agent(t, "")
	created := a.data("create_sandbox", `{"clock":"manual"}`)
	leak := func(key string) {
		shared.send(t, request{method: http.MethodGet, path: "/sandbox?key=" + text(created, key)}).
			want(http.StatusBadRequest, "key_in_url")
	}
	leak("office_key")
	if got := a.data("get_sandbox", `{}`); got["sandbox_id"] != created["sandbox_id"] {
		t.Errorf("a shared tool is in %v", got)
	}
	a.data("factory_list", `{"resource":"presses"}`)
	p := a.refused("office_list", `{"resource":"sales_orders"}`, "unauthorized")
	if said := text(p, "message"); !strings.Contains(said, "Head Office") || !strings.Contains(said, "revoked") {
		t.Errorf("a tool of Head Office says %q", said)
	}
	if hint := text(p, "hint"); !strings.Contains(hint, "the Factory") {
		t.Errorf("and %q", hint)
	}
	leak("factory_key")
	p = a.refused("get_sandbox", `{}`, "unauthorized")
	if said := text(p, "message"); !strings.Contains(said, "deleted, or its keys were revoked") {
		t.Errorf("without keys a tool says %q", said)
	}
}

// TestTheSecondDoorRefusesWhatTheFirstDoes: an empty idempotency key, a body above the limit, an id that no path can
// have.
func TestTheSecondDoorRefusesWhatTheFirstDoes(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MCP.AS_REST", "LIMIT.BODY")
	n := shared.create(t, `{"clock":"manual"}`)
	a := shared.agent(t, n.office)
	a.refused("office_trade_market", `{"side":"buy","sku":"mat_ink_black","quantity":1,"idempotency_key":""}`,
		"validation_failed")
	for _, key := range []string{" ", "k ", " k"} {
		a.refused("office_trade_market", `{"side":"buy","sku":"mat_ink_black","quantity":1,"idempotency_key":`+
			encode(t, key)+"}", "idempotency_key_invalid")
	}
	if trades := n.get("/office/market/trades").Items(); len(trades) > 0 {
		t.Errorf("with an empty key there are %d trades", len(trades))
	}
	long := encode(t, `{"label":"big"`+strings.Repeat(" ", 16_384)+"}")
	p := a.refused("call_operation", `{"operation":"create_checkpoint","body":`+long+`}`, "body_too_large")
	if limit := number(t, child(t, p, "details"), "limit_bytes"); limit != 16_384 {
		t.Errorf("the limit is %v", limit)
	}
	if kept := n.get("/sandbox/checkpoints").Items(); len(kept) != 1 {
		t.Errorf("there are %d checkpoints", len(kept))
	}
	for _, id := range []string{".", ".."} {
		a.refused("office_get", `{"resource":"sales_orders","id":`+encode(t, id)+`}`, "not_found")
		a.refused("office_answer_sales_order", `{"id":`+encode(t, id)+`,"answer":"accept"}`, "not_found")
	}
}

// TestResponsesWithSecretsAreInNoCache: creations, forks, new webhooks and rotated secrets; and none beside them.
func TestResponsesWithSecretsAreInNoCache(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.HTTP.CACHING")
	n := shared.create(t, `{"clock":"manual"}`)
	hook := n.post("/webhooks", `{"url":"https://example.com/hook","events":["*"]}`)
	for path, a := range map[string]*answer{
		"/sandboxes":     shared.send(t, request{method: http.MethodPost, path: "/sandboxes", body: "{}"}),
		"/sandbox/forks": n.post("/sandbox/forks", "{}"),
		"/webhooks":      hook,
		"rotate-secret":  n.post("/webhooks/"+text(hook.Data(), "id")+"/rotate-secret", ""),
	} {
		if a.Status/100 != 2 || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d with Cache-Control %q", path, a.Status, a.Header.Get("Cache-Control"))
		}
	}
	if got := n.get("/webhooks").Header.Get("Cache-Control"); got != "private, no-cache" {
		t.Errorf("a list without secrets has Cache-Control %q", got)
	}
}
