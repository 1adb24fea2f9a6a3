package attention

import (
	"fmt"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/office"
	"platen/internal/event"
	"platen/internal/money"
)

// This file looks at the Factory: presses, people, paper and goods.

// oversPct is what a proposed run prints above the quantity: few runs end short with it.
const oversPct = 8

func (l *look) presses() {
	if len(l.waiting) == 0 {
		return
	}
	proposed := map[string]bool{}
	for p := range l.Factory.Presses.All {
		press := []Record{recordOf("press", p.ID, p.Name)}
		switch p.Status {
		case factory.PressDown:
			l.add(Concern{
				Kind: PressDown, CostMinor: l.delayed() / money.Minor(l.Factory.Presses.Len()),
				Sentence: fmt.Sprintf("%s is down until %s, and %s for a press.", p.Name, *p.DownUntilSim,
					count(len(l.waiting), "work order waits", "work orders wait")),
			}, press)
		case factory.PressIdle:
			for _, w := range l.waiting {
				run := factory.PrintRunInput{PressID: p.ID, WorkOrderIDs: []string{w.ID}, OversPct: oversPct}
				if proposed[w.ID] || l.CanRun(run) != nil {
					continue
				}
				proposed[w.ID] = true
				l.add(Concern{
					Kind: PressIdle, CostMinor: l.wanted[w.ID].perDay, Remedy: &Remedy{Do: StartRun, Run: &run},
					Sentence: fmt.Sprintf("%s is idle, and %s, due on %s, can be printed on it now.", p.Name, w.Number,
						l.wanted[w.ID].due),
				}, append(press, recordOf("work_order", w.ID, w.Number)))
				break
			}
		case factory.PressRunning:
		}
	}
}

// operators looks whether anybody can run a press today.
func (l *look) operators() {
	for o := range l.Factory.Operators.All {
		if o.Present {
			return
		}
	}
	sentence := "No operator is at work today, so no press can be started."
	if !l.People.Staffed(event.Operator, l.Recorder.Today()) {
		sentence = "The company has no operator any more, so no press can be started."
	}
	l.add(Concern{
		Kind: NoOperator, CostMinor: l.delayed(), Sentence: sentence, Remedy: l.hire(event.Operator),
	}, workRecords(l.waiting))
}

// hire is the remedy for a role that nobody holds, if somebody can be hired and nobody is to
// come already.
func (l *look) hire(role event.Role) *Remedy {
	for e := range l.People.Employees.All {
		if e.Role == role && e.Status != hr.EmployeeLeft {
			return nil
		}
	}
	if l.CanHire(role) != nil {
		return nil
	}
	return &Remedy{Do: Hire, Role: role}
}

// vacancies are the roles beside the operators that nobody holds.
func (l *look) vacancies() {
	if !l.Wages {
		return
	}
	for _, v := range []struct {
		role event.Role
		what string
		cost money.Minor
	}{
		{event.Finisher, "There is no finisher, so nothing that is printed gets finished.", l.delayed()},
		{event.Warehouse, "There is no warehouse worker: trucks and parcels wait a day, and an agency is paid.", 0},
		{event.Bookkeeper, "There is no bookkeeper: early discounts are lost, and bills are booked late.", 0},
		{event.Sales, "There are no sales people, so half of the orders do not come in.", 0},
	} {
		if l.People.Staffed(v.role, l.Recorder.Today()) {
			continue
		}
		l.found = append(l.found, Concern{
			Kind: RoleVacant, CostMinor: v.cost, Records: []Record{}, Remedy: l.hire(v.role),
			Sentence: v.what,
		})
	}
}

// materials are those that the waiting work lacks, and those that run low with nothing on the
// way.
func (l *look) materials() {
	coming := map[string]*office.PurchaseOrder{}
	for o := range l.Office.PurchaseOrders.All {
		if o.ReceiptStatus != office.ReceiptNone || o.BillingStatus == office.BillingPaid {
			continue
		}
		for _, line := range o.Lines {
			coming[line.SKU] = o
		}
	}
	for item := range l.Factory.Stock.All {
		if item.Kind != string(catalog.Material) {
			continue
		}
		record := recordOf("stock_item", item.ID, item.SKU)
		order, ordered := coming[item.SKU]
		switch lacks := l.lacking[item.SKU]; {
		case lacks > 0:
			k := Concern{Kind: MaterialMissing, CostMinor: l.without(item.SKU)}
			k.Sentence = fmt.Sprintf("Work that waits for a press needs %d %s more of %s than the warehouse has",
				lacks, item.Unit, item.Name)
			records := append([]Record{record}, workRecords(l.needing(item.SKU))...)
			if ordered {
				k.Sentence += fmt.Sprintf("; %s is on the way.", order.Number)
				records = append(records, recordOf("purchase_order", order.ID, order.Number))
			} else {
				k.Sentence += ", and none is ordered."
				k.Remedy = l.purchase(item, lacks)
			}
			l.add(k, records)
		case item.Status == factory.StockLow && !ordered:
			l.add(Concern{
				Kind: MaterialLow, Remedy: l.purchase(item, 0),
				Sentence: fmt.Sprintf("%s is below its reorder point (%d of %d), and none is ordered.",
					item.Name, item.OnHand, item.ReorderPoint),
			}, []Record{record})
		}
	}
}

