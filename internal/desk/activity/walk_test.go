package activity_test

import (
	"testing"

	"platen/internal/company/mission"
	"platen/internal/desk/activity"
)

func TestPagingThroughIsEveryPageToTheLast(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	c.gives("the first page", c.call(page(1, 0, 30)), mission.BeganList)
	c.gives("the second", c.call(page(1, 30, 20)), mission.WentOnInList)
	c.call(page(1, 30, 20)) // again: the answer was lost
	c.never("two pages", mission.ReachedListEnd)
	c.gives("the last", c.call(page(1, 20, 0)), mission.ReachedListEnd)

	for what, calls := range map[string][]activity.Call{
		"a list of one page":             {page(1, 0, 0)},
		"a list of two pages":            {page(1, 0, 5), page(1, 5, 0)},
		"a list without its first page":  {page(1, 30, 20), page(1, 20, 10), page(1, 10, 0)},
		"a skipped page":                 {page(1, 0, 30), page(1, 20, 10), page(1, 10, 0)},
		"pages of two lists":             {page(1, 0, 30), page(2, 30, 20), page(1, 20, 0)},
		"a list that was not read on":    {page(1, 0, 30), page(1, 30, 20)},
		"the last page three times":      {page(1, 0, 30), page(1, 30, 0), page(1, 30, 0), page(1, 30, 0)},
		"the first page again and again": {page(1, 0, 30), page(1, 0, 30), page(1, 0, 30)},
	} {
		c := newClient(t)
		for _, call := range calls {
			c.call(call)
		}
		c.never(what, mission.ReachedListEnd)
	}
}

// TestTwoReadersDoNotDisturbEachOther on the same list, which has grown in
// between.
func TestTwoReadersDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	c.call(page(1, 0, 30))
	c.call(page(1, 0, 31))
	c.call(page(1, 30, 20))
	c.call(page(2, 0, 4))
	c.call(page(1, 31, 21))
	c.gives("the last page of the first reader", c.call(page(1, 20, 0)), mission.ReachedListEnd)
}

func TestFollowingTheFeedIsToGoOnFromWhereOneWas(t *testing.T) {
	t.Parallel()
	const followed = mission.FollowedOn
	c := newClient(t)
	c.call(stretch(0, 12))
	c.call(stretch(12, 12)) // nothing has happened
	c.never("12 events", followed)
	c.gives("20 events in three reads", c.call(stretch(12, 20)), followed)

	other := stretch(20, 40)
	other.Factory = true
	chosen := stretch(20, 40)
	chosen.FeedRange.Chosen = 7
	unread := stretch(20, 40)
	unread.FeedRange.Read = false
	for what, calls := range map[string][]activity.Call{
		"two reads":                     {stretch(0, 50), stretch(50, 100)},
		"19 events":                     {stretch(0, 10), stretch(10, 15), stretch(15, 19), stretch(19, 19)},
		"the same read three times":     {stretch(0, 50), stretch(0, 50), stretch(0, 50)},
		"a gap":                         {stretch(0, 20), stretch(21, 40), stretch(40, 60)},
		"another key that goes on":      {stretch(0, 10), stretch(10, 20), other},
		"other events than before":      {stretch(0, 10), stretch(10, 20), chosen},
		"a third read that had no body": {stretch(0, 10), stretch(10, 20), unread},
	} {
		c := newClient(t)
		for _, call := range calls {
			c.call(call)
		}
		c.never(what, followed)
	}

	c = newClient(t)
	c.call(stretch(0, 30))
	early := stretch(30, 30)
	early.Arrived = 1 // it was sent before the answer could be known
	c.call(early)
	c.call(stretch(30, 30))
	c.never("a read that goes on by chance", followed)
}

func TestTheBooksBalanceWhenAllOfThemWasReadAsItStands(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	c.call(ledger(0, 5, 3, 40))
	c.call(ledger(5, 0, 3, 40))
	c.call(read(0, 25, 3, 40))
	c.never("half of the feed", mission.BooksBalance)
	c.gives("all of it", c.call(read(25, 41, 3, 41)), mission.BooksBalance)

	c = newClient(t)
	c.call(read(0, 40, 3, 40))
	c.gives("the ledger last", c.call(ledger(0, 0, 3, 40)), mission.BooksBalance)

	part := read(0, 40, 3, 40)
	part.FeedRange.Chosen = 1
	filtered := ledger(0, 0, 3, 40)
	filtered.Page.Ledger.Whole = false
	for what, calls := range map[string][]activity.Call{
		"a ledger that grew while it was read": {ledger(0, 5, 3, 40), ledger(5, 0, 4, 41), read(0, 41, 4, 41)},
		"a ledger that has grown since":        {ledger(0, 0, 3, 40), read(0, 41, 4, 41)},
		"a feed that has grown since":          {read(0, 40, 3, 40), ledger(0, 0, 3, 41)},
		"a gap in the feed":                    {ledger(0, 0, 3, 40), read(0, 20, 3, 40), read(21, 40, 3, 40)},
		"a gap in the ledger":                  {read(0, 40, 3, 40), ledger(0, 5, 3, 40), ledger(4, 0, 3, 40)},
		"some types of events":                 {ledger(0, 0, 3, 40), part},
		"some entries":                         {read(0, 40, 3, 40), filtered},
	} {
		c := newClient(t)
		for _, call := range calls {
			c.call(call)
		}
		c.never(what, mission.BooksBalance)
	}
}
