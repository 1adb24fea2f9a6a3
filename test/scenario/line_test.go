package scenario

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// fate is the fate of a call on its way.
type fate int

const (
	passes fate = iota
	// lostBefore never reaches the server.
	lostBefore
	// lostAfter reaches it and is done, but the response is lost.
	lostAfter
	// turnedAway is answered 429 with a time to come back at, busy is 503.
	turnedAway
	busy
	// gateway is answered by something in between.
	gateway
)

// line is the network between an integration and the server.
type line struct {
	t      testing.TB
	server *httptest.Server
	target string
	// fate decides about the nth call, counted from 1.
	fate func(n int, r *http.Request) fate
	// cut is called when a call is lost.
	cut func()
	// shortPages is set to make every list long.
	shortPages bool

	mutex sync.Mutex // guards what is below
	calls []call
	// notBefore is when a call that was turned away may come back, by its key
	// or path.
	notBefore map[string]time.Time
}

// call is a request on a line, with its fate.
type call struct {
	method, path, key, body string
	fate                    fate
}

func (c call) write() bool { return c.method != http.MethodGet }

// between lays a line to the server of a company.
func between(t testing.TB, w *world) *line {
	t.Helper()
	l := &line{
		t: t, target: strings.TrimSuffix(w.url, "/v1"), fate: func(int, *http.Request) fate { return passes },
		cut: func() {}, notBefore: map[string]time.Time{},
	}
	l.server = httptest.NewServer(l)
	t.Cleanup(l.server.Close)
	return l
}

func (l *line) url() string { return l.server.URL + "/v1" }

// ServeHTTP implements http.Handler.
func (l *line) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the program is gone
	}
	switch l.note(r, body) {
	case passes:
		l.forward(w, r, body)
	case lostBefore:
		l.cut()
		panic(http.ErrAbortHandler)
	case lostAfter:
		l.forward(httptest.NewRecorder(), r, body)
		l.cut()
		panic(http.ErrAbortHandler)
	case turnedAway:
		l.refuse(w, r, http.StatusTooManyRequests, "rate_limited")
	case busy:
		l.refuse(w, r, http.StatusServiceUnavailable, "unavailable")
	case gateway:
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprint(w, "<h1>bad gateway</h1>")
	}
}

// note writes a call down and decides about it.
func (l *line) note(r *http.Request, body []byte) fate {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	c := call{method: r.Method, path: r.URL.RequestURI(), key: r.Header.Get("Idempotency-Key"), body: string(body)}
	const early = 20 * time.Millisecond // timers may be a little early
	if until, ok := l.notBefore[c.key+c.path]; ok {
		if ahead := time.Until(until); ahead > early {
			l.t.Errorf("%s %s came back %v before the time it was told", c.method, c.path, ahead)
		}
		delete(l.notBefore, c.key+c.path)
	}
	c.fate = l.fate(len(l.calls)+1, r)
	l.calls = append(l.calls, c)
	return c.fate
}

// made returns the calls so far.
func (l *line) made() []call {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return append([]call{}, l.calls...)
}

// quiet changes what fate goes by while no call is decided about.
func (l *line) quiet(change func()) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	change()
}

func (l *line) forward(w http.ResponseWriter, r *http.Request, body []byte) {
	uri := r.URL.RequestURI()
	if l.shortPages {
		uri = strings.Replace(uri, "limit=100", "limit=2", 1)
	}
	request, err := http.NewRequestWithContext(l.t.Context(), r.Method, l.target+uri, bytes.NewReader(body))
	if err != nil {
		l.t.Error(err)
		return
	}
	request.Header = r.Header.Clone()
	response, err := (&http.Client{Timeout: patience}).Do(request)
	if err != nil {
		l.t.Errorf("the server behind the line: %v", err)
		return
	}
	defer response.Body.Close()
	maps.Copy(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
	_, _ = io.Copy(w, response.Body) // the program may be gone
}

// refuse answers as the server would, with a time to come back at.
func (l *line) refuse(w http.ResponseWriter, r *http.Request, status int, code string) {
	const wait = 300 * time.Millisecond
	now := time.Now().UTC()
	retryAt := now.Add(wait)
	if status == http.StatusTooManyRequests {
		l.mutex.Lock()
		l.notBefore[r.Header.Get("Idempotency-Key")+r.URL.RequestURI()] = retryAt
		l.mutex.Unlock()
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"meta":{"simulation":true,"request_id":"req_line","server_time":%q,"api_version":"2026-09"},
		"error":{"code":%q,"message":"Not now.","retryable":true,"hint":"Come back.",
		"docs_url":"http://localhost/docs","retry_at":%q}}`,
		now.Format(time.RFC3339Nano), code, retryAt.Format(time.RFC3339Nano))
}

// checkKeys holds the program to its side of idempotency: a key identifies one
// request, and a write that was lost comes back as it was.
func (l *line) checkKeys() {
	l.t.Helper()
	first := map[string]call{}
	lost := map[string]bool{}
	for _, c := range l.made() {
		if !c.write() {
			continue
		}
		if c.key == "" {
			l.t.Errorf("%s %s has no idempotency key", c.method, c.path)
		}
		if known, ok := first[c.key]; ok && (known.path != c.path || known.body != c.body) {
			l.t.Errorf("the key %s stands for %s %s and for %s %s", c.key, known.path, known.body, c.path, c.body)
		}
		first[c.key] = c
		lost[c.key] = c.fate != passes
	}
	for key, never := range lost {
		if never {
			l.t.Errorf("%s %s was lost and never sent again", first[key].method, first[key].path)
		}
	}
}
