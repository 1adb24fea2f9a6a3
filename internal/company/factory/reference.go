package factory

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

// Product is the technical side of a product: its bill of materials.
type Product struct {
	_ struct{} `doc:"A product as the Factory knows it: materials, plates and finishing time."`

	record.Head
	SKU              string `json:"sku" doc:"Names the product in both systems, such as prd_flyer."`
	Name             string `json:"name" doc:"The name of the product, for people."`
	Kind             string `json:"kind" enum:"custom,stock" doc:"custom carries the design of one customer, and a surplus is scrapped; stock can be printed ahead and kept on the shelf."`
	Unit             string `json:"unit" doc:"The content of one unit of quantity, such as 250 cards."`
	PaperSKU         string `json:"paper_sku" doc:"The paper that it is printed on. Work orders on the same paper can share a run."`
	SheetsPerUnit    int64  `json:"sheets_per_unit" doc:"Sheets of paper that one unit takes."`
	InkUnitsPerCan   int64  `json:"ink_units_per_can" doc:"Units that one can of ink prints."`
	PlatesPerRun     int64  `json:"plates_per_run" doc:"Plates that a run takes on a press that uses them."`
	FinishingMinutes int64  `json:"finishing_minutes" doc:"Working minutes from the end of the run until the goods are ready; twice as many while no finisher is at work."`
	record.Stamps
}

// Resource implements record.Row.
func (*Product) Resource() string { return "product" }

// State implements record.Row.
func (*Product) State() string { return "" }

func newProduct(p catalog.Product) Product {
	return Product{
		Head: record.Head{ID: p.SKU}, SKU: p.SKU, Name: p.Name, Kind: string(p.Kind),
		Unit: p.Unit, PaperSKU: p.PaperSKU, SheetsPerUnit: p.SheetsPerUnit, InkUnitsPerCan: p.UnitsPerInkCan,
		PlatesPerRun: p.PlatesPerRun, FinishingMinutes: p.FinishingMinute,
	}
}

// PressStatus is the status of a press.
//
//	idle ──print run started──▶ running ──completed──▶ idle
//	  └──────────┴──disruption──▶ down ──its end──▶ idle, or running when a run waits
type PressStatus string

// Statuses.
const (
	PressIdle    PressStatus = "idle"
	PressRunning PressStatus = "running"
	PressDown    PressStatus = "down"
)

// Press is a machine.
type Press struct {
	_ struct{} `doc:"One of the Factory's presses: its status, its run and the last job on it."`

	record.Head
	Name                string      `json:"name" doc:"The name of the press, for people."`
	Technology          string      `json:"technology" enum:"offset,digital" doc:"offset is slow to set up and fast to print, digital the other way round."`
	MakeReadyMinutes    int64       `json:"make_ready_minutes" doc:"Working minutes that setting it up takes; two fifths of them when it last printed the same product."`
	MakeReadySheets     int64       `json:"make_ready_sheets" doc:"Sheets that setting it up takes; half of them when it last printed the same product."`
	SheetsPerHour       int64       `json:"sheets_per_hour" doc:"Sheets that it prints in a working hour at present; fewer in a heat wave."`
	UsesPlates          bool        `json:"uses_plates" doc:"True when each run takes a set of plates from stock."`
	ClickMinorPerSheet  money.Minor `json:"click_minor_per_sheet" doc:"The charge for each sheet, in minor units, billed as overhead on Monday; 0 for none."`
	LastSKU             *string     `json:"last_sku" doc:"The product that it printed last: the same one again needs less make-ready. Null before the first run."`
	Status              PressStatus `json:"status" enum:"idle,running,down" doc:"idle can start a run, running has one, down is out of order."`
	CurrentPrintRunID   *string     `json:"current_print_run_id" doc:"The print run that is under way on it, also while it is down; null without one."`
	CurrentRunEndsSim   *string     `json:"current_run_ends_sim" doc:"The in-world time at which that run ends; null without one."`
	DownUntilSim        *string     `json:"down_until_sim" doc:"The in-world time at which it is in order again; a run under way waits and continues then. Null while it is in order."`
	CompletedPrintRuns  int64       `json:"completed_print_runs" doc:"Runs completed on it since the opening."`
	MinutesPrintedTotal int64       `json:"minutes_printed_total" doc:"Working minutes of those runs, make-ready included."`
	record.Stamps
}

// PressPrivate holds the state of a press that is never served.
type PressPrivate struct {
	// Runs counts the runs begun on it: the coordinate of their spoilage.
	Runs int64 `json:"runs,omitzero"`
	// DownUntil is when it is in order again, 0 while it is.
	DownUntil sim.Minute `json:"down_until,omitzero"`
}

// Resource implements record.Row.
func (*Press) Resource() string { return "press" }

// State implements record.Row.
func (p *Press) State() string { return string(p.Status) }

func newPress(p catalog.Press) Press {
	return Press{
		Head: record.Head{ID: p.ID}, Name: p.Name, Technology: string(p.Technology),
		MakeReadyMinutes: p.MakeReadyMinutes, MakeReadySheets: p.MakeReadySheets, SheetsPerHour: p.SheetsPerHour,
		UsesPlates: p.UsesPlates, ClickMinorPerSheet: p.ClickMinor, Status: PressIdle,
	}
}
