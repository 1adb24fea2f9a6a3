package crash

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

const (
	// hookRounds is how often the server is killed, hookWrites how many events
	// there are in between: together with the retries fewer than the sixty
	// deliveries that a sandbox may send in a minute.
	hookRounds = 5
	hookWrites = 8
	// hookPatience is far longer than the one retry that any event needs.
	hookPatience = 60 * time.Second
)

// hook is a receiver that outlives the servers. It refuses some events the
// first time that it sees them, never two after each other: five would end the
// subscription.
type hook struct {
	*httptest.Server

	mu sync.Mutex
	// refused and taken count the answers by event.
	refused, taken map[string]int
	// refusing is set when the last answer was a refusal, strict when the next
	// new event is refused whatever its id.
	refusing, strict bool
	came             chan struct{}
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{refused: map[string]int{}, taken: map[string]int{}, came: make(chan struct{}, 1)}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		id := r.Header.Get("webhook-id")
		h.mu.Lock()
		defer h.mu.Unlock()
		chosen := h.strict && h.taken[id] == 0 || id[len(id)-1] < '6' && !h.refusing
		if h.refusing = chosen && h.refused[id] == 0; h.refusing {
			h.refused[id]++
			h.strict = false
			w.WriteHeader(http.StatusServiceUnavailable)
		} else {
			h.taken[id]++
		}
		select {
		case h.came <- struct{}{}:
		default:
		}
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) has(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.taken[id] > 0
}

type delivery struct {
	ID         string     `json:"id"`
	EventID    string     `json:"event_id"`
	Attempt    int        `json:"attempt"`
	Trigger    string     `json:"trigger"`
	Status     string     `json:"status"`
	ErrorClass *string    `json:"error_class"`
	LatencyMS  *int64     `json:"latency_ms"`
	DueAt      time.Time  `json:"due_at"`
	SentAt     *time.Time `json:"sent_at"`
}

// TestDeliveriesOutliveKills: whatever was in the feed when the server was
// killed arrives, and no retry is early.
func TestDeliveriesOutliveKills(t *testing.T) {
	t.Parallel()
	database := filepath.Join(t.TempDir(), "platen.db")
	start := func() *process {
		p, err := launch(database, "--private-webhooks")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.kill)
		return p
	}
	p := start()
	outlive(t, p, func() { p.kill() }, func() *process {
		p = start()
		return p
	})
}

// outlive has events delivered while a kill comes at any moment, and then again.
func outlive(t *testing.T, p *process, kill func(), again func() *process) {
	t.Helper()
	h, random := newHook(t), rand.New(rand.NewPCG(7, 7))
	n, err := newTenant(p, "starter", "manual")
	if err != nil {
		t.Fatal(err)
	}
	id := h.subscribe(t, p, n)
	for round := range hookRounds {
		killed, written := make(chan struct{}), make(chan struct{})
		for i := range hookWrites {
			body := fmt.Sprintf(`{"sku":"prd_flyer","quantity":100,"reference":"ref-%d-%d"}`, round, i)
			_, err := p.send(request{method: "POST", path: "/factory/work-orders", key: n.Factory,
				idempotency: fmt.Sprintf("key-%d-%d", round, i), body: body})
			if err != nil && !p.dying.Load() {
				t.Fatal(err)
			}
			if i == hookWrites/2 {
				go func() {
					defer close(killed)
					for range random.IntN(hookWrites) { // after some more deliveries, so at any moment of theirs
						select {
						case <-h.came:
						case <-written:
						}
					}
					kill()
				}()
			}
		}
		close(written)
		<-killed
		p = again()
	}
	// The deliveries that the kills met may be no retries at all. After them there
	// is one.
	h.mu.Lock()
	h.strict = true
	h.mu.Unlock()
	var last struct{}
	hooked(t, p, request{method: "POST", path: "/factory/work-orders", key: n.Factory, idempotency: "key-last",
		body: `{"sku":"prd_flyer","quantity":100,"reference":"ref-last"}`}, &last)
	if err := n.follow(p, 0); err != nil {
		t.Fatal(err)
	}
	if missing := h.missing(n); len(missing) > 0 {
		t.Errorf("%d events never arrived: %v", len(missing), missing)
	}
	checkHookLog(t, p, n, id)
}

// subscribe returns the id of an active subscription.
func (h *hook) subscribe(t *testing.T, p *process, n *tenant) string {
	t.Helper()
	var s struct{ Data struct{ ID, Status string } }
	hooked(t, p, request{method: "POST", path: "/webhooks", key: n.Office,
		body: `{"url":"` + h.URL + `/serving","events":["factory.work_order.created"]}`}, &s)
	id := s.Data.ID
	for range 3 { // the ping may be one that is refused the first time
		if hooked(t, p, request{method: "POST", path: "/webhooks/" + id + "/test", key: n.Office},
			&s); s.Data.Status == "active" {
			return id
		}
	}
	t.Fatalf("the subscription is %s", s.Data.Status)
	return ""
}

// missing waits for the events of a sandbox, and returns those that do not come.
func (h *hook) missing(n *tenant) (missing []string) {
	for end := time.Now().Add(hookPatience); time.Now().Before(end); {
		missing = missing[:0]
		for _, e := range n.seen {
			if e.Type == "factory.work_order.created" && !h.has(e.ID) {
				missing = append(missing, e.ID)
			}
		}
		if len(missing) == 0 {
			return nil
		}
		select {
		case <-h.came:
		case <-time.After(time.Until(end)):
		}
	}
	return missing
}

// checkHookLog looks for attempts that were early and events that were dropped.
func checkHookLog(t *testing.T, p *process, n *tenant, id string) {
	t.Helper()
	var log struct{ Data struct{ Items []delivery } }
	hooked(t, p,
		request{method: "GET", path: "/webhooks/" + id + "/deliveries?limit=100&trigger=auto", key: n.Office}, &log)
	last := map[string]delivery{}
	retries := 0
	for _, d := range slices.Backward(log.Data.Items) {
		if before, again := last[d.EventID]; again {
			retries++
			if d.Attempt != before.Attempt+1 || before.Status != "failed" ||
				d.DueAt.Sub(before.SentAt.Add(time.Duration(*before.LatencyMS)*time.Millisecond)) < 10*time.Second {
				t.Errorf("%+v comes after %+v", d, before)
			}
		}
		if d.Status == "dropped" || d.SentAt != nil && d.SentAt.Before(d.DueAt) {
			t.Errorf("the log has %+v", d)
		}
		last[d.EventID] = d
	}
	if retries == 0 || len(last) < hookRounds {
		t.Errorf("%d events had %d retries: too few to prove anything", len(last), retries)
	}
}

// hooked makes a call that must work.
func hooked(t *testing.T, p *process, q request, into any) {
	t.Helper()
	a, err := p.send(q)
	if err != nil || a.Status >= http.StatusMultipleChoices {
		t.Fatalf("%s %s: %d %s (%v)", q.method, q.path, a.Status, a.Raw, err)
	}
	if err := json.Unmarshal(a.Raw, into); err != nil {
		t.Fatal(err)
	}
}
