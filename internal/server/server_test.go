package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/config"
	"platen/test/testclient"
)

// patience ends a test that would hang.
const patience = 60 * time.Second

// suite holds what ends after the last test.
var suite testclient.Suite

func TestMain(m *testing.M) { os.Exit(suite.End(m.Run())) }

// shared is a server without limits for all tests that look at its documents, which are made
// at the first look.
var shared = sync.OnceValue(func() *Server { return start(&suite) })

// start runs a whole server without limits until the test ends.
func start(t testing.TB, change ...func(*config.Config)) *Server {
	t.Helper()
	return startLogging(t, slog.DiscardHandler, change...)
}

// startBeside is start for a server whose docs are those of shared: they take a second to make.
func startBeside(t testing.TB, change ...func(*config.Config)) *Server {
	t.Helper()
	return startBesideLogging(t, slog.DiscardHandler, change...)
}

func startBesideLogging(t testing.TB, log slog.Handler, change ...func(*config.Config)) *Server {
	t.Helper()
	s := unstarted(t, log, change...)
	s.site = shared().site
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func startLogging(t testing.TB, log slog.Handler, change ...func(*config.Config)) *Server {
	t.Helper()
	s := unstarted(t, log, change...)
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// unstarted makes a server that stops when the test ends.
func unstarted(t testing.TB, log slog.Handler, change ...func(*config.Config)) *Server {
	t.Helper()
	c := config.Default()
	c.Listen, c.Database = "127.0.0.1:0", filepath.Join(t.TempDir(), "platen.db")
	c.IPActive, c.IPCreations, c.KeyRate, c.IPRate, c.AnonymousRate = 0, 0, 0, 0, 0
	for _, set := range change {
		set(c)
	}
	s, err := New(t.Context(), c, slog.New(log))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(context.WithoutCancel(t.Context())) })
	return s
}

// client is a connection on which a test writes what no HTTP library would.
type client struct {
	net.Conn
	t *testing.T
	r *bufio.Reader
}

func dial(t *testing.T, s *Server) *client {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return &client{c, t, bufio.NewReader(c)}
}

func (c *client) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Fatal(err)
	}
}

// answer is one that was read whole.
type answer struct {
	status int
	header http.Header
	// length is that of the body by the header, closes whether the header
	// announces the end of the connection.
	length int64
	closes bool
	body   []byte
}

