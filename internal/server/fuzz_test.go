package server

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"platen/internal/config"
	"platen/internal/edge/network"
	"platen/internal/words/problem"
)

// pipe is a connection that has sent something already, and keeps what is
// written to it.
type pipe struct {
	net.Conn

	sent    io.Reader
	written bytes.Buffer
}

// Read implements io.Reader: without a text to send, it is at its end.
func (p *pipe) Read(b []byte) (int, error) {
	if p.sent == nil {
		return 0, io.EOF
	}
	return p.sent.Read(b)
}
func (p *pipe) Write(b []byte) (int, error) { return p.written.Write(b) }

func (*pipe) Close() error                     { return nil }
func (*pipe) SetDeadline(time.Time) error      { return nil }
func (*pipe) SetReadDeadline(time.Time) error  { return nil }
func (*pipe) SetWriteDeadline(time.Time) error { return nil }
func (*pipe) LocalAddr() net.Addr              { return &net.TCPAddr{IP: net.IPv4(10, 0, 0, 2), Port: 8080} }
func (*pipe) RemoteAddr() net.Addr             { return &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 4711} }

// one is a listener with one connection.
type one struct {
	net.Listener

	conn net.Conn
}

func (o *one) Accept() (net.Conn, error) {
	if o.conn == nil {
		return nil, net.ErrClosed
	}
	c := o.conn
	o.conn = nil
	return c, nil
}

// FuzzProxyProtocol: a connection is read only behind a header, which is taken
// off it whole; what comes after is as it was sent, and the peer has an address
// that limits can be kept for. From a peer that is not trusted nothing is read.
func FuzzProxyProtocol(f *testing.F) {
	v2 := string([]byte{13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10, 0x21, 0x11, 0, 12, 198, 51, 100, 1, 10, 0, 0, 1,
		18, 103, 31, 144})
	for _, seed := range []string{
		"", "PROXY TCP4 198.51.100.1 10.0.0.1 4711 8080\r\n", "PROXY TCP6 2001:db8::1 ::1 4711 8080\r\n",
		"PROXY UNKNOWN\r\n", "PROXY TCP4 198.51.100.1\r\n", "PROXY TCP4 ::1 ::1 1 1\r\n",
		"PROXY TCP4 198.51.100.1 10.0.0.1 99999 1\r\n", "GET / HTTP/1.1\r\n",
		v2, v2[:20], strings.Replace(v2, "\x21\x11", "\x20\x00", 1), strings.Replace(v2, "\x21\x11", "\x21\x31", 1),
		strings.Repeat("P", 5000),
	} {
		f.Add(seed)
	}
	rules := func(trusted string) *Server {
		networks, err := network.ParseNetworks([]string{trusted})
		if err != nil {
			f.Fatal(err)
		}
		n, err := network.New(network.Options{
			Trusted: networks, IPv4Bits: network.IPv4Bits, IPv6Bits: network.IPv6Bits,
		})
		if err != nil {
			f.Fatal(err)
		}
		return &Server{config: &config.Config{ProxyProtocol: true, TrustedProxy: []string{trusted}}, network: n}
	}
	trusting, wary := rules("10.0.0.0/8"), rules("192.0.2.0/24")
	const request = "GET /v1/sandbox HTTP/1.1\r\n\r\n"
	f.Fuzz(func(t *testing.T, header string) {
		conn, err := trusting.proxied(&one{conn: &pipe{sent: strings.NewReader(header + request)}}).Accept()
		if err != nil {
			t.Fatalf("%q: %v", header, err)
		}
		read, err := io.ReadAll(conn)
		if err == nil && !strings.HasSuffix(header+request, string(read)) {
			t.Errorf("%q: behind the header is read %q", header, read)
		}
		if err == nil && !strings.HasPrefix(header+request, "PROXY ") && !strings.HasPrefix(header+request, v2[:12]) {
			t.Errorf("%q is read without a header: %q", header, read)
		}
		if err == nil && len(read) == len(header+request) {
			t.Errorf("%q is read with its header", header)
		}
		// A listener goes on with the next connection when it refuses one.
		refused, err := wary.proxied(&one{conn: &pipe{sent: strings.NewReader(header + request)}}).Accept()
		if err == nil {
			if read, err := io.ReadAll(refused); err == nil && len(read) > 0 {
				t.Errorf("%q is read from a peer that is not trusted: %q", header, read)
			}
		}
	})
}

// FuzzOwnAnswer: what a handler writes goes out as it is, and what net/http
// writes by itself becomes an envelope.
func FuzzOwnAnswer(f *testing.F) {
	for _, seed := range []string{
		"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n" +
			"400 Bad Request", "HTTP/1.1 417 Expectation Failed\r\nDate: x\r\n\r\n",
		"HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: text/plain; charset=utf-8\r\n" +
			"Connection: close\r\n\r\nx", "HTTP/1.1 200 OK\r\nDate: x\r\n\r\n{}", "", "H",
		"HTTP/1.1 999 x\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	envelope := []byte("{}")
	f.Fuzz(func(t *testing.T, written []byte) {
		p := &pipe{}
		c := &envelopeConn{Conn: p, answer: func(p *problem.Problem, _ string, _ []string) (int, http.Header, []byte) {
			return problem.Lookup(p.Code).Status, http.Header{"Content-Type": {"application/json"}}, envelope
		}}
		if n, err := c.Write(written); n != len(written) || err != nil {
			t.Errorf("%q: %d are written, %v", written, n, err)
		}
		if bytes.Equal(p.written.Bytes(), written) {
			return
		}
		head, body, _ := bytes.Cut(p.written.Bytes(), []byte("\r\n\r\n"))
		own := bytes.HasPrefix(written, []byte("HTTP/1.1 ")) &&
			(bytes.Contains(written, []byte("text/plain")) || bytes.HasPrefix(written, []byte("HTTP/1.1 417 ")))
		if !own || !bytes.Equal(body, envelope) || !bytes.Contains(head, []byte("Connection: close")) ||
			!bytes.HasPrefix(head, []byte("HTTP/1.1 4")) {
			t.Errorf("%q goes out as %q", written, p.written.Bytes())
		}
	})
}
