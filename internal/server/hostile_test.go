package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/api"
	"platen/internal/operation"
	"platen/internal/sandbox"
)

// bubble serves the API over pipes with the server's own guards. It is for
// bubbles in which an hour takes no time.
func bubble(t *testing.T, limits connectionLimits) *pipes {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	// No request reaches its store.
	registry := sandbox.NewRegistry(sandbox.Options{Log: log, Now: time.Now})
	handler, err := api.New(api.Options{Registry: registry, Origin: "http://platen.test", Log: log}, operation.Table())
	if err != nil {
		t.Fatal(err)
	}
	l := newPipes()
	limited := limitConnections(&envelopeListener{Listener: l, answer: handler.Standalone}, limits)
	s := guarded(handler, limited, log)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Serve(limited)
	}()
	t.Cleanup(func() {
		s.Close()
		<-done
		<-time.After(time.Second) // connections that were closed for a body linger
	})
	return l
}

// over is a client of a pipe.
func over(t *testing.T, c net.Conn) *client {
	t.Helper()
	return &client{c, t, bufio.NewReader(c)}
}

// TestTheTimeOfAFirstRequestBeginsWithItsFirstByte: HTTP clients open more connections than they need, and use them
// later (contract: OPEN.CONN.SILENT).
func TestTheTimeOfAFirstRequestBeginsWithItsFirstByte(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := bubble(t, connectionLimits{total: 10})
		c := over(t, l.connect())
		<-time.After(idleTimeout - time.Millisecond)
		c.send("P")
		<-time.After(headerTimeout - time.Millisecond)
		c.send("OST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
			"Content-Length: 2\r\n\r\n[")
		<-time.After(readTimeout - headerTimeout)
		c.send("]")
		if a := c.receive(http.MethodPost); a.status != http.StatusBadRequest {
			t.Errorf("a body within its time is %d", a.status)
		}
		c.send("GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if a := c.receive(http.MethodGet); a.status != http.StatusNotFound {
			t.Errorf("the next request is %d", a.status)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		l := bubble(t, connectionLimits{total: 10})
		c := over(t, l.connect())
		<-time.After(idleTimeout / 2)
		began := time.Now()
		c.send("GET / HTTP/1.1\r\nHost: localhost\r\nA: ")
		io.Copy(io.Discard, c)
		if took := time.Since(began); took != headerTimeout {
			t.Errorf("headers that never end are given up after %s, want %s", took, headerTimeout)
		}
	})
}

func TestABodyThatDoesNotArriveIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := bubble(t, connectionLimits{total: 10})
		began := time.Now()
		c := over(t, l.connect())
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			io.WriteString(c, "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
				"Content-Length: 30\r\n\r\n")
			for range 29 { // a byte now and then is no progress
				if _, err := io.WriteString(c, " "); err != nil {
					return
				}
				<-time.After(readTimeout / 10)
			}
		}()
		a := c.receive(http.MethodPost)
		if got := code(t, a); a.status != http.StatusRequestTimeout || got != "request_timeout" || !a.closes {
			t.Errorf("got %d %s, closing %t", a.status, got, a.closes)
		}
		if took := time.Since(began); took != readTimeout {
			t.Errorf("that took %s, want %s", took, readTimeout)
		}
		c.ends()
		<-sent
	})
}

func TestAClientThatDoesNotReadIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := bubble(t, connectionLimits{total: 1})
		began := time.Now()
		deaf := l.connect()
		io.WriteString(deaf, "GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
		synctest.Wait()
		<-time.After(writeTimeout - time.Millisecond)
		if n := standing(t, []net.Conn{deaf}); n != 1 {
			t.Errorf("it was given up before %s", time.Since(began))
		}
		<-time.After(2 * time.Millisecond)
		if n := standing(t, []net.Conn{deaf}); n != 0 {
			t.Errorf("after %s it is not given up", time.Since(began))
		}
		deaf.Close()
	})
}

// TestAClientThatDoesNotReadGivesWay is the proof of OPEN.CONN.STUCK. When all places are taken, the one that has not
// read its response for longest is closed for a newcomer, and none that is served in time.
func TestAClientThatDoesNotReadGivesWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ended []string
		l := bubble(t, connectionLimits{total: 3, ended: func(reason string) { ended = append(ended, reason) }})
		var deaf []net.Conn
		for range 3 {
			c := l.connect()
			io.WriteString(c, "GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
			synctest.Wait()
			<-time.After(stuckTime / 10)
			deaf = append(deaf, c)
		}
		began := time.Now()
		c := l.connect()
		asks(t, c)
		if took := time.Since(began); took > stuckTime {
			t.Errorf("a newcomer waits for %s", took)
		}
		if n := standing(t, deaf[1:]); n != 2 || standing(t, deaf[:1]) != 0 || !slices.Equal(ended, []string{unread}) {
			t.Errorf("%d of the younger two stand, closed for %v", n, ended)
		}
		for _, c := range append(deaf, c) {
			c.Close()
		}
	})
}

// closeWrite says that nothing more will be sent, and goes on reading.
func (c *client) closeWrite() {
	c.t.Helper()
	if err := c.Conn.(*net.TCPConn).CloseWrite(); err != nil {
		c.t.Fatal(err)
	}
}

