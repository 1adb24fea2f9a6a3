package crash

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"platen/test/testclient"
)

// tenant is one sandbox, and all that is known about it from outside.
type tenant struct {
	ID      string `json:"sandbox_id"`
	Office  string `json:"office_key"`
	Factory string `json:"factory_key"`

	preset, clock string
	// disturbed is set for a sandbox with injected faults.
	disturbed bool
	// heard is told of each attempt then, and of what came back, nil for nothing.
	heard func(q request, a *testclient.Answer)

	// mu guards what follows: writers and readers note what they learn.
	mu      sync.Mutex
	intents []*intent
	// seen are the events that anybody has read, as they were served: event n
	// is at n-1.
	seen []feedEvent
	// verified is how many of them were there after a kill.
	verified int
}

// outcome is the known outcome of an intention.
type outcome int

const (
	// unknown is a request whose answer never came.
	unknown outcome = iota
	// acknowledged is one that was answered with success.
	acknowledged
	// refused is one that was answered, and had no effect.
	refused
)

// intent is one write that a client means to happen once.
type intent struct {
	kind    kind
	request request
	outcome outcome
	raw     []byte
	// checked is set when its replay was compared after a kill.
	checked bool
}

// kind is the kind of a write.
type kind int

const (
	accept kind = iota
	decline
	order
	run
	ship
	bill
	tick
)

// evidence is the type of the one event that each kind writes; a tick has
// none, its evidence is the clock.
var evidence = map[kind]string{
	accept:  "office.sales_order.accepted",
	decline: "office.sales_order.declined",
	order:   "factory.work_order.created",
	run:     "factory.print_run.started",
	ship:    "factory.shipment.created",
	bill:    "office.customer_invoice.created",
}

// newTenant creates a sandbox.
func newTenant(p *process, preset, clock string) (*tenant, error) {
	n := &tenant{preset: preset, clock: clock}
	return n, n.create(p, fmt.Sprintf(`{"preset":%q,"clock":%q}`, preset, clock))
}

func (n *tenant) create(p *process, body string) error {
	a, err := p.send(request{method: http.MethodPost, path: "/sandboxes", body: body})
	if err != nil {
		return err
	}
	if a.Status != http.StatusCreated {
		return fmt.Errorf("create a sandbox: %d %s", a.Status, a.Raw)
	}
	return json.Unmarshal(a.Raw, &struct{ Data *tenant }{n})
}

// intend notes a write before it is sent.
func (n *tenant) intend(k kind, path, body, key string) *intent {
	q := request{method: http.MethodPost, path: path, key: n.Factory, idempotency: key, body: body}
	if k == accept || k == decline || k == bill || k == tick {
		q.key = n.Office
	}
	in := &intent{kind: k, request: q}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.intents = append(n.intents, in)
	return in
}

