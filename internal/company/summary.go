package company

import (
	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/mission"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/money"
	"platen/internal/words/share"
)

// Summary is the company at a glance: what GET /sandbox and GET /office/cash
// show. It is a value, taken after each commit, so that reading it never waits.
type Summary struct {
	Settings Settings
	// Bankrupt is set when the company has ended.
	Bankrupt bool
	Clock    sim.Clock
	Now      sim.Minute
	Signals  mission.Signals

	CashMinor, OpeningCashMinor money.Minor
	ReceivableMinor             money.Minor
	// PayableMinor is the unpaid amount of supplier invoices.
	PayableMinor        money.Minor
	NetWorthMinor       money.Minor
	OverdraftLimitMinor money.Minor
	// DaysNegative counts the day closes in a row with negative cash.
	DaysNegative int64
	Reputation   share.PerCent
	Morale       share.PerCent
	Inventory    Inventory
	Presses      PressCounts
	Disruptions  []RunningDisruption
	Counts       Counts
	Score        Score
	// Assisted is set once a trigger was used.
	Assisted bool
	// OrdersLate counts the sales orders that reached their customers too late.
	OrdersLate int64
}

// Inventory is the warehouse.
type Inventory struct {
	_ struct{} `doc:"The company's warehouse on both sides of printing: materials and finished goods."`

	Materials       []MaterialStock `json:"materials" doc:"Paper, ink and plates, in the order of the reference data."`
	Finished        []FinishedStock `json:"finished" doc:"Stock products on the shelf."`
	StockValueMinor money.Minor     `json:"stock_value_minor" doc:"The whole warehouse at average cost, in minor units."`
}

// MaterialStock is one material in the warehouse.
type MaterialStock struct {
	_ struct{} `doc:"One material in the company's warehouse: how much is left, and when to reorder."`

	SKU          string `json:"sku" doc:"The material, such as mat_coated."`
	Name         string `json:"name" doc:"The name of the material, for people."`
	Unit         string `json:"unit" doc:"The unit of its quantities: sheet, can or plate."`
	OnHand       int64  `json:"on_hand" doc:"The quantity in the warehouse now."`
	ReorderPoint int64  `json:"reorder_point" doc:"The quantity below which the Factory asks for more."`
	Status       string `json:"status" enum:"ok,low" doc:"low while on_hand is below reorder_point, else ok."`
}

// FinishedStock is one finished product in the warehouse.
type FinishedStock struct {
	_ struct{} `doc:"One stock product in the company's warehouse, ready to sell."`

	SKU      string `json:"sku" doc:"The product, such as prd_notebook."`
	OnHand   int64  `json:"on_hand" doc:"Units on the shelf now, reserved ones included."`
	Reserved int64  `json:"reserved" doc:"Units that ready work orders hold."`
}

// PressCounts counts presses by status.
type PressCounts struct {
	_ struct{} `doc:"The Factory's presses, counted by status."`

	Idle    int `json:"idle" doc:"Presses that can start a run."`
	Running int `json:"running" doc:"Presses with a run under way."`
	Down    int `json:"down" doc:"Presses that are out of order."`
}

// Counts counts the records under way.
type Counts struct {
	_ struct{} `doc:"The company's records under way, counted by the work that they wait for."`

	OrdersOpen        int64 `json:"orders_open" doc:"Sales orders that wait for an answer or for their goods."`
	WorkOrdersOpen    int64 `json:"work_orders_open" doc:"Work orders that are neither shipped nor stocked."`
	WorkOrdersToPrint int64 `json:"work_orders_to_print" doc:"Those of them that wait for a press, also after a short run."`
	DeliveriesWaiting int64 `json:"deliveries_waiting" doc:"Trucks at the gate that are not counted in."`
	InvoicesPayable   int64 `json:"invoices_payable" doc:"Supplier invoices that are not paid, overheads included."`
	LotsOffered       int64 `json:"lots_offered" doc:"Contract lots that wait for an answer."`
}

