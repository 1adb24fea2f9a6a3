package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/api"
	"platen/internal/config"
	"platen/internal/store"
	"platen/internal/words/problem"
)

// hanging is a store that does not answer while it hangs.
type hanging struct {
	store.Store

	hangs atomic.Bool
	asked atomic.Int64
	wait  chan struct{}
}

// Ping implements store.Store.
func (h *hanging) Ping(context.Context) error {
	h.asked.Add(1)
	if h.hangs.Load() {
		<-h.wait
	}
	return nil
}

// Count implements store.Store.
func (*hanging) Count(context.Context) (int, error) { return 7, nil }

// Close implements store.Store.
func (h *hanging) Close() error { return h.Ping(context.Background()) }

// TestAStorageThatHangsDoesNotHangTheInstruments: they say so within a short time,
// ask no more than once, and show the newest number. A stop ends all the same.
func TestAStorageThatHangsDoesNotHangTheInstruments(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		h := &hanging{wait: make(chan struct{})}
		s := &Server{log: slog.New(slog.NewTextHandler(&log, nil)), now: time.Now, store: h}
		s.storage.log = s.log
		if n, err := s.ask(t.Context()); n != 7 || err != nil {
			t.Fatalf("it has %d sandboxes, %v", n, err)
		}
		h.hangs.Store(true)
		time.Sleep(2 * time.Second) //nolint:forbidigo // in a bubble: the answer has become old
		began := time.Now()
		var asking sync.WaitGroup
		for range 10 {
			asking.Go(func() {
				if n, err := s.ask(t.Context()); n != 7 || !errors.Is(err, errSilent) {
					t.Errorf("while it hangs: %d, %v", n, err)
				}
			})
		}
		asking.Wait()
		if took := time.Since(began); took > storePatience {
			t.Errorf("ten who ask wait for %s", took)
		}
		for range 3 {
			s.ask(t.Context())
		}
		if took := time.Since(began); took > storePatience || h.asked.Load() != 2 || s.answerAge() < 2*time.Second {
			t.Errorf("after %s it was asked %d times, the newest answer is %s old", took, h.asked.Load(), s.answerAge())
		}
		began = time.Now()
		if err := s.Stop(t.Context()); err == nil || time.Since(began) > EndTime {
			t.Errorf("a stop ends after %s with %v", time.Since(began), err)
		}
		close(h.wait)
		h.hangs.Store(false)
		time.Sleep(2 * time.Second) //nolint:forbidigo // in a bubble: as before
		if n, err := s.ask(t.Context()); n != 7 || err != nil {
			t.Errorf("when it is back: %d, %v", n, err)
		}
		synctest.Wait()
		if text := log.String(); strings.Count(text, "the storage takes nothing") != 1 ||
			strings.Count(text, "does its work again") != 1 {
			t.Errorf("the log tells of it once each:\n%s", text)
		}
	})
}

// TestAFloodDoesNotFillTheLog: of the requests over a limit ten in a second have a
// line, with the network, and the number of the others is told.
func TestAFloodDoesNotFillTheLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := &Server{log: slog.New(slog.NewTextHandler(&log, nil))}
		for range 5 {
			for range 2000 {
				s.logRequest(&api.Answered{
					Method: "GET", Status: http.StatusForbidden, Code: problem.Banned, Network: "192.0.2.7/32",
				})
			}
			s.logRequest(&api.Answered{Method: "GET", Status: http.StatusOK})
			time.Sleep(time.Second) //nolint:forbidigo // in a bubble
		}
		text := log.String()
		if n := strings.Count(text, "error_code=banned"); n != 5*refusalLines ||
			strings.Count(text, "network=192.0.2.7/32") != n {
			t.Errorf("%d of 10000 refusals have a line", n)
		}
		if strings.Count(text, "requests=1990") != 4 || strings.Count(text, "status=200") != 5 {
			t.Errorf("the log is\n%s", text)
		}
	})
}

// hurried is a context that names a deadline close by and does not end then: a
// drain whose second half is long enough for any machine.
type hurried struct{ context.Context }

func (hurried) Deadline() (time.Time, bool) { return time.Now().Add(100 * time.Millisecond), true }

