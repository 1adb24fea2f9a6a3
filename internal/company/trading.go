package company

import (
	"platen/internal/company/factory"
	"platen/internal/company/market"
	"platen/internal/company/mission"
	"platen/internal/company/office"
	"platen/internal/company/sim"
)

// timerMarketDelivery brings goods bought on the market; its Ref is the trade's
// id.
const timerMarketDelivery = "market.delivery"

// Trade buys or sells on the market, and returns the trade's id. Goods to sell
// have to be in the warehouse and free.
func (c *Company) Trade(in *market.TradeOnMarket) (string, error) {
	deal, err := c.market.Price(in)
	if err != nil {
		return "", err
	}
	total := deal.TotalMinor()
	if deal.Side == market.Sell {
		if err := c.factory.CanSell(deal.SKU, deal.StockQuantity); err != nil {
			return "", err
		}
		id, eventID := c.market.Execute(c.rec, deal, c.office.State.CashMinor+total)
		c.office.Earn(c.rec, total, office.MarketSell, eventID, id)
		c.carryRequisitions(c.factory.Sell(c.rec, deal.SKU, deal.StockQuantity, eventID, id)...)
		return id, nil
	}
	if err := c.office.CanSpend(total); err != nil {
		return "", err
	}
	id, eventID := c.market.Execute(c.rec, deal, c.office.State.CashMinor-total)
	c.office.Spend(c.rec, total, office.MarketBuy, eventID, id)
	c.rec.Set(sim.Timer{
		Due: (c.rec.Today() + 1).At(sim.MarketMinute), Class: sim.ClassDay, Kind: timerMarketDelivery, Ref: id,
	})
	return id, nil
}

// marketDelivers brings bought goods: put away by the exchange's carrier,
// without a goods receipt.
func (c *Company) marketDelivers(tradeID string) {
	trade, _ := c.market.Trades.Find(tradeID)
	wanted, low := c.factory.Wanted(trade.SKU)
	restocked := low && trade.CreatedAt >= wanted.CreatedAt
	id, requisitions := c.factory.ReceiveFromMarket(c.rec, factory.MarketArrival{
		TradeRef: trade.ID, SKU: trade.SKU, Quantity: trade.Quantity, CostMinor: trade.TotalMinor,
	})
	c.market.Delivered(c.rec, tradeID, id)
	c.carryRequisitions(requisitions...)
	if restocked {
		c.missions.Note(c.rec, mission.Restocked)
	}
}
