// Package event is the vocabulary of the feed: the 50 types that a client can
// subscribe to, the eight that record changes of subscriptions, and for each
// type the struct of its data. Every change of a stored status writes exactly
// one event (contract: EVT.ONE); records that change together with the one an
// event is about are its riders, listed in data.changes.
package event

// Type names a kind of event, such as office.sales_order.accepted.
type Type string

// Any in the place of a type stands for all of them.
const Any = "*"

// System is the part of the company that an event comes from.
type System string

// Systems.
const (
	Office  System = "office"
	Factory System = "factory"
	HR      System = "hr"
	World   System = "world"
	Sandbox System = "sandbox"
)

// System returns the first word of the type.
func (t Type) System() System {
	for i := range len(t) {
		if t[i] == '.' {
			return System(t[:i])
		}
	}
	return System(t)
}

// Change is one rider: a record whose status moved within an event about
// another record. From is null for a record that was born in the event.
type Change struct {
	_ struct{} `doc:"The change of another record's status within the same event."`

	Resource string  `json:"resource" doc:"The kind of the record, such as work_order."`
	ID       string  `json:"id" doc:"The id of the record."`
	From     *string `json:"from" doc:"Its status before; null for a new record."`
	To       string  `json:"to" doc:"Its status afterwards."`
}

// Head begins the data of every event: the id and status of the record that
// the event is about. Records without a status have none here.
type Head struct {
	ID     string `json:"id" doc:"The id of the record that the event is about."`
	Status string `json:"status,omitzero" doc:"The status of that record afterwards; left out for records without one."`
}

// SetHead fills the head.
func (h *Head) SetHead(id, status string) { h.ID, h.Status = id, status }

// Riders ends the data of every event.
type Riders struct {
	Changes []Change `json:"changes,omitempty" doc:"Further records whose status changed in the same step, without an event of their own; left out when there are none."`
}

// SetChanges fills the riders.
func (r *Riders) SetChanges(changes []Change) { r.Changes = changes }

// StockChange is the effect of an event on the stock of one SKU.
type StockChange struct {
	_ struct{} `doc:"The effect of an event on the Factory's stock of one SKU."`

	SKU      string `json:"sku" doc:"The material or product that moved."`
	Quantity int64  `json:"quantity" doc:"The change in the unit of the item: positive for goods that came in, negative for goods that went out."`
}

// Stock is in the data of every event that moves stock: with the opening moves
// it makes the stock on hand, to the unit.
type Stock struct {
	Stock []StockChange `json:"stock,omitempty" doc:"The changes of the stock on hand by this event; left out when there are none."`
}

// Moves adds a movement, unless it is of nothing.
func (s *Stock) Moves(sku string, quantity int64) {
	if quantity != 0 {
		s.Stock = append(s.Stock, StockChange{SKU: sku, Quantity: quantity})
	}
}

// Data is the data of an event: a struct that embeds Head first and Riders
// last, with its own scalars between them.
type Data interface {
	SetHead(id, status string)
	SetChanges(changes []Change)
}
