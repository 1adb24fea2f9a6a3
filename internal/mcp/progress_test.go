package mcp_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestACallThatTakesLongSaysSo to the client that asked, until its response, which is the last line (contract:
// OPEN.MCP.PROGRESS).
func TestACallThatTakesLongSaysSo(t *testing.T) {
	t.Parallel()
	told := make(chan struct{})
	d := &door{act: func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-told:
		case <-r.Context().Done():
		}
		w.Write([]byte(`{"data":{"items":[],"next_cursor":null,"last_seq":0}}`))
	}}
	server := httptest.NewServer(endpoint(t, d, time.Millisecond))
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait_for_events",`+
			`"arguments":{"after_seq":0},"_meta":{"progressToken":"the token"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "sandbox.example"
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+officeKey)
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Body.Close() }()
	notified, ended := 0, false
	for lines := bufio.NewScanner(w.Body); lines.Scan(); {
		line := lines.Text()
		switch {
		case strings.Contains(line, "notifications/progress"):
			if ended || !strings.Contains(line, `"progressToken":"the token"`) {
				t.Errorf("a notification after the response (%t), or of another call: %s", ended, line)
			}
			if notified++; notified == 2 {
				close(told)
			}
		case strings.Contains(line, `"result"`):
			ended = true
		}
	}
	if notified < 2 || !ended {
		t.Errorf("%d notifications, and a response: %t", notified, ended)
	}
}
