package subscription

import (
	"cmp"
	"slices"
	"time"

	"platen/internal/company/record"
	"platen/internal/words/moment"
)

const (
	// maxBudget deliveries are sent in budgetTime (contract: LIMIT.DELIVERIES).
	maxBudget  = 60
	budgetTime = time.Minute
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

// index reads the rows that were loaded into the queue and the log.
func (b *Subscriptions) index() {
	if b.indexed {
		return
	}
	b.indexed = true
	b.queue, b.sent, b.settled = nil, nil, map[string][]string{}
	for d, from := range b.Deliveries.All {
		if d.SentAt != nil {
			b.spend(d)
		}
		if d.Status == Pending || d.Status == Deferred {
			b.queue = append(b.queue, waiting{due: d.DueAt, ordinal: b.Deliveries.Rows.Ordinal(d.ID), id: d.ID})
		} else {
			b.settled[from.SubscriptionID] = append(b.settled[from.SubscriptionID], d.ID)
		}
	}
	slices.SortFunc(b.queue, earlier)
	for s := range b.Subscriptions.All { // rows are in the order of their births
		slices.SortStableFunc(b.settled[s.ID], func(a, other string) int {
			return cmp.Compare(b.settledAt(a), b.settledAt(other))
		})
	}
}

// settledAt is when a delivery was over, as far as its row says: when its
// response came or, dropped without an attempt, last changed.
func (b *Subscriptions) settledAt(id string) moment.Instant {
	d, _ := b.Deliveries.Find(id)
	return d.UpdatedAt
}

func (b *Subscriptions) enqueue(w waiting) {
	at, _ := slices.BinarySearchFunc(b.queue, w, earlier)
	b.queue = slices.Insert(b.queue, at, w)
}

func (b *Subscriptions) dequeue(d *Delivery) {
	w := waiting{due: d.DueAt, ordinal: b.Deliveries.Rows.Ordinal(d.ID), id: d.ID}
	if at, found := slices.BinarySearchFunc(b.queue, w, earlier); found {
		b.queue = slices.Delete(b.queue, at, at+1)
	}
}

// logSettled puts a row into the log of a subscription, and drops the oldest
// rows beyond the log's limit.
func (b *Subscriptions) logSettled(id, delivery string) {
	log := append(b.settled[id], delivery)
	for len(log) > maxSettled {
		b.forget(id, log[0])
		b.Deliveries.Rows.Remove(b.recorder, log[0])
		log = log[1:]
	}
	b.settled[id] = log
}

// Waiting is the number of deliveries that wait.
func (b *Subscriptions) Waiting() int {
	b.index()
	return len(b.queue)
}

// Job is an attempt with the number of its event, whose text is not kept here.
type Job struct {
	Attempt

	Sequence uint64
}

// Due lists the attempts that are to be made by a moment, the longest due first
// and at most limit of them. The caller knows which are under way: they are
// listed again until their outcome is recorded, in the same order, and so hold
// their places in the budget. Attempts due beyond the budget are marked as
// deferred (contract: DLV.DEFERRED). First attempts for a subscription that rests
// after a failure are passed over (contract: OPEN.DLV.REST). Due also returns when
// to ask again, 0 for after the next change.
func (b *Subscriptions) Due(now moment.Instant, limit int) (jobs []Job, next moment.Instant) {
	b.index()
	free := b.free(now)
	for _, w := range b.queue {
		switch {
		case w.due > now:
			return jobs, sooner(next, w.due)
		case b.restsUntil(w.id, now) > now:
			next = sooner(next, b.restsUntil(w.id, now))
		case len(jobs) == free:
			if len(b.sent) > 0 {
				next = sooner(next, b.sent[0].Add(budgetTime))
			}
			b.postpone(w.id)
		case len(jobs) == limit:
			return jobs, next
		default:
			jobs = append(jobs, b.job(w.id, now))
		}
	}
	return jobs, next
}

// restsUntil is when the rest ends that holds back a delivery, 0 for none. A retry has
// a moment of its own, and so has one delivery that a client sends again; many of them rest. The rest of a
// clock that was set back does not last longer.
func (b *Subscriptions) restsUntil(id string, now moment.Instant) moment.Instant {
	from := record.Private(b.Deliveries, id)
	if row, _ := b.Deliveries.Find(id); row.Attempt > 1 || row.Trigger != Auto && !from.Paced {
		return 0
	}
	until := record.Private(b.Subscriptions, from.SubscriptionID).RestsUntil
	if until > now.Add(rest(maxFailures)) {
		return 0
	}
	return until
}

func sooner(a, b moment.Instant) moment.Instant {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// free is how many attempts the budget allows (contract: LIMIT.DELIVERIES). The
// future of a clock that was set back does not count.
func (b *Subscriptions) free(now moment.Instant) int {
	b.sent = slices.DeleteFunc(b.sent, func(at moment.Instant) bool { return at > now || at.Add(budgetTime) <= now })
	return max(0, maxBudget-len(b.sent))
}

// spend counts an attempt against the budget.
func (b *Subscriptions) spend(d *Delivery) {
	at, _ := slices.BinarySearch(b.sent, *d.SentAt)
	b.sent = slices.Insert(b.sent, at, *d.SentAt)
	b.sent = b.sent[max(0, len(b.sent)-maxBudget):]
}

func (b *Subscriptions) postpone(delivery string) {
	if row, _ := b.Deliveries.Find(delivery); row.Status == Pending {
		row, _ = b.Deliveries.Edit(b.recorder, delivery)
		row.Status = Deferred
	}
}

func (b *Subscriptions) job(delivery string, now moment.Instant) Job {
	row, _ := b.Deliveries.Find(delivery)
	from := record.Private(b.Deliveries, delivery)
	j := Job{Sequence: from.Sequence, Attempt: Attempt{
		SubscriptionID: from.SubscriptionID, DeliveryID: row.ID, EventID: row.EventID, EventType: row.EventType,
		Number: int(row.Attempt), Trigger: row.Trigger, Lost: from.Lost, Decoy: from.Decoy,
		Trace: from.Trace,
	}}
	j.Address, j.Secrets = b.Address(from.SubscriptionID, now)
	return j
}

// DeferredSince is when the oldest delivery was due that the budget holds back,
// 0 when it holds back none.
func (b *Subscriptions) DeferredSince() moment.Instant {
	b.index()
	for _, w := range b.queue {
		if row, _ := b.Deliveries.Find(w.id); row.Status == Deferred {
			return w.due
		}
	}
	return 0
}
