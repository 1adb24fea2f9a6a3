package event

import "platen/internal/moment"

// LoreEventStartedData is the data of world.lore_event.started. A story that
// disrupts nothing has neither a disruption's kind nor its end.
type LoreEventStartedData struct {
	Head
	Kind           string          `json:"kind" enum:"culture,people,technology,trade,transport,weather"`
	Title          string          `json:"title"`
	DisruptionKind *DisruptionKind `json:"disruption_kind"`
	EndsOn         *moment.Date    `json:"ends_on"`
	Riders
}

// DisruptionEndedData is the data of sandbox.disruption.ended.
type DisruptionEndedData struct {
	Head
	LoreEventID    string         `json:"lore_event_id"`
	DisruptionKind DisruptionKind `json:"disruption_kind"`
	StartedOn      moment.Date    `json:"started_on"`
	Riders
}

// MajorOrderUpdatedData is the data of world.major_order.updated.
type MajorOrderUpdatedData struct {
	Head
	Title          string      `json:"title"`
	SKU            string      `json:"sku"`
	TargetQuantity int64       `json:"target_quantity"`
	WorldQuantity  int64       `json:"world_quantity"`
	OwnQuantity    int64       `json:"own_quantity"`
	Milestone      int64       `json:"milestone"`
	ClosesOn       moment.Date `json:"closes_on"`
	Riders
}
