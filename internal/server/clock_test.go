package server

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"platen/internal/config"
	"platen/internal/store/sqlite"
	"platen/test/testclient"
)

// hands are the clocks of a machine that a test sets.
type hands struct {
	mu      sync.Mutex // guards the fields below
	wall    time.Time
	elapsed time.Duration
}

// set moves the wall clock alone, pass both.
func (h *hands) set(by time.Duration)  { h.move(by, 0) }
func (h *hands) pass(by time.Duration) { h.move(by, by) }

func (h *hands) move(wall, elapsed time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wall, h.elapsed = h.wall.Add(wall), h.elapsed+elapsed
}

// clock returns them as a clock.
func (h *hands) clock(log *slog.Logger) *clock {
	return &clock{log: log,
		wall:    func() time.Time { h.mu.Lock(); defer h.mu.Unlock(); return h.wall },
		elapsed: func() time.Duration { h.mu.Lock(); defer h.mu.Unlock(); return h.elapsed }}
}

// clocked runs a server by the hands of a test.
func clocked(t *testing.T, h *hands, log *heardLog, database string) *Server {
	t.Helper()
	c := config.Default()
	c.Listen, c.Database = "127.0.0.1:0", database
	db, err := sqlite.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	logger := slog.New(slog.NewTextHandler(log, nil))
	s, err := newServer(t.Context(), c, logger, parts{db: db, clock: h.clock(logger)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// shown is the in-world time that a key is shown.
func shown(t *testing.T, s *Server, key string) string {
	t.Helper()
	var a struct {
		Data struct {
			Clock struct {
				Date string `json:"sim_date"`
				Time string `json:"sim_time"`
			}
		}
	}
	err := json.Unmarshal(testclient.Request{Method: http.MethodGet, URL: s.BaseURL() + "/sandbox", Key: key}.Send(t).
		Want(http.StatusOK, "").Raw, &a)
	if err != nil || a.Data.Clock.Time == "" {
		t.Fatalf("no in-world time is shown: %v", err)
	}
	return a.Data.Clock.Date + " " + a.Data.Clock.Time
}

func made(t *testing.T, s *Server) (key string) {
	t.Helper()
	key, _ = testclient.Request{
		Method: http.MethodPost, URL: s.BaseURL() + "/sandboxes", Body: `{"clock":"realtime"}`,
	}.Send(t).Want(http.StatusCreated, "").Data()["office_key"].(string)
	return key
}

// TestInWorldTimeDoesNotGoBackWithTheClock: a server that stopped, and starts with the clock set back, shows no earlier
// in-world time than it had, and says so. Where the clock is set back by more than it believes, it says that too.
func TestInWorldTimeDoesNotGoBackWithTheClock(t *testing.T) {
	t.Parallel()
	var log heardLog
	h := &hands{wall: time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)}
	database := filepath.Join(t.TempDir(), "platen.db")
	stop := func(s *Server) {
		t.Helper()
		if err := s.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s := clocked(t, h, &log, database)
	key := made(t, s)
	first := shown(t, s, key)
	h.pass(10 * time.Minute)
	before := shown(t, s, key)
	if before <= first {
		t.Fatalf("in-world time stands at %s", before)
	}
	stop(s)
	for _, back := range []time.Duration{8 * time.Minute, 50 * time.Minute} {
		h.set(-back)
		s = clocked(t, h, &log, database)
		if now := shown(t, s, key); now < before {
			t.Errorf("with the clock %s back it shows %s, and had shown %s", back, now, before)
		}
		h.pass(time.Minute)
		now := shown(t, s, key)
		if now <= before {
			t.Errorf("with the clock %s back, in-world time stands at %s", back, now)
		}
		before = now
		h.set(back) // right again
		if now := shown(t, s, key); now < before {
			t.Errorf("with the clock right again it shows %s, and had shown %s", now, before)
		}
		h.set(-back)
		stop(s)
		h.set(back)
	}
	if n := strings.Count(log.String(), "time goes on from there"); n != 2 {
		t.Errorf("the log says %d times that the clock is behind:\n%s", n, log.String())
	}
	h.set(-2 * farAhead)
	s = clocked(t, h, &log, database)
	if !strings.Contains(log.String(), "far behind the newest time") || s.now().After(h.wall) {
		t.Errorf("with the clock far back the time is %s, and the log is\n%s", s.now(), log.String())
	}
	stop(s)
}

// TestAClockThatIsSetByMistakeDeletesNothing: one that is hours ahead for a moment. Once it has stayed so for a while,
// what is over is deleted.
func TestAClockThatIsSetByMistakeDeletesNothing(t *testing.T) {
	t.Parallel()
	var log heardLog
	h := &hands{wall: time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)}
	s := clocked(t, h, &log, filepath.Join(t.TempDir(), "platen.db"))
	key := made(t, s)
	sandboxes := func() int {
		t.Helper()
		s.registry.Sweep(t.Context())
		n, err := s.store.Count(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := sandboxes(); n != 1 {
		t.Fatalf("there are %d sandboxes", n)
	}
	const mistake = 5 * time.Hour
	h.set(mistake)
	if n := sandboxes(); n != 1 {
		t.Errorf("the clock is set ahead, and there are %d sandboxes", n)
	}
	h.pass(3 * time.Second)
	if n := sandboxes(); n != 1 {
		t.Errorf("three seconds later there are %d sandboxes", n)
	}
	h.set(-mistake)
	if n := sandboxes(); n != 1 {
		t.Errorf("with the clock right again there are %d sandboxes", n)
	}
	shown(t, s, key)
	if n := strings.Count(log.String(), "the clock was set"); n != 2 {
		t.Errorf("the log says %d times that the clock was set:\n%s", n, log.String())
	}
	h.set(mistake)
	if n := sandboxes(); n != 1 {
		t.Errorf("set ahead again, there are %d sandboxes", n)
	}
	h.pass(doubtLasts)
	if n := sandboxes(); n != 0 {
		t.Errorf("%s later there are %d sandboxes", doubtLasts, n)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestADoubtedTimeIsNotStored, since the next start would go on from it. Small steps of a clock are not doubted.
func TestADoubtedTimeIsNotStored(t *testing.T) {
	t.Parallel()
	h := &hands{wall: time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "platen.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c := h.clock(slog.New(slog.DiscardHandler))
	kept := func() time.Time {
		t.Helper()
		if err := c.keep(t.Context(), db); err != nil {
			t.Fatal(err)
		}
		// A start with a clock that is behind goes on from what is stored.
		next := (&hands{wall: h.wall.Add(-farAhead / 2)}).clock(c.log)
		if err := next.resume(t.Context(), db); err != nil {
			t.Fatal(err)
		}
		return next.Now()
	}
	if got := kept(); !got.Equal(h.wall) {
		t.Errorf("the stored time is %s, want %s", got, h.wall)
	}
	for range 5 {
		h.pass(time.Second)
		h.set(jumpLeast)
		if got := kept(); !got.Equal(h.wall) {
			t.Errorf("after a small step the stored time is %s, want %s", got, h.wall)
		}
	}
	right := h.wall
	h.set(jumpLeast + time.Second)
	if got := kept(); !got.Equal(right) {
		t.Errorf("a doubted time is stored: %s, want %s", got, right)
	}
	h.pass(doubtLasts)
	if got := kept(); !got.Equal(h.wall) {
		t.Errorf("once it is believed, the stored time is %s, want %s", got, h.wall)
	}
}
