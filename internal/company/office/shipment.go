package office

import (
	"fmt"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/event"
	"platen/internal/moment"
	"platen/internal/money"
	"platen/internal/problem"
)

// ShipmentStatus is the status of a shipment: there is only one.
type ShipmentStatus string

// ShipmentShipped is a shipment's status from its birth.
const ShipmentShipped ShipmentStatus = "shipped"

// Sources of records that either the client or the bridge can write.
const (
	SourceClient  = "client"
	SourceBridge  = "bridge"
	SourceOpening = "opening"
)

// Shipment is Head Office's record that goods went out, with the invoice that
// it raised (contract: SHP.FIELDS).
type Shipment struct {
	record.Head
	Number        string      `json:"number"`
	SalesOrderID  *string     `json:"sales_order_id"`
	ContractLotID *string     `json:"contract_lot_id"`
	Quantity      int64       `json:"quantity"`
	ShippedOn     moment.Date `json:"shipped_on"`
	// FactoryShipmentRef is the text that the client or the bridge wrote.
	FactoryShipmentRef *string         `json:"factory_shipment_ref"`
	Source             string          `json:"source" enum:"client,bridge,opening"`
	Status             ShipmentStatus  `json:"status" enum:"shipped"`
	Invoice            CustomerInvoice `json:"invoice"`
	record.Stamps
}

// Resource implements record.Row.
func (*Shipment) Resource() string { return "office_shipment" }

// State implements record.Row.
func (s *Shipment) State() string { return string(s.Status) }

func newShipments() *record.Table[Shipment, struct{}] {
	return record.NewTable[Shipment, struct{}](
		record.Definition{Resource: "office_shipment", Prefix: "sho", Filters: []string{"sales_order_id"}},
		func(s *Shipment) []string {
			if s.SalesOrderID == nil {
				return []string{""}
			}
			return []string{*s.SalesOrderID}
		})
}

// QuantityDetails are the details of quantity_mismatch.
type QuantityDetails struct {
	Quantity int64 `json:"quantity"`
}

// Shippable returns an order that can be shipped in full. quantity is what
// the client named, nil when nothing.
func (o *Office) Shippable(orderID string, quantity *int64) (*SalesOrder, error) {
	order, ok := o.SalesOrders.Find(orderID)
	if !ok {
		return nil, problem.Missing("sales_order", orderID)
	}
	if order.Status != OrderAccepted && order.Status != OrderInProduction {
		return nil, problem.WrongState("sales_order", order.Number, string(order.Status), string(OrderAccepted), string(OrderInProduction))
	}
	if quantity != nil && *quantity != order.Quantity {
		return nil, problem.New(problem.QuantityMismatch, "The order %s is for %d, not %d; an order is shipped in full.", order.Number, order.Quantity, *quantity).
			With(QuantityDetails{Quantity: order.Quantity})
	}
	return order, nil
}

// Ship records that an order went out and bills it. The order must be
// shippable. It returns the shipment's id.
func (o *Office) Ship(r *record.Recorder, orderID string, factoryRef *string, source string) string {
	order, private := o.SalesOrders.Edit(r, orderID)
	record.Move(r, order, &order.Status, OrderShipped)
	o.State.OpenOrders--
	terms := o.terms(r, order)
	terms.factoryRef, terms.source = factoryRef, source
	return o.bill(r, order, private, terms)
}

