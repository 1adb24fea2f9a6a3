package subscription

import (
	"bytes"
	"slices"
	"time"

	"platen/internal/company/record"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// Order is a client's order of a new subscription, its URL and its secret
// sealed for the id that it will have.
type Order struct {
	Host            string
	Address, Secret []byte
	Events          []event.Type
	Description     *string
}

// LimitDetails are the details of webhook_limit_reached.
type LimitDetails struct {
	Limit int `json:"limit"`
}

// CanCreate refuses a fourth subscription (contract: OPEN.WHK.LIMIT), and one that names a type which cannot be
// subscribed to. It returns the id that the next one will have, which its address and secret are sealed for.
func (b *Subscriptions) CanCreate(types []event.Type) (id string, err error) {
	if err := CheckTypes(types); err != nil {
		return "", err
	}
	count := 0
	for range b.Subscriptions.All {
		count++
	}
	if count >= MaxSubscriptions {
		return "", problem.New(problem.WebhookLimitReached,
			"This sandbox has %d webhook subscriptions already.", count).
			With(LimitDetails{Limit: MaxSubscriptions})
	}
	return b.Subscriptions.Rows.NextID(b.recorder), nil
}

// Create adds a subscription and returns its id. CanCreate comes before it.
func (b *Subscriptions) Create(in Order) string {
	row, _ := b.Subscriptions.Add(b.recorder, Subscription{
		Status: PendingVerification, URLHost: in.Host, Events: in.Events, Description: in.Description,
		LastErrorClass: NoError,
	}, sealed{Address: in.Address, Secret: in.Secret})
	b.recorder.Born(row)
	b.recorder.Emit(event.WebhookCreated, row, &event.WebhookCreatedData{URLHost: row.URLHost})
	return row.ID
}

// Change is a client's change of a subscription. Nil leaves a field as it is.
type Change struct {
	// Status is the one that the client names, "" for none. A disabled subscription
	// goes back into service unless it is to stay disabled.
	Status Status
	// Host and Address are set for another URL.
	Host        string
	Address     []byte
	Events      []event.Type
	Description *string
}

// Change changes a subscription, if there is anything to change. It refuses a status that a client cannot cause: to
// re-enable one whose URL was never verified, and to disable one (contract: OPEN.WHK.PATCH.BODY). Asking for the
// present status is allowed.
func (b *Subscriptions) Change(id string, in Change) error {
	if err := CheckTypes(in.Events); err != nil {
		return err
	}
	s, err := b.Find(id)
	if err != nil {
		return err
	}
	if in.Status == Disabled && s.Status != Disabled {
		return problem.WrongState(Resource, id, string(s.Status), "set to `disabled`", string(Disabled)).
			Hinting("Only failures disable a subscription. DELETE /webhooks/%s ends it.", id)
	}
	if in.Status == Active && s.Status == PendingVerification {
		return problem.WrongState(Resource, id, string(s.Status), "enabled", string(Disabled), string(Active)).
			Hinting("POST /webhooks/%s/test makes it active, once its URL responds to the ping with 2xx.", id)
	}
	b.change(s, in)
	return nil
}

func (b *Subscriptions) change(s *Subscription, in Change) {
	id, changed := s.ID, b.differences(s, in)
	reenable := s.Status == Disabled && in.Status != Disabled && in.Address == nil
	if len(changed) == 0 && !reenable {
		return
	}
	s, private := b.Subscriptions.Edit(b.recorder, id)
	if in.Events != nil {
		s.Events = in.Events
		b.dropWhere(id, func(d *Delivery) bool { return !s.asksFor(d.EventType) })
	}
	if in.Description != nil {
		s.Description = in.Description
	}
	if in.Address != nil {
		s.URLHost, private.Address = in.Host, in.Address
		s.ConsecutiveFailures, s.LastErrorClass, private.RestsUntil = 0, NoError, 0
		b.drop(id)
		if s.Status == Active {
			private.Off = b.recorder.Sequence()
		}
		if s.Status != PendingVerification {
			record.Move(b.recorder, s, &s.Status, PendingVerification)
		}
	}
	if reenable {
		s.ConsecutiveFailures, private.RestsUntil = 0, 0
		record.Move(b.recorder, s, &s.Status, Active)
		b.recorder.Emit(event.WebhookReenabled, s, &event.WebhookReenabledData{URLHost: s.URLHost})
		private.serve(b.recorder.Sequence())
		return
	}
	b.recorder.Emit(event.WebhookUpdated, s, &event.WebhookUpdatedData{URLHost: s.URLHost, Changed: changed})
}

// differences names the fields that a change is about to change.
func (b *Subscriptions) differences(s *Subscription, in Change) []string {
	var changed []string
	if in.Address != nil {
		changed = append(changed, "url")
	}
	if in.Events != nil && !slices.Equal(in.Events, s.Events) {
		changed = append(changed, "events")
	}
	if in.Description != nil && (s.Description == nil || *s.Description != *in.Description) {
		changed = append(changed, "description")
	}
	return changed
}

// Rotate replaces the secret of a subscription. For a day the old one signs
// beside it (contract: OPEN.WHK.ROTATE); one that no client knows is of no use to them, and
// leaves the one before it to sign. The subscription must exist.
func (b *Subscriptions) Rotate(id string, secret []byte, now moment.Instant) {
	s, private := b.Subscriptions.Edit(b.recorder, id)
	if !private.Unasked {
		private.OldSecret = private.Secret
	}
	private.Secret, private.Unasked = secret, false
	s.OldSecretValidUntil = new(now.Add(rotation))
	b.recorder.Emit(event.WebhookSecretRotated, s,
		&event.WebhookSecretRotatedData{OldSecretValidUntil: *s.OldSecretValidUntil})
}

// Delete removes a subscription with its log, and returns its last row
// (contract: OPEN.WHK.DELETE).
func (b *Subscriptions) Delete(id string) (Subscription, error) {
	if _, err := b.Find(id); err != nil {
		return Subscription{}, err
	}
	b.index()
	s, _ := b.Subscriptions.Edit(b.recorder, id)
	record.Move(b.recorder, s, &s.Status, Deleted)
	b.recorder.Emit(event.WebhookDeleted, s, &event.WebhookDeletedData{URLHost: s.URLHost})
	last := *s
	b.drop(id)
	for _, delivery := range b.settled[id] {
		b.Deliveries.Rows.Remove(b.recorder, delivery)
	}
	delete(b.settled, id)
	b.Subscriptions.Rows.Remove(b.recorder, id)
	return last, nil
}

// Clear removes all subscriptions with their logs, and writes nothing about it: for a
// sandbox that was copied from one that keeps them.
func (b *Subscriptions) Clear() {
	var subscriptions, deliveries []string
	for s := range b.Subscriptions.All {
		subscriptions = append(subscriptions, s.ID)
	}
	for d := range b.Deliveries.All {
		deliveries = append(deliveries, d.ID)
	}
	for _, id := range deliveries {
		b.Deliveries.Rows.Remove(b.recorder, id)
	}
	for _, id := range subscriptions {
		b.Subscriptions.Rows.Remove(b.recorder, id)
	}
	b.queue, b.sent, b.settled, b.indexed = nil, nil, nil, false
}

// CanPing refuses a test ping while the budget has no room for it: waiting
// deliveries come first (contract: OPEN.WHK.TEST.PING, LIMIT.DELIVERIES).
// pinging is how many pings are under way.
func (b *Subscriptions) CanPing(now moment.Instant, pinging int) error {
	b.index()
	free := b.free(now) - pinging
	for _, w := range b.queue {
		if w.due > now || free <= 0 {
			break
		}
		if b.restsUntil(w.id, now) <= now {
			free--
		}
	}
	if free > 0 {
		return nil
	}
	at := now.Add(time.Second)
	if len(b.sent) > 0 {
		at = max(at, b.sent[0].Add(budgetTime))
	}
	at = at.CeilSecond()
	p := problem.New(problem.RateLimited,
		"This sandbox has spent its budget of %d deliveries in a minute, which test pings count in.", maxBudget)
	p.RetryAfter = int((at.Sub(now) + time.Second - 1) / time.Second)
	return p.RetryingAt(now.Add(time.Duration(p.RetryAfter) * time.Second).Time())
}

// Tested notes the outcome of a test ping, and takes a subscription into
// service that was waiting for it (contract: WHK.STATE.ACTIVATED). It reports
// whether it did. The ping is in the log like any attempt and counts against
// the budget, but never as a failure. A subscription that was deleted meanwhile
// is refused with not_found; one that has another URL by now stays as it is.
func (b *Subscriptions) Tested(a Attempt, o Outcome) (activated bool, err error) {
	if _, err := b.Find(a.SubscriptionID); err != nil {
		return false, err
	}
	b.index()
	delivered := o.ErrorClass == ""
	row := Delivery{
		EventID: a.EventID, EventType: Ping, Attempt: 1, Trigger: Test, DueAt: moment.InstantOf(o.SentAt),
		Status: Failed,
	}
	if delivered {
		row.Status = Delivered
	}
	row.answered(o)
	b.spend(&row)
	added, _ := b.Deliveries.Add(b.recorder, row, origin{SubscriptionID: a.SubscriptionID})
	b.logSettled(a.SubscriptionID, added.ID)

	s, private := b.Subscriptions.Edit(b.recorder, a.SubscriptionID)
	if !delivered {
		s.LastErrorClass = LastErrorClass(o.ErrorClass)
	}
	b.recorder.Emit(event.WebhookTested, s, &event.WebhookTestedData{
		PingID: a.EventID, Delivered: delivered, StatusCode: row.StatusCode, LatencyMS: *row.LatencyMS,
		ErrorClass: (*string)(row.ErrorClass),
	})
	if !delivered || s.Status != PendingVerification || !bytes.Equal(a.Address, private.Address) {
		return false, nil
	}
	record.Move(b.recorder, s, &s.Status, Active)
	b.recorder.Emit(event.WebhookActivated, s, &event.WebhookActivatedData{URLHost: s.URLHost})
	private.serve(b.recorder.Sequence())
	return true, nil
}
