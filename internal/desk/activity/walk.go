package activity

import (
	"slices"

	"platen/internal/company/mission"
)

// pageThrough looks for a list that is read from its first page to its last,
// each beginning where the one before it ended.
func (c *ClientActivity) pageThrough(call *Call) mission.Signals {
	p := &call.Page
	if p.First {
		if p.Last {
			return 0
		}
		begun := ListScan{List: p.List, Next: p.Next, Pages: 1}
		if !slices.Contains(c.ListScans, begun) {
			c.ListScans = append(c.ListScans, begun)
			c.ListScans = slices.Delete(c.ListScans, 0, max(0, len(c.ListScans)-maxListScans))
		}
		return mission.BeganList
	}
	i := slices.IndexFunc(c.ListScans, func(w ListScan) bool { return w.List == p.List && w.Next == p.From })
	if i < 0 {
		return 0 // a page that was read before, or one of a list that was not begun
	}
	pages := c.ListScans[i].Pages + 1
	if !p.Last {
		c.ListScans[i].Next, c.ListScans[i].Pages = p.Next, pages
		return mission.WentOnInList
	}
	c.ListScans = slices.Delete(c.ListScans, i, i+1)
	if pages < pagesLeast {
		return 0
	}
	c.ListScans = nil
	return mission.WentOnInList | mission.ReachedListEnd
}

// followFeed looks for successive reads of the feed, each beginning where the
// last one ended. One that begins elsewhere is a first one.
func (c *ClientActivity) followFeed(call *Call) (added mission.Signals) {
	s, f := &call.FeedRange, &c.key(call).Follows
	if f.Reads > 0 && call.Arrived <= f.Answered {
		return 0
	}
	if f.Reads == 0 || s.After != f.Last || s.Chosen != f.Chosen {
		*f = Follow{Chosen: s.Chosen}
	}
	f.Last, f.Answered = s.Last, call.Answered
	f.Reads++
	f.Events += s.Events
	added = mission.FollowedOnce
	if f.Reads > 1 {
		added |= mission.FollowedTwice
	}
	if f.Reads >= readsLeast && f.Events >= eventsLeast {
		c.Office.Follows, c.Factory.Follows = Follow{}, Follow{}
		added |= mission.FollowedOn
	}
	return added
}

// balance looks for a client that has read the whole ledger and the whole feed,
// both in one state. Pages of a ledger that has changed in between do not make
// a whole one.
func (c *ClientActivity) balance(call *Call) mission.Signals {
	p, s := &call.Page, &call.FeedRange
	if s.Read && s.Chosen == 0 && s.After <= c.FeedRead {
		c.FeedRead = max(c.FeedRead, s.Last)
	}
	if p.Ledger.Whole {
		c.readLedger(p)
	}
	if !c.Ledger.Whole || p.Ledger.Ledger != c.Ledger.Ledger || p.Ledger.Sequence != c.FeedRead {
		return 0
	}
	c.Ledger, c.FeedRead = Copy{}, 0
	return mission.BooksBalance
}

func (c *ClientActivity) readLedger(p *Page) {
	l := &c.Ledger
	switch {
	case p.First:
		*l = Copy{Ledger: p.Ledger.Ledger, Begun: true}
	case !l.Begun || p.From != l.Next || p.Ledger.Ledger != l.Ledger:
		return
	}
	l.Next, l.Whole = p.Next, p.Last
}
