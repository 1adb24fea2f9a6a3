package factory

import (
	"platen/internal/company/record"
	"platen/internal/company/sim"
)

// Timers returns the handlers of the timers that concern this department alone.
func Timers() []record.TimerHandler[*Factory] {
	return []record.TimerHandler[*Factory]{
		{Kind: TimerRunEnds, Fire: func(f *Factory, r *record.Recorder, t sim.Timer) { f.RunEnds(r, t.Ref) }},
		{Kind: TimerFinishingEnds,
			Fire: func(f *Factory, r *record.Recorder, t sim.Timer) { f.FinishingEnds(r, t.Ref) }},
	}
}
