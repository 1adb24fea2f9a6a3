package mission

import (
	"iter"
	"slices"

	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/money"
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
	// customers, Delivered the contract lots.
	Shipped, Late, Delivered int64
	CashMinor                money.Minor
	// NegativeCloses counts the closes in a row with negative cash.
	NegativeCloses int64
	// Closed is set at the close of a day, and ProfitMinor counts then.
	Closed      bool
	ProfitMinor money.Minor
}

// Facts tells the missions about the company where its events do not.
type Facts interface {
	// Run returns the number of jobs of a print run, and its overs in per cent.
	Run(id string) (jobs int, oversPct int64)
	// BasePrice returns the base price of something that the market trades, and
	// false when it does not.
	BasePrice(sku string) (money.Minor, bool)
	// CarriedAcross reports whether an order that was paid went through both
	// systems by hand.
	CarriedAcross(orderID string) bool
	// LotsInTime counts the contract lots that came in time.
	LotsInTime() int64
	// Standing returns the company's position; closed is set at the close of a
	// day.
	Standing(closed bool) Standing
}

// Words of the events' data.
const (
	byClient        = "client"
	buy             = "buy"
	deliveryMissed  = "delivery_missed"
	majorOrderBonus = "major_order_bonus"
)

// Watch takes in the events of a step, and the company's position after it.
// This is all that missions and achievements know of the company, beside the
// signals.
func (b *Board) Watch(
	r *record.Recorder, events iter.Seq2[event.Type, event.Data], facts Facts, closed bool,
) {
	for _, data := range events {
		b.saw(r, data, facts)
	}
	s := facts.Standing(closed)
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

// saw takes in one event.
func (b *Board) saw(r *record.Recorder, data event.Data, facts Facts) {
	t := &b.Totals
	switch d := data.(type) {
	case *event.PrintRunCompletedData:
		jobs, oversPct := facts.Run(d.ID)
		if t.FullRuns++; d.QuantityShort > 0 || oversPct > perfectOversPct {
			t.FullRuns = 0
		}
		b.unlockIf(r, gangBoss, jobs >= gangJobs)
		b.unlockIf(r, perfectSheet, t.FullRuns >= perfectRuns)
	case *event.SupplierInvoicePaidData:
		if d.PaidBy != byClient {
			return
		}
		t.SavedMinor += d.CreditedMinor
		if d.DiscountMinor > 0 {
			t.Discounts++
		}
		b.unlockIf(r, sharpEye, t.SavedMinor >= savedMinor)
		b.unlockIf(r, earlyBird, t.Discounts >= earlyDiscounts)
	case *event.PurchaseOrderApprovedData:
		if d.ApprovedBy == byClient {
			t.Approved++
			b.unlockIf(r, approver, t.Approved >= approvals)
		}
	case *event.MarketTradeExecutedData:
		base, ok := facts.BasePrice(d.SKU)
		b.unlockIf(r, marketTimer, ok && d.Side == buy && d.UnitPriceMinor*100 <= base*(100-bargainPercent))
	case *event.PaymentReceivedData:
		b.unlockIf(r, civicDuty, d.Kind == majorOrderBonus)
	case *event.SalesOrderExpiredData:
		b.disruptionRuns(func(d *DisruptionRun) { d.Failed = true })
		if d.Reason == deliveryMissed {
			t.InTime = 0
		}
	case *event.LoreEventStartedData:
		if d.DisruptionKind != nil {
			t.Rides = append(slices.Clone(t.Rides), DisruptionRun{LoreEventID: d.ID})
		}
	case *event.DisruptionEndedData:
		b.disruptionEnded(r, d.LoreEventID)
	case *event.CustomerInvoicePaidData:
		if d.SalesOrderID != nil && facts.CarriedAcross(*d.SalesOrderID) {
			b.Note(r, CarriedAcross)
		}
	case *event.ShipmentCreatedData:
		b.disruptionRuns(func(d *DisruptionRun) { d.Shipped = true })
		b.unlockIf(r, lotMaster, facts.LotsInTime() >= lotsInTime)
	case *event.ContractLotDeliveredData:
		b.unlockIf(r, lotMaster, facts.LotsInTime() >= lotsInTime)
	case *event.PayrollPaidData:
		if !d.Forced && d.SurchargeMinor == 0 {
			t.KeptPayrolls++
		}
	case *event.PayrollLateData, *event.EmployeeQuitData:
		t.KeptSince, t.KeptPayrolls = r.Today()+1, 0 // the streak begins anew tomorrow
	}
}

func (b *Board) disruptionRuns(change func(*DisruptionRun)) {
	b.Totals.Rides = slices.Clone(b.Totals.Rides)
	for i := range b.Totals.Rides {
		change(&b.Totals.Rides[i])
	}
}

// disruptionEnded notes the end of a disruption (contract:
// OPEN.MISSION.RIDE_OUT_DISRUPTION).
func (b *Board) disruptionEnded(r *record.Recorder, loreEventID string) {
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
