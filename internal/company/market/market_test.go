package market_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"platen/internal/company/catalog"
	"platen/internal/company/market"
	"platen/internal/company/preset"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/money"
	"platen/internal/words/share"
)

// reporter is the common part of testing.T and rapid.T.
type reporter interface {
	Helper()
	Fatalf(format string, values ...any)
}

// exchange is a market and the recorder that it was opened with.
type exchange struct {
	*market.Market

	t     reporter
	label string
	r     *record.Recorder
	day   sim.Day
}

// opened is a market on the company's first morning, with more paper than anybody buys;
// factor scales the prices of paper.
func opened(t reporter, seed uint64, factor share.PPM) *exchange {
	t.Helper()
	return offering(t, seed, factor, new(int64(1<<40)))
}

// offering is a market that sells so many sheets of each paper a day, nil for as many as
// markets do.
func offering(t reporter, seed uint64, factor share.PPM, paper *int64) *exchange {
	t.Helper()
	e := &exchange{
		Market: market.New(preset.Preset{
			Supply: preset.Supply{PriceFactor: factor}, Market: preset.Market{PaperPerDay: paper},
		}, seed), t: t,
		label: fmt.Sprintf("seed %d, factor %d", seed, factor),
		r:     record.NewRecorder(seed, record.NewFeed("", 7, record.Position{}), sim.NewSchedule(nil, 1), 0),
	}
	e.r.SetMoment(0, 0, sim.Clock{Mode: sim.Manual, Speed: sim.DefaultSpeed})
	e.Open(e.r)
	return e
}

// sleep lets a night pass.
func (e *exchange) sleep() {
	e.t.Helper()
	e.r.Flush()
	e.day++
	e.r.SetMoment(e.day.Open(), 0, sim.Clock{Mode: sim.Manual, Speed: sim.DefaultSpeed})
	e.OpenDay(e.r)
	if err := e.Check(); err != nil {
		e.t.Fatalf("%s: day %d: %v", e.label, e.day, err)
	}
}

// trade makes a deal at any price, and returns it.
func (e *exchange) trade(side market.Side, sku string, quantity int64) market.Deal {
	e.t.Helper()
	deal, err := e.Price(&market.TradeOnMarket{Side: side, SKU: sku, Quantity: quantity})
	if err != nil {
		e.t.Fatalf("%s: %s %d of %s: %v", e.label, side, quantity, sku, err)
	}
	e.Execute(e.r, deal, 0)
	return deal
}

func (e *exchange) quote(sku string) market.Quote {
	e.t.Helper()
	q, ok := e.Quotes.Find(sku)
	if !ok {
		e.t.Fatalf("%s: no quote for %s", e.label, sku)
	}
	return *q
}

var paper = []string{catalog.Coated, catalog.Uncoated, catalog.Board}

// TestNobodyGetsRichInADay: trading to and fro within a day, back to the stock
// it began with, earns nothing, however prices are rounded.
func TestNobodyGetsRichInADay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		// The smaller the prices, the more there is to win by rounding.
		factor := rapid.SampledFrom([]share.PPM{1, 20_000, 30_000, 60_000, 100_000, 300_000, 1_000_000, 10_000_000}).
			Draw(t, "factor")
		e := opened(t, rapid.Uint64().Draw(t, "seed"), factor)
		for range rapid.IntRange(0, 5).Draw(t, "days") {
			e.sleep()
		}
		sku := rapid.SampledFrom(paper).Draw(t, "sku")
		quantity := rapid.OneOf(rapid.SampledFrom([]int64{1, 9_999, 19_999, 20_000}), rapid.Int64Range(1, 20_000))
		held, earned := int64(0), money.Minor(0)
		deal := func(side market.Side, quantity int64) {
			d := e.trade(side, sku, quantity)
			if side == market.Buy {
				held, earned = held+quantity, earned-d.TotalMinor()
				return
			}
			held, earned = held-quantity, earned+d.TotalMinor()
		}
		for range rapid.IntRange(1, 30).Draw(t, "trades") {
			deal(rapid.SampledFrom([]market.Side{market.Buy, market.Sell}).Draw(t, "side"),
				quantity.Draw(t, "quantity"))
		}
		piece := quantity.Draw(t, "piece")
		piece = max(piece, (max(held, -held)+99)/100) // a hundred trades at most
		for held != 0 {
			if held > 0 {
				deal(market.Sell, min(held, piece, 20_000))
				continue
			}
			deal(market.Buy, min(-held, piece, 20_000))
		}
		if earned > 0 {
			t.Fatalf("%s, day %d: trading %s to and fro earned %s", e.label, e.day, sku, earned)
		}
	})
}

