package problem

import "net/http"

// Codes of the market.
const (
	LimitNotMet Code = "limit_not_met"
	NotTraded   Code = "not_traded"
)

var market = []Definition{ //nolint:gochecknoglobals // the table itself
	{
		Code: LimitNotMet, Status: http.StatusConflict,
		Hint:    "details.price_minor is the average price of one, in this quantity.",
		Meaning: "The market's price for this quantity is beyond the limit that was named.",
		Remedy:  "Trade less, raise the limit, or wait: the effect of a trade on the price wears off within days.",
	},
	{
		Code: NotTraded, Status: http.StatusUnprocessableEntity,
		Hint: "details.traded lists the SKUs that can be traded on this side.",
		Meaning: "The market does not trade this SKU, or does not sell it: " +
			"waste paper and finished goods can only be sold.",
		Remedy: "Choose one of details.traded, or buy from a supplier.",
	},
}