// receive reads one answer to a request with a method.
func (c *client) receive(method string) answer {
	c.t.Helper()
	a, err := http.ReadResponse(c.r, &http.Request{Method: method})
	if err != nil {
		c.t.Fatal(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return answer{a.StatusCode, a.Header, a.ContentLength, a.Close, body}
}

// ends waits until the server has closed the connection.
func (c *client) ends() {
	c.t.Helper()
	if b, err := c.r.ReadByte(); !errors.Is(err, io.EOF) {
		c.t.Errorf("the connection goes on with %q, %v", b, err)
	}
}

// code is the code of an error envelope.
func code(t *testing.T, a answer) string {
	t.Helper()
	var envelope struct {
		Meta struct {
			Simulation bool
			RequestID  string `json:"request_id"`
			ServerTime string `json:"server_time"`
		}
		Error struct {
			Code, Message, Hint string
			DocsURL             string `json:"docs_url"`
		}
	}
	if err := json.Unmarshal(a.body, &envelope); err != nil {
		t.Fatalf("%d %s is no envelope: %v", a.status, a.body, err)
	}
	e, m := envelope.Error, envelope.Meta
	if a.header.Get("Content-Type") != "application/json" || !m.Simulation || m.RequestID == "" || m.ServerTime == "" ||
		e.Message == "" || e.Hint == "" || !strings.HasSuffix(e.DocsURL, "/docs/errors/"+e.Code) {
		t.Errorf("%d %v %s is not a whole envelope", a.status, a.header, a.body)
	}
	return e.Code
}

func TestWhatNetHTTPAnswersByItselfIsAnEnvelope(t *testing.T) {
	t.Parallel()
	s := start(t)
	huge := strings.Repeat("x", 2*maxHeader)
	for name, q := range map[string]struct {
		text, code string
		status     int
	}{
		"no request line": {"nonsense\r\n\r\n", "bad_request", 400},
		"no version":      {"GET /v1/sandbox\r\n\r\n", "bad_request", 400},
		"no such version": {"GET /v1/sandbox HTTP/3.1\r\nHost: localhost\r\n\r\n", "bad_request", 400},
		"bad escape":      {"GET /v1/%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", "bad_request", 400},
		"bad method":      {"G(T /v1/sandbox HTTP/1.1\r\nHost: localhost\r\n\r\n", "bad_request", 400},
		"no host":         {"GET /v1/sandbox HTTP/1.1\r\n\r\n", "bad_request", 400},
		"two hosts": {"GET /v1/sandbox HTTP/1.1\r\nHost: localhost\r\nHost: y\r\n\r\n",
			"bad_request", 400},
		"bad host": {"GET /v1/sandbox HTTP/1.1\r\nHost: a b\r\n\r\n", "bad_request", 400},
		"header without colon": {"GET /v1/sandbox HTTP/1.1\r\nHost: localhost\r\nnonsense\r\n\r\n",
			"bad_request", 400},
		"header with a control": {"GET /v1/sandbox HTTP/1.1\r\nHost: localhost\r\nA: b\x01c\r\n\r\n",
			"bad_request", 400},
		"space in a header's name": {"GET /v1/sandbox HTTP/1.1\r\nHost: localhost\r\nA b: c\r\n\r\n",
			"bad_request", 400},
		"length that is no number": {"POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: nine\r\n\r\n",
			"bad_request", 400},
		"two lengths": {"POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n" +
			"Content-Length: 2\r\n\r\n{}", "bad_request", 400},
		"unknown transfer encoding": {"POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\n" +
			"Transfer-Encoding: gzip\r\n\r\n", "bad_request", 400},
		"unknown expectation": {"POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nExpect: nonsense\r\n" +
			"Content-Length: 2\r\n\r\n{}", "bad_request", 400},
		"one header too large": {"GET /v1/sandbox HTTP/1.1\r\nHost: localhost\r\nA: " + huge + "\r\n\r\n",
			"headers_too_large", 431},
		"request line too large": {"GET /v1/sandbox?" + huge + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
			"headers_too_large", 431},
		"headers too many": {"GET /v1/sandbox HTTP/1.1\r\nHost: localhost\r\n" +
			strings.Repeat("A: b\r\n", maxHeader/3) + "\r\n", "headers_too_large", 431},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, s)
			io.WriteString(c, q.text) // the server may hang up before it has read all of it
			a := c.receive(http.MethodGet)
			if got := code(t, a); got != q.code || a.status != q.status {
				t.Errorf("got %d %s, want %d %s", a.status, got, q.status, q.code)
			}
			if !a.closes || a.length != int64(len(a.body)) || a.header.Get("Cache-Control") != "private, no-cache" {
				t.Errorf("its headers are %v", a.header)
			}
		})
	}
}

// TestAnswersOfHandlersAreNotTakenForThoseOfNetHTTP looks at an answer of a
// handler that resembles one of net/http as far as it can.
func TestAnswersOfHandlersAreNotTakenForThoseOfNetHTTP(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := dial(t, s)
	c.send("POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	a := c.receive(http.MethodPost)
	if a.status != http.StatusMethodNotAllowed || a.header.Get("Content-Type") != "text/plain; charset=utf-8" ||
		bytes.HasPrefix(a.body, []byte("{")) {
		t.Errorf("got %d %v %s", a.status, a.header, a.body)
	}
}

func TestUncleanPathsBelowTheAPIAreRefusedAndNeverRedirected(t *testing.T) {
	t.Parallel()
	s := start(t)
	for path, want := range map[string]string{
		"/v1/": "bad_request", "/v1//sandbox": "bad_request",
		"/v1/sandbox/": "bad_request", "/v1/./sandbox": "bad_request", "/v1/../v1/sandbox": "bad_request",
		"/v1/../docs": "bad_request", "/v1/%2e%2e/docs": "bad_request", "/v1/office/../sandbox": "bad_request",
		"/v1/sandbox//?api_key=secret": "bad_request", "/v1/sandbox%2f": "bad_request",
		"//v1/sandbox": "bad_request", "/x/../v1/sandbox?api_key=secret": "bad_request",
		"//docs/": "bad_request", "/docs/../openapi.json": "bad_request", "*": "bad_request",
		"/v1": "route_not_found", "/v1/nothing": "route_not_found", "/v1/Sandbox": "route_not_found",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodConnect} {
			c := dial(t, s)
			c.send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
			a := c.receive(http.MethodGet)
			if got := code(t, a); got != want || a.header.Get("Location") != "" {
				t.Errorf("%s %s: %d %s to %q, want %s", method, path, a.status, got, a.header.Get("Location"), want)
			}
			if bytes.Contains(a.body, []byte("secret")) {
				t.Errorf("%s %s repeats its query: %s", method, path, a.body)
			}
		}
	}
}

