package mcp_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestOnlyTheServersOwnNamesAreAnswered: a page that has its own name lead here
// would otherwise speak to a server on its reader's machine.
func TestOnlyTheServersOwnNamesAreAnswered(t *testing.T) {
	t.Parallel()
	e := open(t, &door{})
	for host, want := range map[string]int{
		"sandbox.example": http.StatusOK, "evil.example": http.StatusForbidden, "": http.StatusForbidden,
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp",
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
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

// TestABatchWithOneIDTwiceIsAnswered: the client would wait for ever otherwise.
func TestABatchWithOneIDTwiceIsAnswered(t *testing.T) {
	t.Parallel()
	w := post(t, open(t, &door{}),
		"/mcp", `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
		"Mcp-Protocol-Version", "2025-03-26")
	if w.Body.Len() == 0 {
		t.Errorf("it is answered %d", w.Code)
	}
}

// TestWhatIsNoMessageIsRefusedInOurWords: the library would show its own.
func TestWhatIsNoMessageIsRefusedInOurWords(t *testing.T) {
	t.Parallel()
	e := open(t, &door{})
	for _, body := range []string{
		"1", "null", "true", `"ping"`, " 1.5e3", "[1]", "[null]", `[{"jsonrpc":"2.0","id":1,"method":"ping"},[]]`,
	} {
		w := post(t, e, "/mcp", body, "Mcp-Protocol-Version", "2025-03-26")
		if a := read(t, w); w.Code != http.StatusBadRequest || a.Error == nil || a.Error.Code != -32600 ||
			!strings.Contains(a.Error.Message, "a message is an object") {
			t.Errorf("%s is answered %d %s", body, w.Code, w.Body)
		}
	}
}

// TestAnAnswerHasTheIDOfItsMessage, or there is none: the client could not
// match it to its message otherwise.
func TestAnAnswerHasTheIDOfItsMessage(t *testing.T) {
	t.Parallel()
	e := open(t, &door{})
	for id, status := range map[string]int{
		"0": http.StatusOK, "-7": http.StatusOK, "9007199254740991": http.StatusOK,
		"-9007199254740991": http.StatusOK, `"a"`: http.StatusOK, `"9007199254740993"`: http.StatusOK,
		"9007199254740993": http.StatusBadRequest, "1.5": http.StatusBadRequest, "1e3": http.StatusBadRequest,
		"99999999999999999999": http.StatusBadRequest, "-9007199254740993": http.StatusBadRequest,
	} {
		w := post(t, e, "/mcp", `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`)
		if w.Code != status || !strings.Contains(w.Body.String(), `"id":`+id) {
			t.Errorf("the id %s is answered %d %s", id, w.Code, w.Body)
		}
	}
}

// TestARefusedInitializeLeavesNoSession: no client would ever end it.
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
		if a := read(t, w); w.Code != c.status || a.Error == nil || a.Error.Code != c.code ||
			strings.Contains(a.Error.Message, "json:") || w.Header().Get("Mcp-Session-Id") != "" {
			t.Errorf("%s as %s is answered %d %s with the session %q",
				c.body, c.media, w.Code, w.Body, w.Header().Get("Mcp-Session-Id"))
		}
	}
	if w := post(t, e, "/mcp", whole); w.Header().Get("Mcp-Session-Id") == "" {
		t.Errorf("an initialize that is in order is answered %d %s without a session", w.Code, w.Body)
	}
}

// TestAnUnknownRevisionIsNamed, whatever it is compared with as a text, and the ones that are
// known with it (contract: OPEN.MCP.REVISION).
func TestAnUnknownRevisionIsNamed(t *testing.T) {
	t.Parallel()
	e := open(t, &door{})
	for _, revision := range []string{"2099-01-01", "2026-07-29", "draft", "v1", "latest", "2020-01-01"} {
		for _, method := range []string{"tools/list", "ping", "initialize"} {
			w := post(t, e, "/mcp", `{"jsonrpc":"2.0","id":301,"method":"`+method+`","params":{}}`,
				"Mcp-Protocol-Version", revision)
			a := read(t, w)
			if w.Code != http.StatusBadRequest || a.Error == nil || string(a.ID) != "301" ||
				!strings.Contains(a.Error.Message, "supported versions: ") ||
				!strings.Contains(a.Error.Message, "2025-11-25") {
				t.Errorf("%s of the revision %s is answered %d %s", method, revision, w.Code, w.Body)
			}
		}
	}
}

// TestALostSessionIsToldTheWayOut: an initialize that brings the old id met the advice to send an initialize.
func TestALostSessionIsToldTheWayOut(t *testing.T) {
	t.Parallel()
	e := open(t, &door{})
	for _, method := range []string{"initialize", "tools/list"} {
		w := post(t, e, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{}}`, "Mcp-Session-Id", "gone")
		if a := read(t, w); w.Code != http.StatusNotFound || a.Error == nil || a.Error.Code != -32001 ||
			!strings.Contains(a.Error.Message, "without the header Mcp-Session-Id") {
			t.Errorf("%s with a session that has ended is answered %d %s", method, w.Code, w.Body)
		}
	}
}

// lists is a batch of requests whose answers are large.
func lists() string {
	messages := make([]string, 20)
	for i := range messages {
		messages[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, i+1)
	}
	return "[" + strings.Join(messages, ",") + "]"
}

// pipes is a listener whose connections have no buffer.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepted:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (*pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// TestAClientThatDoesNotReadIsLetGo: what was made for it must not stay in memory.
// One that waits for its answer may wait for any time, if it then takes it in.
func TestAClientThatDoesNotReadIsLetGo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &door{act: func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(3 * time.Minute) //nolint:forbidigo // in a bubble: a call that takes long
			w.WriteHeader(http.StatusOK)
			w.Write([]byte(`{"meta":{},"data":{}}`))
		}}
		e := open(t, slow)
		over := make(chan time.Duration, 1)
		server := &http.Server{WriteTimeout: time.Minute,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				began := time.Now()
				e.ServeHTTP(w, r)
				over <- time.Since(began)
			})}
		l := &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})}
		var serving sync.WaitGroup
		serving.Go(func() { server.Serve(l) })
		send := func(body string) net.Conn {
			ours, theirs := net.Pipe()
			l.accepted <- theirs
			fmt.Fprintf(ours, "POST /mcp HTTP/1.1\r\nHost: sandbox.example\r\n"+
				"Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"+
				"Mcp-Protocol-Version: 2025-03-26\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			return ours
		}
		deaf := send(lists())
		if took := <-over; took > time.Minute {
			t.Errorf("the request of a client that does not read ended after %s", took)
		}
		if _, err := io.Copy(io.Discard, deaf); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Logf("it then reads %v", err)
		}
		patient := send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_sandbox","arguments":{}}}`)
		a, err := http.ReadResponse(bufio.NewReader(patient), nil)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(a.Body); err != nil || !strings.Contains(string(b), `"id":1`) {
			t.Errorf("who waits for three minutes reads %s, %v", b, err)
		}
		<-over
		a.Body.Close()
		deaf.Close()
		patient.Close()
		server.Close()
		serving.Wait()
	})
}

// TestTheAnswersToABatchAreBounded: one message of any size is answered, of a
// batch those that fit.
func TestTheAnswersToABatchAreBounded(t *testing.T) {
	t.Parallel()
	w := post(t, open(t, &door{}), "/mcp", lists(), "Mcp-Protocol-Version", "2025-03-26")
	var answers []struct {
		ID    int
		Error *struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answers); err != nil {
		t.Fatalf("%d %.200s: %v", w.Code, w.Body, err)
	}
	refused := 0
	for _, a := range answers {
		if a.Error != nil {
			refused++
			if a.Error.Code != -32000 || !strings.Contains(a.Error.Message, "too large") {
				t.Errorf("message %d is refused with %+v", a.ID, a.Error)
			}
		}
	}
	if len(answers) != 20 || refused == 0 || refused == 20 || w.Body.Len() > 400<<10 {
		t.Errorf("%d answers, %d of them refusals, have %d bytes", len(answers), refused, w.Body.Len())
	}
}
