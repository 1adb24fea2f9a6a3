package office

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/problem"
)

// This file is about the bills that come twice: with the number that the supplier gave them, or with a digit of it
// misread. Head Office records each under a number of its own.

const (
	// A bill comes a second time so many working days after the last one of its order.
	secondBillLeast, maxSecondBill = 2, 6
	// misreadPPM is the probability that a digit is misread.
	misreadPPM = 500_000
	// The numbers of two bills of a supplier are so far apart that they differ in two digits at least.
	firstReference, maxReference, referenceStep = 3000, 6000, 37
)

// nextReference is the supplier's own number of its next bill.
func (o *Office) nextReference(r *record.Recorder, supplierID string) string {
	private := record.EditPrivate(o.Suppliers, r, supplierID)
	private.Bills++
	prefix := strings.ToUpper(strings.TrimPrefix(supplierID, "sup_"))
	first := between(o.suppliers[supplierID].reference, firstReference, maxReference, 0)
	return fmt.Sprintf("%s-%d", prefix, first+referenceStep*private.Bills)
}

// bills is how many bills a supplier writes for an order, without one that comes twice.
func (p *PurchaseOrderPrivate) bills() int {
	if p.BilledApart {
		return len(p.Trucks)
	}
	return 1
}

// drawSecondBill draws whether a bill of an order, which is billed now, comes a second time.
func (o *Office) drawSecondBill(r *record.Recorder, order *PurchaseOrder, private *PurchaseOrderPrivate) {
	if private.Nth == 0 || private.Called {
		return // an order of the opening, or one whose truck a trigger has called
	}
	supplier, _ := catalog.SupplierByID(order.SupplierID)
	s := o.suppliers[supplier.ID]
	if s.billedTwice.PPM(private.Nth) >= scale(supplier.BilledTwicePPM, int64(o.preset.Supply.BilledTwiceFactor)) {
		return
	}
	private.SecondBillDue = true
	day := r.Today() + sim.Day(between(s.secondBill, secondBillLeast, maxSecondBill, private.Nth))
	r.Set(sim.Timer{Due: day.At(sim.PaymentMinute), Class: sim.ClassDay, Kind: TimerBilledTwice, Ref: order.ID})
}

// SecondBill brings a bill of an order a second time. It waits for a bookkeeper as the first did.
func (o *Office) SecondBill(r *record.Recorder, orderID string, days int64) {
	if o.waitsForBookkeeper(days) {
		r.Set(sim.Timer{
			Due: (r.Today() + 1).At(sim.PaymentMinute), Class: sim.ClassDay, Kind: TimerBilledTwice, Ref: orderID,
			Index: days + 1,
		})
		return
	}
	order, private := o.PurchaseOrders.Edit(r, orderID)
	private.SecondBillDue = false
	which := o.suppliers[order.SupplierID].whichBill.Below(int64(len(private.InvoiceIDs)), private.Nth)
	o.repeatBill(r, private.InvoiceIDs[which])
}

// repeatBill brings a bill for materials a second time, and returns the new one's id.
func (o *Office) repeatBill(r *record.Recorder, id string) string {
	first, _ := o.SupplierInvoices.Find(id)
	order, private := o.PurchaseOrders.Edit(r, *first.PurchaseOrderID)
	second := SupplierInvoice{
		SupplierID:        first.SupplierID,
		SupplierReference: o.reread(first.SupplierReference, first.SupplierID, private.Nth),
		PurchaseOrderID:   first.PurchaseOrderID, Kind: first.Kind, Lines: slices.Clone(first.Lines),
		IssuedOn: r.Date(),
	}
	o.addBill(r, order, private, record.Private(o.SupplierInvoices, id).Trucks, second)
	return private.InvoiceIDs[len(private.InvoiceIDs)-1]
}

