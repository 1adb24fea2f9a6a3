package desk

import (
	"time"

	"platen/internal/company/fault"
	"platen/internal/company/sim"
	"platen/internal/desk/injection"
	"platen/internal/desk/subscription"
	"platen/internal/words/event"
)

// This file has the injected faults of deliveries: the decisions that the delivery log asks
// for, and what has to be remembered of them. A sandbox without faults hands it nothing.

// disturbance decides the faults of the deliveries of the step that the writer is at. Faults that
// it has taken and noted count once the step is durable.
type disturbance struct {
	desk   *Desk
	faults *Faults
	taken  []fault.Kind
	hits   []FaultHit
}

// disturb lets deliveries meet the faults of the sandbox from now on, if it has any.
func (d *Desk) disturb() {
	if f := d.client.faults.Load(); f != nil && d.disturbed == nil {
		d.disturbed = &disturbance{desk: d, faults: f}
		d.Webhooks.Disturb(d.disturbed)
	}
}

// Committed notes the faults of a step that is durable now.
func (d *Desk) Committed() {
	if x := d.disturbed; x != nil {
		for _, h := range x.hits {
			x.faults.Note(h)
		}
		x.taken, x.hits = nil, nil
	}
}

// Dropped gives back what a step took that is no more.
func (d *Desk) Dropped() {
	d.client.unsure.Store(true)
	x := d.disturbed
	if x == nil {
		return
	}
	x.faults.mu.Lock()
	defer x.faults.mu.Unlock()
	for _, kind := range x.taken {
		x.faults.memory.Inject(injection.Injection{Kind: kind, Count: 1})
	}
	x.taken, x.hits = nil, nil
}

// strikes reports whether a fault happens to an attempt. One that was asked for by hand is
// remembered as done in the same commit as what it does.
func (d *disturbance) strikes(kind fault.Kind, c *subscription.Case) bool {
	struck, injected := d.faults.strikes(kind, attemptOf(c))
	if injected {
		d.taken = append(d.taken, kind)
	}
	return struck
}

func attemptOf(c *subscription.Case) *injection.Delivery {
	return &injection.Delivery{
		Subscription: c.Subscription, Sequence: c.Sequence, Attempt: c.Attempt, Minute: c.Minute,
	}
}

func (d *disturbance) note(kind fault.Kind, c *subscription.Case, detail string) {
	d.hits = append(d.hits, FaultHit{
		At: d.desk.options.Now(), Kind: kind, DeliveryID: c.DeliveryID, EventID: c.EventID, Detail: detail,
	})
}

// Late implements subscription.Faults.
func (d *disturbance) Late(c *subscription.Case) time.Duration {
	if !d.strikes(fault.WebhookLate, c) {
		return 0
	}
	by := d.faults.plan.Delayed(fault.WebhookLate, attemptOf(c))
	d.note(fault.WebhookLate, c, "by "+by.String())
	return by
}

// Lost implements subscription.Faults.
func (d *disturbance) Lost(c *subscription.Case) bool { return d.strikes(fault.WebhookLost, c) }

// Decoy implements subscription.Faults.
func (d *disturbance) Decoy(c *subscription.Case) subscription.Decoy {
	switch {
	case !d.strikes(fault.WebhookForged, c):
		return subscription.NoDecoy
	case d.faults.plan.Which(fault.WebhookForged, attemptOf(c), 2) == 0:
		return subscription.Forged
	default:
		return subscription.Truncated
	}
}

// Attempted implements subscription.Faults.
func (d *disturbance) Attempted(c *subscription.Case, lost bool, decoy subscription.Decoy) {
	if lost {
		d.note(fault.WebhookLost, c, "")
	}
	if decoy != subscription.NoDecoy {
		d.note(fault.WebhookForged, c, string(decoy))
	}
}

// Twice implements subscription.Faults.
func (d *disturbance) Twice(c *subscription.Case) (after time.Duration, again bool) {
	if !d.strikes(fault.WebhookTwice, c) {
		return 0, false
	}
	after = d.faults.plan.Delayed(fault.WebhookTwice, attemptOf(c))
	d.note(fault.WebhookTwice, c, "after "+after.String())
	return after, true
}

// Secret implements subscription.Faults.
func (d *disturbance) Secret(c *subscription.Case) []byte {
	if !d.strikes(fault.SecretRotated, c) {
		return nil
	}
	d.note(fault.SecretRotated, c, c.SubscriptionID)
	o := d.desk.options
	return o.Seal(o.NewSecret(), d.desk.company.Settings().SandboxID, c.SubscriptionID)
}

// ClockOff is by how much the clock is off of the system that sends an event, at an in-world minute.
func (c *Client) ClockOff(t event.Type, minute sim.Minute) time.Duration {
	f := c.faults.Load()
	if f == nil {
		return 0
	}
	call := injection.Call{Minute: minute}
	switch t.System() {
	case event.Office, event.HR:
		call.System = injection.Office
	case event.Factory:
		call.System = injection.Factory
	default: // the clocks of the world and of the sandbox are right
		return 0
	}
	return f.plan.Off(&call)
}
