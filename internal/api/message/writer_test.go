package message_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/api/message"
)

// TestASlowResponseEndsWithTheServer: an injected delay does not hold up a stop.
func TestASlowResponseEndsWithTheServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stopped, began := make(chan struct{}), time.Now()
		time.AfterFunc(time.Second, func() { close(stopped) })
		out := &message.Response{Hold: time.Minute}
		r := &message.Request{HTTP: httptest.NewRequest(http.MethodGet, "/", nil)}
		(&message.Writer{Stopped: stopped}).Await(r, out)
		if took := time.Since(began); took != time.Second {
			t.Errorf("a server that stops after a second waits for %s", took)
		}
		(&message.Writer{}).Await(r, out)
		if took := time.Since(began); took != time.Second+time.Minute {
			t.Errorf("one that goes on waits for %s", took)
		}
	})
}

// TestTheWriterAloneSevers what a layer has marked, and gives back what was reserved.
func TestTheWriterAloneSevers(t *testing.T) {
	t.Parallel()
	r := &message.Request{HTTP: httptest.NewRequest(http.MethodGet, "/", nil), ID: "req_1"}
	var writer message.Writer
	ended := 0
	send := func(out *message.Response) (w *httptest.ResponseRecorder, cut any) {
		defer func() { cut = recover() }()
		out.Discard = func() { ended++ }
		w = httptest.NewRecorder()
		writer.Send(w, r, out)
		return w, nil
	}
	_, cut := send(&message.Response{Status: 200, Data: []byte("{}"), Severed: message.CutOff})
	if cut != http.ErrAbortHandler { //nolint:errorlint // the sentinel is panicked as it is
		t.Errorf("a connection to be cut ends with %v", cut)
	}
	w, _ := send(&message.Response{Status: 200, Data: []byte("{}"), Severed: message.BadGateway})
	if w.Code != http.StatusBadGateway || strings.Contains(w.Body.String(), "meta") ||
		w.Header().Get("Request-Id") != "" {
		t.Errorf("something in between responds with %d %s, %v", w.Code, w.Body, w.Header())
	}
	w, _ = send(&message.Response{Status: 200, Data: []byte("{}")})
	if w.Code != http.StatusOK || !strings.HasSuffix(w.Body.String(), `"data":{}}`) {
		t.Errorf("the response is %d %s", w.Code, w.Body)
	}
	if ended != 3 {
		t.Errorf("%d of 3 responses gave back what was reserved for them", ended)
	}
}
