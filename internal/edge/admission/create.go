package admission

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"platen/internal/store"
	"platen/internal/store/storeproblem"
	"platen/internal/words/problem"
)

const (
	// fullRetrySeconds is the Retry-After when the queue is full (contract:
	// LIMIT.QUEUE_FULL_RETRY).
	fullRetrySeconds = 30
	// storeRetrySeconds is the Retry-After when the store takes no ticket: a place
	// may be free by then.
	storeRetrySeconds = 1
)

// Request is the wish for a sandbox.
type Request struct {
	// Order holds the sandbox to make, and for which network.
	Order Order
	// NoTicket refuses the request, with queue_full, when it would have to wait.
	NoTicket bool
	// Weight is how many creations of its network's hour the request counts as, and at least 1.
	Weight int
	// Wrong is why the request cannot be granted, nil for nothing. The request
	// is refused with it, unless its idempotency key decides otherwise
	// (contract: OPEN.IDEM.FIRST).
	Wrong error
	// Key is the idempotency key, "" for none, and Fingerprint distinguishes
	// requests with the same key.
	Key         string
	Fingerprint [sha256.Size]byte
	// Proof is the header Sim-PoW, as often as it was sent.
	Proof []string
	Make  Maker
	// Queued renders the response to a client that has to wait.
	Queued func(Waiting) Reply
}

// grant is the result of a request: a place, or a ticket.
type grant struct {
	network string
	weight  int
	now     time.Time
	ticket  *ticket
	stands  Waiting
	// records have to be written together with the response.
	records []store.Write
	proof   string
	settled bool
}

// Create makes a sandbox, or hands out a ticket, or refuses both. A refusal has
// used up nothing, the proof of work included.
func (c *Controller) Create(ctx context.Context, in Request) (Reply, error) {
	i, err := c.intend(in.Order.Network, in.Key, in.Fingerprint)
	if err != nil {
		return Reply{}, err
	}
	if i != nil {
		done, err := c.waitFor(ctx, i.name)
		if err != nil {
			return Reply{}, err
		}
		defer done()
		if reply, found, err := c.replay(ctx, i, c.options.Now()); err != nil || found {
			return reply, err
		}
	}
	if in.Wrong != nil {
		return Reply{}, in.Wrong
	}
	c.creating.RLock()
	defer c.creating.RUnlock()
	g, err := c.grant(ctx, &in)
	if err != nil {
		return Reply{}, err
	}
	defer c.finish(g)
	records := func(reply Reply) []store.Write {
		writes := append(g.records, c.options.Role...)
		if i == nil {
			return writes
		}
		return append(writes, store.Write{Record: i.record(reply, g.now)})
	}
	if g.ticket != nil {
		return c.enqueue(ctx, g, in.Queued(g.stands), records)
	}
	reply, err := in.Make(ctx, in.Order, records)
	g.settled = err == nil || isProblem(err)
	if err != nil {
		c.undo(g)
	}
	return reply, err
}

// waitFor waits until no other creation is under way with the key of a name, and then holds
// it until done is called.
func (c *Controller) waitFor(ctx context.Context, name string) (done func(), err error) {
	for {
		c.mu.Lock()
		held, ok := c.keys[name]
		if !ok {
			held = make(chan struct{})
			c.keys[name] = held
		}
		c.mu.Unlock()
		if !ok {
			return func() {
				c.mu.Lock()
				defer c.mu.Unlock()
				delete(c.keys, name)
				close(held)
			}, nil
		}
		select {
		case <-held:
		case <-ctx.Done():
			return nil, ctx.Err() //nolint:wrapcheck // the client went away, and reads no response
		}
	}
}

// hold notes that a name is in use, unless it is already.
func (c *Controller) hold(names map[string]bool, name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if names[name] {
		return false
	}
	names[name] = true
	return true
}

func (c *Controller) release(names map[string]bool, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(names, name)
}

// grant gives a request a place or a ticket. A client that would be refused
// anyway is not asked for a proof of work first.
func (c *Controller) grant(ctx context.Context, in *Request) (*grant, error) {
	now := c.options.Now()
	if err := c.precheck(in, now); err != nil {
		return nil, err
	}
	proof, err := c.prove(ctx, in.Proof, now)
	if err != nil {
		return nil, err
	}
	g := &grant{network: in.Order.Network, weight: c.weight(in), now: now}
	if proof != nil {
		g.proof = proof.Key
		g.records = append(g.records, store.Write{Record: *proof, Rule: store.Add})
	}
	if err := c.reserve(g, in); err != nil {
		c.release(c.proofs, g.proof)
		return nil, err
	}
	return g, nil
}

