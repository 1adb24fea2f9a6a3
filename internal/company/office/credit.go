package office

import (
	"fmt"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// This file is about the credit that the company grants its customers, in presets that limit it.

// creditLimit is the credit limit of a customer, nil for none.
func (o *Office) creditLimit(c catalog.Customer) *money.Minor {
	if o.preset.Customers.CreditFactor == 0 {
		return nil
	}
	return new(c.CreditMinor.Scaled(int64(o.preset.Customers.CreditFactor)))
}

// owed adds up, for each customer, the balances of its invoices and the orders that are accepted and not billed.
func (o *Office) owed() map[string]money.Minor {
	sums := map[string]money.Minor{}
	for i := range o.CustomerInvoices.All {
		sums[i.CustomerID] += i.BalanceMinor
	}
	for order := range o.SalesOrders.All {
		if order.Status == OrderAccepted || order.Status == OrderInProduction {
			sums[order.CustomerID] += order.UnitPriceMinor.Times(order.Quantity - order.QuantityBilled)
		}
	}
	return sums
}

// owes shows on a customer's row what the customer owes now, where credit is limited.
func (o *Office) owes(r *record.Recorder, customerID string) {
	row, _ := o.Customers.Find(customerID)
	if row.CreditLimitMinor == nil {
		return
	}
	if now := o.owed()[customerID]; now != *row.OpenMinor {
		row, _ = o.Customers.Edit(r, customerID)
		row.OpenMinor = &now
	}
}

// Acceptable returns an order that waits for an answer and with which its customer would not owe more than the credit
// limit.
func (o *Office) Acceptable(id string) (*SalesOrder, error) {
	order, err := o.Answerable(id)
	if err != nil {
		return nil, err
	}
	customer, _ := o.Customers.Find(order.CustomerID)
	if customer.CreditLimitMinor == nil || *customer.OpenMinor+order.TotalMinor <= *customer.CreditLimitMinor {
		return order, nil
	}
	limit, used := *customer.CreditLimitMinor, *customer.OpenMinor
	return nil, problem.New(problem.CreditLimitExceeded, "%s is over %s, and %s may owe %s more until a payment comes.",
		order.Number, order.TotalMinor, customer.Name, max(0, limit-used)).
		With(CreditDetails{
			CreditLimitMinor: limit, UsedMinor: used, AvailableMinor: max(0, limit-used), TotalMinor: order.TotalMinor,
		})
}

func (o *Office) checkCredit() error {
	sums := o.owed()
	for customer := range o.Customers.All {
		if customer.CreditLimitMinor != nil && *customer.OpenMinor != sums[customer.ID] {
			return fmt.Errorf("customer %s owes %d, the documents add up to %d",
				customer.ID, *customer.OpenMinor, sums[customer.ID])
		}
	}
	return nil
}
