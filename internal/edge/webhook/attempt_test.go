package webhook_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/edge/netguard"
	"platen/internal/edge/webhook"
	"platen/internal/words/event"
)

// wires is a network of pipes, so that connections live in a bubble.
type wires struct {
	connections chan net.Conn
}

func (w *wires) Accept() (net.Conn, error) {
	c, ok := <-w.connections
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (*wires) Close() error   { return nil }
func (*wires) Addr() net.Addr { return &net.UnixAddr{} }

func (w *wires) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	w.connections <- theirs
	return ours, nil
}

// sends makes one attempt through a dialer and returns what came of it.
func sends(t *testing.T, address string, dial func(context.Context, string,
	string) (net.Conn, error)) (class event.ErrorClass, status int, took time.Duration) {
	t.Helper()
	b := newBooks(t)
	seen := &observed{}
	d := webhook.NewDispatcher(webhook.Options{
		Source: b, Sealer: b.sealer, Policy: webhook.Policy{Private: true}, UserAgent: "test", Observer: seen,
		Log: slog.New(slog.DiscardHandler),
		NewTransport: func() webhook.Transport {
			transport := netguard.New(netguard.Options{Private: true}).Transport()
			if dial != nil {
				transport.DialContext = dial
			}
			return transport
		},
	})
	o := d.Send(t.Context(), b.add("sbx_1", "whk_1", address).attempt)
	if seen.classes[string(o.ErrorClass)] != 1 {
		t.Errorf("the observer saw %v, want one %q", seen.classes, o.ErrorClass)
	}
	return o.ErrorClass, o.StatusCode, o.Latency
}

// TestAReceiverHasFiveSecondsForEverything (contract: DLV.ANSWER,
// LIMIT.DELIVERY_TIMEOUT).
func TestAReceiverHasFiveSecondsForEverything(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		address string
		serve   func(net.Conn)
		class   event.ErrorClass
		took    time.Duration
	}{
		"a connection that is never made": {"http://example.com/", nil, event.ClassTimeout, 5 * time.Second},
		"a handshake that never ends": {"https://example.com/", func(c net.Conn) { io.Copy(io.Discard, c) },
			event.ClassTimeout, 5 * time.Second},
		"headers that never come": {"http://example.com/", func(c net.Conn) { io.Copy(io.Discard, c) },
			event.ClassTimeout, 5 * time.Second},
		"headers that come drop by drop": {"http://example.com/",
			drip("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1000)), event.ClassTimeout, 5 * time.Second},
		"a body that comes drop by drop": {"http://example.com/", drip("HTTP/1.1 200 OK\r\n" +
			"Content-Length: 900\r\n\r\n" + strings.Repeat("x", 900)), "", 5 * time.Second},
		"a failure whose body comes drop by drop": {"http://example.com/", drip("HTTP/1.1 503 Unavailable\r\n" +
			"Content-Length: 900\r\n\r\n" + strings.Repeat("x", 900)), event.ClassHTTP5xx, 5 * time.Second},
		"an answer in the last moment": {"http://example.com/",
			after(4999*time.Millisecond, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), "", 4999 * time.Millisecond},
		"a body that breaks off": {"http://example.com/",
			after(0, "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nxx"), "", 0},
		"nothing, and good-bye": {"http://example.com/", after(0, ""), event.ClassConnect, 0},
		"something that is not HTTP": {"http://example.com/", after(0, "220 mail ready\r\n"),
			event.ClassConnect, 0},
		"headers without end": {"http://example.com/",
			after(0, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 40<<10)), event.ClassConnect, 0},
		"plain text where TLS is wanted": {"https://example.com/", after(0, "HTTP/1.1 400 Bad Request\r\n\r\n"),
			event.ClassTLS, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var serving sync.WaitGroup
				defer serving.Wait()
				dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
					if c.serve == nil {
						<-ctx.Done()
						return nil, ctx.Err()
					}
					ours, theirs := net.Pipe()
					serving.Go(func() {
						defer theirs.Close()
						c.serve(theirs)
					})
					return ours, nil
				}
				if class, _, took := sends(t, c.address, dial); class != c.class || took != c.took {
					t.Errorf("class %q after %v, want %q after %v", class, took, c.class, c.took)
				}
			})
		})
	}
}

// drip reads a request and answers a byte every 100 milliseconds.
func drip(answer string) func(net.Conn) {
	return func(c net.Conn) {
		go io.Copy(io.Discard, c)
		for i := range answer {
			time.Sleep(100 * time.Millisecond) //nolint:forbidigo // the receiver's time, in a bubble
			if _, err := c.Write([]byte{answer[i]}); err != nil {
				return
			}
		}
	}
}

