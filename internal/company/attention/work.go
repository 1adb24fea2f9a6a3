package attention

import (
	"fmt"
	"slices"
	"strings"

	"platen/internal/company/factory"
	"platen/internal/company/hr"
	"platen/internal/words/event"
	"platen/internal/words/money"
)

// This file looks at the Factory: presses, people, paper and goods.

// oversPct is the surplus of a proposed run over its quantity: few runs end short with it.
const oversPct = 8

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

// proposed is a run for an idle press, with the work that it prints and the minutes and sheets that it takes.
type proposed struct {
	factory.StartPrintRun

	work                       []*factory.WorkOrder
	minutes, sheets, makeReady int64
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
	run.sheets, run.makeReady = plan.Sheets()
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
