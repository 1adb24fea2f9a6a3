package player

import (
	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/market"
	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

const chroma = "sup_chroma"

// How the good player buys.
const (
	// cheapPct of the mill's price is a dip of the market, dearPct is its
	// highest price when paper is needed tomorrow: that of the quick supplier.
	cheapPct, dearPct = 97, 124
	// A dip is used while there is less than so much of the reorder point.
	dipPct = 200
	// urgentDays before the due date, paper that is not there has to be.
	urgentDays = 5
	// spareSheets are bought beside what is missing.
	spareSheets = 1500
	quickLeast  = 1000
)

// supplies are the goods to buy, in a fixed order.
func supplies() []string {
	return []string{catalog.Coated, catalog.Uncoated, catalog.Board, catalog.Ink, catalog.Plate}
}

// buy refills the warehouse.
func (p *player) buy() error {
	if p.last-p.today() < sim.Day(p.policy.terms.horizonDays) {
		return nil
	}
	coming, err := p.coming()
	if err != nil {
		return err
	}
	for _, sku := range supplies() {
		item := p.stock[sku]
		if err := p.refill(item, coming[sku]); err != nil {
			return err
		}
	}
	return p.approve()
}

// coming is the quantity that is ordered and has not arrived.
func (p *player) coming() (map[string]int64, error) {
	coming := map[string]int64{}
	orders, err := rows[office.PurchaseOrder](p, "list_purchase_orders")
	if err != nil {
		return nil, err
	}
	for _, o := range orders {
		for i, line := range o.Lines {
			coming[line.SKU] += o.Coming(i)
		}
	}
	trades, err := rows[market.Trade](p, "list_market_trades")
	if err != nil {
		return nil, err
	}
	for _, t := range trades {
		if t.Side == market.Buy && t.MarketDeliveryID == nil {
			coming[t.SKU] += t.Quantity
		}
	}
	return coming, nil
}

// refill orders one material when it is time.
func (p *player) refill(item *factory.StockItem, coming int64) error {
	usual := usualSupplier(item.SKU)
	need, urgent := p.needed(item.SKU)
	if done, err := p.onlyMarket(item, coming); done || err != nil {
		return err
	}
	ask, err := p.ask(item.SKU)
	if err != nil {
		return err
	}
	gap := need - item.OnHand - coming
	if p.policy.rush && urgent && gap > 0 && usual == catalog.Mill {
		gap = max(quickLeast, gap+spareSheets)
		return p.purchase(catalog.Quick, item.SKU, gap)
	}
	if !p.policy.foresight {
		need = 0
	}
	position := item.OnHand + coming - need
	if ask > 0 && ask*100 < p.prices[item.SKU]*cheapPct && position*100 < item.ReorderPoint*dipPct {
		left, err := p.forSale(item.SKU)
		if left == 0 || err != nil {
			return err
		}
		return p.trade(item.SKU, min(left, item.ReorderQuantity))
	}
	if position >= item.ReorderPoint {
		return nil
	}
	quantity := item.ReorderQuantity
	if p.policy.foresight && usual == catalog.Mill {
		quantity = max(quantity, item.ReorderPoint-position+item.ReorderQuantity/2)
	}
	return p.purchase(usual, item.SKU, quantity)
}

// usualSupplier is who sells a material in quantities for the shelf.
func usualSupplier(sku string) string {
	if sku == catalog.Ink || sku == catalog.Plate {
		return chroma
	}
	return catalog.Mill
}

// maxMarket is the largest trade.
const maxMarket = 20_000

// needed is the quantity of a material that waiting work takes, and whether some of that
// work is due soon.
func (p *player) needed(sku string) (need int64, urgent bool) {
	offset := p.presses[0]
	for _, press := range p.presses {
		if press.UsesPlates {
			offset = press
		}
	}
	for _, w := range p.waiting {
		j := p.measure(offset, w)
		switch sku {
		case catalog.Ink:
			need += j.ink
		case catalog.Plate:
			need += j.plates
		case p.products[w.SKU].PaperSKU:
			need += j.sheets
			urgent = urgent || w.DueDate != nil && sim.DayFrom(*w.DueDate)-p.today() < urgentDays
		}
	}
	return need, urgent
}

// ask is the market's price of paper, 0 for what it does not sell or the
// player does not look at.
func (p *player) ask(sku string) (money.Minor, error) {
	if !p.policy.market {
		return 0, nil
	}
	quotes, err := rows[market.Quote](p, "list_market_quotes", "sku", sku)
	if err != nil || len(quotes) == 0 || quotes[0].AskMinor == nil {
		return 0, err
	}
	return *quotes[0].AskMinor, nil
}

// forSale is how much of a paper the market sells today.
func (p *player) forSale(sku string) (int64, error) {
	quotes, err := rows[market.Quote](p, "list_market_quotes", "sku", sku)
	if err != nil || len(quotes) == 0 {
		return 0, err
	}
	return quotes[0].AvailableQuantity, nil
}

func (p *player) trade(sku string, quantity int64) error {
	_, err := p.try("trade_on_market", "", &market.TradeOnMarket{Side: market.Buy, SKU: sku, Quantity: quantity})
	return err
}

func (p *player) purchase(supplier, sku string, quantity int64) error {
	_, err := p.try("create_purchase_order", "", &office.CreatePurchaseOrder{
		SupplierID: supplier, Lines: []office.MaterialLine{{SKU: sku, Quantity: quantity}},
	})
	return err
}

// approve lets purchase orders above the limit go out.
func (p *player) approve() error {
	waiting, err := rows[office.PurchaseOrder](p, "list_purchase_orders", "status", string(office.PurchasePending))
	if err != nil {
		return err
	}
	for _, o := range waiting {
		if _, err := p.try("approve_purchase_order", o.ID, nil); err != nil {
			return err
		}
	}
	return nil
}

// receive counts in the deliveries at the gate.
func (p *player) receive() error {
	trucks, err := rows[factory.Delivery](p, "list_deliveries", "status", string(factory.DeliveryArrived))
	if err != nil {
		return err
	}
	for _, truck := range trucks {
		if _, err := p.try("create_factory_goods_receipt", "",
			&factory.CreateFactoryGoodsReceipt{DeliveryID: truck.ID}); err != nil {
			return err
		}
	}
	return p.carryReceipts()
}
