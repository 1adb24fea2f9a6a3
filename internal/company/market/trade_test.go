package market_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"platen/internal/company/catalog"
	"platen/internal/company/market"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// TestATradeCostsItsAverage: the price of the first, and half of what the
// trade itself does to it, of a sale the mean over the way down to the floor.
func TestATradeCostsItsAverage(t *testing.T) {
	t.Parallel()
	e := opened(t, 1, 10*sim.Million)
	for _, c := range []struct {
		side     market.Side
		sku      string
		quantity int64
		want     money.Minor
	}{
		// Asked for coated paper are 4.01, bid 2.40, for notebooks 9.12.
		{market.Buy, catalog.Coated, 1, 401},
		{market.Buy, catalog.Coated, 10_000, 421}, // 421.05
		{market.Buy, catalog.Coated, 20_000, 441}, // 441.1
		{market.Sell, catalog.Coated, 1, 240},
		{market.Sell, catalog.Coated, 20_000, 218}, // 217.52: a fifth down, 0.906 of it
		{market.Sell, "prd_notebook", 1, 912},      // 911.77, rounded up like all sales
		{market.Sell, "prd_notebook", 200, 868},    // 867.87: a tenth down
		{market.Sell, "prd_notebook", 2_000, 577},  // 576.49: to 0.368 of it
		{market.Sell, "prd_notebook", 20_000, 119}, // 118.42: three tenths of the way to the floor of 0.0498
		{market.Sell, catalog.Waste, 1, 9},
		{market.Sell, catalog.Waste, 20_000, 9}, // 8.15
	} {
		deal, err := e.Price(&market.TradeOnMarket{Side: c.side, SKU: c.sku, Quantity: c.quantity})
		if err != nil || deal.UnitPriceMinor != c.want || deal.TotalMinor() != c.want.Times(c.quantity) {
			t.Errorf("%s %d of %s: %s each, %s in all, %v, want %s",
				c.side, c.quantity, c.sku, deal.UnitPriceMinor, deal.TotalMinor(), err, c.want)
		}
		// The limit is on that average, and says what would do.
		for limit, met := range map[money.Minor]bool{
			c.want: true, c.want - 1: c.side == market.Sell, c.want + 1: c.side == market.Buy,
		} {
			_, err := e.Price(&market.TradeOnMarket{Side: c.side, SKU: c.sku, Quantity: c.quantity, LimitMinor: &limit})
			if met != (err == nil) {
				t.Errorf("%s %d of %s at %s: %v", c.side, c.quantity, c.sku, limit, err)
			}
			if err != nil && refused(t, err, problem.LimitNotMet) != (market.PriceDetails{PriceMinor: c.want}) {
				t.Errorf("%s %d of %s at %s: the details are %v",
					c.side, c.quantity, c.sku, limit, refused(t, err, problem.LimitNotMet))
			}
		}
	}
	if e.Trades.Rows.Len() > 0 || len(e.r.Types()) > 0 {
		t.Errorf("asking for prices made %d trades and wrote %v", e.Trades.Rows.Len(), e.r.Types())
	}
}

// refused returns the details of a refusal.
func refused(t *testing.T, err error, code problem.Code) any {
	t.Helper()
	var p *problem.Problem
	if !errors.As(err, &p) || p.Code != code {
		t.Fatalf("refused with %v, want %s", err, code)
	}
	return p.Details
}

// TestOnlyWhatIsListedIsTraded: paper is bought and sold, waste and finished
// goods are sold, and nothing else has a price.
func TestOnlyWhatIsListedIsTraded(t *testing.T) {
	t.Parallel()
	e := opened(t, 1, sim.Million)
	sold := append(slices.Clone(paper), "prd_notebook", "prd_calendar", catalog.Waste)
	if got := slices.Collect(skus(e)); !slices.Equal(got, sold) {
		t.Errorf("quoted are %v, want %v", got, sold)
	}
	for side, traded := range map[market.Side][]string{market.Buy: paper, market.Sell: sold} {
		for _, sku := range append([]string{catalog.Ink, catalog.Plate, "prd_card", "", "mat_"}, sold...) {
			_, err := e.Price(&market.TradeOnMarket{Side: side, SKU: sku, Quantity: 1})
			if slices.Contains(traded, sku) {
				if err != nil {
					t.Errorf("%s %s: %v", side, sku, err)
				}
				continue
			}
			if got, ok := refused(t, err, problem.NotTraded).(market.TradedDetails); !ok ||
				!slices.Equal(got.Traded, traded) {
				t.Errorf("%s %s: traded are %v, want %v", side, sku, got, traded)
			}
		}
	}
}

