package mcp_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"platen/internal/mcp"
	"platen/internal/mcp/gateway"
	"platen/internal/mcp/session"
	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/sandbox"
	"platen/internal/store/sqlite"
)

var presets = []string{"agent_eval", "crunch", "empty", "manual", "starter", "supply_shock"}

// door is an API that answers every request with what it was asked.
type door struct {
	// act, when set, answers in its place.
	act http.HandlerFunc

	mu sync.Mutex // guards what follows
	// spent are the budgets that requests were taken from.
	spent []string
}

func (d *door) spend(from string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spent = append(d.spent, from)
}

// Act implements mcp.Door.
func (d *door) Act(w http.ResponseWriter, r *http.Request, as sandbox.Credential) {
	d.spend("request")
	if d.act != nil {
		d.act(w, r)
		return
	}
	w.WriteHeader(http.StatusOK)
	w.Write(d.Success(map[string]string{"request": r.Method + " " + r.URL.RequestURI(), "system": string(as.System)}))
}

// Recognise implements mcp.Door: every key is one of the same sandbox.
func (*door) Recognise(_ *http.Request, c sandbox.Credential) (sandbox.Caller, error) {
	if c == (sandbox.Credential{}) {
		return sandbox.Caller{}, problem.New(problem.Unauthorized, "Nobody.")
	}
	return sandbox.Caller{SandboxID: "sbx_1", System: c.System}, nil
}

// KeysOf implements mcp.Door.
func (*door) KeysOf(*http.Request, sandbox.Credential) (sandbox.Keys, error) {
	return sandbox.Keys{SandboxID: "sbx_1", Office: [32]byte{1}, Factory: [32]byte{2}}, nil
}

// Shuts implements mcp.Door.
func (*door) Shuts(*http.Request) bool { return false }

// Enter implements mcp.Door.
func (d *door) Enter(*http.Request) error { d.spend("network"); return nil }

// Spend implements mcp.Door.
func (d *door) Spend(_ *http.Request, caller sandbox.Caller) error {
	if caller == (sandbox.Caller{}) {
		d.spend("anonymous")
	} else {
		d.spend("key")
	}
	return nil
}

// Show implements mcp.Door.
func (*door) Show(h http.Header, _ *http.Request, caller sandbox.Caller) {
	h["X-RateLimit-Limit"] = []string{"30"}
	if caller != (sandbox.Caller{}) {
		h["X-RateLimit-Limit"] = []string{"120"}
	}
}

// Success implements mcp.Door.
func (*door) Success(data any) []byte {
	b, err := json.Marshal(map[string]any{"meta": map[string]any{"simulation": true}, "data": data})
	if err != nil {
		panic(err)
	}
	return b
}

// Refusal implements mcp.Door.
func (*door) Refusal(err error) []byte {
	b, _ := json.Marshal(map[string]any{
		"meta": map[string]any{"simulation": true}, "error": map[string]string{"message": err.Error()},
	})
	return b
}

// open returns an endpoint before a door.
func open(t testing.TB, d *door) *mcp.Endpoint {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "platen.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	e, err := mcp.New(mcp.Options{
		Door: d, Sessions: session.NewStore(db, time.Now), Operations: operation.Table(), Presets: presets,
		Policy: gateway.WithKey,
		Origin: "https://sandbox.example", Serves: func(host string) bool { return host == "sandbox.example" },
		Version: "test", Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var officeKey = "lab_off_" + strings.Repeat("A", 43)

// post sends one request to the endpoint, with a key unless a header says
// otherwise.
func post(t testing.TB, e http.Handler, path, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://sandbox.example"+path,
		strings.NewReader(body))
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+officeKey)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Del(headers[i])
		if headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w
}

// answered is a JSON-RPC answer.
type answered struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func read(t testing.TB, w *httptest.ResponseRecorder) answered {
	t.Helper()
	var a answered
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	return a
}

// call calls a tool and returns its text and whether it was refused.
func call(t testing.TB, e http.Handler, path, tool, arguments string) (text string, refused bool) {
	t.Helper()
	w := post(t, e,
		path, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`,
			tool, arguments))
	var result sdk.CallToolResult
	if err := json.Unmarshal(read(t, w).Result, &result); err != nil {
		t.Fatalf("%s: %d %s", tool, w.Code, w.Body)
	}
	return result.Content[0].(*sdk.TextContent).Text, result.IsError
}
