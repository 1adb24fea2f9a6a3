package subscription

import (
	"cmp"
	"maps"
	"slices"

	"platen/internal/company/record"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// maxStretches bounds what is remembered of events that were missed and have no row any more. The oldest are
// forgotten first.
const maxStretches = 500

// Stretch is a part of the feed: the numbers of its first and its last event.
type Stretch [2]uint64

// missed are stretches in their order, which do not touch each other.
type missed []Stretch

// find returns the index of the stretch that has a number, or of the first one behind it.
func (m missed) find(sequence uint64) (i int, has bool) {
	i, _ = slices.BinarySearchFunc(m, sequence, func(s Stretch, n uint64) int { return cmp.Compare(s[1], n) })
	return i, i < len(m) && m[i][0] <= sequence
}

// with is the stretches with another one, which they have nothing of.
func (m missed) with(s Stretch) missed {
	i, _ := m.find(s[0])
	all := slices.Insert(slices.Clone(m), i, s)
	if i+1 < len(all) && all[i][1]+1 == all[i+1][0] {
		all[i][1] = all[i+1][1]
		all = slices.Delete(all, i+1, i+2)
	}
	if i > 0 && all[i-1][1]+1 == all[i][0] {
		all[i-1][1] = all[i][1]
		all = slices.Delete(all, i, i+1)
	}
	return all[max(0, len(all)-maxStretches):]
}

// without is the stretches without an event that they have.
func (m missed) without(sequence uint64) missed {
	i, _ := m.find(sequence)
	before, behind := Stretch{m[i][0], sequence - 1}, Stretch{sequence + 1, m[i][1]}
	var rest []Stretch
	for _, s := range []Stretch{before, behind} {
		if s[0] <= s[1] {
			rest = append(rest, s)
		}
	}
	return slices.Concat(m[:i], rest, m[i+1:])
}

// from is the part of the stretches that begins with an event.
func (m missed) from(sequence uint64) missed {
	i, has := m.find(sequence)
	rest := slices.Clone(m[i:])
	if has {
		rest[0][0] = sequence
	}
	return rest
}

// until is the part of the stretches before an event.
func (m missed) until(sequence uint64) missed {
	i, has := m.find(sequence)
	if !has || m[i][0] == sequence {
		return slices.Clone(m[:i])
	}
	return append(slices.Clone(m[:i]), Stretch{m[i][0], sequence - 1})
}

// serve takes a subscription into service with the event of a number: those since it left service were missed.
func (p *sealed) serve(sequence uint64) {
	if p.Off > 0 && sequence > p.Off {
		p.Missed = p.Missed.with(Stretch{p.Off + 1, sequence})
	}
	p.Since, p.Off = sequence, 0
}

// forget keeps what became of an event whose oldest settled row is about to leave the log.
func (b *Subscriptions) forget(id, delivery string) {
	row, _ := b.Deliveries.Find(delivery)
	sequence := record.Private(b.Deliveries, delivery).Sequence
	_, known := record.Private(b.Subscriptions, id).Missed.find(sequence)
	switch {
	case sequence == 0: // a ping
	case row.Status == Delivered && known:
		private := record.EditPrivate(b.Subscriptions, b.recorder, id)
		private.Missed = private.Missed.without(sequence)
	case row.Status == Dropped && !known && !b.settledWith(id, row.EventID, Delivered):
		private := record.EditPrivate(b.Subscriptions, b.recorder, id)
		private.Missed = private.Missed.with(Stretch{sequence, sequence})
	}
}

// settledWith reports whether the log of a subscription has a row of an event with a status.
func (b *Subscriptions) settledWith(id, eventID string, status DeliveryStatus) bool {
	return slices.ContainsFunc(b.settled[id], func(delivery string) bool {
		row, ok := b.Deliveries.Find(delivery)
		return ok && row.EventID == eventID && row.Status == status
	})
}

// Again selects the events to send again.
type Again struct {
	// Since is the number of the first event, Types are the types; none means all that the subscription gets.
	Since uint64
	Types []event.Type
}

// Missed lists the stretches of events that the log need not have a row of. A subscription that is not active is
// refused, and a type that it does not get (contract: OPEN.DLV.FAILED).
func (b *Subscriptions) Missed(id string, in Again) ([]Stretch, error) {
	s, err := b.Find(id)
	if err != nil {
		return nil, err
	}
	if err := CheckTypes(in.Types); err != nil {
		return nil, err
	}
	for i, t := range in.Types {
		if !s.asksFor(t) && t != Everything {
			return nil, invalidType(i, t, "The subscription is not sent events of the type %q.", t)
		}
	}
	if s.Status != Active {
		hint := "Verify it first: POST /webhooks/%s/test."
		if s.Status == Disabled {
			hint = "Enable it first: PATCH /webhooks/%s with the body {}."
		}
		return nil, problem.WrongState(Resource, id, string(s.Status), "sent events again", string(Active)).
			Hinting(hint, id)
	}
	return record.Private(b.Subscriptions, id).Missed.from(in.Since), nil
}

// RedeliverFailed adds a delivery for each event that a receiver did not get, in the order of the feed, and returns
// their number. An event was not got when none of its deliveries succeeded and none waits. Events are those of the
// stretches that Missed lists, which comes before it.
func (b *Subscriptions) RedeliverFailed(id string, in Again, events []record.Event,
	now moment.Instant) (int, error) {
	b.index()
	s, _ := b.Subscriptions.Find(id)
	wanted := b.failedSince(id, in.Since)
	for i := range events {
		e := &events[i]
		if _, has := wanted[e.Sequence]; !has {
			wanted[e.Sequence] = &failure{id: e.ID, kind: event.Type(e.Type)}
		}
	}
	all := len(in.Types) == 0 || in.Types[0] == Everything
	maps.DeleteFunc(wanted, func(_ uint64, f *failure) bool {
		return f == nil || !f.kind.Delivered() || !s.asksFor(f.kind) || !all && !slices.Contains(in.Types, f.kind)
	})
	if len(b.queue)+len(wanted) > maxWaiting {
		return 0, problem.New(problem.TooManyOpen, "%d deliveries of this sandbox wait already, and %d would come.",
			len(b.queue), len(wanted)).Hinting("Wait until some have been sent, or name a later event in since.")
	}
	for _, sequence := range slices.Sorted(maps.Keys(wanted)) {
		f := wanted[sequence]
		b.wait(Delivery{EventID: f.id, EventType: f.kind, Attempt: 1, Trigger: Manual, DueAt: now},
			origin{SubscriptionID: id, Sequence: sequence, Paced: true, Trace: f.trace})
	}
	if old := record.Private(b.Subscriptions, id).Missed; all && len(old.from(in.Since)) > 0 { // each has a row now
		record.EditPrivate(b.Subscriptions, b.recorder, id).Missed = old.until(in.Since)
	}
	return len(wanted), nil
}

// failure is an event that a receiver did not get.
type failure struct {
	id    string
	kind  event.Type
	trace event.Trace
}

// failedSince returns the events of which the log of a subscription has rows, from a number on: nil for one of which
// a row succeeded or waits.
func (b *Subscriptions) failedSince(id string, since uint64) map[uint64]*failure {
	failed := map[uint64]*failure{}
	for row, from := range b.Deliveries.All {
		if from.SubscriptionID != id || from.Sequence < max(since, 1) {
			continue
		}
		if before, has := failed[from.Sequence]; has && before == nil {
			continue
		}
		failed[from.Sequence] = &failure{id: row.EventID, kind: row.EventType, trace: from.Trace}
		if row.Status != Failed && row.Status != Dropped {
			failed[from.Sequence] = nil
		}
	}
	return failed
}
