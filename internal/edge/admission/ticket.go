package admission

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"platen/internal/store"
)

// forfeitKept is how long a lost ticket is refused as such (contract:
// OPEN.QUEUE.FORFEIT).
const forfeitKept = 10 * time.Minute

// Ids of tickets: the holder of one gets the keys, so they are as hard to guess
// as those and are stored only as a hash.
const (
	ticketPrefix = "tkt_"
	ticketBytes  = 16
)

//nolint:gochecknoglobals // an alphabet
var ticketText = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

func newTicketID() string {
	b := make([]byte, ticketBytes)
	rand.Read(b)
	return ticketPrefix + ticketText.EncodeToString(b)
}

// ticketKey is the name under which a ticket is kept.
func ticketKey(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}

// state of a ticket.
type state string

const (
	waiting   state = "waiting"
	ready     state = "ready"
	forfeited state = "forfeited"
)

// ticket is a place in the queue.
type ticket struct {
	key string
	// Number is the place in the order of arrival.
	Number uint64 `json:"number"`
	Order  Order  `json:"order"`
	State  state  `json:"state"`
	// Since is when it came into its state.
	Since time.Time `json:"since"`

	// held is not nil while a request claims the ticket or writes it.
	held chan struct{}
	// pending is set until the ticket is durable, changed while the stored
	// ticket is older.
	pending, changed bool
}

func (t *ticket) record() store.Record {
	body, err := json.Marshal(t)
	if err != nil {
		panic("encode ticket: " + err.Error()) // our own type always encodes
	}
	r := store.Record{Kind: kindTicket, Key: t.key, Body: body, EndsAt: never}
	if t.State == forfeited {
		r.EndsAt = t.Since.Add(forfeitKept)
	}
	return r
}

func (t *ticket) hold() { t.held = make(chan struct{}) }

func (t *ticket) release() {
	close(t.held)
	t.held = nil
}

// queue holds the tickets of requests that found no place.
type queue struct {
	// tickets are all that are not gone, by key.
	tickets map[string]*ticket
	// waiting are those that wait, in their order, ready those to be claimed.
	waiting, ready []*ticket
	next           uint64
	// forecast is when places will be free, in order, as it was seen at a time.
	forecast []time.Time
	seen     time.Time
}

// readQueue reads the queue as it was left. The time in which no ticket could
// be claimed does not count: the windows of ready tickets begin anew.
func readQueue(ctx context.Context, db store.Store, now time.Time) (queue, error) {
	l := queue{tickets: map[string]*ticket{}}
	records, err := db.List(ctx, kindTicket)
	if err != nil {
		return l, fmt.Errorf("read the queue: %w", err)
	}
	for _, record := range records {
		t := &ticket{key: record.Key}
		if err := json.Unmarshal(record.Body, t); err != nil {
			return l, fmt.Errorf("read the queue: %w", err)
		}
		if t.Number == math.MaxUint64 || !slices.Contains([]state{waiting, ready, forfeited}, t.State) {
			return l, fmt.Errorf("read the queue: a ticket is number %d and %q", t.Number, t.State)
		}
		l.tickets[t.key] = t
		l.next = max(l.next, t.Number+1)
		switch t.State {
		case waiting:
			l.waiting = append(l.waiting, t)
		case ready:
			t.Since = now
			l.ready = append(l.ready, t)
		case forfeited:
		}
	}
	slices.SortFunc(l.waiting, inOrder)
	slices.SortFunc(l.ready, inOrder)
	return l, nil
}

func inOrder(a, b *ticket) int { return cmp.Compare(a.Number, b.Number) }

// add puts a new ticket at the end of the queue.
func (l *queue) add(order Order, now time.Time) (t *ticket, id string) {
	id = newTicketID()
	t = &ticket{key: ticketKey(id), Number: l.next, Order: order, State: waiting, Since: now, pending: true}
	l.next++
	l.tickets[t.key] = t
	l.waiting = append(l.waiting, t)
	return t, id
}

// remove takes a ticket out of the queue.
func (l *queue) remove(t *ticket) {
	delete(l.tickets, t.key)
	l.waiting = without(l.waiting, t)
	l.ready = without(l.ready, t)
}

func without(tickets []*ticket, t *ticket) []*ticket {
	return slices.DeleteFunc(tickets, func(other *ticket) bool { return other == t })
}

func (t *ticket) setState(s state, now time.Time) { t.State, t.Since, t.changed = s, now, true }

// promote brings the queue up to the present: places that were not claimed are
// lost, and free ones go to the head. The caller holds mu.
func (c *Controller) promote(now time.Time) {
	l := &c.queue
	for _, t := range slices.Clone(l.ready) {
		if t.held == nil && !now.Before(t.Since.Add(c.options.ClaimWindow)) {
			t.setState(forfeited, now)
			l.ready = without(l.ready, t)
			c.occupancy.network(t.Order.Network).tickets--
			c.occupancy.tidy(t.Order.Network, now)
			c.wake()
		}
	}
	for c.free() > 0 && len(l.waiting) > 0 && !l.waiting[0].pending {
		t := l.waiting[0]
		l.waiting = l.waiting[1:]
		t.setState(ready, now)
		l.ready = append(l.ready, t)
		l.seen = time.Time{}
		c.wake()
	}
}

// yield sends ready tickets back to the head of the queue that have no place:
// the operator has taken some away, or a loss was not written any more before
// the place went on. The caller holds mu.
func (c *Controller) yield() {
	l := &c.queue
	for c.free() < 0 && len(l.ready) > 0 {
		t := l.ready[len(l.ready)-1]
		l.ready = l.ready[:len(l.ready)-1]
		t.setState(waiting, c.options.Now())
		l.waiting = append(l.waiting, t)
	}
	slices.SortFunc(l.waiting, inOrder)
}

// free is the number of places that are neither taken nor reserved for a ready
// ticket.
func (c *Controller) free() int { return c.options.Capacity - c.occupancy.taken() - len(c.queue.ready) }
