package factory

import (
	"fmt"

	"platen/internal/company/record"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// ShipmentStatus is the status of a shipment: there is only one.
type ShipmentStatus string

// ShipmentShipped is a shipment's status from its birth.
const ShipmentShipped ShipmentStatus = "shipped"

// Shipment is a parcel that left the gate. The customer that its reference
// names receives it.
type Shipment struct {
	_ struct{} `doc:"Goods that left the Factory's gate for the customer that its reference names."`

	record.Head
	Number                  string         `json:"number" doc:"The number of the shipment on paper, such as SHF-6001."`
	WorkOrderID             string         `json:"work_order_id" doc:"The work order whose goods left."`
	Reference               string         `json:"reference" doc:"The text on the shipment: the reference of the work order. The customer whose order it names gets the goods."`
	SKU                     string         `json:"sku" doc:"The product that was shipped, such as prd_flyer."`
	Quantity                int64          `json:"quantity" doc:"Units shipped: always all of the work order."`
	ShippedOn               moment.Date    `json:"shipped_on" doc:"The in-world date on which the goods left the gate."`
	CarrierNote             *string        `json:"carrier_note" doc:"The note for the carrier that came with the request; null without one."`
	Source                  string         `json:"source" enum:"client,bridge" doc:"client: your program shipped; bridge: the auto bridge copied a shipment of Head Office."`
	Status                  ShipmentStatus `json:"status" enum:"shipped" doc:"Always shipped."`
	BridgedOfficeShipmentID *string        `json:"bridged_office_shipment_id" doc:"The shipment at Head Office that the auto bridge copied it to or from; null where it copied none."`
	record.Stamps
}

// Resource implements record.Row.
func (*Shipment) Resource() string { return "factory_shipment" }

// State implements record.Row.
func (s *Shipment) State() string { return string(s.Status) }

func newShipments() *record.Table[Shipment, struct{}] {
	return record.NewTable(record.Definition{Resource: "factory_shipment", Prefix: "shf"},
		[]record.Filter[Shipment, struct{}]{
			{Name: "reference", Of: func(s *Shipment) string { return s.Reference }},
		})
}

// CreateFactoryShipment is the body of POST /factory/shipments.
type CreateFactoryShipment struct {
	_ struct{} `doc:"The body that sends the goods of a work order out of the Factory's gate."`

	WorkOrderID string  `json:"work_order_id" required:"true" minLength:"1" maxLength:"64" doc:"The work order whose goods leave: one whose status is ready." agent:"-"`
	CarrierNote *string `json:"carrier_note,omitzero" nullable:"true" minLength:"1" maxLength:"200" doc:"A note for the carrier, for the record." agent:"-"`
}

// Shippable returns a work order whose goods can leave.
func (f *Factory) Shippable(r *record.Recorder, id string) (*WorkOrder, error) {
	w, ok := f.WorkOrders.Find(id)
	if !ok {
		return nil, problem.Missing("work_order", id)
	}
	switch w.Status {
	case WorkReady:
		if f.Released(w) {
			return nil, problem.New(problem.InvalidState,
				"The goods of the work order %s went back to the shelf: their customer takes them no more.", w.Number).
				With(problem.StateDetails{Status: string(w.Status), Allowed: []string{}})
		}
		return w, f.handled(r, *w.ReadyOn, "the goods of "+w.Number+" stay")
	case WorkCreated, WorkPrinting:
		if w.Reference != nil {
			return nil, problem.New(problem.WorkOrderNotReady,
				"The work order %s is %s; its goods are not ready to leave.", w.Number, w.Status)
		}
	case WorkShipped, WorkStocked:
	}
	if w.Reference == nil {
		return nil, problem.New(problem.InvalidState,
			"The work order %s has no reference: its goods go on the shelf and are never shipped.", w.Number).
			With(problem.StateDetails{Status: string(w.Status), Allowed: []string{string(WorkReady)}})
	}
	return nil, problem.WrongState("work_order", w.Number, string(w.Status), "shipped", string(WorkReady))
}

// Ship sends a shippable work order's goods out and returns the shipment's id. bridged is the id of Head
// Office's shipment of them, nil where the bridge makes none.
func (f *Factory) Ship(r *record.Recorder, in *CreateFactoryShipment, source string, bridged *string) string {
	w, _ := f.WorkOrders.Edit(r, in.WorkOrderID)
	s, _ := f.Shipments.Add(r, Shipment{
		Number: fmt.Sprintf("SHF-%04d", f.State.NextShipment), WorkOrderID: w.ID, Reference: *w.Reference, SKU: w.SKU,
		Quantity:  w.Quantity,
		ShippedOn: r.Date(), CarrierNote: in.CarrierNote, Source: source, Status: ShipmentShipped,
		BridgedOfficeShipmentID: bridged,
	}, struct{}{})
	f.State.NextShipment++
	if !record.Private(f.WorkOrders, w.ID).Over {
		f.State.OpenWorkOrders--
	}
	w.ShipmentID = &s.ID
	r.Born(s)
	record.Move(r, w, &w.Status, WorkShipped)
	f.waits(w, WaitsForNothing)
	data := &event.ShipmentCreatedData{
		Number: s.Number, WorkOrderID: w.ID, Reference: s.Reference, SKU: s.SKU, Quantity: s.Quantity, Source: s.Source,
	}
	data.Moves(w.SKU, -w.QuantityFromStock)
	eventID := r.Emit(event.ShipmentCreated, s, data)
	if w.QuantityFromStock > 0 {
		item, _ := f.Stock.Edit(r, StockItemID(w.SKU))
		item.Reserved -= w.QuantityFromStock
		f.move(r, w.SKU, -w.QuantityFromStock, 0, cause{MoveShipment, eventID, s.ID})
	}
	return s.ID
}
