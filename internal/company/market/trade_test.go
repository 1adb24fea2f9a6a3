package market_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"platen/internal/company/catalog"
	"platen/internal/company/market"
	"platen/internal/company/sim"
	"platen/internal/event"
	"platen/internal/money"
	"platen/internal/problem"
)

// TestATradeCostsItsAverage: the price of the first, and half of what the
// trade itself does to it. A large sale is never given away.
func TestATradeCostsItsAverage(t *testing.T) {
	t.Parallel()
	e := opened(t, 1, 10*sim.Million)
	for _, c := range []struct {
		side     market.Side
		sku      string
		quantity int64
		want     money.Minor
	}{
		// Asked for coated paper are 3.37, bid 2.75.
		{market.Buy, catalog.Coated, 1, 337},
		{market.Buy, catalog.Coated, 10_000, 354}, // 353.85
		{market.Buy, catalog.Coated, 20_000, 371}, // 370.7
		{market.Sell, catalog.Coated, 1, 275},
		{market.Sell, catalog.Coated, 20_000, 247}, // 275 less 27.5, rounded away from nothing
		{market.Sell, "prd_notebook", 1, 2089},     // 2090 less 0.5225
		{market.Sell, "prd_notebook", 200, 1985},   // 1985.5
		{market.Sell, "prd_notebook", 3_600, 209},  // a tenth is what is left at least
		{market.Sell, "prd_notebook", 20_000, 209},
		{market.Sell, catalog.Waste, 1, 9},
		{market.Sell, catalog.Waste, 20_000, 8},
	} {
		deal, err := e.Price(market.Order{Side: c.side, SKU: c.sku, Quantity: c.quantity})
		if err != nil || deal.UnitPriceMinor != c.want || deal.TotalMinor() != c.want.Times(c.quantity) {
			t.Errorf("%s %d of %s: %s each, %s in all, %v, want %s",
				c.side, c.quantity, c.sku, deal.UnitPriceMinor, deal.TotalMinor(), err, c.want)
		}
		// The limit is on that average, and says what would do.
		for limit, met := range map[money.Minor]bool{
			c.want: true, c.want - 1: c.side == market.Sell, c.want + 1: c.side == market.Buy,
		} {
			_, err := e.Price(market.Order{Side: c.side, SKU: c.sku, Quantity: c.quantity, LimitMinor: &limit})
			if met != (err == nil) {
				t.Errorf("%s %d of %s at %s: %v", c.side, c.quantity, c.sku, limit, err)
			}
			if err != nil && refused(t, err, problem.LimitNotMet) != (market.PriceDetails{PriceMinor: c.want}) {
				t.Errorf("%s %d of %s at %s: the details are %v",
					c.side, c.quantity, c.sku, limit, refused(t, err, problem.LimitNotMet))
			}
		}
	}
	if e.Trades.Len() > 0 || len(e.r.Types()) > 0 {
		t.Errorf("asking for prices made %d trades and wrote %v", e.Trades.Len(), e.r.Types())
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
			_, err := e.Price(market.Order{Side: side, SKU: sku, Quantity: 1})
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
			}
			if float64(got) != want {
				t.Errorf("after 500 times %s %d of %s the price is %d, the base %d, want %g",
					side, most, sku, got, q.BaseMinor, want)
			}
		}
		if err := e.Check(); err != nil {
			t.Errorf("%s: %v", side, err)
		}
		for range 60 {
			e.sleep()
			calm.sleep()
		}
		for _, sku := range traded {
			if e.quote(sku).BidMinor != calm.quote(sku).BidMinor {
				t.Errorf("sixty days later %s is at %s, without trades at %s",
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
	deal, err := e.Price(market.Order{
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
		deal, err := e.Price(market.Order{Side: market.Buy, SKU: catalog.Coated, Quantity: 7})
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
