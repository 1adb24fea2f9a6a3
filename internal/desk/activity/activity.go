// Package activity watches the requests of a sandbox's clients, for missions that take several requests to notice, for
// the decisions that a client makes again, and for its manners. It sees values alone: package desk keeps them.
package activity

import (
	"slices"

	"platen/internal/company/fault"
	"platen/internal/company/mission"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

const (
	// pagesLeast is how many pages make a long list (contract:
	// OPEN.MISSION.PAGE_THROUGH).
	pagesLeast = 3
	// readsLeast and eventsLeast are the reads and events that count as
	// following the feed (contract: OPEN.MISSION.READ_THE_FEED).
	readsLeast  = 3
	eventsLeast = 20
	// cleanWrites is how many writes in a row make a clean integration
	// (contract: OPEN.ACHIEVEMENTS).
	cleanWrites = 100
	// maxWalks bounds the lists that are remembered to be under way.
	maxListScans = 4
)

// ClientActivity remembers the requests of a sandbox's clients, for missions
// that take several requests to notice. It lies beside the company: refused
// requests change it, and no state hash sees it. It is bounded, and signals
// that were noticed are no longer looked for.
//
// It is stored with the next commit. A crash may lose the effects of reads and
// refusals since the last one, so that a mission that takes several requests
// begins anew; a completed mission is a commit of its own, and never lost.
type ClientActivity struct {
	// Noted are signals of reads that no mission has taken up yet.
	Noted mission.Signals `json:"noted,omitzero"`
	// Refused counts the writes that were turned away, Clean those that went
	// well since the last of them.
	Refused int64 `json:"refused,omitzero"`
	Clean   int64 `json:"clean,omitzero"`
	// Accepted counts the writes of business that went well, Replayed those of
	// any kind whose response was a stored one.
	Accepted int64   `json:"accepted,omitzero"`
	Replayed int64   `json:"replayed,omitzero"`
	Manners  Manners `json:"manners,omitzero"`

	Office    KeyActivity `json:"office,omitzero"`
	Factory   KeyActivity `json:"factory,omitzero"`
	Presses   []Wait      `json:"presses,omitempty"`
	ListScans []ListScan  `json:"walks,omitempty"`
	// FeedRead is up to which event the whole feed was read.
	FeedRead uint64 `json:"feed_read,omitzero"`
	Ledger   Copy   `json:"ledger,omitzero"`

	Failures  Failures  `json:"failures,omitzero"`
	Decisions Decisions `json:"decisions,omitzero"`
}

// KeyActivity remembers the requests of one key.
type KeyActivity struct {
	Silence Wait   `json:"silence,omitzero"`
	Follows Follow `json:"follows,omitzero"`
	// Quiet is when the key may be heard again, QuietSince when it was told so: requests from
	// before were under way already.
	Quiet      moment.Instant `json:"quiet,omitzero"`
	QuietSince moment.Instant `json:"quiet_since,omitzero"`
	// Storm is that a storm turned the key away.
	Storm Wait `json:"storm,omitzero"`
}

// Wait is that a client was told to wait: for a press, or with a key. Calls
// that came before Told were under way already.
type Wait struct {
	Press string         `json:"press,omitzero"`
	Told  moment.Instant `json:"told"`
	Until moment.Instant `json:"until"`
}

// ListScan is a list that is being read, and where its next page begins.
type ListScan struct {
	List  uint64 `json:"list"`
	Next  uint64 `json:"next"`
	Pages int    `json:"pages"`
}

// Follow is how far a key has followed the feed.
type Follow struct {
	Chosen uint64 `json:"chosen,omitzero"`
	Last   uint64 `json:"last"`
	Reads  int64  `json:"reads"`
	Events int64  `json:"events"`
	// Answered is when the last of them was: a request that came before is no
	// successor.
	Answered moment.Instant `json:"answered"`
}

// Copy is the part of the ledger that the client has read.
type Copy struct {
	Ledger uint64 `json:"ledger"`
	Next   uint64 `json:"next,omitzero"`
	Whole  bool   `json:"whole,omitzero"`
	Begun  bool   `json:"begun,omitzero"`
}

// Observe takes a call in, and returns the signals that it adds to the known
// ones.
func (c *ClientActivity) Observe(call *Call, known mission.Signals) (added mission.Signals) {
	f := &c.Failures
	if call.Exposed || call.Fault != "" || c.Office.Storm.Until+c.Factory.Storm.Until != 0 || f.Absence.System != "" ||
		len(f.Responses)+len(f.Requests)+len(f.Late)+len(f.Working)+len(f.Lists) > 0 {
		added = c.fail(call, known)
	}
	switch call.Fault {
	case fault.RequestLost, fault.RequestLate: // nothing was done yet, and the client was told nothing
		return added &^ known
	default:
	}
	if call.Replayed {
		added |= mission.RepeatedSafely
	}
	if call.Status == notModified {
		added |= mission.HeldAlready
	}
	if call.succeeded() {
		added |= mission.ReadAnything
		if call.CSV {
			added |= mission.TookCSV
		}
		if call.Agent {
			added |= mission.AgentCalled
		}
		switch {
		case call.Business && call.Factory:
			added |= mission.ReachedFactory
		case call.Business:
			added |= mission.ReachedOffice
		}
	}
	if call.Write {
		added |= c.write(call)
	}
	lacks := func(wanted mission.Signals) bool { return wanted&^known != 0 }
	if waits := call.Status == tooManyRequests || c.key(call).Silence.Until != 0; waits && lacks(mission.BackedOff) {
		added |= c.backOff(call)
	}
	if call.Press != "" && !call.Replayed && lacks(mission.WaitedForPress) {
		added |= c.awaitPress(call)
	}
	if call.Page.List != 0 && lacks(mission.BeganList|mission.WentOnInList|mission.ReachedListEnd) {
		added |= c.pageThrough(call)
	}
	if call.FeedRange.Read && lacks(mission.FollowedOnce|mission.FollowedTwice|mission.FollowedOn) {
		added |= c.followFeed(call)
	}
	if reads := call.FeedRange.Read || call.Page.Ledger.Whole || c.Ledger.Whole; reads && lacks(mission.BooksBalance) {
		added |= c.balance(call)
	}
	return added &^ known
}

// write counts the writes. Moving the clock is no business, and a replay no
// second success.
func (c *ClientActivity) write(call *Call) mission.Signals {
	switch {
	case call.Replayed:
		c.Replayed++
	case call.refused():
		c.Refused++
		c.Clean = 0
	case call.Business && call.succeeded():
		c.Accepted++
		if c.Clean++; c.Clean >= cleanWrites {
			return mission.WroteCleanly
		}
	}
	return 0
}

func (c *ClientActivity) key(call *Call) *KeyActivity {
	if call.Factory {
		return &c.Factory
	}
	return &c.Office
}

// backOff looks for a key that is silent when told to, and then heard.
func (c *ClientActivity) backOff(call *Call) mission.Signals {
	w := &c.key(call).Silence
	switch {
	case call.Status == tooManyRequests && call.RetryAt > 0:
		*w = Wait{Told: call.Answered, Until: max(w.Until, call.RetryAt)}
	case w.Until == 0 || call.Arrived < w.Told: // never told, or not yet
	case call.Arrived < w.Until:
		*w = Wait{}
	case call.succeeded():
		*w = Wait{}
		return mission.BackedOff
	}
	return 0
}

// awaitPress looks for a press that is left alone while it is busy, and then
// started.
func (c *ClientActivity) awaitPress(call *Call) mission.Signals {
	i := slices.IndexFunc(c.Presses, func(w Wait) bool { return w.Press == call.Press })
	switch {
	case call.Code == problem.PressBusy && i < 0:
		c.Presses = append(c.Presses, Wait{Press: call.Press, Told: call.Answered, Until: call.RetryAt})
	case call.Code == problem.PressBusy:
		c.Presses[i] = Wait{Press: call.Press, Told: call.Answered, Until: call.RetryAt}
	case i < 0 || call.Arrived < c.Presses[i].Told:
	case call.Arrived < c.Presses[i].Until:
		c.Presses = slices.Delete(c.Presses, i, i+1)
	case call.succeeded():
		c.Presses = nil
		return mission.WaitedForPress
	}
	return 0
}
