package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"platen/eval/task"
	"platen/platentest"
)

const (
	judgeToken    = "token-of-the-judge"
	solutionToken = "token-of-the-solution"
)

// hosted is a host of the task first-order, and where it is.
func hosted(t *testing.T, change func(*Host)) (*Host, string) {
	t.Helper()
	return hostedTask(t, "first-order", change)
}

// hostedTask is a host of a task, and where it is.
func hostedTask(t *testing.T, name string, change func(*Host)) (*Host, string) {
	t.Helper()
	p := platentest.Start(t)
	k, err := task.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := k.Prepare(t.Context(), p.BaseURL, "", task.World{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	s.Files = map[string][]byte{"src/pay.py": []byte("pay()\n")}
	h := &Host{
		Task: k, Prepared: s, Origin: p.Origin, PublicURL: p.BaseURL, JudgeToken: judgeToken,
		SolutionToken: solutionToken,
		Solver: func(context.Context, *task.Task, *task.Prepared, string) ([]byte, error) {
			return []byte(`{"a":1}`), nil
		},
	}
	if change != nil {
		change(h)
	}
	handler, err := h.Handler()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return h, server.URL
}

// request is a request to a host, with a token unless it is "", and with names and values of
// headers.
type request struct {
	method, token, body string
	header              []string
}

// send sends a request, a GET unless it says otherwise, and returns the status and the body.
func send(t *testing.T, url string, in request) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), in.method, url, strings.NewReader(in.body))
	if err != nil {
		t.Fatal(err)
	}
	if in.token != "" {
		r.Header.Set("Authorization", "Bearer "+in.token)
	}
	for i := 0; i < len(in.header); i += 2 {
		r.Header.Set(in.header[i], in.header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// TestThePlayerFindsItsKeysAndNothingElse: neither the grading key nor a token is in anything
// that needs no token, and the seed is no field of it.
func TestThePlayerFindsItsKeysAndNothingElse(t *testing.T) {
	t.Parallel()
	h, url := hosted(t, nil)
	_, described := send(t, url+TaskPath, request{})
	var d map[string]any
	if err := json.Unmarshal([]byte(described), &d); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"task": h.Task.Name, "instruction": h.Task.Assignment(), "url": h.PublicURL,
		"mcp_url":    url + AgentPath + "?tools=play",
		"office_key": h.Prepared.OfficeKey, "factory_key": h.Prepared.FactoryKey,
	} {
		if d[name] != want {
			t.Errorf("%s is %v, want %v", name, d[name], want)
		}
	}
	_, keys := send(t, url+KeysPath, request{})
	for _, line := range []string{
		"export PLATEN_URL='" + h.PublicURL + "'\n", "export PLATEN_MCP_URL='" + url + "/mcp?tools=play'\n",
		"export PLATEN_OFFICE_KEY='" + h.Prepared.OfficeKey + "'\n",
	} {
		if !strings.Contains(keys, line) {
			t.Errorf("keys.env lacks %q:\n%s", line, keys)
		}
	}
	if status, file := send(t, url+FilesPath+"src/pay.py", request{}); status != 200 || file != "pay()\n" {
		t.Errorf("a file of the task is %d %q", status, file)
	}
	seen := described + keys
	for _, try := range [][2]string{
		{http.MethodGet, FilesPath}, {http.MethodGet, FilesPath + "none"}, {http.MethodGet, "/"},
		{http.MethodGet, GradePath}, {http.MethodPost, GradePath}, {http.MethodPost, SolvePath},
		{http.MethodPost, TaskPath}, {http.MethodGet, FilesPath + "..%2f..%2fetc/passwd"},
	} {
		status, body := send(t, url+try[1], request{method: try[0]})
		if status != http.StatusNotFound && status != http.StatusUnauthorized || !strings.Contains(body, `"code"`) {
			t.Errorf("%s %s: %d %s", try[0], try[1], status, body)
		}
		seen += body
	}
	if _, seed := d["seed"]; seed {
		t.Error("the player sees the seed")
	}
	for _, secret := range []string{h.Prepared.GradingKey, judgeToken, solutionToken, `"score"`} {
		if strings.Contains(seen, secret) {
			t.Errorf("the player sees %s", secret)
		}
	}
}

// TestJudgeAndOracleAskForTheirOwnTokens, each for its own, and for one at all.
func TestJudgeAndOracleAskForTheirOwnTokens(t *testing.T) {
	t.Parallel()
	h, url := hosted(t, nil)
	for _, try := range []struct{ path, token, want string }{
		{GradePath, "", "unauthorized"}, {GradePath, "wrong", "unauthorized"},
		{GradePath, solutionToken, "unauthorized"}, {GradePath, h.Prepared.OfficeKey, "unauthorized"},
		{GradePath, judgeToken + "x", "unauthorized"}, {GradePath, judgeToken, `"score": 0,`},
		{SolvePath, "", "unauthorized"}, {SolvePath, judgeToken, "unauthorized"}, {SolvePath, solutionToken, `{"a":1}`},
	} {
		status, body := send(t, url+try.path, request{method: http.MethodPost, token: try.token})
		if !strings.Contains(body, try.want) || (status == http.StatusUnauthorized) != (try.want == "unauthorized") {
			t.Errorf("%s with token %q: %d %s, want %s", try.path, try.token, status, body, try.want)
		}
	}
	plain := request{method: http.MethodPost, token: judgeToken, header: []string{"Accept", "text/plain"}}
	if _, body := send(t, url+GradePath, plain); body != "0\n" {
		t.Errorf("the bare score is %q", body)
	}
	_, open := hosted(t, func(h *Host) { h.JudgeToken, h.SolutionToken = "", "" })
	for _, path := range []string{GradePath, SolvePath} {
		nothing := request{method: http.MethodPost, header: []string{"Authorization", "Bearer "}}
		status, _ := send(t, open+path, nothing)
		if status != http.StatusUnauthorized {
			t.Errorf("%s without any token set: %d", path, status)
		}
	}
}

// TestWhatCannotBeGradedIsSaid, as JSON, and with a status of its own.
func TestWhatCannotBeGradedIsSaid(t *testing.T) {
	t.Parallel()
	_, url := hosted(t, func(h *Host) {
		h.Prepared.GradingKey = "lab_grd_of-nobody"
		h.Solver = func(context.Context, *task.Task, *task.Prepared, string) ([]byte, error) {
			return nil, errors.New("no idea")
		}
	})
	large := strings.Repeat(" ", task.MaxAnswer+1)
	for _, try := range []struct {
		path, token, body, code string
		status                  int
	}{
		{GradePath, judgeToken, large, "body_too_large", http.StatusRequestEntityTooLarge},
		{GradePath, judgeToken, large[1:], "not_graded", http.StatusBadGateway},
		{SolvePath, solutionToken, "", "not_solved", http.StatusBadGateway},
	} {
		status, body := send(t, url+try.path, request{method: http.MethodPost, token: try.token, body: try.body})
		var d struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal([]byte(body), &d); err != nil || status != try.status || d.Error.Code != try.code ||
			d.Error.Message == "" {
			t.Errorf("%s with %d bytes: %d %s, want %d %s", try.path, len(try.body), status, body, try.status, try.code)
		}
	}
}

// TestAgentsNeedNoKeyAtAHost: a client that knows the URL alone reaches both systems as the
// player, and one with a key keeps its own.
func TestAgentsNeedNoKeyAtAHost(t *testing.T) {
	t.Parallel()
	h, url := hosted(t, nil)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url + AgentPath, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	for tool, arguments := range map[string]map[string]any{
		"get_sandbox": {}, "office_list": {"resource": "sales_orders"}, "factory_list": {"resource": "stock_items"},
	} {
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			t.Fatalf("%s: %v", tool, err)
		}
		text, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		if result.IsError || bytes.Contains(text, []byte(h.Prepared.GradingKey)) {
			t.Errorf("%s: %s", tool, text)
		}
		if tool == "get_sandbox" && !bytes.Contains(text, []byte(h.Prepared.SandboxID)) {
			t.Errorf("it is another sandbox: %s", text)
		}
	}
	list := request{
		method: http.MethodPost, body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		header: []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"},
	}
	keyed := list
	keyed.token = "lab_off_of-nobody"
	if status, body := send(t, url+AgentPath, keyed); status != http.StatusUnauthorized {
		t.Errorf("a key that does not work: %d %s", status, body)
	}
	list.header = append(list.header, "Origin", "http://elsewhere.example")
	if status, body := send(t, url+AgentPath, list); status != http.StatusForbidden {
		t.Errorf("a page of another site: %d %s", status, body)
	}
}

func TestAnAnswerThatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	_, origin := hosted(t, nil)
	put := request{method: http.MethodPut, body: strings.Repeat("x", task.MaxAnswer+1)}
	if status, text := send(t, origin+AnswerPath, put); status != http.StatusRequestEntityTooLarge {
		t.Errorf("an answer of a byte too much: %d %s", status, text)
	}
	put.body = put.body[1:]
	if status, text := send(t, origin+AnswerPath, put); status != http.StatusNoContent || text != "" {
		t.Errorf("the largest answer: %d %s", status, text)
	}
	get := request{method: http.MethodGet}
	if status, text := send(t, origin+AnswerPath, get); status != http.StatusNotFound &&
		status != http.StatusMethodNotAllowed {
		t.Errorf("the answer can be read: %d %s", status, text)
	}
}

// TestAnAgentGetsWholeResponses of a server that begins to answer before it has read the message.
func TestAnAgentGetsWholeResponses(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "got ")
		both := http.NewResponseController(w)
		if err := errors.Join(both.EnableFullDuplex(), both.Flush()); err != nil {
			t.Error(err)
		}
		_, _ = io.Copy(w, r.Body)
	}))
	t.Cleanup(server.Close)
	_, host := hosted(t, func(h *Host) { h.Origin = server.URL })
	message := strings.Repeat("m", 300)
	for range 500 {
		if _, body := send(t, host+AgentPath, request{method: http.MethodPost, body: message}); body != "got "+message {
			t.Fatalf("the response is %q", body)
		}
	}
}
