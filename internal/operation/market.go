package operation

import (
	"slices"

	"platen/internal/company"
	"platen/internal/company/factory"
	"platen/internal/company/market"
	"platen/internal/words/event"
	"platen/internal/words/problem"
)

func marketOperations() []Operation {
	return slices.Concat(
		reads[market.Quote](noun{
			system: Office, path: "/office/market", resource: "market_quote", singular: "market_quote",
			plural: "market_quotes", summary: "market quotes",
			listDescription: "The market's bid and ask prices of today. " +
				"Prices move from day to day, and give way to your trades.",
			one: "a market quote", ids: "The id is the SKU.",
		}),
		[]Operation{tradeOnMarket()},
		reads[market.Trade](noun{
			system: Office, path: "/office/market/trades", resource: "market_trade", singular: "market_trade",
			plural: "market_trades", summary: "market trades",
			one:             "a market trade",
			listDescription: "The trades of your company on the market, at the prices that it got.",
		}),
	)
}

func marketDeliveryOperations() []Operation {
	return reads[factory.MarketDelivery](noun{
		system: Factory, path: "/factory/market-deliveries", resource: "market_delivery", singular: "market_delivery",
		plural: "market_deliveries", summary: "market deliveries",
		listDescription: "Goods bought on the market that have arrived. The carrier puts them away: " +
			"no goods receipt is needed.",
		one: "a market delivery",
	})
}

func tradeOnMarket() Operation {
	return create[market.Trade](Operation{
		ID: "trade_on_market", Path: "/office/market", System: Office, Key: KeyRequired,
		Summary: "Trade on the market",
		Description: "The money moves at once. Bought goods come on the next working day; sold goods leave the " +
			"Factory's warehouse at once. Large trades move the price against you.",
		Problems: []problem.Code{problem.MarketSoldOut, problem.LimitNotMet, problem.InsufficientFunds,
			problem.InsufficientStock, problem.NotTraded},
		Events: []event.Type{
			event.MarketTradeExecuted, event.StockBelowReorderPoint, event.FactoryRequisitionCreated,
			event.OfficeRequisitionReceived, event.OfficeRequisitionApproved,
		},
	}, (*company.Company).Trade)
}
