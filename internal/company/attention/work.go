package attention

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/company/office"
	"platen/internal/words/event"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// This file looks at the Factory: presses, people, paper and goods.

// oversPct is the surplus of a proposed run over its quantity: few runs end short with it.
const oversPct = 8

// truckDays is how many working days a truck on the way may take, with the time to print what it brings.
const truckDays = 6

// shortMinutes is how long a proposed run of several work orders takes at most.
const shortMinutes = 240

func (l *look) presses() {
	if len(l.waiting) == 0 {
		return
	}
	runs := l.runs()
	for p := range l.Factory.Presses.All {
		press := []Record{recordOf("press", p.ID, p.Name)}
		if p.Status == factory.PressDown {
			l.add(Concern{
				Kind: PressDown, CostMinor: l.delayed() / money.Minor(l.Factory.Presses.Rows.Len()),
				Sentence: fmt.Sprintf("%s is down until %s, and %s for a press.", p.Name, *p.DownUntilSim,
					count(len(l.waiting), "work order waits", "work orders wait")),
			}, press)
		}
		run, ok := runs[p.ID]
		if !ok {
			continue
		}
		first := run.work[0]
		l.add(Concern{
			Kind: PressIdle, CostMinor: l.wanted[first.ID].perDay,
			Remedy: &Remedy{
				Do: StartRun, Body: &run.StartPrintRun,
				Effect: fmt.Sprintf("Prints %s on %s in %s.", workText(run.work), p.Name,
					count(int(run.minutes), "minute")),
			},
			Sentence: fmt.Sprintf("%s is idle, and %s, %s, can be printed on it now.", p.Name, first.Number,
				l.dueText(l.wanted[first.ID].due)),
		}, append(press, workRecords(run.work)...))
	}
}

// workText lists the work that a run prints.
func workText(all []*factory.WorkOrder) string {
	parts := make([]string, len(all))
	for i, w := range all {
		parts[i] = fmt.Sprintf("%s (%d × %s)", w.Number, w.Quantity, w.ProductName)
	}
	return strings.Join(parts, ", ")
}

// proposed is a run for an idle press, with the work that it prints and the minutes that it takes.
type proposed struct {
	factory.StartPrintRun

	work    []*factory.WorkOrder
	minutes int64
}

// runs proposes a run for each idle press. What is due first goes to the press that takes the fewest minutes for it,
// and work on the same paper goes along while the run stays short.
func (l *look) runs() map[string]proposed {
	idle, taken := map[string]bool{}, map[string]bool{}
	for p := range l.Factory.Presses.All {
		idle[p.ID] = p.Status == factory.PressIdle
	}
	runs := map[string]proposed{}
	for _, w := range l.waiting {
		var best proposed
		for p := range l.Factory.Presses.All {
			if !idle[p.ID] || taken[w.ID] {
				continue
			}
			if run, ok := l.planned(p.ID, w); ok && (best.work == nil || run.minutes < best.minutes) {
				best = run
			}
		}
		if best.work == nil {
			continue
		}
		if _, ok := runs[best.PressID]; ok {
			continue // it waits for the press that suits it
		}
		best = l.gang(best, taken)
		for _, one := range best.work {
			taken[one.ID] = true
		}
		runs[best.PressID] = best
	}
	return runs
}

// planned is a run of some work on a press, if it can start now.
func (l *look) planned(press string, work ...*factory.WorkOrder) (proposed, bool) {
	run := proposed{StartPrintRun: factory.StartPrintRun{PressID: press, OversPct: new(int64(oversPct))}, work: work}
	if len(work) == 1 {
		run.WorkOrderID = new(work[0].ID)
	} else {
		for _, w := range work {
			run.WorkOrderIDs = append(run.WorkOrderIDs, w.ID)
		}
	}
	plan, err := l.CanRun(&run.StartPrintRun)
	run.minutes = plan.Minutes()
	return run, err == nil
}

