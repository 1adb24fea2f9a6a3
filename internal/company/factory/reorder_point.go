package factory

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
)

const (
	// paperCoverDays is how many working days the stock of a paper lasts at its reorder
	// point: the mill's slowest truck, and two days more. otherCoverDays is the same for ink
	// and plates.
	paperCoverDays, otherCoverDays = 8, 5
	// Reorder points are multiples of a step.
	paperStep, otherStep = 500, 5
)

// ReviewReorderPoints lets the Factory's own rule follow the use of the past two weeks, on
// a Monday: what is used until a truck can come has to be there when it is asked for. It
// never goes below the catalogue's. What is not below its point any more is asked for no longer. It returns the ids of
// the requisitions of what is now below its point.
func (f *Factory) ReviewReorderPoints(r *record.Recorder) []string {
	var changed []string
	for _, known := range catalog.Items() {
		if known.Class != catalog.Material {
			continue
		}
		private := record.EditPrivate(f.Stock, r, StockItemID(known.SKU))
		used := max(private.UsedThisWeek, private.UsedLastWeek)
		private.UsedLastWeek, private.UsedThisWeek = private.UsedThisWeek, 0
		cover, step := int64(otherCoverDays), int64(otherStep)
		if known.SKU == catalog.Coated || known.SKU == catalog.Uncoated || known.SKU == catalog.Board {
			cover, step = paperCoverDays, paperStep
		}
		needed := (used*cover/int64(sim.DaysPerWeek) + step - 1) / step * step
		point, quantity := max(known.ReorderPoint, needed), max(known.ReorderQuantity, needed)
		if item := f.item(known.SKU); item.ReorderPoint == point && item.ReorderQuantity == quantity {
			continue
		}
		item, _ := f.Stock.Edit(r, StockItemID(known.SKU))
		item.ReorderPoint, item.ReorderQuantity = point, quantity
		f.relieved(r, known.SKU)
		changed = append(changed, known.SKU)
	}
	return f.reorder(r, changed...)
}
