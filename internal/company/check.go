package company

import (
	"fmt"

	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/sim"
)

// Check verifies every invariant that the company's present state shows. That
// statuses are those of the feed is seen only with the feed beside it.
func (c *Company) Check() error {
	for _, table := range c.tables {
		if err := table.Check(); err != nil {
			return err
		}
	}
	return c.checkBooks()
}

// checkBooks verifies all but that no row was changed behind the recorder,
// which takes most of the time.
func (c *Company) checkBooks() error {
	if err := c.office.Check(); err != nil {
		return fmt.Errorf("office: %w", err)
	}
	if err := c.factory.Check(); err != nil {
		return fmt.Errorf("factory: %w", err)
	}
	if err := c.market.Check(); err != nil {
		return fmt.Errorf("market: %w", err)
	}
	for _, check := range []func() error{
		c.checkBridge, c.checkEnds, c.checkLots, c.checkJournals, c.checkPeople, c.checkWages, c.checkWorld,
		c.checkCarried, c.checkTimers,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkJournals reports movements of cash and stock that name no event, or an
// event with two movements of cash.
func (c *Company) checkJournals() error {
	exists := func(id *string) bool {
		sequence, ok := c.settings.EventSequence(*id)
		return ok && sequence <= c.rec.Sequence()
	}
	owners := map[string]string{}
	for entry := range c.office.Ledger.All {
		if entry.EventID == nil {
			if entry.Kind != office.OpeningBalance {
				return fmt.Errorf("ledger entry %s of kind %s names no event", entry.ID, entry.Kind)
			}
			continue
		}
		if !exists(entry.EventID) || owners[*entry.EventID] != "" {
			return fmt.Errorf("ledger entry %s names the event %s, which does not exist or owns %q",
				entry.ID, *entry.EventID, owners[*entry.EventID])
		}
		owners[*entry.EventID] = entry.ID
	}
	for move := range c.factory.StockMoves.All {
		if move.EventID != nil && !exists(move.EventID) {
			return fmt.Errorf("stock move %s names the event %s, which does not exist", move.ID, *move.EventID)
		}
	}
	return nil
}

// checkTimers reports a record that waits for something which nothing will
// bring.
func (c *Company) checkTimers() error {
	type alarm struct{ kind, ref string }
	set := map[alarm]int{}
	for _, t := range c.rec.Sorted() {
		set[alarm{t.Kind, t.Ref}]++
	}
	var err error
	want := func(waits bool, kind, ref string) {
		if waits && set[alarm{kind, ref}] == 0 && err == nil {
			err = fmt.Errorf("%s waits, and no timer %s will come", ref, kind)
		}
	}
	want(true, timerDay, "")
	want(c.now.OfDay() < sim.CloseMinute, timerClose, "")
	for order := range c.office.SalesOrders.All {
		want(order.Status == office.OrderReceived && !c.office.OrderArrived(order), office.TimerAnswerLapses, order.ID)
		want(c.office.OrderAwaited(order), office.TimerDeliveryMissed, order.ID)
	}
	for invoice := range c.office.CustomerInvoices.All {
		want(invoice.Status == office.InvoiceOpen, office.TimerInvoiceOverdue, invoice.ID)
		want(c.office.Reached(invoice) && invoice.BalanceMinor > 0, office.TimerPayment, invoice.ID)
	}
	for lot := range c.office.ContractLots.All {
		want(lot.Status == office.LotOffered, office.TimerOfferLapses, lot.ID)
		want(c.office.LotAwaited(lot), office.TimerLotMissed, lot.ID)
	}
	for trade, private := range c.market.Trades.All {
		want(private.UnderWay, timerMarketDelivery, trade.ID)
	}
	c.procurementTimers(want)
	c.peopleTimers(want)
	c.worldTimers(want)
	for run := range c.factory.PrintRuns.All {
		want(run.Status == factory.RunRunning, factory.TimerRunEnds, run.ID)
	}
	for work, private := range c.factory.WorkOrders.All {
		want(len(private.Finishing) > 0, factory.TimerFinishingEnds, work.ID)
	}
	return err
}

// procurementTimers lists the timers of requisitions, purchase orders and
// supplier invoices.
func (c *Company) procurementTimers(want func(waits bool, kind, ref string)) {
	for q := range c.office.Requisitions.All {
		want(q.Status == office.RequisitionReceived, office.TimerRequisitionLapses, q.ID)
	}
	for order, private := range c.office.PurchaseOrders.All {
		want(private.UnderWay(), office.TimerTruck, order.ID)
		want(private.Awaits(), office.TimerSupplierBills, order.ID)
		want(private.SecondBillDue, office.TimerBilledTwice, order.ID)
	}
	for invoice := range c.office.SupplierInvoices.All {
		materials := invoice.Kind == office.MaterialsInvoice
		want(materials && invoice.Status == office.SupplierInvoiceOpen, office.TimerSupplierOverdue, invoice.ID)
		want(invoice.Status == office.SupplierInvoiceOverdue, office.TimerCollection, invoice.ID)
		want(!materials && invoice.Status == office.SupplierInvoiceOpen, office.TimerDirectDebit, invoice.ID)
	}
}
