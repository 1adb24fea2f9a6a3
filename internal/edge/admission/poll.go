package admission

import (
	"container/heap"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"platen/internal/store"
	"platen/internal/words/problem"
)

// forecastAge is for how long a forecast is good enough.
const forecastAge = time.Second

// Waiting is a place in the queue.
type Waiting struct {
	// Ticket is the id; only the client that asked for the sandbox gets it.
	Ticket string
	// Position counts from 1.
	Position int
	// EtaSeconds is the expected wait.
	EtaSeconds int
}

// Reply is a whole response.
type Reply struct {
	Status int
	Body   []byte
	// Replayed is set when it was kept of an earlier request.
	Replayed bool
}

// Order holds the sandbox to make, and for which network. Only the maker reads
// the text.
type Order struct {
	Network string `json:"network"`
	Text    []byte `json:"text"`
}

// Maker makes the sandbox of an order, for which there is a place. The commit
// that makes it has to write the records that belong to its response. An error
// that is a problem means that nothing was made.
type Maker func(ctx context.Context, order Order, records func(Reply) []store.Write) (Reply, error)

// Poll looks at a ticket. It makes the sandbox of a ready one, or returns the
// position of a waiting one (contract: QUEUE.READY, QUEUE.WAITING). The response of
// a claim is kept, and returned again to a client that repeats its idempotency key,
// "" for none (contract: OPEN.QUEUE.CLAIM.REPLAY).
func (c *Controller) Poll(ctx context.Context, id, idempotencyKey string, maker Maker) (Reply, *Waiting, error) {
	key := ticketKey(id)
	i, err := c.intend("ticket "+key, idempotencyKey, [sha256.Size]byte{})
	if err != nil {
		return Reply{}, nil, err
	}
	for ctx.Err() == nil {
		t, stands, err := c.inspect(key)
		if t != nil && err != nil && !c.writeTickets(ctx) {
			// A ticket that was called lost must not be found again.
			return Reply{}, nil, busy()
		}
		if t == nil && err != nil && i != nil {
			if reply, found, err := c.replay(ctx, i, c.options.Now()); err != nil || found {
				return reply, nil, err
			}
		}
		if err != nil || stands != nil {
			return Reply{}, stands, err
		}
		if held := c.tryHold(t); held != nil {
			select {
			case <-held:
			case <-ctx.Done():
			}
			continue
		}
		reply, err := c.claim(ctx, t, i, maker)
		return reply, nil, err
	}
	return Reply{}, nil, ctx.Err() // the client went away: its keys would be lost
}

func busy() error {
	p := problem.New(problem.Unavailable, "The storage is unavailable at the moment; the ticket keeps its position.")
	p.RetryAfter = 1
	return p
}

// Inspect is Poll without a claim: for a ready ticket it returns nil and no
// error.
func (c *Controller) Inspect(id string) (*Waiting, error) {
	_, stands, err := c.inspect(ticketKey(id))
	return stands, err
}

// inspect finds a ticket. It returns the position of one that waits, and refuses
// it when there is nothing to claim; a lost one is returned with the refusal.
func (c *Controller) inspect(key string) (*ticket, *Waiting, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.options.Now()
	c.promote(now)
	t := c.queue.tickets[key]
	switch {
	case t == nil || t.pending || t.State == forfeited && !now.Before(t.Since.Add(forfeitKept)):
		return nil, nil, problem.New(problem.TicketNotFound, "The ticket does not exist, or it has been claimed.")
	case t.State == forfeited:
		return t, nil, problem.New(problem.TicketForfeited,
			"The ticket was ready but not claimed within %s; the next client got the sandbox.", c.options.ClaimWindow)
	case t.State == waiting:
		stands := c.waiting(t, now)
		return t, &stands, nil
	}
	return t, nil, nil
}

// tryHold takes a ready ticket to claim it. When another request holds it, it
// returns a channel to wait on: however that request ends, the ticket has to be
// looked at again.
func (c *Controller) tryHold(t *ticket) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.held != nil {
		return t.held
	}
	if t.State != ready || c.queue.tickets[t.key] != t {
		over := make(chan struct{})
		close(over)
		return over
	}
	t.hold()
	return nil
}

