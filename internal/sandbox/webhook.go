package sandbox

import (
	"context"
	"fmt"
	"time"

	"platen/internal/desk/subscription"
	"platen/internal/store"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

const (
	// webhookRecord is the kind of the records that name the sandboxes with an
	// active subscription, so that they are found when a server starts. Nothing
	// waits for a subscription that is not active.
	webhookRecord = "webhook"
)

// Webhooks are the functions that a registry needs for its webhooks. The
// subscriptions and the delivery log are the registry's; their secrets and URLs
// are sealed elsewhere.
type Webhooks struct {
	// Check looks at the text of a URL. It returns the host to be shown, or the
	// rule that the URL breaks with a sentence about it.
	Check func(url string) (host, reason, sentence string)
	// NewSecret makes a secret. Seal and Open keep texts of a subscription.
	NewSecret func() string
	Seal      func(plain, sandboxID, subscriptionID string) []byte
	Open      func(sealed []byte, sandboxID, subscriptionID string) (string, error)
	// Send makes an attempt at once, and Wake reports that a sandbox may have
	// something to send; it does not wait.
	Send func(ctx context.Context, a subscription.Attempt) subscription.Outcome
	Wake func(sandboxID string)
}

// Webhooks returns the registry's webhook functions.
func (tx *Tx) Webhooks() *Webhooks { return &tx.sandbox.registry.options.Webhooks }

// SandboxID returns the id of the sandbox.
func (tx *Tx) SandboxID() string { return tx.sandbox.id }

// Pinging allows one test ping of a subscription at a time, so that slow
// receivers hold no more than that. The caller calls done at its end, which
// must be outside of the writer's section.
func (tx *Tx) Pinging(id string) (done func(), err error) {
	s := tx.sandbox
	if s.pinging[id] {
		return nil, problem.New(problem.RequestInProgress, "A test of this subscription is at work.")
	}
	if s.pinging == nil {
		s.pinging = map[string]bool{}
	}
	s.pinging[id] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.pinging, id)
	}, nil
}

// CanPing refuses a test ping that the budget of deliveries has no room for.
func (tx *Tx) CanPing() error { return tx.Desk.Webhooks.CanPing(tx.Now, len(tx.sandbox.pinging)) }

// Due lists the deliveries of a sandbox that are to be sent now, at most limit
// of them, and when to ask again, the zero time for when the sandbox is woken.
// A delivery under way is due until its outcome is recorded; wants selects the
// ones to list, and is asked once about each, before its event is read. A
// sandbox that was deleted is refused with unauthorized.
func (r *Registry) Due(ctx context.Context, sandboxID string, now time.Time, limit int,
	wants func(*subscription.Attempt) bool) (attempts []subscription.Attempt, next time.Time, err error) {
	s, err := r.own(ctx, sandboxID)
	if err != nil {
		return nil, time.Time{}, err
	}
	jobs, v, again, err := s.due(ctx, moment.InstantOf(now), limit)
	if err != nil {
		return nil, time.Time{}, err
	}
	for i := range jobs {
		a := &jobs[i].Attempt
		a.SandboxID = sandboxID
		if !wants(a) {
			continue
		}
		if a.Event, err = s.eventText(ctx, v, jobs[i].Sequence); err != nil {
			return nil, time.Time{}, err
		}
		a.Off = s.client.ClockOff(a.EventType, v.Summary.Now)
		attempts = append(attempts, *a)
	}
	if again > 0 {
		next = again.Time()
	}
	return attempts, next, nil
}

func (s *Sandbox) due(ctx context.Context, now moment.Instant,
	limit int) (jobs []subscription.Job, v *View, next moment.Instant, err error) {
	err = s.withWriter(func(moment.Instant) (err error) {
		if err = s.advance(ctx, now); err == nil {
			s.desk.At(now)
			jobs, next = s.desk.Webhooks.Due(now, limit)
			s.deferred.Store(int64(s.desk.Webhooks.DeferredSince()))
			if s.changed() { // some were deferred
				err = s.commit(ctx, step{})
			}
		}
		v = s.published.Load()
		return err
	})
	return jobs, v, next, err
}

// eventText is the event with a number as it is delivered.
func (s *Sandbox) eventText(ctx context.Context, v *View, sequence uint64) ([]byte, error) {
	events, err := s.Events(ctx, v, Query{After: sequence - 1, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(events) == 0 || events[0].Sequence != sequence {
		return nil, fmt.Errorf("event %d of sandbox %s is missing", sequence, s.id)
	}
	return events[0].Body, nil
}

// Record stores the outcomes of deliveries. They are durable when it returns;
// after an error it may be called again with the same. A sandbox that was
// deleted is refused with unauthorized.
func (r *Registry) Record(ctx context.Context, sandboxID string, outcomes []subscription.Outcome) error {
	s, err := r.own(ctx, sandboxID)
	if err != nil {
		return err
	}
	return s.record(ctx, outcomes)
}

func (s *Sandbox) record(ctx context.Context, outcomes []subscription.Outcome) error {
	return s.withWriter(func(now moment.Instant) error {
		err := s.advance(ctx, now)
		if err == nil {
			s.desk.At(now)
			s.desk.Webhooks.Record(outcomes)
			if s.changed() {
				err = s.commit(ctx, step{})
			}
		}
		return err
	})
}

// Waiting lists the sandboxes with an active subscription. Of those that several
// servers share it lists none: who makes one of them its own wakes it.
func (r *Registry) Waiting(ctx context.Context) ([]string, error) {
	if r.options.Ownership.shared() {
		return nil, nil
	}
	records, err := r.store.List(ctx, webhookRecord)
	if err != nil {
		return nil, fmt.Errorf("list the sandboxes with webhooks: %w", err)
	}
	var ids []string
	for _, found := range records {
		if found.EndsAt.After(r.options.Now()) {
			ids = append(ids, found.Key)
		}
	}
	return ids, nil
}

// DeferredAge is how long the oldest delivery has been due that a budget holds
// back, 0 when none does.
func (r *Registry) DeferredAge() time.Duration {
	now, oldest := r.Now(), time.Duration(0)
	for _, s := range r.loaded() {
		if since := moment.Instant(s.deferred.Load()); since > 0 {
			oldest = max(oldest, now.Sub(since))
		}
	}
	return oldest
}

// webhookRecords returns the record to write with a commit after which a sandbox serves
// webhooks, or no longer does. It ends with the sandbox; one that is over ends
// at once, since a record may be gone already and cannot be taken then.
func (s *Sandbox) webhookRecords(old, next *View, header *store.Sandbox) Records {
	serving, served := next.Desk.Serving, old.Desk.Serving
	if serving == served && (header == nil || !serving) {
		return nil
	}
	if header == nil {
		header = &s.header
	}
	record := store.Record{
		Kind: webhookRecord, Key: s.id, EndsAt: s.registry.options.Now().UTC().Truncate(time.Microsecond),
	}
	if serving {
		record.EndsAt = header.DeleteAt
	}
	return Records{{Record: record, Rule: store.Put}}
}

// watchWebhooks watches a sandbox that serves webhooks, as if a caller waited
// for its events.
func (s *Sandbox) watchWebhooks(v *View) {
	switch {
	case v.Desk.Serving && s.unwatch == nil:
		s.unwatch = s.watch()
	case !v.Desk.Serving && s.unwatch != nil:
		s.unwatch()
		s.unwatch = nil
	}
}
