package factory

import (
	"fmt"
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// WorkOrderStatus is the status of a work order.
//
//	created ──print run started──▶ printing ──finishing ended──▶ ready ──shipped──▶ shipped
//	                                   └──a final part shipped───────────────────────▶ shipped
//	   └──taken from stock──▶ ready          └──made to stock──▶ stocked
type WorkOrderStatus string

// Statuses.
const (
	WorkCreated  WorkOrderStatus = "created"
	WorkPrinting WorkOrderStatus = "printing"
	WorkReady    WorkOrderStatus = "ready"
	WorkShipped  WorkOrderStatus = "shipped"
	WorkStocked  WorkOrderStatus = "stocked"
)

// Limits of work orders.
const (
	// MaxOpenWorkOrders bounds the open work orders of a sandbox.
	MaxOpenWorkOrders = 2_000
	defaultPriority   = 5
)

// Sources of work orders.
const (
	SourceClient = "client"
	SourceBridge = "bridge"
)

// Wait is the next thing that a work order waits for.
type Wait string

// Waits, in the order of an order's life. One whose run ended short goes back to
// WaitsForPress.
const (
	WaitsForPress     Wait = "press"
	WaitsForRun       Wait = "run"
	WaitsForFinishing Wait = "finishing"
	WaitsForShipment  Wait = "shipment"
	WaitsForNothing   Wait = "nothing"
)

// TimerFinishingEnds makes a work order ready; its Ref is the order's id.
const TimerFinishingEnds = "work_order.finishing_ends"

// Need is a material and how much of it.
type Need struct {
	_ struct{} `doc:"One material that a work order at the Factory uses, and how much of it."`

	SKU      string `json:"sku" doc:"The material, such as mat_coated."`
	Quantity int64  `json:"quantity" doc:"How much of it, in the unit of the material: sheets or cans."`
}

// WorkOrder asks the Factory for goods.
type WorkOrder struct {
	_ struct{} `doc:"An order to the Factory to make goods, from a client or from the auto bridge."`

	record.Head
	Number            string          `json:"number" doc:"The number of the work order on paper, such as WO-3001."`
	SKU               string          `json:"sku" doc:"The product to make, such as prd_flyer."`
	ProductName       string          `json:"product_name" doc:"The product's name, for people."`
	Kind              string          `json:"kind" enum:"custom,stock" doc:"custom carries the design of one customer, and a surplus is scrapped; stock can be printed ahead and kept on the shelf."`
	Unit              string          `json:"unit" doc:"The content of one unit of quantity, such as 250 cards."`
	Quantity          int64           `json:"quantity" doc:"How many units are asked for."`
	QuantityFromStock int64           `json:"quantity_from_stock" doc:"Units that come from the shelf instead of the press: all of them, for a stock product with a reference that was on hand when the order was written, or 0. They stay reserved until they are shipped, or their customer takes them no more."`
	QuantityGood      int64           `json:"quantity_good" doc:"Good units printed for it so far, over all its runs."`
	QuantityReady     int64           `json:"quantity_ready" doc:"Units whose finishing has ended, or that the shelf covered: they can leave, also as a part."`
	QuantityShipped   int64           `json:"quantity_shipped" doc:"Units that have left the gate, over all its shipments."`
	Reference         *string         `json:"reference" doc:"The text on the shipment, by which its customer knows the goods: the id or the number of a sales order or a lot, in upper or lower case. Null for goods that go on the shelf."`
	Source            string          `json:"source" enum:"client,bridge" doc:"client: your program wrote it; bridge: the auto bridge did."`
	DueDate           *moment.Date    `json:"due_date" doc:"The date by which the goods are wanted. It helps to plan the presses: the Factory does not act on it. Null without one."`
	Priority          int64           `json:"priority" doc:"1 to 9, 5 unless another was given. It helps to plan the presses: the Factory does not act on it."`
	Status            WorkOrderStatus `json:"status" enum:"created,printing,ready,shipped,stocked" doc:"created has not been printed; printing has had a run started; ready can be shipped whole; shipped has left the gate, whole or closed by a final part. stocked has no reference, and its goods are on the shelf."`
	WaitsFor          Wait            `json:"waits_for" enum:"press,run,finishing,shipment,nothing" doc:"The next thing that has to come: a press, the end of its run, the end of finishing, its shipment, or nothing more: it has left or is on the shelf, or its customer takes no goods any more. A work order in printing that waits for a press had a run that ended short, and needs another."`
	MaterialNeeds     []Need          `json:"material_needs" doc:"The paper and ink for the units that are still to be printed, without overs, make-ready and plates. Empty when there are none."`
	PrintRunIDs       []string        `json:"print_run_ids" doc:"Its print runs, oldest first."`
	OrderExpired      bool            `json:"order_expired" doc:"True once the order or the lot of its reference has expired, with the bridge auto: no customer takes the goods, it waits for nothing and is not printed. Always false with the bridge manual: the Factory knows no orders."`
	ReadyOn           *moment.Date    `json:"ready_on" doc:"The in-world date on which the finishing of all units ended or the shelf covered it; null before."`
	ShipmentID        *string         `json:"shipment_id" doc:"The last shipment of the Factory that carried goods of it; null before."`
	record.Stamps
}

// WorkOrderPrivate holds the state of a work order that is never served.
type WorkOrderPrivate struct {
	// RunID is the running print run it is part of.
	RunID string `json:"run_id,omitzero"`
	// Over is set once the Factory knows that its customer takes no more goods: it waits for nothing, is not printed,
	// is not open and holds nothing of the shelf.
	Over bool `json:"over,omitzero"`
	// Finishing are the units of each run that are being finished, the oldest run first.
	Finishing []int64 `json:"finishing,omitempty"`
	// PartReadyOn is the date on which the last of its ready units became that.
	PartReadyOn moment.Date `json:"part_ready_on,omitzero"`
	// CostMinor is the cost of its material.
	CostMinor money.Minor `json:"cost_minor,omitzero"`
}

// Resource implements record.Row.
func (*WorkOrder) Resource() string { return "work_order" }

// State implements record.Row.
func (w *WorkOrder) State() string { return string(w.Status) }

func (w *WorkOrder) open() int64 { return w.Quantity - w.QuantityFromStock - w.QuantityGood }

// ClosedShort reports whether a final part with fewer units than were asked for closed it.
func (w *WorkOrder) ClosedShort() bool {
	return w.Status == WorkShipped && w.QuantityShipped < w.Quantity
}

func newWorkOrders() *record.Table[WorkOrder, WorkOrderPrivate] {
	return record.NewTable(record.Definition{Resource: "work_order", Prefix: "wo"},
		[]record.Filter[WorkOrder, WorkOrderPrivate]{
			{Name: "status", Of: (*WorkOrder).State},
			{Name: "reference", Of: func(w *WorkOrder) string {
				if w.Reference == nil {
					return ""
				}
				return *w.Reference
			}},
			{Name: "waits_for", Of: func(w *WorkOrder) string { return string(w.WaitsFor) }},
		})
}

// CreateWorkOrder is the body of POST /factory/work-orders.
type CreateWorkOrder struct {
	_ struct{} `doc:"The body that orders goods from the Factory."`

	SKU       string       `json:"sku" required:"true" minLength:"1" maxLength:"40" example:"prd_flyer" doc:"The product to make, such as prd_flyer." agent:"-"`
	Quantity  int64        `json:"quantity" required:"true" minimum:"1" maximum:"5000" doc:"How many units to make; the unit of a product is its pack, such as 250 cards." agent:"-"`
	Reference *string      `json:"reference,omitzero" nullable:"true" minLength:"1" maxLength:"64" doc:"For whom the goods are: the id or number of a sales order. Custom goods need one."`
	DueDate   *moment.Date `json:"due_date,omitzero" nullable:"true" agent:"-" doc:"The date by which the goods are wanted, a past one too. It helps to plan the presses: the Factory does not act on it."`
	Priority  *int64       `json:"priority,omitzero" minimum:"1" maximum:"9" doc:"Yours to use; 5 when left out."`
}

// DuplicateReferenceDetails are the details of duplicate_reference.
type DuplicateReferenceDetails struct {
	WorkOrderID string `json:"work_order_id"`
}

// CanCreate refuses a work order that cannot be taken on. The bridge's is never
// refused for its reference: a client that wrote the same one first must not
// keep an order from being accepted (contract: OPEN.BRIDGE.ORDER).
func (f *Factory) CanCreate(in *CreateWorkOrder, source string) error {
	product, ok := catalog.ProductBySKU(in.SKU)
	if !ok {
		return problem.Invalid(problem.Field{
			Field: "sku", Rule: "enum", Message: fmt.Sprintf("%q is not a product; see /factory/products.", in.SKU),
		})
	}
	if product.Kind == catalog.Custom && in.Reference == nil {
		return problem.New(problem.ReferenceRequired, "%s are made to order, so the work order needs a reference.",
			product.Name)
	}
	if in.Reference != nil && source != SourceBridge && !f.DoubleWork {
		ids := f.workOrdersFor(*in.Reference)
		ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
			w, _ := f.WorkOrders.Find(id)
			return w.ClosedShort()
		})
		if len(ids) > 0 {
			id := ids[len(ids)-1]
			return problem.New(problem.DuplicateReference, "The work order %s already has the reference %q.",
				id, *in.Reference).
				With(DuplicateReferenceDetails{WorkOrderID: id})
		}
	}
	if f.State.OpenWorkOrders >= MaxOpenWorkOrders {
		return problem.New(problem.TooManyOpen, "%d work orders are open, which is as many as a sandbox holds.",
			MaxOpenWorkOrders)
	}
	return nil
}

