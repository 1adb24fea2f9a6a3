package operation

import (
	"net/http"
	"reflect"
	"slices"

	"platen/internal/company/factory"
	"platen/internal/company/market"
	"platen/internal/event"
	"platen/internal/money"
	"platen/internal/problem"
	"platen/internal/sandbox"
)

// TradeOnMarket is the body of POST /office/market.
type TradeOnMarket struct {
	_ struct{} `doc:"The body that buys or sells goods of the company on the market."`

	Side       market.Side  `json:"side" required:"true" enum:"buy,sell" doc:"buy takes goods from the market at the ask, sell gives it goods at the bid." agent:"-"`
	SKU        string       `json:"sku" required:"true" minLength:"1" maxLength:"40" example:"mat_coated" doc:"The goods to trade, such as mat_coated: the sku of a quote." agent:"-"`
	Quantity   int64        `json:"quantity" required:"true" minimum:"1" maximum:"20000" doc:"In the unit of the quote: sheets of paper, kilograms of waste."`
	LimitMinor *money.Minor `json:"limit_price_minor,omitzero" nullable:"true" minimum:"1" doc:"The most that one may cost, or the least that one must bring."`
}

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
	return write(Operation{
		ID: "trade_on_market", Path: "/office/market", System: Office, Key: KeyRequired, Status: http.StatusCreated,
		Out:     reflect.TypeFor[market.Trade](),
		Summary: "Trade on the market",
		Description: "The money moves at once. Bought goods come on the next working day; sold goods leave the " +
			"Factory's warehouse at once. Large trades move the price against you.",
		Problems: []problem.Code{problem.MarketSoldOut, problem.LimitNotMet, problem.InsufficientFunds,
			problem.InsufficientStock, problem.NotTraded},
		Events: []event.Type{
			event.MarketTradeExecuted, event.StockBelowReorderPoint, event.FactoryRequisitionCreated,
			event.OfficeRequisitionReceived, event.OfficeRequisitionApproved,
		},
	}, func(tx *sandbox.Tx, _ PathParams, in *TradeOnMarket) (Result, error) {
		id, err := tx.Company.Trade(market.Order{
			Side: in.Side, SKU: in.SKU, Quantity: in.Quantity, LimitMinor: in.LimitMinor,
		})
		return Result{Resource: "market_trade", ID: id, Decision: true}, err
	})
}
