package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"platen/internal/problem"
	"platen/internal/sandbox"
)

const (
	// streamPace is the least time between two messages: a page draws no faster.
	streamPace = 200 * time.Millisecond
	// streamTick is the interval at which a viewer is sent the time, and the
	// requests of clients, which change nothing in the company.
	streamTick = time.Second
	// keepAlive is the interval at which something is sent though nothing has
	// changed.
	keepAlive = 15 * time.Second
	// streamPatience is how long one message may take on its way.
	streamPatience = 10 * time.Second
)

// consoleState sends everything that the console shows at first.
func consoleState(x *exchange, o *viewer) error {
	c, _, err := x.changes(x.r.Context(), cursor{}, o)
	if err != nil {
		return err
	}
	body := encode(c)
	h := x.w.Header()
	x.secret = true
	if takesGzip(x.r) {
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		_, err := z.Write(body)
		if err = errors.Join(err, z.Close()); err != nil {
			return fmt.Errorf("compress the state: %w", err)
		}
		h.Set("Content-Encoding", "gzip")
		body = zipped.Bytes()
	}
	x.send(http.StatusOK, contentJSON, body)
	return nil
}

// consoleStream sends server-sent events: one for each change since the place
// that Last-Event-ID names, as long as both sides are there.
func consoleStream(x *exchange, o *viewer) error {
	leave, err := x.server.console.enter(x.caller.SandboxID, x.now.Time())
	if err != nil {
		return err
	}
	defer leave()
	x.secret = true
	s := &stream{
		exchange: x, viewer: o, cursor: cursorOf(x.r.Header.Get("Last-Event-ID")),
		control: http.NewResponseController(x.w),
	}
	h := x.headers()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // proxies that hold responses back would make it useless
	x.note(http.StatusOK)
	x.w.WriteHeader(http.StatusOK)
	unwatch := x.sandbox.Watch()
	defer unwatch()
	s.run(x.r.Context())
	return nil
}

// stream is a console that listens.
type stream struct {
	*exchange
	viewer  *viewer
	cursor  cursor
	control *http.ResponseController
	sent    time.Time
}

// run sends changes until the client leaves, the server stops or the sandbox is
// gone. An error can no longer be sent as a response: the console asks again.
func (s *stream) run(ctx context.Context) {
	tick := time.NewTicker(streamTick)
	defer tick.Stop()
	for {
		v, err := s.sandbox.View(ctx, 0)
		if err == nil {
			err = s.stillKnown(ctx)
		}
		if err == nil {
			err = s.tell(ctx)
		}
		if err != nil {
			s.close(err)
			return
		}
		select {
		case <-v.Changed():
			if !s.rest(ctx) {
				return
			}
		case <-tick.C:
		case <-s.server.stopped:
			return
		case <-ctx.Done():
			return
		}
	}
}

// rest waits until the next message may be sent.
func (s *stream) rest(ctx context.Context) bool {
	timer := time.NewTimer(streamPace)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.server.stopped:
	case <-ctx.Done():
	}
	return false
}

// tell sends the changes.
func (s *stream) tell(ctx context.Context) error {
	c, to, err := s.changes(ctx, s.cursor, s.viewer)
	if err != nil {
		return err
	}
	if to == s.cursor && c.Now.Status != sandbox.Active {
		return s.stayAlive()
	}
	s.cursor = to
	return s.write(fmt.Appendf(nil, "event: change\nid: %s\ndata: %s\n\n", to, encode(c)))
}

// stayAlive keeps proxies on the way from taking the connection for dead.
func (s *stream) stayAlive() error {
	if time.Since(s.sent) < keepAlive {
		return nil
	}
	return s.write([]byte(": keep-alive\n\n"))
}

// close tells the console that its sandbox is gone, or its key revoked.
func (s *stream) close(err error) {
	if p, ok := errors.AsType[*problem.Problem](err); ok && p.Code == problem.Unauthorized {
		s.write([]byte("event: gone\ndata: {}\n\n")) //nolint:errcheck // it is over either way
	}
}

// write sends one message, past the time limit of ordinary responses.
func (s *stream) write(message []byte) error {
	s.sent = time.Now()
	if err := s.control.SetWriteDeadline(s.sent.Add(streamPatience)); err != nil &&
		!errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("give a message its time: %w", err)
	}
	if _, err := s.w.Write(message); err != nil {
		return fmt.Errorf("send a message: %w", err)
	}
	if err := s.control.Flush(); err != nil {
		return fmt.Errorf("send a message: %w", err)
	}
	return nil
}
