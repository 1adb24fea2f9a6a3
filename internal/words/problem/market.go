package problem

import "net/http"

// Codes of the market.
const (
	LimitNotMet Code = "limit_not_met"
	NotTraded   Code = "not_traded"
	// MarketSoldOut is of goods that the market sells, but not so many of them today.
	MarketSoldOut Code = "market_sold_out"
)

var market = []Definition{ //nolint:gochecknoglobals // the table itself
	{
		Code: LimitNotMet, Status: http.StatusConflict,
		Hint:    "details.price_minor is the average price of one, in this quantity.",
		Meaning: "The market's price for this quantity is beyond the limit that was named.",
		Remedy:  "Trade less, raise the limit, or wait: the effect of a trade on the price wears off within days.",
	},
	{
		Code: MarketSoldOut, Status: http.StatusConflict,
		Hint: "details.available_quantity is how many can still be bought today. " +
			"There are more on the next working day.",
		Meaning: "The market sells a limited number of sheets of each paper per day, and none while paper is short. " +
			"Fewer are left than this order asks for.",
		Remedy: "Buy fewer, wait for the next working day, or order from a supplier.",
	},
	{
		Code: NotTraded, Status: http.StatusUnprocessableEntity,
		Hint: "details.traded lists the SKUs that can be traded on this side.",
		Meaning: "The market does not trade this SKU, or does not sell it: " +
			"waste paper and finished goods can only be sold.",
		Remedy: "Choose one of details.traded, or buy from a supplier.",
	},
}
