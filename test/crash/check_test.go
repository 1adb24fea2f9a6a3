package crash

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
)

// olderReplays is how many writes of earlier rounds are replayed again after
// each kill, beside all those of the last one.
const olderReplays = 5

// tally counts the items that a check has looked at.
type tally struct {
	replays, happened, repeated, refusals, events int
}

func (y *tally) add(o tally) {
	y.replays += o.replays
	y.happened += o.happened
	y.repeated += o.repeated
	y.refusals += o.refusals
	y.events += o.events
}

// check compares a server with everything that is known of a tenant: what was
// acknowledged is there once and its replay is the same to the byte, what was
// not is made to have happened once, the feed is whole, and rows, sums and
// events agree. A full check reads the feed from its beginning and replays
// every write.
func (n *tenant) check(p *process, random *rand.Rand, full bool) (tally, error) {
	var y tally
	from := uint64(0)
	if !full {
		from = uint64(max(0, n.verified-random.IntN(50)))
	}
	if err := n.follow(p, from); err != nil {
		return y, err
	}
	y.events = len(n.seen) - int(from)
	if err := n.replay(p, random, full, &y); err != nil {
		return y, err
	}
	if err := n.retry(p, &y); err != nil {
		return y, err
	}
	if err := n.agree(p); err != nil {
		return y, err
	}
	n.verified = len(n.seen)
	return y, nil
}

// replay sends acknowledged writes again: each must be answered as before.
func (n *tenant) replay(p *process, random *rand.Rand, full bool, y *tally) error {
	for _, in := range n.intents {
		if in.outcome != acknowledged || in.checked && !full && random.IntN(1+len(n.intents)) >= olderReplays {
			continue
		}
		a, err := n.send(p, in.request)
		if err != nil {
			return err
		}
		if a.Header.Get("Idempotency-Replayed") != "true" || !bytes.Equal(a.Raw, in.raw) {
			return fmt.Errorf("the replay of %s %s is %d, replayed %q\ngot  %s\nwant %s",
				in.request.path, in.request.idempotency, a.Status, a.Header.Get("Idempotency-Replayed"), a.Raw, in.raw)
		}
		in.checked = true
		y.replays++
	}
	// Acknowledged changes are in the feed, before any request is sent again.
	return n.accounted(func(claimed, found int) bool { return claimed <= found })
}

// retry sends what was never answered: it happened and is replayed, or did not
// and happens now, or is refused now. Afterwards the feed holds what was
// acknowledged and nothing else.
func (n *tenant) retry(p *process, y *tally) error {
	for _, in := range n.intents {
		if in.outcome != unknown {
			continue
		}
		a, err := n.try(p, in)
		if err != nil {
			return fmt.Errorf("retry: %w", err)
		}
		switch {
		case in.outcome == refused:
			y.refusals++
		case a.Header.Get("Idempotency-Replayed") == "true":
			y.happened++
		default:
			y.repeated++
		}
	}
	if err := n.follow(p, n.newest()); err != nil {
		return err
	}
	return n.accounted(func(claimed, found int) bool { return claimed == found })
}

// accounted compares the writes that were acknowledged with the events that
// only such writes make. Each write claims one event for itself.
func (n *tenant) accounted(enough func(claimed, found int) bool) error {
	found := map[string]int{} // by type and id
	byType := map[string]int{}
	types := slices.Collect(maps.Values(evidence))
	for i := range n.seen {
		e := &n.seen[i]
		if !slices.Contains(types, e.Type) || e.Data.Source != "" && e.Data.Source != "client" {
			continue
		}
		byType[e.Type]++
		if found[e.Type+" "+e.Data.ID]++; found[e.Type+" "+e.Data.ID] > 1 {
			return fmt.Errorf("event %d says a second time %s of %s", e.Seq, e.Type, e.Data.ID)
		}
	}
	claimed := map[string]int{}
	for _, in := range n.intents {
		if in.outcome != acknowledged || in.kind == tick {
			continue
		}
		eventType, id, err := in.claim()
		if err != nil {
			return err
		}
		claimed[eventType]++
		if found[eventType+" "+id]--; found[eventType+" "+id] < 0 {
			return fmt.Errorf("%s %s was acknowledged, and no event %s of %q is left for it",
				in.request.path, in.request.idempotency, eventType, id)
		}
	}
	for _, eventType := range types {
		if !enough(claimed[eventType], byType[eventType]) {
			return fmt.Errorf("%d writes claim an event %s, the feed has %d",
				claimed[eventType], eventType, byType[eventType])
		}
	}
	return nil
}

