package sandbox

import (
	"context"
	"fmt"
	"sort"

	"platen/internal/company/record"
	"platen/internal/event"
	"platen/internal/moment"
)

// spansPerRead is the number of commits with events that are read together.
const spansPerRead = 64

// Query selects events.
type Query struct {
	// After is the number of the last event that is not wanted.
	After uint64
	Limit int
	// Since leaves out events from before a time.
	Since moment.Instant
	// Types leaves out other types; an empty set selects all.
	Types event.Set
}

func (q *Query) wants(e *record.Event) bool {
	return e.Sequence > q.After && e.CreatedAt >= q.Since &&
		(q.Types.Empty() || q.Types.Meets(event.SetOf(event.Type(e.Type))))
}

// Events returns the events of a view that a query selects, oldest first.
// Recent ones come from memory, older ones from the commits that wrote them;
// commits without a selected type are not read.
func (s *Sandbox) Events(ctx context.Context, v *View, q Query) ([]record.Event, error) {
	var found []record.Event
	take := func(events []record.Event) {
		for i := range events {
			if len(found) < q.Limit && q.wants(&events[i]) {
				found = append(found, events[i])
				q.After = events[i].Sequence // the tail may repeat the end of a commit
			}
		}
	}
	if q.After >= v.Sequence {
		return nil, nil
	}
	if len(v.tail) == 0 || v.tail[0].Sequence > q.After+1 {
		spans, err := s.spans(ctx, v, q)
		if err != nil {
			return nil, err
		}
		for len(spans) > 0 && len(found) < q.Limit {
			chunk := spans[:min(len(spans), spansPerRead)]
			spans = spans[len(chunk):]
			events, err := s.eventsOf(ctx, chunk)
			if err != nil {
				return nil, err
			}
			take(events)
		}
		if len(v.tail) > 0 {
			q.After = max(q.After, v.tail[0].Sequence-1)
		}
	}
	take(v.tail)
	return found, nil
}

// Event returns the event with an id.
func (s *Sandbox) Event(ctx context.Context, v *View, id string) (record.Event, bool, error) {
	sequence, ok := record.EventSequence(v.Summary.Settings.UID, id)
	if !ok || sequence == 0 || sequence > v.Sequence {
		return record.Event{}, false, nil
	}
	events, err := s.Events(ctx, v, Query{After: sequence - 1, Limit: 1})
	if err != nil || len(events) == 0 {
		return record.Event{}, false, err
	}
	return events[0], true, nil
}

// spans lists the commits with events that a query selects, up to where the
// tail of the view begins.
func (s *Sandbox) spans(ctx context.Context, v *View, q Query) ([]eventSpan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	until := v.Sequence
	if len(v.tail) > 0 {
		until = v.tail[0].Sequence - 1
	}
	all := s.log.events
	first := sort.Search(len(all), func(i int) bool { return all[i].last > q.After })
	var spans []eventSpan
	for i := first; i < len(all) && (i == 0 || all[i-1].last < until); i++ {
		if q.Types.Empty() || q.Types.Meets(all[i].types) {
			spans = append(spans, all[i])
		}
	}
	return spans, nil
}

// eventsOf returns the events of some commits, in order. Commits that follow
// each other are read together.
func (s *Sandbox) eventsOf(ctx context.Context, spans []eventSpan) ([]record.Event, error) {
	var events []record.Event
	for len(spans) > 0 {
		n := 1
		for n < len(spans) && spans[n].version == spans[n-1].version+1 {
			n++
		}
		commits, err := s.registry.store.Commits(ctx, s.id, spans[0].version, spans[n-1].version)
		if err != nil {
			return nil, readProblem("read events", err)
		}
		if len(commits) != n {
			return nil, fmt.Errorf("%d of %d commits from %d of sandbox %s are missing",
				n-len(commits), n, spans[0].version, s.id)
		}
		for _, c := range commits {
			body, err := decodeCommit(c.Body, c.Version)
			if err != nil {
				return nil, err
			}
			events = append(events, body.Events...)
		}
		spans = spans[n:]
	}
	return events, nil
}
