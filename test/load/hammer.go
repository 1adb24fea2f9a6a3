package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"
)

const (
	// answerTime is how long an answer may take before a run fails.
	answerTime = 10 * time.Second
	// answerBuffer takes the answers of most reads whole.
	answerBuffer = 64 << 10
)

// A hammer sends requests over kept-alive connections, on each the next when
// the last was answered. It speaks HTTP by itself, with ready-made bytes: what
// it costs is not to hide what the server costs.
type hammer struct {
	address     string
	connections int
	// status is what every answer must have.
	status int
	// request returns the n-th request of a connection, nil when it has no
	// more. It is valid until the next call.
	request func(connection, n int) []byte
}

// always is a request that never changes.
func always(request []byte) func(int, int) []byte {
	return func(int, int) []byte { return request }
}

// tally is what a run came to.
type tally struct {
	requests int
	elapsed  time.Duration
}

func (t tally) rate() float64 { return float64(t.requests) / t.elapsed.Seconds() }

// run hammers for a while, or until all connections have no more to ask. The
// first request of each connection is a warm-up that does not count.
func (h *hammer) run(ctx context.Context, length time.Duration) (tally, error) {
	lines := make([]*line, h.connections)
	for i := range lines {
		conn, err := (&net.Dialer{Timeout: answerTime}).DialContext(ctx, "tcp", h.address)
		if err != nil {
			return tally{}, fmt.Errorf("connect: %w", err)
		}
		lines[i] = &line{conn: conn, buffer: make([]byte, answerBuffer)}
		defer conn.Close() //nolint:revive // a handful of connections, all open until the run ends
		if err := conn.SetDeadline(time.Now().Add(length + answerTime)); err != nil {
			return tally{}, fmt.Errorf("connect: %w", err)
		}
		if err := lines[i].exchange(h.request(i, 0), h.status); err != nil {
			return tally{}, err
		}
	}
	counts, errs := make([]int, len(lines)), make([]error, len(lines))
	var running sync.WaitGroup
	began := time.Now()
	end := began.Add(length)
	for i, l := range lines {
		running.Go(func() { counts[i], errs[i] = h.drive(l, i, end) })
	}
	running.Wait()
	t := tally{elapsed: time.Since(began)}
	for _, n := range counts {
		t.requests += n
	}
	return t, errors.Join(errs...)
}

// drive keeps one connection busy.
func (h *hammer) drive(l *line, connection int, end time.Time) (int, error) {
	for n := 1; ; n++ {
		request := h.request(connection, n)
		if request == nil || !time.Now().Before(end) {
			return n - 1, nil
		}
		if err := l.exchange(request, h.status); err != nil {
			return n - 1, err
		}
	}
}

// line is one connection, with what has been received in buffer[:to].
type line struct {
	conn   net.Conn
	buffer []byte
	to     int
}

var (
	headEnd       = []byte("\r\n\r\n")
	contentLength = []byte("\r\nContent-Length: ")
)

// exchange sends a request and reads its answer to the end.
func (l *line) exchange(request []byte, status int) error {
	if _, err := l.conn.Write(request); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	l.to = 0
	head := -1
	for head < 0 {
		if err := l.receive(); err != nil {
			return err
		}
		head = bytes.Index(l.buffer[:l.to], headEnd)
	}
	got, length, err := readHead(l.buffer[:head+2])
	if err != nil {
		return err
	}
	if got != status {
		return fmt.Errorf("the answer is %d, not %d: %s", got, status, l.buffer[:l.to])
	}
	left := head + len(headEnd) + length - l.to
	for left > 0 {
		l.to = 0
		if err := l.receive(); err != nil {
			return err
		}
		left -= l.to
	}
	if left < 0 {
		return errors.New("more was answered than its length says")
	}
	return nil
}

func (l *line) receive() error {
	n, err := l.conn.Read(l.buffer[l.to:])
	if err != nil {
		return fmt.Errorf("receive: %w", err)
	}
	l.to += n
	return nil
}

// readHead returns the status and the Content-Length of an answer.
func readHead(head []byte) (status, length int, err error) {
	const statusAt = len("HTTP/1.1 ")
	at := bytes.Index(head, contentLength)
	if len(head) < statusAt+3 || at < 0 {
		return 0, 0, fmt.Errorf("not an answer with a length: %q", head)
	}
	if status, err = strconv.Atoi(string(head[statusAt : statusAt+3])); err != nil {
		return 0, 0, fmt.Errorf("read status: %w", err)
	}
	digits := head[at+len(contentLength):]
	length, err = strconv.Atoi(string(digits[:bytes.IndexByte(digits, '\r')]))
	if err != nil {
		return 0, 0, fmt.Errorf("read length: %w", err)
	}
	return status, length, nil
}
