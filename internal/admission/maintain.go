package admission

import (
	"context"
	"time"

	"platen/internal/store"
)

const (
	// maxTend is how long Run rests when it is not woken.
	maxTend = 10 * time.Second
	// tendLeast is how long it rests after an error.
	tendLeast = time.Second
	// clearEvery is the interval at which ended records are removed, maxClear
	// the most in one step.
	clearEvery = 10 * time.Second
	maxClear   = 1000
	// maxTickets is the most tickets that are written in one step.
	maxTickets = 200
)

// Run keeps the queue moving and its records written until the context ends.
func (d *Controller) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.woken:
		case <-timer.C:
		}
		timer.Reset(d.Maintain(ctx))
	}
}

// Maintain does the work that is due: it counts again where there is doubt,
// lets tickets be ready or forfeited, writes their changes, and removes records
// that have ended. It returns how long it can rest.
func (d *Controller) Maintain(ctx context.Context) time.Duration {
	well := d.recount(ctx)
	now := d.options.Now()
	d.mu.Lock()
	d.promote(now)
	d.mu.Unlock()
	well = d.writeTickets(ctx) && well
	well = d.clear(ctx, now) && well
	if !well {
		return tendLeast
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	rest := maxTend
	for _, t := range d.queue.ready {
		rest = min(rest, t.Since.Add(d.options.ClaimWindow).Sub(now))
	}
	return max(rest, time.Millisecond)
}

// recount counts the sandboxes in the store, when their number is in doubt. No
// creation is under way meanwhile.
func (d *Controller) recount(ctx context.Context) (well bool) {
	d.mu.Lock()
	doubtful := d.doubtful
	d.mu.Unlock()
	if !doubtful {
		return true
	}
	d.creating.Lock()
	defer d.creating.Unlock()
	d.mu.Lock()
	d.occupancy.counts = true
	d.mu.Unlock()
	headers, err := d.store.Due(ctx, never, maxList)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.occupancy.record, d.occupancy.counts = nil, false
		d.log.Warn("count sandboxes", "error", err)
		return false
	}
	d.occupancy.recounted(headers)
	d.occupancy.making, d.doubtful = 0, false
	return true
}

// writeTickets writes the tickets that changed. A ticket that a client is
// claiming is left to that request.
func (d *Controller) writeTickets(ctx context.Context) (well bool) {
	for {
		tickets, writes := d.changedTickets()
		if len(tickets) == 0 {
			return true
		}
		err := d.store.Write(context.WithoutCancel(ctx), writes)
		d.mu.Lock()
		for _, t := range tickets {
			t.release()
			t.changed = t.changed || err != nil
		}
		d.mu.Unlock()
		if err != nil {
			d.log.Warn("write tickets", "error", err)
			return false
		}
	}
}

// changedTickets takes some tickets that changed and returns their writes.
func (d *Controller) changedTickets() (tickets []*ticket, writes []store.Write) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.queue.tickets {
		if len(tickets) == maxTickets {
			break
		}
		if t.changed && t.held == nil && !t.pending {
			t.hold()
			t.changed = false
			tickets = append(tickets, t)
			writes = append(writes, store.Write{Record: t.record()})
		}
	}
	return tickets, writes
}

// clear removes the records that have ended, and forgets lost tickets.
func (d *Controller) clear(ctx context.Context, now time.Time) (well bool) {
	d.mu.Lock()
	due := now.Sub(d.cleared) >= clearEvery || now.Before(d.cleared)
	if due {
		d.cleared = now
		for key, t := range d.queue.tickets {
			if t.State == forfeited && t.held == nil && !now.Before(t.Since.Add(forfeitKept)) {
				delete(d.queue.tickets, key)
			}
		}
		for name := range d.occupancy.networks {
			d.occupancy.tidy(name, now)
		}
	}
	d.mu.Unlock()
	for due {
		n, err := d.store.Clear(ctx, now, maxClear)
		if err != nil {
			if ctx.Err() == nil {
				d.log.Warn("clear records", "error", err)
			}
			return false
		}
		due = n == maxClear
	}
	return true
}

// Length is the number of tickets that wait.
func (d *Controller) Length() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.queue.waiting)
}
