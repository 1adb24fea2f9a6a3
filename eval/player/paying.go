package player

import (
	"slices"

	"platen/internal/company/hr"
	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

// comfortMinor is the cash that the good player keeps before it pays early.
const comfortMinor money.Minor = 2_000_000

// pay pays wages as soon as they are due, and suppliers when it is time.
func (p *player) pay() error {
	for _, status := range []hr.PayrollStatus{hr.PayrollLate, hr.PayrollDue} {
		runs, err := rows[hr.PayrollRun](p, "list_payroll_runs", "status", string(status))
		if err != nil {
			return err
		}
		for _, run := range runs {
			if run.TimesheetID == nil || run.GrossMinor > p.state.CashMinor {
				continue
			}
			if _, err := p.try("run_payroll", "", &hr.RunPayroll{WeekStart: run.WeekStart}); err != nil {
				return err
			}
		}
	}
	for _, status := range []office.SupplierInvoiceStatus{office.SupplierInvoiceOverdue, office.SupplierInvoiceOpen} {
		bills, err := rows[office.SupplierInvoice](p, "list_supplier_invoices", "status", string(status), "kind",
			office.MaterialsInvoice)
		if err != nil {
			return err
		}
		for _, bill := range bills {
			if err := p.settle(bill); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle pays a bill on its last day, or within its discount.
func (p *player) settle(bill *office.SupplierInvoice) error {
	today := p.state.Clock.SimDate
	// The last working day on which the bill is not late.
	last := sim.DayAfter(bill.DueDate) - 1
	early := p.policy.discounts && bill.DiscountPct > 0 && bill.DiscountUntil != nil && today <= *bill.DiscountUntil &&
		p.state.CashMinor > comfortMinor
	if !early && p.today() < last {
		return nil
	}
	amount := bill.BilledMinor
	if p.policy.matching && bill.MatchedMinor > 0 {
		amount = bill.MatchedMinor
	}
	if amount > p.state.CashMinor {
		return nil
	}
	pay := &office.PaySupplierInvoice{AmountMinor: &amount}
	if p.policy.matching {
		first, err := p.repeated(bill)
		if err != nil {
			return err
		}
		if first != nil {
			pay = &office.PaySupplierInvoice{AmountMinor: new(money.Minor(0)), DuplicateOf: &first.ID}
		}
	}
	_, err := p.try("pay_supplier_invoice", bill.ID, pay)
	return err
}

// repeated returns the bill for the same goods that came before, or has been paid, nil for none: the order of both is
// billed for more than it is for.
func (p *player) repeated(bill *office.SupplierInvoice) (*office.SupplierInvoice, error) {
	orders, err := rows[office.PurchaseOrder](p, "list_purchase_orders")
	if err != nil {
		return nil, err
	}
	twice := slices.ContainsFunc(orders, func(o *office.PurchaseOrder) bool {
		return o.ID == *bill.PurchaseOrderID && slices.ContainsFunc(o.Lines, func(l office.PurchaseOrderLine) bool {
			return l.QuantityBilled > l.Quantity
		})
	})
	if !twice {
		return nil, nil
	}
	others, err := rows[office.SupplierInvoice](p, "list_supplier_invoices", "purchase_order_id", *bill.PurchaseOrderID)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(others, func(o *office.SupplierInvoice) bool {
		first := o.Number < bill.Number || o.Status == office.SupplierInvoicePaid
		return first && o.ID != bill.ID && o.DuplicateOf == nil && o.BilledMinor == bill.BilledMinor
	})
	if at < 0 {
		return nil, nil
	}
	return others[at], nil
}
