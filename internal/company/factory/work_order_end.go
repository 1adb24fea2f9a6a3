package factory

import (
	"platen/internal/company/record"
)

// End is the knowledge that the Factory gets of the order or lot that a reference names.
//
// The departments share no data, so it has two sources. With an auto bridge the bridge tells it (Told), as it tells
// which orders are over when a run is to start. With a manual bridge nobody does: but the customer who takes no more
// goods is the addressee of the parcel, and known at the gate by its reference as when a parcel leaves. So goods that
// were set aside for that customer go back to the shelf, and nothing else changes (contract:
// OPEN.STATE.WORK_ORDER.OVER).
type End struct {
	// Over is set once the customer takes no more goods, Expired if that is because the order or lot has expired.
	Over, Expired bool
	Told          bool
}

// Ends lets the work orders with some references follow the end of their order or lot.
func (f *Factory) Ends(r *record.Recorder, end End, references ...string) {
	for _, reference := range references {
		for _, id := range f.workOrdersFor(reference) {
			w, _ := f.WorkOrders.Find(id)
			left := w.Status == WorkShipped || record.Private(f.WorkOrders, id).Over
			if !left && (end.Told || w.setAside()) {
				w, _ = f.WorkOrders.Edit(r, id)
				f.end(r, w, end)
			}
		}
	}
}

// setAside reports whether goods of the shelf wait for the shipment of the work order.
func (w *WorkOrder) setAside() bool { return w.Status == WorkReady && w.QuantityFromStock > 0 }

// end takes a work order that is open out of what is to be done.
func (f *Factory) end(r *record.Recorder, w *WorkOrder, end End) {
	if w.setAside() {
		item, _ := f.Stock.Edit(r, StockItemID(w.SKU))
		item.Reserved -= w.QuantityFromStock
	}
	w.OrderExpired = end.Told && end.Expired
	record.EditPrivate(f.WorkOrders, r, w.ID).Over = true
	f.waits(w, WaitsForNothing)
	f.State.OpenWorkOrders--
}

// Released reports whether the goods of a work order went back to the shelf, since their customer takes them no more.
func (f *Factory) Released(w *WorkOrder) bool {
	return w.setAside() && record.Private(f.WorkOrders, w.ID).Over
}
