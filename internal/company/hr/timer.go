package hr

import (
	"platen/internal/company/record"
	"platen/internal/company/sim"
)

// Timers returns the handlers of the timers that concern this department alone.
func Timers() []record.TimerHandler[*HR] {
	return []record.TimerHandler[*HR]{
		{Kind: TimerPayrollLate, Fire: func(h *HR, r *record.Recorder, t sim.Timer) { h.FallsDue(r, t.Index) }},
	}
}