// waits notes what a work order waits for next: nothing, if its customer takes no more goods.
func (f *Factory) waits(w *WorkOrder, next Wait) {
	if record.Private(f.WorkOrders, w.ID).Over {
		next = WaitsForNothing
	}
	if w.WaitsFor == WaitsForPress {
		f.State.WorkOrdersToPrint--
	}
	if w.WaitsFor = next; next == WaitsForPress {
		f.State.WorkOrdersToPrint++
	}
}

// waitsOn notes what a work order waits for next, by all else that is known of it.
func (f *Factory) waitsOn(w *WorkOrder) {
	f.waits(w, record.Private(f.WorkOrders, w.ID).next(w))
}

// workOrdersFor are the ids of the work orders with a reference, in the order of their births.
func (f *Factory) workOrdersFor(reference string) []string {
	if f.byReference == nil {
		f.byReference = map[string][]string{}
		for w := range f.WorkOrders.All {
			f.index(w)
		}
	}
	return f.byReference[catalog.Folded(reference)]
}

func (f *Factory) index(w *WorkOrder) {
	if w.Reference != nil {
		folded := catalog.Folded(*w.Reference)
		f.byReference[folded] = append(f.byReference[folded], w.ID)
	}
}

// Create takes a work order on, for a customer of whom so much is known. Stock goods with a reference are taken from
// the shelf when it has them all. It returns the order's id.
func (f *Factory) Create(r *record.Recorder, in *CreateWorkOrder, source string, end End) string {
	product, _ := catalog.ProductBySKU(in.SKU)
	priority := int64(defaultPriority)
	if in.Priority != nil {
		priority = *in.Priority
	}
	w, _ := f.WorkOrders.Add(r, WorkOrder{
		Number: fmt.Sprintf("WO-%04d", f.State.NextWorkOrder), SKU: product.SKU,
		ProductName: product.Name, Kind: string(product.Kind), Unit: product.Unit, Quantity: in.Quantity,
		Reference: in.Reference, Source: source, DueDate: in.DueDate, Priority: priority,
		Status: WorkCreated, MaterialNeeds: needs(product, in.Quantity), PrintRunIDs: []string{},
	}, WorkOrderPrivate{})
	f.waits(w, WaitsForPress)
	f.State.NextWorkOrder++
	f.State.OpenWorkOrders++
	if f.byReference != nil {
		f.index(w)
	}
	if end.Over && end.Told {
		f.end(r, w, end)
	}
	r.Born(w)
	r.Emit(event.WorkOrderCreated, w, &event.WorkOrderCreatedData{
		Number: w.Number, SKU: w.SKU, Quantity: w.Quantity, Reference: w.Reference,
		DueDate: w.DueDate, Source: w.Source,
	})
	if product.Kind == catalog.Stock && in.Reference != nil && !end.Over {
		f.takeFromStock(r, w)
	}
	return w.ID
}

