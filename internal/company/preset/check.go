package preset

import (
	"errors"
	"strings"

	"platen/internal/company/sim"
)

// Bounds of what a preset may say: far beyond any company, and far below what
// would overflow.
const (
	amountMost      = 1_000_000_000
	factorMost      = 10 * sim.Million
	basisPointsMost = 100
	daysMost        = 250
	quantityMost    = 5000
	priceMost       = 1_000_000
	seedMost        = 1<<53 - 1
	nameMost        = 40
	// sheetsMost keeps a lot of any product within what a work order takes.
	sheetsMost = 35_000
)

func within[N ~int64](n N, most int64) bool { return n >= 0 && int64(n) <= most }

func wellNamed(name string) bool {
	return name != "" && len(name) <= nameMost && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
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
		{speed >= sim.MinSpeed && speed <= sim.MaxSpeed, "clock.speed must be 0.1 to 480"},
		{within(p.CashMinor, amountMost), "cash_minor must be 0 to 1,000,000,000"},
		{within(p.OverdraftLimitMinor, amountMost), "overdraft_limit_minor must be 0 to 1,000,000,000"},
		{within(p.OverdraftBasisPointsPerDay, basisPointsMost), "overdraft_basis_points_per_day must be 0 to 100"},
		{p.NegativeClosesToBankrupt >= 1 && p.NegativeClosesToBankrupt <= daysMost, "negative_closes_to_bankrupt must be 1 to 250"},
		{within(s.LeadFactor, factorMost) && s.LeadFactor > 0, "supply.lead_factor must be above 0 and at most 10"},
		{within(s.PriceFactor, factorMost) && s.PriceFactor > 0, "supply.price_factor must be above 0 and at most 10"},
		{within(s.BillingErrorFactor, factorMost), "supply.billing_error_factor must be 0 to 10"},
		{within(s.POApprovalMinor, amountMost) && within(s.RequisitionAutoMinor, amountMost), "supply's limits of approval must be 0 to 1,000,000,000"},
		{
			within(o.RentMinorPerDay, amountMost) && within(o.LeaseMinorPerDay, amountMost) && within(o.UtilitiesMinorPerDay, amountMost) && within(o.InsuranceMinorPerDay, amountMost),
			"overhead's amounts must be 0 to 1,000,000,000",
		},
		{within(o.StorageBasisPointsPerDay, basisPointsMost), "overhead.storage_basis_points_per_day must be 0 to 100"},
		{d.PerDay >= 0 && d.PerDay <= d.PerDayMax && d.PerDayMax <= 30*sim.Million, "demand.per_day and per_day_max must be 0 to 30, and growing"},
		{d.ReputationStart >= 0 && d.ReputationStart <= sim.Million, "demand.reputation_start must be 0 to 1"},
		{d.PriceFactor > 0 && d.PriceFactor <= 10*sim.Million, "demand.price_factor must be above 0 and at most 10"},
		{d.DueDays[0] >= 1 && d.DueDays[0] <= d.DueDays[1] && d.DueDays[1] <= daysMost, "demand.due_days must be two growing numbers from 1 to 250"},
		{d.AnswerDays >= 1 && d.AnswerDays <= daysMost && d.CancelAfterDays >= 1 && d.CancelAfterDays <= daysMost, "demand.answer_days and cancel_after_days must be 1 to 250"},
		{d.DailyOrder == nil || d.DailyOrder.known(), "demand.daily_order must name a customer, a product, 1 to 5000 pieces at 1 to 1,000,000, due in 1 to 250 days"},
		{p.Customers.LateFactor >= 0 && p.Customers.LateFactor <= factorMost, "customers.late_factor must be 0 to 10"},
		{p.Seed == nil || *p.Seed <= seedMost, "seed must be 0 to 9007199254740991"},
		{d.LatePctPerDay >= 0 && d.LateCapPct >= 0 && d.LateCapPct <= 100, "demand.late_pct_per_day and late_cap_pct must be 0 to 100"},
	}
	errs := []error{p.Staff.check(), p.Payroll.check(), p.Lots.check(), p.Disruptions.check(), p.Stories.check(), p.MajorOrders.check()}
	for _, rule := range rules {
		if !rule.ok {
			errs = append(errs, errors.New(rule.text))
		}
	}
	return errors.Join(errs...)
}
