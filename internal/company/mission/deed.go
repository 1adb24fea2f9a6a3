package mission

import (
	"slices"

	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/money"
)

// Totals are the company's totals that achievements count. They are a function
// of its past events, and part of the company's state.
type Totals struct {
	// Shipped and Late are the orders that had reached their customers when
	// the board last looked, InTime those in a row that came in time.
	Shipped int64 `json:"shipped,omitzero"`
	Late    int64 `json:"late,omitzero"`
	InTime  int64 `json:"in_time,omitzero"`
	// FullRuns counts the runs in a row that came out in full.
	FullRuns   int64       `json:"full_runs,omitzero"`
	SavedMinor money.Minor `json:"saved_minor,omitzero"`
	Discounts  int64       `json:"discounts,omitzero"`
	Approved   int64       `json:"approved,omitzero"`
	// KeptSince is the first day since which no employee has quit and no wages
	// were late, KeptPayrolls how many were paid.
	KeptSince    sim.Day `json:"kept_since,omitzero"`
	KeptPayrolls int64   `json:"kept_payrolls,omitzero"`
	// Rides are the disruptions that run. The slice is replaced, never changed.
	Rides []DisruptionRun `json:"rides,omitzero"`
}

// DisruptionRun is the company's record during a disruption so far.
type DisruptionRun struct {
	LoreEventID string `json:"lore_event_id"`
	// Shipped is set once goods have left the Factory, Failed once an order has
	// expired.
	Shipped bool `json:"shipped,omitzero"`
	Failed  bool `json:"failed,omitzero"`
}

// Standing is the company's position when the board looks at it.
type Standing struct {
	// Shipped and Late count the sales orders that have reached their
	// customers, Delivered the contract lots that were billed.
	Shipped, Late, Delivered int64
	CashMinor                money.Minor
	// NegativeCloses counts the closes in a row with negative cash.
	NegativeCloses int64
	// Closed is set at the close of a day, and ProfitMinor counts then.
	Closed      bool
	ProfitMinor money.Minor
}

// RunCompleted notes a print run that has ended.
func (b *Board) RunCompleted(r *record.Recorder, jobs int, oversPct, short int64) {
	if b.Totals.FullRuns++; short > 0 || oversPct > perfectOversPct {
		b.Totals.FullRuns = 0
	}
	b.unlockIf(r, gangBoss, jobs >= gangJobs)
	b.unlockIf(r, perfectSheet, b.Totals.FullRuns >= perfectRuns)
}

// InvoicePaid notes a supplier invoice that the client has paid: the amount
// that the supplier credited, and the discount for paying early.
func (b *Board) InvoicePaid(r *record.Recorder, credited, discount money.Minor) {
	b.Totals.SavedMinor += credited
	if discount > 0 {
		b.Totals.Discounts++
	}
	b.unlockIf(r, sharpEye, b.Totals.SavedMinor >= savedMinor)
	b.unlockIf(r, earlyBird, b.Totals.Discounts >= earlyDiscounts)
}

// Approved notes a purchase order above the limit that the client approved.
func (b *Board) Approved(r *record.Recorder) {
	b.Totals.Approved++
	b.unlockIf(r, approver, b.Totals.Approved >= approvals)
}

// Bought notes a purchase of the client on the market.
func (b *Board) Bought(r *record.Recorder, price, base money.Minor) {
	b.unlockIf(r, marketTimer, price*100 <= base*(100-bargainPercent))
}

// LotsDelivered notes how many contract lots came in time.
func (b *Board) LotsDelivered(r *record.Recorder, inTime int64) {
	b.unlockIf(r, lotMaster, inTime >= lotsInTime)
}

// GotBonus notes the bonus of a major order.
func (b *Board) GotBonus(r *record.Recorder) { b.unlock(r, civicDuty) }

// Missed notes an order that was accepted and never shipped.
func (b *Board) Missed() { b.Totals.InTime = 0 }

// Disrupted notes a disruption that has begun.
func (b *Board) Disrupted(loreEventID string) {
	b.Totals.Rides = append(slices.Clone(b.Totals.Rides), DisruptionRun{LoreEventID: loreEventID})
}

// GoodsLeft notes goods that have left the Factory.
func (b *Board) GoodsLeft() { b.disruptionRun(func(d *DisruptionRun) { d.Shipped = true }) }

// OrderExpired notes an order that was not answered, or not delivered.
func (b *Board) OrderExpired() { b.disruptionRun(func(d *DisruptionRun) { d.Failed = true }) }

func (b *Board) disruptionRun(change func(*DisruptionRun)) {
	b.Totals.Rides = slices.Clone(b.Totals.Rides)
	for i := range b.Totals.Rides {
		change(&b.Totals.Rides[i])
	}
}

// DisruptionEnded notes the end of a disruption (contract:
// OPEN.MISSION.RIDE_OUT_DISRUPTION).
func (b *Board) DisruptionEnded(r *record.Recorder, loreEventID string) {
	at := slices.IndexFunc(b.Totals.Rides, func(d DisruptionRun) bool { return d.LoreEventID == loreEventID })
	if at < 0 { // it began when no board looked
		return
	}
	ride := b.Totals.Rides[at]
	if b.Totals.Rides = slices.Delete(slices.Clone(b.Totals.Rides), at, at+1); len(b.Totals.Rides) == 0 {
		b.Totals.Rides = nil // as it was before: the stored form tells none from empty
	}
	if ride.Shipped && !ride.Failed {
		b.Note(r, RodeOut)
	}
}

// WagesPaid notes a week's wages that were paid in time.
func (b *Board) WagesPaid() { b.Totals.KeptPayrolls++ }

// CrewUpset notes an employee who quit, or wages that were late: the streak
// begins anew tomorrow.
func (b *Board) CrewUpset(r *record.Recorder) {
	b.Totals.KeptSince, b.Totals.KeptPayrolls = r.Today()+1, 0
}

// Measure notes the company's position.
func (b *Board) Measure(r *record.Recorder, s Standing) {
	if s.Shipped > b.Totals.Shipped {
		b.Totals.InTime += s.Shipped - b.Totals.Shipped
	}
	if s.Late > b.Totals.Late {
		b.Totals.InTime = 0
	}
	b.Totals.Shipped, b.Totals.Late = s.Shipped, s.Late
	b.unlockIf(r, onTheDot, b.Totals.InTime >= ordersInTime)
	b.unlockIf(r, phoenix, s.NegativeCloses >= negativeCloses && s.CashMinor > 0)
	b.unlockIf(r, firstProfit, s.Closed && s.ProfitMinor >= firstProfitMinor)
	kept := r.Today() - b.Totals.KeptSince + 1
	b.unlockIf(r, crewKeeper, s.Closed && kept >= keptDays && b.Totals.KeptPayrolls >= keptPayrolls)
	b.unlockIf(r, marathon, r.Today() >= marathonDay && s.CashMinor >= 0 && s.Shipped+s.Delivered > 0)
}

// Credit unlocks the achievements that the client's requests alone have earned.
func (b *Board) Credit(r *record.Recorder) {
	b.unlockIf(r, cleanIntegration, b.Signals&WroteCleanly != 0)
	b.unlockIf(r, booksBalance, b.Signals&BooksBalance != 0)
}

func (b *Board) unlockIf(r *record.Recorder, id achievementID, earned bool) {
	if earned {
		b.unlock(r, id)
	}
}
