package company

import (
	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/words/money"
)

// netWorthMinor is the company's net worth if it ended now (contract: OPEN.WORTH.STOCK). A bankrupt company has ended:
// nothing that its liquidation leaves is its own, and all that it lacks is (contract: OPEN.WORTH.BANKRUPT). At cost,
// paper that was bought on credit would be worth more than to play on.
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

// liquidationMinor is what the market pays for the whole warehouse and for the goods that it has sold and not delivered
// yet, each kind in one sale.
func (c *Company) liquidationMinor() (proceeds money.Minor) {
	for _, known := range catalog.Items() {
		item, _ := c.factory.Stock.Find(factory.StockItemID(known.SKU))
		proceeds += c.market.ProceedsMinor(known.SKU, item.OnHand)
	}
	return proceeds
}
