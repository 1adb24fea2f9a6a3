package office

import (
	"slices"

	"platen/internal/company/record"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// How a bill compares with its order and its receipts (contract:
// OPEN.STATE.SUPPLIER_INVOICE.MATCH).
const (
	Matched                  = "matched"
	QuantityMismatch         = "quantity_mismatch"
	PriceMismatch            = "price_mismatch"
	QuantityAndPriceMismatch = "quantity_and_price_mismatch"
	NoReceipt                = "no_receipt"
	MatchNotApplicable       = "not_applicable"
)

// priceTolerancePercent is how much a billed price may be above the order's
// and still match.
const priceTolerancePercent = 1

// Payers of a supplier invoice.
const (
	PaidByClient      = "client"
	PaidByDirectDebit = "direct_debit"
	PaidByCollection  = "collection"
)

// matchWith compares the bill with its order and the receipts of that order.
func (i *SupplierInvoice) matchWith(order *PurchaseOrder) {
	matched := money.Minor(0)
	quantity, price, received := false, false, false
	for _, line := range i.Lines {
		ordered := order.line(*line.SKU)
		matched += ordered.UnitPriceMinor.Times(min(line.Quantity, ordered.QuantityReceived))
		received = received || ordered.QuantityReceived > 0
		quantity = quantity || line.Quantity > ordered.QuantityReceived
		price = price || line.UnitPriceMinor*100 > ordered.UnitPriceMinor*(100+priceTolerancePercent)
	}
	i.MatchedMinor, i.MatchStatus = matched, Matched
	switch {
	case !received:
		i.MatchStatus = NoReceipt
	case quantity && price:
		i.MatchStatus = QuantityAndPriceMismatch
	case quantity:
		i.MatchStatus = QuantityMismatch
	case price:
		i.MatchStatus = PriceMismatch
	}
}

// match compares an unpaid bill again after a receipt.
func (o *Office) match(r *record.Recorder, invoiceID string) {
	if invoice, _ := o.SupplierInvoices.Find(invoiceID); invoice.Status == SupplierInvoicePaid {
		return
	}
	o.editSupplierInvoice(r, invoiceID, func(i *SupplierInvoice) {
		order, _ := o.PurchaseOrders.Find(*i.PurchaseOrderID)
		i.matchWith(order)
		i.VarianceMinor = i.BilledMinor - i.MatchedMinor
	})
}

// PaidDetails are the details of already_paid.
type PaidDetails struct {
	PaidOn moment.Date `json:"paid_on"`
	PaidBy string      `json:"paid_by"`
}

// DebitDetails are the details of direct_debit.
type DebitDetails struct {
	CollectOn moment.Date `json:"collect_on"`
}

// MatchDetails are the details of three_way_mismatch.
type MatchDetails struct {
	MatchStatus  string      `json:"match_status"`
	BilledMinor  money.Minor `json:"billed_minor"`
	MatchedMinor money.Minor `json:"matched_minor"`
	// Allowed are the amounts that close the invoice, before a discount and after it.
	Allowed []money.Minor `json:"allowed"`
}

// AllowedDetails are the details of amount_not_payable.
type AllowedDetails struct {
	Allowed []money.Minor `json:"allowed"`
}

// Settlement is how an invoice is to be closed.
type Settlement struct {
	InvoiceID string
	// BaseMinor is the part of the bill that is acknowledged.
	BaseMinor money.Minor
	By        string
	Note      *string
}

// PaySupplierInvoice is the body of POST /office/supplier-invoices/{id}/pay.
type PaySupplierInvoice struct {
	_ struct{} `doc:"The body that pays a supplier's bill, in full or up to the matched amount."`

	AmountMinor *money.Minor `json:"amount_minor,omitzero" minimum:"0" doc:"The matched or the billed amount; 0 for goods that were all sent back. Left out, the bill is paid if it matches. Early discount and late fee are calculated automatically; the sum that is left after the discount is taken too."`
	Note        *string      `json:"note,omitzero" nullable:"true" minLength:"1" maxLength:"200" doc:"A note with the payment, for the record; the invoice shows it as payment_note." agent:"-"`
}

// CanPay works out how the client's payment closes an invoice. amount is the
// one that the client named, nil when none.
func (o *Office) CanPay(today moment.Date, id string, amount *money.Minor) (Settlement, error) {
	invoice, ok := o.SupplierInvoices.Find(id)
	if !ok {
		return Settlement{}, problem.Missing("supplier_invoice", id)
	}
	if invoice.Status == SupplierInvoicePaid {
		return Settlement{}, problem.New(problem.AlreadyPaid, "The invoice %s was paid on %s.",
			invoice.Number, invoice.PaidOn).
			With(PaidDetails{PaidOn: *invoice.PaidOn, PaidBy: *invoice.PaidBy})
	}
	if invoice.Kind == OverheadInvoice {
		return Settlement{}, problem.New(problem.DirectDebit, "The invoice %s is debited on %s.",
			invoice.Number, invoice.CollectOn).With(DebitDetails{CollectOn: *invoice.CollectOn})
	}
	delivered := record.Private(o.PurchaseOrders, *invoice.PurchaseOrderID).DeliveredMinor
	base, err := invoice.base(amount, delivered, func(base money.Minor) money.Minor {
		return o.discount(invoice, today, base)
	})
	if err != nil {
		return Settlement{}, err
	}
	s := Settlement{InvoiceID: id, BaseMinor: base, By: PaidByClient}
	return s, o.CanSpend(base + invoice.LateFeeMinor - o.discount(invoice, today, base))
}

// base returns the part of the bill that an amount pays. An overdue invoice
// takes the amount with its late fee, too, and one with a discount the sum that is left of the amount (contract:
// OPEN.BODY.OFFICE.SUPPLIER_INVOICES.PAY).
func (i *SupplierInvoice) base(
	amount *money.Minor, delivered money.Minor, discount func(base money.Minor) money.Minor,
) (money.Minor, error) {
	allowed := i.closedBy(delivered)
	bases := slices.Clone(allowed)
	for _, base := range bases {
		if discount(base) > 0 {
			allowed = append(allowed, base-discount(base))
		}
	}
	if amount == nil {
		if i.MatchStatus == Matched {
			return i.BilledMinor, nil
		}
		return 0, i.mismatch(allowed, delivered)
	}
	for _, fee := range []money.Minor{0, i.LateFeeMinor} {
		if slices.Contains(bases, *amount-fee) {
			return *amount - fee, nil
		}
	}
	for _, base := range bases {
		if *amount == base+i.LateFeeMinor-discount(base) {
			return base, nil
		}
	}
	return 0, problem.New(problem.AmountNotPayable, "%s does not close %s: the supplier takes what was billed, or "+
		"what order and a true receipt justify.", *amount, i.Number).With(AllowedDetails{Allowed: allowed})
}

// closedBy lists the amounts that close the invoice, least first. The supplier
// credits goods that it did not deliver, but not goods that were only left out
// of the receipt: it knows which goods its truck brought and took back. For a
// truck that was sent away whole it takes 0.
func (i *SupplierInvoice) closedBy(delivered money.Minor) []money.Minor {
	if i.MatchedMinor != i.BilledMinor && i.MatchedMinor >= delivered {
		return []money.Minor{i.MatchedMinor, i.BilledMinor}
	}
	return []money.Minor{i.BilledMinor}
}

// mismatch asks for an amount, and names those that are taken.
func (i *SupplierInvoice) mismatch(allowed []money.Minor, delivered money.Minor) error {
	refusal := problem.New(problem.ThreeWayMismatch, "The invoice %s does not match: %s are billed, %s are justified.",
		i.Number, i.BilledMinor, i.MatchedMinor).
		With(MatchDetails{
			MatchStatus: i.MatchStatus, BilledMinor: i.BilledMinor, MatchedMinor: i.MatchedMinor, Allowed: allowed,
		})
	if i.MatchedMinor < delivered {
		return refusal.Hinting("The receipts say less than the supplier delivered: record the rest with POST " +
			"/office/goods-receipts first. Until then only what was billed closes the invoice.")
	}
	return refusal
}

// discount is the discount for paying so much today. Without a bookkeeper nobody asks for it.
func (o *Office) discount(i *SupplierInvoice, today moment.Date, base money.Minor) money.Minor {
	if i.DiscountUntil == nil || today > *i.DiscountUntil || o.State.Staff.Bookkeepers == 0 {
		return 0
	}
	return base.PerCent(i.DiscountPct)
}

// Settle closes an invoice and takes the money. It reports whether a bill that
// did not match was closed at its matched amount, below the billed one.
func (o *Office) Settle(r *record.Recorder, s Settlement) (corrected bool) {
	invoice := o.editSupplierInvoice(r, s.InvoiceID, func(i *SupplierInvoice) {
		i.DiscountMinor = 0
		if s.By == PaidByClient {
			i.DiscountMinor = o.discount(i, r.Date(), s.BaseMinor)
		}
		i.PaidMinor = s.BaseMinor + i.LateFeeMinor - i.DiscountMinor
		i.CreditedMinor = i.BilledMinor - s.BaseMinor
		i.PaidOn, i.PaidBy, i.PaymentNote = new(r.Date()), &s.By, s.Note
		record.Move(r, i, &i.Status, SupplierInvoicePaid)
	})
	o.State.UnpaidSupplierInvoices--
	record.EditPrivate(o.Suppliers, r, invoice.SupplierID).UnpaidMinor -= invoice.BilledMinor
	o.release(r, invoice.SupplierID, invoice.ID)
	kind := Overhead
	if invoice.Kind == MaterialsInvoice {
		kind = SupplierPayment
		order, private := o.PurchaseOrders.Edit(r, *invoice.PurchaseOrderID)
		order.BillingStatus = BillingPaid
		o.State.TakenInMinor -= private.TakenInMinor
		private.TakenInMinor = 0
	}
	eventID := r.Emit(event.SupplierInvoicePaid, invoice, &event.SupplierInvoicePaidData{
		Number: invoice.Number, PaidMinor: invoice.PaidMinor, CreditedMinor: invoice.CreditedMinor,
		DiscountMinor: invoice.DiscountMinor,
		PaidBy:        s.By, CashMinor: o.State.CashMinor - invoice.PaidMinor,
	})
	if invoice.PaidMinor > 0 {
		o.Spend(r, invoice.PaidMinor, kind, eventID, invoice.ID)
	}
	return s.By == PaidByClient && invoice.CreditedMinor > 0
}

// Collect takes the money for an overdue invoice, as billed, with or without
// cash.
func (o *Office) Collect(r *record.Recorder, id string) {
	if invoice, _ := o.SupplierInvoices.Find(id); invoice.Status == SupplierInvoiceOverdue {
		o.Settle(r, Settlement{InvoiceID: id, BaseMinor: invoice.BilledMinor, By: PaidByCollection})
	}
}

// DirectDebit takes the money for an overhead invoice.
func (o *Office) DirectDebit(r *record.Recorder, id string) {
	invoice, _ := o.SupplierInvoices.Find(id)
	o.Settle(r, Settlement{InvoiceID: id, BaseMinor: invoice.BilledMinor, By: PaidByDirectDebit})
}
