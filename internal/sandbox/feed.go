package sandbox

import (
	"context"
	"fmt"
	"sort"

	"platen/internal/company/record"
)

// spansPerRead is how many commits with events are read together.
const spansPerRead = 64

// Events returns the events of a view after a sequence number, oldest first,
// at most limit of them. Recent ones come from memory, older ones from the
// commits that wrote them.
func (s *Sandbox) Events(ctx context.Context, v *View, after uint64, limit int) ([]record.Event, error) {
	if after >= v.Sequence {
		return nil, nil
	}
	if len(v.tail) > 0 && v.tail[0].Sequence <= after+1 {
		from := int(after + 1 - v.tail[0].Sequence)
		return v.tail[from:min(from+limit, len(v.tail))], nil
	}
	spans, err := s.spansAfter(ctx, after)
	if err != nil {
		return nil, err
	}
	var events []record.Event
	for len(spans) > 0 && len(events) < limit && spans[0].version <= v.Version {
		chunk := spans[:min(len(spans), spansPerRead)]
		spans = spans[len(chunk):]
		found, err := s.eventsOf(ctx, chunk[0].version, min(chunk[len(chunk)-1].version, v.Version))
		if err != nil {
			return nil, err
		}
		events = append(events, found...)
	}
	first := sort.Search(len(events), func(i int) bool { return events[i].Sequence > after })
	return events[first:min(first+limit, len(events))], nil
}

// spansAfter lists the commits that hold events after a sequence number.
func (s *Sandbox) spansAfter(ctx context.Context, after uint64) ([]eventSpan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	all := s.log.events
	first := sort.Search(len(all), func(i int) bool { return all[i].last > after })
	return all[first:len(all):len(all)], nil
}

// eventsOf returns the events of a range of commits.
func (s *Sandbox) eventsOf(ctx context.Context, first, last uint64) ([]record.Event, error) {
	var events []record.Event
	for first <= last {
		commits, err := s.house.store.Commits(ctx, s.id, first, last)
		if err != nil {
			return nil, fmt.Errorf("read events: %w", err)
		}
		if len(commits) == 0 {
			return nil, fmt.Errorf("commit %d of sandbox %s is missing", first, s.id)
		}
		for _, c := range commits {
			body, err := decodeCommit(c.Body, c.Version)
			if err != nil {
				return nil, err
			}
			events = append(events, body.Events...)
		}
		first = commits[len(commits)-1].Version + 1
	}
	return events, nil
}
