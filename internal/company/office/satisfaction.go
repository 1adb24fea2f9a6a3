package office

import (
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/share"
)

// Customers remember. Each one's satisfaction moves with the fate of its own orders, and
// decides how many more it sends: those of others are not touched by it, as the reputation
// touches all.
const (
	satisfactionStart = 600_000

	satisfactionOnTime     = 40_000
	satisfactionPerLateDay = -80_000
	maxSatisfactionLate    = -240_000
	satisfactionDeclined   = -15_000
	satisfactionLapsed     = -60_000
	satisfactionMissed     = -300_000

	// loyaltyLeast is how many of its orders a customer sends who is not satisfied at all,
	// loyaltySpread how many more one who is wholly so. At the start it is all of them.
	loyaltyLeast, loyaltySpread = 400_000, 1_000_000
)

// loyaltyPPM is the factor of a satisfaction on a customer's demand.
func loyaltyPPM(satisfaction int64) int64 { return loyaltyLeast + scale(loyaltySpread, satisfaction) }

// please moves the satisfaction of a customer, and shows it on the customer's row.
func (o *Office) please(r *record.Recorder, customerID string, ppm int64) {
	at := slices.IndexFunc(catalog.Customers(), func(c catalog.Customer) bool { return c.ID == customerID })
	was := o.State.Satisfaction[at]
	o.State.Satisfaction[at] = min(max(was+ppm, 0), sim.Million)
	if o.State.Satisfaction[at] == was {
		return
	}
	row, _ := o.Customers.Edit(r, customerID)
	row.SatisfactionPct = share.PerCent(o.State.Satisfaction[at] / ppmPerHundredth)
}

// ppmPerHundredth is the number of parts per million in a hundredth of a per cent.
const ppmPerHundredth = 100
