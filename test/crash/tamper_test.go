package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// tampering changes what a server answers on its way to the client: the
// mistakes that the check is there to find.
type tampering struct {
	change func(r *http.Request, a *http.Response, body []byte) []byte
	count  int
}

// RoundTrip implements http.RoundTripper.
func (m *tampering) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil {
		return nil, err
	}
	changed := m.change(r, a, bytes.Clone(body))
	if !bytes.Equal(changed, body) {
		m.count++
	}
	a.Body = io.NopCloser(bytes.NewReader(changed))
	return a, nil
}

// onPath changes the answers of one path.
func onPath(suffix string, change func(body []byte) []byte) *tampering {
	return &tampering{change: func(r *http.Request, _ *http.Response, body []byte) []byte {
		if strings.HasSuffix(r.URL.Path, suffix) {
			return change(body)
		}
		return body
	}}
}

// page is a list as it was served; what is not changed stays the same to the
// byte.
type page struct {
	Meta json.RawMessage `json:"meta"`
	Data struct {
		Items   []json.RawMessage `json:"items"`
		Next    *string           `json:"next_cursor"`
		LastSeq uint64            `json:"last_seq"`
	} `json:"data"`
}

// rows changes the rows of a list.
func rows(body []byte, change func(*page)) []byte {
	var p page
	if json.Unmarshal(body, &p) != nil || len(p.Data.Items) == 0 {
		return body
	}
	was := len(p.Data.Items)
	before := bytes.Join(rawBytes(p.Data.Items), nil)
	change(&p)
	if len(p.Data.Items) == was && bytes.Equal(before, bytes.Join(rawBytes(p.Data.Items), nil)) {
		return body
	}
	changed, err := json.Marshal(p)
	if err != nil {
		return body
	}
	return changed
}

func rawBytes(list []json.RawMessage) [][]byte {
	all := make([][]byte, len(list))
	for i := range list {
		all[i] = list[i]
	}
	return all
}

// member changes a member of one row of a list.
func member(index int, name string, value any) func([]byte) []byte {
	return func(body []byte) []byte {
		return rows(body, func(p *page) {
			var row map[string]any
			if index < len(p.Data.Items) && json.Unmarshal(p.Data.Items[index], &row) == nil {
				row[name] = value
				p.Data.Items[index], _ = json.Marshal(row)
			}
		})
	}
}

// without takes one row out of a list.
func without(index func(*page) int) func([]byte) []byte {
	return func(body []byte) []byte {
		return rows(body, func(p *page) {
			if i := index(p); i >= 0 {
				p.Data.Items = append(p.Data.Items[:i:i], p.Data.Items[i+1:]...)
			}
		})
	}
}

func first(*page) int    { return 0 }
func middle(p *page) int { return len(p.Data.Items) / 2 }

// last is the last row of all: that of the last page.
func last(p *page) int {
	if p.Data.Next != nil {
		return -1
	}
	return len(p.Data.Items) - 1
}

