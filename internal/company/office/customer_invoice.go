package office

import (
	"fmt"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// CustomerInvoiceStatus is the status of a customer invoice.
//
//	open ──past due──▶ overdue
//	  └──────┴──balance zero──▶ paid
type CustomerInvoiceStatus string

// Statuses.
const (
	InvoiceOpen    CustomerInvoiceStatus = "open"
	InvoiceOverdue CustomerInvoiceStatus = "overdue"
	InvoicePaid    CustomerInvoiceStatus = "paid"
)

// GoodsNotReceived is why a customer does not pay.
const GoodsNotReceived = "goods_not_received"

// Timers of invoices. Their Ref is the invoice's id.
const (
	TimerInvoiceOverdue = "customer_invoice.overdue"
	// TimerPayment brings the next payment.
	TimerPayment = "customer_invoice.payment"
)

const (
	maxEarlyDays   = 3 // 0, 1 or 2 days early
	maxLateDays    = 6 // 1 to 6 days late
	instalmentDays = 3 // working days between the two halves
)

// CustomerInvoice is a customer's debt for a shipment.
type CustomerInvoice struct {
	_ struct{} `doc:"The company's bill to a customer for one shipment: an order, a part of one, or a lot."`

	record.Head
	Number            string                `json:"number" doc:"The number of the invoice on paper. The customer writes it on the payment."`
	ShipmentID        string                `json:"shipment_id" doc:"The shipment at Head Office that raised it."`
	SalesOrderID      *string               `json:"sales_order_id" doc:"The sales order that it bills; null for a contract lot."`
	ContractLotID     *string               `json:"contract_lot_id" doc:"The contract lot that it bills; null for a sales order."`
	CustomerID        string                `json:"customer_id" doc:"The customer who owes it."`
	GrossMinor        money.Minor           `json:"gross_minor" doc:"The price of the goods before deductions, in minor units."`
	LateDiscountMinor money.Minor           `json:"late_discount_minor" doc:"Taken off an order whose goods came late, in minor units; 0 for a lot. Where the bill came before the goods, the customer takes it off with the payment."`
	TotalMinor        money.Minor           `json:"total_minor" doc:"gross_minor less late_discount_minor."`
	AmountPaidMinor   money.Minor           `json:"amount_paid_minor" doc:"The payments of the customer so far, in minor units."`
	BalanceMinor      money.Minor           `json:"balance_minor" doc:"Still to be paid: total_minor less amount_paid_minor."`
	Currency          string                `json:"currency" doc:"Always XTS. Amounts count its hundredths."`
	IssuedOn          moment.Date           `json:"issued_on" doc:"The in-world date of the bill."`
	DueDate           moment.Date           `json:"due_date" doc:"The last date for the payment: the payment terms of the customer after issued_on, on a working day."`
	Status            CustomerInvoiceStatus `json:"status" enum:"open,overdue,paid" doc:"open is not due yet; overdue was not paid by due_date; paid has a balance of 0."`
	DisputeCode       *string               `json:"dispute_code" enum:"goods_not_received" doc:"goods_not_received: an overdue invoice that the customer does not pay because the goods have not come. Null otherwise, and again once they have come. It stays where the order or lot has expired: the customer never pays that bill."`
	PaidOn            *moment.Date          `json:"paid_on" doc:"The date of the payment that brought the balance to 0; null before."`
	record.Stamps
}

// CustomerInvoicePrivate holds the state of an invoice that is never served.
type CustomerInvoicePrivate struct {
	// DeductionMinor is the late discount that the customer will take when
	// paying: goods that were billed first arrived late, which Head Office
	// does not know until then.
	DeductionMinor money.Minor `json:"deduction_minor,omitzero"`
	// UpTo is how much of its order is billed with it; 0 for a lot.
	UpTo int64 `json:"up_to,omitzero"`
	// Disputes is set for a customer that has the goods, and says until paying that
	// they have not come.
	Disputes bool `json:"disputes,omitzero"`
	// Doubled is set for a second invoice over the same goods, which no customer pays.
	Doubled bool `json:"doubled,omitzero"`
}

// Resource implements record.Row.
func (*CustomerInvoice) Resource() string { return "customer_invoice" }

// State implements record.Row.
func (i *CustomerInvoice) State() string { return string(i.Status) }

func newCustomerInvoices() *record.Table[CustomerInvoice, CustomerInvoicePrivate] {
	return record.NewTable(record.Definition{Resource: "customer_invoice", Prefix: "cin"},
		[]record.Filter[CustomerInvoice, CustomerInvoicePrivate]{
			{Name: "status", Of: (*CustomerInvoice).State},
		})
}

// editInvoice changes an invoice, and with it the copy inside its shipment.
func (o *Office) editInvoice(r *record.Recorder, id string, change func(*CustomerInvoice)) *CustomerInvoice {
	invoice, _ := o.CustomerInvoices.Edit(r, id)
	change(invoice)
	shipment, _ := o.Shipments.Edit(r, invoice.ShipmentID)
	shipment.Invoice = *invoice
	return invoice
}

// Reached reports whether the goods of an invoice are with the customer. Those of a second
// invoice over the same goods are not.
func (o *Office) Reached(invoice *CustomerInvoice) bool {
	if record.Private(o.CustomerInvoices, invoice.ID).Doubled {
		return false
	}
	if invoice.ContractLotID != nil {
		return record.Private(o.ContractLots, *invoice.ContractLotID).ArrivedOn != nil
	}
	order := record.Private(o.SalesOrders, *invoice.SalesOrderID)
	customer, _ := catalog.CustomerByID(invoice.CustomerID)
	upTo := record.Private(o.CustomerInvoices, invoice.ID).UpTo
	return order.cameOn(upTo) != nil && (customer.AcceptsParts || order.ArrivedOn != nil)
}

func (o *Office) reachedID(invoiceID string) bool {
	invoice, _ := o.CustomerInvoices.Find(invoiceID)
	return o.Reached(invoice)
}

// Hopeless reports whether the goods of an invoice can reach the customer no more: they have not come, and its order
// or lot has expired.
func (o *Office) Hopeless(invoice *CustomerInvoice) bool {
	if invoice.ContractLotID != nil {
		lot, _ := o.ContractLots.Find(*invoice.ContractLotID)
		return lot.Status == LotExpired
	}
	order, _ := o.SalesOrders.Find(*invoice.SalesOrderID)
	return order.Status == OrderExpired && !o.Reached(invoice)
}

// takeBack ends the dispute over goods that have come after all: the customer's
// word, not the Factory's (contract: OPEN.STATE.CUSTOMER_INVOICE.PHYSICAL).
func (o *Office) takeBack(r *record.Recorder, invoiceID string) {
	if invoice, _ := o.CustomerInvoices.Find(invoiceID); invoice.DisputeCode != nil {
		o.editInvoice(r, invoiceID, func(i *CustomerInvoice) { i.DisputeCode = nil })
	}
}

// schedulePayments draws when the customer pays, from today on: goods have
// arrived and the invoice is there.
func (o *Office) schedulePayments(r *record.Recorder, invoiceID string) {
	o.takeBack(r, invoiceID)
	invoice, _ := o.CustomerInvoices.Find(invoiceID)
	deduction := record.Private(o.CustomerInvoices, invoiceID).DeductionMinor
	o.State.DeliveredReceivableMinor += invoice.BalanceMinor - deduction
	customer, _ := catalog.CustomerByID(invoice.CustomerID)
	ordinal := int64(o.CustomerInvoices.Rows.Ordinal(invoiceID))
	s := &o.streams
	day := sim.DayFrom(r.Date().AddDays(customer.Terms))
	if s.late.PPM(ordinal) < scale(customer.LatePPM, int64(o.preset.Customers.LateFactor)) {
		day += 1 + sim.Day(s.lateDays.Below(maxLateDays, ordinal))
	} else {
		day -= sim.Day(s.earlyDays.Below(maxEarlyDays, ordinal))
	}
	o.schedulePayment(r, invoiceID, max(day, r.Today()+1))
}

func (o *Office) schedulePayment(r *record.Recorder, invoiceID string, day sim.Day) {
	r.Set(sim.Timer{Due: day.At(sim.PaymentMinute), Class: sim.ClassDay, Kind: TimerPayment, Ref: invoiceID})
}

// paysHalf reports whether the next payment of an invoice is the first of two halves: half of the balance, the odd
// minor unit left to the second (contract: OPEN.STATE.PAYMENT.INSTALMENTS).
func (i *CustomerInvoice) paysHalf() bool {
	customer, _ := catalog.CustomerByID(i.CustomerID)
	return customer.Habit == catalog.Instalments && i.AmountPaidMinor == 0 && i.BalanceMinor > 1
}

// InvoiceOverdue marks an invoice that was not paid by its due date.
func (o *Office) InvoiceOverdue(r *record.Recorder, id string) {
	invoice, _ := o.CustomerInvoices.Find(id)
	if invoice.Status != InvoiceOpen {
		return
	}
	invoice = o.editInvoice(r, id, func(i *CustomerInvoice) {
		record.Move(r, i, &i.Status, InvoiceOverdue)
		if !o.Reached(i) || record.Private(o.CustomerInvoices, id).Disputes {
			i.DisputeCode = new(GoodsNotReceived)
		}
	})
	r.Emit(event.CustomerInvoiceOverdue, invoice, &event.CustomerInvoiceOverdueData{
		Number: invoice.Number, BalanceMinor: invoice.BalanceMinor, DueDate: invoice.DueDate,
		DisputeCode: invoice.DisputeCode,
	})
}

func (o *Office) checkInvoice(i *CustomerInvoice) error {
	if i.TotalMinor != i.GrossMinor-i.LateDiscountMinor || i.BalanceMinor != i.TotalMinor-i.AmountPaidMinor ||
		i.BalanceMinor < 0 {
		return fmt.Errorf("customer invoice %s does not add up: %+v", i.ID, *i)
	}
	if (i.Status == InvoicePaid) != (i.BalanceMinor == 0) {
		return fmt.Errorf("customer invoice %s is %s with a balance of %d", i.ID, i.Status, i.BalanceMinor)
	}
	shipment, ok := o.Shipments.Find(i.ShipmentID)
	if !ok || shipment.Invoice.UpdatedAt != i.UpdatedAt || shipment.Invoice.Status != i.Status ||
		shipment.Invoice.BalanceMinor != i.BalanceMinor {
		return fmt.Errorf("the shipment %s holds an older copy of invoice %s", i.ShipmentID, i.ID)
	}
	return nil
}
