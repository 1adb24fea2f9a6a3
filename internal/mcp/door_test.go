package mcp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"platen/internal/api/message"
	"platen/internal/mcp"
	"platen/internal/mcp/session"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/store/sqlite"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
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

// Do implements gateway.API.
func (d *door) Do(r *http.Request, body []byte, as apikey.Credential) *message.Response {
	d.spend("request")
	if d.act != nil {
		w := httptest.NewRecorder()
		r.Body = io.NopCloser(bytes.NewReader(body))
		d.act(w, r)
		budget := message.Budget{Limit: w.Header()[wire.HeaderLimit]} //nolint:staticcheck // spelled as the API does
		budget.Remaining = w.Header()[wire.HeaderRemaining]           //nolint:staticcheck // likewise
		return &message.Response{Status: w.Code, Raw: w.Body.Bytes(), Budget: budget}
	}
	return &message.Response{Status: http.StatusOK, Raw: d.Envelope(
		map[string]string{"request": r.Method + " " + r.URL.RequestURI(), "system": string(as.System)}, nil)}
}

// Recognise implements gateway.API: every key is one of the same sandbox.
func (*door) Recognise(_ *http.Request, c apikey.Credential) (sandbox.Caller, error) {
	if c == (apikey.Credential{}) {
		return sandbox.Caller{}, problem.New(problem.Unauthorized, "Nobody.")
	}
	return sandbox.Caller{SandboxID: "sbx_1", System: c.System}, nil
}

// KeysOf implements gateway.API.
func (*door) KeysOf(*http.Request, apikey.Credential) (apikey.Pair, error) {
	return apikey.Pair{SandboxID: "sbx_1", Office: [32]byte{1}, Factory: [32]byte{2}}, nil
}

// Share implements gateway.API.
func (*door) Share() *message.Share { return message.NewShare(nil) }

// Hold implements gateway.API.
func (*door) Hold() (cut <-chan struct{}, end func()) { return nil, func() {} }

// Spent implements gateway.API.
func (*door) Spent(*http.Request) bool { return false }

// Shuts implements gateway.API.
func (*door) Shuts(*http.Request) bool { return false }

// Enter implements gateway.API.
func (d *door) Enter(*http.Request) error { d.spend("network"); return nil }

// Spend implements gateway.API.
func (d *door) Spend(_ *http.Request, as apikey.Credential) error {
	if as == (apikey.Credential{}) {
		d.spend("anonymous")
	} else {
		d.spend("key")
	}
	return nil
}

// Remaining implements gateway.API.
func (*door) Remaining(_ *http.Request, as apikey.Credential) message.Budget {
	if as != (apikey.Credential{}) {
		return message.Budget{Limit: []string{"120"}}
	}
	return message.Budget{Limit: []string{"30"}}
}

// Envelope implements gateway.API.
func (*door) Envelope(data any, err error) []byte {
	envelope := map[string]any{"meta": map[string]any{"simulation": true}}
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		envelope["error"] = map[string]any{"code": p.Code, "message": p.Message, "hint": p.Hint, "details": p.Details}
	} else if err != nil {
		envelope["error"] = map[string]any{"message": err.Error()}
	} else {
		envelope["data"] = data
	}
	b, err := json.Marshal(envelope)
	if err != nil {
		panic(err)
	}
	return b
}

// open returns an endpoint before a door.
func open(t testing.TB, d *door) *mcp.Endpoint {
	t.Helper()
	return endpoint(t, d, 0)
}

// endpoint is one that notifies of long calls after each pause.
func endpoint(t testing.TB, d *door, pause time.Duration) *mcp.Endpoint {
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
		API: d, Sessions: session.NewStore(db, time.Now), Operations: operation.Table(), Presets: presets,
		Origin: "https://sandbox.example", Serves: func(host string) bool { return host == "sandbox.example" },
		Ours:    func(origin string) bool { return origin == "https://sandbox.example" },
		Version: "test", Docs: docs{}, Pace: pause, Log: slog.New(slog.DiscardHandler),
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
	ID     json.RawMessage `json:"id"`
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