func (f *Factory) takeFromStock(r *record.Recorder, w *WorkOrder) {
	item := f.item(w.SKU)
	if item.OnHand-item.Reserved < w.Quantity {
		return
	}
	item, _ = f.Stock.Edit(r, item.ID)
	item.Reserved += w.Quantity
	record.EditPrivate(f.WorkOrders, r, w.ID).PartReadyOn = r.Date()
	w.QuantityFromStock, w.QuantityReady = w.Quantity, w.Quantity
	w.MaterialNeeds = []Need{}
	f.makeReady(r, w, WorkReady)
}

func (f *Factory) makeReady(r *record.Recorder, w *WorkOrder, to WorkOrderStatus) string {
	w.ReadyOn = new(r.Date())
	record.Move(r, w, &w.Status, to)
	f.waitsOn(w)
	data := &event.WorkOrderReadyData{
		Number: w.Number, SKU: w.SKU, Quantity: w.Quantity, Reference: w.Reference, ReadyOn: r.Date(),
	}
	if to == WorkStocked {
		data.Moves(w.SKU, w.QuantityGood)
	}
	return r.Emit(event.WorkOrderReady, w, data)
}

// FinishingEnds makes the units of a run ready. Once they are all, the work order is ready, or its goods go on the
// shelf when it has no reference.
func (f *Factory) FinishingEnds(r *record.Recorder, id string) {
	w, private := f.WorkOrders.Edit(r, id)
	w.QuantityReady += private.Finishing[0]
	private.Finishing = private.Finishing[1:]
	private.PartReadyOn = r.Date()
	if w.QuantityReady < w.Quantity {
		f.waitsOn(w)
		return
	}
	if w.Reference != nil {
		f.makeReady(r, w, WorkReady)
		return
	}
	f.State.OpenWorkOrders--
	eventID := f.makeReady(r, w, WorkStocked)
	f.move(r, w.SKU, w.QuantityGood, private.CostMinor, cause{MoveOutput, eventID, w.ID})
}

