package event

import "platen/internal/money"

// MarketTradeExecutedData is the data of office.market_trade.executed.
type MarketTradeExecutedData struct {
	Head
	Side           string      `json:"side" enum:"buy,sell"`
	SKU            string      `json:"sku"`
	Quantity       int64       `json:"quantity"`
	UnitPriceMinor money.Minor `json:"unit_price_minor"`
	TotalMinor     money.Minor `json:"total_minor"`
	CashMinor      money.Minor `json:"cash_minor"`
	Stock
	Riders
}

// MarketDeliveryReceivedData is the data of factory.market_delivery.received.
type MarketDeliveryReceivedData struct {
	Head
	SKU      string `json:"sku"`
	Quantity int64  `json:"quantity"`
	TradeRef string `json:"trade_ref"`
	Stock
	Riders
}
