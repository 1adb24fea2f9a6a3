package server

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"testing"

	"github.com/pires/go-proxyproto"

	"platen/internal/config"
)

// twoBudget is a server where each network may send two requests.
func twoBudget(change ...func(*config.Config)) func(*config.Config) {
	return func(c *config.Config) {
		c.AnonymousRate, c.Ban = 2, 0
		for _, set := range change {
			set(c)
		}
	}
}

const question = "GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"

// version2 is a header of the PROXY protocol's second version.
func version2(t *testing.T, address string) string {
	t.Helper()
	h := &proxyproto.Header{Version: 2, Command: proxyproto.PROXY, TransportProtocol: proxyproto.TCPv4}
	source, err := net.ResolveTCPAddr("tcp4", address+":4711")
	if err != nil {
		t.Fatal(err)
	}
	h.SourceAddr, h.DestinationAddr = source, source
	b, err := h.Format()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestTheProxyProtocolNamesTheClient(t *testing.T) {
	t.Parallel()
	s := start(t, twoBudget(func(c *config.Config) { c.ProxyProtocol = true }))
	version1 := func(address string) string { return fmt.Sprintf("PROXY TCP4 %s 10.0.0.1 4711 8080\r\n", address) }
	for _, c := range []struct {
		name, header string
		left         string
	}{
		{"version 1", version1("198.51.100.1"), "1"},
		{"version 2, the same client", version2(t, "198.51.100.1"), "0"},
		{"version 1, another client", version1("198.51.100.2"), "1"},
		{"version 2, a third client", version2(t, "198.51.100.3"), "1"},
	} {
		conn := dial(t, s)
		conn.send(c.header + question)
		a := conn.receive(http.MethodGet)
		if got := a.header.Get("X-RateLimit-Remaining"); code(t, a) != "route_not_found" || got != c.left {
			t.Errorf("%s: %d with %s left, want %s", c.name, a.status, got, c.left)
		}
	}
	// A request that is not HTTP is charged to the client too.
	conn := dial(t, s)
	conn.send(version1("198.51.100.2") + "nonsense\r\n\r\n")
	if a := conn.receive(http.MethodGet); code(t, a) != "bad_request" || a.header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("nonsense: %d %v", a.status, a.header)
	}
	for name, text := range map[string]string{
		"no header": question, "half a header": "PROXY TCP4 198.51.100.1\r\n" + question,
		"nonsense":               "PROXY UDP6 a b c d\r\n" + question,
		"a header of no version": "\r\n\r\n\x00\r\nQUIT\n\xff\xff\xff\xff" + question,
	} {
		conn := dial(t, s)
		conn.send(text)
		if b, err := conn.r.ReadByte(); err == nil {
			t.Errorf("%s: the server answers with %q", name, b)
		}
	}
}

func TestTheProxyProtocolIsBelievedOfTrustedProxiesOnly(t *testing.T) {
	t.Parallel()
	s := start(t,
		twoBudget(func(c *config.Config) { c.ProxyProtocol, c.TrustedProxy = true, []string{"192.0.2.0/24"} }))
	conn := dial(t, s)
	conn.Write([]byte("PROXY TCP4 198.51.100.1 10.0.0.1 4711 8080\r\n" + question)) // it may be closed already
	if b, err := conn.r.ReadByte(); err == nil {
		t.Errorf("the server answers with %q", b)
	}
}

func TestForwardedForIsBelievedOfTrustedProxiesOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		trusted []string
		second  string
	}{{nil, "0"}, {[]string{"127.0.0.0/8"}, "1"}} {
		s := start(t, twoBudget(func(o *config.Config) { o.TrustedProxy = c.trusted }))
		for i, want := range []string{"1", c.second} {
			conn := dial(t, s)
			conn.send(fmt.Sprintf("GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n"+
				"X-Forwarded-For: 198.51.100.%d\r\n\r\n", i))
			if got := conn.receive(http.MethodGet).header.Get("X-RateLimit-Remaining"); got != want {
				t.Errorf("trusting %v, request %d leaves %s, want %s", c.trusted, i, got, want)
			}
		}
	}
}

// TestWhatNetHTTPAnswersSpendsTheBudget: a flood of what is not even HTTP is a
// flood too.
func TestWhatNetHTTPAnswersSpendsTheBudget(t *testing.T) {
	t.Parallel()
	s := start(t, twoBudget())
	for _, want := range []string{"400 bad_request 1", "400 bad_request 0", "429 rate_limited 0"} {
		conn := dial(t, s)
		conn.send("nonsense\r\n\r\n")
		a := conn.receive(http.MethodGet)
		if got := fmt.Sprint(a.status, " ", code(t, a), " ", a.header.Get("X-RateLimit-Remaining")); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if (a.status == http.StatusTooManyRequests) != (a.header.Get("Retry-After") != "") || !a.closes ||
			!bytes.HasPrefix(a.body, []byte("{")) {
			t.Errorf("its headers are %v", a.header)
		}
	}
}

func TestImpossibleLimitsAreRefused(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*config.Config){
		"a prefix":   func(c *config.Config) { c.IPv4Prefix = 40 },
		"a network":  func(c *config.Config) { c.TrustedProxy = []string{"10.0.0.0"} },
		"an address": func(c *config.Config) { c.Valkey = "nonsense" },
		"a rate":     func(c *config.Config) { c.IPRate = config.MaxRate + 1 },
	} {
		c := config.Default()
		c.Database = t.TempDir() + "/platen.db"
		set(c)
		if _, err := New(t.Context(), c, nil); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
