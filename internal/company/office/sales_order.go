package office

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"platen/internal/company/catalog"
	"platen/internal/company/preset"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
	"platen/internal/words/share"
)

// SalesOrderStatus is the status of a sales order.
//
//	received ──accept──▶ in_production (bridge auto) or accepted (manual)
//	   │ └────decline──▶ declined
//	   └──unanswered───▶ expired
//	accepted, in_production ──all of it billed──▶ shipped ──all invoices paid──▶ paid
//	   └──goods not with the customer in time──────┴──▶ expired
type SalesOrderStatus string

// Statuses (contract: SO.STATUS).
const (
	OrderReceived     SalesOrderStatus = "received"
	OrderAccepted     SalesOrderStatus = "accepted"
	OrderInProduction SalesOrderStatus = "in_production"
	OrderDeclined     SalesOrderStatus = "declined"
	OrderExpired      SalesOrderStatus = "expired"
	OrderShipped      SalesOrderStatus = "shipped"
	OrderPaid         SalesOrderStatus = "paid"
)

// Reasons of an expired order.
const (
	AnswerLapsed   = "answer_lapsed"
	DeliveryMissed = "delivery_missed"
)

// Effects of orders on the reputation, in parts per million.
const (
	reputationOnTime       = 6_000
	reputationPerLateDay   = -20_000
	maxReputationLate      = -60_000
	reputationDeclined     = -2_000
	reputationAnswerLapsed = -12_000
	reputationMissed       = -60_000
)

// Timers of sales orders. Their Ref is the order's id.
const (
	TimerAnswerLapses   = "sales_order.answer_lapses"
	TimerDeliveryMissed = "sales_order.delivery_missed"
)

// SalesOrder is a customer's order, as the client reads it (contract:
// SO.FIELDS).
type SalesOrder struct {
	_ struct{} `doc:"A customer's order at Head Office, from its receipt to its payment."`

	record.Head
	Number         string           `json:"number" doc:"The number of the order on paper, such as SO-1001. A reference may name it instead of the id."`
	CustomerID     string           `json:"customer_id" doc:"The customer who ordered: the id at /office/customers."`
	CustomerName   string           `json:"customer_name" doc:"The customer's name, for people."`
	SKU            string           `json:"sku" doc:"The product that was ordered, such as prd_flyer. The Factory knows it by the same SKU."`
	ProductName    string           `json:"product_name" doc:"The product's name, for people."`
	Unit           string           `json:"unit" doc:"The content of one unit of quantity, such as 250 cards."`
	Quantity       int64            `json:"quantity" doc:"How many units were ordered. They can go in parts."`
	UnitPriceMinor money.Minor      `json:"unit_price_minor" doc:"The price of one unit that the customer offers, in minor units."`
	TotalMinor     money.Minor      `json:"total_minor" doc:"quantity times unit_price_minor, in minor units, before any late discount."`
	Currency       string           `json:"currency" doc:"Always XTS. Amounts count its hundredths."`
	Status         SalesOrderStatus `json:"status" enum:"received,accepted,in_production,declined,expired,shipped,paid" doc:"received waits for your answer; accepted (bridge manual) and in_production (bridge auto) wait for the goods; shipped is billed, which alone keeps no promise: it expires too if the goods do not come. paid is paid in full. declined and expired are final."`
	ReceivedOn     moment.Date      `json:"received_on" doc:"The in-world date on which the order came."`
	AnswerBy       moment.Date      `json:"answer_by" doc:"The last date on which it can be accepted or declined. It expires when the next working day opens."`
	DueDate        moment.Date      `json:"due_date" doc:"The date by which the customer wants the goods. Each working day after it costs a discount."`
	CancelAfter    moment.Date      `json:"cancel_after" doc:"The last date on which the customer still takes the goods. An accepted order whose goods have not come by then expires when the next working day opens, billed or not."`
	// Rush orders are due within days, pay more, and forgive less.
	Rush                  bool         `json:"rush" doc:"Due within two working days, at a higher price and a higher discount for each day of delay."`
	LateDiscountPctPerDay int64        `json:"late_discount_pct_per_day" doc:"Per cent of total_minor that the customer takes off for each working day after due_date."`
	LateDiscountCapPct    int64        `json:"late_discount_cap_pct" doc:"The most that a late delivery takes off, in per cent of total_minor."`
	QuantityBilled        int64        `json:"quantity_billed" doc:"Units billed so far, over all its shipments at Head Office."`
	BridgedWorkOrderID    *string      `json:"bridged_work_order_id" doc:"The work order at the Factory that the auto bridge created on acceptance; null before, and with the bridge manual."`
	ShipmentID            *string      `json:"shipment_id" doc:"The last shipment at Head Office that billed goods of it; null before."`
	InvoiceID             *string      `json:"invoice_id" doc:"The last customer invoice for it; null before."`
	InvoiceIDs            []string     `json:"invoice_ids" doc:"All customer invoices for it, oldest first: one for each part."`
	ShippedOn             *moment.Date `json:"shipped_on" doc:"The date of that shipment; null before."`
	LateDiscountMinor     money.Minor  `json:"late_discount_minor" doc:"The late discount on its invoices, in minor units. 0 before the order is billed, and for goods that came in time."`
	DeclineReason         *string      `json:"decline_reason" doc:"The reason that your program gave when it declined; null without one."`
	ExpiredReason         *string      `json:"expired_reason" enum:"answer_lapsed,delivery_missed" doc:"answer_lapsed: not answered by answer_by. delivery_missed: accepted, and the goods had not come by cancel_after. Null unless the status is expired."`
	record.Stamps
}

