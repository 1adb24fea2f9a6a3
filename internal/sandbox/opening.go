package sandbox

import (
	"context"
	"fmt"

	"platen/internal/company"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/sandbox/commitlog"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// opening finds the state at the opening of a working day, after all that happens in that minute by
// itself (contract: OPEN.FORK.DATE). Something happens at each opening, and only passing time moves the clock
// past it, so no write of a client lies between the newest commit from before it and the opening:
// a fork takes the way from there to the opening once more. Where a tick or the clock has stopped at
// the opening there is a commit of it.
func (s *Sandbox) opening(ctx context.Context, base *ForkBase, date moment.Date) error {
	if date < sim.Start {
		return problem.Invalid(problem.Field{
			Field: "sim_date", Rule: "minimum",
			Message: fmt.Sprintf("The first day of the sandbox is %s.", sim.Start),
		})
	}
	minute, v := sim.At(date, 0), s.published.Load()
	if minute > v.Summary.Now {
		return problem.Invalid(problem.Field{
			Field: "sim_date", Rule: "maximum",
			Message: fmt.Sprintf("That day has not opened yet: the sandbox is at %s %s.",
				s.company.Date(), s.company.Now().ClockText()),
		})
	}
	// The first commit at or after the minute is above before, and at most at.
	before, at := uint64(0), v.Version
	for at-before > 1 {
		middle := before + (at-before)/2
		_, m, err := s.moment(ctx, middle)
		if err != nil {
			return err
		}
		if m.Now < minute {
			before = middle
		} else {
			at = middle
		}
	}
	feed, next, err := s.moment(ctx, at)
	if err != nil {
		return err
	}
	base.Version, base.Sequence = at, feed.Sequence
	last := next
	if next.Now > minute {
		if feed, last, err = s.moment(ctx, before); err != nil {
			return err
		}
		base.Version, base.Sequence = before, feed.Sequence
	}
	base.Way = last.WayTo(minute, &next)
	for _, a := range s.company.Settings().Ancestors {
		if a.Version == at { // that of a fork, which went this way itself
			base.Way = company.Way{To: minute, Wall: a.Way.Wall, Tick: a.Way.Tick}
		}
	}
	return nil
}

// moment reads when the commit with a version was made, and how far the feed was.
func (s *Sandbox) moment(ctx context.Context, version uint64) (feed record.Position, m company.Moment, err error) {
	stored, err := commitsAfter(ctx, s.registry.store, s.id, version-1, version)
	if err != nil {
		return feed, m, readProblem("read a commit of sandbox "+s.id, err)
	}
	commit, err := commitlog.DecodeCommit(stored[0].Body, version)
	if err != nil {
		return feed, m, readProblem("read a commit of sandbox "+s.id, err)
	}
	m, err = company.MomentOf(commit.State)
	return commit.Feed, m, err //nolint:wrapcheck // it says what it decodes
}