func TestHalfClosedConnectionsAreAnswered(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, q := range map[string]struct {
		text   string
		status int
		code   string
	}{
		"after a request": {"GET /v1/sandbox HTTP/1.1\r\nHost: localhost\r\n\r\n", 401, "unauthorized"},
		"after a request with body": {"POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\n" +
			"Content-Type: application/json\r\nContent-Length: 3\r\n\r\n{}}", 400, "invalid_json"},
		"within the headers": {"GET /v1/sandbox HTTP/1.1\r\nHost: localhost\r\nA: ", 400, "bad_request"},
		"within the body": {"POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\n" +
			"Content-Type: application/json\r\nContent-Length: 30\r\n\r\n{}", 400, "bad_request"},
		"within a chunk": {"POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\n" +
			"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{}", 400, "bad_request"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, s)
			c.send(q.text)
			c.closeWrite()
			a := c.receive(http.MethodGet)
			if got := code(t, a); a.status != q.status || got != q.code {
				t.Errorf("got %d %s, want %d %s", a.status, got, q.status, q.code)
			}
			c.ends()
		})
	}
	// The archive of requests is whole, though it is written piece by piece.
	key := create(t, s).OfficeKey
	for range 200 {
		fetch(t, http.MethodGet, s.BaseURL()+"/sandbox", key, "")
	}
	for range 20 {
		c := dial(t, s)
		c.send("GET /v1/requests.har HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key + "\r\n\r\n")
		c.closeWrite()
		if a := c.receive(http.MethodGet); a.status != http.StatusOK || !json.Valid(a.body) {
			t.Fatalf("the archive ends with %.80q", a.body[max(0, len(a.body)-80):])
		}
	}
	// A client that sends nothing gets no response.
	c := dial(t, s)
	c.closeWrite()
	c.ends()
}

func TestPipelinedRequestsAreAnsweredInTurnAndGarbageEndsThem(t *testing.T) {
	t.Parallel()
	s := start(t)
	const good = "GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for name, garbage := range map[string]string{
		"nonsense":         "nonsense\r\n\r\n",
		"zeros":            strings.Repeat("\x00", 500) + "\r\n\r\n",
		"another protocol": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
		"HTTP/2":           "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, s)
			c.send(good + good + good + garbage + good)
			for i := range 3 {
				if got := code(t, c.receive(http.MethodGet)); got != "route_not_found" {
					t.Errorf("request %d is answered with %s", i, got)
				}
			}
			a := c.receive(http.MethodGet)
			if got := code(t, a); got != "bad_request" || !a.closes {
				t.Errorf("the garbage is answered with %d %s, closing %t", a.status, got, a.closes)
			}
			c.ends() // requests after the garbage are not read
		})
	}
}

// TestNoRequestHidesInTheBodyOfAnother sends lengths that two readers could
// understand differently.
func TestNoRequestHidesInTheBodyOfAnother(t *testing.T) {
	t.Parallel()
	s := start(t)
	hidden := "GET /v1/hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for name, text := range map[string]string{
		"two lengths": "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n" +
			"Content-Length: %[1]d\r\n\r\n%[2]s",
		"a length with a sign": "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\n" +
			"Content-Length: +%[1]d\r\n\r\n%[2]s",
		"a length of two numbers": "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\n" +
			"Content-Length: 0, %[1]d\r\n\r\n%[2]s",
		"two encodings": "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\n" +
			"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n%[2]s",
		"an encoding in disguise": "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\n" +
			"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n%[2]s",
		"a space before the colon": "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\n" +
			"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n%[2]s",
		"a folded header": "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nA: b\r\n" +
			" Transfer-Encoding: chunked\r\nContent-Length: \r\n\r\n0\r\n\r\n%[2]s",
		"a chunk of no size": "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\n" +
			"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n%[2]s",
		"a huge chunk": "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\n" +
			"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n%[2]s",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, s)
			c.send(fmt.Sprintf(text, len(hidden), hidden))
			answers, err := io.ReadAll(c.r)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(answers, []byte("HTTP/1.1 ")); n != 1 ||
				!bytes.HasPrefix(answers, []byte("HTTP/1.1 400 ")) || bytes.Contains(answers, []byte("/v1/hidden")) {
				t.Errorf("%d answers: %s", n, answers)
			}
		})
	}
}

// TestARequestWithAnEncodingIsTheLastOfItsConnection, and so is one of HTTP/1.0 (OPEN.CONN.LAST): where its body ends,
// a proxy before the server may see elsewhere. It does not matter whether other requests came before it, or how it is
// cut in pieces.
func TestARequestWithAnEncodingIsTheLastOfItsConnection(t *testing.T) {
	t.Parallel()
	s := start(t)
	const hidden = "GET /v1/hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"
	const before = "POST /v1/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{x"
	for name, q := range map[string]struct {
		text    string
		answers int
	}{
		"an encoding": {"POST /v1/nothing HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" +
			"2\r\n{}\r\n0\r\n\r\n", 1},
		"an encoding and a length": {"POST /v1/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n" +
			"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 1},
		"both in a pipeline": {before + "POST /v1/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n" +
			"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 2},
		"HTTP/1.0": {"POST /v1/nothing HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n" +
			"0\r\n\r\n", 1},
		"HTTP/1.0 with a length": {"POST /v1/nothing HTTP/1.0\r\nConnection: keep-alive\r\n" +
			"Content-Length: 0\r\n\r\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for cut := 1; cut < len(q.text); cut += 7 {
				c := dial(t, s)
				c.send(q.text[:cut])
				c.send(q.text[cut:] + hidden)
				answers, err := io.ReadAll(c.r)
				if err != nil {
					t.Fatal(err)
				}
				hides := bytes.Contains(answers, []byte("/v1/hidden"))
				if n := bytes.Count(answers, []byte("HTTP/1.")); n != q.answers || hides ||
					bytes.Count(answers, []byte("Connection: close")) != 1 {
					t.Fatalf("cut behind %q there are %d answers: %s", q.text[:cut], n, answers)
				}
			}
		})
	}
}