// quietTries is how often the state is read until nothing happens meanwhile.
const quietTries = 100

// agree compares rows, sums, the clock and the feed at one moment.
func (n *tenant) agree(p *process) error {
	for range quietTries {
		before := n.newest()
		s, err := n.read(p)
		if err != nil {
			return err
		}
		if err := n.follow(p, before); err != nil {
			return err
		}
		if n.newest() != before || s.glance.LastSeq != before {
			continue // something happened while the state was read
		}
		return errors.Join(s.cash(), s.stock(), s.statuses(n.seen), n.time(s))
	}
	return errors.New("the sandbox never was quiet")
}

// resources are the tables with statuses, by the name of their rows.
var resources = map[string]string{
	"sales_order": "/office/sales-orders", "office_shipment": "/office/shipments",
	"customer_invoice": "/office/customer-invoices", "work_order": "/factory/work-orders",
	"print_run": "/factory/print-runs", "factory_shipment": "/factory/shipments", "press": "/factory/presses",
	"stock_item": "/factory/stock", "mission": "/missions", "achievement": "/sandbox/achievements",

	"office_requisition": "/office/requisitions", "purchase_order": "/office/purchase-orders",
	"office_goods_receipt": "/office/goods-receipts", "supplier_invoice": "/office/supplier-invoices",
	"contract_lot": "/office/contract-lots", "market_trade": "/office/market/trades",
	"market_delivery": "/factory/market-deliveries", "employee": "/office/employees",
	"payroll_run": "/office/payroll-runs", "lore_event": "/sandbox/lore-events", "major_order": "/sandbox/major-orders",
	"factory_requisition": "/factory/requisitions", "delivery": "/factory/deliveries",
	"factory_goods_receipt": "/factory/goods-receipts",
}

// state has the compared part of a sandbox's data that a client can read.
type state struct {
	rows   map[string][]row
	ledger []row
	moves  []row
	money  struct {
		Cash    int64 `json:"cash_minor"`
		Opening int64 `json:"opening_cash_minor"`
	}
	glance struct {
		LastSeq uint64 `json:"last_seq"`
		Cash    int64  `json:"cash_minor"`
		Clock   struct {
			Day  int64  `json:"day_number"`
			Time string `json:"sim_time"`
		}
	}
}

type row struct {
	ID      string
	Status  string
	SKU     string
	Amount  int64 `json:"amount_minor"`
	Balance int64 `json:"balance_minor"`
	Count   int64 `json:"quantity"`
	After   int64 `json:"balance_after"`
	OnHand  int64 `json:"on_hand"`
}

func (n *tenant) read(p *process) (*state, error) {
	s := &state{rows: map[string][]row{}}
	var err error
	for name, path := range resources {
		if s.rows[name], err = n.list(p, path); err != nil {
			return nil, err
		}
	}
	if s.ledger, err = n.list(p, "/office/ledger"); err != nil {
		return nil, err
	}
	if s.moves, err = n.list(p, "/factory/stock-moves"); err != nil {
		return nil, err
	}
	if err := n.object(p, "/office/cash", &s.money); err != nil {
		return nil, err
	}
	return s, n.object(p, "/sandbox", &s.glance)
}

func (n *tenant) keyFor(path string) string {
	if strings.HasPrefix(path, "/factory") {
		return n.Factory
	}
	return n.Office
}

