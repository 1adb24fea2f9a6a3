package preset

import (
	"platen/internal/company/catalog"
	"platen/internal/company/sim"
	"platen/internal/words/money"
	"platen/internal/words/share"
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
	// GrowthPct and RushPct are zero in presets that were written before there was a choice.
	GrowthPct int64    `json:"growth_pct,omitzero" doc:"How much more customers order after 60 working days, in per cent; it grows day by day and stays there. 0 when left out."`
	RushPct   [2]int64 `json:"rush_pct,omitzero" doc:"How many orders in a hundred are rush orders, on the first day and after 60 working days; none when left out."`
	// DailyOrder is an order that arrives when each day from day 1 opens.
	DailyOrder *DailyOrder `json:"daily_order,omitzero" doc:"An order that arrives when each day from day 1 opens. May be left out."`
}

// settledDays is how many working days the trade takes to change.
const settledDays = 60

// GrowthPPM is the factor on the demand of a day.
func (d Demand) GrowthPPM(day int64) int64 {
	return sim.Million + d.GrowthPct*(sim.Million/100)*min(day, settledDays)/settledDays
}

// RushPPM is the share of rush orders on a day.
func (d Demand) RushPPM(day int64) int64 {
	first, last := d.RushPct[0]*(sim.Million/100), d.RushPct[1]*(sim.Million/100)
	return first + (last-first)*min(day, settledDays)/settledDays
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
	// CreditFactor is zero in presets that do not limit credit.
	CreditFactor share.PPM `json:"credit_factor,omitzero" doc:"Scales how much each customer may owe at once; 0, the default, sets no limit; at most 10."`
}

// known reports whether the order is for something that there is.
func (o *DailyOrder) known() bool {
	_, customer := catalog.CustomerByID(o.CustomerID)
	_, product := catalog.ProductBySKU(o.SKU)
	return customer && product && o.Quantity >= 1 && o.Quantity <= maxQuantity && o.UnitPriceMinor >= 1 &&
		o.UnitPriceMinor <= maxPrice && o.DueDays >= 1 && o.DueDays <= maxDays
}
