package subscription

import (
	"time"

	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

const (
	// maxFailures is how many attempts in a row may fail before the
	// subscription is disabled (contract: LIMIT.DELIVERY_FAILURES).
	maxFailures = 5
	// maxWaiting is how many deliveries of a sandbox wait at most. At 60 a
	// minute it takes a hundred minutes to send as many, and no sandbox lasts
	// longer: more could never be sent.
	maxWaiting = 6000
	// maxSettled is how many settled rows the log of a subscription keeps.
	maxSettled = 500
)

// waits are those before the second, third and fourth attempt (contract:
// LIMIT.DELIVERY_RETRIES).
func waits() []time.Duration {
	return []time.Duration{10 * time.Second, 60 * time.Second, 300 * time.Second}
}

// rest is how long no event is sent for the first time after so many failures in a
// row: 1, 2, 4, 8 seconds. A receiver that restarts must not be taken out of
// service by the events of one moment (contract: OPEN.DLV.REST).
func rest(failures int64) time.Duration {
	return time.Second << min(max(failures-1, 0), maxFailures)
}

// Ping is the type of a test ping. The feed does not show it (contract:
// OPEN.WHK.TEST.PING), so it is no type of an event.
const Ping = "webhook.ping"

// DeliveryStatus is the status of an attempt.
//
//	pending ──no budget──▶ deferred
//	   └────────┬─────────────┘
//	            ├──2xx──▶ delivered
//	            ├──anything else──▶ failed, and the next attempt is pending
//	            └──the last attempt fails, or the subscription leaves service──▶ dropped
//
// It is not a state of the company: the log has no events (contract: EVT.ONE
// speaks of changes that are in the feed; these follow from it).
type DeliveryStatus string

// Statuses of an attempt (contract: OPEN.DLV.LOG).
const (
	Pending   DeliveryStatus = "pending"
	Deferred  DeliveryStatus = "deferred"
	Delivered DeliveryStatus = "delivered"
	Failed    DeliveryStatus = "failed"
	Dropped   DeliveryStatus = "dropped"
)

// Delivery is a row of the delivery log: one attempt (contract: OPEN.DLV.LOG).
type Delivery struct {
	_ struct{} `doc:"One attempt to deliver an event to a subscription of the client."`

	record.Head
	EventID    string            `json:"event_id" doc:"The webhook-id of the request."`
	EventType  event.Type        `json:"event_type" doc:"The type of the event; webhook.ping for a test."`
	Attempt    int64             `json:"attempt" doc:"Counts the attempts of a delivery from 1 to 4."`
	Trigger    Trigger           `json:"trigger" enum:"auto,manual,test" doc:"auto: sent automatically; manual: resent on your request; test: a ping."`
	Status     DeliveryStatus    `json:"status" enum:"pending,deferred,delivered,failed,dropped" doc:"pending waits for due_at, deferred for the delivery budget; delivered got a 2xx; failed did not, and another attempt follows; dropped was given up after the last attempt, or with its subscription."`
	StatusCode *int64            `json:"status_code" doc:"The status of the receiver's response; null when there was none."`
	LatencyMS  *int64            `json:"latency_ms" doc:"How long the attempt took, in milliseconds; null before the attempt."`
	ErrorClass *event.ErrorClass `json:"error_class" doc:"The kind of the failure; null for none."`
	DueAt      moment.Instant    `json:"due_at" doc:"The earliest time of the attempt. The first attempt of an event also waits while the subscription rests after a failure."`
	SentAt     *moment.Instant   `json:"sent_at" doc:"When the attempt was sent; null if it was not."`
	Via        *Via              `json:"via" enum:"intermediary" doc:"The fault that acknowledged the attempt instead of the receiver. Null without an injected fault."`
	record.Stamps
}

// Resource implements record.Row.
func (*Delivery) Resource() string { return DeliveryResource }

// State implements record.Row.
func (d *Delivery) State() string { return string(d.Status) }

// origin is where a delivery comes from.
type origin struct {
	SubscriptionID string `json:"subscription_id"`
	// Sequence is the number of its event, 0 for a ping.
	Sequence uint64 `json:"sequence,omitzero"`
	// Minute is the in-world minute of the event, where faults may be injected.
	Minute sim.Minute `json:"minute,omitzero"`
	// Lost and Decoy are the faults of the attempt, Again is set for a second delivery that
	// nothing asked for.
	Lost  bool  `json:"lost,omitzero"`
	Decoy Decoy `json:"decoy,omitzero"`
	Again bool  `json:"again,omitzero"`
	// Paced is set for one of many that a client sends again at once: it waits while the subscription rests.
	Paced bool `json:"paced,omitzero"`
	// Trace is that of the request that caused the event.
	Trace event.Trace `json:"trace,omitzero"`
}

// answered records the outcome of an attempt.
func (d *Delivery) answered(o Outcome) {
	d.SentAt = new(moment.InstantOf(o.SentAt))
	d.LatencyMS = new(o.Latency.Milliseconds())
	if o.StatusCode != 0 {
		d.StatusCode = new(int64(o.StatusCode))
	}
	if o.ErrorClass != "" {
		d.ErrorClass = &o.ErrorClass
	}
}

// Publish gives birth to the deliveries of events that wait to be flushed:
// they are durable together, so that no event is ever without them.
func (b *Subscriptions) Publish(notices []record.Notice) {
	if serving, _ := b.Glance(); !serving {
		return
	}
	for i := range notices {
		n := &notices[i]
		for s, private := range b.Subscriptions.All {
			if s.wants(n, private.Since) {
				b.rotateUnasked(s, n)
				due := min(n.CreatedAt, b.recorder.Wall()) // events of one moment are stamped a little after it
				delivery, from := b.first(n, s.ID, due)
				if b.wait(delivery, from) == "" {
					missing := record.EditPrivate(b.Subscriptions, b.recorder, s.ID)
					missing.Missed = missing.Missed.with(Stretch{n.Sequence, n.Sequence})
				}
			}
		}
	}
}

// wait adds a row for an attempt that is to be made, and returns its id, "" when
// too many wait already.
func (b *Subscriptions) wait(d Delivery, from origin) string {
	b.index()
	if len(b.queue) >= maxWaiting {
		return ""
	}
	d.Status = Pending
	row, private := b.Deliveries.Add(b.recorder, d, from)
	b.disturb(row, private)
	b.enqueue(waiting{due: row.DueAt, ordinal: b.Deliveries.Rows.Ordinal(row.ID), id: row.ID})
	return row.ID
}

// Redeliver adds a delivery of the event of another one, and returns its id. It
// is refused unless the subscription is active and the other one is over
// (contract: OPEN.DLV.REDELIVER).
func (b *Subscriptions) Redeliver(id, deliveryID string, now moment.Instant) (string, error) {
	s, err := b.Find(id)
	if err != nil {
		return "", err
	}
	old, ok := b.Deliveries.Find(deliveryID)
	if !ok || record.Private(b.Deliveries, deliveryID).SubscriptionID != id {
		return "", problem.Missing(DeliveryResource, deliveryID)
	}
	switch {
	case s.Status != Active:
		return "", problem.WrongState(Resource, id, string(s.Status), "sent events again", string(Active))
	case old.Status == Pending || old.Status == Deferred:
		return "", problem.WrongState(DeliveryResource, deliveryID, string(old.Status), "sent again",
			string(Delivered), string(Failed), string(Dropped))
	case old.Trigger == Test:
		return "", problem.New(problem.InvalidState, "The delivery %s was a test ping, not an event.", deliveryID).
			With(problem.StateDetails{Status: string(old.Status), Allowed: []string{}}).
			Hinting("POST /webhooks/%s/test sends another ping.", id)
	}
	b.index()
	if len(b.queue) >= maxWaiting {
		return "", problem.New(problem.TooManyOpen, "%d deliveries of this sandbox wait already.", len(b.queue)).
			Hinting("Wait until some have been sent.")
	}
	again := b.wait(Delivery{
		EventID: old.EventID, EventType: old.EventType, Attempt: 1, Trigger: Manual, DueAt: now,
	}, record.Private(b.Deliveries, deliveryID).anew())
	return again, nil
}

// Record records the outcomes of attempts, sets the retries, and disables a
// subscription after its fifth failure in a row. An attempt whose outcome is
// known already, or whose row is gone, changes nothing, so outcomes may be
// recorded again.
func (b *Subscriptions) Record(outcomes []Outcome) {
	b.index()
	for _, o := range outcomes {
		row, ok := b.Deliveries.Find(o.DeliveryID)
		if !ok || row.SentAt != nil {
			continue
		}
		if row.Status == Dropped { // its subscription left service while it was under way
			row, from := b.Deliveries.Edit(b.recorder, o.DeliveryID)
			row.answered(o)
			b.attempted(row, from)
			b.spend(row)
			if o.ErrorClass == "" {
				row.Status = Delivered
			}
			continue
		}
		b.dequeue(row)
		row, from := b.Deliveries.Edit(b.recorder, o.DeliveryID)
		row.answered(o)
		b.attempted(row, from)
		b.spend(row)
		if o.ErrorClass == "" {
			b.succeeded(row, from)
		} else {
			b.failed(row, from, o)
		}
	}
}

func (b *Subscriptions) succeeded(row *Delivery, from *origin) {
	row.Status = Delivered
	s, _ := b.Subscriptions.Find(from.SubscriptionID)
	if s.ConsecutiveFailures != 0 {
		changed, private := b.Subscriptions.Edit(b.recorder, s.ID)
		changed.ConsecutiveFailures, private.RestsUntil = 0, 0
		s = changed
	}
	if twice := record.Private(b.Subscriptions, s.ID).Twice; row.Trigger == Manual &&
		(twice == 0 || from.Sequence < twice) && b.acknowledged(s.ID, row.EventID) {
		record.EditPrivate(b.Subscriptions, b.recorder, s.ID).Twice = from.Sequence
	}
	b.logSettled(s.ID, row.ID)
	b.repeat(row, from)
}

// Delivered reports whether a receiver acknowledged one of the events after a number, up to another.
func (b *Subscriptions) Delivered(after, last uint64) bool {
	for row, from := range b.Deliveries.All {
		if from.Sequence > after && from.Sequence <= last && row.Status == Delivered && row.Via == nil {
			return true
		}
	}
	return false
}

// acknowledged reports whether a settled delivery of an event got a 2xx
// response of its receiver.
func (b *Subscriptions) acknowledged(id, eventID string) bool {
	for _, delivery := range b.settled[id] {
		if row, ok := b.Deliveries.Find(delivery); ok && row.EventID == eventID && row.Status == Delivered &&
			row.Via == nil {
			return true
		}
	}
	return false
}

func (b *Subscriptions) failed(row *Delivery, from *origin, o Outcome) {
	row.Status = Failed
	if last := int(row.Attempt) > len(waits()); last {
		row.Status = Dropped
	} else {
		next := Delivery{EventID: row.EventID, EventType: row.EventType, Attempt: row.Attempt + 1, Trigger: row.Trigger}
		// an instant is cut to microseconds
		next.DueAt = moment.InstantOf(o.SentAt.Add(o.Latency)).Add(waits()[row.Attempt-1]) + moment.Microsecond
		b.wait(next, from.next())
	}
	s, private := b.Subscriptions.Edit(b.recorder, from.SubscriptionID)
	s.ConsecutiveFailures++
	s.LastErrorClass = LastErrorClass(o.ErrorClass)
	private.RestsUntil = moment.InstantOf(o.SentAt.Add(o.Latency)).Add(rest(s.ConsecutiveFailures))
	b.logSettled(s.ID, row.ID)
	if s.ConsecutiveFailures < maxFailures || s.Status != Active {
		return
	}
	record.Move(b.recorder, s, &s.Status, Disabled)
	b.recorder.Emit(event.WebhookDisabled, s, &event.WebhookDisabledData{
		URLHost: s.URLHost, ConsecutiveFailures: s.ConsecutiveFailures, LastErrorClass: new(string(o.ErrorClass)),
		DroppedCount: b.drop(s.ID),
	})
	record.EditPrivate(b.Subscriptions, b.recorder, s.ID).Off = b.recorder.Sequence()
}

// drop gives up the deliveries that wait for a subscription (contract:
// OPEN.WHK.DISABLED.DROPS), and returns their number.
func (b *Subscriptions) drop(id string) int64 {
	return b.dropWhere(id, func(*Delivery) bool { return true })
}

// dropWhere gives up the deliveries that wait for a subscription and that
// unwanted selects.
func (b *Subscriptions) dropWhere(id string, unwanted func(*Delivery) bool) int64 {
	b.index()
	kept, dropped := b.queue[:0], []string{}
	for _, w := range b.queue {
		row, _ := b.Deliveries.Find(w.id)
		if record.Private(b.Deliveries, w.id).SubscriptionID == id && unwanted(row) {
			dropped = append(dropped, w.id)
		} else {
			kept = append(kept, w)
		}
	}
	clear(b.queue[len(kept):])
	b.queue = kept
	for _, delivery := range dropped {
		row, _ := b.Deliveries.Edit(b.recorder, delivery)
		row.Status = Dropped
		b.logSettled(id, delivery)
	}
	return int64(len(dropped))
}
