package office

import (
	"fmt"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
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
	_ struct{} `doc:"Head Office's record that goods went to a customer, with the invoice that bills them."`

	record.Head
	Number             string          `json:"number" doc:"The number of the shipment on paper at Head Office."`
	SalesOrderID       *string         `json:"sales_order_id" doc:"The sales order that went out; null for a contract lot."`
	ContractLotID      *string         `json:"contract_lot_id" doc:"The contract lot that went out; null for a sales order."`
	Quantity           int64           `json:"quantity" doc:"Units billed: all of the order or the lot, or a part of an order."`
	Final              bool            `json:"final" doc:"True for a shipment that closed its order, though fewer units were billed than ordered."`
	ShippedOn          moment.Date     `json:"shipped_on" doc:"The in-world date on which Head Office recorded the shipment."`
	FactoryShipmentRef *string         `json:"factory_shipment_ref" doc:"The shipment of the Factory that carried the goods, as the bridge or your program wrote it. Head Office cannot check the text. Null without one."`
	Source             string          `json:"source" enum:"client,bridge,opening" doc:"client: your program recorded it; bridge: the auto bridge did; opening: the company opened with it."`
	Status             ShipmentStatus  `json:"status" enum:"shipped" doc:"Always shipped."`
	Invoice            CustomerInvoice `json:"invoice" doc:"The customer invoice that this shipment created, in its present state."`
	record.Stamps
}

// Resource implements record.Row.
func (*Shipment) Resource() string { return "office_shipment" }

// State implements record.Row.
func (s *Shipment) State() string { return string(s.Status) }

func newShipments() *record.Table[Shipment, struct{}] {
	return record.NewTable(record.Definition{Resource: "office_shipment", Prefix: "sho"},
		[]record.Filter[Shipment, struct{}]{
			{Name: "sales_order_id", Of: func(s *Shipment) string {
				if s.SalesOrderID == nil {
					return ""
				}
				return *s.SalesOrderID
			}},
		})
}

// CreateOfficeShipment is the body of POST /office/shipments.
type CreateOfficeShipment struct {
	_ struct{} `doc:"The body that records a shipment at Head Office, which bills the customer."`

	SalesOrderID       *string `json:"sales_order_id,omitzero" oneOf:"true" minLength:"1" maxLength:"64" doc:"The order to ship; this or contract_lot_id." agent:"-"`
	ContractLotID      *string `json:"contract_lot_id,omitzero" oneOf:"true" minLength:"1" maxLength:"64" doc:"The lot to ship; this or sales_order_id." agent:"-"`
	Quantity           *int64  `json:"quantity,omitzero" minimum:"1" doc:"Units to bill, a part of an order too: at most those not billed yet, which is also the default. A lot is billed whole." agent:"For a part."`
	Final              bool    `json:"final,omitzero" doc:"True closes the order with this invoice, though fewer units came than were ordered: no fewer than its customer takes as the whole." agent:"-"`
	FactoryShipmentRef *string `json:"factory_shipment_ref,omitzero" nullable:"true" minLength:"1" maxLength:"64" doc:"The Factory's shipment id, or any text. No two invoices of an order have the same." agent:"-"`
	DryRun             *bool   `json:"dry_run,omitzero" doc:"Change nothing and return the expected invoice, and the goods that its payment waits for." agent:"-"`
}

// Shippable returns how much of an order a body bills, or refuses.
func (o *Office) Shippable(in *CreateOfficeShipment) (*SalesOrder, int64, error) {
	order, ok := o.SalesOrders.Find(*in.SalesOrderID)
	if !ok {
		return nil, 0, problem.Missing("sales_order", *in.SalesOrderID)
	}
	again := o.DoubleWork && (order.Status == OrderShipped || order.Status == OrderPaid)
	if order.Status != OrderAccepted && order.Status != OrderInProduction && !again {
		return nil, 0, problem.WrongState("sales_order", order.Number, string(order.Status), "shipped",
			string(OrderAccepted), string(OrderInProduction))
	}
	if id, ok := o.billOf(order, in.FactoryShipmentRef); ok && !again {
		if !o.DoubleWork {
			return nil, 0, problem.New(problem.DuplicateReference,
				"The shipment %s of %s has the reference %q already.", id, order.Number, *in.FactoryShipmentRef).
				With(DuplicateShipmentDetails{ShipmentID: id})
		}
		again = true
	}
	most := order.Quantity
	if !again {
		most -= order.QuantityBilled
	}
	quantity := most
	if in.Quantity != nil {
		quantity = *in.Quantity
	}
	if quantity > most {
		return nil, 0, problem.New(problem.QuantityMismatch, "%d of the order %s are not billed yet, not %d.",
			most, order.Number, quantity).With(problem.QuantityDetails{Quantity: most})
	}
	if least := o.Least(order); in.Final && !again && order.QuantityBilled+quantity < least {
		return nil, 0, problem.New(problem.QuantityMismatch,
			"The customer of %s takes no fewer than %d of %d as the whole, so a bill that makes %d is not final.",
			order.Number, least, order.Quantity, order.QuantityBilled+quantity).
			With(problem.QuantityDetails{Quantity: least - order.QuantityBilled})
	}
	return order, quantity, nil
}

