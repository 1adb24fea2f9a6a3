package subscription_test

import (
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"platen/internal/company/record"
	"platen/internal/desk/subscription"
	"platen/internal/words/event"
)

// redeliver sends all failed events of a subscription again from a number on.
func (h *house) redeliver(id string, in subscription.Again) (count int) {
	h.t.Helper()
	stretches, err := h.books.Missed(id, in)
	if err != nil {
		h.t.Fatal(err)
	}
	var missed []record.Event
	for _, s := range stretches {
		if s[0] < in.Since || s[0] > s[1] {
			h.t.Fatalf("the stretches since %d are %v", in.Since, stretches)
		}
		missed = append(missed, h.feed[s[0]-1:s[1]]...)
	}
	h.do(func() {
		if count, err = h.books.RedeliverFailed(id, in, missed, h.now); err != nil {
			h.t.Fatal(err)
		}
	})
	return count
}

// life is a subscription whose receiver fails at random, with what its receiver got.
type life struct {
	*house

	random *rand.Rand
	id     string
	types  []event.Type
	// began is how many events there were before its service, got how often the receiver got each.
	began int
	got   map[string]int
}

// plays lets events happen and be sent, with per cent failures.
func (l *life) plays(steps, most, wrong int) {
	l.t.Helper()
	for range steps {
		if most > 0 {
			l.happen(event.SalesOrderDeclined, l.random.IntN(most))
			l.happen(event.SalesOrderAccepted, l.random.IntN(2))
		}
		if l.random.IntN(8) == 0 {
			l.reload()
		}
		jobs, _ := l.due()
		for _, j := range jobs {
			if l.subscription(l.id).Status != subscription.Active {
				break
			}
			if l.random.IntN(100) < wrong {
				l.answer(500, j)
				break // as a worker does
			}
			l.got[j.EventID]++
			l.answer(200, j)
		}
		l.now = l.now.Add(time.Duration(l.random.IntN(40)) * time.Second)
		if l.subscription(l.id).Status == subscription.Disabled && l.random.IntN(4) == 0 {
			l.do(func() { l.change(l.id, subscription.Change{Status: subscription.Active}) })
		}
		if most > 0 && l.random.IntN(60) == 0 {
			l.do(func() { l.change(l.id, subscription.Change{Host: "x", Address: []byte("a")}) })
			l.happen(event.SalesOrderDeclined, l.random.IntN(5))
			l.ping(l.id)
		}
	}
	if l.subscription(l.id).Status == subscription.Disabled {
		l.do(func() { l.change(l.id, subscription.Change{Status: subscription.Active}) })
	}
}

// missing counts the events from a number on that the receiver should have got and has not.
func (l *life) missing(since uint64) (count int) {
	for _, e := range l.feed[max(l.began, int(since)-1):] {
		for _, t := range l.types {
			if (t == event.Type(e.Type) || t == subscription.Everything && event.Type(e.Type).Delivered()) &&
				l.got[e.ID] == 0 {
				count++
			}
		}
	}
	return count
}

// TestExactlyTheMissingEventsAreSentAgain, however often the subscription was off, and also where their rows
// have left the log.
func TestExactlyTheMissingEventsAreSentAgain(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		l := &life{house: newHouse(t), random: rand.New(rand.NewPCG(seed, 2)), got: map[string]int{}}
		l.types = [][]event.Type{{subscription.Everything}, {event.SalesOrderDeclined}}[seed%2]
		l.happen(event.SalesOrderDeclined, 3)
		l.id = l.subscribe(l.types...)
		l.began = len(l.feed)
		for range 2 {
			l.plays(160, 12, 10+l.random.IntN(50))
			l.settles()
			before := maps.Clone(l.got)
			since := uint64(l.began + 1 + l.random.IntN(len(l.feed)-l.began))
			if l.random.IntN(2) == 0 {
				since = 1
			}
			want := l.missing(since)
			if got := l.redeliver(l.id, subscription.Again{Since: since}); got != want {
				t.Fatalf("seed %d: %d events are sent again since %d, want %d", seed, got, since, want)
			}
			if got := l.redeliver(l.id, subscription.Again{Since: since}); got != 0 {
				t.Errorf("seed %d: %d events that wait are sent again", seed, got)
			}
			l.settles()
			if left := l.missing(since); left != 0 {
				t.Errorf("seed %d: %d events are still missing", seed, left)
			}
			for id, times := range before {
				if l.got[id] != times {
					t.Errorf("seed %d: %s was delivered, and came again", seed, id)
				}
			}
		}
	}
}

// settles lets everything that waits arrive.
func (l *life) settles() {
	l.t.Helper()
	for l.books.Waiting() > 0 {
		l.plays(1, 0, 0)
		l.now = l.now.Add(time.Minute)
	}
}

// TestTheRestOfManyIsRespected: one that a client sends again alone is sent at once.
func TestTheRestOfManyIsRespected(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id := h.subscribe(subscription.Everything)
	h.happen(event.SalesOrderDeclined, 1)
	for range 4 { // until it is given up
		jobs, _ := h.due()
		h.answer(500, jobs...)
		h.now = h.now.Add(10 * time.Minute)
	}
	h.happen(event.SalesOrderDeclined, 1)
	jobs, _ := h.due()
	h.answer(200, jobs...)
	h.happen(event.SalesOrderDeclined, 1)
	jobs, _ = h.due()
	h.answer(500, jobs...)
	if got := h.redeliver(id, subscription.Again{Since: 1}); got != 1 {
		t.Fatalf("%d are sent again", got)
	}
	if jobs, next := h.due(); len(jobs) != 0 || next.Sub(h.now) > time.Second {
		t.Errorf("while it rests %v are sent, the next in %v", jobs, next.Sub(h.now))
	}
	h.now = h.now.Add(time.Second)
	if jobs, _ := h.due(); len(jobs) != 1 || jobs[0].Trigger != subscription.Manual {
		t.Errorf("then %v are sent", jobs)
	}
}

// TestMissedEventsBeyondTheBoundAreForgotten, the oldest first.
func TestMissedEventsBeyondTheBoundAreForgotten(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id := h.subscribe(event.SalesOrderDeclined)
	const gaps = 520
	for range gaps {
		h.do(func() { h.change(id, subscription.Change{Host: "x", Address: []byte("a")}) })
		h.happen(event.SalesOrderDeclined, 1)
		h.ping(id)
		h.happen(event.SalesOrderDeclined, 1)
		h.now = h.now.Add(time.Minute)
		jobs, _ := h.due()
		h.answer(200, jobs...)
	}
	if got := h.redeliver(id, subscription.Again{Since: 1}); got != 500 {
		t.Errorf("%d of %d are sent again", got, gaps)
	}
}
