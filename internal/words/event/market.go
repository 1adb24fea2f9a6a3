package event

import "platen/internal/words/money"

// MarketTradeExecutedData is the data of office.market_trade.executed.
type MarketTradeExecutedData struct {
	Head
	Side           string      `json:"side" enum:"buy,sell" doc:"buy: the company bought; sell: it sold."`
	SKU            string      `json:"sku" doc:"The goods, such as mat_coated."`
	Quantity       int64       `json:"quantity" doc:"The quantity traded, in the unit of the quote."`
	UnitPriceMinor money.Minor `json:"unit_price_minor" doc:"The average price of one, in minor units."`
	TotalMinor     money.Minor `json:"total_minor" doc:"The amount that left the company or came in, in minor units."`
	CashMinor      money.Minor `json:"cash_minor" doc:"The cash of the company afterwards, in minor units."`
	Stock
	Riders
}

// MarketDeliveryReceivedData is the data of factory.market_delivery.received.
type MarketDeliveryReceivedData struct {
	Head
	SKU      string `json:"sku" doc:"The material that came, such as mat_coated."`
	Quantity int64  `json:"quantity" doc:"The quantity that came, in the unit of the material."`
	TradeRef string `json:"trade_ref" doc:"The trade of Head Office that bought the goods, as printed on the note of the carrier."`
	Stock
	Riders
}
