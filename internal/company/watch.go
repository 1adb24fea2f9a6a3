package company

import (
	"platen/internal/company/factory"
	"platen/internal/company/market"
	"platen/internal/company/mission"
	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/event"
)

// This file is the missions' view of the company: the events of each step, and
// the company's position after it. They look after each timer and each command,
// and never once for several, so that how steps are cut into commits does not
// show.

// majorOrderBonus is the kind of payment that a fulfilled major order brings.
const majorOrderBonus = "major_order_bonus"

// Note adds signals of the client's requests and ends a step.
func (c *Company) Note(s mission.Signals) {
	c.missions.Note(c.rec, s)
	c.missions.Credit(c.rec)
	c.watch()
}

// Signals returns the signals noted so far.
func (c *Company) Signals() mission.Signals { return c.missions.Signals }

// ClientActivity returns the client activity that was stored with the company.
func (c *Company) ClientActivity() mission.ClientActivity { return c.activity }

// Carry sets the client activity that is stored with the next commit.
func (c *Company) Carry(conduct mission.ClientActivity) { c.activity = conduct }

// watch shows the missions the events since they last looked. They see no
// opening, and nothing any more of a company that has ended.
func (c *Company) watch() { c.look(false) }

// watchClose is watch at the close of a day.
func (c *Company) watchClose() { c.look(true) }

func (c *Company) look(closed bool) {
	if newest := c.rec.Sequence(); c.Bankrupt() || !closed && newest == c.watched {
		c.watched = newest
		return
	}
	for _, data := range c.rec.Since(c.watched) {
		c.saw(data)
	}
	o := &c.office.State
	s := mission.Standing{
		Shipped: o.ShippedOrders, Late: o.LateOrders, Delivered: o.DeliveredLots, CashMinor: o.CashMinor,
		NegativeCloses: o.NegativeCloses, Closed: closed,
	}
	if closed {
		s.ProfitMinor = c.netWorthMinor() - o.OpeningNetWorthMinor
	}
	c.missions.Measure(c.rec, s)
	c.watched = c.rec.Sequence()
}

// saw notes one event.
func (c *Company) saw(data event.Data) {
	switch d := data.(type) {
	case *event.PrintRunCompletedData:
		run, _ := c.factory.PrintRuns.Find(d.ID)
		c.missions.RunCompleted(c.rec, len(run.Items), run.OversPct, d.QuantityShort)
	case *event.SupplierInvoicePaidData:
		if d.PaidBy == office.PaidByClient {
			c.missions.InvoicePaid(c.rec, d.CreditedMinor, d.DiscountMinor)
		}
	case *event.PurchaseOrderApprovedData:
		if d.ApprovedBy == office.ByClient {
			c.missions.Approved(c.rec)
		}
	case *event.MarketTradeExecutedData:
		if quote, ok := c.market.Quotes.Find(d.SKU); ok && d.Side == string(market.Buy) {
			c.missions.Bought(c.rec, d.UnitPriceMinor, quote.BaseMinor)
		}
	case *event.PaymentReceivedData:
		if d.Kind == majorOrderBonus {
			c.missions.GotBonus(c.rec)
		}
	case *event.SalesOrderExpiredData:
		c.missions.OrderExpired()
		if d.Reason == office.DeliveryMissed {
			c.missions.Missed()
		}
	case *event.LoreEventStartedData:
		if d.DisruptionKind != nil {
			c.missions.Disrupted(d.ID)
		}
	case *event.DisruptionEndedData:
		c.missions.DisruptionEnded(c.rec, d.LoreEventID)
	case *event.CustomerInvoicePaidData:
		if d.SalesOrderID != nil && c.carriedAcross(*d.SalesOrderID) {
			c.missions.Note(c.rec, mission.CarriedAcross)
		}
	case *event.ShipmentCreatedData:
		c.missions.GoodsLeft()
		c.missions.LotsDelivered(c.rec, c.lotsInTime())
	case *event.ContractLotDeliveredData:
		c.missions.LotsDelivered(c.rec, c.lotsInTime())
	case *event.PayrollPaidData:
		if !d.Forced && d.SurchargeMinor == 0 {
			c.missions.WagesPaid()
		}
	case *event.PayrollLateData, *event.EmployeeQuitData:
		c.missions.CrewUpset(c.rec)
	}
}

// lotsInTime counts the contract lots that were billed and with their customers
// by the day that was agreed.
func (c *Company) lotsInTime() int64 {
	inTime := int64(0)
	for lot, private := range c.office.ContractLots.All {
		if lot.Status == office.LotDelivered && private.ArrivedOn != nil &&
			*private.ArrivedOn <= sim.DayFrom(lot.DeliverBy) {
			inTime++
		}
	}
	return inTime
}

// carriedAcross reports whether the client's integration has taken an order
// that was paid through both systems by hand: one work order with its
// reference, shipped, and a bill that names the Factory's shipment.
func (c *Company) carriedAcross(orderID string) bool {
	order, _ := c.office.SalesOrders.Find(orderID)
	if c.bridged() || !c.office.SalesOrders.Private(orderID).Accepted {
		return false
	}
	var shipped []*factory.Shipment
	for s := range c.factory.Shipments.All {
		if s.Reference == order.ID || s.Reference == order.Number {
			shipped = append(shipped, s)
		}
	}
	bill, _ := c.office.Shipments.Find(*order.ShipmentID)
	if len(shipped) != 1 || bill.FactoryShipmentRef == nil {
		return false
	}
	return *bill.FactoryShipmentRef == shipped[0].ID || *bill.FactoryShipmentRef == shipped[0].Number
}