func TestHeadOfAPageIsThePageWithoutItsBody(t *testing.T) {
	t.Parallel()
	s := shared()
	for _, path := range []string{"/", "/docs/", "/openapi.json", "/healthz", "/readyz", "/nothing", "/v1/sandbox"} {
		c := dial(t, s)
		get := fmt.Sprintf("%%s %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
		c.send(fmt.Sprintf(get, http.MethodGet))
		whole := c.receive(http.MethodGet)
		// On the same connection: a body where none may be would be read as
		// the next answer.
		c.send(fmt.Sprintf(get, http.MethodHead))
		head := c.receive(http.MethodHead)
		c.send(fmt.Sprintf(get, http.MethodGet))
		next := c.receive(http.MethodGet)
		if len(whole.body) == 0 || len(head.body) != 0 || head.status != whole.status || next.status != whole.status ||
			len(next.body) != len(whole.body) {
			t.Errorf("%s: GET %d with %d bytes, HEAD %d with %d, GET again %d with %d",
				path, whole.status, len(whole.body), head.status, len(head.body), next.status, len(next.body))
		}
		for _, name := range []string{"Content-Type", "Cache-Control", "ETag", "Content-Security-Policy"} {
			if got, want := head.header.Get(name), whole.header.Get(name); got != want {
				t.Errorf("%s: HEAD has %s %q, GET %q", path, name, got, want)
			}
		}
	}
}

func TestReadinessFollowsTheStoreAndHealthDoesNot(t *testing.T) {
	t.Parallel()
	// The storage's answer counts for a moment, so each server is asked once.
	sound, broken := start(t), start(t)
	if err := broken.store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct {
		server *Server
		path   string
		status int
		body   string
	}{
		{sound, "/readyz", http.StatusOK, "ready\n"},
		{sound, "/healthz", http.StatusOK, "ok\n"},
		{broken, "/readyz", http.StatusServiceUnavailable, "the storage does not respond\n"},
		{broken, "/healthz", http.StatusOK, "ok\n"},
	} {
		c := dial(t, q.server)
		c.send("GET " + q.path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
		a := c.receive(http.MethodGet)
		if a.status != q.status || string(a.body) != q.body || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v %q, want %d %q", q.path, a.status, a.header, a.body, q.status, q.body)
		}
	}
}

// TestStoppingFinishesWhatIsUnderWayAndRefusesWhatComes holds a request half
// sent while the server is told to stop.
func TestStoppingFinishesWhatIsUnderWayAndRefusesWhatComes(t *testing.T) {
	t.Parallel()
	s := start(t)
	body := `{"preset":"starter"}`
	half := dial(t, s)
	half.send(fmt.Sprintf("POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
		"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n", len(body)))
	if line, err := half.r.ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 100") {
		t.Fatalf("the server does not ask for the body: %q %v", line, err)
	}
	if _, err := half.r.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	// Its handler now waits for the body. Stopping begins with the refusal of
	// whatever comes; soon after it no connection is read any more.
	s.api.Stop()
	late := dial(t, s)
	late.send("GET /v1/sandbox HTTP/1.1\r\nHost: localhost\r\n\r\n")
	a := late.receive(http.MethodGet)
	if got := code(t, a); a.status != http.StatusServiceUnavailable || got != "unavailable" ||
		a.header.Get("Retry-After") == "" {
		t.Errorf("a request that comes while stopping: %d %s, Retry-After %q",
			a.status, got, a.header.Get("Retry-After"))
	}

	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(context.WithoutCancel(t.Context())) }()
	late.ends() // it was idle
	testclient.Eventually(t, "the listener is closed", patience, func() bool {
		c, err := net.Dial("tcp", s.Addr().String())
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	select {
	case err := <-stopped:
		t.Fatalf("the server stopped with a request under way: %v", err)
	default:
	}
	half.send(body)
	a = half.receive(http.MethodPost)
	if a.status != http.StatusCreated {
		t.Errorf("the request under way: %d %s", a.status, a.body)
	}
	half.ends()
	if err := <-stopped; err != nil {
		t.Errorf("stop: %v", err)
	}
}

func TestStoppingWithoutHavingStartedClosesTheStore(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Database = filepath.Join(t.TempDir(), "platen.db")
	for range 2 { // the second would find the database in use
		s, err := New(t.Context(), c, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// pipes is a listener whose connections are in memory, so that time can be
// made to pass for them.
type pipes struct {
	waiting chan net.Conn
	closed  chan struct{}
}

func newPipes() *pipes { return &pipes{waiting: make(chan net.Conn), closed: make(chan struct{})} }

// Accept implements net.Listener.
func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.waiting:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *pipes) Close() error {
	close(l.closed)
	return nil
}

// Addr implements net.Listener.
func (*pipes) Addr() net.Addr { return &net.TCPAddr{} }

// connect waits until the connection is accepted.
func (l *pipes) connect() net.Conn {
	near, far := net.Pipe()
	l.waiting <- far
	return near
}

// TestSlowAndIdleConnectionsAreClosed serves with the server's own time-outs in
// a bubble where an hour takes no time.
func TestSlowAndIdleConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	settings := start(t).http
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		s := &http.Server{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				plain(w, http.StatusOK, "ok")
			}),
			ReadHeaderTimeout: settings.ReadHeaderTimeout, ReadTimeout: settings.ReadTimeout,
			IdleTimeout: settings.IdleTimeout,
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.Serve(&envelopeListener{Listener: limitConnections(l, connectionLimits{total: 10})})
		}()
		// closedAfter reads a connection to its end and says when that was.
		closedAfter := func(c net.Conn) time.Duration {
			began := time.Now()
			go func() { // the bubble would not notice a client that stalls for good
				time.AfterFunc(time.Hour, func() { c.Close() })
			}()
			io.Copy(io.Discard, c)
			return time.Since(began)
		}
		silent := l.connect()
		if took := closedAfter(silent); took != idleTimeout {
			t.Errorf("a connection that says nothing is closed after %s, want %s", took, idleTimeout)
		}
		slow := l.connect()
		io.WriteString(slow, "GET / HTTP/1.1\r\nHost: localhost\r\nA: ")
		if took := closedAfter(slow); took != headerTimeout {
			t.Errorf("headers that never end are given up after %s, want %s", took, headerTimeout)
		}
		idle := l.connect()
		go io.WriteString(idle, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if a := (&client{idle, t, bufio.NewReader(idle)}).receive(http.MethodGet); a.status != http.StatusOK {
			t.Fatal(a)
		}
		if took := closedAfter(idle); took != idleTimeout {
			t.Errorf("an idle connection is closed after %s, want %s", took, idleTimeout)
		}
		s.Close()
		<-done
	})
}

