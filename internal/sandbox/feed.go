package sandbox

import (
	"context"

	"platen/internal/company/record"
	"platen/internal/sandbox/commitlog"
	"platen/internal/words/event"
	"platen/internal/words/moment"
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
	return s.events(ctx, v, q, s.spans)
}

// begin is the state that a command begins with. The company must be loaded.
func (s *Sandbox) begin(ctx context.Context, now moment.Instant, cmd Command) *Tx {
	s.desk.At(now)
	return &Tx{Company: s.company, Desk: s.desk, Now: now, Trace: cmd.Trace, sandbox: s, ctx: ctx}
}

// View is the state before the command: that of the last commit, in which everything due has happened.
func (tx *Tx) View() *View { return tx.sandbox.published.Load() }

// NextVersion is that of the commit that the command will make.
func (tx *Tx) NextVersion() uint64 { return tx.sandbox.published.Load().Version + 1 }

// Sequence returns the number of the newest event, those of the command
// included.
func (tx *Tx) Sequence() uint64 { return tx.Company.Feed().Position().Sequence }

// Events returns the events before the command that a query selects.
func (tx *Tx) Events(q Query) ([]record.Event, error) {
	s := tx.sandbox
	return s.events(tx.ctx, tx.View(), q, func(_ context.Context, v *View, q Query) ([]commitlog.Span, error) {
		return s.loadedSpans(v, q), nil
	})
}

func (s *Sandbox) events(ctx context.Context, v *View, q Query,
	spansOf func(context.Context, *View, Query) ([]commitlog.Span, error)) ([]record.Event, error) {
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
	if len(v.tail) > 0 && q.Since > v.tail[0].CreatedAt { // times grow with the numbers (contract: EVT.ORDER)
		q.After = max(q.After, v.tail[0].Sequence)
	}
	if len(v.tail) == 0 || v.tail[0].Sequence > q.After+1 {
		spans, err := spansOf(ctx, v, q)
		if err != nil {
			return nil, err
		}
		for len(spans) > 0 && len(found) < q.Limit {
			chunk := spans[:min(len(spans), spansPerRead)]
			spans = spans[len(chunk):]
			events, err := commitlog.Events(ctx, s.registry.store, s.id, chunk)
			if err != nil {
				return nil, readProblem("read events", err)
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
	sequence, ok := v.Summary.Settings.EventSequence(id)
	if !ok || sequence > v.Sequence {
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
func (s *Sandbox) spans(ctx context.Context, v *View, q Query) ([]commitlog.Span, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	return s.loadedSpans(v, q), nil
}

// loadedSpans is spans for the writer.
func (s *Sandbox) loadedSpans(v *View, q Query) []commitlog.Span {
	until := v.Sequence
	if len(v.tail) > 0 {
		until = v.tail[0].Sequence - 1
	}
	return s.log.Spans(q.After, until, q.Types)
}
