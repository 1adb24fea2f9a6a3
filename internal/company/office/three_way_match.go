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

// matchWith compares the bill with its order and the receipts of that order, of which earlier trucks have taken
// quantities, one for each line, nil for none. It returns the quantities that are justified.
func (i *SupplierInvoice) matchWith(order *PurchaseOrder, taken []int64) (justified []int64) {
	matched := money.Minor(0)
	quantity, price, received := false, false, false
	justified = make([]int64, len(i.Lines))
	for at, line := range i.Lines {
		ordered := &order.Lines[at]
		left := ordered.QuantityReceived
		if taken != nil {
			left = max(0, left-taken[at])
		}
		justified[at] = min(line.Quantity, left)
		matched += ordered.UnitPriceMinor.Times(justified[at])
		received = received || left > 0
		quantity = quantity || line.Quantity > left
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
	return justified
}

// justified returns the quantities that the bill of a truck justifies, one for each line, nil for none. Where that bill
// came twice, it is the one that was paid.
func (o *Office) justified(private *PurchaseOrderPrivate, truck int) (quantities []int64) {
	for _, id := range private.InvoiceIDs {
		bill, _ := o.SupplierInvoices.Find(id)
		of := record.Private(o.SupplierInvoices, id)
		if of.Trucks[0] != truck || bill.DuplicateOf != nil {
			continue
		}
		if quantities = of.Justified; bill.Status == SupplierInvoicePaid {
			break
		}
	}
	return quantities
}

// match compares the unpaid bills of an order again after a receipt, those of earlier trucks first.
func (o *Office) match(r *record.Recorder, order *PurchaseOrder, private *PurchaseOrderPrivate) {
	for truck := range private.Trucks {
		for _, id := range private.InvoiceIDs {
			bill, _ := o.SupplierInvoices.Find(id)
			of := record.Private(o.SupplierInvoices, id)
			if of.Trucks[0] != truck || bill.Status == SupplierInvoicePaid {
				continue
			}
			of = record.EditPrivate(o.SupplierInvoices, r, id)
			o.editSupplierInvoice(r, id, func(i *SupplierInvoice) {
				of.Justified = i.matchWith(order, o.justified(private, truck-1))
				i.VarianceMinor = i.BilledMinor - i.MatchedMinor
			})
		}
	}
}

// delivered is the worth of the goods of a bill that the supplier knows it has delivered. What the receipts say too
// little of one truck and too much of another does not count: it is the sum of the order that is owed.
func (o *Office) delivered(i *SupplierInvoice) money.Minor {
	private := record.Private(o.PurchaseOrders, *i.PurchaseOrderID)
	order, _ := o.PurchaseOrders.Find(*i.PurchaseOrderID)
	own, all, justified := money.Minor(0), money.Minor(0), money.Minor(0)
	of := record.Private(o.SupplierInvoices, i.ID)
	for truck := range private.Trucks {
		at := &private.Trucks[truck]
		all += at.DeliveredMinor
		switch {
		case slices.Contains(of.Trucks, truck):
			own += at.DeliveredMinor
		case !at.Billed: // nothing of it is justified yet
		default:
			justified += order.worth(o.justified(private, truck))
		}
	}
	return min(own, max(0, all-justified))
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
	// DuplicateOf is the bill of which this one is a duplicate: nothing is paid.
	DuplicateOf *string
}

// PaySupplierInvoice is the body of POST /office/supplier-invoices/{id}/pay.
type PaySupplierInvoice struct {
	_ struct{} `doc:"The body that pays a supplier's bill, in full or up to the matched amount."`

	AmountMinor *money.Minor `json:"amount_minor,omitzero" minimum:"0" doc:"The matched or the billed amount; 0 for goods that were all sent back. Left out, the bill is paid if it matches. Early discount and late fee are calculated automatically; the sum left after the discount is taken too."`
	DuplicateOf *string      `json:"duplicate_of,omitzero" nullable:"true" minLength:"1" maxLength:"64" doc:"The bill that came before for the same goods: closes this one with 0, without its late fee." agent:"-"`
	Note        *string      `json:"note,omitzero" nullable:"true" minLength:"1" maxLength:"200" doc:"A note with the payment, for the record; the bill shows it as payment_note." agent:"-"`
}

// CanPay works out how the client's payment closes an invoice.
func (o *Office) CanPay(today moment.Date, id string, in *PaySupplierInvoice) (Settlement, error) {
	invoice, ok := o.SupplierInvoices.Find(id)
	if !ok {
		return Settlement{}, problem.Missing("supplier_invoice", id)
	}
	if invoice.Status == SupplierInvoicePaid {
		ended := "paid"
		if invoice.DuplicateOf != nil {
			ended = "closed as a duplicate"
		}
		return Settlement{}, problem.New(problem.AlreadyPaid, "The invoice %s was %s on %s.",
			invoice.Number, ended, invoice.PaidOn).
			With(PaidDetails{PaidOn: *invoice.PaidOn, PaidBy: *invoice.PaidBy})
	}
	if invoice.Kind == OverheadInvoice {
		return Settlement{}, problem.New(problem.DirectDebit, "The invoice %s is debited on %s.",
			invoice.Number, invoice.CollectOn).With(DebitDetails{CollectOn: *invoice.CollectOn})
	}
	if in.DuplicateOf != nil {
		return o.canClose(invoice, in)
	}
	base, err := invoice.base(in.AmountMinor, o.delivered(invoice), func(base money.Minor) money.Minor {
		return o.discount(invoice, today, base)
	})
	if err != nil {
		return Settlement{}, err
	}
	s := Settlement{InvoiceID: id, BaseMinor: base, By: PaidByClient, Note: in.Note}
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
		if i.DuplicateOf = s.DuplicateOf; s.DuplicateOf != nil {
			i.LateFeeMinor = 0
		}
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
		o.closed(r, invoice)
	}
	eventID := r.Emit(event.SupplierInvoicePaid, invoice, &event.SupplierInvoicePaidData{
		Number: invoice.Number, PaidMinor: invoice.PaidMinor, CreditedMinor: invoice.CreditedMinor,
		DiscountMinor: invoice.DiscountMinor, DuplicateOf: s.DuplicateOf, PaidBy: s.By,
		CashMinor: o.State.CashMinor - invoice.PaidMinor,
	})
	if invoice.PaidMinor > 0 {
		o.Spend(r, invoice.PaidMinor, kind, eventID, invoice.ID)
	}
	return s.By == PaidByClient && s.DuplicateOf == nil && invoice.CreditedMinor > 0
}

// closed notes on its order that a bill for materials has been paid, or closed as a duplicate. What is paid is not owed
// any more, whichever bill was for it.
func (o *Office) closed(r *record.Recorder, invoice *SupplierInvoice) {
	order, private := o.PurchaseOrders.Edit(r, *invoice.PurchaseOrderID)
	if invoice.DuplicateOf != nil {
		for i := range order.Lines {
			order.Lines[i].QuantityBilled -= invoice.Lines[i].Quantity
		}
	} else {
		for _, truck := range record.Private(o.SupplierInvoices, invoice.ID).Trucks {
			at := &private.Trucks[truck]
			o.State.TakenInMinor -= at.TakenInMinor
			at.TakenInMinor, at.Paid = 0, true
		}
	}
	order.BillingStatus = o.billing(private)
}

// billing is the billing status of an order with a bill.
func (o *Office) billing(private *PurchaseOrderPrivate) string {
	unpaid := slices.ContainsFunc(private.InvoiceIDs, func(id string) bool {
		bill, _ := o.SupplierInvoices.Find(id)
		return bill.Status != SupplierInvoicePaid
	})
	if unpaid || !private.billed() {
		return BillingBilled
	}
	return BillingPaid
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
