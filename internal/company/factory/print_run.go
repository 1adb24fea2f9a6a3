package factory

import (
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
	percent "platen/internal/words/share"
)

// PrintRunStatus is the status of a print run.
//
//	running ──its end──▶ completed
type PrintRunStatus string

// Statuses.
const (
	RunRunning   PrintRunStatus = "running"
	RunCompleted PrintRunStatus = "completed"
)

// Limits of print runs.
const (
	// MaxGang is the most work orders that share one run.
	MaxGang = 6
	// DefaultOversPct is printed above the quantity when the client names
	// nothing: about one run in eight then ends short.
	DefaultOversPct = 3
)

// TimerRunEnds completes a run; its Ref is the run's id.
const TimerRunEnds = "print_run.ends"

// PrintRunItem is the part of a run that belongs to one work order.
type PrintRunItem struct {
	_ struct{} `doc:"The part of a print run that belongs to one work order."`

	WorkOrderID     string `json:"work_order_id" doc:"The work order that this part of the run is for."`
	QuantityPlanned int64  `json:"quantity_planned" doc:"Units to print, without overs: all that the work order lacked at the start."`
	QuantityGood    *int64 `json:"quantity_good" doc:"Good units that came out, at most quantity_planned; null until the run is completed."`
	QuantityShort   *int64 `json:"quantity_short" doc:"Units that are still missing: the work order needs another run. Null until the run is completed."`
}

// PrintRun is one job on a press, for one work order or a gang of up to six.
type PrintRun struct {
	_ struct{} `doc:"One job on a press of the Factory, for one work order or a gang of up to six."`

	record.Head
	PressID         string           `json:"press_id" doc:"The press that it runs on: the id at /factory/presses."`
	Items           []PrintRunItem   `json:"items" doc:"The work orders in the run: one, or up to six as a gang."`
	WorkOrderID     string           `json:"work_order_id" doc:"The first work order of the run."`
	PaperSKU        string           `json:"paper_sku" doc:"The paper that it prints on, such as mat_coated."`
	OversPct        int64            `json:"overs_pct" doc:"Printed above the quantity to cover spoilage, in per cent."`
	SheetsPlanned   int64            `json:"sheets_planned" doc:"Sheets of paper taken from stock at the start: for make-ready, the quantity and the overs."`
	SheetsMakeReady int64            `json:"sheets_make_ready" doc:"The part of sheets_planned that setting up the press takes. It is half as much when the press last printed the same product."`
	InkCansUsed     int64            `json:"ink_cans_used" doc:"Cans of ink taken from stock at the start."`
	PlatesUsed      int64            `json:"plates_used" doc:"Plates taken from stock at the start, one set for the whole run; 0 on a press without plates."`
	OperatorBadgeNo string           `json:"operator_badge_no" doc:"The badge of the operator who runs the press, at the gate and at Head Office the same."`
	Status          PrintRunStatus   `json:"status" enum:"running,completed" doc:"running until ends_sim, then completed."`
	StartedSim      string           `json:"started_sim" doc:"The in-world time of the start, such as 2026-09-07T08:30."`
	EndsSim         string           `json:"ends_sim" doc:"The in-world time of the end. A press that is down puts it off."`
	EndsAt          *moment.Instant  `json:"ends_at" doc:"The wall time of ends_sim, an estimate: a tick brings the end forward, a paused clock or a press that is down puts it off. Null under a manual clock, and while the clock waits for a request."`
	CompletedSim    *string          `json:"completed_sim" doc:"The in-world time at which it ended; null while it runs."`
	SheetsWasted    *int64           `json:"sheets_wasted" doc:"Sheets that became waste paper: make-ready, spoilage, and the surplus of custom goods. Null while it runs."`
	SpoilagePct     *percent.PerCent `json:"spoilage_pct" doc:"The share of the printed sheets that came out bad, in per cent, without make-ready. Null while it runs."`
	ClicksMinor     money.Minor      `json:"clicks_minor" doc:"The cost of the digital press for the sheets of this run, in minor units; billed as overhead on Monday. 0 on the offset press."`
	record.Stamps
}