// SalesOrderPrivate holds the state of an order that is never served.
type SalesOrderPrivate struct {
	// AcceptedOn is the day on which the client accepted it, nil before.
	AcceptedOn *sim.Day `json:"accepted_on,omitzero"`
	// Arrived is how much of the right goods reached the customer.
	Arrived int64 `json:"arrived,omitzero"`
	// ArrivedOn is the day on which the last of it did.
	ArrivedOn *sim.Day `json:"arrived_on,omitzero"`
	// Parts are the parcels before that, oldest first.
	Parts []Part `json:"parts,omitempty"`
}

// Part is a parcel that reached the customer before the last one.
type Part struct {
	// UpTo is how much had reached the customer with it.
	UpTo int64   `json:"up_to"`
	On   sim.Day `json:"on"`
}

// cameOn is the day on which so much of the order had reached the customer, nil while it has not.
func (p *SalesOrderPrivate) cameOn(upTo int64) *sim.Day {
	for i := range p.Parts {
		if p.Parts[i].UpTo >= upTo {
			return &p.Parts[i].On
		}
	}
	if p.Arrived >= upTo {
		return p.ArrivedOn
	}
	return nil
}

// Resource implements record.Row.
func (*SalesOrder) Resource() string { return "sales_order" }

// State implements record.Row.
func (s *SalesOrder) State() string { return string(s.Status) }

func newSalesOrders() *record.Table[SalesOrder, SalesOrderPrivate] {
	return record.NewTable(record.Definition{Resource: "sales_order", Prefix: "so"},
		[]record.Filter[SalesOrder, SalesOrderPrivate]{
			{Name: "status", Of: (*SalesOrder).State},
			{Name: "sku", Of: func(s *SalesOrder) string { return s.SKU }},
			{Name: "customer_id", Of: func(s *SalesOrder) string { return s.CustomerID }},
		})
}

// DeclineSalesOrder is the body of POST /office/sales-orders/{id}/decline.
type DeclineSalesOrder struct {
	_ struct{} `doc:"The body that declines a customer's order, with an optional reason."`

	Reason *string `json:"reason,omitzero" nullable:"true" minLength:"1" maxLength:"200" doc:"For the record; the customer does not read it."`
}

// open reports whether the order still waits for an answer or its bill.
func (s SalesOrderStatus) open() bool {
	return s == OrderReceived || s == OrderAccepted || s == OrderInProduction
}