// openShipped writes an order of last week whose goods have arrived, and
// which will be paid on a given day.
func (o *Office) openShipped(r *record.Recorder, order SalesOrder, paidOn sim.Day) {
	order.Number = fmt.Sprintf("SO-%04d", o.State.FirstOrderNumber+o.SalesOrders.Len())
	order.Currency = money.Currency
	order.TotalMinor = order.UnitPriceMinor.Times(order.Quantity)
	order.Status = OrderShipped
	order.ReceivedOn = r.Date().AddDays(-7)
	order.AnswerBy = r.Date().AddDays(-5)
	order.CancelAfter = (sim.DayFrom(order.DueDate) + sim.Day(o.preset.Demand.CancelAfterDays)).Date()
	order.LateDiscountPctPerDay, order.LateDiscountCapPct = o.preset.Demand.LatePctPerDay, o.preset.Demand.LateCapPct
	row, private := o.SalesOrders.Add(r, order, SalesOrderPrivate{Arrived: order.Quantity, ArrivedOn: new(sim.Day(0))})
	r.Born(row)
	shippedOn := r.Date().AddDays(-3)
	o.bill(r, row, private, billing{shippedOn: shippedOn, dueDate: paidOn.Date(), paidOn: paidOn, source: SourceOpening})
}

// billing is what an invoice needs to know beside its order.
type billing struct {
	factoryRef         *string
	source             string
	shippedOn, dueDate moment.Date
	lateDays           int64
	// paidOn fixes the day of the payment, 0 to draw it.
	paidOn sim.Day
}

func (o *Office) terms(r *record.Recorder, order *SalesOrder) billing {
	customer, _ := catalog.CustomerByID(order.CustomerID)
	arrived := r.Today()
	if on := o.SalesOrders.Private(order.ID).ArrivedOn; on != nil {
		arrived = *on
	}
	return billing{shippedOn: r.Date(), dueDate: sim.DayFrom(r.Date().AddDays(customer.Terms)).Date(), lateDays: lateDays(order, arrived)}
}

// bill gives birth to the shipment and its invoice, as riders and primary of
// one event.
func (o *Office) bill(r *record.Recorder, order *SalesOrder, private *SalesOrderPrivate, terms billing) string {
	gross := order.TotalMinor
	discount := order.lateDiscount(terms.lateDays)
	shipmentID := o.Shipments.NextID(r)
	invoice, _ := o.CustomerInvoices.Add(r, CustomerInvoice{
		Number: fmt.Sprintf("INV-%04d", o.State.NextInvoice), ShipmentID: shipmentID, SalesOrderID: &order.ID, CustomerID: order.CustomerID,
		GrossMinor: gross, LateDiscountMinor: discount, TotalMinor: gross - discount, BalanceMinor: gross - discount, Currency: money.Currency,
		IssuedOn: terms.shippedOn, DueDate: terms.dueDate, Status: InvoiceOpen,
	}, CustomerInvoicePrivate{})
	shipment, _ := o.Shipments.Add(r, Shipment{
		Number: fmt.Sprintf("SHO-%04d", o.State.NextShipment), SalesOrderID: &order.ID, Quantity: order.Quantity, ShippedOn: terms.shippedOn,
		FactoryShipmentRef: terms.factoryRef, Source: terms.source, Status: ShipmentShipped, Invoice: *invoice,
	}, struct{}{})
	o.State.NextInvoice++
	o.State.NextShipment++
	o.State.ReceivableMinor += invoice.BalanceMinor
	order.ShipmentID, order.InvoiceID = &shipment.ID, &invoice.ID
	order.ShippedOn, order.LateDiscountMinor = new(terms.shippedOn), discount

	r.Born(invoice)
	r.Born(shipment)
	r.Set(sim.Timer{Due: sim.DayAfter(invoice.DueDate).Open(), Class: sim.ClassCustomerOverdue, Kind: TimerInvoiceOverdue, Ref: invoice.ID})
	r.Emit(event.CustomerInvoiceCreated, invoice, &event.CustomerInvoiceCreatedData{
		Number: invoice.Number, ShipmentID: shipment.ID, SalesOrderID: &order.ID,
		TotalMinor: invoice.TotalMinor, LateDiscountMinor: discount, DueDate: invoice.DueDate, Source: terms.source,
	})
	switch {
	case terms.paidOn > 0:
		o.State.DeliveredReceivableMinor += invoice.BalanceMinor
		o.schedulePayment(r, invoice.ID, terms.paidOn)
	case private.ArrivedOn != nil:
		o.fulfil(r, order)
	}
	return shipment.ID
}