// TestTheCheckFindsWhatIsWrong proves that the check of the test above can
// fail: it passes on an honest server, and on none of these.
func TestTheCheckFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	p, err := launch(filepath.Join(t.TempDir(), "platen.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.kill() })
	n, err := newTenant(p, "manual", "manual")
	if err != nil {
		t.Fatal(err)
	}
	busy(t, p, n)
	random := rand.New(rand.NewPCG(1, 1))
	honest := func(t *testing.T) {
		t.Helper()
		if _, err := n.check(p, random, true); err != nil {
			t.Fatalf("an honest server: %v", err)
		}
	}
	honest(t)

	lie := func(name, want string, m *tampering) {
		t.Run(name, func(t *testing.T) {
			honestly := p.http
			p.http = &http.Client{Transport: m}
			_, err := n.check(p, random, true)
			p.http = honestly
			if err == nil || !strings.Contains(err.Error(), want) || m.count == 0 {
				t.Errorf("after %d lies the check says %v, want %q", m.count, err, want)
			}
		})
	}
	lie("an event is missing", "follows", onPath("/events", without(middle)))
	lie("the newest event is missing", "feed ends at", onPath("/events", without(last)))
	lie("an event was rewritten", "has changed", onPath("/events", member(1, "type", "office.sales_order.expired")))
	lie("a replay differs", "the replay of", onPath("/factory/work-orders", func(body []byte) []byte {
		return bytes.Replace(body, []byte(`"WO-`), []byte(`"XO-`), 1)
	}))
	lie("cash is off", "cash is", onPath("/office/cash", func(body []byte) []byte {
		return bytes.Replace(body, []byte(`"cash_minor":8`), []byte(`"cash_minor":9`), 1)
	}))
	lie("stock is off", "moves add up", onPath("/factory/stock", member(2, "on_hand", 7)))
	lie("a stock move is missing", "moves add up", onPath("/factory/stock-moves", without(last)))
	lie("a status is off", "the feed says", onPath("/office/sales-orders", member(0, "status", "paid")))
	lie("a row is missing", "no such row", onPath("/factory/work-orders", without(first)))
	lie("the clock is off", "the clock shows", onPath("/sandbox", func(body []byte) []byte {
		return bytes.Replace(body, []byte(`"day_number":`), []byte(`"day_number":1`), 1)
	}))
	lie("a replay is not called one", "replayed",
		&tampering{change: func(_ *http.Request, a *http.Response, body []byte) []byte {
			a.Header.Del("Idempotency-Replayed")
			return append(body, ' ')
		}})

	honest(t) // lies have left nothing behind
	t.Run("a write was lost", func(t *testing.T) {
		in := n.intend(order, "/factory/work-orders", `{"sku":"prd_notebook","quantity":1}`, "never-sent")
		in.outcome, in.raw = acknowledged, []byte(`{"data":{"id":"wo_lost"}}`)
		_, err := n.check(p, random, true)
		if err == nil || !strings.Contains(err.Error(), "the replay of") {
			t.Errorf("the check says %v", err)
		}
		in.outcome = unknown // the check has sent it, so now it is there
		honest(t)
	})
	t.Run("a write happened twice", func(t *testing.T) {
		in := n.intents[0]
		twice := in.request
		twice.path, twice.body, twice.key, twice.idempotency = "/factory/work-orders",
			`{"sku":"prd_notebook","quantity":1}`, n.Factory, "twice"
		if a, err := p.send(twice); err != nil || a.Status != http.StatusCreated {
			t.Fatal(a, err)
		}
		if _, err := n.check(p, random, true); err == nil || !strings.Contains(err.Error(), "writes claim an event") {
			t.Errorf("the check says %v", err)
		}
	})
}

// busy lets writers loose until each kind of write has succeeded.
func busy(t *testing.T, p *process, n *tenant) {
	t.Helper()
	w := &writer{tenant: n, name: "busy", random: rand.New(rand.NewPCG(3, 3)), ticks: true, acknowledged: func() {}}
	var running sync.WaitGroup
	var done atomic.Bool
	running.Go(func() {
		for !done.Load() {
			if err := n.follow(p, n.newest()); err != nil {
				t.Errorf("reader: %v", err)
				return
			}
		}
	})
	defer running.Wait()
	defer done.Store(true)
	const tries = 5000
	succeeded := map[kind]bool{}
	for range tries {
		in, err := w.next(p)
		if err != nil {
			t.Error(err)
			return
		}
		if in == nil {
			continue
		}
		if _, err := n.try(p, in); err != nil {
			t.Error(err)
			return
		}
		if in.outcome == acknowledged {
			succeeded[in.kind] = true
		}
		if len(succeeded) == len(evidence)+1 {
			return
		}
	}
	t.Error(fmt.Errorf("only %v of all kinds of writes succeeded", succeeded))
}
