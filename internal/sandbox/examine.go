package sandbox

import (
	"cmp"
	"context"

	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// eventsPerRead is the number of events that are read at a time: more than
// there are missions and achievements.
const eventsPerRead = 100

// Examination holds the values of a whole sandbox that are too expensive to
// compute for every view.
type Examination struct {
	View *View
	// StateHash and BusinessHash are those of the company.
	StateHash, BusinessHash string
	// Violation is the broken invariant of the company, nil for none.
	Violation error
	// Completed and Unlocked are the events of missions and achievements, oldest
	// first.
	Completed, Unlocked []record.Event
	// Accepted, Refused and Replayed count the writes of the clients.
	Accepted, Refused, Replayed int64
}

// Examine brings the company up to the present and looks at all of it, which
// takes as long as the company is large and keeps its writer waiting, once for each version.
func (s *Sandbox) Examine(ctx context.Context) (Examination, error) {
	x, err := s.examine(ctx)
	if err != nil {
		return Examination{}, err
	}
	if x.Completed, err = s.Events(ctx, x.View,
		Query{Limit: eventsPerRead, Types: event.SetOf(event.MissionCompleted)}); err != nil {
		return Examination{}, err
	}
	x.Unlocked, err = s.Events(ctx, x.View, Query{Limit: eventsPerRead, Types: event.SetOf(event.AchievementUnlocked)})
	return x, err
}

// examined is the part of the newest examination that takes long: it holds for a version and an in-world minute.
type examined struct {
	at              uint64
	now             sim.Minute
	state, business string
	violation       error
}

func (s *Sandbox) examine(ctx context.Context) (x Examination, err error) {
	x.View, err = s.look(ctx, func(v *View, _ moment.Instant) {
		if seen := &s.examined; seen.at != v.Version || seen.now != s.company.Now() {
			*seen = examined{
				at: v.Version, now: s.company.Now(),
				state: s.company.StateHash(), business: s.company.BusinessHash(),
				violation: cmp.Or(s.company.Check(), s.desk.Check()),
			}
		}
		x.StateHash, x.BusinessHash, x.Violation = s.examined.state, s.examined.business, s.examined.violation
		x.Accepted, x.Refused, x.Replayed = s.client.Writes()
	})
	return x, err
}

// look brings the company up to the present and looks at all of it, which keeps its writer waiting.
func (s *Sandbox) look(ctx context.Context, at func(v *View, now moment.Instant)) (v *View, err error) {
	err = s.withWriter(func(now moment.Instant) (err error) {
		if v, err = s.refresh(ctx, now); err != nil {
			return err
		}
		if s.company == nil {
			return problem.New(problem.Unavailable, "The sandbox cannot be read at the moment.")
		}
		at(v, now)
		return nil
	})
	return v, err
}