// TestPricesStayWithinTheirBounds however often one trades, and come back.
func TestPricesStayWithinTheirBounds(t *testing.T) {
	t.Parallel()
	const most = 20_000
	for _, side := range []market.Side{market.Buy, market.Sell} {
		e, calm := opened(t, 1, 10*sim.Million), opened(t, 1, 10*sim.Million)
		traded := paper
		if side == market.Sell {
			traded = slices.Collect(skus(e))
		}
		for range 500 {
			for _, sku := range traded {
				if deal := e.trade(side, sku, most); deal.UnitPriceMinor < 1 || deal.TotalMinor() < most {
					t.Fatalf("%s %s: %s each, %s in all", side, sku, deal.UnitPriceMinor, deal.TotalMinor())
				}
			}
		}
		for _, sku := range traded {
			// About twenty times the base, and a twentieth of it.
			q := e.quote(sku)
			got, want := q.BidMinor, max(1, math.Floor(float64(q.BaseMinor)*math.Exp(-3)*bidShare(q)))
			if side == market.Buy {
				got, want = *q.AskMinor, math.Ceil(float64(q.BaseMinor)*math.Exp(3))
				if calm.cleared(sku) {
					want = math.Ceil(float64(q.BaseMinor) * math.Exp(3) * 0.62)
				}
			}
			if float64(got) != want {
				t.Errorf("after 500 times %s %d of %s the price is %d, the base %d, want %g",
					side, most, sku, got, q.BaseMinor, want)
			}
		}
		if err := e.Check(); err != nil {
			t.Errorf("%s: %v", side, err)
		}
		for range 200 {
			e.sleep()
			calm.sleep()
		}
		for _, sku := range traded {
			if e.quote(sku).BidMinor != calm.quote(sku).BidMinor {
				t.Errorf("two hundred days later %s is at %s, without trades at %s",
					sku, e.quote(sku).BidMinor, calm.quote(sku).BidMinor)
			}
		}
	}
}

// TestATradeIsOneEvent with its row, and what was bought is under way until it
// has come.
func TestATradeIsOneEvent(t *testing.T) {
	t.Parallel()
	e := opened(t, 1, sim.Million)
	deal, err := e.Price(&market.TradeOnMarket{
		Side: market.Buy, SKU: catalog.Board, Quantity: 100, LimitMinor: new(money.Minor(99)),
	})
	if err != nil {
		t.Fatal(err)
	}
	id, eventID := e.Execute(e.r, deal, 1_234)
	written := e.r.Flush()
	if len(written) != 1 || written[0].ID != eventID || written[0].Type != string(event.MarketTradeExecuted) {
		t.Fatalf("a trade wrote %v, its event is %s", written, eventID)
	}
	row, _ := e.Trades.Find(id)
	if row.TotalMinor != row.UnitPriceMinor.Times(100) || *row.LimitMinor != 99 || row.MarketDeliveryID != nil ||
		e.State.InTransitMinor != row.TotalMinor {
		t.Errorf("under way are %s of %+v", e.State.InTransitMinor, row)
	}
	sale := e.trade(market.Sell, catalog.Board, 50)
	if e.State.InTransitMinor != row.TotalMinor || sale.StockQuantity != 50 ||
		e.trade(market.Sell, catalog.Waste, 3).StockQuantity != 3_000 {
		t.Errorf("after sales %s are under way", e.State.InTransitMinor)
	}
	e.Delivered(e.r, id, "mdl_1")
	if row, _ = e.Trades.Find(id); *row.MarketDeliveryID != "mdl_1" || e.State.InTransitMinor != 0 {
		t.Errorf("delivered, %s are under way, the trade is %+v", e.State.InTransitMinor, row)
	}
	if err := e.Check(); err != nil {
		t.Error(err)
	}
}

// TestCheckFindsWhatCannotBe.
func TestCheckFindsWhatCannotBe(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*exchange, *market.Trade, *market.TradePrivate){
		"nothing": nil,
		"a total that is another": func(_ *exchange, row *market.Trade, _ *market.TradePrivate) {
			row.TotalMinor++
		},
		"nothing was traded": func(_ *exchange, row *market.Trade, _ *market.TradePrivate) {
			row.Quantity, row.TotalMinor = 0, 0
		},
		"less is in transit": func(e *exchange, _ *market.Trade, _ *market.TradePrivate) {
			e.State.InTransitMinor--
		},
		"it came and is under way": func(_ *exchange, row *market.Trade, _ *market.TradePrivate) {
			row.MarketDeliveryID = new("mdl_1")
		},
		"it never came and is not due": func(_ *exchange, _ *market.Trade, private *market.TradePrivate) {
			private.UnderWay = false
		},
		"a sale is under way": func(_ *exchange, row *market.Trade, _ *market.TradePrivate) {
			row.Side = market.Sell
		},
	} {
		e := opened(t, 1, sim.Million)
		deal, err := e.Price(&market.TradeOnMarket{Side: market.Buy, SKU: catalog.Coated, Quantity: 7})
		if err != nil {
			t.Fatal(err)
		}
		id, _ := e.Execute(e.r, deal, 0)
		if spoil != nil {
			row, private := e.Trades.Edit(e.r, id)
			spoil(e, row, private)
		}
		if err := e.Check(); (err != nil) != (spoil != nil) {
			t.Errorf("%s: Check says %v", name, err)
		}
	}
}