// reserve takes a place for a grant, or the end of the queue.
func (c *Controller) reserve(g *grant, in *Request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.roomFor(in, g.now); err != nil {
		return err
	}
	household := c.occupancy.network(g.network)
	if c.options.Hourly > 0 {
		household.creations = append(household.creations, slices.Repeat([]time.Time{g.now}, g.weight)...)
		g.records = append(g.records, store.Write{Record: creationRecord(g)})
	}
	if c.hasPlace() {
		household.making++
		c.occupancy.making++
		return nil
	}
	household.tickets++
	t, id := c.queue.add(in.Order, g.now)
	g.ticket, g.stands = t, c.waiting(t, g.now)
	g.stands.Ticket = id
	g.records = append(g.records, store.Write{Record: t.record(), Rule: store.Add})
	return nil
}

// precheck refuses a client that cannot be served, before it is asked for
// anything.
func (c *Controller) precheck(in *Request, now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.roomFor(in, now)
}

// hasPlace reports whether the next request gets a place. The caller holds mu.
func (c *Controller) hasPlace() bool { return c.free() > 0 && len(c.queue.waiting) == 0 }

// roomFor refuses a network that may have no more sandboxes, and every network
// when neither a place nor the queue is left, or nothing that the request would
// take. The caller holds mu.
func (c *Controller) roomFor(in *Request, now time.Time) error {
	c.promote(now)
	if err := c.allows(in.Order.Network, c.weight(in), now); err != nil {
		return err
	}
	if waits := len(c.queue.waiting); !c.hasPlace() && (in.NoTicket || waits >= c.options.Queue) {
		p := problem.New(problem.QueueFull, "All %d places for sandboxes are taken, and %d clients wait in the queue.",
			c.options.Capacity, waits)
		p.RetryAfter = fullRetrySeconds
		return p
	}
	return nil
}

// creationRecord remembers a creation for as long as it counts. Names begin
// with the time, so that they sort by it.
func creationRecord(g *grant) store.Record {
	unique := make([]byte, 8)
	rand.Read(unique)
	body, err := json.Marshal(creation{Network: g.network, At: g.now, Weight: g.weight})
	if err != nil {
		panic("encode creation: " + err.Error()) // our own type always encodes
	}
	return store.Record{
		Kind: kindCreation, Key: fmt.Sprintf("%020d-%s", g.now.UnixMicro(), hex.EncodeToString(unique)), Body: body,
		EndsAt: g.now.Add(creationsCount),
	}
}

// enqueue makes a ticket durable.
func (c *Controller) enqueue(ctx context.Context, g *grant, reply Reply,
	records func(Reply) []store.Write) (Reply, error) {
	err := c.store.Write(context.WithoutCancel(ctx), records(reply))
	if err != nil {
		if _, missing := c.store.Find(context.WithoutCancel(ctx), kindTicket, g.ticket.key); missing == nil {
			err = nil // it was written, and the confirmation was lost
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	g.settled = true
	if err == nil {
		g.ticket.pending = false
		c.promote(c.options.Now())
		return reply, nil
	}
	// Should it have been written all the same, the next start will find it,
	// and it will never be claimed.
	c.queue.remove(g.ticket)
	c.occupancy.network(g.network).tickets--
	c.uncreate(g)
	c.promote(c.options.Now())
	p := storeproblem.Of(err)
	if errors.Is(err, store.ErrConflict) && len(c.options.Role) > 0 {
		p = problem.New(problem.Unavailable, "Another server hands out the places by now; nothing was changed.")
	}
	if p != nil {
		p.RetryAfter = storeRetrySeconds
		return Reply{}, p
	}
	return Reply{}, fmt.Errorf("write ticket: %w", err)
}

// weight is how many creations a request counts as: never more than its network may have in an hour.
func (c *Controller) weight(in *Request) int {
	if c.options.Hourly > 0 {
		return max(min(in.Weight, c.options.Hourly), 1)
	}
	return 1
}

// undo reverts what was noted of a creation that did not happen.
func (c *Controller) undo(g *grant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g.settled {
		c.uncreate(g)
	}
}

// uncreate takes a creation out of its network's hour. The caller holds mu.
func (c *Controller) uncreate(g *grant) {
	h := c.occupancy.network(g.network)
	i := slices.IndexFunc(h.creations, g.now.Equal)
	if i >= 0 {
		h.creations = slices.Concat(h.creations[:i], h.creations[min(i+g.weight, len(h.creations)):])
	}
}

// finish releases what a creation held. When its outcome is not known, its
// place stays taken until the sandboxes have been counted again.
func (c *Controller) finish(g *grant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.proofs, g.proof)
	if g.ticket == nil {
		c.occupancy.network(g.network).making--
		if g.settled {
			c.occupancy.making--
		} else {
			c.requestRecount()
		}
	}
	now := c.options.Now()
	c.occupancy.tidy(g.network, now)
	c.promote(now)
}