// TestASlowClientDoesNotKeepAServerFromStopping: one that has sent half a body is
// answered before the time of the drain is over, and the stop is no failure.
func TestASlowClientDoesNotKeepAServerFromStopping(t *testing.T) {
	t.Parallel()
	s := start(t)
	half := dial(t, s)
	half.send("POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
		"Content-Length: 100\r\n\r\n{")
	// Its request has begun once another client is answered that came later.
	for range 3 {
		c := dial(t, s)
		c.send("GET /v1/missions HTTP/1.1\r\nHost: localhost\r\n\r\n")
		c.receive("GET")
	}
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(hurried{t.Context()}) }()
	a := half.receive("POST")
	if a.status != http.StatusServiceUnavailable {
		t.Errorf("half a body is answered %d", a.status)
	}
	if err := <-stopped; err != nil {
		t.Errorf("the stop: %v", err)
	}
}

// TestAClientThatIsCutOffIsNoFailure: the time of a drain may run out.
func TestAClientThatIsCutOffIsNoFailure(t *testing.T) {
	t.Parallel()
	s := start(t)
	made := dial(t, s)
	made.send("POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
	made.receive("POST")
	busy := dial(t, s)
	busy.send("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n") // and does not read
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // no time at all
	if err := s.Stop(ctx); err != nil {
		t.Errorf("the stop: %v", err)
	}
}

// TestAnotherEngineIsToldOfAtTheStart, once, with how many sandboxes it may have
// left.
func TestAnotherEngineIsToldOfAtTheStart(t *testing.T) {
	t.Parallel()
	database := filepath.Join(t.TempDir(), "platen.db")
	run := func(before func(*Server)) string {
		var log bytes.Buffer
		c := config.Default()
		c.Database = database
		s, err := New(t.Context(), c, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if before != nil {
			before(s)
		}
		if err := s.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		return log.String()
	}
	older := func(s *Server) {
		r, err := s.store.Find(t.Context(), kindServer, keyEngine)
		if err != nil {
			t.Fatal(err)
		}
		r.Body = []byte("0")
		if err := s.store.Write(t.Context(), []store.Write{{Record: r}}); err != nil {
			t.Fatal(err)
		}
	}
	if log := run(older); strings.Contains(log, "another version") {
		t.Errorf("the first start says %s", log)
	}
	if log := run(nil); !strings.Contains(log, "another version ran") || !strings.Contains(log, "its_engine=0") ||
		!strings.Contains(log, "sandboxes_at_most=0") {
		t.Errorf("after another engine the start says %s", log)
	}
	if log := run(nil); strings.Contains(log, "another version") {
		t.Errorf("the next start says it again: %s", log)
	}
}

// TestADatabaseThatWasMovedIsNotReady: what is written into it would be missing after the next start.
func TestADatabaseThatWasMovedIsNotReady(t *testing.T) {
	t.Parallel()
	var log heardLog
	database := filepath.Join(t.TempDir(), "platen.db")
	s := startLogging(t, slog.NewTextHandler(&log, nil), func(c *config.Config) { c.Database = database })
	ready := func(want int, reason string) {
		t.Helper()
		s.health.mu.Lock()
		s.health.asked = time.Time{} // the newest answer is old
		s.health.mu.Unlock()
		a := get(t, s, http.MethodGet, "/readyz", "")
		if a.status != want || !strings.Contains(string(a.body), reason) {
			t.Errorf("it is %d, %s", a.status, a.body)
		}
	}
	ready(http.StatusOK, "ready")
	if err := os.Rename(database, database+".away"); err != nil {
		t.Fatal(err)
	}
	ready(http.StatusServiceUnavailable, "moved away")
	made := dial(t, s)
	made.send("POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
	made.receive("POST") // a write that succeeds is no news
	if err := os.WriteFile(database, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ready(http.StatusServiceUnavailable, "replaced")
	if err := os.Rename(database+".away", database); err != nil {
		t.Fatal(err)
	}
	ready(http.StatusOK, "ready")
	if text := log.String(); strings.Count(text, "level=ERROR") != 1 || !strings.Contains(text, "in its place again") ||
		strings.Contains(text, "its work again") {
		t.Errorf("the log is\n%s", text)
	}
}