// receive adds an order and sets the timer of its answer.
func (o *Office) receive(r *record.Recorder, order SalesOrder) *SalesOrder {
	today := r.Today()
	d := o.preset.Demand
	order.Number = fmt.Sprintf("SO-%04d", o.State.FirstOrderNumber+o.SalesOrders.Rows.Len())
	order.Currency = money.Currency
	order.TotalMinor = order.UnitPriceMinor.Times(order.Quantity)
	order.Status, order.InvoiceIDs = OrderReceived, []string{}
	order.ReceivedOn = r.Date()
	order.AnswerBy = (today + sim.Day(d.AnswerDays)).Date()
	order.CancelAfter = (sim.DayFrom(order.DueDate) + sim.Day(d.CancelAfterDays)).Date()
	order.LateDiscountPctPerDay, order.LateDiscountCapPct = d.LatePctPerDay, d.LateCapPct
	if order.Rush {
		order.AnswerBy = (today + 1).Date()
		order.CancelAfter = (sim.DayFrom(order.DueDate) + rushCancelDays).Date()
		order.LateDiscountPctPerDay = rushLatePct
	}

	row, _ := o.SalesOrders.Add(r, order, SalesOrderPrivate{})
	r.Born(row)
	o.State.OpenOrders++
	r.Set(sim.Timer{
		Due: sim.DayAfter(row.AnswerBy).Open(), Class: sim.ClassLapse, Kind: TimerAnswerLapses, Ref: row.ID,
	})
	r.Emit(event.SalesOrderReceived, row, &event.SalesOrderReceivedData{
		Number: row.Number, CustomerID: row.CustomerID, SKU: row.SKU, Quantity: row.Quantity,
		UnitPriceMinor: row.UnitPriceMinor, TotalMinor: row.TotalMinor, AnswerBy: row.AnswerBy, DueDate: row.DueDate,
	})
	return row
}

// Answerable returns an order that can still be accepted or declined.
func (o *Office) Answerable(id string) (*SalesOrder, error) {
	order, ok := o.SalesOrders.Find(id)
	if !ok {
		return nil, problem.Missing("sales_order", id)
	}
	if order.Status != OrderReceived {
		return nil, problem.WrongState("sales_order", order.Number, string(order.Status), "accepted or declined",
			string(OrderReceived))
	}
	return order, nil
}

// Accept takes an order on. With a work order's id the bridge has carried it
// to the Factory, and it goes into production at once (contract: SO.ACCEPT.AUTO,
// SO.ACCEPT.MANUAL).
func (o *Office) Accept(r *record.Recorder, id string, bridge preset.Bridge, workOrderID *string) {
	order, private := o.SalesOrders.Edit(r, id)
	private.AcceptedOn = new(r.Today())
	order.BridgedWorkOrderID = workOrderID
	to := OrderAccepted
	if workOrderID != nil {
		to = OrderInProduction
	}
	record.Move(r, order, &order.Status, to)
	o.owes(r, order.CustomerID)
	missed := sim.DayAfter(order.CancelAfter).Open()
	r.Set(sim.Timer{Due: missed, Class: sim.ClassMissed, Kind: TimerDeliveryMissed, Ref: order.ID})
	r.Emit(event.SalesOrderAccepted, order, &event.SalesOrderAcceptedData{
		Number: order.Number, SKU: order.SKU, Quantity: order.Quantity, DueDate: order.DueDate,
		Bridge: string(bridge), BridgedWorkOrderID: workOrderID,
	})
}

// Decline turns an order down. The reason is optional.
func (o *Office) Decline(r *record.Recorder, id string, reason *string) {
	order, _ := o.SalesOrders.Edit(r, id)
	order.DeclineReason = reason
	record.Move(r, order, &order.Status, OrderDeclined)
	o.State.OpenOrders--
	o.changeReputation(reputationDeclined)
	o.please(r, order.CustomerID, satisfactionDeclined)
	r.Emit(event.SalesOrderDeclined, order, &event.SalesOrderDeclinedData{Number: order.Number, Reason: reason})
}

// AnswerLapses expires an order that was not answered in time. A customer that has the goods already waits for the
// answer, too (contract: OPEN.STATE.SALES_ORDER.BILLED_LATE).
func (o *Office) AnswerLapses(r *record.Recorder, id string) {
	if order, _ := o.SalesOrders.Find(id); order.Status == OrderReceived && !o.OrderArrived(order) {
		o.State.LapsedOrders++
		o.please(r, order.CustomerID, satisfactionLapsed)
		o.expire(r, id, AnswerLapsed, reputationAnswerLapsed)
	}
}