// after reads the head of a request and answers some time later.
func after(wait time.Duration, answer string) func(net.Conn) {
	return func(c net.Conn) {
		if first, err := bufio.NewReader(c).Peek(1); err == nil && first[0] == 'P' {
			go io.Copy(io.Discard, c)
		}
		time.Sleep(wait) //nolint:forbidigo // the receiver's time, in a bubble
		io.WriteString(c, answer)
	}
}

// TestAnswersAndErrorsHaveTheirClass (contract: OPEN.DLV.ERROR_CLASS,
// WHK.URL.REDIRECTS).
func TestAnswersAndErrorsHaveTheirClass(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]event.ErrorClass{
		200: "", 201: "", 204: "", 299: "", 300: event.ClassHTTP3xx, 301: event.ClassHTTP3xx, 302: event.ClassHTTP3xx,
		307: event.ClassHTTP3xx, 308: event.ClassHTTP3xx, 400: event.ClassHTTP4xx, 404: event.ClassHTTP4xx,
		410: event.ClassHTTP4xx, 429: event.ClassHTTP4xx, 500: event.ClassHTTP5xx, 503: event.ClassHTTP5xx,
		599: event.ClassHTTP5xx, 600: event.ClassHTTP5xx, 101: event.ClassHTTP5xx,
	} {
		requests := atomic.Int64{}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requests.Add(1)
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		}))
		if class, got, _ := sends(t, server.URL, nil); class != want || got != status || requests.Load() != 1 {
			t.Errorf("%d: class %q, status %d, %d requests, want the class %q",
				status, class, got, requests.Load(), want)
		}
		server.Close()
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	unknown := httptest.NewUnstartedServer(http.NotFoundHandler())
	unknown.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	unknown.StartTLS()
	defer unknown.Close()
	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11}
	old.Config.ErrorLog = unknown.Config.ErrorLog
	old.StartTLS()
	defer old.Close()
	fails := func(err error) func(context.Context, string, string) (net.Conn, error) {
		return func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: err}
		}
	}
	for _, c := range []struct {
		what, address string
		dial          func(context.Context, string, string) (net.Conn, error)
		want          event.ErrorClass
	}{
		{"nobody listens", closed.URL, nil, event.ClassConnect},
		{"the certificate is nobody's", unknown.URL, nil, event.ClassTLS},
		{"the TLS is too old", old.URL, nil, event.ClassTLS},
		{"the name does not exist", "https://example.com/", fails(&net.DNSError{Err: "no such host", IsNotFound: true}),
			event.ClassDNS},
		{"the address is refused", "https://example.com/", fails(netguard.ErrRefused), event.ClassDNS},
		{"the machine is gone", "https://example.com/", fails(errors.New("no route to host")), event.ClassConnect},
	} {
		if class, status, _ := sends(t, c.address, c.dial); class != c.want || status != 0 {
			t.Errorf("%s: class %q, status %d, want %q", c.what, class, status, c.want)
		}
	}
}

// endless is an answer that counts what is read of it.
type endless struct {
	read   int
	closed bool
}

func (e *endless) Read(b []byte) (int, error) { e.read += len(b); return len(b), nil }
func (e *endless) Close() error               { e.closed = true; return nil }

type endlessly struct{ body endless }

func (e *endlessly) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: &e.body}, nil
}
func (*endlessly) CloseIdleConnections() {}

// TestOneKilobyteOfAnAnswerIsRead (contract: DLV.ANSWER.READ).
func TestOneKilobyteOfAnAnswerIsRead(t *testing.T) {
	t.Parallel()
	b, answer := newBooks(t), &endlessly{}
	d := webhook.NewDispatcher(webhook.Options{
		Source: b, Sealer: b.sealer, Policy: webhook.Policy{Private: true}, UserAgent: "test", Observer: &observed{},
		Log: slog.New(slog.DiscardHandler), NewTransport: func() webhook.Transport { return answer },
	})
	if o := d.Send(t.Context(), b.add("sbx_1", "whk_1", "http://example.com/").attempt); o.ErrorClass != "" ||
		answer.body.read != 1024 || !answer.body.closed {
		t.Errorf("%+v after %d bytes, closed: %t", o, answer.body.read, answer.body.closed)
	}
}