// needing are the waiting work orders that take a material.
func (l *look) needing(sku string) (all []*factory.WorkOrder) {
	for _, w := range l.waiting {
		for _, need := range w.MaterialNeeds {
			if need.SKU == sku {
				all = append(all, w)
			}
		}
	}
	return all
}

// without is what tomorrow evening costs if the work that takes a material is not printed.
func (l *look) without(sku string) (cost money.Minor) {
	for _, w := range l.needing(sku) {
		cost += l.wanted[w.ID].perDay
	}
	return cost
}

// purchase orders a material where it is cheapest of those who sell it now: what is lacking, or
// as much as is usual.
func (l *look) purchase(item *factory.StockItem, lacks int64) *Remedy {
	var best *Remedy
	cheapest := money.Minor(0)
	for _, s := range catalog.Suppliers() {
		row, ok := l.Office.Suppliers.Find(s.ID)
		if !ok {
			continue
		}
		for _, price := range row.Prices {
			if price.SKU != item.SKU || best != nil && price.UnitPriceMinor >= cheapest {
				continue
			}
			in := office.PurchaseOrderInput{SupplierID: s.ID, Lines: []office.RequisitionLine{{
				SKU: item.SKU, Quantity: max(item.ReorderQuantity, lacks+item.ReorderPoint, price.MinimumQuantity),
			}}}
			if _, err := l.Office.CanPurchase(in); err == nil {
				best, cheapest = &Remedy{Do: Purchase, Order: &in}, price.UnitPriceMinor
			}
		}
	}
	return best
}

// trucks are those at the gate that nobody has counted in.
func (l *look) trucks() {
	var records []Record
	var remedy *Remedy
	for d := range l.Factory.Deliveries.All {
		if d.Status != factory.DeliveryArrived {
			continue
		}
		records = append(records, recordOf("delivery", d.ID, d.PurchaseOrderNumber))
		in := factory.GoodsReceiptInput{DeliveryID: d.ID, ReceivedOn: l.today}
		if _, err := l.Factory.CanReceive(l.Recorder, in); err == nil && remedy == nil {
			remedy = &Remedy{Do: CountIn, ID: d.ID}
		}
	}
	l.add(Concern{
		Kind: TruckWaits, Remedy: remedy,
		Sentence: fmt.Sprintf("%s at the gate: what is on it is in the warehouse once it is counted in.",
			count(len(records), "truck waits", "trucks wait")),
	}, records)
}

// goods are those that are ready and not shipped.
func (l *look) goods() {
	var records []Record
	var remedy *Remedy
	cost := money.Minor(0)
	for w := range l.Factory.WorkOrders.All {
		if w.WaitsFor != factory.WaitsForShipment || w.Reference == nil {
			continue
		}
		if order, ok := l.Office.OrderByReference(*w.Reference); ok {
			if order.Status != office.OrderAccepted && order.Status != office.OrderInProduction {
				continue // its customer takes the goods no more
			}
			cost += l.atRisk(order)
		} else if lot, ok := l.Office.LotByReference(*w.Reference); ok {
			if lot.Status != office.LotAccepted {
				continue
			}
			cost += l.lotAtRisk(lot)
		}
		records = append(records, recordOf("work_order", w.ID, w.Number))
		if remedy == nil && l.CanShip(w.ID) == nil {
			remedy = &Remedy{Do: Ship, ID: w.ID}
		}
	}
	l.add(Concern{
		Kind: GoodsWait, CostMinor: cost, Remedy: remedy,
		Sentence: fmt.Sprintf("The goods of %s are ready and not shipped.", count(len(records), "work order")),
	}, records)
}