// TestPricesWanderAroundTheirMean: paper a quarter above its base, waste
// at it, each about a tenth up and down; finished goods stay where they are.
func TestPricesWanderAroundTheirMean(t *testing.T) {
	t.Parallel()
	const seeds, days = 60, 100
	sum, squares := make([]float64, 6), make([]float64, 6)
	for seed := range uint64(seeds) {
		e := opened(t, seed, sim.Million)
		for range days {
			e.sleep()
			for i, p := range e.State.Prices {
				x := float64(p.LogPPM) / sim.Million
				sum[i], squares[i] = sum[i]+x, squares[i]+x*x
			}
		}
	}
	// After a day 82 % of the distance remain.
	deviation := 0.06 / math.Sqrt(1-0.82*0.82)
	above := math.Log(1.25)
	for i, c := range []struct{ mean, deviation float64 }{
		{above, deviation}, {above, deviation}, {above, deviation}, {0, 0}, {0, 0}, {0, deviation},
	} {
		mean := sum[i] / (seeds * days)
		if got := math.Sqrt(max(0, squares[i]/(seeds*days)-mean*mean)); math.Abs(mean-c.mean) > 0.01 ||
			math.Abs(got-c.deviation) > 0.04*c.deviation {
			t.Errorf("price %d has the mean %.4f and the deviation %.4f, want %.2f and %.4f",
				i, mean, got, c.mean, c.deviation)
		}
	}
}

// TestWhatIsTradedDoesNotChangeHowPricesWander: two markets of a seed differ by
// what was traded, and forget that.
func TestWhatIsTradedDoesNotChangeHowPricesWander(t *testing.T) {
	t.Parallel()
	calm, busy, other := opened(t, 3, sim.Million), opened(t, 3, sim.Million), opened(t, 4, sim.Million)
	for day := range 220 {
		if day < 20 {
			busy.trade(market.Buy, paper[day%3], 20_000)
			busy.trade(market.Sell, catalog.Waste, 5_000)
		}
		for i := range calm.State.Prices {
			if calm.State.Prices[i].LogPPM != busy.State.Prices[i].LogPPM {
				t.Fatalf("on day %d price %d stands at %d, with trades at %d",
					day, i, calm.State.Prices[i].LogPPM, busy.State.Prices[i].LogPPM)
			}
		}
		for _, e := range []*exchange{calm, busy, other} {
			e.sleep()
		}
	}
	for q := range calm.Quotes.All {
		if there := busy.quote(q.SKU); there.BidMinor != q.BidMinor {
			t.Errorf("two hundred days after the last trade %s is at %s, without trades at %s",
				q.SKU, there.BidMinor, q.BidMinor)
		}
	}
	if slices.Equal(calm.State.Prices, other.State.Prices) {
		t.Error("two seeds have the same market")
	}
}

// TestATradePushesThePriceForDays: ten per cent for each depth, of which nine
// tenths are left on the next day, and on each one after.
func TestATradePushesThePriceForDays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		side   market.Side
		sku    string
		pieces []int64
		impact float64
	}{
		{market.Sell, "prd_notebook", []int64{200}, -0.1},
		{market.Sell, "prd_notebook", []int64{150, 49, 1}, -0.1},
		{market.Sell, "prd_calendar", []int64{1}, -0.0005},
		{market.Buy, catalog.Coated, []int64{10_000}, 0.1},
		{market.Buy, catalog.Coated, []int64{5_000, 20_000}, 0.25},
		{market.Sell, catalog.Board, []int64{1_000}, -0.01},
		{market.Sell, catalog.Waste, []int64{10_000}, -0.1},
	} {
		e, calm := opened(t, 1, 10*sim.Million), opened(t, 1, 10*sim.Million)
		place := slices.IndexFunc(slices.Collect(skus(e)), func(sku string) bool { return sku == c.sku })
		for _, quantity := range c.pieces {
			e.trade(c.side, c.sku, quantity)
		}
		for day := range 5 {
			q, impact := e.quote(c.sku), c.impact*math.Pow(0.9, float64(day))
			level := math.Exp(float64(calm.State.Prices[place].LogPPM)/sim.Million + impact)
			// A millionth more or less may be lost in integers.
			bid := float64(q.BaseMinor) * bidShare(q) * level
			if got := float64(q.BidMinor); got > bid*1.000_01 || got < bid*0.999_99-1 {
				t.Errorf("%s %v of %s, day %d: the bid is %d, want %.3f rounded down",
					c.side, c.pieces, c.sku, day, q.BidMinor, bid)
			}
			if q.AskMinor != nil {
				ask := float64(q.BaseMinor) * level
				if calm.cleared(c.sku) {
					ask *= 0.62
				}
				if got := float64(*q.AskMinor); got < ask*0.999_99 || got > ask*1.000_01+1 {
					t.Errorf("%s %v of %s, day %d: asked is %d, want %.3f rounded up",
						c.side, c.pieces, c.sku, day, *q.AskMinor, ask)
				}
			}
			e.sleep()
			calm.sleep()
		}
	}
}

// bidShare returns the market's bid as a share of the price around which it trades.
func bidShare(q market.Quote) float64 {
	switch {
	case q.SKU == catalog.Waste:
		return 1
	case q.AskMinor == nil:
		return 0.24
	default:
		return 0.6
	}
}

// cleared reports whether somebody clears a store of a paper today: it costs hardly more
// than the market pays for it.
func (e *exchange) cleared(sku string) bool {
	q := e.quote(sku)
	return float64(*q.AskMinor) < 1.2*float64(q.BidMinor)
}

// skus yields the SKUs of the market, in its order.
func skus(e *exchange) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		var all []string
		for q := range e.Quotes.All {
			all = append(all, q.SKU)
		}
		slices.Reverse(all) // born last to first
		for _, sku := range all {
			if !yield(sku) {
				return
			}
		}
	}
}