// PrintRunPrivate holds the state of a run that is never served.
type PrintRunPrivate struct {
	Ends sim.Minute `json:"ends,omitzero"`
	// Run is its number on its press, Minutes how long it takes.
	Run     int64 `json:"run,omitzero"`
	Minutes int64 `json:"minutes,omitzero"`
	// CostMinor is the cost of its material.
	CostMinor money.Minor `json:"cost_minor,omitzero"`
	// Hot is set for a run that was started in a heatwave.
	Hot bool `json:"hot,omitzero"`
}

// Resource implements record.Row.
func (*PrintRun) Resource() string { return "print_run" }

// State implements record.Row.
func (p *PrintRun) State() string { return string(p.Status) }

func newPrintRuns() *record.Table[PrintRun, PrintRunPrivate] {
	return record.NewTable(record.Definition{Resource: "print_run", Prefix: "pr"},
		[]record.Filter[PrintRun, PrintRunPrivate]{
			{Name: "status", Of: (*PrintRun).State},
			{Name: "press_id", Of: func(p *PrintRun) string { return p.PressID }},
		})
}

// StartPrintRun is the body of POST /factory/print-runs.
type StartPrintRun struct {
	_ struct{} `doc:"The body that starts a press of the Factory, or asks for a dry run."`

	PressID         string   `json:"press_id" required:"true" minLength:"1" maxLength:"40" example:"prs_digital" doc:"The press to start: the id at /factory/presses. It has to be idle." agent:"-"`
	WorkOrderID     *string  `json:"work_order_id,omitzero" oneOf:"true" minLength:"1" maxLength:"64" doc:"The work order to print; this or work_order_ids." agent:"-"`
	WorkOrderIDs    []string `json:"work_order_ids,omitzero" oneOf:"true" minItems:"1" maxItems:"6" uniqueItems:"true" doc:"Several small orders of one paper as a gang run, which shares one make-ready."`
	OversPct        *int64   `json:"overs_pct,omitzero" minimum:"0" maximum:"20" doc:"Sheets printed above the quantity to cover spoilage, in per cent; 3 when left out."`
	OperatorBadgeNo *string  `json:"operator_badge_no,omitzero" minLength:"1" maxLength:"20" doc:"The badge of the operator to run it, who has to be present and free; any such operator when left out." agent:"-"`
	DryRun          *bool    `json:"dry_run,omitzero" doc:"Change nothing and return the expected result: minutes, sheets, what is left in stock, the risk of ending short."`
}

// Orders are the work orders to be printed, whichever of the two fields names them.
func (in *StartPrintRun) Orders() []string {
	if in.WorkOrderID != nil {
		return []string{*in.WorkOrderID}
	}
	return in.WorkOrderIDs
}

func (in *StartPrintRun) overs() int64 {
	if in.OversPct != nil {
		return *in.OversPct
	}
	return DefaultOversPct
}

// RunPlan is a run that can start.
type RunPlan struct {
	press      catalog.Press
	orders     []*WorkOrder
	products   []catalog.Product
	overs      int64
	badge      string
	sheets     int64
	makeReady  int64
	ink        int64
	plates     int64
	minutes    int64
	quantities []int64
}

// PapersDetails are the details of gang_mixed_paper.
type PapersDetails struct {
	Papers []string `json:"papers"`
}

// Shortage is one material that does not suffice.
type Shortage struct {
	SKU    string `json:"sku"`
	Needed int64  `json:"needed"`
	OnHand int64  `json:"on_hand"`
}

// ShortageDetails are the details of insufficient_stock.
type ShortageDetails struct {
	Shortages []Shortage `json:"shortages"`
}

