package attention

import (
	"fmt"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/words/money"
)

// goods are those that are ready and not shipped, and parts whose customer wants them by tomorrow.
func (l *look) goods() {
	var records []Record
	var remedy *Remedy
	cost, parts := money.Minor(0), 0
	for w := range l.Factory.WorkOrders.All {
		ship := &factory.CreateFactoryShipment{WorkOrderID: w.ID}
		if l.partly(w) {
			ship.Quantity = new(w.QuantityReady - w.QuantityShipped)
		} else if w.WaitsFor != factory.WaitsForShipment || w.Reference == nil {
			continue
		}
		if order, ok := l.Office.OrderByReference(*w.Reference); ok {
			if !l.Office.OrderAwaited(order) {
				continue // its customer takes the goods no more, or not yet
			}
			cost += l.atRisk(order)
		} else if lot, ok := l.Office.LotByReference(*w.Reference); ok {
			if !l.Office.LotAwaited(lot) {
				continue
			}
			cost += l.lotAtRisk(lot)
		}
		records = append(records, recordOf("work_order", w.ID, w.Number))
		if ship.Quantity != nil {
			parts++
		}
		if remedy != nil {
			continue
		}
		if p, err := l.CanShip(ship); err == nil {
			remedy = &Remedy{
				Do: Ship, Body: ship, Effect: fmt.Sprintf("Ships the goods of %s: %s.", w.Number, w.ProductName),
			}
			if ship.Quantity != nil {
				remedy.Effect = fmt.Sprintf("Ships %d of the %d of %s: %s.", p.Quantity, w.Quantity, w.Number,
					w.ProductName)
			}
		}
	}
	sentence := fmt.Sprintf("The goods of %s are ready and not shipped.", count(len(records), "work order"))
	if parts > 0 {
		sentence += fmt.Sprintf(" Of %d only a part is ready, which its customer takes before the rest.", parts)
	}
	l.add(Concern{Kind: GoodsWait, CostMinor: cost, Remedy: remedy, Sentence: sentence}, records)
}

// partly reports whether a part of a work order is ready before the rest, for a customer who takes parts and wants the
// goods by tomorrow: what comes late is paid with a discount.
func (l *look) partly(w *factory.WorkOrder) bool {
	if w.WaitsFor == factory.WaitsForShipment || w.Reference == nil || w.QuantityReady <= w.QuantityShipped {
		return false
	}
	order, ok := l.Office.OrderByReference(*w.Reference)
	if !ok || order.DueDate > l.tomorrow {
		return false
	}
	customer, _ := catalog.CustomerByID(order.CustomerID)
	return customer.AcceptsParts
}
