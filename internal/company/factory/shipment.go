package factory

import (
	"fmt"

	"platen/internal/company/catalog"
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
	Quantity                int64          `json:"quantity" doc:"Units shipped: all of the work order, or a part."`
	PartRef                 *string        `json:"part_ref" doc:"Your name for the part; null without one."`
	Final                   bool           `json:"final" doc:"True for a shipment that closed its work order, whatever was missing."`
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

	WorkOrderID string  `json:"work_order_id" required:"true" minLength:"1" maxLength:"64" doc:"The work order whose goods leave." agent:"-"`
	Quantity    *int64  `json:"quantity,omitzero" minimum:"1" doc:"Units that leave, a part too: at most those ready and not shipped. All that is left of a work order that is ready when you leave it out." agent:"For a part."`
	PartRef     *string `json:"part_ref,omitzero" nullable:"true" minLength:"1" maxLength:"64" doc:"Your name for a part. No two shipments of a work order have the same." agent:"-"`
	Final       bool    `json:"final,omitzero" doc:"True closes the work order with this shipment, though fewer units leave than were asked for." agent:"-"`
	CarrierNote *string `json:"carrier_note,omitzero" nullable:"true" minLength:"1" maxLength:"200" doc:"A note for the carrier, for the record." agent:"-"`
}

// DuplicatePartDetails are the details of duplicate_reference for a part.
type DuplicatePartDetails struct {
	ShipmentID string `json:"shipment_id"`
}

// Parcel is a shipment that can leave: so many units of a work order.
type Parcel struct {
	Work     *WorkOrder
	Quantity int64
	// Final closes the work order, whatever is missing.
	Final            bool
	partRef, carrier *string
}

// Shippable returns the parcel that a body asks for, or refuses.
func (f *Factory) Shippable(r *record.Recorder, in *CreateFactoryShipment) (Parcel, error) {
	w, ok := f.WorkOrders.Find(in.WorkOrderID)
	if !ok {
		return Parcel{}, problem.Missing("work_order", in.WorkOrderID)
	}
	p := Parcel{Work: w, Quantity: w.QuantityReady - w.QuantityShipped, Final: in.Final,
		partRef: catalog.Trimmed(in.PartRef), carrier: in.CarrierNote}
	private := record.Private(f.WorkOrders, w.ID)
	part := in.Quantity != nil || in.Final
	switch {
	case w.Reference == nil:
		return p, problem.New(problem.InvalidState,
			"The work order %s has no reference: its goods go on the shelf and are never shipped.", w.Number).
			With(problem.StateDetails{Status: string(w.Status), Allowed: []string{string(WorkReady)}})
	case w.Status == WorkShipped:
		return p, problem.WrongState("work_order", w.Number, string(w.Status), "shipped", string(WorkReady))
	case w.Status != WorkReady && (!part || p.Quantity == 0):
		return p, problem.New(problem.WorkOrderNotReady, "The work order %s is %s; its goods are not ready to leave.",
			w.Number, w.Status)
	case f.Released(w):
		return p, problem.New(problem.InvalidState,
			"The goods of the work order %s went back to the shelf: their customer takes them no more.", w.Number).
			With(problem.StateDetails{Status: string(w.Status), Allowed: []string{}})
	case in.Final && (private.RunID != "" || len(private.Finishing) > 0):
		return p, problem.New(problem.InvalidState,
			"More units of the work order %s are being printed or finished, so no part of it is final.", w.Number).
			With(problem.StateDetails{Status: string(w.Status), Allowed: []string{string(WorkReady)}}).
			Hinting("Wait for its print run and its finishing to end, or send a part that is not final.")
	case in.Quantity != nil && *in.Quantity > p.Quantity:
		return p, problem.New(problem.QuantityMismatch, "%d of the work order %s can leave, not %d.",
			p.Quantity, w.Number, *in.Quantity).
			With(problem.QuantityDetails{Quantity: p.Quantity})
	case in.Quantity != nil:
		p.Quantity = *in.Quantity
	}
	if err := f.namedAlready(&p); err != nil {
		return p, err
	}
	return p, f.handled(r, private.PartReadyOn, "the goods of "+w.Number+" stay")
}

// namedAlready refuses a part whose name another shipment of its work order has.
func (f *Factory) namedAlready(p *Parcel) error {
	if p.partRef == nil || p.Work.QuantityShipped == 0 || f.DoubleWork {
		return nil
	}
	for s := range f.Shipments.All {
		if s.WorkOrderID == p.Work.ID && s.PartRef != nil && catalog.Folded(*s.PartRef) == catalog.Folded(*p.partRef) {
			return problem.New(problem.DuplicateReference, "The shipment %s of %s has the part_ref %q already.",
				s.ID, p.Work.Number, *p.partRef).With(DuplicatePartDetails{ShipmentID: s.ID})
		}
	}
	return nil
}

// Ship sends a parcel out and returns the shipment's id. bridged is the id of Head
// Office's shipment of it, nil where the bridge makes none.
func (f *Factory) Ship(r *record.Recorder, p Parcel, source string, bridged *string) string {
	w, _ := f.WorkOrders.Edit(r, p.Work.ID)
	s, _ := f.Shipments.Add(r, Shipment{
		Number: fmt.Sprintf("SHF-%04d", f.State.NextShipment), WorkOrderID: w.ID, Reference: *w.Reference, SKU: w.SKU,
		Quantity: p.Quantity, PartRef: p.partRef, Final: p.Final,
		ShippedOn: r.Date(), CarrierNote: p.carrier, Source: source, Status: ShipmentShipped,
		BridgedOfficeShipmentID: bridged,
	}, struct{}{})
	f.State.NextShipment++
	w.QuantityShipped += p.Quantity
	w.ShipmentID = &s.ID
	r.Born(s)
	back := int64(0) // units of the shelf that a final part leaves there
	if p.Final || w.QuantityShipped == w.Quantity {
		if !record.Private(f.WorkOrders, w.ID).Over {
			f.State.OpenWorkOrders--
		}
		record.Move(r, w, &w.Status, WorkShipped)
		w.MaterialNeeds = []Need{}
		back = max(0, w.QuantityFromStock-w.QuantityShipped)
	}
	f.waitsOn(w)
	data := &event.ShipmentCreatedData{
		Number: s.Number, WorkOrderID: w.ID, Reference: s.Reference, SKU: s.SKU, Quantity: s.Quantity,
		PartRef: s.PartRef, Final: s.Final, Source: s.Source,
	}
	fromStock := int64(0)
	if w.QuantityFromStock > 0 {
		fromStock = p.Quantity
	}
	data.Moves(w.SKU, -fromStock)
	eventID := r.Emit(event.ShipmentCreated, s, data)
	if fromStock > 0 {
		item, _ := f.Stock.Edit(r, StockItemID(w.SKU))
		item.Reserved -= fromStock + back
		f.move(r, w.SKU, -fromStock, 0, cause{MoveShipment, eventID, s.ID})
	}
	return s.ID
}
