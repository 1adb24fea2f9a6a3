package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"platen/internal/sandbox"
	"platen/internal/words/problem"
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

// Stream sends server-sent events: one for each change since the place that a
// viewer has, which the id of the last message names. It returns when the client
// leaves, it has to give way to others, the server stops or the sandbox is gone.
func (c *Console) Stream(ctx context.Context, w http.ResponseWriter, viewer *Viewer, lastID string) {
	unwatch := viewer.Sandbox.Watch()
	defer unwatch()
	s := &stream{
		console: c, viewer: viewer, cursor: cursorOf(lastID), writer: w, control: http.NewResponseController(w),
	}
	s.run(ctx)
}

// stream is a console that listens.
type stream struct {
	console *Console
	viewer  *Viewer
	cursor  cursor
	writer  http.ResponseWriter
	control *http.ResponseController
	sent    time.Time
}

// run sends changes. An error can no longer be sent as a response: the console asks again.
func (s *stream) run(ctx context.Context) {
	tick := time.NewTicker(streamTick)
	defer tick.Stop()
	for {
		v, err := s.viewer.Sandbox.View(ctx)
		if err == nil {
			err = s.viewer.Admitted(ctx)
		}
		if err == nil {
			err = s.sendChanges(ctx)
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
		case <-s.viewer.Cut:
			return
		case <-s.viewer.Stopped:
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
	case <-s.viewer.Cut:
	case <-s.viewer.Stopped:
	case <-ctx.Done():
	}
	return false
}

// sendChanges sends the changes.
func (s *stream) sendChanges(ctx context.Context) error {
	c, to, err := s.console.changes(ctx, s.cursor, s.viewer)
	if err != nil {
		return err
	}
	if to == s.cursor && c.Now.Status != sandbox.Active {
		return s.stayAlive()
	}
	s.cursor = to
	data, err := c.encode()
	if err != nil {
		return err
	}
	return s.write(fmt.Appendf(nil, "event: change\nid: %s\ndata: %s\n\n", to, data))
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
	if _, err := s.writer.Write(message); err != nil {
		return fmt.Errorf("send a message: %w", err)
	}
	if err := s.control.Flush(); err != nil {
		return fmt.Errorf("send a message: %w", err)
	}
	return nil
}
