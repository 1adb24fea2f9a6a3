package admission

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"platen/internal/problem"
	"platen/internal/store"
)

// fullRetrySeconds is the Retry-After when the queue is full (contract:
// LIMIT.QUEUE_FULL_RETRY).
const fullRetrySeconds = 30

// Request is the wish for a sandbox.
type Request struct {
	// Order holds the sandbox to make, and for which network.
	Order Order
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
func (d *Controller) Create(ctx context.Context, in Request) (Reply, error) {
	i, err := d.intend(&in)
	if err != nil {
		return Reply{}, err
	}
	if i != nil {
		if !d.hold(d.keys, i.name) {
			return Reply{}, problem.New(problem.RequestInProgress,
				"The first request with this Idempotency-Key is still at work.")
		}
		defer d.release(d.keys, i.name)
		if reply, found, err := d.replay(ctx, i, d.options.Now()); err != nil || found {
			return reply, err
		}
	}
	if in.Wrong != nil {
		return Reply{}, in.Wrong
	}
	d.creating.RLock()
	defer d.creating.RUnlock()
	g, err := d.grant(ctx, &in)
	if err != nil {
		return Reply{}, err
	}
	defer d.finish(g)
	records := func(reply Reply) []store.Write {
		if i == nil {
			return g.records
		}
		return append(g.records, store.Write{Record: i.record(reply, g.now)})
	}
	if g.ticket != nil {
		return d.enqueue(ctx, g, in.Queued(g.stands), records)
	}
	reply, err := in.Make(ctx, in.Order, records)
	g.settled = err == nil || isProblem(err)
	if err != nil {
		d.undo(g)
	}
	return reply, err
}

// hold notes that a name is in use, unless it is already.
func (d *Controller) hold(names map[string]bool, name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if names[name] {
		return false
	}
	names[name] = true
	return true
}

func (d *Controller) release(names map[string]bool, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(names, name)
}

// grant gives a request a place or a ticket. A client that would be refused
// anyway is not asked for a proof of work first.
func (d *Controller) grant(ctx context.Context, in *Request) (*grant, error) {
	now := d.options.Now()
	if err := d.precheck(in.Order.Network, now); err != nil {
		return nil, err
	}
	proof, err := d.prove(ctx, in.Proof, now)
	if err != nil {
		return nil, err
	}
	g := &grant{network: in.Order.Network, now: now}
	if proof != nil {
		g.proof = proof.Key
		g.records = append(g.records, store.Write{Record: *proof, Rule: store.Add})
	}
	if err := d.reserve(g, in.Order); err != nil {
		d.release(d.proofs, g.proof)
		return nil, err
	}
	return g, nil
}

// reserve takes a place for a grant, or the end of the queue.
func (d *Controller) reserve(g *grant, order Order) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.roomFor(g.network, g.now); err != nil {
		return err
	}
	household := d.occupancy.network(g.network)
	if d.options.Hourly > 0 {
		household.creations = append(household.creations, g.now)
		g.records = append(g.records, store.Write{Record: creationRecord(g.network, g.now)})
	}
	if d.free() > 0 && len(d.queue.waiting) == 0 {
		household.making++
		d.occupancy.making++
		return nil
	}
	household.tickets++
	t, id := d.queue.add(order, g.now)
	g.ticket, g.stands = t, d.waiting(t, g.now)
	g.stands.Ticket = id
	g.records = append(g.records, store.Write{Record: t.record(), Rule: store.Add})
	return nil
}

// precheck refuses a client that cannot be served, before it is asked for
// anything.
func (d *Controller) precheck(network string, now time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.roomFor(network, now)
}

// roomFor refuses a network that may have no more sandboxes, and every network
// when neither a place nor the queue is left. The caller holds mu.
func (d *Controller) roomFor(network string, now time.Time) error {
	d.promote(now)
	if err := d.allows(network, now); err != nil {
		return err
	}
	if waits := len(d.queue.waiting); (waits > 0 || d.free() <= 0) && waits >= d.options.Queue {
		p := problem.New(problem.QueueFull, "All %d places for sandboxes are taken, and %d clients wait in the queue.",
			d.options.Capacity, waits)
		p.RetryAfter = fullRetrySeconds
		return p
	}
	return nil
}

// creationRecord remembers a creation for as long as it counts. Names begin
// with the time, so that they sort by it.
func creationRecord(network string, now time.Time) store.Record {
	unique := make([]byte, 8)
	rand.Read(unique)
	body, err := json.Marshal(creation{Network: network, At: now})
	if err != nil {
		panic("encode creation: " + err.Error()) // our own type always encodes
	}
	return store.Record{
		Kind: kindCreation, Key: fmt.Sprintf("%020d-%s", now.UnixMicro(), hex.EncodeToString(unique)), Body: body,
		EndsAt: now.Add(creationsCount),
	}
}

// enqueue makes a ticket durable.
func (d *Controller) enqueue(ctx context.Context, g *grant, reply Reply,
	records func(Reply) []store.Write) (Reply, error) {
	err := d.store.Write(context.WithoutCancel(ctx), records(reply))
	if err != nil {
		if _, missing := d.store.Find(context.WithoutCancel(ctx), kindTicket, g.ticket.key); missing == nil {
			err = nil // it was written, and the confirmation was lost
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	g.settled = true
	if err == nil {
		g.ticket.pending = false
		d.promote(d.options.Now())
		return reply, nil
	}
	// Should it have been written all the same, the next start will find it,
	// and it will never be claimed.
	d.queue.remove(g.ticket)
	d.occupancy.network(g.network).tickets--
	d.uncreate(g)
	d.promote(d.options.Now())
	if p := storeProblem(err); p != nil {
		return Reply{}, p
	}
	return Reply{}, fmt.Errorf("write ticket: %w", err)
}

// undo reverts what was noted of a creation that did not happen.
func (d *Controller) undo(g *grant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if g.settled {
		d.uncreate(g)
	}
}

// uncreate takes a creation out of its network's hour. The caller holds mu.
func (d *Controller) uncreate(g *grant) {
	h := d.occupancy.network(g.network)
	for i, at := range h.creations {
		if at.Equal(g.now) {
			h.creations = append(h.creations[:i:i], h.creations[i+1:]...)
			return
		}
	}
}

// finish releases what a creation held. When its outcome is not known, its
// place stays taken until the sandboxes have been counted again.
func (d *Controller) finish(g *grant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.proofs, g.proof)
	if g.ticket == nil {
		d.occupancy.network(g.network).making--
		if g.settled {
			d.occupancy.making--
		} else {
			d.requestRecount()
		}
	}
	now := d.options.Now()
	d.occupancy.tidy(g.network, now)
	d.promote(now)
}