// End is the knowledge that the Factory gets of the order or lot that a reference names.
//
// The departments share no data, so it has two sources. With an auto bridge the bridge tells it (Told), as it tells
// which orders are over when a run is to start. With a manual bridge nobody does: but the customer who takes no more
// goods is the addressee of the parcel, and known at the gate by its reference as when a parcel leaves. So goods that
// were set aside for that customer go back to the shelf, and nothing else changes (contract:
// OPEN.STATE.WORK_ORDER.OVER).
type End struct {
	// Over is set once the customer takes no more goods, Expired if that is because the order or lot has expired.
	Over, Expired bool
	Told          bool
}

// Ends lets the work orders with some references follow the end of their order or lot.
func (f *Factory) Ends(r *record.Recorder, end End, references ...string) {
	for _, reference := range references {
		for _, id := range f.workOrdersFor(reference) {
			w, _ := f.WorkOrders.Find(id)
			left := w.Status == WorkShipped || record.Private(f.WorkOrders, id).Over
			if !left && (end.Told || w.setAside()) {
				w, _ = f.WorkOrders.Edit(r, id)
				f.end(r, w, end)
			}
		}
	}
}

// setAside reports whether goods of the shelf wait for the shipment of the work order.
func (w *WorkOrder) setAside() bool { return w.Status == WorkReady && w.QuantityFromStock > 0 }

