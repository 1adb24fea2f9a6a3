package office

import (
	"fmt"
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// Kinds of payments.
const (
	// CustomerPaymentKind is the kind of a payment for an invoice.
	CustomerPaymentKind = "customer"
	// BonusPaymentKind is the kind of a payment for a share in a major order.
	BonusPaymentKind = "major_order_bonus"
)

// Payment is money that reached the company. Its birth is its only event.
type Payment struct {
	_ struct{} `doc:"Money that reached the company: a customer's payment, or the bonus of a major order."`

	record.Head
	Direction         string      `json:"direction" enum:"in" doc:"Always in: money that reached the company."`
	Kind              string      `json:"kind" enum:"customer,major_order_bonus" doc:"customer pays an invoice; major_order_bonus is the bonus for a share in a major order."`
	PayerName         string      `json:"payer_name" doc:"The name on the transfer: that of the customer, or of the payer of the bonus."`
	CustomerInvoiceID *string     `json:"customer_invoice_id" doc:"The invoice that it pays; null for a bonus."`
	MajorOrderID      *string     `json:"major_order_id" doc:"The major order that it is the bonus of; null for a payment of a customer."`
	AmountMinor       money.Minor `json:"amount_minor" doc:"The amount that arrived, in minor units. Customers with the habit instalments pay an invoice by halves."`
	Currency          string      `json:"currency" doc:"Always XTS. Amounts count its hundredths."`
	ReceivedOn        moment.Date `json:"received_on" doc:"The in-world date on which it arrived."`
	RemittanceText    string      `json:"remittance_text" doc:"The text on the transfer: for an invoice its number."`
	record.Stamps
}

// Resource implements record.Row.
func (*Payment) Resource() string { return "payment" }

// State implements record.Row.
func (*Payment) State() string { return "" }

// PaymentArrives books a customer's payment: the whole balance, or half of it,
// and sets the timer of the second half: however late the first one comes, the second is later. It returns the sales
// order that is now paid in full, "" when none is. While payments wait, it comes on the first day on which they
// arrive again.
func (o *Office) PaymentArrives(r *record.Recorder, invoiceID string) string {
	if until := o.State.Conditions.PaymentsWaitUntil; r.Today() < until {
		o.schedulePayment(r, invoiceID, until)
		return ""
	}
	o.takeDeduction(r, invoiceID)
	o.takeBack(r, invoiceID) // a customer who pays has found the goods
	invoice, _ := o.CustomerInvoices.Find(invoiceID)
	amount, half := invoice.BalanceMinor, invoice.paysHalf()
	if half {
		amount /= 2
		o.schedulePayment(r, invoiceID, r.Today()+instalmentDays)
	}
	if amount == 0 {
		return ""
	}
	customer, _ := catalog.CustomerByID(invoice.CustomerID)
	payment, _ := o.Payments.Add(r, Payment{
		Direction: "in", Kind: CustomerPaymentKind, PayerName: customer.Name, CustomerInvoiceID: &invoice.ID,
		AmountMinor: amount, Currency: money.Currency, ReceivedOn: r.Date(), RemittanceText: invoice.Number,
	}, struct{}{})
	invoice = o.editInvoice(r, invoiceID, func(i *CustomerInvoice) {
		i.AmountPaidMinor += amount
		i.BalanceMinor -= amount
	})
	o.State.ReceivableMinor -= amount
	o.State.DeliveredReceivableMinor -= amount
	o.owes(r, invoice.CustomerID)
	eventID := r.Emit(event.PaymentReceived, payment, &event.PaymentReceivedData{
		Kind: payment.Kind, AmountMinor: amount, CustomerInvoiceID: &invoice.ID, RemainingMinor: invoice.BalanceMinor,
		PayerName: payment.PayerName, CashMinor: o.State.CashMinor + amount,
	})
	o.book(r, amount, CustomerPayment, &eventID, &payment.ID)
	if invoice.BalanceMinor > 0 {
		return ""
	}
	return o.markPaid(r, invoiceID)
}

// takeDeduction records the deduction of a customer for goods that were billed
// first and arrived late: the remittance is how Head Office learns it.
func (o *Office) takeDeduction(r *record.Recorder, invoiceID string) {
	deduction := record.Private(o.CustomerInvoices, invoiceID).DeductionMinor
	if deduction == 0 {
		return
	}
	record.EditPrivate(o.CustomerInvoices, r, invoiceID).DeductionMinor = 0
	invoice := o.editInvoice(r, invoiceID, func(i *CustomerInvoice) {
		i.LateDiscountMinor += deduction
		i.TotalMinor -= deduction
		i.BalanceMinor -= deduction
	})
	if invoice.SalesOrderID != nil {
		order, _ := o.SalesOrders.Edit(r, *invoice.SalesOrderID)
		order.LateDiscountMinor += deduction
	}
	o.State.ReceivableMinor -= deduction
	o.owes(r, invoice.CustomerID)
}

// markPaid closes an invoice whose balance is zero, and with it its order, if all of that has been billed and no
// other invoice of it is left. It returns the order's id, "" if no order is paid.
func (o *Office) markPaid(r *record.Recorder, invoiceID string) (paid string) {
	invoice := o.editInvoice(r, invoiceID, func(i *CustomerInvoice) {
		record.Move(r, i, &i.Status, InvoicePaid)
		i.PaidOn = new(r.Date())
	})
	if invoice.SalesOrderID != nil {
		if order, _ := o.SalesOrders.Find(*invoice.SalesOrderID); order.Status == OrderShipped && o.paidUp(order) {
			order, _ = o.SalesOrders.Edit(r, order.ID)
			record.Move(r, order, &order.Status, OrderPaid)
			paid = order.ID
		}
	}
	r.Emit(event.CustomerInvoicePaid, invoice, &event.CustomerInvoicePaidData{
		Number: invoice.Number, SalesOrderID: invoice.SalesOrderID, TotalMinor: invoice.TotalMinor, PaidOn: r.Date(),
	})
	return paid
}

// paidUp reports whether all invoices of an order are paid.
func (o *Office) paidUp(order *SalesOrder) bool {
	return !slices.ContainsFunc(order.InvoiceIDs, func(id string) bool {
		invoice, _ := o.CustomerInvoices.Find(id)
		return invoice.Status != InvoicePaid
	})
}

// checkPayments reports an invoice that was not paid by the payments of its customer's habit: two halves of one who
// pays by instalments, or all at once.
func (o *Office) checkPayments() error {
	payments := map[string]int64{}
	for p := range o.Payments.All {
		if p.CustomerInvoiceID != nil {
			payments[*p.CustomerInvoiceID]++
		}
	}
	for i := range o.CustomerInvoices.All {
		customer, _ := catalog.CustomerByID(i.CustomerID)
		halves, want := customer.Habit == catalog.Instalments && i.TotalMinor > 1, int64(0)
		if i.AmountPaidMinor > 0 {
			want = 1
		}
		if halves && i.Status == InvoicePaid {
			want = 2
		}
		if payments[i.ID] != want || i.BalanceMinor > 0 && i.AmountPaidMinor > 0 &&
			(!halves || i.AmountPaidMinor != i.TotalMinor/2) {
			return fmt.Errorf("customer invoice %s over %d is %s after %d payments of %d, its customer pays %s",
				i.ID, i.TotalMinor, i.Status, payments[i.ID], i.AmountPaidMinor, customer.Habit)
		}
	}
	return nil
}

// Bonus is the earnings from a share in a major order.
type Bonus struct {
	MajorOrderID, PayerName, Remittance string
	AmountMinor                         money.Minor
}

// BonusArrives books the bonus of a major order.
func (o *Office) BonusArrives(r *record.Recorder, b Bonus) {
	payment, _ := o.Payments.Add(r, Payment{
		Direction: "in", Kind: BonusPaymentKind, PayerName: b.PayerName, MajorOrderID: &b.MajorOrderID,
		AmountMinor: b.AmountMinor, Currency: money.Currency, ReceivedOn: r.Date(), RemittanceText: b.Remittance,
	}, struct{}{})
	eventID := r.Emit(event.PaymentReceived, payment, &event.PaymentReceivedData{
		Kind: payment.Kind, AmountMinor: b.AmountMinor, PayerName: b.PayerName,
		CashMinor: o.State.CashMinor + b.AmountMinor,
	})
	o.book(r, b.AmountMinor, MajorOrderBonus, &eventID, &payment.ID)
}
