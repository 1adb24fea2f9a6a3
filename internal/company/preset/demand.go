package preset

import (
	"platen/internal/company/catalog"
	"platen/internal/money"
	"platen/internal/share"
)

// Demand is the number, size and terms of customers' orders.
type Demand struct {
	// PerDay is the number of orders a day at the reference reputation,
	// PerDayMax the rate at which candidates are drawn; reputation thins them.
	PerDay    share.PPM `json:"per_day" doc:"Orders a working day at the reference reputation; at most per_day_max."`
	PerDayMax share.PPM `json:"per_day_max" doc:"The most orders a day on average, at any reputation; at most 30."`
	// ReputationBase and ReputationSlope make the factor base + slope * r.
	ReputationBase  share.PPM `json:"reputation_base" doc:"Demand is per_day times reputation_base plus reputation_slope times the reputation (0 to 1)."`
	ReputationSlope share.PPM `json:"reputation_slope"`
	ReputationStart share.PPM `json:"reputation_start" doc:"The reputation at the opening; 0 to 1."`
	PriceFactor     share.PPM `json:"price_factor" doc:"Scales customers' prices; above 0, at most 10."`
	DueDays         [2]int64  `json:"due_days" doc:"The fewest and the most working days until delivery."`
	AnswerDays      int64     `json:"answer_days" doc:"Working days that an order waits for an answer."`
	CancelAfterDays int64     `json:"cancel_after_days" doc:"Working days that a customer waits beyond the due date."`
	LatePctPerDay   int64     `json:"late_pct_per_day" doc:"Taken off for each working day of delay, in per cent."`
	LateCapPct      int64     `json:"late_cap_pct" doc:"The most that is taken off, in per cent."`
	// DailyOrder is an order that arrives when each day from day 1 opens.
	DailyOrder *DailyOrder `json:"daily_order,omitzero" doc:"An order that arrives when each day from day 1 opens. May be left out."`
}

// DailyOrder is an order that is the same every day.
type DailyOrder struct {
	CustomerID     string      `json:"customer_id" doc:"One of /office/customers."`
	SKU            string      `json:"sku" doc:"One of /office/products."`
	Quantity       int64       `json:"quantity"`
	UnitPriceMinor money.Minor `json:"unit_price_minor"`
	DueDays        int64       `json:"due_days" doc:"Working days until it is due."`
}

// Customers is the behaviour of customers.
type Customers struct {
	LateFactor share.PPM `json:"late_factor" doc:"Scales how often customers pay late; 0 to 10."`
}

// known reports whether the order is for something that there is.
func (o *DailyOrder) known() bool {
	_, customer := catalog.CustomerByID(o.CustomerID)
	_, product := catalog.ProductBySKU(o.SKU)
	return customer && product && o.Quantity >= 1 && o.Quantity <= maxQuantity && o.UnitPriceMinor >= 1 &&
		o.UnitPriceMinor <= maxPrice && o.DueDays >= 1 && o.DueDays <= maxDays
}
