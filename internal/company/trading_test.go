package company_test

import (
	"fmt"
	"slices"
	"testing"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/market"
	"platen/internal/company/mission"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// still is a quiet company without wages, illness and hiring, so that its worth
// changes by trades alone.
func still(t reporter, name string, seed uint64, change ...func(*preset.Preset)) *life {
	t.Helper()
	return quiet(t, name, seed, append([]func(*preset.Preset){steady, func(p *preset.Preset) {
		p.Documents, p.Payroll.Paid, p.Lots.EveryDays = false, false, 0
	}}, change...)...)
}

func buy(sku string, quantity int64) action {
	return trade(market.TradeOnMarket{Side: market.Buy, SKU: sku, Quantity: quantity})
}

func sell(sku string, quantity int64) action {
	return trade(market.TradeOnMarket{Side: market.Sell, SKU: sku, Quantity: quantity})
}

// lastTrade is the newest trade.
func (l *life) lastTrade() market.Trade {
	l.t.Helper()
	all := rowsOf[market.Trade](l, "market_trade")
	return all[len(all)-1]
}

func (l *life) stock(sku string) factory.StockItem {
	l.t.Helper()
	return rowOf[factory.StockItem](l, "stock_item", factory.StockItemID(sku))
}

// kindsOf are the types of the newest events.
func (l *life) kindsOf(since int) []string {
	var kinds []string
	for _, e := range l.events[since:] {
		kinds = append(kinds, e.Type)
	}
	return kinds
}

// TestWhatIsUnderWayCounts: neither buying nor the delivery changes what the
// company is worth, whatever is bought and however long a weekend lies between.
func TestWhatIsUnderWayCounts(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		l := still(t, "starter", seed)
		for day := range sim.Day(10) {
			l.until(day)
			l.must(tick(61)) // after the deliveries of the day
			before := l.company.Summary()
			l.must(buy([]string{catalog.Coated, catalog.Uncoated, catalog.Board}[day%3], 1_000+100*int64(day)))
			bought := l.lastTrade()
			after := l.company.Summary()
			if after.NetWorthMinor != before.NetWorthMinor || after.CashMinor != before.CashMinor-bought.TotalMinor {
				t.Errorf("%s: day %d: buying for %s took cash from %s to %s, the worth from %s to %s", l.label, day,
					bought.TotalMinor, before.CashMinor, after.CashMinor, before.NetWorthMinor, after.NetWorthMinor)
			}
			stock := l.stock(bought.SKU)
			l.until(day + 1)
			l.must(tick(59))
			if got := l.stock(bought.SKU); got.OnHand != stock.OnHand {
				t.Errorf("%s: day %d: before nine there are %d, were %d", l.label, day, got.OnHand, stock.OnHand)
			}
			value := l.company.Summary().Inventory.StockValueMinor
			l.must(tick(1))
			s, came := l.company.Summary(), rowOf[market.Trade](l, "market_trade", bought.ID)
			if s.NetWorthMinor != before.NetWorthMinor || s.Inventory.StockValueMinor != value+bought.TotalMinor ||
				l.stock(bought.SKU).OnHand != stock.OnHand+bought.Quantity {
				t.Errorf("%s: day %d: the delivery for %s took the stock from %s to %s, the worth from %s to %s",
					l.label, day, bought.TotalMinor, value, s.Inventory.StockValueMinor,
					before.NetWorthMinor, s.NetWorthMinor)
			}
			delivery := rowOf[factory.MarketDelivery](l, "market_delivery", *came.MarketDeliveryID)
			if delivery.TradeRef != bought.ID || delivery.Quantity != bought.Quantity || delivery.SKU != bought.SKU ||
				delivery.ReceivedOn != (day+1).Date() {
				t.Errorf("%s: day %d: %+v brought %+v", l.label, day, bought, delivery)
			}
		}
		checkFeed(t, l)
	}
}

// TestASaleIsWorthWhatItBringsAboveCost, and takes goods at their average cost.
func TestASaleIsWorthWhatItBringsAboveCost(t *testing.T) {
	t.Parallel()
	l := still(t, "manual", 1)
	for _, c := range []struct {
		quantity int64
		cost     money.Minor
	}{{1, 32}, {4_000, 128_000}, {7_999, 255_968}} {
		before := l.company.Summary()
		l.must(sell(catalog.Coated, c.quantity))
		sold, after := l.lastTrade(), l.company.Summary()
		if after.CashMinor != before.CashMinor+sold.TotalMinor ||
			after.NetWorthMinor != before.NetWorthMinor+sold.TotalMinor-c.cost ||
			after.Inventory.StockValueMinor != before.Inventory.StockValueMinor-c.cost {
			t.Errorf("%d sold for %s took the stock from %s to %s, the worth from %s to %s, want a cost of %s",
				c.quantity, sold.TotalMinor, before.Inventory.StockValueMinor, after.Inventory.StockValueMinor,
				before.NetWorthMinor, after.NetWorthMinor, c.cost)
		}
	}
	if item := l.stock(catalog.Coated); item.OnHand != 0 || item.Status != factory.StockLow {
		t.Errorf("all sold, the stock is %+v", item)
	}
	if err := l.act(sell(catalog.Coated, 1)); codeOf(err) != problem.InsufficientStock {
		t.Errorf("selling what is not there: %v", err)
	}
	checkFeed(t, l)
}

