package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"platen/test/testclient"
)

const (
	// soakFew is how many seconds sandboxes come and go in a quick run, soakShort in any
	// other unless PLATEN_SOAK_MINUTES asks for more.
	soakFew          = 5
	soakShort        = 10
	soakClients      = 24
	soakClientsLong  = 200
	soakPlaces       = 12
	soakPlacesLong   = 100
	soakRestartShort = 3 * time.Second
	soakRestartLong  = 45 * time.Second
	// soakLife is how long a sandbox takes up its place, unless it is extended
	// twice: its lease, both extensions and its grace.
	soakLife = (4 + 2 + 2 + 1) * time.Second
	// soakPatience is how much longer it may take on a slow machine until each thing has happened.
	soakPatience = 5 * time.Minute
	// These limits hold when all sandboxes are gone.
	soakGoroutines  = 20
	soakMemoryBytes = 64 << 20
	soakFileBytes   = 4 << 20
)

// soak is sandboxes that come and go for a while.
type soak struct {
	t        *testing.T
	database string
	places   int
	until    time.Time
	// server is the present one; it is replaced under mu.
	mu     sync.RWMutex
	server *process

	created, queued, extended, calls atomic.Int64
}

// TestSandboxesComeAndGoAndLeaveNothing: clients create sandboxes where there
// is room for half of them, use them at random, wait for events, extend them and
// leave them to end, while servers are stopped and killed.
func TestSandboxesComeAndGoAndLeaveNothing(t *testing.T) {
	t.Parallel()
	length := time.Duration(testclient.Few(soakFew, soakShort)) * time.Second
	clients, restart := soakClients, soakRestartShort
	s := &soak{t: t, database: filepath.Join(t.TempDir(), "platen.db"), places: soakPlaces}
	if text := os.Getenv("PLATEN_SOAK_MINUTES"); text != "" {
		minutes, err := strconv.Atoi(text)
		if err != nil || minutes < 1 {
			t.Fatalf("PLATEN_SOAK_MINUTES is %q", text)
		}
		length, clients, restart, s.places = time.Duration(minutes)*time.Minute, soakClientsLong,
			soakRestartLong, soakPlacesLong
	}
	seed := rand.Uint64()
	s.until = time.Now().Add(length)
	s.start()
	var running sync.WaitGroup
	for i := range clients {
		running.Go(func() {
			c := &guest{soak: s, random: rand.New(rand.NewPCG(seed, uint64(i)))}
			for s.goesOn() && !t.Failed() {
				c.stay()
			}
		})
	}
	for kills := 0; time.Now().Add(restart).Before(s.until) && !t.Failed(); kills++ {
		s.watch(restart)
		s.replace(kills%2 == 0)
	}
	running.Wait()
	s.leavesNothing()
	t.Logf("%d clients for %s, seed %d: %d sandboxes, %d after waiting in the queue, %d extensions, %d calls",
		clients, length, seed, s.created.Load(), s.queued.Load(), s.extended.Load(), s.calls.Load())
	if !s.showed() {
		t.Error("too little happened to show anything")
	}
}

// showed reports whether each thing that is to be shown has happened.
func (s *soak) showed() bool {
	return s.created.Load() >= int64(s.places) && s.queued.Load() > 0 && s.extended.Load() > 0
}

// goesOn reports whether clients go on: for as long as was asked, and on a slow machine until
// enough has happened.
func (s *soak) goesOn() bool {
	now := time.Now()
	return now.Before(s.until) || !s.showed() && now.Before(s.until.Add(soakPatience))
}

// start launches a server. The caller holds mu, or is alone.
func (s *soak) start() {
	p, err := launch(s.database, "--max-sandboxes", strconv.Itoa(s.places), "--sandbox-duration", "4s", "--extension",
		"2s", "--extension-window", "3s", "--grace", "1s", "--claim-window", "3s")
	if err != nil {
		s.t.Error(err)
		return
	}
	s.server = p
}

