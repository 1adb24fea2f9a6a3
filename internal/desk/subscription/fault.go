package subscription

import (
	"time"

	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
)

// Decoy is a delivery that is not true and is sent before a true one.
type Decoy string

// Decoys.
const (
	NoDecoy Decoy = ""
	// Forged has a changed body and a signature that does not fit.
	Forged Decoy = "forged"
	// Truncated is cut short, and has the signature of the whole body.
	Truncated Decoy = "truncated"
)

// Via says what acknowledged a delivery in place of its receiver.
type Via string

// Intermediary is something between the sender and the receiver.
const Intermediary Via = "intermediary"

// Case is an attempt that may meet an injected fault.
type Case struct {
	SubscriptionID, DeliveryID, EventID string
	// Subscription counts the subscriptions of the sandbox, Sequence is the number of the event,
	// Attempt counts from 1, Minute is the in-world minute of the event. None of them depends on
	// when receivers respond.
	Subscription int64
	Sequence     uint64
	Attempt      int64
	Minute       sim.Minute
}

// Faults decide the injected faults of deliveries. The caller that sets them decides, and
// remembers that one happened; here are only the effects.
type Faults interface {
	// Late returns by how much later an attempt is due, 0 for not at all.
	Late(c *Case) time.Duration
	// Lost reports whether an attempt is acknowledged by something in between, and never sent.
	Lost(c *Case) bool
	// Decoy returns what is sent before an attempt.
	Decoy(c *Case) Decoy
	// Attempted is told of an attempt that was lost, or had a decoy before it.
	Attempted(c *Case, lost bool, decoy Decoy)
	// Twice reports whether an event that was delivered is delivered once more, and how long
	// after the first time. The id in the case is that of the second delivery.
	Twice(c *Case) (after time.Duration, again bool)
	// Secret returns another secret for the subscription, sealed, nil to keep the one it has.
	// The case has no delivery.
	Secret(c *Case) []byte
}

// Disturb sets the faults to inject in deliveries, nil for none. It is not stored.
func (b *Subscriptions) Disturb(f Faults) { b.faults = f }

// disturb draws what goes wrong with an attempt when its row is born: what is stored with it holds
// also after a restart. It spares what a client sends once more, and repetitions (contract:
// OPEN.FAULT.WEBHOOK_LATE, OPEN.FAULT.SPARED).
func (b *Subscriptions) disturb(row *Delivery, from *origin) {
	if b.faults == nil || row.Trigger != Auto || from.Again {
		return
	}
	c := b.caseOf(row, from)
	if row.Attempt == 1 {
		row.DueAt = row.DueAt.Add(b.faults.Late(c))
	}
	if from.Lost = b.faults.Lost(c); !from.Lost {
		from.Decoy = b.faults.Decoy(c)
	}
}

func (b *Subscriptions) caseOf(row *Delivery, from *origin) *Case {
	return &Case{
		SubscriptionID: from.SubscriptionID, DeliveryID: row.ID, EventID: row.EventID,
		Subscription: int64(b.Subscriptions.Rows.Ordinal(from.SubscriptionID)), Sequence: from.Sequence,
		Attempt: row.Attempt, Minute: from.Minute,
	}
}

// attempted notes the injected fault in the row of an attempt (contract:
// OPEN.FAULT.WEBHOOK_LOST).
func (b *Subscriptions) attempted(row *Delivery, from *origin) {
	if from.Lost {
		row.Via = new(Intermediary)
	}
	if b.faults != nil && (from.Lost || from.Decoy != NoDecoy) {
		b.faults.Attempted(b.caseOf(row, from), from.Lost, from.Decoy)
	}
}

// repeat sets a second delivery of an event that was delivered, if that goes wrong. The second
// delivery is never repeated, nor one that its receiver did not get (contract:
// OPEN.FAULT.WEBHOOK_TWICE).
func (b *Subscriptions) repeat(row *Delivery, from *origin) {
	if b.faults == nil || row.Trigger != Auto || from.Again || from.Lost || len(b.queue) >= maxWaiting {
		return
	}
	c := b.caseOf(row, from)
	c.DeliveryID, c.Attempt = b.Deliveries.Rows.NextID(b.recorder), 1 // however many attempts it took
	after, again := b.faults.Twice(c)
	if !again {
		return
	}
	due := row.SentAt.Add(time.Duration(*row.LatencyMS) * time.Millisecond).Add(after)
	b.wait(Delivery{EventID: row.EventID, EventType: row.EventType, Attempt: 1, Trigger: Auto, DueAt: due},
		origin{SubscriptionID: from.SubscriptionID, Sequence: from.Sequence, Trace: from.Trace, Again: true})
}

// rotateUnasked replaces the secret of a subscription when it gets an event, if that goes wrong.
// It does not while two secrets sign: the older one would end at once, which receivers may still
// verify by (contract: OPEN.FAULT.SECRET_ROTATED).
func (b *Subscriptions) rotateUnasked(s *Subscription, n *record.Notice) {
	if b.faults == nil || s.OldSecretValidUntil != nil && b.recorder.Wall() < *s.OldSecretValidUntil {
		return
	}
	secret := b.faults.Secret(&Case{
		SubscriptionID: s.ID, EventID: n.ID, Subscription: int64(b.Subscriptions.Rows.Ordinal(s.ID)),
		Sequence: n.Sequence, Attempt: 1, Minute: n.Minute,
	})
	if secret == nil {
		return
	}
	b.Rotate(s.ID, secret, b.recorder.Wall())
	record.EditPrivate(b.Subscriptions, b.recorder, s.ID).Unasked = true
}

// first is the first attempt to deliver an event to a subscription.
func (b *Subscriptions) first(n *record.Notice, id string, due moment.Instant) (Delivery, origin) {
	from := origin{SubscriptionID: id, Sequence: n.Sequence, Trace: n.Trace}
	if b.faults != nil {
		from.Minute = n.Minute
	}
	return Delivery{EventID: n.ID, EventType: n.Type, Attempt: 1, Trigger: Auto, DueAt: due}, from
}

// next is the origin of another attempt to deliver the same.
func (o *origin) next() origin {
	next := *o
	next.Lost, next.Decoy = false, NoDecoy
	return next
}

// anew is the origin of another delivery of the same event.
func (o *origin) anew() origin {
	return origin{SubscriptionID: o.SubscriptionID, Sequence: o.Sequence, Trace: o.Trace}
}