// TestRefusedTradesChangeNothing, not even the price.
func TestRefusedTradesChangeNothing(t *testing.T) {
	t.Parallel()
	l := still(t, "starter", 1)
	l.must(tick(10))
	ask := l.quoted(catalog.Coated).AskMinor
	for _, c := range []struct {
		in   market.TradeOnMarket
		code problem.Code
	}{
		{market.TradeOnMarket{Side: market.Buy, SKU: catalog.Ink, Quantity: 1}, problem.NotTraded},
		{market.TradeOnMarket{Side: market.Buy, SKU: catalog.Waste, Quantity: 1}, problem.NotTraded},
		{market.TradeOnMarket{Side: market.Sell, SKU: "prd_card", Quantity: 1}, problem.NotTraded},
		{market.TradeOnMarket{Side: market.Buy, SKU: catalog.Coated, Quantity: 100, LimitMinor: new(*ask - 1)},
			problem.LimitNotMet},
		{market.TradeOnMarket{Side: market.Sell, SKU: catalog.Coated, Quantity: 100, LimitMinor: ask},
			problem.LimitNotMet},
		{market.TradeOnMarket{Side: market.Sell, SKU: catalog.Coated, Quantity: 12_001}, problem.InsufficientStock},
		{market.TradeOnMarket{Side: market.Sell, SKU: catalog.Waste, Quantity: 1}, problem.InsufficientStock},
		{market.TradeOnMarket{Side: market.Sell, SKU: "prd_notebook", Quantity: 1}, problem.InsufficientStock},
		// The limit is said before the stock: waiting for goods would not help.
		{market.TradeOnMarket{Side: market.Sell, SKU: catalog.Coated, Quantity: 12_001, LimitMinor: ask},
			problem.LimitNotMet},
		{market.TradeOnMarket{Side: market.Buy, SKU: catalog.Coated, Quantity: 5_001}, problem.MarketSoldOut},
	} {
		before := l.snapshot()
		if err := l.act(trade(c.in)); codeOf(err) != c.code {
			t.Errorf("%s %d of %s: %v, want %s", c.in.Side, c.in.Quantity, c.in.SKU, err, c.code)
		}
		if after := l.snapshot(); !after.equals(before) || l.company.Changed() {
			t.Errorf("%s %d of %s was refused and changed the company", c.in.Side, c.in.Quantity, c.in.SKU)
		}
	}
	poor := quiet(t, "starter", 1, func(p *preset.Preset) {
		p.CashMinor, p.OverdraftLimitMinor, p.Documents = 100**ask-100, 100, false
	})
	poor.must(buy(catalog.Coated, 100))
	if cash := poor.company.Summary().CashMinor; cash != -100 {
		t.Errorf("the overdraft is there to be used, and the cash is %s", cash)
	}
	if err := poor.act(buy(catalog.Uncoated, 1)); codeOf(err) != problem.InsufficientFunds {
		t.Errorf("buying beyond the overdraft: %v", err)
	}
}

// TestSellingBelowTheReorderPointSetsOffTheChain once, until it is refilled: by
// the bridge to Head Office, by hand no further than the Factory.
func TestSellingBelowTheReorderPointSetsOffTheChain(t *testing.T) {
	t.Parallel()
	for name, carried := range map[string][]string{
		"starter": {"office.requisition.received", "office.requisition.approved"}, "manual": nil,
	} {
		// 8,000 sheets at 0.24 need no person's approval.
		l := still(t, name, 1, func(p *preset.Preset) { p.Supply.RequisitionAutoMinor = 192_000 })
		l.must(sell(catalog.Uncoated, 1_000)) // of 6,000, down to the reorder point
		at := len(l.events)
		l.must(sell(catalog.Uncoated, 100))
		want := append([]string{
			"office.market_trade.executed", "factory.stock.below_reorder_point", "factory.requisition.created",
		}, carried...)
		if got := l.kindsOf(at); !slices.Equal(got, want) {
			t.Errorf("%s: selling below the reorder point wrote %v, want %v", l.label, got, want)
		}
		at = len(l.events)
		l.must(sell(catalog.Uncoated, 100))
		l.must(buy(catalog.Uncoated, 200))
		l.must(sell(catalog.Uncoated, 1))
		if got := l.kindsOf(at); !slices.Equal(got,
			[]string{"office.market_trade.executed", "office.market_trade.executed", "office.market_trade.executed"}) {
			t.Errorf("%s: low already, trades wrote %v", l.label, got)
		}
		// 4,999 with the 200: one too few.
		l.until(1)
		l.must(tick(60))
		if item, wish := l.stock(catalog.Uncoated),
			rowsOf[factory.Requisition](l, "factory_requisition")[0]; item.OnHand != 4_999 ||
			item.Status != factory.StockLow || wish.Status != factory.RequisitionOpen {
			t.Errorf("%s: %d are there, %s, and the wish is %s", l.label, item.OnHand, item.Status, wish.Status)
		}
		l.must(buy(catalog.Uncoated, 1))
		l.until(2)
		l.must(tick(60))
		if item, wish := l.stock(catalog.Uncoated), rowsOf[factory.Requisition](l,
			"factory_requisition")[0]; item.Status != factory.StockOK || wish.Status != factory.RequisitionClosed {
			t.Errorf("%s: one more, and the stock is %s, the wish %s", l.label, item.Status, wish.Status)
		}
		if got, want := len(rowsOf[office.Requisition](l, "office_requisition")), len(carried)/2; got != want {
			t.Errorf("%s: Head Office has %d requisitions, want %d", l.label, got, want)
		}
		checkFeed(t, l)
	}
}

