package contract

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"platen/test/testclient"
)

const (
	bothMedia = "application/json, text/event-stream"
	opening   = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"contract","version":"1"}}`
)

// agent is a client of the endpoint, as plain as can be.
type agent struct {
	*service

	t            testing.TB
	key, session string
	path         string
}

// agent opens a session, with a key or without.
func (s *service) agent(t testing.TB, key string) *agent {
	t.Helper()
	a := &agent{service: s, t: t, key: key, path: "/mcp"}
	got := a.rpc("initialize", opening)
	if a.session = got.Header.Get("Mcp-Session-Id"); got.Status != http.StatusOK || a.session == "" {
		t.Fatalf("initialize was answered %d %s", got.Status, got.Raw)
	}
	return a
}

// rpc sends one message.
func (a *agent) rpc(method, params string, headers ...string) *testclient.Answer {
	a.t.Helper()
	return a.http(http.MethodPost,
		fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params), headers...)
}

// http sends a request; headers are names and values that replace others, and
// an empty value takes one away.
func (a *agent) http(method, body string, headers ...string) *testclient.Answer {
	a.t.Helper()
	r := testclient.Request{Method: method, URL: a.Origin + a.path, Key: a.key, Body: body}
	r.Headers = []string{"Content-Type", "application/json", "Accept", bothMedia}
	if a.session != "" {
		r.Headers = append(r.Headers, "Mcp-Session-Id", a.session, "Mcp-Protocol-Version", "2025-11-25")
	}
	r.Headers = append(r.Headers, headers...)
	got := a.ask(a.t, r)
	if got.Header.Get("Sim-Simulation") != "true" {
		a.t.Errorf("%s was answered %d without a sign of the simulation: %v", method, got.Status, got.Header)
	}
	if len(got.Raw) > 0 && got.Body == nil {
		a.t.Fatalf("%s was answered %d with no JSON: %q", method, got.Status, got.Raw)
	}
	return got
}

// tool calls a tool and returns its envelope and whether it was refused.
func (a *agent) tool(name, arguments string) (envelope object, refused bool) {
	a.t.Helper()
	got := a.rpc("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
	if got.Status != http.StatusOK || got.Body["result"] == nil {
		a.t.Fatalf("%s was answered %d %s", name, got.Status, got.Raw)
	}
	result := child(a.t, got.Body, "result")
	content := children(a.t, result, "content")[0]
	value, err := testclient.Decode([]byte(text(content, "text")))
	if err != nil {
		a.t.Fatalf("%s: %v in %v", name, err, content)
	}
	envelope, _ = value.(object)
	refused = result["isError"] == true
	if structured, ok := result["structuredContent"]; ok == refused ||
		ok && encode(a.t, structured) != encode(a.t, envelope) {
		a.t.Errorf("%s: the object of the result is %v, its text %v", name, structured, envelope)
	}
	return envelope, refused
}

// data calls a tool that must succeed.
func (a *agent) data(name, arguments string) object {
	a.t.Helper()
	envelope, refused := a.tool(name, arguments)
	if refused {
		a.t.Fatalf("%s was refused: %v", name, envelope["error"])
	}
	return child(a.t, envelope, "data")
}

// refused calls a tool that must be refused with a code.
func (a *agent) refused(name, arguments, code string) object {
	a.t.Helper()
	envelope, refused := a.tool(name, arguments)
	if !refused {
		a.t.Fatalf("%s was not refused: %v", name, envelope)
	}
	problem := child(a.t, envelope, "error")
	if problem["code"] != code {
		a.t.Errorf("%s was refused with %v, want %s", name, problem, code)
	}
	return problem
}

func TestAgentsConnectAndSessionsHoldBothKeys(t *testing.T) {
	t.Parallel()
	rows(t, "SVC.AGENTS", "SVC.ADDRESSES", "MCP.TRANSPORT", "MCP.CREATE_SANDBOX", "MCP.SESSION_KEYS",
		"OPEN.MCP.ADDRESS")
	a := shared.agent(t, "")
	created := a.data("create_sandbox", `{"preset":"manual","clock":"manual","seed":7}`)
	for _, member := range []string{"sandbox_id", "public_name", "expires_at", "office_key", "factory_key", "sandbox"} {
		if text(created, member) == "" {
			t.Errorf("creation answered without %s: %v", member, created)
		}
	}
	// No key is sent, and both systems answer.
	if got := a.data("get_sandbox", `{}`); got["sandbox_id"] != created["sandbox_id"] || got["preset"] != "manual" {
		t.Errorf("the session is in %v", got)
	}
	if len(children(t, a.data("office_list", `{"resource":"sales_orders"}`), "items")) == 0 ||
		len(children(t, a.data("factory_list", `{"resource":"presses"}`), "items")) == 0 {
		t.Error("a system has nothing to list")
	}
	// The keys that it tells are those of the same sandbox.
	for _, key := range []string{text(created, "office_key"), text(created, "factory_key")} {
		got := shared.send(t, request{method: "GET", path: "/sandbox", key: key}).want(200, "").Data()
		if got["sandbox_id"] != created["sandbox_id"] {
			t.Errorf("a key opens %v", got["sandbox_id"])
		}
	}
	// Created again, the session goes over to the new sandbox.
	again := a.data("create_sandbox", `{}`)
	if got := a.data("get_sandbox", `{}`); got["sandbox_id"] != again["sandbox_id"] {
		t.Errorf("after a second creation the session is in %v", got["sandbox_id"])
	}
	// And the keys go away with the session.
	if got := a.http(http.MethodDelete, "", "Accept", ""); got.Status != http.StatusNoContent {
		t.Errorf("DELETE is answered %d", got.Status)
	}
	if got := a.rpc("tools/list", `{}`); got.Status != http.StatusNotFound ||
		number(t, child(t, got.Body, "error"), "code") != -32001 {
		t.Errorf("a session that has ended is answered %d %s", got.Status, got.Raw)
	}
}

func TestAcceptMustNameBothMediaTypes(t *testing.T) {
	t.Parallel()
	rows(t, "MCP.ACCEPT", "MCP.NOT_ACCEPTABLE", "OPEN.MCP.ACCEPT")
	a := shared.agent(t, "")
	for _, c := range []struct {
		method, accept string
		status         int
	}{
		{http.MethodPost, bothMedia, http.StatusOK},
		{http.MethodPost, "text/event-stream;q=0.5, application/json", http.StatusOK},
		{http.MethodPost, "application/json", http.StatusNotAcceptable},
		{http.MethodPost, "text/event-stream", http.StatusNotAcceptable},
		{http.MethodPost, "*/*", http.StatusNotAcceptable},
		{http.MethodPost, "application/*, text/*", http.StatusNotAcceptable},
		{http.MethodPost, "application/json, */*", http.StatusNotAcceptable},
		{http.MethodPost, "", http.StatusNotAcceptable},
		{http.MethodGet, "text/event-stream", http.StatusMethodNotAllowed},
		{http.MethodGet, "application/json", http.StatusNotAcceptable},
		{http.MethodGet, "*/*", http.StatusNotAcceptable},
		{http.MethodGet, "", http.StatusNotAcceptable},
	} {
		body := ""
		if c.method == http.MethodPost {
			body = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		}
		got := a.http(c.method, body, "Accept", c.accept)
		if got.Status != c.status {
			t.Errorf("%s with Accept %q is answered %d %s, want %d", c.method, c.accept, got.Status, got.Raw, c.status)
		}
		if got.Status != http.StatusNotAcceptable {
			continue
		}
		if failure := child(t, got.Body, "error"); number(t, failure, "code") != -32000 ||
			!strings.HasPrefix(text(failure, "message"), "Not Acceptable") {
			t.Errorf("%s with Accept %q is answered %s", c.method, c.accept, got.Raw)
		}
	}
	if got := a.http(http.MethodGet, "", "Accept", "text/event-stream"); got.Header.Get("Allow") != "POST, DELETE" {
		t.Errorf("GET allows %q", got.Header.Get("Allow"))
	}
	if got := a.http(http.MethodDelete, "", "Accept", "application/json"); got.Status != http.StatusNoContent {
		t.Errorf("DELETE is answered %d %s", got.Status, got.Raw)
	}
}

func TestKeysReachTheToolsOfTheirSystem(t *testing.T) {
	t.Parallel()
	rows(t, "MCP.OFFICE_KEY", "OPEN.MCP.FACTORY_KEY")
	n := shared.create(t, `{"clock":"manual"}`)
	office, factory := shared.agent(t, n.office), shared.agent(t, n.factory)
	for _, tool := range []string{"office_list", "factory_list"} {
		resource := map[string]string{"office_list": "suppliers", "factory_list": "presses"}[tool]
		if items := children(t, office.data(tool, fmt.Sprintf(`{"resource":%q}`, resource)), "items"); len(items) == 0 {
			t.Errorf("%s with the office key lists nothing", tool)
		}
	}
	if items := children(t, factory.data("factory_list", `{"resource":"presses"}`), "items"); len(items) == 0 {
		t.Error("the Factory lists nothing")
	}
	for _, a := range []*agent{office, factory} {
		if got := a.data("get_sandbox", `{}`); got["sandbox_id"] != n.id {
			t.Errorf("a key reaches %v", got["sandbox_id"])
		}
	}
	refusal := factory.refused("office_list", `{"resource":"suppliers"}`, "wrong_system")
	if !strings.Contains(text(refusal, "hint"), "lab_off_") {
		t.Errorf("the hint is %v", refusal["hint"])
	}
	// No session is needed with a key.
	alone := &agent{service: shared, t: t, key: n.office, path: "/mcp"}
	if got := alone.data("get_sandbox", `{}`); got["sandbox_id"] != n.id {
		t.Errorf("without a session the key reaches %v", got["sandbox_id"])
	}
	// A key that does not work is reported to the client that connects.
	alone.key = "lab_off_" + strings.Repeat("A", 43)
	if got := alone.rpc("initialize", opening); got.Status != http.StatusUnauthorized ||
		got.Header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("a bad key is answered %d %s", got.Status, got.Raw)
	}
	office.key = alone.key
	office.refused("get_sandbox", `{}`, "unauthorized")
}

// TestAToolAnswersWithTheEnvelopeOfTheSameCall, and the call is a request like
// any other: it is in the log, and has the events of one.
func TestAToolAnswersWithTheEnvelopeOfTheSameCall(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MCP.ENVELOPE")
	n := shared.create(t, `{"clock":"manual","seed":5}`)
	a := shared.agent(t, n.office)
	same := func(what string, over object, by object) {
		t.Helper()
		if encode(t, over["data"]) != encode(t, by["data"]) ||
			over["error"] != nil && encode(t, over["error"]) != encode(t, by["error"]) {
			t.Errorf("%s over HTTP:\n%s\nby a tool:\n%s", what, encode(t, over), encode(t, by))
		}
		if _, has := by["meta"]; by["error"] != nil && has {
			t.Errorf("the error of %s has meta: %v", what, by)
		}
		for _, envelope := range []object{over, by} {
			if envelope["meta"] == nil && envelope["error"] != nil {
				continue
			}
			meta := child(t, envelope, "meta")
			if meta["simulation"] != true || !requestID.MatchString(text(meta, "request_id")) ||
				!instant.MatchString(text(meta, "server_time")) {
				t.Errorf("%s: the meta is %v", what, meta)
			}
		}
	}
	envelope, _ := a.tool("office_list", `{"resource":"sales_orders","limit":3,"status":"received"}`)
	same("a list", n.get("/office/sales-orders?limit=3&status=received").Body, envelope)
	order := text(n.order("SO-1001"), "id")
	envelope, _ = a.tool("office_get", fmt.Sprintf(`{"resource":"sales_orders","id":%q}`, order))
	same("a row", n.get("/office/sales-orders/"+order).Body, envelope)
	envelope, _ = a.tool("office_get", `{"resource":"sales_orders","id":"so_none"}`)
	same("a refusal", n.get("/office/sales-orders/so_none").Body, envelope)
	before := n.newest()
	envelope, _ = a.tool("office_answer_sales_order",
		fmt.Sprintf(`{"id":%q,"answer":"accept","idempotency_key":"agent-1"}`, order))
	written := n.feed(before)
	replayed := n.post("/office/sales-orders/"+order+"/accept", "", "Idempotency-Key", "agent-1").want(200, "")
	if same("a write", replayed.Body, envelope); replayed.Header.Get("Idempotency-Replayed") != "true" {
		t.Error("the same key over HTTP is no replay of the tool's call")
	}
	if len(ofType(written, "office.sales_order.accepted")) != 1 ||
		len(ofType(n.feed(before), "office.sales_order.accepted")) != 1 {
		t.Errorf("the calls wrote %v", n.feed(before))
	}
	a.refused("office_answer_sales_order",
		fmt.Sprintf(`{"id":%q,"answer":"decline","idempotency_key":"agent-1"}`, order), "idempotency_key_reused")
	call := one(t, n.all("/requests"), "id", text(child(t, envelope, "meta"), "request_id"))
	if call["method"] != "POST" || call["path"] != "/v1/office/sales-orders/"+order+"/accept" ||
		call["system"] != "office" || number(t, call, "status") != 200 {
		t.Errorf("in the log it is %v", call)
	}
	// Wrong arguments are reported at once, and nothing happens.
	problem := a.refused("factory_create_work_order", `{"sku":5,"quantity":"many","colour":"red"}`, "validation_failed")
	var fields []string
	for _, field := range children(t, child(t, problem, "details"), "fields") {
		fields = append(fields, text(field, "field"))
	}
	slices.Sort(fields)
	if !slices.Equal(fields, []string{"colour", "quantity", "sku"}) {
		t.Errorf("the bad arguments are %v", fields)
	}
}

// TestAHandleStandsInForALostSession: it outlives the session, also a restart of
// the server, and goes before the key.
func TestAHandleStandsInForALostSession(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MCP.HANDLE", "OPEN.MCP.SESSION")
	settings := map[string]string{"database": filepath.Join(t.TempDir(), "platen.db")}
	stage := &stage{TB: t}
	first := serve(stage, settings)
	a := first.agent(t, "")
	created := a.data("create_sandbox", `{"clock":"manual"}`)
	handle := text(created, "sandbox")
	stage.end()
	second := serve(t, settings)
	a.service = second // the same session, at the next server
	if got := a.data("get_sandbox", `{}`); got["sandbox_id"] != created["sandbox_id"] {
		t.Errorf("after the restart the session is in %v", got)
	}
	lost := second.agent(t, "")
	lost.refused("get_sandbox", `{}`, "unauthorized")
	for _, tool := range []string{"get_sandbox", "list_missions", "wait_for_events"} {
		lost.data(tool, fmt.Sprintf(`{"sandbox":%q}`, handle))
	}
	if items := children(t, lost.data("factory_list", fmt.Sprintf(`{"resource":"presses","sandbox":%q}`, handle)),
		"items"); len(items) == 0 {
		t.Error("the handle opens no Factory")
	}
	problem := lost.refused("get_sandbox", `{"sandbox":"sbh_nonsense"}`, "unauthorized")
	if !strings.Contains(text(problem, "hint"), "create_sandbox") {
		t.Errorf("the hint is %v", problem["hint"])
	}
	other := second.create(t, `{"clock":"manual"}`)
	mixed := second.agent(t, other.office)
	mixed.refused("get_sandbox", fmt.Sprintf(`{"sandbox":%q}`, handle), "unauthorized")
	same := second.agent(t, text(created, "factory_key"))
	same.data("office_list", fmt.Sprintf(`{"resource":"suppliers","sandbox":%q}`, handle))
	// It is a credential: where it does not belong, nothing repeats it.
	leak := lost.refused("call_operation",
		fmt.Sprintf(`{"operation":"get_mission","id":%q,"sandbox":%q}`, handle, handle), "validation_failed")
	if strings.Contains(encode(t, leak), handle) {
		t.Errorf("the handle is repeated: %v", leak)
	}
}

func TestToolsSayWhenTheSandboxIsGone(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.MCP.GONE")
		s := serve(t, map[string]string{"sandbox-duration": "3s", "grace": "15s"})
		a := s.agent(t, "")
		created := a.data("create_sandbox", `{"clock":"manual"}`)
		ends := moment(t, created["expires_at"])
		waitUntil(t, ends.Add(50*time.Millisecond))
		a.refused("advance_time", `{}`, "sandbox_expired")
		waitUntil(t, ends.Add(15500*time.Millisecond))
		for _, arguments := range []string{`{}`, fmt.Sprintf(`{"sandbox":%q}`, text(created, "sandbox"))} {
			problem := a.refused("get_sandbox", arguments, "unauthorized")
			if !strings.Contains(text(problem, "hint"), "create_sandbox") ||
				!strings.Contains(text(problem, "message"), "expired") {
				t.Errorf("a sandbox that is gone is answered with %v", problem)
			}
		}
		a.data("create_sandbox", `{}`)
		a.data("get_sandbox", `{}`)
	})
}

func TestAnAgentsCallIsNoticed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MISSION.AGENT_CALL")
	n := shared.create(t, `{"clock":"manual"}`)
	a := shared.agent(t, n.office)
	// The guides of the site are found too.
	if found := encode(t, a.data("search_docs",
		`{"query":"verify webhook signature receiver","limit":10}`)); !strings.Contains(found, "/docs/webhooks") {
		t.Errorf("the guide on webhooks is not among %s", found)
	}
	a.data("search_docs", `{"query":"mission"}`)
	a.refused("office_get", `{"resource":"sales_orders","id":"so_none"}`, "not_found")
	n.get("/sandbox").want(200, "")
	if status := n.missions()["agent_call"]; status == "completed" {
		t.Error("agent_call is completed without a tool call that succeeded in the sandbox")
	}
	a.data("get_sandbox", `{}`)
	if status := n.missions()["agent_call"]; status != "completed" {
		t.Errorf("after a tool call agent_call is %v", status)
	}
}

// TestWhatTheDocsSearchNamesIsThere: each address that it names is a page, or a
// resource of the endpoint.
func TestWhatTheDocsSearchNamesIsThere(t *testing.T) {
	t.Parallel()
	a := shared.agent(t, "")
	resources := map[string]bool{}
	for _, r := range children(t, child(t, a.rpc("resources/list", `{}`).Body, "result"), "resources") {
		resources[text(r, "uri")] = true
		got := a.rpc("resources/read", fmt.Sprintf(`{"uri":%q}`, text(r, "uri")))
		if content := children(t, child(t, got.Body, "result"), "contents"); len(content) != 1 ||
			len(text(content[0], "text")) < 100 {
			t.Errorf("%v reads %s", r["uri"], got.Raw)
		}
	}
	const documents = 7
	if len(resources) != documents {
		t.Errorf("the resources are %v", resources)
	}
	kinds := map[string]bool{}
	for _, query := range []string{
		"press_busy", "rate limit", "webhook secret", "sales order accepted", "bridge manual", "mission cash",
	} {
		found := children(t, a.data("search_docs", fmt.Sprintf(`{"query":%q,"limit":10}`, query)), "items")
		if len(found) < 3 {
			t.Errorf("%q finds %v", query, found)
		}
		for _, page := range found {
			url := text(page, "url")
			if resources[url] {
				kinds["resource"] = true
				continue
			}
			path, inside := strings.CutPrefix(url, a.Origin)
			if !inside || a.page(t, path) != http.StatusOK {
				t.Errorf("%q finds %s", query, url)
			}
			kinds[strings.Split(path, "/")[2]] = true
		}
	}
	for _, kind := range []string{"resource", "errors", "events", "missions"} {
		if !kinds[kind] {
			t.Errorf("nothing of the kind %s was found: %v", kind, kinds)
		}
	}
}

// TestAnAgentWithoutAKeyPlaysWithFewTools, and the sandbox that it creates first.
func TestAnAgentWithoutAKeyPlaysWithFewTools(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MCP.PLAY")
	a := &agent{service: shared, t: t, path: "/mcp?tools=play"}
	begun := a.rpc("initialize", opening)
	said := text(child(t, begun.Body, "result"), "instructions")
	if !strings.Contains(said, "Call create_sandbox first") || strings.Contains(said, "office_answer_sales_order") {
		t.Errorf("the instructions are %q", said)
	}
	a.session = begun.Header.Get("Mcp-Session-Id")
	a.data("create_sandbox", `{"preset":"starter","clock":"manual"}`)
	if done := a.does("accept_sales_order SO-1001"); len(done) != 1 {
		t.Errorf("an order accepted in the new sandbox: %v", done)
	}
}

func TestAnAddressChoosesToolsAndTheFormOfResults(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.MCP.PLAY", "OPEN.MCP.UNKNOWN_TOOL", "OPEN.MCP.STRUCTURED", "OPEN.MCP.BODY", "OPEN.ID.NUMBER")
	n := shared.create(t, `{"clock":"manual","seed":5}`)
	a := shared.agent(t, n.office)
	a.path = "/mcp?tools=play&structured=0"
	var names []string
	for _, tool := range child(t, a.rpc("tools/list", "{}").Body, "result")["tools"].([]any) {
		names = append(names, text(tool.(object), "name"))
	}
	if got := strings.Join(names, " "); got != "advance_time do factory_list get_sandbox office_list search_docs "+
		"search_operations" {
		t.Errorf("the tools are %s", got)
	}
	result := child(t, a.rpc("tools/call", `{"name":"get_sandbox","arguments":{}}`).Body, "result")
	if _, has := result["structuredContent"]; has || len(result["content"].([]any)) != 1 {
		t.Errorf("the result is %v", result)
	}
	for arguments, lines := range map[string]bool{`"limit":1`: true, `"limit":1,"view":"full"`: false} {
		body := a.rpc("tools/call", `{"name":"office_list","arguments":{"resource":"sales_orders",`+arguments+`}}`).Body
		list := child(t, body, "result")
		shown := text(list["content"].([]any)[0].(object), "text")
		if isLines := !strings.HasPrefix(shown, "{"); isLines != lines {
			t.Errorf("a list with %s is %s", arguments, shown)
		}
	}
	unknown := child(t, a.rpc("tools/call", `{"name":"office_answer_sales_order","arguments":{}}`).Body, "error")
	if said := text(unknown, "message"); fmt.Sprint(unknown["code"]) != "-32602" ||
		!strings.Contains(said, "advance_time, do, ") {
		t.Errorf("an unknown tool is %v", unknown)
	}
	if done := a.does("accept_sales_order SO-1001"); len(done) != 1 {
		t.Errorf("an order accepted by its number: %v", done)
	}
	a.path = "/mcp"
	agrees(t, "a body as an object", a.data("call_operation",
		`{"operation":"decline_sales_order","id":"SO-1002","body":{"reason":"no time"}}`), object{"status": "declined"})
	if note := a.data("create_sandbox", `{"preset":"agent_eval"}`)["note"]; note == nil {
		t.Error("nothing says that an evaluation of an agent cannot be graded")
	}
}