// TestASaleInPartsBringsNoMoreThanOne: however it is cut, up to the rounding of prices to
// whole minor units, and down to the lowest price.
func TestASaleInPartsBringsNoMoreThanOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		whole, cut := opened(t, seed, 10*sim.Million), opened(t, seed, 10*sim.Million)
		for range rapid.IntRange(0, 3).Draw(t, "days") {
			whole.sleep()
			cut.sleep()
		}
		sku := rapid.SampledFrom(slices.Collect(skus(whole))).Draw(t, "sku")
		quantity := rapid.Int64Range(2, 20_000).Draw(t, "quantity")
		parts := rapid.Int64Range(2, min(quantity, 400)).Draw(t, "parts")
		sold := whole.trade(market.Sell, sku, quantity)
		one, many := sold.TotalMinor(), money.Minor(0)
		for part := range parts {
			sold = cut.trade(market.Sell, sku, quantity*(part+1)/parts-quantity*part/parts)
			many += sold.TotalMinor()
		}
		// A price is less than one unit away from the exact one.
		if many > one+money.Minor(quantity) {
			t.Fatalf("%s, day %d: %d of %s bring %s, in %d parts %s",
				whole.label, whole.day, quantity, sku, one, parts, many)
		}
	})
}

// TestPaperIsSoldOutByTheDayAndInAShortage: what was bought is gone until the next day, of
// each paper by itself, and a shortage leaves none and no price to ask.
func TestPaperIsSoldOutByTheDayAndInAShortage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		offered *int64
		perDay  int64
	}{{nil, 5_000}, {new(int64(1_500)), 1_500}} {
		e := offering(t, 1, sim.Million, c.offered)
		buys := func(sku string, quantity int64) error {
			_, err := e.Price(&market.TradeOnMarket{Side: market.Buy, SKU: sku, Quantity: quantity})
			return err
		}
		left := func(want int64) {
			t.Helper()
			if got := e.quote(catalog.Coated).AvailableQuantity; got != want {
				t.Errorf("of %d a day %d can be bought on day %d, want %d", c.perDay, got, e.day, want)
			}
			details := refused(t, buys(catalog.Coated, want+1), problem.MarketSoldOut)
			if details != (market.AvailableDetails{AvailableQuantity: want}) {
				t.Errorf("buying one more than %d is refused with %v", want, details)
			}
		}
		left(c.perDay)
		e.trade(market.Buy, catalog.Coated, c.perDay-1)
		e.trade(market.Sell, catalog.Coated, 500) // which the market does not sell again
		left(1)
		e.trade(market.Buy, catalog.Coated, 1)
		left(0)
		e.trade(market.Buy, catalog.Board, c.perDay)
		e.sleep()
		left(c.perDay)

		e.SetPaperShortage(e.r, true)
		for _, sku := range paper {
			if q := e.quote(sku); q.AskMinor != nil || q.AvailableQuantity != 0 || q.BidMinor < 1 {
				t.Errorf("in a shortage the quote is %+v", q)
			}
		}
		left(0)
		e.trade(market.Sell, catalog.Coated, 500)
		e.SetPaperShortage(e.r, false)
		left(c.perDay)
	}
}

// TestPaperIsClearedOnOneDayInSeven: each paper on days of its own, for hardly more than
// the market pays, and the rest of the time for more than the mill asks.
func TestPaperIsClearedOnOneDayInSeven(t *testing.T) {
	t.Parallel()
	const seeds, days = 30, 100
	cleared, together := 0, 0
	for seed := range uint64(seeds) {
		e := opened(t, seed, 10*sim.Million)
		for range days {
			e.sleep()
			on := 0
			for _, sku := range paper {
				q := e.quote(sku)
				share := 0.6 * float64(*q.AskMinor) / float64(q.BidMinor)
				switch {
				case math.Abs(share-0.62) < 0.01:
					on++
				case math.Abs(share-1) > 0.02:
					t.Fatalf("%s, day %d: the quote is %+v", e.label, e.day, q)
				}
			}
			if cleared += on; on == len(paper) {
				together++
			}
		}
	}
	// By chance 1,286 of 9,000, and one day in 343 all three.
	if cleared < 1_150 || cleared > 1_420 || together > 30 {
		t.Errorf("paper was cleared on %d of %d days, all of it on %d", cleared, 3*seeds*days, together)
	}
}
