package market

import (
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// Side is whether the company buys or sells.
type Side string

// Sides.
const (
	Buy  Side = "buy"
	Sell Side = "sell"
)

// TradeStatus is the status of a trade: there is only one.
type TradeStatus string

// TradeExecuted is a trade's status from its birth.
const TradeExecuted TradeStatus = "executed"

// Trade is one deal on the market. Its cash moves at once; bought goods come on
// the next working day, sold goods leave the warehouse at once.
type Trade struct {
	_ struct{} `doc:"One purchase or sale of the company on the market."`

	record.Head
	Side             Side         `json:"side" enum:"buy,sell" doc:"buy: the company bought; sell: it sold."`
	SKU              string       `json:"sku" doc:"The goods, such as mat_coated."`
	Quantity         int64        `json:"quantity" doc:"The quantity traded, in the unit of the quote."`
	UnitPriceMinor   money.Minor  `json:"unit_price_minor" doc:"The price of one, in minor units: the average over the trade, since each one moves the price."`
	TotalMinor       money.Minor  `json:"total_minor" doc:"quantity times unit_price_minor, in minor units."`
	Currency         string       `json:"currency" doc:"Always XTS. Amounts count its hundredths."`
	LimitMinor       *money.Minor `json:"limit_price_minor" doc:"The limit that came with the order, in minor units; null without one."`
	TradedOn         moment.Date  `json:"traded_on" doc:"The in-world date of the trade."`
	Status           TradeStatus  `json:"status" enum:"executed" doc:"Always executed."`
	MarketDeliveryID *string      `json:"market_delivery_id" doc:"The market delivery at the Factory that brought the bought goods; null before, and for a sale."`
	record.Stamps
}

// TradePrivate holds the state of a trade that is never served.
type TradePrivate struct {
	// UnderWay is set while bought goods have not come yet.
	UnderWay bool `json:"under_way,omitzero"`
}

// Resource implements record.Row.
func (*Trade) Resource() string { return "market_trade" }

// State implements record.Row.
func (t *Trade) State() string { return string(t.Status) }

func newTrades() *record.Table[Trade, TradePrivate] {
	return record.NewTable(record.Definition{Resource: "market_trade", Prefix: "mtr"},
		[]record.Filter[Trade, TradePrivate]{
			{Name: "sku", Of: func(t *Trade) string { return t.SKU }},
		})
}

// TradeOnMarket is the body of POST /office/market.
type TradeOnMarket struct {
	_ struct{} `doc:"The body that buys or sells goods of the company on the market."`

	Side       Side         `json:"side" required:"true" enum:"buy,sell" doc:"buy takes goods from the market at the ask, sell gives it goods at the bid." agent:"-"`
	SKU        string       `json:"sku" required:"true" minLength:"1" maxLength:"40" example:"mat_coated" doc:"The goods to trade, such as mat_coated: the sku of a quote." agent:"-"`
	Quantity   int64        `json:"quantity" required:"true" minimum:"1" maximum:"20000" doc:"In the unit of the quote: sheets of paper, kilograms of waste."`
	LimitMinor *money.Minor `json:"limit_price_minor,omitzero" nullable:"true" minimum:"1" doc:"The most that one may cost, or the least that one must bring."`
}

// Unasked reports whether the trade is the client's own idea: it always is.
func (*TradeOnMarket) Unasked() bool { return true }

// Deal is an order with its price.
type Deal struct {
	TradeOnMarket

	UnitPriceMinor money.Minor
	// StockQuantity is the order's quantity in units of stock.
	StockQuantity int64
	place         int
	goods         goods
}

// TotalMinor is the price of the whole deal.
func (d *Deal) TotalMinor() money.Minor { return d.UnitPriceMinor.Times(d.Quantity) }

// PriceDetails are the details of limit_not_met.
type PriceDetails struct {
	PriceMinor money.Minor `json:"price_minor"`
}

// TradedDetails are the details of not_traded.
type TradedDetails struct {
	Traded []string `json:"traded"`
}

// AvailableDetails are the details of market_sold_out.
type AvailableDetails struct {
	AvailableQuantity int64 `json:"available_quantity"`
}

// Price puts a price on an order. It refuses goods that the market does not
// trade, more than it has left today, and a price beyond the limit.
func (m *Market) Price(in *TradeOnMarket) (Deal, error) {
	traded := []string{}
	for i, g := range m.listed() {
		if in.Side == Buy && !g.buyable || len(m.State.Prices) == 0 {
			continue
		}
		if g.sku == in.SKU {
			return m.price(Deal{TradeOnMarket: *in, StockQuantity: in.Quantity * g.stockUnits, place: i, goods: g})
		}
		traded = append(traded, g.sku)
	}
	return Deal{}, problem.New(problem.NotTraded, "The market has no %s for sale or does not take it.", in.SKU).
		With(TradedDetails{Traded: traded})
}

// price averages over the way on which the order itself pushes the price.
func (m *Market) price(d Deal) (Deal, error) {
	q, _ := m.Quotes.Find(d.SKU)
	pushed := impactPPM * d.Quantity / d.goods.depth
	if d.Side == Buy {
		if left := m.available(d.place, d.goods); d.Quantity > left {
			return Deal{}, m.soldOut(d, left)
		}
		d.UnitPriceMinor = max(1, *q.AskMinor+q.AskMinor.Scaled(pushed/2))
	} else {
		p := m.State.Prices[d.place]
		mean := onTheWayDown(pushed, max(0, min(p.LogPPM+p.ImpactPPM, maxLog)+maxLog))
		d.UnitPriceMinor = max(1, money.Minor(scaledUp(int64(q.BidMinor), mean)))
	}
	if d.LimitMinor != nil &&
		(d.Side == Buy && d.UnitPriceMinor > *d.LimitMinor || d.Side == Sell && d.UnitPriceMinor < *d.LimitMinor) {
		return Deal{}, problem.New(problem.LimitNotMet, "The price for %d is %s each, beyond your limit of %s.",
			d.Quantity, d.UnitPriceMinor, *d.LimitMinor).
			With(PriceDetails{PriceMinor: d.UnitPriceMinor})
	}
	return d, nil
}

func (m *Market) soldOut(d Deal, left int64) error {
	p := problem.New(problem.MarketSoldOut, "The market has %d of %s left today, not %d.", left, d.SKU, d.Quantity)
	if m.State.PaperShortage {
		p = problem.New(problem.MarketSoldOut, "Paper is short, and the market has none for sale.")
	}
	return p.With(AvailableDetails{AvailableQuantity: left})
}

// onTheWayDown is the mean price of a sale that pushes the logarithm of the price down by
// so much, as a share of the price before it. It is the mean over the way, which ends at
// the lowest price, so a sale in many parts brings no more than the same in one.
func onTheWayDown(pushed, room int64) int64 {
	const short = 100_000
	if pushed > room {
		return (onTheWayDown(room, room)*room + sim.Exp(-room)*(pushed-room)) / pushed
	}
	if pushed < short { // the first terms of the series, where the exact form loses digits
		return sim.Million - pushed/2 + pushed*pushed/6/sim.Million
	}
	return (sim.Million - sim.Exp(-pushed)) * sim.Million / pushed
}

// ProceedsMinor is the price of so many units of stock in one sale now, together with the goods of the same kind that
// were bought and have not come yet; 0 where the market does not take them.
func (m *Market) ProceedsMinor(sku string, stock int64) money.Minor {
	for i, g := range m.listed() {
		if g.sku != sku || len(m.State.Prices) == 0 {
			continue
		}
		sale := TradeOnMarket{Side: Sell, SKU: sku, Quantity: stock / g.stockUnits}
		for trade, private := range m.Trades.All {
			if trade.SKU == sku && private.UnderWay {
				sale.Quantity += trade.Quantity
			}
		}
		if deal, err := m.price(Deal{TradeOnMarket: sale, place: i, goods: g}); err == nil {
			return deal.TotalMinor()
		}
	}
	return 0
}

// Execute makes a deal. cash is the balance afterwards. It returns the ids of
// the trade and of its event.
func (m *Market) Execute(r *record.Recorder, d Deal, cash money.Minor) (id, eventID string) {
	t, _ := m.Trades.Add(r, Trade{
		Side: d.Side, SKU: d.SKU, Quantity: d.Quantity, UnitPriceMinor: d.UnitPriceMinor, TotalMinor: d.TotalMinor(),
		Currency: money.Currency, LimitMinor: d.LimitMinor, TradedOn: r.Date(), Status: TradeExecuted,
	}, TradePrivate{UnderWay: d.Side == Buy})
	data := &event.MarketTradeExecutedData{
		Side: string(d.Side), SKU: d.SKU, Quantity: d.Quantity, UnitPriceMinor: d.UnitPriceMinor,
		TotalMinor: t.TotalMinor, CashMinor: cash,
	}
	pushed := impactPPM * d.Quantity / d.goods.depth
	if d.Side == Buy {
		m.State.InTransitMinor += t.TotalMinor
		m.State.Prices[d.place].Bought += d.Quantity
	} else {
		data.Moves(d.SKU, -d.StockQuantity)
		pushed = -pushed
	}
	m.State.Prices[d.place].ImpactPPM += pushed
	m.write(r, d.place, d.goods)
	r.Born(t)
	return t.ID, r.Emit(event.MarketTradeExecuted, t, data)
}

// Delivered notes the delivery of bought goods.
func (m *Market) Delivered(r *record.Recorder, tradeID, deliveryID string) {
	t, private := m.Trades.Edit(r, tradeID)
	t.MarketDeliveryID, private.UnderWay = &deliveryID, false
	m.State.InTransitMinor -= t.TotalMinor
}