// CanStartPrintRun returns the plan of a run for one work order or a gang, or refuses with
// press_down, press_busy, no_operator, insufficient_stock, invalid_state,
// gang_mixed_paper or not_found.
func (f *Factory) CanStartPrintRun(r *record.Recorder, in *StartPrintRun) (RunPlan, error) {
	press, ok := catalog.PressByID(in.PressID)
	if !ok {
		return RunPlan{}, problem.Missing("press", in.PressID)
	}
	p, orders := RunPlan{press: press, overs: in.overs()}, in.Orders()
	for i, id := range orders {
		if slices.Contains(orders[:i], id) {
			return RunPlan{}, problem.Invalid(problem.Field{
				Field: "work_order_ids", Rule: "uniqueItems", Message: "A work order can be in a run once.",
			})
		}
		if _, ok := f.WorkOrders.Find(id); !ok {
			return RunPlan{}, problem.Missing("work_order", id)
		}
	}
	// The press comes before the state of the orders: a client that starts the
	// same run twice is told when the press is free.
	row, _ := f.Presses.Find(press.ID)
	if err := f.inOrder(r, row); err != nil {
		return RunPlan{}, err
	}
	if row.CurrentPrintRunID != nil {
		return RunPlan{}, f.whenFree(r, *row.CurrentPrintRunID,
			problem.New(problem.PressBusy, "The press %s is printing until %s.", press.ID, *row.CurrentRunEndsSim))
	}
	if err := f.planOrders(&p, orders); err != nil {
		return RunPlan{}, err
	}
	badge, err := f.freeOperator(r, in.OperatorBadgeNo)
	if err != nil {
		return RunPlan{}, err
	}
	p.badge = badge
	p.measure(row.LastSKU, row.SheetsPerHour)
	return p, f.checkMaterial(&p)
}

func (f *Factory) planOrders(p *RunPlan, ids []string) error {
	papers, mixed := []string{}, false
	for _, id := range ids {
		w, _ := f.WorkOrders.Find(id)
		private := record.Private(f.WorkOrders, id)
		if w.Status != WorkCreated && w.Status != WorkPrinting {
			return problem.WrongState("work_order", w.Number, string(w.Status), "printed",
				string(WorkCreated), string(WorkPrinting))
		}
		if private.RunID != "" || w.open() == 0 {
			return problem.New(problem.InvalidState, "The work order %s is already being printed or finished.",
				w.Number).
				With(problem.StateDetails{Status: string(w.Status), Allowed: []string{}}).
				Hinting("Wait for its print run or its finishing to end.")
		}
		product, _ := catalog.ProductBySKU(w.SKU)
		p.orders, p.products = append(p.orders, w), append(p.products, product)
		papers = append(papers, product.PaperSKU)
		mixed = mixed || product.PaperSKU != papers[0]
	}
	if mixed {
		return problem.New(problem.GangMixedPaper, "These work orders need different papers and cannot share a run.").
			With(PapersDetails{Papers: papers})
	}
	return nil
}

// whenFree adds to a refusal when the run in its way ends, and nothing else
// (contract: ERR.PRESS_BUSY).
func (f *Factory) whenFree(r *record.Recorder, runID string, p *problem.Problem) error {
	return r.Retrying(p, record.Private(f.PrintRuns, runID).Ends)
}

// measure does the arithmetic of a run: make-ready is halved in sheets and
// takes two fifths of the time when the press last printed the same product.
func (p *RunPlan) measure(last *string, sheetsPerHour int64) {
	p.makeReady = p.press.MakeReadySheets
	minutes := p.press.MakeReadyMinutes
	if last != nil && *last == p.products[0].SKU {
		p.makeReady /= 2
		minutes = minutes * 2 / 5
	}
	p.sheets = p.makeReady
	for i, w := range p.orders {
		product := p.products[i]
		units := w.open()
		p.quantities = append(p.quantities, units)
		p.sheets += ceilDiv(units*product.SheetsPerUnit*(100+p.overs), 100)
		p.ink += ceilDiv(units, product.UnitsPerInkCan)
		if p.press.UsesPlates {
			p.plates = max(p.plates, product.PlatesPerRun)
		}
	}
	p.minutes = minutes + ceilDiv(p.sheets*60, sheetsPerHour)
}

// Minutes is how many working minutes the run takes.
func (p *RunPlan) Minutes() int64 { return p.minutes }

// Sheets is how many sheets the run takes, and how many of these its make-ready.
func (p *RunPlan) Sheets() (all, makeReady int64) { return p.sheets, p.makeReady }

