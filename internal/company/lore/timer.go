package lore

import (
	"platen/internal/company/record"
	"platen/internal/company/sim"
)

// Timers returns the handlers of the timers that concern this department alone.
func Timers() []record.TimerHandler[*Lore] {
	return []record.TimerHandler[*Lore]{
		{Kind: TimerMajorOrder, Fire: func(l *Lore, r *record.Recorder, _ sim.Timer) { l.CountMajorOrders(r) }},
	}
}
