package company

import (
	"slices"

	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/lore"
	"platen/internal/company/mission"
	"platen/internal/company/office"
	"platen/internal/company/record"
	"platen/internal/company/sim"
)

// Timers of the company as a whole.
const (
	timerDay = "day.opens"
	// timerOverheads bills the past week on a Monday, and reviews its use of material.
	timerOverheads = "week.overheads"
	timerClose     = "day.closes"
)

// timers are the handlers of all timers, by kind.
var timers = handlers() //nolint:gochecknoglobals // read only

// handler lets a timer happen.
type handler = record.TimerHandler[*Company]

// handlers collects the timers that a department sees to alone, and those in
// which departments meet.
func handlers() map[string]handler {
	all := map[string]handler{}
	for _, h := range slices.Concat(
		ofDepartment(func(c *Company) *office.Office { return c.office }, office.Timers()),
		ofDepartment(func(c *Company) *factory.Factory { return c.factory }, factory.Timers()),
		ofDepartment(func(c *Company) *hr.HR { return c.people }, hr.Timers()),
		ofDepartment(func(c *Company) *lore.Lore { return c.lore }, lore.Timers()),
		ownTimers(),
	) {
		if all[h.Kind].Fire != nil {
			panic("two handlers for the timer " + h.Kind)
		}
		all[h.Kind] = h
	}
	return all
}

// ofDepartment makes the handlers of a department those of the company.
func ofDepartment[D any](department func(*Company) D, own []record.TimerHandler[D]) []handler {
	handlers := make([]handler, len(own))
	for i, h := range own {
		handlers[i] = handler{Kind: h.Kind, Fire: func(c *Company, r *record.Recorder, t sim.Timer) {
			h.Fire(department(c), r, t)
		}}
	}
	return handlers
}

// ending makes the handler of a timer by which an order or a lot may end, whose id is the timer's Ref.
func ending(kind string, fire func(o *office.Office, r *record.Recorder, id string)) handler {
	return handler{Kind: kind, Fire: func(c *Company, r *record.Recorder, t sim.Timer) {
		fire(c.office, r, t.Ref)
		c.ended(t.Ref)
	}}
}

// ownTimers returns the handlers of the timers of the company as a whole.
func ownTimers() []record.TimerHandler[*Company] {
	return []record.TimerHandler[*Company]{
		{Kind: timerDay, Fire: func(c *Company, _ *record.Recorder, _ sim.Timer) { c.openDay() }},
		{Kind: timerOverheads, Fire: func(c *Company, _ *record.Recorder, _ sim.Timer) {
			c.billOverheads()
			c.carryRequisitions(c.factory.ReviewReorderPoints(c.rec)...)
		}},
		{Kind: office.TimerRequisitionLapses, Fire: func(c *Company, _ *record.Recorder, t sim.Timer) {
			c.office.RequisitionLapses(c.rec, t.Ref)
			c.carryRequisitions()
		}},
		ending(office.TimerAnswerLapses, (*office.Office).AnswerLapses),
		ending(office.TimerDeliveryMissed, (*office.Office).DeliveryMissed),
		ending(office.TimerOfferLapses, (*office.Office).OfferLapses),
		ending(office.TimerLotMissed, (*office.Office).LotMissed),
		{Kind: timerMarketDelivery,
			Fire: func(c *Company, _ *record.Recorder, t sim.Timer) { c.marketDelivers(t.Ref) }},
		{Kind: timerClose, Fire: func(c *Company, _ *record.Recorder, _ sim.Timer) { c.closeDay() }},
		{Kind: timerPoint, Fire: func(c *Company, _ *record.Recorder, _ sim.Timer) { c.notePoint() }},
		{Kind: timerTimesheet, Fire: func(c *Company, _ *record.Recorder, _ sim.Timer) { c.carryTimesheet() }},
		{Kind: office.TimerPayment, Fire: func(c *Company, _ *record.Recorder, t sim.Timer) { c.paymentArrives(t) }},
		{Kind: office.TimerTruck, Fire: func(c *Company, _ *record.Recorder, t sim.Timer) { c.truckArrives(t.Ref) }},
		{Kind: hr.TimerDay, Fire: func(c *Company, _ *record.Recorder, _ sim.Timer) { c.openStaffDay() }},
		{Kind: hr.TimerPayrollWaits,
			Fire: func(c *Company, _ *record.Recorder, t sim.Timer) { c.payrollWaits(t.Index) }},
		{Kind: lore.TimerDay, Fire: func(c *Company, _ *record.Recorder, _ sim.Timer) { c.openWorld() }},
		{Kind: lore.TimerDisruptionEnds,
			Fire: func(c *Company, _ *record.Recorder, t sim.Timer) { c.endDisruption(t.Ref) }},
		{Kind: lore.TimerBonus, Fire: func(c *Company, _ *record.Recorder, t sim.Timer) { c.bonusArrives(t.Ref) }},
	}
}

// paymentArrives books a payment of a customer. The one for an order that a
// client accepted counts for the missions.
func (c *Company) paymentArrives(t sim.Timer) {
	order := c.office.PaymentArrives(c.rec, t.Ref)
	if order == "" || record.Private(c.office.SalesOrders, order).AcceptedOn == nil {
		return
	}
	c.missions.Note(c.rec, mission.WasPaid)
	if paid, _ := c.office.SalesOrders.Find(order); len(paid.InvoiceIDs) > 1 {
		c.missions.Note(c.rec, mission.PaidInParts)
	}
}
