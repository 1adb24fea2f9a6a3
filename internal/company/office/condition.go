package office

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
)

// Conditions are the world's present effects on Head Office's business.
type Conditions struct {
	// PaperShortage makes paper dearer and slower, CourierStrike all trucks
	// slower, TradeFair posters and brochures wanted.
	PaperShortage bool `json:"paper_shortage,omitzero"`
	CourierStrike bool `json:"courier_strike,omitzero"`
	TradeFair     bool `json:"trade_fair,omitzero"`
	// PaymentsWaitUntil is the day from which customers' payments arrive
	// again, 0 while they do.
	PaymentsWaitUntil sim.Day `json:"payments_wait_until,omitzero"`
}

// Effects of the conditions.
const (
	// shortagePricePPM is the factor on the price of paper, shortageDays the
	// delay of suppliers of paper, strikeDays that of all suppliers; both are
	// working days.
	shortagePricePPM = 1_250_000
	shortageDays     = 3
	strikeDays       = 2
	// fairPPM is the factor on the demand for the products of trade fairs.
	fairPPM = 1_800_000
)

// SetConditions sets the world's effects on Head Office's business. Suppliers
// announce other prices and lead times at once.
func (o *Office) SetConditions(r *record.Recorder, now Conditions) {
	before := o.State.Conditions
	o.State.Conditions = now
	if before.PaperShortage == now.PaperShortage && before.CourierStrike == now.CourierStrike {
		return
	}
	for _, s := range catalog.Suppliers() {
		if s.Kind != catalog.Materials {
			continue
		}
		row, _ := o.Suppliers.Edit(r, s.ID)
		announced := o.newSupplier(s)
		row.LeadDaysMin, row.LeadDaysMax, row.Prices = announced.LeadDaysMin, announced.LeadDaysMax, announced.Prices
	}
}

// pricePPM is the factor of the conditions on the price of a material.
func (c Conditions) pricePPM(sku string) int64 {
	if c.PaperShortage && isPaper(sku) {
		return shortagePricePPM
	}
	return sim.Million
}

// extraDays is how many working days a supplier takes longer than usual.
func (c Conditions) extraDays(s catalog.Supplier) int64 {
	extra := int64(0)
	if c.CourierStrike {
		extra += strikeDays
	}
	for _, offer := range s.Sells {
		if c.PaperShortage && isPaper(offer.SKU) {
			return extra + shortageDays
		}
	}
	return extra
}

// demandPPM is the factor of the conditions on the demand for a product.
func (c Conditions) demandPPM(sku string) int64 {
	if c.TradeFair && (sku == "prd_poster" || sku == "prd_brochure") {
		return fairPPM
	}
	return sim.Million
}

func isPaper(sku string) bool {
	return sku == catalog.Coated || sku == catalog.Uncoated || sku == catalog.Board
}