// replace ends the server, well or badly, and launches the next.
func (s *soak) replace(kill bool) {
	s.server.dying.Store(true) // before anybody can notice
	s.mu.Lock()
	defer s.mu.Unlock()
	if kill {
		s.server.kill()
	} else if err := s.server.stop(); err != nil {
		s.t.Error(err)
	}
	if err := s.server.complaints(); err != nil {
		s.t.Error(err)
	}
	s.start()
}

// watch looks at what the server says of itself.
func (s *soak) watch(length time.Duration) {
	for end := time.Now().Add(length); time.Now().Before(end); {
		if n := s.gauge("platen_sandboxes"); n > float64(s.places) {
			s.t.Errorf("%v sandboxes in %d places", n, s.places)
		}
		wait(s.t, 200*time.Millisecond)
	}
}

func wait(t *testing.T, d time.Duration) {
	select {
	case <-time.After(d):
	case <-t.Context().Done():
	}
}

// gauge reads one figure of /metrics.
func (s *soak) gauge(name string) float64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, err := testclient.Request{
		Method: http.MethodGet, URL: strings.TrimSuffix(s.server.base, "/v1") + "/metrics",
	}.Build(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	a, err := testclient.Exchange(s.server.http, r)
	if err != nil {
		s.t.Errorf("read metrics: %v", err)
		return 0
	}
	for line := range strings.Lines(string(a.Raw)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				s.t.Errorf("%s is %q", name, value)
			}
			return v
		}
	}
	s.t.Errorf("there is no figure %s", name)
	return 0
}

// leavesNothing waits until all sandboxes are gone and looks at what is left.
func (s *soak) leavesNothing() {
	testclient.Eventually(s.t, "no sandbox is left", soakLife+20*time.Second,
		func() bool { return s.gauge("platen_sandboxes") == 0 })
	s.server.http.CloseIdleConnections()
	end := time.Now().Add(10 * time.Second)
	for s.gauge("go_goroutines") > soakGoroutines && time.Now().Before(end) {
		s.server.http.CloseIdleConnections()
		wait(s.t, 200*time.Millisecond)
	}
	if n := s.gauge("go_goroutines"); n > soakGoroutines {
		s.t.Errorf("%v goroutines are left", n)
	}
	if n := s.gauge("process_resident_memory_anon_bytes"); n > soakMemoryBytes {
		s.t.Errorf("the process holds %.0f MB of its own", n/1e6)
	}
	if n := s.gauge("platen_feed_waiters"); n != 0 {
		s.t.Errorf("%v clients seem to wait for events", n)
	}
	if err := errors.Join(s.server.complaints(), s.server.stop()); err != nil {
		s.t.Error(err)
	}
	info, err := os.Stat(s.database)
	if err != nil || info.Size() > soakFileBytes {
		s.t.Errorf("the database has %d bytes without a sandbox, %v", info.Size(), err)
	}
}

// guest is a client that stays in one sandbox after the other.
type guest struct {
	*soak

	random *rand.Rand
	key    string
	// seq is the newest event that it has seen.
	seq int
}

// errAway is the error of a guest while the server is being replaced.
var errAway = errors.New("the server is away")

// answered has the fields of an answer that the guest reads.
type answered struct {
	Status int `json:"-"`
	Data   struct {
		OfficeKey string `json:"office_key"`
		Poll      string `json:"poll"`
		Items     []struct {
			ID     string `json:"id"`
			Status string `json:"status"`
			Seq    int    `json:"seq"`
		} `json:"items"`
	} `json:"data"`
	Error struct {
		Code string `json:"code"`
	} `json:"error"`
}

