package office

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
)

// TimerDemand brings one candidate of a day; Index is its number within it.
const TimerDemand = "demand.candidate"

const (
	// firstCandidateMinute leaves the opening of the day to its protocol.
	firstCandidateMinute = 2
	candidateMinutes     = 470
	// longRunDiscountPPM is taken off the price of the largest orders.
	longRunDiscountPPM = 180_000
)

// ScheduleDemand draws how many candidates a day has and when they come. They
// are the same for every behaviour of the client: its reputation only thins
// them.
func (o *Office) ScheduleDemand(r *record.Recorder, day sim.Day) {
	n := o.streams.count.Poisson(int64(o.preset.Demand.PerDayMax), int64(day))
	for i := range int64(n) {
		minute := firstCandidateMinute + o.streams.minute.Below(candidateMinutes, int64(day), i)
		r.Set(sim.Timer{Due: day.At(sim.Minute(minute)), Class: sim.ClassDay, Kind: TimerDemand, Index: i})
	}
}

// DailyOrder lets the customer order that orders every morning, if the preset
// has one.
func (o *Office) DailyOrder(r *record.Recorder) {
	daily := o.preset.Demand.DailyOrder
	if daily == nil {
		return
	}
	opening := openingOrder{
		daily.CustomerID, daily.SKU, daily.Quantity, daily.UnitPriceMinor, r.Today() + sim.Day(daily.DueDays), 0,
	}
	o.receive(r, opening.order())
}

// Candidate lets a customer of the day order, if the company's reputation
// draws them.
func (o *Office) Candidate(r *record.Recorder, index int64) {
	day := int64(r.Today())
	d, s := o.preset.Demand, &o.streams
	product := o.drawProduct(r, index)
	customers := catalog.Customers()
	at := s.customer.Below(int64(len(customers)), day, index)
	keep := scale(o.keepPPM(r.Today()), o.State.Conditions.demandPPM(product.SKU))
	keep = scale(scale(keep, loyaltyPPM(o.State.Satisfaction[at])), o.State.Staff.salesPPM())
	if s.keep.PPM(day, index) >= keep {
		return
	}
	size := sim.Skew(s.quantity.PPM(day, index))
	quantity := product.OrderMin + size*(product.OrderMax-product.OrderMin)/sim.Million
	quantity = max(5, quantity-quantity%5)

	// The price is kept in millionths of a minor unit until all factors are
	// in, then rounded half up.
	price := int64(product.ListPriceMinor) * sim.Million
	price = price / sim.Million * (sim.Million - longRunDiscountPPM*size/sim.Million)
	price = scale(price, 720_000+560_000*s.price.PPM(day, index)/sim.Million)
	price = scale(price, 960_000+80_000*o.State.ReputationPPM/sim.Million)
	price = scale(price, int64(d.PriceFactor))

	order := orderFor(customers[at], product, quantity)
	due := d.DueDays[0] + s.due.Below(d.DueDays[1]-d.DueDays[0]+1, day, index)
	if order.Rush = s.rush.PPM(day, index) < d.RushPPM(day); order.Rush {
		due = 1 + due%rushDays
		price = scale(price, rushPricePPM)
	}
	order.UnitPriceMinor = max(1, roundedMinor(price))
	order.DueDate = (r.Today() + sim.Day(due)).Date()
	o.receive(r, order)
}

// keepPPM is the share of candidates that come on a day, at the present reputation.
func (o *Office) keepPPM(day sim.Day) int64 {
	d := o.preset.Demand
	factor := int64(d.ReputationBase) + scale(int64(d.ReputationSlope), o.State.ReputationPPM)
	return scale(scale(int64(d.PerDay), factor), d.GrowthPPM(int64(day))) * sim.Million / int64(d.PerDayMax)
}

// Terms of rush orders.
const (
	// rushDays is the most working days until one is due, rushCancelDays how many the
	// customer waits beyond that.
	rushDays, rushCancelDays = 2, 2
	rushPricePPM             = 1_350_000
	rushLatePct              = 10
)

// drawProduct picks by the products' shares of demand in the season.
func (o *Office) drawProduct(r *record.Recorder, index int64) catalog.Product {
	products := catalog.Products()
	month := r.Date().Month()
	total := int64(0)
	for _, p := range products {
		total += scale(p.WeightPPM, catalog.SeasonPPM(p.SKU, month))
	}
	at := o.streams.product.Below(total, int64(r.Today()), index)
	for _, p := range products {
		at -= scale(p.WeightPPM, catalog.SeasonPPM(p.SKU, month))
		if at < 0 {
			return p
		}
	}
	return products[len(products)-1]
}

// scale multiplies by parts per million.
func scale(v, ppm int64) int64 { return v/sim.Million*ppm + v%sim.Million*ppm/sim.Million }
