package company

import (
	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

// timerPoint notes a point of the series.
const timerPoint = "series.point"

// noon is the end of the first half of a day.
const noon = sim.DayLength / 2

// SeriesPoint is the company at the end of half a day, for charts (contract:
// OPEN.ROUTE.SANDBOX.SERIES). It has no status and no event of its own.
type SeriesPoint struct {
	_ struct{} `doc:"The company at the end of half a working day, for charts."`

	record.Head
	SimTime string `json:"sim_time" example:"2026-09-07T12:00" doc:"The in-world moment of the point."`
	// Seq is the number of the newest event at that moment.
	Seq            uint64      `json:"seq" doc:"The number of the newest event at that moment."`
	CashMinor      money.Minor `json:"cash_minor" doc:"The cash of the company, in minor units."`
	NetWorthMinor  money.Minor `json:"net_worth_minor" doc:"The net worth of the company, in minor units: that of the score."`
	Stock          SeriesStock `json:"stock" doc:"The stock on hand, by SKU."`
	PressesRunning int         `json:"presses_running" doc:"Presses that were printing."`
	record.Stamps
}

// SeriesStock is the stock on hand, by SKU.
type SeriesStock struct {
	_ struct{} `doc:"The company's stock on hand at one point of the series, by SKU."`

	Coated   int64 `json:"mat_coated" doc:"Sheets of coated paper."`
	Uncoated int64 `json:"mat_uncoated" doc:"Sheets of uncoated paper."`
	Board    int64 `json:"mat_board" doc:"Sheets of board."`
	Ink      int64 `json:"mat_ink" doc:"Cans of ink."`
	Plate    int64 `json:"mat_plate" doc:"Plates."`
	Waste    int64 `json:"mat_waste" doc:"Grams of waste paper."`
	Notebook int64 `json:"prd_notebook" doc:"Units of notebooks on the shelf."`
	Calendar int64 `json:"prd_calendar" doc:"Units of calendars on the shelf."`
}

// Resource implements record.Row.
func (*SeriesPoint) Resource() string { return SeriesResource }

// State implements record.Row.
func (*SeriesPoint) State() string { return "" }

// SeriesResource names the points of the series.
const SeriesResource = "series_point"

func newSeries() *record.Table[SeriesPoint, struct{}] {
	return record.NewTable[SeriesPoint, struct{}](record.Definition{Resource: SeriesResource, Prefix: "pnt"}, nil)
}

// notePoint adds the present moment to the series.
func (c *Company) notePoint() {
	onHand := func(sku string) int64 {
		item, _ := c.factory.Stock.Find(factory.StockItemID(sku))
		return item.OnHand
	}
	running := 0
	for press := range c.factory.Presses.All {
		if press.Status == factory.PressRunning {
			running++
		}
	}
	c.series.Add(c.rec, SeriesPoint{
		SimTime: c.rec.Now().Text(), Seq: c.rec.Sequence(), CashMinor: c.office.State.CashMinor,
		NetWorthMinor: c.netWorthMinor(), PressesRunning: running,
		Stock: SeriesStock{
			Coated: onHand(catalog.Coated), Uncoated: onHand(catalog.Uncoated), Board: onHand(catalog.Board),
			Ink: onHand(catalog.Ink), Plate: onHand(catalog.Plate), Waste: onHand(catalog.Waste),
			Notebook: onHand("prd_notebook"), Calendar: onHand("prd_calendar"),
		},
	}, struct{}{})
}
