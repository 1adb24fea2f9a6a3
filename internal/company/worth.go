package company

import (
	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/words/money"
)

// netWorthMinor is the company's net worth if it ended now (contract: OPEN.WORTH.STOCK). A bankrupt company has ended:
// it keeps nothing of its liquidation, and owes all that this lacks (contract: OPEN.WORTH.BANKRUPT). At cost, paper
// that was bought on credit would be worth more than to play on.
func (c *Company) netWorthMinor() money.Minor {
	o := &c.office.State
	rest := o.CashMinor + o.DeliveredReceivableMinor - o.ChargedMinor - o.TakenInMinor - c.people.AccruedMinor()
	if c.Bankrupt() {
		return min(0, rest+c.liquidationMinor())
	}
	return rest + c.factory.StockValueMinor() - c.shelfLossMinor() + c.market.State.InTransitMinor
}

// shelfLossMinor is how much less the market bids for the finished goods that nobody ordered than they cost. It goes by
// the average cost as clients read it.
func (c *Company) shelfLossMinor() (loss money.Minor) {
	for _, known := range catalog.Items() {
		if known.Class != catalog.Finished {
			continue
		}
		quote, quoted := c.market.Quotes.Find(known.SKU)
		if item, _ := c.factory.Stock.Find(factory.StockItemID(known.SKU)); quoted {
			loss += max(0, item.AverageCostMinor-quote.BidMinor).Times(item.OnHand - item.Reserved)
		}
	}
	return loss
}

// liquidationMinor is the price of the whole warehouse on the market, each kind of goods in one sale, together with
// those that the market has not delivered yet.
func (c *Company) liquidationMinor() (proceeds money.Minor) {
	for _, known := range catalog.Items() {
		item, _ := c.factory.Stock.Find(factory.StockItemID(known.SKU))
		proceeds += c.market.ProceedsMinor(known.SKU, item.OnHand)
	}
	return proceeds
}
