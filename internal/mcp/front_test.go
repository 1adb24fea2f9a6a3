package mcp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestOnlyTheServersOwnNamesAreAnswered: a page that has its own name lead here
// would otherwise speak to a server on its reader's machine.
func TestOnlyTheServersOwnNamesAreAnswered(t *testing.T) {
	t.Parallel()
	e := open(t, &door{})
	for host, want := range map[string]int{"sandbox.example": http.StatusOK, "evil.example": http.StatusForbidden, "": http.StatusForbidden} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		r.Host = host
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("the host %q is answered %d %s, want %d", host, w.Code, w.Body, want)
		}
	}
}

// TestABatchWithOneIDTwiceIsAnswered: somebody would wait for ever otherwise.
func TestABatchWithOneIDTwiceIsAnswered(t *testing.T) {
	t.Parallel()
	w := post(t, open(t, &door{}), "/mcp", `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "Mcp-Protocol-Version", "2025-03-26")
	if w.Body.Len() == 0 {
		t.Errorf("it is answered %d", w.Code)
	}
}

// TestWhatIsNoMessageIsRefusedInOurWords: the library would show its own.
func TestWhatIsNoMessageIsRefusedInOurWords(t *testing.T) {
	t.Parallel()
	e := open(t, &door{})
	for _, body := range []string{"1", "null", "true", `"ping"`, " 1.5e3", "[1]", "[null]", `[{"jsonrpc":"2.0","id":1,"method":"ping"},[]]`} {
		w := post(t, e, "/mcp", body, "Mcp-Protocol-Version", "2025-03-26")
		if a := read(t, w); w.Code != http.StatusBadRequest || a.Error == nil || a.Error.Code != -32600 || !strings.Contains(a.Error.Message, "a message is an object") {
			t.Errorf("%s is answered %d %s", body, w.Code, w.Body)
		}
	}
}

// TestAnAnswerHasTheIDOfItsMessage, or there is none: whoever asked would not
// know it otherwise.
func TestAnAnswerHasTheIDOfItsMessage(t *testing.T) {
	t.Parallel()
	e := open(t, &door{})
	for id, status := range map[string]int{
		"0": http.StatusOK, "-7": http.StatusOK, "9007199254740991": http.StatusOK, "-9007199254740991": http.StatusOK, `"a"`: http.StatusOK, `"9007199254740993"`: http.StatusOK,
		"9007199254740993": http.StatusBadRequest, "1.5": http.StatusBadRequest, "1e3": http.StatusBadRequest, "99999999999999999999": http.StatusBadRequest, "-9007199254740993": http.StatusBadRequest,
	} {
		w := post(t, e, "/mcp", `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`)
		if w.Code != status || !strings.Contains(w.Body.String(), `"id":`+id) {
			t.Errorf("the id %s is answered %d %s", id, w.Code, w.Body)
		}
	}
}

// TestARefusedInitializeLeavesNoSession: nobody would ever end it.
func TestARefusedInitializeLeavesNoSession(t *testing.T) {
	t.Parallel()
	e := open(t, &door{})
	const params = `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}`
	whole := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + params + `}`
	for _, c := range []struct {
		body, media  string
		status, code int
	}{
		{strings.Replace(whole, `"2025-06-18"`, "5", 1), "application/json", http.StatusOK, -32602},
		{strings.Replace(whole, params, "null", 1), "application/json", http.StatusOK, -32602},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, "application/json", http.StatusOK, -32602},
		{strings.Replace(whole, `"id":1,`, "", 1), "application/json", http.StatusBadRequest, -32600},
		{strings.Replace(whole, `"id":1,`, `"id":null,`, 1), "application/json", http.StatusBadRequest, -32600},
		{"[" + whole + "]", "application/json", http.StatusBadRequest, -32600},
		{`[{"jsonrpc":"2.0","id":2,"method":"ping"},` + whole + "]", "application/json", http.StatusBadRequest, -32600},
		{whole, "text/plain", http.StatusUnsupportedMediaType, -32000},
	} {
		w := post(t, e, "/mcp", c.body, "Content-Type", c.media, "Mcp-Protocol-Version", "2025-03-26")
		if a := read(t, w); w.Code != c.status || a.Error == nil || a.Error.Code != c.code || strings.Contains(a.Error.Message, "json:") || w.Header().Get("Mcp-Session-Id") != "" {
			t.Errorf("%s as %s is answered %d %s with the session %q", c.body, c.media, w.Code, w.Body, w.Header().Get("Mcp-Session-Id"))
		}
	}
	if w := post(t, e, "/mcp", whole); w.Header().Get("Mcp-Session-Id") == "" {
		t.Errorf("an initialize that is in order is answered %d %s without a session", w.Code, w.Body)
	}
}
