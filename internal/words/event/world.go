package event

import "platen/internal/words/moment"

// LoreEventStartedData is the data of world.lore_event.started. A story that
// disrupts nothing has neither a disruption's kind nor its end.
type LoreEventStartedData struct {
	Head
	Kind           string          `json:"kind" enum:"culture,people,technology,trade,transport,weather" doc:"The part of life that it is about: culture, people, technology, trade, transport or weather."`
	Title          string          `json:"title" doc:"Its headline."`
	DisruptionKind *DisruptionKind `json:"disruption_kind" doc:"The thing that goes wrong; null for a story that changes nothing."`
	EndsOn         *moment.Date    `json:"ends_on" doc:"The date on which the disruption is over; null for a story."`
	Riders
}

// DisruptionEndedData is the data of sandbox.disruption.ended.
type DisruptionEndedData struct {
	Head
	LoreEventID    string         `json:"lore_event_id" doc:"The lore event that told of its beginning."`
	DisruptionKind DisruptionKind `json:"disruption_kind" doc:"The thing that went wrong."`
	StartedOn      moment.Date    `json:"started_on" doc:"The date on which it began."`
	Riders
}

// MajorOrderUpdatedData is the data of world.major_order.updated.
type MajorOrderUpdatedData struct {
	Head
	Title          string      `json:"title" doc:"The headline of the major order."`
	SKU            string      `json:"sku" doc:"The product that counts, such as prd_flyer."`
	TargetQuantity int64       `json:"target_quantity" doc:"Units that all printers together have to ship."`
	WorldQuantity  int64       `json:"world_quantity" doc:"Units that all printers have shipped to customers so far, yours included."`
	OwnQuantity    int64       `json:"own_quantity" doc:"Units that your Factory has shipped to customers meanwhile."`
	Milestone      int64       `json:"milestone" doc:"The last quarter of the target that was reached, in per cent: 0, 25, 50, 75 or 100."`
	ClosesOn       moment.Date `json:"closes_on" doc:"The last day that counts."`
	Riders
}