// claim makes the sandbox of a ready ticket, in the step that takes the ticket
// away. A ticket that could not be claimed keeps its place, and its time begins
// anew (contract: QUEUE.KEEPS_PLACE).
func (c *Controller) claim(ctx context.Context, t *ticket, i *intention, maker Maker) (reply Reply, err error) {
	c.creating.RLock()
	defer c.creating.RUnlock()
	claimed, gone := false, false
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		now := c.options.Now()
		t.release()
		if !claimed && !gone {
			t.setState(ready, now)
			c.wake()
			return
		}
		c.queue.remove(t)
		c.occupancy.network(t.Order.Network).tickets--
		if gone {
			c.occupancy.making++ // until it is counted
			c.requestRecount()
		}
		c.occupancy.tidy(t.Order.Network, now)
		c.promote(now)
	}()
	reply, err = maker(ctx, t.Order, func(reply Reply) []store.Write {
		writes := []store.Write{{Record: store.Record{Kind: kindTicket, Key: t.key}, Rule: store.Take}}
		if i != nil {
			writes = append(writes, store.Write{Record: i.record(reply, c.options.Now())})
		}
		return append(writes, c.options.Role...)
	})
	if claimed = err == nil; !claimed {
		_, missing := c.store.Find(context.WithoutCancel(ctx), kindTicket, t.key)
		gone = errors.Is(missing, store.ErrNotFound)
	}
	return reply, err
}

// waiting returns the position of a waiting ticket. The caller holds mu.
func (c *Controller) waiting(t *ticket, now time.Time) Waiting {
	position := slices.Index(c.queue.waiting, t) + 1
	return Waiting{Position: position, EtaSeconds: c.eta(position, now)}
}

// eta is in how many seconds the place of a position will be free, as far as
// leases say (contract: OPEN.QUEUE.ETA). The caller holds mu.
func (c *Controller) eta(position int, now time.Time) int {
	l := &c.queue
	if age := now.Sub(l.seen); age < 0 || age >= forecastAge || len(l.forecast) < position {
		l.forecast, l.seen = c.departures(now, max(position, len(l.waiting))), now
	}
	return max(1, seconds(l.forecast[position-1].Sub(now)))
}

// departures are the times at which the next places will be free. A sandbox
// that comes into one stays for a whole turnover.
func (c *Controller) departures(now time.Time, most int) []time.Time {
	occupied := make(moments, 0, c.occupancy.taken()+len(c.queue.ready))
	for _, r := range c.occupancy.living {
		occupied = append(occupied, r.until)
	}
	for range c.occupancy.making + len(c.queue.ready) {
		occupied = append(occupied, now.Add(c.options.Turnover))
	}
	heap.Init(&occupied)
	for len(occupied) > c.options.Capacity { // after it was lowered
		heap.Pop(&occupied)
	}
	departures := make([]time.Time, 0, most)
	for range most {
		leaves := now
		if len(occupied) > 0 && occupied[0].After(now) {
			leaves = occupied[0]
		}
		departures = append(departures, leaves)
		if len(occupied) > 0 {
			occupied[0] = leaves.Add(c.options.Turnover)
			heap.Fix(&occupied, 0)
		}
	}
	return departures
}

// moments are a heap, the earliest first.
type moments []time.Time //nolint:recvcheck // heap.Interface needs both

func (m moments) Len() int           { return len(m) }
func (m moments) Less(i, j int) bool { return m[i].Before(m[j]) }
func (m moments) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }

// Push implements heap.Interface.
func (m *moments) Push(v any) {
	if t, ok := v.(time.Time); ok {
		*m = append(*m, t)
	}
}

// Pop implements heap.Interface.
func (m *moments) Pop() any {
	last := len(*m) - 1
	t := (*m)[last]
	*m = (*m)[:last]
	return t
}
