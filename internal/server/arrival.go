package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	// bodyGrace is how long a response waits for the rest of a body that no handler reads: it may be a
	// packet behind its headers, and the connection goes on then.
	bodyGrace = 20 * time.Millisecond
	// maxUnread is the most bytes of such a body that are read.
	maxUnread = 256 << 10
)

type connectionKey struct{}

// withConnection lets handlers find the connection of a request.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// prompt serves requests so that a body holds a connection only while a handler reads it (contract:
// OPEN.CONN.UNREAD): net/http would wait for the rest of it before the response, for as long as a
// body may take.
func (l *limitListener) prompt(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) > 0 || !r.ProtoAtLeast(1, 1) {
			// Where its body ends, another reader may see elsewhere (RFC 9112, 6.1).
			w.Header().Set("Connection", "close")
		}
		c, ok := r.Context().Value(connectionKey{}).(*limitConn)
		if !ok || r.Body == nil || r.Body == http.NoBody {
			if ok {
				l.arrived(c)
			}
			next.ServeHTTP(w, r)
			return
		}
		l.comes(c)
		body := &arriving{ReadCloser: r.Body, conn: c}
		p := &promptWriter{ResponseWriter: w, body: body, expects: r.Header.Get("Expect") != ""}
		r.Body = body
		next.ServeHTTP(p, r)
		p.finish()
	})
}

// comes lists a connection as one whose request is coming.
func (l *limitListener) comes(c *limitConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.list != l.coming {
		l.move(c, l.coming)
	}
	l.admit() // it can give way to one that waits
}

// arrived notes that a request has come whole. It is false for one that gave way before.
func (l *limitListener) arrived(c *limitConn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.move(c, l.busy)
}

// arriving is a body, which arrives while it is read.
type arriving struct {
	io.ReadCloser
	conn *limitConn

	mu sync.Mutex // guards the fields below: a handler may read while another part of it responds
	// whole is set once the body was read to its end, failed when that is not possible any more.
	whole, failed bool
}

// Read implements io.Reader.
func (b *arriving) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == nil {
		return n, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != io.EOF {
		b.failed = true
		return n, err //nolint:wrapcheck // handlers look at it
	}
	if !b.whole && !b.conn.listener.arrived(b.conn) {
		b.failed = true
		return 0, os.ErrDeadlineExceeded
	}
	b.whole = true
	return n, io.EOF
}

// state reports whether the body was read to its end, and whether it cannot be.
func (b *arriving) state() (whole, failed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.whole, b.failed
}

// promptWriter responds without the rest of a body.
type promptWriter struct {
	http.ResponseWriter
	body *arriving
	// expects is set for a client that sends the body when it is told to, or not at all.
	expects bool
	begun   bool
}

// Unwrap lets http.ResponseController reach the writer below.
func (w *promptWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *promptWriter) WriteHeader(status int) {
	if status >= http.StatusOK {
		w.begin()
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *promptWriter) Write(p []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(p) //nolint:wrapcheck // a writer, and nothing else
}

// begin ends the connection with the response, unless the body is there after all.
func (w *promptWriter) begin() {
	if w.begun {
		return
	}
	w.begun = true
	whole, failed := w.body.state()
	if whole {
		return
	}
	control := http.NewResponseController(w.ResponseWriter)
	if !failed && !w.expects {
		_ = control.SetReadDeadline(time.Now().Add(bodyGrace)) // a connection has one
		_, _ = io.CopyN(io.Discard, w.body, maxUnread)         // it ends as it ends
		if whole, _ = w.body.state(); whole {
			_ = control.SetReadDeadline(time.Time{})
			return
		}
	}
	_ = control.SetReadDeadline(time.Now()) // nothing more is read
	// This has net/http close the connection, but for half a second in which a client that is still
	// sending reads the response: it would lose that otherwise.
	_, _ = http.MaxBytesReader(w.ResponseWriter, io.NopCloser(strings.NewReader(" ")), 0).Read(make([]byte, 1))
}

// finish ends a response. A connection that is about to close gives way as an idle one does.
func (w *promptWriter) finish() {
	w.begin()
	if whole, _ := w.body.state(); whole {
		return
	}
	w.body.conn.listener.lingers(w.body.conn)
}
