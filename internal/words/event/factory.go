package event

import (
	"platen/internal/words/moment"
	"platen/internal/words/share"
)

// WorkOrderCreatedData is the data of factory.work_order.created.
type WorkOrderCreatedData struct {
	Head
	Number    string       `json:"number" doc:"The number of the work order on paper."`
	SKU       string       `json:"sku" doc:"The product to make, such as prd_flyer."`
	Quantity  int64        `json:"quantity" doc:"How many units are asked for."`
	Reference *string      `json:"reference" doc:"The text on the shipment, such as the id of a sales order; null for goods that go on the shelf."`
	DueDate   *moment.Date `json:"due_date" doc:"The date by which the goods are wanted; null without one."`
	Source    string       `json:"source" enum:"client,bridge" doc:"client: your program wrote it; bridge: the auto bridge did."`
	Riders
}

// WorkOrderReadyData is the data of factory.work_order.ready.
type WorkOrderReadyData struct {
	Head
	Number    string      `json:"number" doc:"The number of the work order on paper."`
	SKU       string      `json:"sku" doc:"The product that was printed, such as prd_flyer."`
	Quantity  int64       `json:"quantity" doc:"The units of the whole work order."`
	Reference *string     `json:"reference" doc:"The text on the shipment, such as the id of a sales order; null for goods that are now on the shelf."`
	ReadyOn   moment.Date `json:"ready_on" doc:"The in-world date of it."`
	Stock
	Riders
}

// ShipmentCreatedData is the data of factory.shipment.created.
type ShipmentCreatedData struct {
	Head
	Number      string  `json:"number" doc:"The number of the shipment on paper."`
	WorkOrderID string  `json:"work_order_id" doc:"The work order whose goods left."`
	Reference   string  `json:"reference" doc:"The text on the shipment, such as the id of a sales order."`
	SKU         string  `json:"sku" doc:"The product that was shipped, such as prd_flyer."`
	Quantity    int64   `json:"quantity" doc:"Units shipped: all of the work order, or a part."`
	PartRef     *string `json:"part_ref" doc:"Your name for the part; null without one."`
	Final       bool    `json:"final" doc:"True for a shipment that closed its work order."`
	Source      string  `json:"source" enum:"client,bridge" doc:"client: your program shipped; bridge: the auto bridge copied a shipment of Head Office."`
	Stock
	Riders
}

// PrintRunStartedData is the data of factory.print_run.started.
type PrintRunStartedData struct {
	Head
	PressID         string          `json:"press_id" doc:"The press that it runs on."`
	WorkOrderID     string          `json:"work_order_id" doc:"The first work order of the run."`
	ItemsCount      int64           `json:"items_count" doc:"How many work orders share the run."`
	PaperSKU        string          `json:"paper_sku" doc:"The paper that it prints on, such as mat_coated."`
	SheetsPlanned   int64           `json:"sheets_planned" doc:"Sheets of paper taken from stock: for make-ready, the quantity and the overs."`
	OperatorBadgeNo string          `json:"operator_badge_no" doc:"The badge of the operator who runs the press."`
	EndsSim         string          `json:"ends_sim" doc:"The in-world time at which it will end, such as 2026-09-07T10:30."`
	EndsAt          *moment.Instant `json:"ends_at" doc:"The wall time of ends_sim, an estimate; null under a manual clock."`
	Stock
	Riders
}

// PrintRunCompletedData is the data of factory.print_run.completed.
type PrintRunCompletedData struct {
	Head
	PressID       string        `json:"press_id" doc:"The press that it ran on."`
	WorkOrderID   string        `json:"work_order_id" doc:"The first work order of the run."`
	QuantityGood  int64         `json:"quantity_good" doc:"Good units that came out, over all work orders of the run."`
	QuantityShort int64         `json:"quantity_short" doc:"Units that are still missing, over all work orders of the run. Those orders need another run."`
	SheetsWasted  int64         `json:"sheets_wasted" doc:"Sheets that became waste paper: make-ready, spoilage, and the surplus of custom goods."`
	SpoilagePct   share.PerCent `json:"spoilage_pct" doc:"The share of the printed sheets that came out bad, in per cent, without make-ready."`
	Stock
	Riders
}

// StockBelowReorderPointData is the data of factory.stock.below_reorder_point.
type StockBelowReorderPointData struct {
	Head
	SKU          string `json:"sku" doc:"The material that ran low, such as mat_coated."`
	OnHand       int64  `json:"on_hand" doc:"The stock on hand now."`
	ReorderPoint int64  `json:"reorder_point" doc:"The quantity that it fell below; with the status ok the one that the weekly review lowered to the stock."`
	Unit         string `json:"unit" doc:"The unit of both quantities, such as sheet."`
	Riders
}
