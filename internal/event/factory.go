package event

import (
	"platen/internal/moment"
	"platen/internal/share"
)

// WorkOrderCreatedData is the data of factory.work_order.created.
type WorkOrderCreatedData struct {
	Head
	Number    string       `json:"number"`
	SKU       string       `json:"sku"`
	Quantity  int64        `json:"quantity"`
	Reference *string      `json:"reference"`
	DueDate   *moment.Date `json:"due_date"`
	Source    string       `json:"source" enum:"client,bridge"`
	Riders
}

// WorkOrderReadyData is the data of factory.work_order.ready.
type WorkOrderReadyData struct {
	Head
	Number    string      `json:"number"`
	SKU       string      `json:"sku"`
	Quantity  int64       `json:"quantity"`
	Reference *string     `json:"reference"`
	ReadyOn   moment.Date `json:"ready_on"`
	Stock
	Riders
}

// ShipmentCreatedData is the data of factory.shipment.created.
type ShipmentCreatedData struct {
	Head
	Number      string `json:"number"`
	WorkOrderID string `json:"work_order_id"`
	Reference   string `json:"reference"`
	SKU         string `json:"sku"`
	Quantity    int64  `json:"quantity"`
	Source      string `json:"source" enum:"client,bridge"`
	Stock
	Riders
}

// PrintRunStartedData is the data of factory.print_run.started.
type PrintRunStartedData struct {
	Head
	PressID         string `json:"press_id"`
	WorkOrderID     string `json:"work_order_id"`
	ItemsCount      int64  `json:"items_count"`
	PaperSKU        string `json:"paper_sku"`
	SheetsPlanned   int64  `json:"sheets_planned"`
	OperatorBadgeNo string `json:"operator_badge_no"`
	// EndsSim is the in-world time, EndsAt the wall time at which the run
	// ends; the latter is null under a manual clock.
	EndsSim string          `json:"ends_sim"`
	EndsAt  *moment.Instant `json:"ends_at"`
	Stock
	Riders
}

// PrintRunCompletedData is the data of factory.print_run.completed.
type PrintRunCompletedData struct {
	Head
	PressID       string        `json:"press_id"`
	WorkOrderID   string        `json:"work_order_id"`
	QuantityGood  int64         `json:"quantity_good"`
	QuantityShort int64         `json:"quantity_short"`
	SheetsWasted  int64         `json:"sheets_wasted"`
	SpoilagePct   share.PerCent `json:"spoilage_pct"`
	Stock
	Riders
}

// StockBelowReorderPointData is the data of factory.stock.below_reorder_point.
type StockBelowReorderPointData struct {
	Head
	SKU          string `json:"sku"`
	OnHand       int64  `json:"on_hand"`
	ReorderPoint int64  `json:"reorder_point"`
	Unit         string `json:"unit"`
	Riders
}