// call sends a request, whatever happens to the server meanwhile.
func (g *guest) call(method, path, body string) (*answered, error) {
	g.mu.RLock()
	server := g.server
	g.mu.RUnlock()
	url := server.base + path
	if strings.HasPrefix(path, "/v1/") {
		url = strings.TrimSuffix(server.base, "/v1") + path
	}
	r, err := testclient.Request{Method: method, URL: url, Key: g.key, Body: body}.Build(g.t.Context())
	if err != nil {
		return nil, err
	}
	g.calls.Add(1)
	a, err := testclient.Exchange(server.http, r)
	if a == nil && server.dying.Load() {
		return nil, errAway
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	told := &answered{Status: a.Status}
	if err := json.Unmarshal(a.Raw, told); err != nil {
		return nil, fmt.Errorf("%s %s: %d %w", method, path, a.Status, err)
	}
	if a.Status >= http.StatusInternalServerError && !server.dying.Load() {
		return nil, fmt.Errorf("%s %s: %d %s", method, path, a.Status, a.Code())
	}
	return told, nil
}

// stay creates a sandbox, uses it for a while and leaves it.
func (g *guest) stay() {
	g.key, g.seq = "", 0
	if err := g.enter(); err != nil {
		g.mind(err)
		return
	}
	g.created.Add(1)
	for range 5 + g.random.IntN(40) {
		status, err := g.act()
		if err != nil {
			g.mind(err)
			continue
		}
		switch status {
		case http.StatusUnauthorized: // deleted
			return
		case http.StatusOK, http.StatusCreated, http.StatusConflict, http.StatusLocked, http.StatusTooManyRequests:
		default:
			g.t.Errorf("a call was answered %d", status)
		}
		if !g.goesOn() {
			return
		}
	}
}

// mind reports an error that nothing excuses, and waits a little.
func (g *guest) mind(err error) {
	if !errors.Is(err, errAway) && g.t.Context().Err() == nil {
		g.t.Error(err)
	}
	wait(g.t, 100*time.Millisecond)
}

// enter creates a sandbox, and waits in the queue if it must.
func (g *guest) enter() error {
	a, err := g.call(http.MethodPost, "/sandboxes", `{"clock":"manual"}`)
	if err != nil {
		return err
	}
	poll := a.Data.Poll
	for a.Status == http.StatusAccepted {
		if !g.goesOn() {
			return errAway // the ticket is left to be lost
		}
		wait(g.t, time.Duration(50+g.random.IntN(200))*time.Millisecond)
		next, err := g.call(http.MethodGet, poll, "")
		if errors.Is(err, errAway) {
			continue // the place is kept
		}
		if err != nil {
			return err
		}
		a = next
		if a.Status == http.StatusCreated {
			g.queued.Add(1)
		}
	}
	switch a.Status {
	case http.StatusCreated:
		g.key = a.Data.OfficeKey
		return nil
	case http.StatusGone, http.StatusNotFound, http.StatusServiceUnavailable:
		// lost, claimed by an answer that was lost, or the server stops
		return errAway
	}
	return fmt.Errorf("a creation was answered %d %s", a.Status, a.Error.Code)
}

// act does one thing at random.
func (g *guest) act() (int, error) {
	var a *answered
	var err error
	switch g.random.IntN(6) {
	case 0:
		if a, err = g.call(http.MethodPost, "/sandbox/tick", `{"minutes":120}`); err != nil {
			return 0, err
		}
	case 1:
		if a, err = g.call(http.MethodPost, "/sandbox/extend", ""); err != nil {
			return 0, err
		}
		if a.Status == http.StatusOK {
			g.extended.Add(1)
		}
	case 2:
		if a, err = g.call(http.MethodGet, "/office/sales-orders?status=received&limit=1", ""); err != nil ||
			len(a.Data.Items) == 0 {
			break
		}
		a, err = g.call(http.MethodPost, "/office/sales-orders/"+a.Data.Items[0].ID+"/accept", "")
	case 3:
		a, err = g.call(http.MethodGet, "/sandbox", "")
	case 4, 5:
		a, err = g.call(http.MethodGet, fmt.Sprintf("/events/poll?wait_s=1&limit=100&after_seq=%d", g.seq), "")
		if err == nil {
			g.follow(a)
		}
	}
	if err != nil {
		return 0, err
	}
	if a.Status == http.StatusServiceUnavailable {
		return 0, errAway
	}
	return a.Status, nil
}

// follow checks that the feed goes on without a gap, over restarts too.
func (g *guest) follow(a *answered) {
	for _, e := range a.Data.Items {
		if e.Seq != g.seq+1 {
			g.t.Errorf("event %d comes after event %d", e.Seq, g.seq)
		}
		g.seq = e.Seq
	}
}