// DeliveryMissed expires an order that was accepted and never delivered, billed or not. A customer
// that has the goods waits for the bill, however late it comes (contract: OPEN.STATE.SALES_ORDER.MISSED).
func (o *Office) DeliveryMissed(r *record.Recorder, id string) {
	if order, _ := o.SalesOrders.Find(id); o.OrderAwaited(order) {
		o.State.ExpiredOrders++
		o.please(r, order.CustomerID, satisfactionMissed)
		o.expire(r, id, DeliveryMissed, reputationMissed)
	}
}

func (o *Office) expire(r *record.Recorder, id, reason string, reputation int64) {
	order, _ := o.SalesOrders.Edit(r, id)
	order.ExpiredReason = &reason
	if order.Status.open() {
		o.State.OpenOrders--
	}
	record.Move(r, order, &order.Status, OrderExpired)
	o.owes(r, order.CustomerID)
	o.changeReputation(reputation)
	r.Emit(event.SalesOrderExpired, order, &event.SalesOrderExpiredData{
		Number: order.Number, Reason: reason, ReputationChange: share.PerCent(reputation / 100),
	})
}

// OrderByReference finds the order that a parcel is addressed to: by its id or
// its number.
func (o *Office) OrderByReference(reference string) (*SalesOrder, bool) {
	reference = catalog.Folded(reference)
	if order, ok := o.SalesOrders.Find(reference); ok {
		return order, true
	}
	digits, ok := strings.CutPrefix(reference, "so-")
	if !ok {
		return nil, false
	}
	number, err := strconv.Atoi(digits)
	if err != nil {
		return nil, false
	}
	order, ok := o.SalesOrders.Find(o.SalesOrders.Rows.IDAt(number - o.State.FirstOrderNumber))
	if !ok || catalog.Folded(order.Number) != reference {
		return nil, false
	}
	return order, true
}

// OrderArrived reports whether the customer has got all that was ordered.
func (o *Office) OrderArrived(order *SalesOrder) bool {
	return record.Private(o.SalesOrders, order.ID).ArrivedOn != nil
}

// OrderAwaited reports whether the customer of an accepted order waits for the goods, billed or not.
func (o *Office) OrderAwaited(order *SalesOrder) bool {
	return order.Status != OrderReceived && !o.OrderOver(order)
}

// OrderOver reports whether the customer of an order takes no more goods: they have come, or the order was declined
// or has expired.
func (o *Office) OrderOver(order *SalesOrder) bool {
	return o.OrderArrived(order) || order.Status == OrderDeclined || order.Status == OrderExpired
}

// Billable is how much of an order with so many more units at the customer has not been billed.
func (o *Office) Billable(order *SalesOrder, more int64) int64 {
	return min(order.Quantity, record.Private(o.SalesOrders, order.ID).Arrived+more) - order.QuantityBilled
}

// Least is how much of an order its customer takes as the whole.
func (*Office) Least(order *SalesOrder) int64 {
	customer, _ := catalog.CustomerByID(order.CustomerID)
	return customer.Least(order.Quantity)
}

// Closes reports whether so many more units make as much of an order as its customer takes as the whole.
func (o *Office) Closes(order *SalesOrder, more int64) bool {
	return record.Private(o.SalesOrders, order.ID).Arrived+more >= o.Least(order)
}

// Parcel is goods that reach their addressee.
type Parcel struct {
	Reference, SKU string
	Quantity       int64
	// Final says on the delivery note that no more will come.
	Final bool
}

