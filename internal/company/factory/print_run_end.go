package factory

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/money"
	percent "platen/internal/words/share"
)

// output is the output of a run for one work order.
type output struct {
	order         *WorkOrder
	private       *WorkOrderPrivate
	product       catalog.Product
	good, surplus int64
	cost          money.Minor
}

// RunEnds completes a print run: good copies, spoilage, a free press. One that
// was held up ends when its time has come.
func (f *Factory) RunEnds(r *record.Recorder, id string) {
	if ends := record.Private(f.PrintRuns, id).Ends; ends > r.Now() {
		r.Set(sim.Timer{Due: ends, Class: sim.ClassDay, Kind: TimerRunEnds, Ref: id})
		return
	}
	run, private := f.PrintRuns.Edit(r, id)
	press, _ := f.Presses.Edit(r, run.PressID)
	spoiled := f.drawSpoilage(run, private)
	outputs := f.outputs(r, run, private, spoiled)

	used, good, short := int64(0), int64(0), int64(0)
	for i := range outputs {
		o, item := &outputs[i], &run.Items[i]
		used += (o.good + o.surplus) * o.product.SheetsPerUnit
		good += o.good
		short += item.QuantityPlanned - o.good
		item.QuantityGood, item.QuantityShort = new(o.good), new(item.QuantityPlanned-o.good)
	}
	wasted := run.SheetsPlanned - used
	run.SheetsWasted, run.CompletedSim = &wasted, new(r.Now().Text())
	run.SpoilagePct = new(percent.PerCent(spoiled / 100))
	printed := run.SheetsPlanned - run.SheetsMakeReady
	f.State.SheetsPrinted += printed
	f.State.SheetsSpoiled += shareDown(printed, spoiled)

	press.CurrentPrintRunID, press.CurrentRunEndsSim = nil, nil
	press.CompletedPrintRuns++
	press.MinutesPrintedTotal += private.Minutes
	record.EditPrivate(f.Operators, r, operatorID(run.OperatorBadgeNo)).RunID = ""
	record.Move(r, run, &run.Status, RunCompleted)
	record.Move(r, press, &press.Status, PressIdle)
	data := &event.PrintRunCompletedData{
		PressID: run.PressID, WorkOrderID: run.WorkOrderID, QuantityGood: good, QuantityShort: short,
		SheetsWasted: wasted, SpoilagePct: *run.SpoilagePct,
	}
	data.Moves(catalog.Waste, wasted*catalog.GramsPerSheet)
	for i := range outputs {
		data.Moves(outputs[i].order.SKU, outputs[i].surplus)
	}
	eventID := r.Emit(event.PrintRunCompleted, run, data)
	f.move(r, catalog.Waste, wasted*catalog.GramsPerSheet, 0, cause{MoveWaste, eventID, run.ID})
	for i := range outputs {
		f.distribute(r, &outputs[i], cause{MoveOutput, eventID, run.ID})
	}
}

// drawSpoilage is the share of sheets that came out bad, in parts per million.
func (f *Factory) drawSpoilage(run *PrintRun, private *PrintRunPrivate) int64 {
	press, _ := catalog.PressByID(run.PressID)
	normal := f.spoilage[run.PressID].Normal(private.Run)
	spoiled := press.SpoilagePPM - f.skillPPM(run.OperatorBadgeNo) + press.SpoilageDeviationPPM*normal/sim.Million
	if private.Hot {
		spoiled += heatSpoilagePPM
	}
	return max(0, spoiled)
}

func (f *Factory) outputs(r *record.Recorder, run *PrintRun, private *PrintRunPrivate, spoiled int64) []output {
	outputs := make([]output, len(run.Items))
	sheets := int64(0)
	for i, item := range run.Items {
		o := &outputs[i]
		o.order, o.private = f.WorkOrders.Edit(r, item.WorkOrderID)
		o.product, _ = catalog.ProductBySKU(o.order.SKU)
		made := shareDown(item.QuantityPlanned*(100+run.OversPct), sim.Million-spoiled) / 100
		o.good = min(item.QuantityPlanned, made)
		if o.product.Kind == catalog.Stock {
			o.surplus = made - o.good
		}
		sheets += item.QuantityPlanned * o.product.SheetsPerUnit
	}
	for i := range outputs {
		o := &outputs[i]
		o.cost = share(private.CostMinor, run.Items[i].QuantityPlanned*o.product.SheetsPerUnit, sheets)
	}
	return outputs
}

// distribute gives a work order its good copies, and the shelf the surplus.
func (f *Factory) distribute(r *record.Recorder, o *output, c cause) {
	w, private := o.order, o.private
	private.RunID = ""
	w.QuantityGood += o.good
	w.MaterialNeeds = needs(o.product, w.open())
	surplusCost := money.Minor(0)
	if o.surplus > 0 {
		surplusCost = share(o.cost, o.surplus, o.good+o.surplus)
		f.move(r, w.SKU, o.surplus, surplusCost, c)
	}
	private.CostMinor += o.cost - surplusCost
	// An order that is short stays in printing and needs a top-up run; what is good is finished meanwhile.
	f.waitsOn(w)
	if o.good == 0 {
		return
	}
	private.Finishing = append(private.Finishing, o.good)
	r.Set(sim.Timer{
		Due: r.Now() + f.finishingMinutes(o.product), Class: sim.ClassDay, Kind: TimerFinishingEnds, Ref: w.ID,
	})
}
