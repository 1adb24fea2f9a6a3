package company_test

import (
	"errors"
	"testing"

	"platen/internal/company"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// ordered lets a customer order cards now, and returns the order.
func (l *life) ordered(customer string, quantity int64) office.SalesOrder {
	l.t.Helper()
	l.must(trigger("order", company.PullTrigger{CustomerID: &customer, SKU: new("prd_card"), Quantity: &quantity}))
	all := rowsOf[office.SalesOrder](l, "sales_order")
	return all[len(all)-1]
}

// open returns open_minor of a customer.
func (l *life) open(customer string) money.Minor {
	l.t.Helper()
	return *rowOf[office.Customer](l, "customer", customer).OpenMinor
}

// TestACustomerOwesNoMoreThanTheCreditLimit: an order beyond it waits for a payment, whatever of it is billed.
func TestACustomerOwesNoMoreThanTheCreditLimit(t *testing.T) {
	t.Parallel()
	const customer = "cus_lumen"
	l := quiet(t, "crunch", 1, punctual, func(p *preset.Preset) { p.Customers.CreditFactor = sim.Million / 20 })
	before, limit := l.open(customer), *rowOf[office.Customer](l, "customer", customer).CreditLimitMinor
	if limit != 75_000 {
		t.Fatalf("the limit is %d", limit)
	}
	first, second := l.ordered(customer, 20), l.ordered(customer, 20)
	if first.TotalMinor*2+before <= limit || first.TotalMinor+before > limit {
		t.Fatalf("two orders of %d do not try a limit of %d", first.TotalMinor, limit)
	}
	l.must(accept(first.ID))
	refused := func(when string, used money.Minor) {
		t.Helper()
		err := l.act(accept(second.ID))
		refusal, ok := errors.AsType[*problem.Problem](err)
		want := office.CreditDetails{
			CreditLimitMinor: limit, UsedMinor: used, AvailableMinor: limit - used, TotalMinor: second.TotalMinor,
		}
		if !ok || refusal.Code != problem.CreditLimitExceeded || refusal.Details != want || l.open(customer) != used {
			t.Errorf("%s: %v with %+v, want %+v; open are %d", when, err, refusal, want, l.open(customer))
		}
	}
	refused("accepted", before+first.TotalMinor)
	work := *l.order(first.Number).BridgedWorkOrderID
	l.print(work)
	l.must(part(work, 5))
	refused("partly billed", before+first.TotalMinor)
	l.must(shipGoods(work))
	refused("billed", before+first.TotalMinor)
	for _, invoice := range l.order(first.Number).InvoiceIDs {
		l.must(trigger("customer_pays", company.PullTrigger{CustomerInvoiceID: &invoice}))
	}
	if got := l.open(customer); got != before {
		t.Errorf("after the payment %d are open, want %d", got, before)
	}
	l.must(accept(second.ID))

	for _, name := range []string{"starter", "manual", "agent_eval", "supply_shock", "empty"} {
		for _, c := range rowsOf[office.Customer](quiet(t, name, 1), "customer") {
			if c.CreditLimitMinor != nil || c.OpenMinor != nil {
				t.Errorf("%s: %s has a credit limit", name, c.ID)
			}
		}
	}
}

// TestAnOrderThatExpiresIsNotOwed.
func TestAnOrderThatExpiresIsNotOwed(t *testing.T) {
	t.Parallel()
	const customer = "cus_lumen"
	l := quiet(t, "crunch", 1, punctual)
	order := l.ordered(customer, 10)
	l.must(accept(order.ID))
	l.waitFor("the end of the order", func() bool { return l.order(order.Number).Status == office.OrderExpired })
	invoiced := money.Minor(0)
	for _, i := range rowsOf[office.CustomerInvoice](l, "customer_invoice") {
		if i.CustomerID == customer {
			invoiced += i.BalanceMinor
		}
	}
	if got := l.open(customer); got != invoiced {
		t.Errorf("%d are open, the invoices add up to %d", got, invoiced)
	}
}