// reread is the number of a bill as it is on its second copy: the same, or with a digit misread.
func (o *Office) reread(reference, supplierID string, nth int64) string {
	s := o.suppliers[supplierID].misread
	if s.PPM(nth) >= misreadPPM {
		return reference
	}
	const digits, others = 4, 9
	text := []byte(reference)
	at := len(text) - 1 - int(s.Below(digits-1, nth, 1)) // the first digit stays
	digit, _ := strconv.Atoi(string(text[at]))
	text[at] = byte('0' + (int64(digit)+1+s.Below(others, nth, 2))%(others+1))
	return string(text)
}

// Repeats returns the bill of the same goods that came before an unpaid one, or that has been paid, nil for none. Goods
// are sold once, so one of both is not to be paid.
func (o *Office) Repeats(i *SupplierInvoice) *SupplierInvoice {
	if i.Kind != MaterialsInvoice || i.Status == SupplierInvoicePaid {
		return nil
	}
	earlier := true
	for _, id := range record.Private(o.PurchaseOrders, *i.PurchaseOrderID).InvoiceIDs {
		earlier = earlier && id != i.ID
		other, _ := o.SupplierInvoices.Find(id)
		if i.sameGoods(other) && (earlier || other.Status == SupplierInvoicePaid) {
			return other
		}
	}
	return nil
}

// PaidTwice returns the bill that a client had paid for the same goods before it paid this one, nil for none.
func (o *Office) PaidTwice(i *SupplierInvoice) *SupplierInvoice {
	for _, id := range record.Private(o.PurchaseOrders, *i.PurchaseOrderID).InvoiceIDs {
		other, _ := o.SupplierInvoices.Find(id)
		if !i.sameGoods(other) || other.PaidBy == nil || *other.PaidBy != PaidByClient {
			continue
		}
		if other.UpdatedAt < i.UpdatedAt || other.UpdatedAt == i.UpdatedAt && other.Number < i.Number {
			return other
		}
	}
	return nil
}

// sameGoods reports whether two bills of an order are for the same goods, and neither has been closed for that.
func (i *SupplierInvoice) sameGoods(other *SupplierInvoice) bool {
	return i.ID != other.ID && i.DuplicateOf == nil && other.DuplicateOf == nil &&
		*i.PurchaseOrderID == *other.PurchaseOrderID &&
		slices.EqualFunc(i.Lines, other.Lines, func(a, b SupplierInvoiceLine) bool {
			return *a.SKU == *b.SKU && a.Quantity == b.Quantity && a.UnitPriceMinor == b.UnitPriceMinor
		})
}

// canClose refuses to close a bill as a duplicate of one that is not for the same goods.
func (o *Office) canClose(i *SupplierInvoice, in *PaySupplierInvoice) (Settlement, error) {
	if in.AmountMinor != nil && *in.AmountMinor != 0 {
		return Settlement{}, problem.Invalid(problem.Field{Field: "amount_minor", Rule: "maximum",
			Message: "amount_minor must be 0 with duplicate_of, or left out."})
	}
	other, ok := o.SupplierInvoices.Find(*in.DuplicateOf)
	switch {
	case !ok:
		return Settlement{}, problem.Invalid(problem.Field{Field: "duplicate_of", Rule: "exists",
			Message: fmt.Sprintf("There is no supplier invoice %q.", *in.DuplicateOf)})
	case other.DuplicateOf != nil:
		return Settlement{}, problem.New(problem.AmountNotPayable, "%s is closed as a duplicate itself: pay %s.",
			other.Number, i.Number).
			With(AllowedDetails{Allowed: i.closedBy(o.delivered(i))})
	case other.Kind != MaterialsInvoice || !i.sameGoods(other):
		return Settlement{}, problem.New(problem.AmountNotPayable, "%s does not bill the same goods as %s.",
			other.Number, i.Number).
			With(AllowedDetails{Allowed: i.closedBy(o.delivered(i))})
	}
	return Settlement{InvoiceID: i.ID, By: PaidByClient, Note: in.Note, DuplicateOf: &other.ID}, nil
}