// DuplicateShipmentDetails are the details of duplicate_reference for a shipment at Head Office.
type DuplicateShipmentDetails struct {
	ShipmentID string `json:"shipment_id"`
}

// billOf finds the shipment of an order that has a reference to the Factory's.
func (o *Office) billOf(order *SalesOrder, factoryRef *string) (shipmentID string, ok bool) {
	if factoryRef == nil {
		return "", false
	}
	for _, id := range order.InvoiceIDs {
		invoice, _ := o.CustomerInvoices.Find(id)
		s, _ := o.Shipments.Find(invoice.ShipmentID)
		if s.FactoryShipmentRef != nil && catalog.Folded(*s.FactoryShipmentRef) == catalog.Folded(*factoryRef) {
			return s.ID, true
		}
	}
	return "", false
}

// billed reports whether a bill would be over goods that are billed already, which only the fault double_work lets
// through.
func (o *Office) billed(order *SalesOrder, factoryRef *string) bool {
	_, named := o.billOf(order, factoryRef)
	return named || order.Status == OrderShipped || order.Status == OrderPaid
}

// Bill is a shipment that Head Office is to record: so many units of an order.
type Bill struct {
	Quantity int64
	// Final closes the order, whatever is missing.
	Final bool
	// FactoryRef names the parcel, nil for none.
	FactoryRef *string
	Source     string
}

// Ship records that goods of an order went out and bills them. They must be
// shippable. It returns the shipment's id.
func (o *Office) Ship(r *record.Recorder, orderID string, b Bill) string {
	order, _ := o.SalesOrders.Find(orderID)
	if o.billed(order, b.FactoryRef) {
		return o.billAgain(r, CustomerInvoice{SalesOrderID: &order.ID, CustomerID: order.CustomerID,
			GrossMinor: order.UnitPriceMinor.Times(b.Quantity)}, b.Quantity, b.FactoryRef)
	}
	order, private := o.SalesOrders.Edit(r, orderID)
	if n := len(private.Parts); b.Final && private.ArrivedOn == nil && n > 0 && private.Arrived >= o.Least(order) {
		private.ArrivedOn = &private.Parts[n-1].On // the bill tells the customer that no more comes
	}
	if b.Final || order.QuantityBilled+b.Quantity == order.Quantity {
		record.Move(r, order, &order.Status, OrderShipped)
		o.State.OpenOrders--
	}
	terms := o.terms(r, order, b)
	return o.bill(r, order, private, terms)
}

// billAgain bills goods a second time, which nobody pays for. It returns the shipment's id.
func (o *Office) billAgain(r *record.Recorder, i CustomerInvoice, quantity int64, factoryRef *string) string {
	customer, _ := catalog.CustomerByID(i.CustomerID)
	i.IssuedOn, i.DueDate = r.Date(), sim.DayFrom(r.Date().AddDays(customer.Terms)).Date()
	invoice := o.raise(r, i, Shipment{SalesOrderID: i.SalesOrderID, ContractLotID: i.ContractLotID, Quantity: quantity,
		FactoryShipmentRef: factoryRef, Source: SourceClient})
	record.EditPrivate(o.CustomerInvoices, r, invoice.ID).Doubled = true
	return invoice.ShipmentID
}

// openShipped writes an order of last week whose goods have arrived, and
// which will be paid on a given day.
func (o *Office) openShipped(r *record.Recorder, order SalesOrder, paidOn sim.Day) {
	order.Number = fmt.Sprintf("SO-%04d", o.State.FirstOrderNumber+o.SalesOrders.Rows.Len())
	order.Currency = money.Currency
	order.TotalMinor = order.UnitPriceMinor.Times(order.Quantity)
	order.Status = OrderShipped
	order.ReceivedOn = r.Date().AddDays(-7)
	order.AnswerBy = r.Date().AddDays(-5)
	order.CancelAfter = (sim.DayFrom(order.DueDate) + sim.Day(o.preset.Demand.CancelAfterDays)).Date()
	order.LateDiscountPctPerDay, order.LateDiscountCapPct = o.preset.Demand.LatePctPerDay, o.preset.Demand.LateCapPct
	order.InvoiceIDs = []string{}
	row, private := o.SalesOrders.Add(r, order, SalesOrderPrivate{Arrived: order.Quantity, ArrivedOn: new(sim.Day(0))})
	r.Born(row)
	shippedOn := r.Date().AddDays(-3)
	o.bill(r, row, private, billing{
		Bill:      Bill{Quantity: order.Quantity, Source: SourceOpening},
		shippedOn: shippedOn, dueDate: paidOn.Date(), paidOn: paidOn,
	})
}

