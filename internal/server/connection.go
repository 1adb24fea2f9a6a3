package server

import (
	"bytes"
	"container/list"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pires/go-proxyproto"

	"platen/internal/api"
	"platen/internal/words/problem"
)

// envelopeListener makes the responses that net/http writes on its own, before
// any handler runs, envelopes like all others: it writes them to the connection
// as one piece of plain text of a fixed form, which is recognised here and
// replaced (contract: ENV.JSON).
type envelopeListener struct {
	net.Listener
	// answer renders the refusal of a request from a peer.
	answer answerFunc
}

// answerFunc is told the keys in the line of the request, as far as it came.
type answerFunc func(p *problem.Problem, peer string, keys []string) (status int, header http.Header, body []byte)

// Accept implements net.Listener.
func (l *envelopeListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err //nolint:wrapcheck // net/http looks at it
	}
	return &envelopeConn{Conn: c, answer: l.answer}, nil
}

type envelopeConn struct {
	net.Conn
	answer answerFunc

	// line is the first since the last response: a request's line, or a piece of a body. net/http reads while a
	// handler writes.
	mu   sync.Mutex
	line api.Line
}

// Read implements net.Conn.
func (c *envelopeConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.line.Add(b[:max(n, 0)])
	return n, err //nolint:wrapcheck // net/http looks at it
}

// ownAnswer is the beginning of a response of net/http's own. Responses of
// handlers always carry a Date and never look like this; the refusal of an
// Expect header carries one and no body.
var ownAnswer = regexp.MustCompile(`^HTTP/1\.1 (?:(\d{3})[^\r\n]*\r\nContent-Type: text/plain; ` +
	`charset=utf-8\r\nConnection: close\r\n\r\n|(417) [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n$)`)

// Write implements net.Conn.
func (c *envelopeConn) Write(b []byte) (int, error) {
	const plausible = 512
	var match [][]byte
	if len(b) > 0 && len(b) <= plausible && b[0] == 'H' {
		match = ownAnswer.FindSubmatch(b)
	}
	if match != nil {
		c.readOn()
	}
	c.mu.Lock()
	var keys []string
	if match != nil {
		keys = c.line.Keys()
	}
	c.line.Reset()
	c.mu.Unlock()
	if match == nil {
		return c.Conn.Write(b) //nolint:wrapcheck // net/http looks at it
	}
	if _, err := c.Conn.Write(c.envelope(string(match[1])+string(match[2]), keys)); err != nil {
		return 0, err //nolint:wrapcheck // net/http looks at it
	}
	return len(b), nil
}

const (
	// maxLine is how much of a line is read for the keys in it, behind where net/http has stopped, and lineTime how
	// long that may take.
	maxLine  = 64 << 10
	lineTime = 100 * time.Millisecond
)

// readOn reads the rest of a line that net/http has refused (contract: OPEN.AUTH.KEY_IN_URL.MALFORMED).
func (c *envelopeConn) readOn() {
	if c.lineIsWhole() {
		return
	}
	_ = c.Conn.SetReadDeadline(time.Now().Add(lineTime)) // nothing else is read of this connection
	piece := make([]byte, pieceBytes)
	for n := 0; n < maxLine && !c.lineIsWhole(); {
		read, err := c.Read(piece)
		if err != nil {
			return
		}
		n += read
	}
}

func (c *envelopeConn) lineIsWhole() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.line.Whole()
}

// pieceBytes is how much of such a line is read at once.
const pieceBytes = 4 << 10

func (c *envelopeConn) envelope(status string, keys []string) []byte {
	p := problem.New(problem.BadRequest, "The request is not well-formed HTTP.")
	if status == strconv.Itoa(problem.Lookup(problem.HeadersTooLarge).Status) {
		p = problem.New(problem.HeadersTooLarge, "The headers are larger than %d bytes.", maxHeader)
	}
	code, header, body := c.answer(p, c.RemoteAddr().String(), keys)
	header.Set("Connection", "close")
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", code, http.StatusText(code))
	_ = header.Write(&b) // a buffer takes everything
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}

