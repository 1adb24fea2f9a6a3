package market

import (
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// Quote is the market's bid and ask for goods today. It has no status and no
// events; its id is the SKU.
type Quote struct {
	_ struct{} `doc:"Today's prices on the market for one SKU."`

	record.Head
	SKU      string       `json:"sku" doc:"The goods, such as mat_coated; also the id of the quote."`
	Name     string       `json:"name" doc:"The name of the goods, for people."`
	Unit     string       `json:"unit" doc:"The unit of the quantity on the market."`
	BidMinor money.Minor  `json:"bid_minor" doc:"The price that the market pays for the first one, in minor units. Each one sold lowers it."`
	AskMinor *money.Minor `json:"ask_minor" doc:"The price that the market asks for the first one, in minor units; each one bought raises it. Null for goods that can only be sold, and for all paper while paper is short."`
	// AvailableQuantity counts down with the trades of the day.
	AvailableQuantity int64       `json:"available_quantity" doc:"How many can still be bought today; 0 for goods that can only be sold, and for all paper while paper is short."`
	BaseMinor         money.Minor `json:"base_minor" doc:"The price around which it moves, in minor units; of paper the mill's, and the ask moves around 1.25 times that."`
	Depth             int64       `json:"depth" doc:"The quantity whose trade moves the price by ten per cent."`
	ValidOn           moment.Date `json:"valid_on" doc:"The working day that the prices are for."`
	record.Stamps
}

// Resource implements record.Row.
func (*Quote) Resource() string { return "market_quote" }

// State implements record.Row.
func (*Quote) State() string { return "" }

func newQuotes() *record.Table[Quote, struct{}] {
	return record.NewTable(record.Definition{Resource: "market_quote"}, []record.Filter[Quote, struct{}]{
		{Name: "sku", Of: func(q *Quote) string { return q.SKU }},
	})
}

// quote is the quote for goods, by their place. Prices are rounded in the
// market's favour: with small ones the spread would otherwise be lost in
// rounding, and trading to and fro would pay.
func (m *Market) quote(r *record.Recorder, i int, g goods) Quote {
	p := m.State.Prices[i]
	level := sim.Exp(min(max(p.LogPPM+p.ImpactPPM, -maxLog), maxLog))
	q := Quote{
		Head: record.Head{ID: g.sku}, SKU: g.sku, Name: g.name, Unit: g.unit, BaseMinor: g.base, Depth: g.depth,
		ValidOn:  r.Date(),
		BidMinor: max(1, money.Minor(scaled(int64(g.base), scaled(level, g.bidPPM)))),
	}
	q.AvailableQuantity = m.available(i, g)
	if g.buyable && !m.State.PaperShortage {
		if m.clearances[i].Below(clearanceEvery, int64(r.Today())) == 0 {
			level = scaled(level, clearedPPM)
		}
		q.AskMinor = new(max(1, money.Minor(scaledUp(int64(g.base), level))))
	}
	return q
}

// write brings a row up to the state of its price.
func (m *Market) write(r *record.Recorder, i int, g goods) {
	row, _ := m.Quotes.Edit(r, g.sku)
	next := m.quote(r, i, g)
	next.Stamps = row.Stamps
	*row = next
}
