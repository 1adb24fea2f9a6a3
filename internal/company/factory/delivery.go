package factory

import (
	"fmt"

	"platen/internal/company/record"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// DeliveryStatus is the status of a supplier's delivery.
//
//	arrived ──counted in──▶ received
type DeliveryStatus string

// Statuses.
const (
	DeliveryArrived  DeliveryStatus = "arrived"
	DeliveryReceived DeliveryStatus = "received"
)

// Delivery is a supplier's truck at the gate. It waits until a client counts it
// in.
type Delivery struct {
	_ struct{} `doc:"A supplier's truck at the Factory's gate, which waits until a client counts it in."`

	record.Head
	SupplierName        string               `json:"supplier_name" doc:"The name of the supplier, as printed on the delivery note."`
	PurchaseOrderNumber string               `json:"purchase_order_number" doc:"The number of the purchase order, as printed on the delivery note: all that the Factory knows of it."`
	ArrivedOn           moment.Date          `json:"arrived_on" doc:"The in-world date on which the truck came."`
	Lines               []event.DeliveryLine `json:"lines" doc:"The materials on the truck, each in one line."`
	Status              DeliveryStatus       `json:"status" enum:"arrived,received" doc:"arrived waits at the gate; received has been counted in, and its accepted goods are in stock."`
	GoodsReceiptID      *string              `json:"goods_receipt_id" doc:"The goods receipt that counted it in; null before."`
	record.Stamps
}

// DeliveryPrivate holds the state of a delivery that is never served.
type DeliveryPrivate struct {
	// CostMinor is the price of one of each line.
	CostMinor []money.Minor `json:"cost_minor,omitempty"`
	// Truck is the truck of the order, from 0.
	Truck int `json:"truck,omitzero"`
}

// Resource implements record.Row.
func (*Delivery) Resource() string { return "delivery" }

// State implements record.Row.
func (d *Delivery) State() string { return string(d.Status) }

func newDeliveries() *record.Table[Delivery, DeliveryPrivate] {
	return record.NewTable(record.Definition{Resource: "delivery", Prefix: "dlv"},
		[]record.Filter[Delivery, DeliveryPrivate]{
			{Name: "status", Of: (*Delivery).State},
		})
}

// Arrival is a truck that comes to the gate.
type Arrival struct {
	SupplierName, PurchaseOrderNumber string
	// Truck is the truck of the order, from 0.
	Truck int
	Lines []event.DeliveryLine
	// CostMinor is the price of one of each line, for the worth of the stock.
	CostMinor []money.Minor
	// ArrivedOn is today but for deliveries of the opening.
	ArrivedOn moment.Date
}

// Arrive lets a truck come to the gate and returns the delivery's id.
func (f *Factory) Arrive(r *record.Recorder, a Arrival) string {
	d, _ := f.Deliveries.Add(r, Delivery{
		SupplierName: a.SupplierName, PurchaseOrderNumber: a.PurchaseOrderNumber, ArrivedOn: a.ArrivedOn,
		Lines: a.Lines, Status: DeliveryArrived,
	}, DeliveryPrivate{CostMinor: a.CostMinor, Truck: a.Truck})
	f.State.DeliveriesWaiting++
	r.Born(d)
	r.Emit(event.DeliveryArrived, d, &event.DeliveryArrivedData{
		SupplierName: d.SupplierName, PurchaseOrderNumber: d.PurchaseOrderNumber, Lines: d.Lines,
	})
	return d.ID
}

// TruckOf is the truck of its order that brought a delivery, from 0.
func (f *Factory) TruckOf(deliveryID string) int {
	return record.Private(f.Deliveries, deliveryID).Truck
}

func (f *Factory) checkDeliveries() error {
	waiting := int64(0)
	for d, private := range f.Deliveries.All {
		if d.Status == DeliveryArrived {
			waiting++
		}
		if (d.Status == DeliveryReceived) != (d.GoodsReceiptID != nil) || len(private.CostMinor) != len(d.Lines) {
			return fmt.Errorf("delivery %s is %s with the receipt %v", d.ID, d.Status, d.GoodsReceiptID)
		}
	}
	if waiting != f.State.DeliveriesWaiting {
		return fmt.Errorf("%d deliveries wait, counted were %d", waiting, f.State.DeliveriesWaiting)
	}
	return nil
}
