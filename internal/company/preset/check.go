package preset

import (
	"errors"
	"fmt"
	"strings"

	"platen/internal/company/fault"
	"platen/internal/company/sim"
)

// Bounds of a preset's values: far beyond any company, and far below an
// overflow.
const (
	maxAmount      = 1_000_000_000
	maxFactor      = 10 * sim.Million
	maxBasisPoints = 100
	maxDays        = 250
	maxQuantity    = 5000
	maxPrice       = 1_000_000
	maxSeed        = 1<<53 - 1
	maxName        = 40
	// maxSheets keeps a lot of any product within the limit of a work order.
	maxSheets    = 35_000
	maxGrowthPct = 300
)

func within[N ~int64](n N, most int64) bool { return n >= 0 && int64(n) <= most }

func wellNamed(name string) bool {
	return name != "" && len(name) <= maxName && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

func (p Preset) check() error {
	d, s, o := p.Demand, p.Supply, p.Overhead
	speed := p.Clock.SimSpeed()
	rules := []struct {
		ok   bool
		text string
	}{
		{wellNamed(p.Name), "preset must be a name of 1 to 40 lower-case letters, digits and underscores"},
		{p.Version > 0, "version must be at least 1"},
		{p.Bridge == Auto || p.Bridge == ByHand, "bridge must be auto or manual"},
		{p.Clock.Mode == sim.Realtime || p.Clock.Mode == sim.Manual, "clock.mode must be realtime or manual"},
		{p.Clock.Starts == "" || p.Clock.Starts == AtOnce || p.Clock.Starts == AtFirstRequest,
			"clock.starts must be first_request or at_once"},
		{speed >= sim.MinSpeed && speed <= sim.MaxSpeed, "clock.speed must be 0.1 to 480"},
		{within(p.CashMinor, maxAmount), "cash_minor must be 0 to 1,000,000,000"},
		{within(p.OverdraftLimitMinor, maxAmount), "overdraft_limit_minor must be 0 to 1,000,000,000"},
		{within(p.OverdraftBasisPointsPerDay, maxBasisPoints), "overdraft_basis_points_per_day must be 0 to 100"},
		{p.NegativeClosesToBankrupt >= 1 && p.NegativeClosesToBankrupt <= maxDays,
			"negative_closes_to_bankrupt must be 1 to 250"},
		{within(s.LeadFactor, maxFactor) && s.LeadFactor > 0, "supply.lead_factor must be above 0 and at most 10"},
		{within(s.PriceFactor, maxFactor) && s.PriceFactor > 0, "supply.price_factor must be above 0 and at most 10"},
		{within(s.BillingErrorFactor, maxFactor), "supply.billing_error_factor must be 0 to 10"},
		{within(s.TwoTrucksFactor, maxFactor), "supply.two_trucks_factor must be 0 to 10"},
		{within(s.BilledTwiceFactor, maxFactor), "supply.billed_twice_factor must be 0 to 10"},
		{within(s.POApprovalMinor, maxAmount) && within(s.RequisitionAutoMinor, maxAmount),
			"supply's limits of approval must be 0 to 1,000,000,000"},
		{
			within(o.RentMinorPerDay, maxAmount) && within(o.LeaseMinorPerDay, maxAmount) &&
				within(o.UtilitiesMinorPerDay, maxAmount) && within(o.InsuranceMinorPerDay, maxAmount),
			"overhead's amounts must be 0 to 1,000,000,000",
		},
		{within(o.StorageBasisPointsPerDay, maxBasisPoints), "overhead.storage_basis_points_per_day must be 0 to 100"},
		{d.PerDay >= 0 && d.PerDay <= d.PerDayMax && d.PerDayMax <= 30*sim.Million,
			"demand.per_day and per_day_max must be 0 to 30, and growing"},
		{d.ReputationStart >= 0 && d.ReputationStart <= sim.Million, "demand.reputation_start must be 0 to 1"},
		{d.PriceFactor > 0 && d.PriceFactor <= 10*sim.Million, "demand.price_factor must be above 0 and at most 10"},
		{d.DueDays[0] >= 1 && d.DueDays[0] <= d.DueDays[1] && d.DueDays[1] <= maxDays,
			"demand.due_days must be two growing numbers from 1 to 250"},
		{d.AnswerDays >= 1 && d.AnswerDays <= maxDays && d.CancelAfterDays >= 1 && d.CancelAfterDays <= maxDays,
			"demand.answer_days and cancel_after_days must be 1 to 250"},
		{within(d.GrowthPct, maxGrowthPct), "demand.growth_pct must be 0 to 300"},
		{within(d.RushPct[0], 100) && within(d.RushPct[1], 100), "demand.rush_pct must be two numbers from 0 to 100"},
		{d.DailyOrder == nil || d.DailyOrder.known(), "demand.daily_order must name a customer, a product, 1 to 5000 " +
			"pieces at 1 to 1,000,000, due in 1 to 250 days"},
		{p.Customers.LateFactor >= 0 && p.Customers.LateFactor <= maxFactor, "customers.late_factor must be 0 to 10"},
		{within(p.Customers.CreditFactor, maxFactor), "customers.credit_factor must be 0 to 10"},
		{p.Seed == nil || *p.Seed <= maxSeed, "seed must be 0 to 9007199254740991"},
		{d.LatePctPerDay >= 0 && d.LateCapPct >= 0 && d.LateCapPct <= 100,
			"demand.late_pct_per_day and late_cap_pct must be 0 to 100"},
	}
	errs := []error{
		p.Staff.check(), p.Payroll.check(), p.Lots.check(), p.Market.check(), p.Disruptions.check(), p.Stories.check(),
		p.MajorOrders.check(),
	}
	if p.Faults != nil {
		if _, wrong := p.Faults.Checked("faults", 0, func(fault.Kind, string) bool { return true }); len(wrong) > 0 {
			return fmt.Errorf("%s: %s", wrong[0].Field, wrong[0].Message)
		}
	}
	for _, rule := range rules {
		if !rule.ok {
			errs = append(errs, errors.New(rule.text))
		}
	}
	return errors.Join(errs...)
}