func (p *RunPlan) material() []Need {
	needs := []Need{{SKU: p.products[0].PaperSKU, Quantity: p.sheets}, {SKU: catalog.Ink, Quantity: p.ink}}
	if p.plates > 0 {
		needs = append(needs, Need{SKU: catalog.Plate, Quantity: p.plates})
	}
	return needs
}

func (f *Factory) checkMaterial(p *RunPlan) error {
	var shortages []Shortage
	for _, need := range p.material() {
		if have := f.item(need.SKU).OnHand; have < need.Quantity {
			shortages = append(shortages, Shortage{SKU: need.SKU, Needed: need.Quantity, OnHand: have})
		}
	}
	if len(shortages) == 0 {
		return nil
	}
	first := shortages[0]
	return problem.New(problem.InsufficientStock, "The run needs %d of %s, and %d are on hand.",
		first.Needed, first.SKU, first.OnHand).
		With(ShortageDetails{Shortages: shortages})
}

// StartPrintRun starts a press for a plan of this moment, and returns the run's id and those
// of the requisitions that it made necessary.
func (f *Factory) StartPrintRun(r *record.Recorder, p RunPlan) (id string, requisitions []string) {
	press, pressPrivate := f.Presses.Edit(r, p.press.ID)
	pressPrivate.Runs++
	ends := r.Now() + sim.Minute(p.minutes)
	row := PrintRun{
		PressID: press.ID, WorkOrderID: p.orders[0].ID, PaperSKU: p.products[0].PaperSKU, OversPct: p.overs,
		SheetsPlanned: p.sheets, SheetsMakeReady: p.makeReady, InkCansUsed: p.ink, PlatesUsed: p.plates,
		OperatorBadgeNo: p.badge, Status: RunRunning, StartedSim: r.Now().Text(), EndsSim: ends.Text(),
		ClicksMinor: p.press.ClickMinor.Times(p.sheets),
	}
	row.EndsAt = estimate(r, ends)
	for i, w := range p.orders {
		row.Items = append(row.Items, PrintRunItem{WorkOrderID: w.ID, QuantityPlanned: p.quantities[i]})
	}
	run, private := f.PrintRuns.Add(r, row,
		PrintRunPrivate{Ends: ends, Run: pressPrivate.Runs, Minutes: p.minutes, Hot: f.State.Heat})
	press.CurrentPrintRunID, press.CurrentRunEndsSim = &run.ID, &run.EndsSim
	press.LastSKU = new(p.products[len(p.products)-1].SKU)
	record.EditPrivate(f.Operators, r, operatorID(p.badge)).RunID = run.ID

	r.Born(run)
	record.Move(r, press, &press.Status, PressRunning)
	for _, planned := range p.orders {
		w, work := f.WorkOrders.Edit(r, planned.ID)
		work.RunID = run.ID
		f.waits(w, WaitsForRun)
		w.PrintRunIDs = append(w.PrintRunIDs, run.ID)
		if w.Status == WorkCreated {
			record.Move(r, w, &w.Status, WorkPrinting)
		}
	}
	data := &event.PrintRunStartedData{
		PressID: run.PressID, WorkOrderID: run.WorkOrderID, ItemsCount: int64(len(run.Items)), PaperSKU: run.PaperSKU,
		SheetsPlanned: run.SheetsPlanned, OperatorBadgeNo: run.OperatorBadgeNo, EndsSim: run.EndsSim,
		EndsAt: run.EndsAt,
	}
	for _, need := range p.material() {
		data.Moves(need.SKU, -need.Quantity)
	}
	eventID := r.Emit(event.PrintRunStarted, run, data)
	r.Set(sim.Timer{Due: ends, Class: sim.ClassDay, Kind: TimerRunEnds, Ref: run.ID})
	var skus []string
	for _, need := range p.material() {
		private.CostMinor += f.move(r, need.SKU, -need.Quantity, 0, cause{MoveIssue, eventID, run.ID})
		skus = append(skus, need.SKU)
	}
	f.State.ClicksMinor += run.ClicksMinor
	return run.ID, f.reorder(r, skus...)
}
