package subscription

import (
	"cmp"
	"slices"

	"platen/internal/company/record"
	"platen/internal/moment"
)

// waiting is a delivery that waits to be sent.
type waiting struct {
	due     moment.Instant
	ordinal int
	id      string
}

func earlier(a, b waiting) int {
	return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.ordinal, b.ordinal))
}

// index reads the rows of loaded books into the queue and the log.
func (b *Books) index() {
	if b.indexed {
		return
	}
	b.indexed = true
	b.queue, b.settled = nil, map[string][]string{}
	for d, from := range b.Deliveries.All {
		if d.Status == Pending || d.Status == Deferred {
			b.queue = append(b.queue, waiting{due: d.DueAt, ordinal: b.Deliveries.Ordinal(d.ID), id: d.ID})
		} else {
			b.settled[from.SubscriptionID] = append(b.settled[from.SubscriptionID], d.ID)
		}
	}
	slices.SortFunc(b.queue, earlier)
}

func (b *Books) enqueue(w waiting) {
	at, _ := slices.BinarySearchFunc(b.queue, w, earlier)
	b.queue = slices.Insert(b.queue, at, w)
}

func (b *Books) dequeue(d *Delivery) {
	w := waiting{due: d.DueAt, ordinal: b.Deliveries.Ordinal(d.ID), id: d.ID}
	if at, found := slices.BinarySearchFunc(b.queue, w, earlier); found {
		b.queue = slices.Delete(b.queue, at, at+1)
	}
}

// settle puts a row into the log of a subscription, and lets go of the oldest
// beyond what is kept.
func (b *Books) settle(r *record.Recorder, id, delivery string) {
	log := append(b.settled[id], delivery)
	for len(log) > settledMost {
		b.Deliveries.Remove(r, log[0])
		log = log[1:]
	}
	b.settled[id] = log
}

// Waiting is how many deliveries wait.
func (b *Books) Waiting() int {
	b.index()
	return len(b.queue)
}

// Job is an attempt with the number of its event, whose text is not in the
// books.
type Job struct {
	Attempt

	Sequence uint64
}

// Due lists the attempts that are to be made now, the longest due first and at
// most limit of them, and notes them as under way. What is due beyond the budget
// is marked as deferred (contract: DLV.DEFERRED). It also returns when to ask
// again, 0 for when something has happened.
func (b *Books) Due(r *record.Recorder, f *Flight, now moment.Instant, limit int) (jobs []Job, next moment.Instant) {
	b.index()
	f.pass(now)
	ask := func(at moment.Instant) {
		if next == 0 || at < next {
			next = at
		}
	}
	for _, w := range b.queue {
		if w.due > now {
			ask(w.due)
			break
		}
		if began, under := f.under[w.id]; under {
			ask(began.Add(lostAfter))
			continue
		}
		if opens, open := f.open(now); !open {
			ask(opens)
			b.postpone(r, w.id)
			continue
		}
		if len(jobs) == limit {
			ask(now)
			break
		}
		jobs = append(jobs, b.job(w.id, now))
		f.begin(w.id, now)
	}
	return jobs, next
}

func (b *Books) postpone(r *record.Recorder, delivery string) {
	if row, _ := b.Deliveries.Find(delivery); row.Status == Pending {
		row, _ = b.Deliveries.Edit(r, delivery)
		row.Status = Deferred
	}
}

func (b *Books) job(delivery string, now moment.Instant) Job {
	row, _ := b.Deliveries.Find(delivery)
	from := b.Deliveries.Private(delivery)
	j := Job{Sequence: from.Sequence, Attempt: Attempt{
		SubscriptionID: from.SubscriptionID, DeliveryID: row.ID, EventID: row.EventID, EventType: row.EventType, Number: int(row.Attempt), Trigger: row.Trigger,
	}}
	j.Address, j.Secrets = b.Address(from.SubscriptionID, now)
	return j
}

// DeferredSince is when the oldest delivery was due that the budget holds back,
// 0 when it holds back none.
func (b *Books) DeferredSince() moment.Instant {
	b.index()
	for _, w := range b.queue {
		if row, _ := b.Deliveries.Find(w.id); row.Status == Deferred {
			return w.due
		}
	}
	return 0
}
