package company

import (
	"fmt"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/lore"
	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/moment"
)

// This file is the world's effects on the company. Package lore begins and ends
// disruptions; each department is told the effect on itself, and knows nothing
// of the rest.

// openWorld begins the disruption of the day and tells its story, if there are
// any.
func (c *Company) openWorld() {
	if d, ok := c.lore.Draw(c.rec.Today()); ok {
		c.disrupt(d)
		c.lore.Begin(c.rec, d)
	}
	c.lore.TellStory(c.rec)
}

// endDisruption lifts the effects of a disruption.
func (c *Company) endDisruption(id string) {
	c.lift(c.lore.Disruption(id))
	c.lore.End(c.rec, id)
}

// disrupt tells the departments that a disruption begins.
func (c *Company) disrupt(d lore.Disruption) {
	switch d.Kind {
	case lore.PressFault:
		c.factory.StopPress(c.rec, d.PressID, d.Ends)
	case lore.PowerCut:
		for _, press := range catalog.Presses() {
			c.factory.StopPress(c.rec, press.ID, d.Ends)
		}
	case lore.HeatWave:
		c.factory.SetHeat(c.rec, true)
	case lore.FluWave:
		c.people.State.FluWave = true
	case lore.PaperShortage:
		c.market.State.PaperShortage = true
		c.office.SetConditions(c.rec, withConditions(c.office.State.Conditions, d, true))
	case lore.CourierStrike, lore.TradeFair, lore.PaymentOutage:
		c.office.SetConditions(c.rec, withConditions(c.office.State.Conditions, d, true))
	}
}

// lift tells the departments that a disruption is over.
func (c *Company) lift(d lore.Disruption) {
	switch d.Kind {
	case lore.PressFault, lore.PowerCut:
		c.factory.RestartPresses(c.rec)
	case lore.HeatWave:
		c.factory.SetHeat(c.rec, false)
	case lore.FluWave:
		c.people.State.FluWave = false
	case lore.PaperShortage:
		c.market.State.PaperShortage = false
		c.office.SetConditions(c.rec, withConditions(c.office.State.Conditions, d, false))
	case lore.CourierStrike, lore.TradeFair, lore.PaymentOutage:
		c.office.SetConditions(c.rec, withConditions(c.office.State.Conditions, d, false))
	}
}

// withConditions returns the conditions of Head Office's business with a
// disruption or without it.
func withConditions(now office.Conditions, d lore.Disruption, runs bool) office.Conditions {
	switch d.Kind {
	case lore.PaperShortage:
		now.PaperShortage = runs
	case lore.CourierStrike:
		now.CourierStrike = runs
	case lore.TradeFair:
		now.TradeFair = runs
	case lore.PaymentOutage:
		now.PaymentsWaitUntil = 0
		if runs {
			now.PaymentsWaitUntil = d.Ends.Day()
		}
	default:
	}
	return now
}

// goodsLeave takes a work order's goods to their addressee. The goods that a
// customer takes count towards the open major order.
func (c *Company) goodsLeave(w *factory.WorkOrder) {
	if worth := c.office.GoodsArrive(c.rec, *w.Reference, w.SKU, w.Quantity); worth > 0 {
		c.lore.Contribute(c.rec, w.SKU, w.Quantity, worth)
	}
}

// bonusArrives pays the company for its share in a major order.
func (c *Company) bonusArrives(majorOrderID string) {
	b := c.lore.TakeBonus(c.rec, majorOrderID)
	c.office.BonusArrives(c.rec, office.Bonus{MajorOrderID: b.MajorOrderID, PayerName: b.PayerName, Remittance: b.Title, AmountMinor: b.AmountMinor})
}

// RunningDisruption is a disruption that is not over, at a glance (contract:
// OPEN.SANDBOX.FIELDS.DISRUPTIONS).
type RunningDisruption struct {
	LoreEventID string              `json:"lore_event_id"`
	Kind        lore.DisruptionKind `json:"kind" enum:"paper_shortage,courier_strike,flu_wave,press_fault,power_cut,trade_fair,payment_outage,heat_wave"`
	EndsOn      moment.Date         `json:"ends_on"`
}

func (c *Company) runningDisruptions() []RunningDisruption {
	running := make([]RunningDisruption, len(c.lore.State.Running))
	for i, id := range c.lore.State.Running {
		d := c.lore.Disruption(id)
		running[i] = RunningDisruption{LoreEventID: id, Kind: d.Kind, EndsOn: d.Ends.Date()}
	}
	return running
}

// checkWorld compares the effects in the departments with the running
// disruptions.
func (c *Company) checkWorld() error {
	if err := c.lore.Check(); err != nil {
		return fmt.Errorf("lore: %w", err)
	}
	conditions, runs, down := office.Conditions{}, map[lore.DisruptionKind]bool{}, map[string]sim.Minute{}
	for _, id := range c.lore.State.Running {
		d := c.lore.Disruption(id)
		conditions, runs[d.Kind] = withConditions(conditions, d, true), true
		for press := range c.factory.Presses.All {
			if d.Kind == lore.PowerCut || d.PressID == press.ID {
				down[press.ID] = max(down[press.ID], d.Ends)
			}
		}
	}
	if conditions != c.office.State.Conditions {
		return fmt.Errorf("head office lives in %+v, by what runs it should be %+v", c.office.State.Conditions, conditions)
	}
	for press, private := range c.factory.Presses.All {
		if private.DownUntil != down[press.ID] {
			return fmt.Errorf("press %s is down until %d, by what runs until %d", press.ID, private.DownUntil, down[press.ID])
		}
	}
	got := []bool{c.market.State.PaperShortage, c.people.State.FluWave, c.factory.State.Heat}
	for i, kind := range []lore.DisruptionKind{lore.PaperShortage, lore.FluWave, lore.HeatWave} {
		if got[i] != runs[kind] {
			return fmt.Errorf("a department says %t of %s, and it is %t", got[i], kind, runs[kind])
		}
	}
	return nil
}

// worldTimers lists the timers of the world.
func (c *Company) worldTimers(want func(waits bool, kind, ref string)) {
	want(c.lore.Eventful(), lore.TimerDay, "")
	want(c.lore.Ambitious(), lore.TimerMajorOrder, "")
	for _, id := range c.lore.State.Running {
		want(true, lore.TimerDisruptionEnds, id)
	}
	for m, private := range c.lore.MajorOrders.All {
		want(private.BonusDue, lore.TimerBonus, m.ID)
	}
}
