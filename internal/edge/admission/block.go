package admission

import (
	"slices"
	"time"

	"platen/internal/words/problem"
)

const (
	// blockShare is the part of all places, and of the queue, that one block may
	// have: a tenth (contract: OPEN.RATE.BLOCK).
	blockShare = 10
	// leastShare is the least share where a network has no limit of its own.
	leastShare = 10
)

// joinBlock notes a network in its block.
func (o *occupancy) joinBlock(name string, h *networkUsage) {
	if o.blockOf == nil {
		return
	}
	if h.block = o.blockOf(name); h.block == "" {
		return
	}
	members := o.blocks[h.block]
	if members == nil {
		members = map[string]*networkUsage{}
		o.blocks[h.block] = members
	}
	members[name] = h
}

func (o *occupancy) leaveBlock(name string, h *networkUsage) {
	delete(o.blocks[h.block], name)
	if len(o.blocks[h.block]) == 0 {
		delete(o.blocks, h.block)
	}
}

// allowsBlock refuses a network whose block has, or has created, as many
// sandboxes as it may (contract: OPEN.RATE.BLOCK). It looks at the networks of
// that block alone, whose number the limits bound.
func (c *Controller) allowsBlock(network string, weight int, now time.Time) error {
	if c.occupancy.blockOf == nil {
		return nil
	}
	block := c.occupancy.blockOf(network)
	if block == "" {
		return nil
	}
	has, waits := 0, 0
	var creations []time.Time
	for _, h := range c.occupancy.blocks[block] {
		h.expire(now)
		has += h.living + h.making + h.tickets
		waits += h.tickets
		creations = append(creations, h.creations...)
	}
	places := c.share(c.options.Capacity)
	if limit := c.options.Active * c.options.BlockFactor; limit > 0 {
		places = min(places, limit)
	}
	queued := len(c.queue.waiting) > 0 || c.free() <= 0
	var p *problem.Problem
	switch most := c.share(c.options.Queue); {
	case has >= places:
		p = problem.New(problem.IPActiveLimit, "The networks of your block, %s, have %d sandboxes, places in the "+
			"queue included, and may have %d.", block, has, places)
	case queued && waits >= most:
		p = problem.New(problem.IPActiveLimit, "The networks of your block, %s, have %d places in the queue, and may "+
			"have %d.", block, waits, most)
	}
	if p != nil {
		p = p.DueTo("block-factor")
		p.Hint = "Delete a sandbox with DELETE /sandbox and its key, or wait until retry_at. Others of your provider " +
			"or building share this limit with you."
		isIn := func(n string) bool { return c.occupancy.blockOf(n) == block }
		return retrying(p, now, c.occupancy.firstEnd(now, isIn))
	}
	limit := c.options.Hourly * c.options.BlockFactor
	if n := len(creations) + weight; limit > 0 && n > limit {
		slices.SortFunc(creations, time.Time.Compare)
		p := problem.New(problem.IPCreateLimit,
			"The networks of your block, %s, have created %d sandboxes within an hour, and may create %d.%s",
			block, len(creations), limit, weighs(weight)).DueTo("block-factor")
		return retrying(p, now, creations[n-limit-1].Add(creationsCount))
	}
	return nil
}

// share is a block's part of a number of places, but never less than what one
// network may have.
func (c *Controller) share(places int) int {
	least := c.options.Active
	if least == 0 {
		least = leastShare
	}
	return max(places/blockShare, least)
}