// TestAPurchaseBeforeTheNeedRestocksNothing: the mission requires that the
// client answers to an item that is low.
func TestAPurchaseBeforeTheNeedRestocksNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		steps     []action
		restocked bool
	}{
		{"bought in plenty", []action{buy(catalog.Uncoated, 100)}, false},
		{"bought, then low", []action{buy(catalog.Uncoated, 100), sell(catalog.Uncoated, 1_001)}, false},
		{"low, then bought something else", []action{sell(catalog.Uncoated, 1_001), buy(catalog.Coated, 100)}, false},
		{"low, then bought too little", []action{sell(catalog.Uncoated, 1_100), buy(catalog.Uncoated, 1)}, true},
		{"low, then bought", []action{sell(catalog.Uncoated, 1_001), buy(catalog.Uncoated, 100)}, true},
	} {
		l := still(t, "manual", 1)
		for _, step := range c.steps {
			l.must(step)
		}
		noted := func() bool { return l.company.Summary().Signals&mission.Restocked != 0 }
		if noted() {
			t.Errorf("%s: nothing has come yet, and the mission is done", c.name)
		}
		l.until(1)
		l.must(tick(60))
		if noted() != c.restocked {
			t.Errorf("%s: restocked is %t", c.name, noted())
		}
	}
}

// TestPricesDoNotDependOnWhatTheClientDoes but on what it trades: a company
// that is run and one that is left alone read the same quotes for weeks.
func TestPricesDoNotDependOnWhatTheClientDoes(t *testing.T) {
	t.Parallel()
	quotes := func(l *life) string {
		text := ""
		for _, q := range rowsOf[market.Quote](l, "market_quote") {
			ask := "none"
			if q.AskMinor != nil {
				ask = q.AskMinor.String()
			}
			text += fmt.Sprintln(q.SKU, q.BidMinor, ask, q.BaseMinor, q.Depth, q.ValidOn)
		}
		return text
	}
	for seed := range uint64(3) {
		idle, run := quiet(t, "starter", seed), live(t, presetNamed(t, "starter"), seed, sim.Manual, usual)
		other := quiet(t, "starter", seed+100)
		differs, last := false, ""
		for day := range sim.Day(15) {
			idle.until(day)
			run.until(day)
			other.until(day)
			now := quotes(idle)
			if there := quotes(run); there != now {
				t.Fatalf("%s: day %d: left alone the quotes are\n%srun they are\n%s", idle.label, day, now, there)
			}
			if now == last {
				t.Errorf("%s: on day %d the quotes are those of the day before", idle.label, day)
			}
			differs, last = differs || quotes(other) != now, now
			steward{run}.round()
		}
		if !differs {
			t.Errorf("%s: another seed has the same quotes", idle.label)
		}
	}
}

// TestWhatIsUnderWayOutlivesARestart: a company that was loaded gets what was
// bought before, and its prices still feel it.
func TestWhatIsUnderWayOutlivesARestart(t *testing.T) {
	t.Parallel()
	l := still(t, "starter", 2)
	kept := l.snapshot()
	l.must(buy(catalog.Board, 5_000))
	l.must(sell(catalog.Coated, 3_000))
	twin := l.reborn(kept)
	for _, a := range []action{tick(480), tick(60), buy(catalog.Board, 7), tick(480), tick(60)} {
		l.must(a)
		twin.must(a)
	}
	l.compareCommits("a restart", twin, kept.version)
	if got := rowsOf[factory.MarketDelivery](twin, "market_delivery"); len(got) != 2 || got[0].Quantity != 5_000 ||
		got[1].Quantity != 7 {
		t.Errorf("%s: after the restart came %+v", l.label, got)
	}
}
