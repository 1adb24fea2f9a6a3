package sandbox

import "platen/internal/words/moment"

// withWriter lets one writer at a time work on the company, and passes it the
// time. When a panic passes through it, the company is dropped: a half-done
// change must not become durable with the next commit.
func (s *Sandbox) withWriter(work func(now moment.Instant) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.moved.Load() {
		s.clear()
		return errMoved()
	}
	s.committed = false
	// The note that a writer is inside is made before the writer's own time is
	// taken, so nothing it stamps is older than the note.
	s.writing.Store(int64(s.registry.Now()))
	defer s.writing.Store(0)
	whole := false
	defer func() {
		if !whole {
			s.drop()
		}
	}()
	err := work(s.registry.Now())
	whole = true
	return s.settled(err)
}

// AsOf returns the newest moment, at most now, up to which the next View shows
// everything that happened. While a commit is under way its rows already have
// their updated_at, but no reader sees them: a client that took the present for
// the moment of its view, and next asked for the changes since then, would miss
// them.
func (s *Sandbox) AsOf(now moment.Instant) moment.Instant {
	if began := moment.Instant(s.writing.Load()); began > 0 {
		return min(now, began)
	}
	return now
}
