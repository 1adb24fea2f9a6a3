package company

import (
	"cmp"
	"errors"
	"slices"

	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// TickUntilMax is the most minutes of a tick that stops at an event, a moment or
// a decision (contract: OPEN.TICK.UNTIL).
const TickUntilMax = 10 * int(sim.DayLength)

// Until says what a tick waits for. One of its fields is set; a zero Until waits
// for nothing.
type Until struct {
	// Types are event types, of which one is to happen; event.Any
	// alone means all of them.
	Types []event.Type
	// Sequence is the number of an event, 0 for none.
	Sequence uint64
	// Moment is a simulated moment that is to be reached, nil for none.
	Moment *sim.Minute
	// Decision is set to wait until something more needs an answer of the client.
	Decision bool
	// IdlePress is set to wait until a press falls idle, or is repaired, while a work order
	// waits for one.
	IdlePress bool
}

// Stop says what ended a tick.
type Stop string

// Reasons to stop.
const (
	StoppedByMinutes    Stop = "minutes"
	StoppedByEventType  Stop = "event_type"
	StoppedBySequence   Stop = "seq"
	StoppedByMoment     Stop = "sim_date"
	StoppedByDecision   Stop = "decision"
	StoppedByIdlePress  Stop = "idle_press"
	StoppedByBankruptcy Stop = "bankrupt"
)

// reached returns what ends a tick now, given the events after the one with a
// number, and "" to go on.
func (c *Company) reached(u *Until, after uint64) Stop {
	switch {
	case u.Sequence > 0 && c.rec.Sequence() >= u.Sequence:
		return StoppedBySequence
	case u.Moment != nil && c.now >= *u.Moment:
		return StoppedByMoment
	case u.Decision && c.wantsAnswer(after):
		return StoppedByDecision
	case u.IdlePress && c.pressFreed(after) && c.pressWaits():
		return StoppedByIdlePress
	}
	if len(u.Types) > 0 {
		for kind := range c.rec.Since(after) {
			if u.Types[0] == event.Any || slices.Contains(u.Types, kind) {
				return StoppedByEventType
			}
		}
	}
	return ""
}

// wantsAnswer reports whether one of the events after the one with a number left
// something that waits for the client: an order or a lot to answer, a bill or
// wages to pay, goods at the gate, an idle press with work. While no press is idle,
// an order waits for the next one, if that is free on its last day: to accept it
// sooner prints nothing sooner.
func (c *Company) wantsAnswer(after uint64) bool {
	for kind, data := range c.rec.Since(after) {
		switch d := data.(type) {
		case *event.SalesOrderReceivedData:
			order, ok := c.office.SalesOrders.Find(d.ID)
			if ok && order.Status == office.OrderReceived && (c.pressIdle() || !c.pressFreeOn(order.AnswerBy)) {
				return true
			}
		case *event.ContractLotOfferedData:
			if lot, ok := c.office.ContractLots.Find(d.ID); ok && lot.Status == office.LotOffered {
				return true
			}
		case *event.SupplierInvoiceReceivedData:
			bill, ok := c.office.SupplierInvoices.Find(d.ID)
			if ok && bill.Kind == office.MaterialsInvoice && bill.Status != office.SupplierInvoicePaid {
				return true
			}
		case *event.DeliveryArrivedData:
			if truck, ok := c.factory.Deliveries.Find(d.ID); ok && truck.Status == factory.DeliveryArrived {
				return true
			}
		}
		if kind == event.PayrollDue {
			return true // nobody but the client pays wages
		}
	}
	return c.pressFreed(after) && (c.pressWaits() && c.printable() || c.orderWaits())
}

// pressFreed reports whether one of the events after the one with a number may have freed a
// press.
func (c *Company) pressFreed(after uint64) bool {
	for kind := range c.rec.Since(after) {
		if kind == event.PrintRunCompleted || kind == event.DisruptionEnded {
			return true
		}
	}
	return false
}

// pressWaits reports whether a press is idle while a work order waits for one.
func (c *Company) pressWaits() bool {
	return c.factory.State.WorkOrdersToPrint > 0 && c.pressIdle()
}

func (c *Company) pressIdle() bool {
	for press := range c.factory.Presses.All {
		if press.Status == factory.PressIdle {
			return true
		}
	}
	return false
}

// pressFreeOn reports whether a press that runs or is broken will be free by the close of a day.
func (c *Company) pressFreeOn(day moment.Date) bool {
	for press := range c.factory.Presses.All {
		if at := cmp.Or(press.CurrentRunEndsSim, press.DownUntilSim); at != nil && *at < day.AddDays(1).String() {
			return true
		}
	}
	return false
}

// orderWaits reports whether a customer waits for an answer.
func (c *Company) orderWaits() bool {
	for order := range c.office.SalesOrders.All {
		if order.Status == office.OrderReceived {
			return true
		}
	}
	return false
}

// printable reports whether there is material for a run of some work order on a press that is idle, with an operator
// or without: operators come to work again by themselves.
func (c *Company) printable() bool {
	for press := range c.factory.Presses.All {
		if press.Status != factory.PressIdle {
			continue
		}
		for w := range c.factory.WorkOrders.All {
			if w.WaitsFor != factory.WaitsForPress {
				continue
			}
			_, err := c.CanStartPrintRun(&factory.StartPrintRun{PressID: press.ID, WorkOrderID: &w.ID})
			refusal, _ := errors.AsType[*problem.Problem](err)
			if err == nil || refusal != nil && refusal.Code == problem.NoOperator {
				return true
			}
		}
	}
	return false
}
