package factory

import (
	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/money"
)

// Product is the technical side of a product: its bill of materials.
type Product struct {
	record.Head
	SKU              string `json:"sku"`
	Name             string `json:"name"`
	Kind             string `json:"kind" enum:"custom,stock"`
	Unit             string `json:"unit"`
	PaperSKU         string `json:"paper_sku"`
	SheetsPerUnit    int64  `json:"sheets_per_unit"`
	InkUnitsPerCan   int64  `json:"ink_units_per_can"`
	PlatesPerRun     int64  `json:"plates_per_run"`
	FinishingMinutes int64  `json:"finishing_minutes"`
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
	record.Head
	Name                string      `json:"name"`
	Technology          string      `json:"technology" enum:"offset,digital"`
	MakeReadyMinutes    int64       `json:"make_ready_minutes"`
	MakeReadySheets     int64       `json:"make_ready_sheets"`
	SheetsPerHour       int64       `json:"sheets_per_hour" doc:"The sheets that it prints in an hour at present; fewer in a heat wave."`
	UsesPlates          bool        `json:"uses_plates"`
	ClickMinorPerSheet  money.Minor `json:"click_minor_per_sheet"`
	LastSKU             *string     `json:"last_sku"`
	Status              PressStatus `json:"status" enum:"idle,running,down"`
	CurrentPrintRunID   *string     `json:"current_print_run_id"`
	CurrentRunEndsSim   *string     `json:"current_run_ends_sim"`
	DownUntilSim        *string     `json:"down_until_sim" doc:"While it is down: until when. A print run under way waits and goes on then."`
	CompletedPrintRuns  int64       `json:"completed_print_runs"`
	MinutesPrintedTotal int64       `json:"minutes_printed_total"`
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
