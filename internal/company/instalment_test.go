package company_test

import (
	"testing"

	"platen/internal/company"
	"platen/internal/company/catalog"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
)

// halves bills cards to the first customer who pays by halves, and returns the invoice's id.
func (l *life) halves() string {
	l.t.Helper()
	for range catalog.Customers() {
		l.must(trigger("order", company.PullTrigger{SKU: new("prd_card"), Quantity: new(int64(10))}))
		all := rowsOf[office.SalesOrder](l, "sales_order")
		o := all[len(all)-1]
		if customer, _ := catalog.CustomerByID(o.CustomerID); customer.Habit != catalog.Instalments {
			l.must(decline(o.ID, nil))
			continue
		}
		l.must(accept(o.ID))
		l.must(shipGoods(l.print(*l.order(o.Number).BridgedWorkOrderID)))
		return *l.order(o.Number).InvoiceID
	}
	l.t.Fatalf("%s: no customer pays by halves", l.label)
	panic("unreachable")
}

// paid are the payments of an invoice.
func (l *life) paid(invoice string) (all []office.Payment) {
	l.t.Helper()
	for _, p := range rowsOf[office.Payment](l, "payment") {
		if p.CustomerInvoiceID != nil && *p.CustomerInvoiceID == invoice {
			all = append(all, p)
		}
	}
	return all
}

// TestTheSecondHalfIsNeverBeforeTheFirst, however an outage of payments, a dispute or a late customer moves them, and
// there are two payments.
func TestTheSecondHalfIsNeverBeforeTheFirst(t *testing.T) {
	t.Parallel()
	dispute := func(l *life, invoice string) error {
		return l.act(trigger("customer_disputes", company.PullTrigger{CustomerInvoiceID: &invoice}))
	}
	late := func(l *life, invoice string) error {
		return l.act(trigger("customer_pays_late", company.PullTrigger{CustomerInvoiceID: &invoice}))
	}
	outage := func(days int64) func(*life, string) error {
		return func(l *life, _ string) error {
			return l.act(trigger("payment_outage", company.PullTrigger{Days: &days}))
		}
	}
	now := func(l *life, invoice string) error {
		return l.act(trigger("customer_pays", company.PullTrigger{CustomerInvoiceID: &invoice}))
	}
	for name, c := range map[string]struct {
		// do happens on each day from the one of the bill on, or of the first half.
		do        func(*life, string) error
		afterHalf bool
		refused   bool
		apart     sim.Day
	}{
		"nothing":                        {do: func(*life, string) error { return nil }, apart: 3},
		"an outage":                      {do: outage(5), apart: 3},
		"an outage after the first half": {do: outage(9), afterHalf: true, apart: 3},
		"a dispute":                      {do: dispute, apart: 3},
		"a dispute after the first half": {do: dispute, afterHalf: true, refused: true, apart: 3},
		"late":                           {do: late, apart: 3},
		"late after the first half":      {do: late, afterHalf: true, apart: 3},
		"now":                            {do: now},
		"now after the first half":       {do: now, afterHalf: true},
	} {
		for before := range sim.Day(14) { // days before it happens
			l := quiet(t, "starter", 3, steady, func(p *preset.Preset) {
				p.Documents, p.Payroll.Paid, p.Lots.EveryDays, p.Customers.LateFactor = false, false, 0, 0
			})
			invoice := l.halves()
			start := l.company.Summary().Now.Day()
			for c.afterHalf && len(l.paid(invoice)) == 0 {
				l.until(l.company.Summary().Now.Day() + 1)
			}
			if c.afterHalf && before > 2 || !c.afterHalf && len(l.paid(invoice)) > 0 {
				break
			}
			l.until(l.company.Summary().Now.Day() + before)
			if !c.afterHalf && len(l.paid(invoice)) > 0 {
				break
			}
			if err := c.do(l, invoice); (err != nil) != c.refused {
				t.Errorf("%s: %d days after day %d it gives %v", name, before, start, err)
			}
			l.until(start + 60)
			i := rowOf[office.CustomerInvoice](l, "customer_invoice", invoice)
			paid := l.paid(invoice)
			if i.Status != office.InvoicePaid || len(paid) != 2 || paid[0].AmountMinor != i.TotalMinor/2 ||
				sim.DayFrom(paid[1].ReceivedOn) < sim.DayFrom(paid[0].ReceivedOn)+c.apart {
				t.Errorf("%s, %d days later: the invoice over %d is %s after %+v",
					name, before, i.TotalMinor, i.Status, paid)
			}
			if err := l.company.Check(); err != nil {
				t.Errorf("%s, %d days later: %v", name, before, err)
			}
			checkFeed(t, l)
		}
	}
}
