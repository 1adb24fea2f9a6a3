package factory

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
)

// Plentiful returns the first material of which there is enough, or the one of a SKU, if
// it is one.
func (f *Factory) Plentiful(sku *string) (*StockItem, bool) {
	for _, known := range catalog.Items() {
		item := f.item(known.SKU)
		if known.Class == catalog.Material && item.Status == StockOK && (sku == nil || item.SKU == *sku) {
			return item, true
		}
	}
	return nil, false
}

// RaiseReorderPoint puts the reorder point of a material above what is on hand, so that
// it has to be reordered. It returns the ids of the requisitions.
func (f *Factory) RaiseReorderPoint(r *record.Recorder, sku string) []string {
	item, _ := f.Stock.Edit(r, StockItemID(sku))
	item.ReorderPoint = item.OnHand + 1
	return f.reorder(r, sku)
}