// Score is the company's results so far.
type Score struct {
	_ struct{} `doc:"The company's results so far, from net worth to reputation."`

	NetWorthMinor      money.Minor    `json:"net_worth_minor" doc:"Cash, stock and what customers owe for goods that they have, less all debts, in minor units; of a bankrupt company at most 0."`
	ProfitMinor        money.Minor    `json:"profit_minor" doc:"net_worth_minor less that of the opening."`
	OrdersShipped      int64          `json:"orders_shipped" doc:"Sales orders whose customers have the goods and the invoice."`
	OnTimePct          *share.PerCent `json:"on_time_pct" doc:"How many of a hundred such orders had their goods by due_date, in per cent; orders_expired count as late. Null while there is nothing to count."`
	SpoilagePct        *share.PerCent `json:"spoilage_pct" doc:"The share of all printed sheets that came out bad, in per cent, without make-ready. Null before the first run has ended."`
	OrdersExpired      int64          `json:"orders_expired" doc:"Accepted orders whose goods did not reach the customer in time, billed or not."`
	OrdersLapsed       int64          `json:"orders_lapsed" doc:"Orders that were not answered in time."`
	LotsDelivered      int64          `json:"lots_delivered" doc:"Contract lots whose customers have the goods and the invoice."`
	LotsExpired        int64          `json:"lots_expired" doc:"Accepted lots whose goods did not reach the customer in time, billed or not."`
	PayrollLate        int64          `json:"payroll_late" doc:"Payroll runs that were not paid by their due date."`
	WagesWithheldMinor money.Minor    `json:"wages_withheld_minor" doc:"The worth of all hours that the gate counted and timesheets left out, in minor units; they are owed with 10 % on top."`
	// WritesRefused is not known to the company: refusals leave no trace in it.
	WritesRefused int64 `json:"writes_refused" doc:"Writes that failed with 4xx, but for 429 and press_busy, which only ask to wait."`
}

// Bridge returns the carrier of records.
func (s *Summary) Bridge() preset.Bridge { return s.Settings.Bridge }

// Summary returns the company at a glance.
func (c *Company) Summary() Summary {
	o, f := &c.office.State, &c.factory.State
	s := Summary{
		Settings: c.settings, Bankrupt: c.Bankrupt(), Clock: c.clock, Now: c.now, Signals: c.missions.Signals,
		CashMinor: o.CashMinor, OpeningCashMinor: o.OpeningCashMinor, ReceivableMinor: o.ReceivableMinor,
		OverdraftLimitMinor: c.settings.Preset.OverdraftLimitMinor, Reputation: share.PerCent(o.ReputationPPM / 100),
		Morale: c.people.Morale(), PayableMinor: o.PayableMinor, DaysNegative: o.NegativeCloses,
		Counts: Counts{OrdersOpen: o.OpenOrders, WorkOrdersOpen: f.OpenWorkOrders,
			WorkOrdersToPrint: f.WorkOrdersToPrint,
			DeliveriesWaiting: f.DeliveriesWaiting, InvoicesPayable: o.UnpaidSupplierInvoices,
			LotsOffered: o.OfferedLots},
	}
	s.Disruptions = c.runningDisruptions()
	c.summarizeStock(&s)
	for press := range c.factory.Presses.All {
		switch press.Status {
		case factory.PressIdle:
			s.Presses.Idle++
		case factory.PressRunning:
			s.Presses.Running++
		case factory.PressDown:
			s.Presses.Down++
		}
	}
	s.NetWorthMinor, s.OrdersLate, s.Assisted = c.netWorthMinor(), o.LateOrders, c.assisted
	s.Score = Score{
		NetWorthMinor: s.NetWorthMinor, ProfitMinor: s.NetWorthMinor - c.office.State.OpeningNetWorthMinor,
		OrdersShipped: o.ShippedOrders, OnTimePct: ratio(o.ShippedOrders-o.LateOrders, o.ShippedOrders+o.ExpiredOrders),
		OrdersExpired: o.ExpiredOrders, OrdersLapsed: o.LapsedOrders, LotsExpired: o.ExpiredLots,
		WagesWithheldMinor: c.people.State.WithheldMinor,
		SpoilagePct:        ratio(f.SheetsSpoiled, f.SheetsPrinted), LotsDelivered: o.DeliveredLots,
		PayrollLate: c.people.State.LatePayrolls,
	}
	return s
}

func (c *Company) summarizeStock(s *Summary) {
	s.Inventory = Inventory{
		Materials: []MaterialStock{}, Finished: []FinishedStock{}, StockValueMinor: c.factory.StockValueMinor(),
	}
	for _, known := range catalog.Items() {
		item, _ := c.factory.Stock.Find(factory.StockItemID(known.SKU))
		switch known.Class {
		case catalog.Material:
			s.Inventory.Materials = append(s.Inventory.Materials, MaterialStock{
				SKU: item.SKU, Name: item.Name, Unit: item.Unit, OnHand: item.OnHand, ReorderPoint: item.ReorderPoint,
				Status: string(item.Status),
			})
		case catalog.Finished:
			s.Inventory.Finished = append(s.Inventory.Finished,
				FinishedStock{SKU: item.SKU, OnHand: item.OnHand, Reserved: item.Reserved})
		case catalog.Scrap:
		}
	}
}

func ratio(part, whole int64) *share.PerCent {
	if whole == 0 {
		return nil
	}
	return new(share.PerCent(part * 10_000 / whole))
}
