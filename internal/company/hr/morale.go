package hr

import (
	"platen/internal/company/sim"
	"platen/internal/words/share"
)

// Morale runs from nothing to a million; a point is a hundredth of that. It
// recovers by itself, grows when people are paid in time for their hours, and
// falls when they are not.
const (
	moralePoint = sim.Million / 100

	moraleStart = 80 * moralePoint
	// moraleDaily is gained each day up to moraleRest.
	moraleDaily = moralePoint / 2
	moraleRest  = 95 * moralePoint

	moralePaidInTime   = 3 * moralePoint
	moraleLate         = -25 * moralePoint
	moraleStillLate    = -3 * moralePoint
	moraleWrongHours   = -10 * moralePoint
	moraleContent      = 50 * moralePoint
	moraleDiscontent   = 30 * moralePoint
	discontentFactor   = 25
	desperateFactor    = 500
	wrongHoursAbovePct = 5
)

// Morale returns the crew's morale, 0 to 100.
func (h *HR) Morale() share.PerCent { return share.PerCent(h.State.MoralePPM / 100) }

// Content reports whether people like to work here, and would come to.
func (h *HR) Content() bool { return h.State.MoralePPM > moraleContent }

func (h *HR) changeMorale(ppm int64) {
	h.State.MoralePPM = min(max(h.State.MoralePPM+ppm, 0), sim.Million)
}

// recover applies a day's recovery to the morale.
func (h *HR) recover() {
	if h.State.MoralePPM < moraleRest {
		h.State.MoralePPM = min(h.State.MoralePPM+moraleDaily, moraleRest)
	}
}

// quitPPM is the chance that an employee quits today: 25 times the preset's
// when morale is at most 50, 500 times when it is below 30.
func (h *HR) quitPPM() int64 {
	chance := h.staff.QuitPPM()
	switch {
	case h.State.MoralePPM < moraleDiscontent:
		chance *= desperateFactor
	case !h.Content():
		chance *= discontentFactor
	}
	return min(chance, sim.Million)
}