func (n *tenant) object(p *process, path string, into any) error {
	a, err := n.send(p, request{method: http.MethodGet, path: path, key: n.keyFor(path)})
	if err == nil {
		err = n.forgot(a)
	}
	if err != nil {
		return err
	}
	if err := decode(a, &struct{ Data any }{into}); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// list reads all rows of a table, oldest first.
func (n *tenant) list(p *process, path string) ([]row, error) {
	var all []row
	const beginning = "?limit=100"
	query := beginning
	for {
		var page struct {
			Items []json.RawMessage
			Next  *string `json:"next_cursor"`
		}
		err := n.object(p, path+query, &page)
		if errors.Is(err, errForgotten) {
			all, query = nil, beginning
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, raw := range page.Items {
			var r row
			if err := json.Unmarshal(raw, &r); err != nil {
				return nil, err
			}
			all = append(all, r)
		}
		if page.Next == nil {
			slices.Reverse(all)
			return all, nil
		}
		query = beginning + "&cursor=" + *page.Next
	}
}

// cash reports a ledger that does not add up to the company's cash.
func (s *state) cash() error {
	sum := int64(0)
	for _, e := range s.ledger {
		if sum += e.Amount; sum != e.Balance {
			return fmt.Errorf("ledger entry %s says %d, the entries add up to %d", e.ID, e.Balance, sum)
		}
	}
	if sum != s.money.Cash || sum != s.glance.Cash {
		return fmt.Errorf("the ledger adds up to %d, cash is %d and %d", sum, s.money.Cash, s.glance.Cash)
	}
	return nil
}

// stock reports moves that do not add up to what is on hand.
func (s *state) stock() error {
	sums := map[string]int64{}
	for _, m := range s.moves {
		if sums[m.SKU] += m.Count; sums[m.SKU] != m.After {
			return fmt.Errorf("stock move %s leaves %d of %s, the moves add up to %d",
				m.ID, m.After, m.SKU, sums[m.SKU])
		}
	}
	for _, item := range s.rows["stock_item"] {
		if item.OnHand != sums[item.SKU] {
			return fmt.Errorf("%d of %s are on hand, the moves add up to %d", item.OnHand, item.SKU, sums[item.SKU])
		}
	}
	return nil
}

// statuses compares the status of each row with the last one that the feed
// tells of it.
func (s *state) statuses(events []feedEvent) error {
	told, err := project(events)
	if err != nil {
		return err
	}
	for name, rows := range s.rows {
		for _, r := range rows {
			want, known := told[name+" "+r.ID]
			delete(told, name+" "+r.ID)
			// These are there from the beginning, and the feed is silent
			// until they change.
			silent := name == "press" || name == "stock_item" || name == "mission"
			if !known && !silent || known && want != r.Status {
				return fmt.Errorf("%s %s is %q, the feed says %q", name, r.ID, r.Status, want)
			}
		}
	}
	for name, status := range told {
		return fmt.Errorf("the feed says that %s is %q, and there is no such row", name, status)
	}
	return nil
}

// project plays the feed: the status of every record that it tells of. A
// change from a status that the record did not have is an error.
func project(events []feedEvent) (map[string]string, error) {
	statuses := map[string]string{}
	for i := range events {
		e := &events[i]
		for _, c := range e.Data.Changes {
			if _, ours := resources[c.Resource]; !ours {
				return nil, fmt.Errorf("event %d changes a %s", e.Seq, c.Resource)
			}
			name := c.Resource + " " + c.ID
			if was, known := statuses[name]; known && was != c.From || !known && c.From != "" && c.Resource != "press" {
				return nil, fmt.Errorf("event %d changes %s from %q, it was %q", e.Seq, name, c.From, was)
			}
			statuses[name] = c.To
		}
		for resource, path := range resources {
			if e.Links.Self == path+"/"+e.Data.ID && e.Data.Status != "" {
				statuses[resource+" "+e.Data.ID] = e.Data.Status
			}
		}
	}
	return statuses, nil
}

// time compares a manual clock with the ticks that were acknowledged.
func (n *tenant) time(s *state) error {
	if n.clock != "manual" {
		return nil
	}
	ticked := int64(0)
	for _, in := range n.intents {
		if in.kind != tick || in.outcome != acknowledged {
			continue
		}
		minutes, err := in.minutes()
		if err != nil {
			return err
		}
		ticked += minutes
	}
	const dayMinutes, opensAt = 480, 8
	var hour, minute int64
	if _, err := fmt.Sscanf(s.glance.Clock.Time, "%d:%d", &hour, &minute); err != nil {
		return err
	}
	if shown := s.glance.Clock.Day*dayMinutes + (hour-opensAt)*60 + minute; shown != ticked {
		return fmt.Errorf("the clock shows minute %d, ticks of %d minutes were acknowledged", shown, ticked)
	}
	return nil
}