// guarded serves a listener with the guards against slow and greedy clients.
func guarded(handler http.Handler, l *limitListener, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: l.prompt(handler), ConnState: l.note, ConnContext: withConnection,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader - headerSlop,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// proxied reads the client's address from the PROXY protocol, in either of its
// versions. A connection that does not begin with it is closed, and so is one
// that does not come from a trusted proxy, when some are named: any client
// could write such a header.
func (s *Server) proxied(l net.Listener) net.Listener {
	if !s.config.ProxyProtocol {
		return l
	}
	return &proxyproto.Listener{
		Listener: l, ReadHeaderTimeout: headerTimeout,
		ConnPolicy: func(o proxyproto.ConnPolicyOptions) (proxyproto.Policy, error) {
			if len(s.config.TrustedProxy) > 0 && !s.network.Trusts(o.Upstream.String()) {
				return proxyproto.REJECT, proxyproto.ErrInvalidUpstream
			}
			return proxyproto.REQUIRE, nil
		},
	}
}

// limitConn is a connection with a place.
type limitConn struct {
	net.Conn
	listener *limitListener
	// waits is whether it has no request under way, and reading whether the server has begun to read, for those who do
	// not hold the lock.
	waits, reading atomic.Bool
	// writing is when the write under way began, in nanoseconds since 1970, 0 for none. shared is set while its request
	// holds a share of the memory.
	writing atomic.Int64
	shared  atomic.Bool
	// abandoned is set when its client has not read what was sent.
	abandoned atomic.Bool
	// opened is when the connection came, and silent is set until its first byte. silence is how long that took, until
	// the time for the first request has been moved by it.
	opened  time.Time
	silent  atomic.Bool
	silence atomic.Int64

	// The listener's lock guards the fields below.
	// list is the one that it is in, nil for none, place its place in it, since when it came there.
	list  *list.List
	place *list.Element
	since time.Time
	// shares are those that it counts for.
	shares []share
	// placed and released are whether it has, and whether it had, a place.
	placed, released bool
}

// home is the block of a connection, or its network group where there is none, and the zero share of one that counts
// for no group. The listener's lock is held.
func (c *limitConn) home() share {
	if len(c.shares) == 0 {
		return share{}
	}
	return c.shares[len(c.shares)-1]
}

// Read implements net.Conn. With its first byte a request is coming.
func (c *limitConn) Read(b []byte) (int, error) {
	if !c.reading.Load() {
		c.listener.mu.Lock()
		c.reading.Store(true)
		c.listener.move(c, c.list) // it waits for its client from now on
		c.listener.mu.Unlock()
	}
	n, err := c.Conn.Read(b)
	if n > 0 && c.silent.Load() {
		c.begin()
	}
	if n > 0 && c.waits.Load() {
		c.listener.mu.Lock()
		c.listener.move(c, c.listener.coming)
		c.listener.mu.Unlock()
	}
	return n, err //nolint:wrapcheck // net/http looks at it
}

// begin starts the time for the first request.
func (c *limitConn) begin() {
	c.silence.Store(int64(time.Since(c.opened)))
	c.silent.Store(false)
	_ = c.Conn.SetReadDeadline(time.Now().Add(headerTimeout)) // a connection has one
}

// SetReadDeadline implements net.Conn. Until its first byte a connection is as idle as one between two requests
// (contract: OPEN.CONN.SILENT): clients open more than they need, and keep those for later. net/http counts the time
// for the first request from when the connection came.
func (c *limitConn) SetReadDeadline(t time.Time) error {
	switch {
	case c.silent.Load() && t.After(c.opened):
		t = c.opened.Add(idleTimeout)
	case !t.IsZero():
		t = t.Add(time.Duration(c.silence.Swap(0)))
	}
	return c.Conn.SetReadDeadline(t) //nolint:wrapcheck // net/http looks at it
}

// Write implements net.Conn.
func (c *limitConn) Write(b []byte) (int, error) {
	c.writing.Store(time.Now().UnixNano())
	defer c.writing.Store(0)
	n, err := c.Conn.Write(b)
	if err != nil {
		c.abandoned.Store(true)
	}
	return n, err //nolint:wrapcheck // net/http looks at it
}

// Close implements net.Conn.
func (c *limitConn) Close() error {
	l := c.listener
	l.mu.Lock()
	l.release(c)
	l.admit()
	l.mu.Unlock()
	return c.hangUp()
}

// hangUp closes the connection. What an abandoned one still has for its client goes with it: the kernel would keep that
// for minutes.
func (c *limitConn) hangUp() error {
	if tcp := tcpOf(c.Conn); tcp != nil && c.abandoned.Load() {
		_ = tcp.SetLinger(0)
	}
	return c.Conn.Close() //nolint:wrapcheck // net/http looks at it
}
