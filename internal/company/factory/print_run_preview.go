package factory

import (
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

// ShortRisk says how likely a run is to end short.
type ShortRisk string

// Risks of a run to end short (contract: OPEN.DRY_RUN.PRINT_RUN).
const (
	// ShortUnlikely runs have overs for the mean spoilage of their press and two deviations.
	ShortUnlikely ShortRisk = "unlikely"
	// ShortPossible runs have overs for the mean.
	ShortPossible ShortRisk = "possible"
	ShortLikely   ShortRisk = "likely"
)

// PrintRunPreview is the expected result of a print run started now.
type PrintRunPreview struct {
	_ struct{} `doc:"The result of a dry run: a print run as it would start now, with nothing changed."`

	DryRun          bool           `json:"dry_run" doc:"Always true: nothing was started."`
	PressID         string         `json:"press_id" doc:"The press that it would run on."`
	Items           []PrintRunItem `json:"items" doc:"The work orders that it would print, with the units that each still lacks."`
	PaperSKU        string         `json:"paper_sku" doc:"The paper that it would take, such as mat_coated."`
	OversPct        int64          `json:"overs_pct" doc:"Printed above the quantity to cover spoilage, in per cent."`
	SheetsPlanned   int64          `json:"sheets_planned" doc:"Sheets of paper that it would take from stock: for make-ready, the quantity and the overs."`
	SheetsMakeReady int64          `json:"sheets_make_ready" doc:"The part of sheets_planned that setting up the press takes."`
	InkCansUsed     int64          `json:"ink_cans_used" doc:"Cans of ink that it would take from stock."`
	PlatesUsed      int64          `json:"plates_used" doc:"Plates that it would take from stock; 0 on a press without plates."`
	ClicksMinor     money.Minor    `json:"clicks_minor" doc:"The cost of the digital press for these sheets, in minor units; 0 on the offset press."`
	OperatorBadgeNo string         `json:"operator_badge_no" doc:"The badge of the operator who would run it."`
	Minutes         int64          `json:"minutes" doc:"Working minutes from now to the end of the run, if the press does not break down."`
	EndsSim         string         `json:"ends_sim" doc:"The in-world time at which it would end, such as 2026-09-07T10:30."`
	ShortRisk       ShortRisk      `json:"short_risk" enum:"unlikely,possible,likely" doc:"Of ending short at these overs: unlikely when they cover the mean spoilage of the press and two deviations, possible when they cover the mean, likely otherwise. The operator's skill is not in it."`
	StockLeft       []StockLeft    `json:"stock_left" doc:"Each material that it would take, and what would be left."`
}

// StockLeft is the rest of a material after a run.
type StockLeft struct {
	_ struct{} `doc:"One material in a dry run: how much the print run would take and leave."`

	SKU               string `json:"sku" doc:"The material, such as mat_coated."`
	Needed            int64  `json:"needed" doc:"The quantity that the run would take, in the unit of the material."`
	Left              int64  `json:"left" doc:"The quantity on hand afterwards."`
	BelowReorderPoint bool   `json:"below_reorder_point" doc:"True when that is below the reorder point, where the Factory asks for more."`
}

// Preview returns what would come of a plan. It changes nothing.
func (f *Factory) Preview(r *record.Recorder, p RunPlan) PrintRunPreview {
	preview := PrintRunPreview{
		DryRun: true, PressID: p.press.ID, Items: []PrintRunItem{}, PaperSKU: p.products[0].PaperSKU,
		OversPct: p.overs, SheetsPlanned: p.sheets, SheetsMakeReady: p.makeReady, InkCansUsed: p.ink,
		PlatesUsed: p.plates, ClicksMinor: p.press.ClickMinor.Times(p.sheets), OperatorBadgeNo: p.badge,
		Minutes: p.minutes, EndsSim: (r.Now() + sim.Minute(p.minutes)).Text(),
		ShortRisk: p.shortRisk(f.State.Heat), StockLeft: []StockLeft{},
	}
	for i, w := range p.orders {
		preview.Items = append(preview.Items, PrintRunItem{WorkOrderID: w.ID, QuantityPlanned: p.quantities[i]})
	}
	for _, need := range p.material() {
		item := f.item(need.SKU)
		left := item.OnHand - need.Quantity
		preview.StockLeft = append(preview.StockLeft,
			StockLeft{SKU: need.SKU, Needed: need.Quantity, Left: left, BelowReorderPoint: left < item.ReorderPoint})
	}
	return preview
}

// shortRisk compares the overs with what the catalogue says of the press. The skill of the
// operator counts too and is Head Office's to know.
func (p *RunPlan) shortRisk(hot bool) ShortRisk {
	const deviations = 2
	mean := p.press.SpoilagePPM
	if hot {
		mean += heatSpoilagePPM
	}
	bad := mean + deviations*p.press.SpoilageDeviationPPM
	covers := func(spoiled int64) bool { return (100+p.overs)*(sim.Million-spoiled) >= 100*sim.Million }
	switch {
	case covers(bad):
		return ShortUnlikely
	case covers(mean):
		return ShortPossible
	default:
		return ShortLikely
	}
}
