package company

import (
	"fmt"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/lore"
	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
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

// effect is the effect of a kind of disruption on the departments: a row has
// those of the functions that the kind needs.
type effect struct {
	// stops reports whether a press cannot run.
	stops func(d lore.Disruption, pressID string) bool
	// conditions notes in the conditions of Head Office's business that the
	// disruption runs, or no longer runs.
	conditions func(now *office.Conditions, d lore.Disruption, runs bool)
	// set tells a department that it runs, or no longer runs; isSet reports
	// what the department was told.
	set   func(c *Company, runs bool)
	isSet func(c *Company) bool
}

// effects are those of every kind of disruption.
var effects = map[event.DisruptionKind]effect{ //nolint:gochecknoglobals // the table itself
	event.PaperShortage: {
		conditions: func(now *office.Conditions, _ lore.Disruption, runs bool) { now.PaperShortage = runs },
		set:        func(c *Company, runs bool) { c.market.SetPaperShortage(c.rec, runs) },
		isSet:      func(c *Company) bool { return c.market.State.PaperShortage },
	},
	event.CourierStrike: {
		conditions: func(now *office.Conditions, _ lore.Disruption, runs bool) { now.CourierStrike = runs },
	},
	event.FluWave: {
		set:   func(c *Company, runs bool) { c.people.State.FluWave = runs },
		isSet: func(c *Company) bool { return c.people.State.FluWave },
	},
	event.PressFault: {
		stops: func(d lore.Disruption, pressID string) bool { return d.PressID == pressID },
	},
	event.PowerCut: {
		stops: func(lore.Disruption, string) bool { return true },
	},
	event.TradeFair: {
		conditions: func(now *office.Conditions, _ lore.Disruption, runs bool) { now.TradeFair = runs },
	},
	event.PaymentOutage: {
		conditions: func(now *office.Conditions, d lore.Disruption, runs bool) {
			now.PaymentsWaitUntil = 0
			if runs {
				now.PaymentsWaitUntil = d.Ends.Day()
			}
		},
	},
	event.HeatWave: {
		set:   func(c *Company, runs bool) { c.factory.SetHeat(c.rec, runs) },
		isSet: func(c *Company) bool { return c.factory.State.Heat },
	},
}

// disrupt tells the departments that a disruption begins.
func (c *Company) disrupt(d lore.Disruption) {
	e := effects[d.Kind]
	for _, press := range catalog.Presses() {
		if e.stops != nil && e.stops(d, press.ID) {
			c.factory.StopPress(c.rec, press.ID, d.Ends)
		}
	}
	c.affect(d, true)
}

// lift tells the departments that a disruption is over.
func (c *Company) lift(d lore.Disruption) {
	if effects[d.Kind].stops != nil {
		c.factory.RestartPresses(c.rec)
	}
	c.affect(d, false)
}

func (c *Company) affect(d lore.Disruption, runs bool) {
	e := effects[d.Kind]
	if e.set != nil {
		e.set(c, runs)
	}
	if e.conditions != nil {
		now := c.office.State.Conditions
		e.conditions(&now, d, runs)
		c.office.SetConditions(c.rec, now)
	}
}

// goodsLeave takes a parcel to its addressee. The goods that a
// customer takes count towards the open major order.
func (c *Company) goodsLeave(p *factory.Parcel) {
	w := p.Work
	worth := c.office.GoodsArrive(c.rec, office.Parcel{
		Reference: *w.Reference, SKU: w.SKU, Quantity: p.Quantity, Final: p.Final,
	})
	if worth > 0 {
		c.lore.Contribute(c.rec, w.SKU, p.Quantity, worth)
		c.ended(*w.Reference)
	}
}

// bonusArrives pays the company for its share in a major order.
func (c *Company) bonusArrives(majorOrderID string) {
	b := c.lore.TakeBonus(c.rec, majorOrderID)
	c.office.BonusArrives(c.rec, office.Bonus{
		MajorOrderID: b.MajorOrderID, PayerName: b.PayerName, Remittance: b.Title, AmountMinor: b.AmountMinor,
	})
}

// RunningDisruption is a disruption that is not over, at a glance (contract:
// OPEN.SANDBOX.FIELDS.DISRUPTIONS).
type RunningDisruption struct {
	_ struct{} `doc:"A disruption that the company feels now, at a glance."`

	LoreEventID string               `json:"lore_event_id" doc:"The lore event that tells of it."`
	Kind        event.DisruptionKind `json:"kind" doc:"The thing that goes wrong; the effect is in effect_text of the lore event."`
	EndsOn      moment.Date          `json:"ends_on" doc:"The date on which it is over."`
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
	conditions, runs, down := office.Conditions{}, map[event.DisruptionKind]bool{}, map[string]sim.Minute{}
	for _, id := range c.lore.State.Running {
		d := c.lore.Disruption(id)
		e := effects[d.Kind]
		runs[d.Kind] = true
		if e.conditions != nil {
			e.conditions(&conditions, d, true)
		}
		for press := range c.factory.Presses.All {
			if e.stops != nil && e.stops(d, press.ID) {
				down[press.ID] = max(down[press.ID], d.Ends)
			}
		}
	}
	if conditions != c.office.State.Conditions {
		return fmt.Errorf("head office lives in %+v, by what runs it should be %+v",
			c.office.State.Conditions, conditions)
	}
	for press, private := range c.factory.Presses.All {
		if private.DownUntil != down[press.ID] {
			return fmt.Errorf("press %s is down until %d, by what runs until %d",
				press.ID, private.DownUntil, down[press.ID])
		}
	}
	for _, name := range event.DisruptionKind("").Enum() {
		kind := event.DisruptionKind(name)
		if e := effects[kind]; e.isSet != nil && e.isSet(c) != runs[kind] {
			return fmt.Errorf("a department was told %t of %s, and it is %t", effects[kind].isSet(c), kind, runs[kind])
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
