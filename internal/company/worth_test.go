package company_test

import (
	"testing"

	"platen/internal/company"
	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/market"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

// ruin is how a company comes to its end.
type ruin struct {
	// cash is there on the first morning, and the end is after so many closes below zero, on the evening of a day.
	cash            money.Minor
	closes, evening int64
	// bought are the sheets of each paper that are bought on each of the last days.
	bought, days int64
}

// ended plays up to the evening.
func (r ruin) ended(t *testing.T) *life {
	t.Helper()
	l := poor(t, "starter", sim.Manual, func(p *preset.Preset) {
		p.CashMinor, p.OverdraftLimitMinor, p.NegativeClosesToBankrupt = r.cash, 1_000_000_000, r.closes
	})
	for day := r.evening - r.days + 1; day <= r.evening; day++ {
		l.until(sim.Day(day))
		for _, sku := range []string{catalog.Coated, catalog.Uncoated, catalog.Board} {
			l.must(buy(sku, r.bought))
		}
	}
	l.until(sim.Day(r.evening))
	l.must(tick(479))
	return l
}

// TestABankruptCompanyIsWorthWhatItsLiquidationLacks: its twin lives on, and sells the warehouse on the same evening.
// What that leaves after all debts is nothing to a bankrupt company, and what it lacks is its worth.
func TestABankruptCompanyIsWorthWhatItsLiquidationLacks(t *testing.T) {
	t.Parallel()
	covered := map[bool]bool{}
	for _, r := range []ruin{
		{cash: 1, closes: 1, evening: 9}, // the first debit is on day 9
		{cash: 1, closes: 60, evening: 68},
		{cash: 3_500_000, closes: 1, evening: 9, bought: 4000, days: 6},
	} {
		closes, spared := r.closes, r
		spared.closes = 250
		ended, twin := r.ended(t), spared.ended(t)
		was, before := ended.company.Summary(), twin.company.Summary()
		if !was.Bankrupt || before.Bankrupt || was.CashMinor != before.CashMinor {
			t.Fatalf("after %d closes below zero: %+v, and the twin %+v", closes, was, before)
		}
		left := before.NetWorthMinor - before.Inventory.StockValueMinor // less all debts
		for _, item := range before.Inventory.Materials {
			if item.OnHand > 0 && item.SKU != catalog.Ink && item.SKU != catalog.Plate {
				twin.must(sell(item.SKU, item.OnHand))
				left += twin.lastTrade().TotalMinor
			}
		}
		if want := min(0, left); was.NetWorthMinor != want || was.Score.NetWorthMinor != want {
			t.Errorf("after %d closes below zero the company is worth %s, its liquidation leaves %s",
				closes, was.NetWorthMinor, left)
		}
		points := rowsOf[company.SeriesPoint](ended, company.SeriesResource)
		if last := points[len(points)-1]; last.NetWorthMinor != was.NetWorthMinor {
			t.Errorf("the series ends with %s, want %s", last.NetWorthMinor, was.NetWorthMinor)
		}
		covered[left > 0] = true
	}
	if len(covered) != 2 {
		t.Errorf("the stock covers the debts: %v, want a case of each", covered)
	}
}

// TestGoodsThatAreUnderWayAreSoldToo, for less than they cost an hour before.
func TestGoodsThatAreUnderWayAreSoldToo(t *testing.T) {
	t.Parallel()
	r := ruin{cash: 1, closes: 60, evening: 68}
	without := r.ended(t)
	r.bought, r.days = 1000, 1
	with, cost := r.ended(t), money.Minor(0)
	for _, trade := range rowsOf[market.Trade](with, "market_trade") {
		cost += trade.TotalMinor
	}
	lost := without.company.Summary().NetWorthMinor - with.company.Summary().NetWorthMinor
	if lost < cost.PerCent(25) || lost > cost.PerCent(60) {
		t.Errorf("paper for %s under way takes %s from a bankrupt company, want 25 to 60 %%", cost, lost)
	}
}

// TestGoodsThatNobodyOrderedAreWorthTheBid, if they cost more; what an order holds is worth its cost again.
func TestGoodsThatNobodyOrderedAreWorthTheBid(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 1, steady)
	before := l.company.Summary()
	id := l.add(job{"prd_calendar", 20}, nil)
	l.must(printRun(factory.StartPrintRun{PressID: "prs_offset", WorkOrderID: &id, OversPct: new(int64(20))}))
	for l.workOrder(id).Status != factory.WorkStocked {
		l.must(tick(20))
	}
	item := func() factory.StockItem { return rowOf[factory.StockItem](l, "stock_item", "itm_calendar") }
	made, after := item(), l.company.Summary()
	lossEach := made.AverageCostMinor - l.quoted("prd_calendar").BidMinor
	if lossEach <= 0 {
		t.Fatalf("a calendar costs %s, and the market bids %s", made.AverageCostMinor,
			l.quoted("prd_calendar").BidMinor)
	}
	if after.Now.Day() != before.Now.Day() {
		t.Fatal("a day has passed")
	}
	rest := func() money.Minor { // what the worth is less than all that is not stock, and the stock at cost
		s := l.company.Summary()
		return before.NetWorthMinor - before.Inventory.StockValueMinor - s.NetWorthMinor + s.Inventory.StockValueMinor
	}
	if got, want := rest(), lossEach.Times(made.OnHand); got != want {
		t.Errorf("%d calendars at %s take %s from the worth, want %s", made.OnHand, made.AverageCostMinor, got, want)
	}
	l.add(job{"prd_calendar", 15}, new("for somebody"))
	if held := item(); held.Reserved != 15 {
		t.Fatalf("an order holds %d", held.Reserved)
	}
	if got, want := rest(), lossEach.Times(made.OnHand-15); got != want {
		t.Errorf("with 15 for an order they take %s from the worth, want %s", got, want)
	}
}
