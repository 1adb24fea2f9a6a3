package sandbox

import (
	"context"
	"encoding/json"
	"fmt"

	"platen/internal/company/attention"
	"platen/internal/words/event"
	"platen/internal/words/moment"
)

// Attention has the concerns of a company or, once it has ended, its turning points.
type Attention struct {
	View     *View
	Concerns []attention.Concern
	// Ended is set once nothing can be done any more: the company is bankrupt, or its time is over.
	Ended bool
	// Turns are the turning points of a company that has ended, oldest first.
	Turns []Turn
}

// Turn is the first event of a type.
type Turn struct {
	Sequence uint64
	Type     event.Type
	On       moment.Date
	// Count is how many events of the type there were in all.
	Count int64
}

// Attend brings the company up to the present and looks for what needs attention. It keeps the
// writer waiting as long as it takes, which grows with the company.
func (s *Sandbox) Attend(ctx context.Context) (a Attention, err error) {
	a.View, err = s.look(ctx, func(v *View, now moment.Instant) {
		if a.Ended = v.Status(now) != Active; !a.Ended {
			a.Concerns = s.company.Attention(s.desk.Silent())
		}
	})
	if err == nil && a.Ended {
		a.Turns, err = s.turns(ctx, a.View)
	}
	return a, err
}

// turns finds the first event of each type that tells of the way to the end.
func (s *Sandbox) turns(ctx context.Context, v *View) ([]Turn, error) {
	var turns []Turn
	types := attention.Turning(v.Summary.Bankrupt)
	at := map[event.Type]int{}
	for after := uint64(0); ; {
		events, err := s.Events(ctx, v, Query{After: after, Limit: eventsPerTrailRead, Types: types})
		if err != nil || len(events) == 0 {
			return turns, err
		}
		for i := range events {
			e := &events[i]
			after = e.Sequence
			if known, ok := at[event.Type(e.Type)]; ok {
				turns[known].Count++
				continue
			}
			var body struct {
				On moment.Date `json:"sim_date"`
			}
			if err := json.Unmarshal(e.Body, &body); err != nil {
				return nil, fmt.Errorf("read event %s: %w", e.ID, err)
			}
			at[event.Type(e.Type)] = len(turns)
			turns = append(turns, Turn{e.Sequence, event.Type(e.Type), body.On, 1})
		}
	}
}
