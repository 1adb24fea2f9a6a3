// Package factory is the Factory: presses, work orders, print runs, stock and
// shipments. It knows nothing of Head Office but the references that the bridge
// or the client writes on its work orders.
package factory

import (
	"fmt"
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

// Factory holds the department's tables and its other state.
type Factory struct {
	Products   *record.Table[Product, struct{}]
	Operators  *record.Table[Operator, OperatorPrivate]
	Attendance *record.Table[Attendance, struct{}]
	Presses    *record.Table[Press, PressPrivate]
	Stock      *record.Table[StockItem, StockItemPrivate]
	StockMoves *record.Table[StockMove, struct{}]
	WorkOrders *record.Table[WorkOrder, WorkOrderPrivate]
	PrintRuns  *record.Table[PrintRun, PrintRunPrivate]
	Shipments  *record.Table[Shipment, struct{}]

	Requisitions  *record.Table[Requisition, struct{}]
	Deliveries    *record.Table[Delivery, DeliveryPrivate]
	GoodsReceipts *record.Table[GoodsReceipt, struct{}]

	MarketDeliveries *record.Table[MarketDelivery, struct{}]

	// State is stored with every commit.
	State State
	// DoubleWork lets a client order the same work more than once.
	DoubleWork bool

	// spoilage draws how much of a run comes out bad, by press.
	spoilage map[string]sim.Stream
	// byReference finds the work orders of a reference, folded. It is filled on first
	// use.
	byReference map[string][]string
}

// State is the Factory's state outside its tables.
type State struct {
	NextWorkOrder int `json:"next_work_order"`
	NextShipment  int `json:"next_shipment"`
	// NextRequisition is the number of the next requisition.
	NextRequisition int `json:"next_requisition"`
	// DeliveriesWaiting counts trucks that are not counted in yet.
	DeliveriesWaiting int64 `json:"deliveries_waiting"`
	// ClicksMinor is the cost of digital printing since it was last billed.
	ClicksMinor money.Minor `json:"clicks_minor"`
	// OpenWorkOrders counts work orders that are neither shipped nor stocked, and whose customer takes the goods.
	OpenWorkOrders int64 `json:"open_work_orders"`
	// WorkOrdersToPrint counts those of them that wait for a press.
	WorkOrdersToPrint int64 `json:"work_orders_to_print"`
	// SheetsPrinted and SheetsSpoiled add up over all completed runs,
	// make-ready left out.
	SheetsPrinted int64 `json:"sheets_printed"`
	SheetsSpoiled int64 `json:"sheets_spoiled"`
	// FinishersPresent counts the finishers at work today, who can dry, cut and
	// bind.
	FinishersPresent int64 `json:"finishers_present"`
	// WarehousePresent counts the warehouse workers at work today.
	WarehousePresent int64 `json:"warehouse_present"`
	// Heat is set while it is too hot to print at full speed.
	Heat bool `json:"heat,omitzero"`
}

// New returns an empty Factory.
func New(seed uint64) *Factory {
	f := &Factory{
		Products:   record.NewTable[Product, struct{}](record.Definition{Resource: "factory_product"}, nil),
		Operators:  newOperators(),
		Attendance: newAttendance(),
		Presses:    record.NewTable[Press, PressPrivate](record.Definition{Resource: "press"}, nil),
		Stock:      newStock(),
		StockMoves: newStockMoves(),
		WorkOrders: newWorkOrders(),
		PrintRuns:  newPrintRuns(),
		Shipments:  newShipments(),

		Requisitions: newRequisitions(), Deliveries: newDeliveries(), GoodsReceipts: newGoodsReceipts(),
		MarketDeliveries: newMarketDeliveries(),

		spoilage: map[string]sim.Stream{},
	}
	for _, p := range catalog.Presses() {
		f.spoilage[p.ID] = sim.NewStream(seed, "spoil."+p.ID)
	}
	return f
}

// Tables lists the tables in the order in which they are stored.
func (f *Factory) Tables() []*record.Rows {
	return []*record.Rows{
		f.Products.Rows, f.Operators.Rows, f.Attendance.Rows, f.Presses.Rows, f.Stock.Rows, f.StockMoves.Rows,
		f.WorkOrders.Rows, f.PrintRuns.Rows, f.Shipments.Rows, f.Requisitions.Rows, f.Deliveries.Rows,
		f.GoodsReceipts.Rows, f.MarketDeliveries.Rows,
	}
}

// Open writes the reference data, the presses and the opening stock, last to
// first, since lists are newest first and these are to be read in the order
// of teaching. The opening stock of the delivered SKUs comes with a goods
// receipt.
func (f *Factory) Open(r *record.Recorder, delivered ...string) {
	f.State = State{NextWorkOrder: 3001, NextShipment: 6001, NextRequisition: 9001}
	products := catalog.Products()
	for i := range slices.Backward(products) {
		f.Products.Add(r, newProduct(products[i]), struct{}{})
	}
	presses := catalog.Presses()
	for i := range slices.Backward(presses) {
		f.Presses.Add(r, newPress(presses[i]), PressPrivate{})
	}
	f.openStock(r, delivered)
}

// Check reports a state that cannot be.
func (f *Factory) Check() error {
	for _, check := range []func() error{
		f.checkStock, f.checkWorkOrders, f.checkPresses, f.checkAttendance, f.checkRequisitions, f.checkDeliveries,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (f *Factory) checkPresses() error {
	running := map[string]string{}
	for run := range f.PrintRuns.All {
		if run.Status == RunRunning {
			if running[run.PressID] != "" {
				return fmt.Errorf("press %s has two runs: %s and %s", run.PressID, running[run.PressID], run.ID)
			}
			running[run.PressID] = run.ID
		}
	}
	for _, check := range []func() error{f.checkHands, f.checkDowntime} {
		if err := check(); err != nil {
			return err
		}
	}
	for press := range f.Presses.All {
		current := ""
		if press.CurrentPrintRunID != nil {
			current = *press.CurrentPrintRunID
		}
		if current != running[press.ID] ||
			press.Status != PressDown && (press.Status == PressRunning) != (current != "") {
			return fmt.Errorf("press %s is %s with the run %q, but %q runs on it",
				press.ID, press.Status, current, running[press.ID])
		}
	}
	return nil
}

// checkHands compares the operators and presses that are marked busy with the
// runs.
func (f *Factory) checkHands() error {
	operators, orders := map[string]string{}, map[string]string{}
	for run := range f.PrintRuns.All {
		if run.Status != RunRunning {
			continue
		}
		operators[run.OperatorBadgeNo] = run.ID
		for _, item := range run.Items {
			orders[item.WorkOrderID] = run.ID
		}
	}
	for operator, private := range f.Operators.All {
		if private.RunID != operators[operator.BadgeNo] {
			return fmt.Errorf("operator %s is said to be at %q, the runs say %q",
				operator.BadgeNo, private.RunID, operators[operator.BadgeNo])
		}
	}
	for w, private := range f.WorkOrders.All {
		if private.RunID != orders[w.ID] {
			return fmt.Errorf("work order %s is said to be in %q, the runs say %q", w.ID, private.RunID, orders[w.ID])
		}
	}
	return nil
}

// shareDown rounds v * ppm / million down.
func shareDown(v, ppm int64) int64 { return v/sim.Million*ppm + v%sim.Million*ppm/sim.Million }

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
