package load

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"
)

const (
	// answerTime is how long a response may take before a round fails.
	answerTime = 10 * time.Second
	// answerBuffer takes most responses whole.
	answerBuffer = 64 << 10
	// connections is how many a hammer has.
	connections = 16
)

// A hammer sends requests to a server over kept-alive connections, on each the next when the last was answered. It
// speaks HTTP by itself, with ready-made bytes: its own cost must not hide that of the server.
type hammer struct {
	server      *process
	connections int
	// status is that of every response; another one fails the round.
	status int
	// request returns the n-th request of a connection, nil when it has no more. It is valid until the next call.
	request func(connection, n int) []byte
}

// get hammers with one request.
func get(p *process, path, key string) *hammer {
	request := getRequest(p, path, key)
	return &hammer{p, connections, http.StatusOK, func(int, int) []byte { return request }}
}

func getRequest(p *process, path, key string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, p.address, key)
}

// round is the outcome of hammering for a while.
type round struct {
	requests int
	// rate is in requests per second, cpu the server's processor seconds for each request.
	rate, cpu float64
	err       error
}

// run hammers for a while, or until all connections have no more requests, and ends the benchmark if it fails. The
// first request of each connection is a warm-up that does not count.
func (h *hammer) run(b *testing.B) round {
	b.Helper()
	before := h.server.cpu(b)
	r := h.hit(length())
	must(b, r.err)
	r.cpu = (h.server.cpu(b) - before) / float64(r.requests)
	return r
}

// hit does the same without the processor time. It may run in any goroutine.
func (h *hammer) hit(length time.Duration) (r round) {
	counts, errs := make([]int, h.connections), make([]error, h.connections)
	var warming, running sync.WaitGroup
	warming.Add(h.connections)
	for i := range h.connections {
		running.Go(func() {
			l, err := dial(h.server.address, length)
			if err == nil {
				defer l.conn.Close()
				err = l.exchange(h.request(i, 0), h.status)
			}
			warming.Done()
			warming.Wait()
			end := time.Now().Add(length)
			for n := 1; err == nil && time.Now().Before(end); n++ {
				request := h.request(i, n)
				if request == nil {
					break
				}
				err = l.exchange(request, h.status)
				counts[i] = n
			}
			errs[i] = err
		})
	}
	warming.Wait()
	began := time.Now()
	running.Wait()
	for _, n := range counts {
		r.requests += n
	}
	r.rate, r.err = float64(r.requests)/time.Since(began).Seconds(), errors.Join(errs...)
	if r.err == nil && r.requests == 0 {
		r.err = errors.New("nothing was answered")
	}
	return r
}

// duel runs two hammers in turns, Platen's and that of a bare server, and reports how they compare.
func duel(b *testing.B, hammers func() (platen, bare *hammer)) {
	b.Helper()
	var rates, cpus [2][]float64
	platen, bare := hammers()
	platen.run(b) // a warm-up
	bare.run(b)
	for b.Loop() {
		platen, bare = hammers()
		for i, h := range []*hammer{platen, bare} {
			r := h.run(b)
			rates[i], cpus[i] = append(rates[i], r.rate), append(cpus[i], r.cpu)
		}
	}
	report(b, "rate/bare", quotients(rates[0], rates[1])...)
	report(b, "cpu/bare", quotients(cpus[0], cpus[1])...)
	report(b, "req/s", rates[0]...)
}

// line is one connection, with what has been received in buffer[:to].
type line struct {
	conn   net.Conn
	buffer []byte
	to     int
}

func dial(address string, length time.Duration) (*line, error) {
	conn, err := net.DialTimeout("tcp", address, answerTime)
	if err != nil {
		return nil, err
	}
	return &line{conn: conn, buffer: make([]byte, answerBuffer)}, conn.SetDeadline(time.Now().Add(length + answerTime))
}

// exchange sends a request and reads its response to the end.
func (l *line) exchange(request []byte, status int) error {
	if _, err := l.conn.Write(request); err != nil {
		return err
	}
	head := -1
	for l.to = 0; head < 0; head = bytes.Index(l.buffer[:l.to], []byte("\r\n\r\n")) {
		if err := l.receive(); err != nil {
			return err
		}
	}
	const statusAt = len("HTTP/1.1 ")
	if got := string(l.buffer[statusAt : statusAt+3]); got != strconv.Itoa(status) {
		return fmt.Errorf("the response is not of status %d: %s", status, l.buffer[:l.to])
	}
	_, rest, _ := bytes.Cut(l.buffer[:head+2], []byte("\r\nContent-Length: "))
	digits, _, _ := bytes.Cut(rest, []byte("\r\n"))
	length, err := strconv.Atoi(string(digits))
	if err != nil {
		return fmt.Errorf("the response has no length: %w", err)
	}
	left := head + len("\r\n\r\n") + length - l.to
	for left > 0 {
		l.to = 0
		if err := l.receive(); err != nil {
			return err
		}
		left -= l.to
	}
	if left < 0 {
		return errors.New("the response is longer than its Content-Length")
	}
	return nil
}

func (l *line) receive() error {
	n, err := l.conn.Read(l.buffer[l.to:])
	l.to += n
	return err
}
