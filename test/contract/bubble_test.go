package contract

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/config"
	"platen/internal/server"
	"platen/platentest"
)

// bubbles are the networks of the tests that run in one, by their testing.T.
var bubbles sync.Map

// inBubble runs a test in a bubble of package synctest: a wait takes as long as it says and
// no time. The servers and receivers that it makes are its own, on a network in memory.
// Whatever else uses a socket stops the clock, and so does a subtest. With
// PLATEN_TEST_SCHEDULE the test runs on the wall clock, as make check does with some.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	if os.Getenv("PLATEN_TEST_SCHEDULE") != "" {
		test(t)
		return
	}
	synctest.Test(t, func(t *testing.T) {
		w := &wire{listeners: map[string]*pipes{}}
		w.client = &http.Client{
			Transport:     &http.Transport{DialContext: w.dial, MaxIdleConnsPerHost: 64, DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		bubbles.Store(t, w)
		t.Cleanup(func() { bubbles.Delete(t) })
		test(t)
	})
}

// wireOf is the network of a test in a bubble, nil for one outside.
func wireOf(t testing.TB) *wire {
	if s, ok := t.(*stage); ok {
		t = s.TB
	}
	w, _ := bubbles.Load(t)
	found, _ := w.(*wire)
	return found
}

// wire is a network in memory.
type wire struct {
	client *http.Client

	mutex     sync.Mutex // guards listeners
	listeners map[string]*pipes
}

// start is platentest.Start on the wire.
func (w *wire) start(t testing.TB, change ...map[string]string) *platentest.Platen {
	t.Helper()
	c := config.Default()
	settings := append([]map[string]string{{
		"listen": "127.0.0.1:0", "database": filepath.Join(t.TempDir(), "platen.db"), "ip-active": "0",
		"ip-creations": "0", "key-rate": "0", "ip-rate": "0", "anonymous-rate": "0", "page-rate": "0",
		"tick-pause": "0s",
	}}, change...)
	for _, set := range settings {
		for _, f := range c.Fields() {
			if text, ok := set[f.Name]; ok {
				if err := f.Set(text); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	s, err := server.New(t.Context(), c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s.Use(server.Net{Listen: w.listen, Dial: w.dial})
	t.Cleanup(func() {
		w.client.CloseIdleConnections()
		if err := s.Stop(context.Background()); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &platentest.Platen{Origin: s.Origin(), BaseURL: s.BaseURL()}
}

// receive starts a server of a test's own.
func (w *wire) receive(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	if err := s.Listener.Close(); err != nil { // that of a socket
		t.Fatal(err)
	}
	listener, err := w.listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Listener = listener
	s.Start()
	return s
}

func (w *wire) listen(_ context.Context, _, address string) (net.Listener, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if address == "127.0.0.1:0" {
		const first = 1024
		address = net.JoinHostPort("127.0.0.1", strconv.Itoa(first+len(w.listeners)))
	}
	l := &pipes{address: address, dialled: make(chan net.Conn), closed: make(chan struct{})}
	w.listeners[address] = l
	return l, nil
}

func (w *wire) dial(ctx context.Context, _, address string) (net.Conn, error) {
	w.mutex.Lock()
	l := w.listeners[address]
	w.mutex.Unlock()
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	if l == nil {
		return nil, refused
	}
	client, served := net.Pipe()
	select {
	case l.dialled <- &pipe{served, address}:
		return &pipe{client, address}, nil
	case <-l.closed:
		return nil, refused
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pipes is the listener of an address on a wire.
type pipes struct {
	address string
	dialled chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.dialled:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipes) Addr() net.Addr { return addressOf(l.address) }

// pipe is an end of a connection on a wire.
type pipe struct {
	net.Conn

	listener string
}

func (p *pipe) LocalAddr() net.Addr  { return addressOf(p.listener) }
func (p *pipe) RemoteAddr() net.Addr { return addressOf("127.0.0.1:1") }

func addressOf(text string) net.Addr {
	address, err := net.ResolveTCPAddr("tcp", text)
	if err != nil {
		panic(err)
	}
	return address
}

// TestTimePassesInAMomentInABubble: the clock of a server in a bubble is the bubble's.
func TestTimePassesInAMomentInABubble(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		n := serve(t).create(t, `{"clock":"manual"}`)
		before := moment(t, n.get("/sandbox").Meta()["server_time"])
		waitUntil(t, time.Now().Add(time.Minute))
		after := moment(t, n.get("/sandbox").Meta()["server_time"])
		if passed := after.Sub(before); passed < 59*time.Second || passed > 61*time.Second {
			t.Errorf("%v have passed, want a minute", passed)
		}
	})
}