// gang adds work on the same paper to a run, what is due first, as long as the run stays short.
func (l *look) gang(run proposed, taken map[string]bool) proposed {
	for _, w := range l.waiting {
		if len(run.work) == factory.MaxGang || taken[w.ID] || slices.Contains(run.work, w) {
			continue
		}
		longer, ok := l.planned(run.PressID, append(slices.Clone(run.work), w)...)
		if ok && longer.minutes <= shortMinutes {
			run = longer
		}
	}
	return run
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

// hire is the remedy for a vacant role, if a candidate can be hired and none is
// due to start.
func (l *look) hire(role event.Role) *Remedy {
	for e := range l.People.Employees.All {
		if e.Role == role && e.Status != hr.EmployeeLeft {
			return nil
		}
	}
	if l.CanHire(role) != nil {
		return nil
	}
	return &Remedy{
		Do: Hire, Body: &hr.HireEmployee{Role: role},
		Effect: fmt.Sprintf("Hires one person for the role %s. The fee is %s.", role, l.People.HireFeeMinor()),
	}
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
		{event.Finisher, "There is no finisher, so finishing takes twice as long.", l.delayed()},
		{event.Warehouse, "There is no warehouse worker: trucks and shipments wait a day, and an agency is paid.", 0},
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

// materials are those that the waiting work lacks, and those of which too little is left once that work is printed
// and the trucks that are on the way have come.
func (l *look) materials() {
	for item := range l.Factory.Stock.All {
		if item.Kind != string(catalog.Material) {
			continue
		}
		record := recordOf("stock_item", item.ID, item.SKU)
		lacks, order := l.lacking[item.SKU], l.latest[item.SKU]
		short := lacks - l.coming[item.SKU] // of what the waiting work takes, also with all that is on the way
		switch {
		case lacks > 0:
			k := Concern{Kind: MaterialMissing, CostMinor: l.without(item.SKU)}
			k.Sentence = fmt.Sprintf("Work that waits for a press lacks %s of %s",
				count(int(lacks), item.Unit), item.Name)
			records := []Record{record}
			if order != nil {
				k.Sentence += fmt.Sprintf("; %s %s", order.Number, whereabouts(order))
				records = append(records, recordOf("purchase_order", order.ID, order.Number))
			}
			if order != nil && -short >= item.ReorderPoint {
				k.Sentence += "."
			} else {
				records = append(records, l.restock(&k, item, max(0, short), order != nil)...)
			}
			l.add(k, append(records, workRecords(l.needing(item.SKU))...))
		case -short < item.ReorderPoint:
			k := Concern{Kind: MaterialLow}
			k.Sentence = fmt.Sprintf("%s falls below its reorder point (%d of %d) with the work that waits",
				item.Name, max(0, -short), item.ReorderPoint)
			if item.Status == factory.StockLow {
				k.Sentence = fmt.Sprintf("%s is below its reorder point (%d of %d)",
					item.Name, item.OnHand, item.ReorderPoint)
			}
			l.add(k, append([]Record{record}, l.restock(&k, item, 0, order != nil)...))
		}
	}
}

// ordered finds the materials that are ordered and have not come.
func (l *look) ordered() {
	l.coming, l.latest = map[string]int64{}, map[string]*office.PurchaseOrder{}
	for o := range l.Office.PurchaseOrders.All {
		if o.BillingStatus == office.BillingPaid {
			continue
		}
		for i, line := range o.Lines {
			if coming := o.Coming(i); coming > 0 {
				l.coming[line.SKU] += coming
				l.latest[line.SKU] = o
			}
		}
	}
}

// whereabouts says what has become of a purchase order that has not been received.
func whereabouts(o *office.PurchaseOrder) string {
	if o.Status == office.PurchasePending {
		return "asks for it, and waits for approval"
	}
	return "is on the way"
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

// without returns the loss tomorrow evening if the work that takes a material is not printed.
func (l *look) without(sku string) (cost money.Minor) {
	for _, w := range l.needing(sku) {
		cost += l.wanted[w.ID].perDay
	}
	return cost
}

// restock ends the sentence about a material of which none, or too little, is ordered, and proposes to order it. A
// requisition for it that waits at Head Office comes first; and where no supplier takes an order,
// the sentence says why. It returns the requisition, if there is one.
func (l *look) restock(k *Concern, item *factory.StockItem, lacks int64, ordered bool) (waits []Record) {
	var refusal error
	ordering := ", and none is ordered."
	if ordered {
		ordering = ", and too little is on the way."
	}
	if q := l.asked(item.SKU); q != nil {
		next := "for approval"
		if q.Status == office.RequisitionApproved {
			next = "to be ordered"
		}
		k.Sentence += fmt.Sprintf(", and %s, which asks for it, waits %s.", q.Number, next)
		waits = []Record{recordOf(q.Resource(), q.ID, q.Number)}
		k.Remedy, refusal = l.fulfil(q)
		if k.Remedy == nil && refusal == nil { // no supplier sells all that it asks for
			k.Remedy, refusal = l.purchase(item, lacks)
		}
	} else {
		k.Sentence += ordering
		k.Remedy, refusal = l.purchase(item, lacks)
	}
	if p, ok := errors.AsType[*problem.Problem](refusal); ok && k.Remedy == nil {
		k.Sentence += " It cannot be ordered now: " + p.Message
	}
	return waits
}

// asked is the oldest requisition at Head Office that asks for a material and is open, nil
// without one.
func (l *look) asked(sku string) *office.Requisition {
	for q := range l.Office.Requisitions.All {
		if q.Open() && slices.ContainsFunc(q.Lines, func(line office.RequisitionLine) bool { return line.SKU == sku }) {
			return q
		}
	}
	return nil
}

// fulfil approves a requisition, or orders what an approved one asks for.
func (l *look) fulfil(q *office.Requisition) (*Remedy, error) {
	if q.Status == office.RequisitionApproved {
		in := office.CreatePurchaseOrder{RequisitionID: &q.ID}
		for _, line := range q.Lines {
			in.Lines = append(in.Lines, office.MaterialLine(line))
		}
		return l.best(in, cheapest)
	}
	if _, err := l.Office.Decidable(q.ID); err != nil {
		return nil, err //nolint:wrapcheck // a problem says what it is
	}
	return &Remedy{
		Do: ApproveRequisition, ID: q.ID,
		Effect: fmt.Sprintf("Approves %s for about %s. It can be ordered then.", q.Number, q.EstimatedMinor),
	}, nil
}

// purchase orders a material: as much as is usual and covers what is lacking, or the latter alone
// where nobody lends as much.
func (l *look) purchase(item *factory.StockItem, lacks int64) (*Remedy, error) {
	of := func(quantity int64) office.CreatePurchaseOrder {
		return office.CreatePurchaseOrder{Lines: []office.MaterialLine{{SKU: item.SKU, Quantity: quantity}}}
	}
	if lacks > 0 {
		if remedy, _ := l.best(of(lacks), soonest); remedy != nil {
			return remedy, nil
		}
	}
	return l.best(of(max(item.ReorderQuantity, lacks+item.ReorderPoint)), cheapest)
}

// cheapest compares offers by what they cost, where each day of the truck counts as 5 % of the price, and a truck that
// may not come in time as more. soonest compares them by the days that the truck takes.
func cheapest(s *office.Supplier, plan *office.PurchasePlan) int64 {
	const dayPct = 5
	return int64(plan.TotalMinor()) * (100 + dayPct*s.LeadDaysMax) / s.OnTimePct
}

func soonest(s *office.Supplier, _ *office.PurchasePlan) int64 { return s.LeadDaysMax }

// best sends an order to the supplier whose offer measures least, of those who take it now.
// Each line grows to the least that a supplier sells. Without one the error is the last
// supplier's who sells it.
func (l *look) best(in office.CreatePurchaseOrder,
	measure func(*office.Supplier, *office.PurchasePlan) int64) (best *Remedy, refusal error) {
	least := int64(0)
	for _, s := range catalog.Suppliers() {
		row, ok := l.Office.Suppliers.Find(s.ID)
		if !ok {
			continue
		}
		to := in
		to.SupplierID, to.Lines = s.ID, slices.Clone(in.Lines)
		if !sells(row, to.Lines) {
			continue
		}
		plan, err := l.Office.CanPurchase(&to)
		switch {
		case err != nil:
			refusal = err
		case best == nil || measure(row, &plan) < least:
			best, least = &Remedy{Do: Purchase, Body: &to, Effect: l.purchaseText(row, &plan)}, measure(row, &plan)
		}
	}
	return best, refusal
}

// sells reports whether a supplier sells all that an order asks for, and raises each quantity to
// the least that it sells.
func sells(s *office.Supplier, lines []office.MaterialLine) bool {
	for i := range lines {
		at := slices.IndexFunc(s.Prices, func(p office.Price) bool { return p.SKU == lines[i].SKU })
		if at < 0 {
			return false
		}
		lines[i].Quantity = max(lines[i].Quantity, s.Prices[at].MinimumQuantity)
	}
	return true
}

// purchaseText says what an order brings, from whom, for how much and when.
func (l *look) purchaseText(s *office.Supplier, plan *office.PurchasePlan) string {
	var what []string
	for _, line := range plan.Lines() {
		item := l.items[line.SKU]
		what = append(what, fmt.Sprintf("%s of %s", count(int(line.Quantity), item.Unit), item.Name))
	}
	text := fmt.Sprintf("Orders %s from %s for %s", strings.Join(what, ", "), s.Name, plan.TotalMinor())
	if plan.ApprovalRequired() {
		return text + ", which then has to be approved."
	}
	return fmt.Sprintf("%s. The truck takes %d to %d working days.", text, s.LeadDaysMin, s.LeadDaysMax)
}

// trucks are those at the gate that nobody has counted in. One that brings what work lacks comes first.
func (l *look) trucks() {
	var records []Record
	var remedy *Remedy
	awaited := false
	lacked := func(line event.DeliveryLine) bool { return l.lacking[line.SKU] > 0 }
	for d := range l.Factory.Deliveries.All {
		if d.Status != factory.DeliveryArrived {
			continue
		}
		records = append(records, recordOf("delivery", d.ID, d.PurchaseOrderNumber))
		in := &factory.CreateFactoryGoodsReceipt{DeliveryID: d.ID}
		brings := slices.ContainsFunc(d.Lines, lacked)
		if _, err := l.Factory.CanReceive(l.Recorder, in); err == nil && (remedy == nil || brings && !awaited) {
			awaited = brings
			remedy = &Remedy{
				Do: CountIn, Body: in,
				Effect: fmt.Sprintf("Counts in what came for %s: %s.", d.PurchaseOrderNumber, l.cargo(d.Lines)),
			}
		}
	}
	l.add(Concern{
		Kind: TruckWaits, Remedy: remedy,
		Sentence: fmt.Sprintf("%s at the gate. Record the receipt to add the load to stock.",
			count(len(records), "truck waits", "trucks wait")),
	}, records)
}

// cargo says what is on a truck, as it will be counted.
func (l *look) cargo(lines []event.DeliveryLine) string {
	what := make([]string, len(lines))
	for i, line := range lines {
		item := l.items[line.SKU]
		what[i] = fmt.Sprintf("%s of %s", count(int(line.QuantityCounted), item.Unit), item.Name)
	}
	return strings.Join(what, ", ")
}