func TestConnectionsBeyondTheLimitWaitForAPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := newPipes()
		l := limitConnections(inner, connectionLimits{total: 2})
		accepted := make(chan net.Conn, 10)
		ended := make(chan error, 1)
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					ended <- err
					return
				}
				l.note(c, http.StateActive) // none of them is idle
				accepted <- c
			}
		}()
		first, second := inner.connect(), inner.connect()
		connected := make(chan net.Conn, 1)
		go func() { connected <- inner.connect() }()
		synctest.Wait()
		if len(accepted) != 2 {
			t.Fatalf("%d connections were accepted, want 2", len(accepted))
		}
		served := <-accepted
		for range 3 { // closing again gives no second place
			served.Close()
		}
		synctest.Wait()
		if len(accepted) != 2 || len(connected) != 1 {
			t.Fatalf("after one was closed %d wait in the server, want the second and the third", len(accepted))
		}
		fourth, far := net.Pipe()
		go func() {
			select {
			case inner.waiting <- far:
			case <-inner.closed:
			}
		}()
		synctest.Wait()
		if len(accepted) != 2 {
			t.Error("a fourth connection was accepted while two are open")
		}
		// A closed listener has no waiting connections.
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("accept on a closed listener: %v", err)
		}
		for _, c := range []net.Conn{first, second, <-connected, fourth, far} {
			c.Close()
		}
	})
}
