package admission

import (
	"context"
	"time"

	"platen/internal/store"
)

const (
	// maxTend is how long Run rests when it is not woken.
	maxTend = 10 * time.Second
	// tendShared is how long it rests when sandboxes come and go elsewhere too.
	tendShared = time.Second
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
func (c *Controller) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.woken:
		case <-timer.C:
		}
		timer.Reset(c.Maintain(ctx))
	}
}

// Maintain does the work that is due: it counts again where there is doubt,
// lets tickets be ready or forfeited, writes their changes, and removes records
// that have ended. It returns how long it can rest.
func (c *Controller) Maintain(ctx context.Context) time.Duration {
	well := c.compare(ctx) && c.recount(ctx)
	now := c.options.Now()
	c.mu.Lock()
	c.promote(now)
	c.mu.Unlock()
	well = c.writeTickets(ctx) && well
	well = c.clear(ctx, now) && well
	if !well {
		return tendLeast
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	rest := maxTend
	if len(c.options.Role) > 0 {
		rest = tendShared
	}
	for _, t := range c.queue.ready {
		rest = min(rest, t.Since.Add(c.options.ClaimWindow).Sub(now))
	}
	return max(rest, time.Millisecond)
}

// compare looks whether sandboxes have come or gone elsewhere, where that can be.
func (c *Controller) compare(ctx context.Context) (well bool) {
	if len(c.options.Role) == 0 {
		return true
	}
	there, err := c.store.Count(ctx)
	if err != nil {
		c.log.Warn("count sandboxes", "error", err)
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.doubtful = c.doubtful || there != len(c.occupancy.living)
	return true
}

// recount counts the sandboxes in the store, when their number is in doubt. No
// creation is under way meanwhile.
func (c *Controller) recount(ctx context.Context) (well bool) {
	c.mu.Lock()
	doubtful := c.doubtful
	c.mu.Unlock()
	if !doubtful {
		return true
	}
	c.creating.Lock()
	defer c.creating.Unlock()
	c.mu.Lock()
	c.occupancy.counts = true
	c.mu.Unlock()
	headers, err := c.store.Due(ctx, never, maxList)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.occupancy.record, c.occupancy.counts = nil, false
		c.log.Warn("count sandboxes", "error", err)
		return false
	}
	c.occupancy.recounted(headers)
	c.occupancy.making, c.doubtful = 0, false
	return true
}

// writeTickets writes the tickets that changed. A ticket that a client is
// claiming is left to that request.
func (c *Controller) writeTickets(ctx context.Context) (well bool) {
	for {
		tickets, writes := c.changedTickets()
		if len(tickets) == 0 {
			return true
		}
		err := c.store.Write(context.WithoutCancel(ctx), append(writes, c.options.Role...))
		c.mu.Lock()
		for _, t := range tickets {
			t.release()
			t.changed = t.changed || err != nil
		}
		c.mu.Unlock()
		if err != nil {
			c.log.Warn("write tickets", "error", err)
			return false
		}
	}
}

// changedTickets takes some tickets that changed and returns their writes.
func (c *Controller) changedTickets() (tickets []*ticket, writes []store.Write) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.queue.tickets {
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
func (c *Controller) clear(ctx context.Context, now time.Time) (well bool) {
	c.mu.Lock()
	due := (now.Sub(c.cleared) >= clearEvery || now.Before(c.cleared)) &&
		(c.options.Steady == nil || c.options.Steady(now))
	if due {
		c.cleared = now
		for key, t := range c.queue.tickets {
			if t.State == forfeited && t.held == nil && !now.Before(t.Since.Add(forfeitKept)) {
				delete(c.queue.tickets, key)
			}
		}
		for name := range c.occupancy.networks {
			c.occupancy.tidy(name, now)
		}
	}
	c.mu.Unlock()
	for due {
		n, err := c.store.Clear(ctx, now, maxClear)
		if err != nil {
			if ctx.Err() == nil {
				c.log.Warn("clear records", "error", err)
			}
			return false
		}
		due = n == maxClear
	}
	return true
}

// Length is the number of tickets that wait.
func (c *Controller) Length() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queue.waiting)
}
