package activity_test

import (
	"testing"

	"platen/internal/company/mission"
	"platen/internal/desk/activity"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// client makes calls, each a second after the one before it, unless it says
// otherwise.
type client struct {
	t       *testing.T
	conduct activity.ClientActivity
	known   mission.Signals
	now     moment.Instant
}

func newClient(t *testing.T) *client { return &client{t: t, now: 1_000_000_000} }

// call takes a call in and returns what it adds. Times are seconds from now.
func (c *client) call(call activity.Call) mission.Signals {
	c.now += 1_000_000
	if call.Arrived == 0 {
		call.Arrived = c.now
	}
	if call.Answered == 0 {
		call.Answered = call.Arrived + 1_000
	}
	if call.Status == 0 {
		call.Status = 200
	}
	added := c.conduct.Observe(&call, c.known)
	c.known |= added
	return added
}

func (c *client) in(seconds int64) moment.Instant {
	return c.now + moment.Instant(seconds*1_000_000)
}

// never fails when a story ends with signals that it should not give.
func (c *client) never(what string, wanted mission.Signals) {
	c.t.Helper()
	if c.known&wanted != 0 {
		c.t.Errorf("%s gives %b", what, c.known&wanted)
	}
}

func (c *client) gives(what string, got, wanted mission.Signals) {
	c.t.Helper()
	if got&wanted != wanted {
		c.t.Errorf("%s gives %b, and not %b", what, got, wanted)
	}
}

// limited is a 429 that ends in so many seconds.
func (c *client) limited(factory bool, seconds int64) {
	c.call(activity.Call{Status: 429, Code: problem.RateLimited, RetryAt: c.in(seconds + 1), Factory: factory})
}

// busy is a press that is busy for so many seconds.
func (c *client) busy(press string, seconds int64) {
	c.call(activity.Call{
		Status: 409, Code: problem.PressBusy, RetryAt: c.in(seconds + 1), Press: press, Write: true, Business: true,
	})
}

func run(press string) activity.Call {
	return activity.Call{Status: 201, Press: press, Write: true, Business: true}
}

// page is one of a list: from and to are the places between pages, 0 for its
// ends.
func page(list, from, to uint64) activity.Call {
	return activity.Call{Page: activity.Page{List: list, First: from == 0, From: from, Next: to, Last: to == 0}}
}

func stretch(after, last uint64) activity.Call {
	return activity.Call{
		FeedRange: activity.FeedRange{Read: true, After: after, Last: last, Events: int64(last - after)},
	}
}

func write(status int, code problem.Code) activity.Call {
	return activity.Call{Status: status, Code: code, Write: true, Business: true}
}

// ledger is a page of the ledger at an event.
func ledger(from, to, version, sequence uint64) activity.Call {
	c := page(9, from, to)
	c.Page.Ledger = activity.LedgerCursor{Whole: true, Ledger: version, Sequence: sequence}
	return c
}

// read is a stretch of the feed at one state of ledger and feed.
func read(after, last, version, sequence uint64) activity.Call {
	c := stretch(after, last)
	c.Page.Ledger = activity.LedgerCursor{Ledger: version, Sequence: sequence}
	return c
}