// billing holds the data of an order's invoice beside the order.
type billing struct {
	Bill
	shippedOn, dueDate moment.Date
	lateDays           int64
	// paidOn fixes the day of the payment, 0 to draw it.
	paidOn sim.Day
}

func (o *Office) terms(r *record.Recorder, order *SalesOrder, b Bill) billing {
	customer, _ := catalog.CustomerByID(order.CustomerID)
	arrived := r.Today()
	if on := record.Private(o.SalesOrders, order.ID).cameOn(order.QuantityBilled + b.Quantity); on != nil {
		arrived = *on
	}
	return billing{
		Bill: b, shippedOn: r.Date(), dueDate: sim.DayFrom(r.Date().AddDays(customer.Terms)).Date(),
		lateDays: lateDays(order, arrived),
	}
}

// bill raises an invoice of an order.
func (o *Office) bill(r *record.Recorder, order *SalesOrder, private *SalesOrderPrivate, terms billing) string {
	gross := order.UnitPriceMinor.Times(terms.Quantity)
	discount := order.lateDiscount(gross, terms.lateDays)
	order.QuantityBilled += terms.Quantity
	order.ShipmentID, order.InvoiceID = new(o.Shipments.Rows.NextID(r)), new(o.CustomerInvoices.Rows.NextID(r))
	order.InvoiceIDs = append(order.InvoiceIDs, *order.InvoiceID)
	order.ShippedOn = new(terms.shippedOn)
	order.LateDiscountMinor += discount
	invoice := o.raise(r, CustomerInvoice{
		SalesOrderID: &order.ID, CustomerID: order.CustomerID, GrossMinor: gross, LateDiscountMinor: discount,
		IssuedOn: terms.shippedOn, DueDate: terms.dueDate,
	}, Shipment{
		SalesOrderID: &order.ID, Quantity: terms.Quantity, Final: terms.Final, FactoryShipmentRef: terms.FactoryRef,
		Source: terms.Source,
	})
	record.EditPrivate(o.CustomerInvoices, r, invoice.ID).UpTo = order.QuantityBilled
	if terms.paidOn > 0 {
		o.State.DeliveredReceivableMinor += invoice.BalanceMinor
		o.schedulePayment(r, invoice.ID, terms.paidOn)
		return *order.ShipmentID
	}
	if o.Reached(invoice) {
		o.settle(r, order, invoice.ID)
	}
	if private.ArrivedOn != nil && order.Status == OrderShipped {
		o.fulfil(r, order)
	}
	return *order.ShipmentID
}

// raise adds a shipment and its invoice, as rider and primary of one event, and
// derives the rest from the fields that the caller has set.
func (o *Office) raise(r *record.Recorder, i CustomerInvoice, s Shipment) *CustomerInvoice {
	i.Number, i.ShipmentID = fmt.Sprintf("INV-%04d", o.State.NextInvoice), o.Shipments.Rows.NextID(r)
	i.TotalMinor = i.GrossMinor - i.LateDiscountMinor
	i.BalanceMinor, i.Currency, i.Status = i.TotalMinor, money.Currency, InvoiceOpen
	invoice, _ := o.CustomerInvoices.Add(r, i, CustomerInvoicePrivate{})
	s.FactoryShipmentRef = catalog.Trimmed(s.FactoryShipmentRef)
	s.Number, s.ShippedOn = fmt.Sprintf("SHO-%04d", o.State.NextShipment), i.IssuedOn
	s.Status, s.Invoice = ShipmentShipped, *invoice
	shipment, _ := o.Shipments.Add(r, s, struct{}{})
	o.State.NextInvoice++
	o.State.NextShipment++
	o.State.ReceivableMinor += invoice.BalanceMinor
	r.Born(invoice)
	r.Born(shipment)
	r.Set(sim.Timer{Due: sim.DayAfter(invoice.DueDate).Open(), Class: sim.ClassCustomerOverdue,
		Kind: TimerInvoiceOverdue, Ref: invoice.ID})
	o.owes(r, invoice.CustomerID)
	r.Emit(event.CustomerInvoiceCreated, invoice, &event.CustomerInvoiceCreatedData{
		Number: invoice.Number, ShipmentID: shipment.ID,
		SalesOrderID: invoice.SalesOrderID, ContractLotID: invoice.ContractLotID, TotalMinor: invoice.TotalMinor,
		Quantity: shipment.Quantity, Final: shipment.Final,
		LateDiscountMinor: invoice.LateDiscountMinor, DueDate: invoice.DueDate, Source: shipment.Source,
	})
	return invoice
}
