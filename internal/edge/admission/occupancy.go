package admission

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"platen/internal/store"
	"platen/internal/words/problem"
)

const (
	// creationsCount is how long a creation counts (contract:
	// OPEN.RATE.CREATION).
	creationsCount = time.Hour
	// retryUnknown is the wait of a network for whose places no end is known.
	retryUnknown = time.Minute
	// maxList is the most sandboxes that are read at a start: all of them.
	maxList = 1 << 30
)

// occupancy counts the sandboxes that take up places, in all and by network.
type occupancy struct {
	living   map[string]occupant
	networks map[string]*networkUsage
	// blocks are the networks of each block, and blockOf finds the block of one;
	// it is nil when blocks have no limit.
	blocks  map[string]map[string]*networkUsage
	blockOf func(network string) string
	// making counts the places of creations under way.
	making int
	// record, when not nil, collects the changes that happen during a recount.
	record []func(*occupancy)
	counts bool
}

// occupant is a sandbox that takes up a place.
type occupant struct {
	network string
	// until is when the sandbox will be deleted.
	until time.Time
}

// networkUsage counts the sandboxes of one network.
type networkUsage struct {
	// block is the block that it is in, "" for none.
	block                   string
	living, making, tickets int
	// creations are those of the last hour, in order.
	creations []time.Time
}

// creation is the record of one.
type creation struct {
	Network string    `json:"network"`
	At      time.Time `json:"at"`
	// Weight is how many creations it counts as; those of before have none.
	Weight int `json:"weight"`
}

// readOccupancy counts the living sandboxes in the store.
func readOccupancy(ctx context.Context, o *Options) (occupancy, error) {
	db, now := o.Store, o.Now()
	r := occupancy{living: map[string]occupant{}, networks: map[string]*networkUsage{},
		blocks: map[string]map[string]*networkUsage{}}
	if o.BlockFactor > 0 {
		r.blockOf = o.BlockOf
	}
	headers, err := db.Due(ctx, never, maxList)
	if err != nil {
		return r, fmt.Errorf("read who lives: %w", err)
	}
	for i := range headers {
		r.saved(headers[i])
	}
	records, err := db.List(ctx, kindCreation)
	if err != nil {
		return r, fmt.Errorf("read who created: %w", err)
	}
	for _, record := range records { // in the order of their keys, which is that of their times
		var c creation
		if err := json.Unmarshal(record.Body, &c); err != nil {
			return r, fmt.Errorf("read who created: %w", err)
		}
		if now.Before(c.At.Add(creationsCount)) {
			h := r.network(c.Network)
			h.creations = append(h.creations, slices.Repeat([]time.Time{c.At}, max(c.Weight, 1))...)
		}
	}
	return r, nil
}

// network returns the usage of a network.
func (o *occupancy) network(name string) *networkUsage {
	h := o.networks[name]
	if h == nil {
		h = &networkUsage{}
		o.networks[name] = h
		o.joinBlock(name, h)
	}
	return h
}

// tidy forgets a network that has nothing.
func (o *occupancy) tidy(name string, now time.Time) {
	h := o.networks[name]
	if h == nil {
		return
	}
	h.expire(now)
	if h.living == 0 && h.making == 0 && h.tickets == 0 && len(h.creations) == 0 {
		delete(o.networks, name)
		o.leaveBlock(name, h)
	}
}

// expire forgets creations that count no longer.
func (u *networkUsage) expire(now time.Time) {
	for len(u.creations) > 0 && !now.Before(u.creations[0].Add(creationsCount)) {
		u.creations = u.creations[1:]
	}
}

func (o *occupancy) saved(header store.Sandbox) {
	if o.counts {
		o.record = append(o.record, func(r *occupancy) { r.saved(header) })
	}
	if _, known := o.living[header.ID]; !known {
		o.network(header.Network).living++
	}
	o.living[header.ID] = occupant{network: header.Network, until: header.DeleteAt}
}

func (o *occupancy) deleted(id string) {
	if o.counts {
		o.record = append(o.record, func(r *occupancy) { r.deleted(id) })
	}
	if known, ok := o.living[id]; ok {
		delete(o.living, id)
		o.network(known.network).living--
	}
}

// recounted replaces the sandboxes by those of the store, and repeats the
// changes that happened while it was read.
func (o *occupancy) recounted(headers []store.Sandbox) {
	for id := range o.living {
		o.network(o.living[id].network).living--
	}
	clear(o.living)
	happened := o.record
	o.record, o.counts = nil, false
	for i := range headers {
		o.saved(headers[i])
	}
	for _, repeat := range happened {
		repeat(o)
	}
}

// taken is the number of places that sandboxes and creations take up.
func (o *occupancy) taken() int { return len(o.living) + o.making }

// allows refuses a network that has, or has created, as many as it may
// (contract: ERR.IP_ACTIVE_LIMIT, ERR.IP_CREATE_LIMIT).
func (c *Controller) allows(network string, weight int, now time.Time) error {
	if err := c.allowsBlock(network, weight, now); err != nil {
		return err
	}
	h := c.occupancy.networks[network]
	if h == nil {
		return nil
	}
	if has := h.living + h.making + h.tickets; c.options.Active > 0 && has >= c.options.Active {
		p := problem.New(problem.IPActiveLimit,
			"Your network has %d sandboxes, tickets in the queue included, and may have %d.", has, c.options.Active).
			DueTo("ip-active")
		return retrying(p, now, c.occupancy.nextFree(network, now))
	}
	h.expire(now)
	if n := len(h.creations) + weight; c.options.Hourly > 0 && n > c.options.Hourly {
		p := problem.New(problem.IPCreateLimit,
			"Your network has created %d sandboxes within an hour, and may create %d.%s",
			len(h.creations), c.options.Hourly, weighs(weight)).DueTo("ip-creations")
		return retrying(p, now, h.creations[n-c.options.Hourly-1].Add(creationsCount))
	}
	return nil
}

// weighs ends a refusal of a fork that counts as several creations.
func weighs(weight int) string {
	if weight == 1 {
		return ""
	}
	return fmt.Sprintf(" A fork with so long a past counts as %d.", weight)
}

// nextFree is when the first sandbox of a network is deleted.
func (o *occupancy) nextFree(network string, now time.Time) time.Time {
	return o.firstEnd(now, func(n string) bool { return n == network })
}

// firstEnd is when the first sandbox of some networks is deleted.
func (o *occupancy) firstEnd(now time.Time, of func(network string) bool) time.Time {
	first := time.Time{}
	for _, resident := range o.living {
		if of(resident.network) && (first.IsZero() || resident.until.Before(first)) {
			first = resident.until
		}
	}
	if first.IsZero() {
		return now.Add(retryUnknown)
	}
	return first
}

// retrying sets Retry-After and retry_at to one moment, a whole number of
// seconds away.
func retrying(p *problem.Problem, now, at time.Time) error {
	p.RetryAfter = max(1, seconds(at.Sub(now)))
	return p.RetryingAt(now.Add(time.Duration(p.RetryAfter) * time.Second))
}

// seconds rounds up.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