// try sends a write and notes what its answer says.
func (n *tenant) try(p *process, in *intent) (*testclient.Answer, error) {
	a, err := n.send(p, in.request)
	if err != nil {
		return a, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	switch a.Status {
	case http.StatusOK, http.StatusCreated:
		in.outcome, in.raw = acknowledged, a.Raw
	case http.StatusConflict, http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		// Another client was faster, the press is busy, paper is short, the clock
		// moved a moment ago, the server is stopping: no effect. But an attempt of which
		// nothing was heard may have been on its way meanwhile.
		if p.fleet == nil || !p.fleet.unsettled(in.request) {
			in.outcome = refused
		}
	default:
		return a, fmt.Errorf("%s %s: %d %s", in.request.path, in.request.body, a.Status, a.Raw)
	}
	return a, nil
}

// claim returns the event that an acknowledged write must have written.
func (in *intent) claim() (eventType, id string, err error) {
	var body struct {
		Data struct {
			ID      string
			Invoice struct{ ID string }
		}
	}
	if err := json.Unmarshal(in.raw, &body); err != nil {
		return "", "", fmt.Errorf("answer of %s: %w", in.request.path, err)
	}
	if in.kind == bill {
		return evidence[bill], body.Data.Invoice.ID, nil
	}
	return evidence[in.kind], body.Data.ID, nil
}

// minutes returns how far an acknowledged tick moved the clock.
func (in *intent) minutes() (int64, error) {
	var body struct {
		Data struct {
			Minutes int64 `json:"advanced_minutes"`
		}
	}
	err := json.Unmarshal(in.raw, &body)
	return body.Data.Minutes, err
}

// decode reads an answer of success.
func decode(a *testclient.Answer, into any) error {
	if a.Status != http.StatusOK {
		return fmt.Errorf("the answer is %d %s", a.Status, a.Raw)
	}
	return json.Unmarshal(a.Raw, into)
}

// feedEvent is an event as the feed serves it.
type feedEvent struct {
	Seq       uint64
	ID        string
	Type      string
	CreatedAt string `json:"created_at"`
	Data      struct {
		ID      string
		Status  string
		Source  string
		Changes []struct{ Resource, ID, From, To string }
	}
	Links struct{ Self string }

	raw string
}

// follow reads the feed on from an event, as far as it goes, and notes what it
// reads. It fails on a gap, on a repeat, on time that does not grow, and on an
// event that differs from what was read before.
func (n *tenant) follow(p *process, after uint64) error {
	for {
		a, err := n.send(p, request{
			method: http.MethodGet, path: fmt.Sprintf("/events?limit=100&after_seq=%d", after), key: n.Office,
		})
		if err != nil {
			return err
		}
		var page struct {
			Data struct {
				Items   []json.RawMessage
				LastSeq uint64 `json:"last_seq"`
			}
		}
		if err := decode(a, &page); err != nil {
			return fmt.Errorf("feed after %d: %w", after, err)
		}
		for _, raw := range page.Data.Items {
			if after, err = n.heed(raw, after); err != nil {
				return err
			}
		}
		if after >= page.Data.LastSeq {
			if more, err := n.hides(p, after); err != nil || !more {
				return errors.Join(err, n.whole(after))
			}
			continue
		}
		if len(page.Data.Items) == 0 {
			return fmt.Errorf("the feed ends at %d, its last_seq is %d", after, page.Data.LastSeq)
		}
	}
}

// heed takes one event of the feed.
func (n *tenant) heed(raw []byte, after uint64) (uint64, error) {
	var e feedEvent
	if err := json.Unmarshal(raw, &e); err != nil {
		return 0, fmt.Errorf("event after %d: %w", after, err)
	}
	var err error
	if e.raw, err = n.plain(raw); err != nil {
		return 0, err
	}
	if e.Seq != after+1 {
		return 0, fmt.Errorf("event %d (%s) follows %d", e.Seq, e.ID, after)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	known := uint64(len(n.seen))
	switch {
	case e.Seq <= known:
		if was := n.seen[e.Seq-1]; was.raw != e.raw {
			return 0, fmt.Errorf("event %d has changed\nfrom %s\nto   %s", e.Seq, was.raw, e.raw)
		}
	case e.Seq == known+1:
		if known > 0 && e.CreatedAt <= n.seen[known-1].CreatedAt {
			return 0, fmt.Errorf("event %d of %s follows one of %s", e.Seq, e.CreatedAt, n.seen[known-1].CreatedAt)
		}
		n.seen = append(n.seen, e)
	}
	return e.Seq, nil
}

// whole reports events that were read before and are not there any more.
func (n *tenant) whole(newest uint64) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if known := uint64(len(n.seen)); newest < known {
		return fmt.Errorf("events %d to %d have been read, and now the feed ends at %d", newest+1, known, newest)
	}
	return nil
}

// newest is the number of the newest event that anybody has read.
func (n *tenant) newest() uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return uint64(len(n.seen))
}
