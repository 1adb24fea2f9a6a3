package crash

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
)

// writer is one client of a tenant that does whatever comes to its mind.
type writer struct {
	tenant *tenant
	random *rand.Rand
	// name makes its idempotency keys its own.
	name string
	// ticks is set for the one writer of a sandbox that may move the clock.
	ticks bool
	count int
	// acknowledged is called after each write that succeeded.
	acknowledged func()
}

// work writes until the server is gone, or refuses.
func (w *writer) work(p *process) error {
	for {
		in, err := w.next(p)
		if err == nil && in != nil {
			_, err = w.tenant.try(p, in)
			if err == nil && in.outcome == acknowledged {
				w.acknowledged()
			}
		}
		if errors.Is(err, errGone) || errors.Is(err, errStopping) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("writer %s: %w", w.name, err)
		}
	}
}

// errStopping reports that the server answers that it is stopping.
var errStopping = errors.New("the server is stopping")

// next thinks of a write, nil when what it thought of cannot be done now.
func (w *writer) next(p *process) (*intent, error) {
	w.count++
	key := fmt.Sprintf("%s-%d", w.name, w.count)
	n := w.tenant
	switch chance := w.random.IntN(100); {
	case w.ticks && chance < 4:
		return n.intend(tick, "/sandbox/tick", fmt.Sprintf(`{"minutes":%d}`, 1+w.random.IntN(480)), key), nil
	case chance < 30:
		return w.order(key), nil
	case chance < 55:
		return w.answerOrder(p, key)
	case chance < 75:
		return w.print(p, key)
	case chance < 90 || n.preset != "manual":
		return w.ship(p, key)
	default:
		return w.bill(p, key)
	}
}

func (w *writer) order(key string) *intent {
	if w.random.IntN(4) == 0 { // for the shelf
		return w.tenant.intend(order, "/factory/work-orders",
			fmt.Sprintf(`{"sku":"prd_notebook","quantity":%d}`, 1+w.random.IntN(3)), key)
	}
	sku := []string{"prd_card", "prd_notebook", "prd_calendar", "prd_poster"}[w.random.IntN(4)]
	body := fmt.Sprintf(`{"sku":%q,"quantity":%d,"reference":%q}`, sku, 1+w.random.IntN(3), "ref-"+key)
	return w.tenant.intend(order, "/factory/work-orders", body, key)
}

func (w *writer) answerOrder(p *process, key string) (*intent, error) {
	id, err := w.pick(p, "/office/sales-orders?limit=20&status=received")
	if err != nil || id == "" {
		return nil, err
	}
	if w.random.IntN(4) == 0 {
		return w.tenant.intend(decline, "/office/sales-orders/"+id+"/decline",
			fmt.Sprintf(`{"reason":%q}`, key), key), nil
	}
	return w.tenant.intend(accept, "/office/sales-orders/"+id+"/accept", "", key), nil
}

func (w *writer) print(p *process, key string) (*intent, error) {
	id, err := w.pick(p, "/factory/work-orders?limit=20&status=created")
	if err != nil || id == "" {
		return nil, err
	}
	press := []string{"prs_digital", "prs_offset"}[w.random.IntN(2)]
	return w.tenant.intend(run, "/factory/print-runs",
		fmt.Sprintf(`{"press_id":%q,"work_order_id":%q,"overs_pct":%d}`, press, id, w.random.IntN(10)), key), nil
}

func (w *writer) ship(p *process, key string) (*intent, error) {
	id, err := w.pick(p, "/factory/work-orders?limit=20&status=ready")
	if err != nil || id == "" {
		return nil, err
	}
	return w.tenant.intend(ship, "/factory/shipments",
		fmt.Sprintf(`{"work_order_id":%q,"carrier_note":%q}`, id, key), key), nil
}

func (w *writer) bill(p *process, key string) (*intent, error) {
	id, err := w.pick(p, "/office/sales-orders?limit=20&status=accepted")
	if err != nil || id == "" {
		return nil, err
	}
	return w.tenant.intend(bill, "/office/shipments", fmt.Sprintf(`{"sales_order_id":%q}`, id), key), nil
}

// pick returns the id of some row of a list, "" when there is none.
func (w *writer) pick(p *process, path string) (string, error) {
	a, err := w.tenant.send(p, request{method: http.MethodGet, path: path, key: w.tenant.keyFor(path)})
	if err != nil {
		return "", err
	}
	if a.Status == http.StatusServiceUnavailable && p.dying.Load() {
		return "", errStopping
	}
	var list struct {
		Data struct{ Items []struct{ ID string } }
	}
	if err := decode(a, &list); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	items := list.Data.Items
	if len(items) == 0 {
		return "", nil
	}
	return items[w.random.IntN(len(items))].ID, nil
}

// write makes a number of writes to each tenant.
func write(t *testing.T, p *process, tenants []*tenant, name string, successes int) {
	t.Helper()
	for i, n := range tenants {
		w := &writer{
			tenant: n, name: fmt.Sprintf("%s-%d", name, i), random: rand.New(rand.NewPCG(7, uint64(i))),
			ticks: n.clock == "manual",
		}
		for left := successes; left > 0; {
			in, err := w.next(p)
			if err != nil {
				t.Fatal(err)
			}
			if in == nil {
				continue
			}
			a, err := n.try(p, in)
			switch {
			case err != nil:
				t.Fatal(err)
			case a.Status == http.StatusServiceUnavailable:
				t.Fatalf("%s: %d %s", name, a.Status, a.Raw)
			case in.outcome == acknowledged:
				left--
			}
		}
	}
}

// readOn reads the feed and the state until the server is gone. The rows that
// it has read must be there after the kill too.
func (n *tenant) readOn(p *process) error {
	for {
		err := n.follow(p, n.newest())
		if err == nil {
			_, err = n.read(p)
		}
		switch {
		case errors.Is(err, errGone):
			return nil
		case err != nil && p.dying.Load():
			return nil // it answers that it is stopping
		case err != nil:
			return fmt.Errorf("reader: %w", err)
		}
	}
}

// created is the answer of a creation.
type created struct {
	Office string `json:"office_key"`
}

// createOn creates sandboxes until the server is gone, a few at most, and
// returns the keys of those that were acknowledged.
func createOn(p *process, most int) ([]string, error) {
	var keys []string
	for range most {
		a, err := p.send(request{method: http.MethodPost, path: "/sandboxes"})
		if errors.Is(err, errGone) || err == nil && a.Status == http.StatusServiceUnavailable && p.dying.Load() {
			return keys, nil
		}
		if err != nil {
			return keys, fmt.Errorf("creator: %w", err)
		}
		var c created
		if a.Status != http.StatusCreated {
			return keys, fmt.Errorf("creator: %d %s", a.Status, a.Raw)
		}
		if err := json.Unmarshal(a.Raw, &struct{ Data *created }{&c}); err != nil {
			return keys, err
		}
		keys = append(keys, c.Office)
	}
	return keys, nil
}
