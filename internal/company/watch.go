package company

import (
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/mission"
	"platen/internal/company/office"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

// This file is the missions' view of the company: the events of each step, and
// the company's position after it. They look after each timer and each command,
// and never once for several, so that how steps are cut into commits does not
// show.

// Signal adds a signal within a step.
func (c *Company) Signal(s mission.Signals) { c.missions.Note(c.rec, s) }

// Note adds signals of the client's requests and ends a step.
func (c *Company) Note(s mission.Signals) {
	c.Signal(s)
	c.missions.Credit(c.rec)
	c.watch(false)
}

// Signals returns the signals noted so far.
func (c *Company) Signals() mission.Signals { return c.missions.Signals }

// watch shows the missions the events since the last call, at the close of a day or at another moment. They see no
// opening, and nothing any more of a company that has ended.
func (c *Company) watch(closed bool) {
	if newest := c.rec.Newest(); c.Bankrupt() || !closed && newest == c.watched {
		c.watched = newest
		return
	}
	c.missions.Watch(c.rec, c.rec.Since(c.watched), facts{c}, closed)
	c.watched = c.rec.Newest()
}

// facts implements mission.Facts.
type facts struct{ *Company }

func (f facts) Run(id string) (jobs int, oversPct int64) {
	run, _ := f.factory.PrintRuns.Find(id)
	return len(run.Items), run.OversPct
}

func (f facts) BasePrice(sku string) (money.Minor, bool) {
	quote, ok := f.market.Quotes.Find(sku)
	if !ok {
		return 0, false
	}
	return quote.BaseMinor, true
}

func (f facts) Standing(closed bool) mission.Standing {
	o := &f.office.State
	s := mission.Standing{
		Shipped: o.ShippedOrders, Late: o.LateOrders, Delivered: o.DeliveredLots, CashMinor: o.CashMinor,
		NegativeCloses: o.NegativeCloses, Closed: closed,
	}
	if closed {
		s.ProfitMinor = f.netWorthMinor() - o.OpeningNetWorthMinor
	}
	return s
}

// LotsInTime counts the contract lots that were billed and with their customers
// by the day that was agreed.
func (f facts) LotsInTime() int64 {
	inTime := int64(0)
	for lot, private := range f.office.ContractLots.All {
		if lot.Status == office.LotDelivered && private.ArrivedOn != nil &&
			*private.ArrivedOn <= sim.DayFrom(lot.DeliverBy) {
			inTime++
		}
	}
	return inTime
}

// CarriedAcross reports whether the client's integration has taken an order
// that was paid through both systems by hand: one work order with its
// reference, shipped, and bills that name the Factory's shipments, one each.
func (f facts) CarriedAcross(orderID string) bool {
	order, _ := f.office.SalesOrders.Find(orderID)
	if f.bridged() || record.Private(f.office.SalesOrders, orderID).AcceptedOn == nil {
		return false
	}
	var shipped []*factory.Shipment
	for s := range f.factory.Shipments.All {
		if of, ok := f.office.OrderByReference(s.Reference); ok && of.ID == order.ID {
			shipped = append(shipped, s)
		}
	}
	named := map[string]bool{}
	for _, id := range order.InvoiceIDs {
		invoice, _ := f.office.CustomerInvoices.Find(id)
		bill, _ := f.office.Shipments.Find(invoice.ShipmentID)
		if bill.FactoryShipmentRef == nil {
			return false
		}
		named[catalog.Folded(*bill.FactoryShipmentRef)] = true
	}
	return len(shipped) == len(named) && !slices.ContainsFunc(shipped, func(s *factory.Shipment) bool {
		return !named[s.ID] && !named[catalog.Folded(s.Number)]
	})
}
