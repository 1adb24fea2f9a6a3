package sandbox

import (
	"context"
	"fmt"
	"sort"

	"platen/internal/company/record"
)

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
	for _, span := range spans {
		if len(events) >= limit || span.version > v.Version {
			break
		}
		found, err := s.eventsOf(ctx, span.version)
		if err != nil {
			return nil, err
		}
		for _, e := range found {
			if e.Sequence > after && len(events) < limit {
				events = append(events, e)
			}
		}
	}
	return events, nil
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

func (s *Sandbox) eventsOf(ctx context.Context, version uint64) ([]record.Event, error) {
	commits, err := s.house.store.Commits(ctx, s.id, version, version)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	if len(commits) != 1 {
		return nil, fmt.Errorf("commit %d of sandbox %s is missing", version, s.id)
	}
	body, err := decodeCommit(commits[0].Body, version)
	return body.Events, err
}
