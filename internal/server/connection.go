package server

import (
	"bytes"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"sync"

	"github.com/pires/go-proxyproto"

	"platen/internal/problem"
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

// answerFunc is told the first line of the request, as far as it came.
type answerFunc func(p *problem.Problem, peer, line string) (status int, header http.Header, body []byte)

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

	// line holds the bytes since the last response, to the end of their first line: a request's
	// line, or a piece of a body. Whole is set at that end. net/http reads while a handler writes.
	mu    sync.Mutex
	line  []byte
	whole bool
	head  head
}

// Read implements net.Conn.
func (c *envelopeConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.whole && n > 0 {
		line, _, ended := bytes.Cut(b[:n], []byte("\n"))
		c.line = append(c.line, line[:min(len(line), maxHeader-len(c.line))]...)
		c.whole = ended
	}
	c.head.read(b[:max(n, 0)])
	return n, err //nolint:wrapcheck // net/http looks at it
}

// head follows the headers of a request as they arrive. net/http takes a request whose body has both a length and a
// transfer encoding, and forgets the length: by which of the two a proxy goes is not known (RFC 9112, 6.3). So the
// second of them is spoilt, and net/http refuses the request. A request that is sent behind another one with a body,
// before the response to that, is not looked at.
type head struct {
	// name is the line so far, up to its colon and no longer than the names that matter; behind is set past that.
	name   []byte
	behind bool
	// begun is set behind the request's line, over behind the headers of a request with a body.
	begun, over     bool
	length, encoded bool
}

const (
	nameLength   = "content-length"
	nameEncoding = "transfer-encoding"
)

// read goes on with bytes that have arrived.
func (h *head) read(b []byte) {
	for i := 0; i < len(b) && !h.over; i++ {
		switch c := b[i]; {
		case c == '\n':
			if empty := !h.behind && len(bytes.TrimSuffix(h.name, []byte("\r"))) == 0; empty && h.begun {
				*h = head{name: h.name[:0], over: h.length || h.encoded}
				continue
			} else if !empty {
				h.begun = true
			}
			h.name, h.behind = h.name[:0], false
		case h.behind:
		case c == ':' && h.begun:
			h.length = h.length || bytes.EqualFold(h.name, []byte(nameLength))
			h.encoded = h.encoded || bytes.EqualFold(h.name, []byte(nameEncoding))
			if h.length && h.encoded {
				b[i] = 0
			}
			h.behind = true
		case len(h.name) > len(nameEncoding):
			h.behind = true
		default:
			h.name = append(h.name, c)
		}
	}
}

// ownAnswer is the beginning of a response of net/http's own. Responses of
// handlers always carry a Date and never look like this; the refusal of an
// Expect header carries one and no body.
var ownAnswer = regexp.MustCompile(`^HTTP/1\.1 (?:(\d{3})[^\r\n]*\r\nContent-Type: text/plain; ` +
	`charset=utf-8\r\nConnection: close\r\n\r\n|(417) [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n$)`)

// Write implements net.Conn.
func (c *envelopeConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	line := string(c.line)
	c.line, c.whole = nil, false
	if !bytes.HasPrefix(b, []byte("HTTP/1.1 1")) { // which comes before the body
		c.head = head{name: c.head.name[:0]}
	}
	c.mu.Unlock()
	const plausible = 512
	if len(b) > plausible || len(b) == 0 || b[0] != 'H' {
		return c.Conn.Write(b) //nolint:wrapcheck // net/http looks at it
	}
	match := ownAnswer.FindSubmatch(b)
	if match == nil {
		return c.Conn.Write(b) //nolint:wrapcheck // net/http looks at it
	}
	if _, err := c.Conn.Write(c.envelope(string(match[1])+string(match[2]), line)); err != nil {
		return 0, err //nolint:wrapcheck // net/http looks at it
	}
	return len(b), nil
}

func (c *envelopeConn) envelope(status, line string) []byte {
	p := problem.New(problem.BadRequest, "The request is not well-formed HTTP.")
	if status == strconv.Itoa(problem.Lookup(problem.HeadersTooLarge).Status) {
		p = problem.New(problem.HeadersTooLarge, "The headers are larger than %d bytes.", maxHeader)
	}
	code, header, body := c.answer(p, c.RemoteAddr().String(), line)
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
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
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
