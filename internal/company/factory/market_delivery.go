package factory

import (
	"platen/internal/company/record"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// MarketDeliveryStatus is the status of a market delivery: there is only one.
type MarketDeliveryStatus string

// MarketReceived is a market delivery's status from its birth.
const MarketReceived MarketDeliveryStatus = "received"

// MarketDelivery is a delivery of the exchange's carrier, put away: goods
// bought on the market the working day before.
type MarketDelivery struct {
	_ struct{} `doc:"Goods that the company bought on the market, as the Factory put them away."`

	record.Head
	TradeRef   string               `json:"trade_ref" doc:"The trade of Head Office that bought the goods, as printed on the note of the carrier."`
	SKU        string               `json:"sku" doc:"The material that came, such as mat_coated."`
	Quantity   int64                `json:"quantity" doc:"The quantity that came, in the unit of the material."`
	ReceivedOn moment.Date          `json:"received_on" doc:"The in-world date on which it came: the working day after the trade."`
	Status     MarketDeliveryStatus `json:"status" enum:"received" doc:"Always received."`
	record.Stamps
}

// Resource implements record.Row.
func (*MarketDelivery) Resource() string { return "market_delivery" }

// State implements record.Row.
func (d *MarketDelivery) State() string { return string(d.Status) }

func newMarketDeliveries() *record.Table[MarketDelivery, struct{}] {
	return record.NewTable[MarketDelivery, struct{}](record.Definition{Resource: "market_delivery", Prefix: "mdl"}, nil)
}

// MarketArrival is goods that come from the market.
type MarketArrival struct {
	TradeRef, SKU string
	Quantity      int64
	CostMinor     money.Minor
}

// ReceiveFromMarket puts away goods from the market and returns the delivery's
// id, and those of the requisitions of what is still low.
func (f *Factory) ReceiveFromMarket(r *record.Recorder, a MarketArrival) (id string, requisitions []string) {
	d, _ := f.MarketDeliveries.Add(r, MarketDelivery{
		TradeRef: a.TradeRef, SKU: a.SKU, Quantity: a.Quantity, ReceivedOn: r.Date(), Status: MarketReceived,
	}, struct{}{})
	r.Born(d)
	f.refilled(r, a.SKU, a.Quantity, a.Quantity)
	data := &event.MarketDeliveryReceivedData{SKU: a.SKU, Quantity: a.Quantity, TradeRef: a.TradeRef}
	data.Moves(a.SKU, a.Quantity)
	eventID := r.Emit(event.MarketDeliveryReceived, d, data)
	f.move(r, a.SKU, a.Quantity, a.CostMinor, cause{MoveMarketIn, eventID, d.ID})
	return d.ID, f.ask(r, a.SKU)
}

// CanSell refuses to sell goods that are not in the warehouse, or not free.
func (f *Factory) CanSell(sku string, quantity int64) error {
	item := f.item(sku)
	if free := item.OnHand - item.Reserved; free < quantity {
		return problem.New(problem.InsufficientStock, "%d of %s are to be sold, and %d are free.", quantity, sku, free).
			With(ShortageDetails{Shortages: []Shortage{{SKU: sku, Needed: quantity, OnHand: free}}})
	}
	return nil
}

// Sell takes out goods sold on the market, for the event that says so, and
// returns the requisitions that it made necessary.
func (f *Factory) Sell(r *record.Recorder, sku string, quantity int64, eventID, tradeID string) []string {
	f.move(r, sku, -quantity, 0, cause{MoveMarketOut, eventID, tradeID})
	return f.reorder(r, sku)
}