// end takes a work order that is open out of what is to be done.
func (f *Factory) end(r *record.Recorder, w *WorkOrder, end End) {
	if w.setAside() {
		item, _ := f.Stock.Edit(r, StockItemID(w.SKU))
		item.Reserved -= w.QuantityFromStock - w.QuantityShipped
	}
	w.OrderExpired = end.Told && end.Expired
	record.EditPrivate(f.WorkOrders, r, w.ID).Over = true
	f.waits(w, WaitsForNothing)
	f.State.OpenWorkOrders--
}

// Released reports whether the goods of a work order went back to the shelf, since their customer takes them no more.
func (f *Factory) Released(w *WorkOrder) bool {
	return w.setAside() && record.Private(f.WorkOrders, w.ID).Over
}

// needs is the material for a quantity, before make-ready. Plates are left
// out: only offset runs take them, and a run takes one set however long it is.
func needs(p catalog.Product, quantity int64) []Need {
	if quantity == 0 {
		return []Need{}
	}
	return []Need{
		{SKU: p.PaperSKU, Quantity: quantity * p.SheetsPerUnit},
		{SKU: catalog.Ink, Quantity: ceilDiv(quantity, p.UnitsPerInkCan)},
	}
}

// next returns what a work order waits for, by all else that is known of it.
func (p *WorkOrderPrivate) next(w *WorkOrder) Wait {
	switch {
	case p.Over:
		return WaitsForNothing
	case w.Status == WorkReady:
		return WaitsForShipment
	case w.Status == WorkShipped || w.Status == WorkStocked:
		return WaitsForNothing
	case p.RunID != "":
		return WaitsForRun
	case w.open() > 0:
		return WaitsForPress
	default:
		return WaitsForFinishing
	}
}

func (f *Factory) checkWorkOrders() error {
	open, toPrint, reserved := int64(0), int64(0), map[string]int64{}
	for w, private := range f.WorkOrders.All {
		if w.Status != WorkShipped && w.Status != WorkStocked && !private.Over {
			open++
		}
		if w.Status == WorkReady && !private.Over {
			reserved[w.SKU] += max(0, w.QuantityFromStock-w.QuantityShipped)
		}
		if w.WaitsFor == WaitsForPress {
			toPrint++
		}
		if next := private.next(w); next != w.WaitsFor {
			return fmt.Errorf("work order %s is said to wait for %s, and waits for %s", w.ID, w.WaitsFor, next)
		}
		if w.open() < 0 {
			return fmt.Errorf("work order %s has %d good of %d", w.ID, w.QuantityGood, w.Quantity)
		}
		done := w.Status == WorkReady || w.Status == WorkShipped || w.Status == WorkStocked
		if done != (w.QuantityReady == w.Quantity || w.ClosedShort()) {
			return fmt.Errorf("work order %s is %s with %d open", w.ID, w.Status, w.open())
		}
		finishing := int64(0)
		for _, units := range private.Finishing {
			finishing += units
		}
		if w.QuantityReady != w.QuantityFromStock+w.QuantityGood-finishing || w.QuantityShipped > w.QuantityReady ||
			w.QuantityShipped == w.Quantity && w.Status != WorkShipped {
			return fmt.Errorf("work order %s is %s with %d good, %d in finishing, %d ready and %d shipped of %d",
				w.ID, w.Status, w.QuantityGood, finishing, w.QuantityReady, w.QuantityShipped, w.Quantity)
		}
	}
	if open != f.State.OpenWorkOrders || toPrint != f.State.WorkOrdersToPrint {
		return fmt.Errorf("%d work orders are open and %d to be printed, counted were %d and %d",
			open, toPrint, f.State.OpenWorkOrders, f.State.WorkOrdersToPrint)
	}
	for item := range f.Stock.All {
		if item.Reserved != reserved[item.SKU] {
			return fmt.Errorf("%d of %s are reserved, ready work orders hold %d",
				item.Reserved, item.SKU, reserved[item.SKU])
		}
	}
	return nil
}
