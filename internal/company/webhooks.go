package company

import (
	"platen/internal/company/mission"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/company/subscription"
	"platen/internal/event"
	"platen/internal/moment"
)

// Webhook subscriptions are kept beside the company: nothing in it follows from
// them, and the state hash sees neither them nor their events. They go on when
// the company has ended, so their moment is the wall clock's, not the company's.

// besides makes a change of the webhook subscriptions at a wall time, and
// counts the events that it writes.
func (c *Company) besides(now moment.Instant, change func()) {
	c.rec.SetMoment(c.now, max(c.wall, now), c.clock)
	before := c.rec.Sequence()
	change()
	c.wallEvents += c.rec.Sequence() - before
}

// SetTrace sets the trace context of the next events, which goes along with their deliveries.
func (c *Company) SetTrace(t event.Trace) { c.rec.SetTrace(t) }

// CanSubscribe refuses a subscription that there is no room for, or that names
// a type which cannot be subscribed to. It returns the id that the next one will
// have, which its address and secret are sealed for.
func (c *Company) CanSubscribe(types []event.Type) (id string, err error) {
	if err := subscription.CheckTypes(types); err != nil {
		return "", err
	}
	return c.webhooks.Subscriptions.Rows.NextID(c.rec), c.webhooks.CanCreate()
}

// Subscribe adds a subscription. CanSubscribe comes before it.
func (c *Company) Subscribe(in subscription.Order, now moment.Instant) (id string) {
	c.besides(now, func() { id = c.webhooks.Create(c.rec, in) })
	return id
}

// Subscription returns a subscription to read, or refuses with not_found.
func (c *Company) Subscription(id string) (*subscription.Subscription, error) {
	return c.webhooks.Find(id)
}

// SubscriptionAddress returns the sealed URL and the sealed secrets of a
// subscription that exists, the newest secret first.
func (c *Company) SubscriptionAddress(id string, now moment.Instant) (address []byte, secrets [][]byte) {
	return c.webhooks.Address(id, now)
}

// ChangeSubscription changes a subscription.
func (c *Company) ChangeSubscription(id string, in subscription.Change, now moment.Instant) error {
	if err := subscription.CheckTypes(in.Events); err != nil {
		return err
	}
	if err := c.webhooks.CanChange(id, in); err != nil {
		return err
	}
	c.besides(now, func() { c.webhooks.Apply(c.rec, id, in) })
	return nil
}

// RotateSubscription replaces the secret of a subscription that exists.
func (c *Company) RotateSubscription(id string, secret []byte, now moment.Instant) {
	c.besides(now, func() { c.webhooks.Rotate(c.rec, id, secret, now) })
}

// Unsubscribe removes a subscription and returns its last row.
func (c *Company) Unsubscribe(id string, now moment.Instant) (last subscription.Subscription, err error) {
	c.besides(now, func() { last, err = c.webhooks.Delete(c.rec, id) })
	return last, err
}

// Day returns the in-world day.
func (c *Company) Day() sim.Day { return c.now.Day() }

// Date returns the in-world date.
func (c *Company) Date() moment.Date { return c.now.Date() }

// SubscriptionTested notes the outcome of a test ping.
func (c *Company) SubscriptionTested(a subscription.Attempt, o subscription.Outcome, now moment.Instant) (err error) {
	activated := false
	c.besides(now, func() { activated, err = c.webhooks.Tested(c.rec, a, o) })
	if activated && !c.Bankrupt() {
		c.missions.Note(c.rec, mission.VerifiedWebhook)
	}
	return err
}

// Redeliver sends the event of a delivery once more, and returns the id of the
// new delivery.
func (c *Company) Redeliver(id, deliveryID string, now moment.Instant) (again string, err error) {
	c.besides(now, func() { again, err = c.webhooks.Redeliver(c.rec, id, deliveryID, now) })
	return again, err
}

// MissedEvents lists the stretches of the feed with events that RedeliverFailed may want and of which the
// delivery log need not have a row, each from its first to its last number. It refuses a subscription that
// gets nothing sent again, and types that it does not get.
func (c *Company) MissedEvents(id string, in subscription.Again) ([]subscription.Stretch, error) {
	return c.webhooks.Missed(id, in)
}

// RedeliverFailed sends all events again that the receiver of a subscription did not get, and returns their number.
// Events are those of MissedEvents, which comes before it.
func (c *Company) RedeliverFailed(id string, in subscription.Again, events []record.Event,
	now moment.Instant) (count int, err error) {
	c.besides(now, func() { count, err = c.webhooks.RedeliverFailed(c.rec, id, in, events, now) })
	return count, err
}

// DueDeliveries lists the attempts that are to be made by now, and when to ask
// again, 0 for when something has happened.
func (c *Company) DueDeliveries(now moment.Instant, limit int) (jobs []subscription.Job, next moment.Instant) {
	c.besides(now, func() { jobs, next = c.webhooks.Due(c.rec, now, limit) })
	return jobs, next
}

// CanPing refuses a test ping that the budget of deliveries has no room for;
// pinging is the number of pings under way.
func (c *Company) CanPing(now moment.Instant, pinging int) error {
	return c.webhooks.CanPing(now, pinging)
}

// DeferredSince is when the oldest delivery was due that the budget holds back,
// 0 for none.
func (c *Company) DeferredSince() moment.Instant { return c.webhooks.DeferredSince() }

// AcknowledgedTwice is the smallest number of an event that a receiver
// acknowledged twice, 0 for none.
func (c *Company) AcknowledgedTwice() uint64 { return c.webhooks.Twice() }

// Delivered reports whether a receiver acknowledged one of the events after a number, up to another.
func (c *Company) Delivered(after, last uint64) bool { return c.webhooks.Delivered(after, last) }

// RecordDeliveries records the outcomes of attempts.
func (c *Company) RecordDeliveries(outcomes []subscription.Outcome, now moment.Instant) {
	c.besides(now, func() { c.webhooks.Record(c.rec, outcomes) })
}

// DisturbDeliveries sets the faults to inject in deliveries, nil for none. It is not stored.
func (c *Company) DisturbDeliveries(f subscription.Faults) { c.webhooks.Disturb(f) }

// publish gives birth to the deliveries of the events that wait to be flushed. Events that it
// writes itself are of the wall clock, and the missions have nothing to see in them.
func (c *Company) publish() {
	before := c.rec.Sequence()
	c.webhooks.Publish(c.rec)
	if n := c.rec.Sequence() - before; n > 0 {
		c.wallEvents += n
		c.watched += n
	}
}
