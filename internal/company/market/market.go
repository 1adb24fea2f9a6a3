// Package market is the exchange on which paper is bought when suppliers are
// too slow or too dear, and on which waste paper and finished stock are sold.
// Its prices wander by themselves and give way to the company's trades.
package market

import (
	"fmt"
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/preset"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

// Market holds the department's tables and its other state.
type Market struct {
	Quotes *record.Table[Quote, struct{}]
	Trades *record.Table[Trade, TradePrivate]

	// State is stored with every commit.
	State State

	preset preset.Preset
	// walks draw how far a price wanders in a day, clearances whether paper is cleared on
	// it, by the place of the goods.
	walks, clearances []sim.Stream
}

// State is the market's state outside its tables.
type State struct {
	// Prices are those of the goods, in their order.
	Prices []Price `json:"prices"`
	// InTransitMinor is the cost of goods that were bought and have not come
	// yet.
	InTransitMinor money.Minor `json:"in_transit_minor"`
	// PaperShortage is set while paper is short everywhere: the price to which
	// paper returns is a higher one then, and none is for sale.
	PaperShortage bool `json:"paper_shortage,omitzero"`
}

// Price is the state of the price of one kind of goods: the logarithm of its ratio to
// the base price, in parts per million, and how far the company's own trades have
// pushed it.
type Price struct {
	LogPPM    int64 `json:"log_ppm"`
	ImpactPPM int64 `json:"impact_ppm"`
	// Bought is how much the company has bought today.
	Bought int64 `json:"bought,omitzero"`
}

// How prices move. A price returns to its mean by a part of the distance each
// day and wanders around it; the impact of a trade wears off.
const (
	// meanPPM is the logarithm of 1.25: on the market, paper costs a quarter more than at
	// the mill.
	meanPPM      = 223_144
	shortagePPM  = 300_000 // on top of the mean
	returnPPM    = 180_000
	wanderingPPM = 60_000
	// impactLasts is the part of an impact that is left after a day.
	impactLasts = 900_000
	// impactPPM is the price change by trading the depth of the market.
	impactPPM = 100_000
	// bidPPM is the market's bid for paper, as a share of its ask, and
	// finishedPPM its bid for finished goods, as a share of their list price: little more
	// than their paper and ink, so that nobody prints for the market.
	bidPPM      = 600_000
	finishedPPM = 240_000
	// On one day in clearanceEvery a dealer clears a store of a paper, and asks clearedPPM
	// of the price for it: less than any supplier.
	clearanceEvery = 7
	clearedPPM     = 620_000
	// maxLog keeps a price within a factor of about twenty.
	maxLog = 3_000_000

	wasteBaseMinor money.Minor = 9

	paperDepth    = 10_000
	wasteDepth    = 10_000
	finishedDepth = 200
)

// goods is something the market trades.
type goods struct {
	sku, name, unit string
	base            money.Minor
	depth           int64
	// buyable goods have an asking price; all have a bid.
	buyable bool
	bidPPM  int64
	// wanders is set for prices that move by themselves.
	wanders bool
	meanPPM int64
	// stockUnits is how many units of stock are one of the market's.
	stockUnits int64
	// perDay is how much of buyable goods is for sale on a day.
	perDay int64
}

const gramsPerKilogram = 1000

// listed are the goods in the order of teaching.
func (m *Market) listed() []goods {
	factor := int64(m.preset.Supply.PriceFactor)
	var all []goods
	for _, item := range catalog.Items() {
		g := goods{sku: item.SKU, name: item.Name, unit: item.Unit, stockUnits: 1}
		switch {
		case item.SKU == catalog.Coated || item.SKU == catalog.Uncoated || item.SKU == catalog.Board:
			g.base, g.depth, g.buyable, g.bidPPM, g.wanders, g.meanPPM = item.BaseCostMinor.Scaled(factor), paperDepth,
				true, bidPPM, true, meanPPM
			g.perDay = m.preset.Market.PaperOffered()
		case item.SKU == catalog.Waste:
			g.base, g.depth, g.bidPPM, g.wanders, g.unit, g.stockUnits = wasteBaseMinor, wasteDepth, sim.Million, true,
				"kg", gramsPerKilogram
		case item.Class == catalog.Finished:
			product, _ := catalog.ProductBySKU(item.SKU)
			g.base, g.depth, g.bidPPM = product.ListPriceMinor, finishedDepth, finishedPPM
		default:
			continue // ink and plates are bought from suppliers alone
		}
		all = append(all, g)
	}
	return all
}

// New returns an empty market.
func New(p preset.Preset, seed uint64) *Market {
	m := &Market{
		Quotes: newQuotes(),
		Trades: newTrades(),
		preset: p,
	}
	for _, g := range m.listed() {
		m.walks = append(m.walks, sim.NewStream(seed, "mkt."+g.sku))
		m.clearances = append(m.clearances, sim.NewStream(seed, "clear."+g.sku))
	}
	return m
}

// Tables lists the tables in the order in which they are stored.
func (m *Market) Tables() []*record.Rows { return []*record.Rows{m.Quotes.Rows, m.Trades.Rows} }

// Open writes the quotes of the first day, last to first, since lists are
// newest first and these are to be read in the order of teaching.
func (m *Market) Open(r *record.Recorder) {
	all := m.listed()
	m.State = State{Prices: make([]Price, len(all))}
	for i := range all {
		m.State.Prices[i].LogPPM = all[i].meanPPM
	}
	for i := range slices.Backward(all) {
		m.Quotes.Add(r, m.quote(r, i, all[i]), struct{}{})
	}
}

// OpenDay lets prices wander and writes the quotes of the day.
func (m *Market) OpenDay(r *record.Recorder) {
	if len(m.State.Prices) == 0 {
		m.Open(r) // a sandbox that is older than its market
		return
	}
	day := int64(r.Today())
	for i, g := range m.listed() {
		p := &m.State.Prices[i]
		p.ImpactPPM, p.Bought = scaled(p.ImpactPPM, impactLasts), 0
		if g.wanders {
			p.LogPPM += scaled(m.mean(g)-p.LogPPM, returnPPM) + scaled(m.walks[i].Normal(day), wanderingPPM)
			p.LogPPM = min(max(p.LogPPM, -maxLog), maxLog)
		}
		m.write(r, i, g)
	}
}

// SetPaperShortage notes whether paper is short, and takes it off the quotes or puts it
// back.
func (m *Market) SetPaperShortage(r *record.Recorder, short bool) {
	m.State.PaperShortage = short
	for i, g := range m.listed() {
		if g.buyable {
			m.write(r, i, g)
		}
	}
}

// available is how much of a kind of goods can still be bought today.
func (m *Market) available(i int, g goods) int64 {
	if !g.buyable || m.State.PaperShortage {
		return 0
	}
	return max(0, g.perDay-m.State.Prices[i].Bought)
}

// mean is where the price of goods returns to at present.
func (m *Market) mean(g goods) int64 {
	if m.State.PaperShortage && g.buyable {
		return g.meanPPM + shortagePPM
	}
	return g.meanPPM
}

// scaled multiplies by parts per million, rounded towards zero.
func scaled(v, ppm int64) int64 { return v * ppm / sim.Million }

// scaledUp multiplies a non-negative number by parts per million, rounded up.
func scaledUp(v, ppm int64) int64 { return (v*ppm + sim.Million - 1) / sim.Million }

// Check reports a state that cannot be.
func (m *Market) Check() error {
	inTransit := money.Minor(0)
	for trade, private := range m.Trades.All {
		if trade.TotalMinor != trade.UnitPriceMinor.Times(trade.Quantity) || trade.Quantity <= 0 {
			return fmt.Errorf("market trade %s does not add up: %+v", trade.ID, *trade)
		}
		if private.UnderWay {
			inTransit += trade.TotalMinor
		}
		if private.UnderWay != (trade.Side == Buy && trade.MarketDeliveryID == nil) {
			return fmt.Errorf("market trade %s is under way: %t, with the delivery %v",
				trade.ID, private.UnderWay, trade.MarketDeliveryID)
		}
	}
	if inTransit != m.State.InTransitMinor {
		return fmt.Errorf("%d are in transit, the trades add up to %d", m.State.InTransitMinor, inTransit)
	}
	return nil
}