// TestARequestOnTheWireIsThatOfTheContract (contract: DLV.HEADER.ID,
// DLV.HEADER.TIMESTAMP, DLV.HEADER.SIGNATURE, DLV.HEADER.SIGNATURE.ROTATION,
// DLV.HEADER.CONTENT_TYPE, DLV.HEADER.USER_AGENT, EVT.BODY.NO_SEQ).
func TestARequestOnTheWireIsThatOfTheContract(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBooks(t)
		other := "whsec_" + strings.Repeat("b2xk", 8)
		sent := b.add("sbx_1", "whk_1", "http://example.com/hook?x=1", testSecret, other)
		var wire strings.Builder
		var mu sync.Mutex
		w := &wires{connections: make(chan net.Conn, 1)}
		d := dispatcher(t, b, func() webhook.Transport {
			transport := netguard.New(netguard.Options{Private: true}).Transport()
			transport.DialContext = w.dial
			return transport
		})
		go func() {
			for c := range w.connections {
				one := make([]byte, 4096)
				for {
					n, err := c.Read(one)
					mu.Lock()
					wire.Write(one[:n])
					whole := strings.HasSuffix(wire.String(), "}}")
					mu.Unlock()
					if err != nil {
						break
					}
					if whole {
						io.WriteString(c, "HTTP/1.1 204 No Content\r\n\r\n")
					}
				}
			}
		}()
		synctest.Wait()
		body := `{"id":"evt_sbx_1_0","type":"office.payment.received","data":{"n":0}}`
		at := b.outcomesOf(sent)[0].SentAt
		signature, err := webhook.Sign([]string{testSecret, other}, "evt_sbx_1_0", at, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		want := "POST /hook?x=1 HTTP/1.1\r\nHost: example.com\r\n" +
			"User-Agent: Platen-Webhooks/1.0 (+http://127.0.0.1:8080/docs/webhooks)\r\nContent-Length: 68\r\n" +
			"Content-Type: application/json\r\nwebhook-id: evt_sbx_1_0\r\nwebhook-signature: " + signature +
			"\r\nwebhook-timestamp: 946684800\r\n\r\n" + body
		mu.Lock()
		got := wire.String()
		mu.Unlock()
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		close(w.connections)
		d.Stop(t.Context())
	})
}

// TestConnectionsAreKeptForASandboxAndSharedWithNoOther: what waits in line goes
// over the same connection; another sandbox with the same receiver has its own.
func TestConnectionsAreKeptForASandboxAndSharedWithNoOther(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	var mu sync.Mutex
	users := map[string]map[string]bool{}
	all := make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if users[r.RemoteAddr] == nil {
			users[r.RemoteAddr] = map[string]bool{}
		}
		users[r.RemoteAddr][strings.Split(r.Header.Get("webhook-id"), "_")[2]] = true
		all <- struct{}{}
	}))
	defer server.Close()
	for range 20 {
		b.add("sbx_1", "whk_1", server.URL)
		b.add("sbx_2", "whk_1", server.URL)
	}
	d := dispatcher(t, b, func() webhook.Transport { return netguard.New(netguard.Options{Private: true}).Transport() })
	for range 40 {
		<-all
	}
	if err := d.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(users) >= 40 {
		t.Errorf("40 requests took %d connections", len(users))
	}
	for connection, sandboxes := range users {
		if len(sandboxes) > 1 {
			t.Errorf("%s was used by %v", connection, sandboxes)
		}
	}
}

// TestAReceiverThatHangsUpBetweenRequestsCostsNoFailure: it closed an idle
// connection at the moment it was used again.
func TestAReceiverThatHangsUpBetweenRequestsCostsNoFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBooks(t)
		d := dispatcher(t, b, func() webhook.Transport {
			transport := netguard.New(netguard.Options{Private: true}).Transport()
			transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
				ours, theirs := net.Pipe()
				go func() {
					defer theirs.Close()
					reader := bufio.NewReader(theirs)
					request, err := http.ReadRequest(reader)
					if err != nil {
						return
					}
					io.Copy(io.Discard, request.Body)
					io.WriteString(theirs, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
					reader.Peek(1) // the next request has begun: good-bye
				}()
				return ours, nil
			}
			return transport
		})
		var sent []*delivery
		for range 40 {
			sent = append(sent, b.add("sbx_1", "whk_1", "http://example.com/"))
		}
		d.Wake("sbx_1")
		synctest.Wait()
		for i, s := range sent {
			if o := b.outcomesOf(s); len(o) != 1 || o[0].ErrorClass != "" {
				t.Errorf("delivery %d: %+v", i, o)
			}
		}
	})
}