// GoodsArrive is the customer's side of a parcel: the goods that the Factory
// shipped reach the order that their reference names. Goods for an unknown
// reference, an order that is over, or of the wrong kind reach no customer. It
// returns the goods' value at the price of the order, 0 when no customer takes
// them.
func (o *Office) GoodsArrive(r *record.Recorder, p Parcel) (worth money.Minor) {
	if lot, ok := o.LotByReference(p.Reference); ok {
		return o.lotArrives(r, lot, p.SKU, p.Quantity)
	}
	order, ok := o.OrderByReference(p.Reference)
	if !ok || order.SKU != p.SKU || o.OrderOver(order) {
		return 0
	}
	waiting := slices.DeleteFunc(slices.Clone(order.InvoiceIDs), o.reachedID)
	// Head Office reads nothing of this: goods are no record of its own.
	private := record.EditPrivate(o.SalesOrders, r, order.ID)
	private.Arrived += p.Quantity
	final := p.Final || order.Status == OrderShipped && order.QuantityBilled < order.Quantity
	if private.Arrived >= order.Quantity || final && private.Arrived >= o.Least(order) {
		private.ArrivedOn = new(r.Today())
	} else {
		private.Parts = append(private.Parts, Part{UpTo: private.Arrived, On: r.Today()})
	}
	for _, id := range waiting {
		if o.reachedID(id) {
			o.settle(r, order, id)
		}
	}
	if private.ArrivedOn != nil && order.Status == OrderShipped {
		o.fulfil(r, order)
	}
	return order.UnitPriceMinor.Times(p.Quantity)
}

// settle lets the customer mean to pay a bill for goods that have come.
func (o *Office) settle(r *record.Recorder, order *SalesOrder, invoiceID string) {
	invoice, _ := o.CustomerInvoices.Find(invoiceID)
	private := record.Private(o.CustomerInvoices, invoiceID)
	came := record.Private(o.SalesOrders, order.ID).cameOn(private.UpTo)
	late := lateDays(order, *came)
	// A discount is still to come where the bill came before the goods.
	if more := order.lateDiscount(invoice.GrossMinor, late) - invoice.LateDiscountMinor; more > 0 {
		record.EditPrivate(o.CustomerInvoices, r, invoiceID).DeductionMinor = more
	}
	o.schedulePayments(r, invoiceID)
}

// fulfil settles an order whose goods have all arrived and have all been billed,
// whichever came last: the reputation moves.
func (o *Office) fulfil(r *record.Recorder, order *SalesOrder) {
	arrived := *record.Private(o.SalesOrders, order.ID).ArrivedOn
	o.State.ShippedOrders++
	if late := lateDays(order, arrived); late > 0 {
		o.State.LateOrders++
		o.changeReputation(max(late*reputationPerLateDay, maxReputationLate))
		o.please(r, order.CustomerID, max(late*satisfactionPerLateDay, maxSatisfactionLate))
	} else {
		o.changeReputation(reputationOnTime)
		o.please(r, order.CustomerID, satisfactionOnTime)
	}
}

// lateDiscount is a customer's deduction from a bill for so many days. It leaves at least
// one minor unit, so that an invoice is never over nothing.
func (s *SalesOrder) lateDiscount(gross money.Minor, days int64) money.Minor {
	discount := gross.PerCent(min(s.LateDiscountCapPct, days*s.LateDiscountPctPerDay))
	return min(discount, gross-1)
}

// lateDays is how many working days after its due date an order arrived.
func lateDays(order *SalesOrder, arrived sim.Day) int64 {
	return max(0, int64(arrived-sim.DayFrom(order.DueDate)))
}

func (o *Office) checkOrders() error {
	open := int64(0)
	for order, private := range o.SalesOrders.All {
		if order.Status.open() {
			open++
		}
		billed := order.Status == OrderShipped || order.Status == OrderPaid
		bill := order.QuantityBilled > 0
		if bill != (order.InvoiceID != nil) || bill != (order.ShipmentID != nil) ||
			bill != (len(order.InvoiceIDs) > 0) ||
			billed && !bill || order.QuantityBilled > order.Quantity ||
			order.QuantityBilled == order.Quantity && !billed && order.Status != OrderExpired {
			return fmt.Errorf("sales order %s is %s with %d billed by the invoices %v",
				order.ID, order.Status, order.QuantityBilled, order.InvoiceIDs)
		}
		if order.Status == OrderPaid && private.ArrivedOn == nil {
			return fmt.Errorf("sales order %s was paid though its goods never arrived", order.ID)
		}
		if order.TotalMinor != order.UnitPriceMinor.Times(order.Quantity) {
			return fmt.Errorf("sales order %s has the total %d", order.ID, order.TotalMinor)
		}
	}
	if open != o.State.OpenOrders {
		return fmt.Errorf("%d sales orders are open, counted were %d", open, o.State.OpenOrders)
	}
	return nil
}
