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

// SupplierInvoiceStatus is the status of a supplier invoice.
//
//	open ──past due──▶ overdue
//	  └──────┴──paid, debited or collected──▶ paid
type SupplierInvoiceStatus string

// Statuses.
const (
	SupplierInvoiceOpen    SupplierInvoiceStatus = "open"
	SupplierInvoiceOverdue SupplierInvoiceStatus = "overdue"
	SupplierInvoicePaid    SupplierInvoiceStatus = "paid"
)

// Kinds of supplier invoices.
const (
	MaterialsInvoice = "materials"
	OverheadInvoice  = "overhead"
)

// Timers of supplier invoices. Their Ref is the invoice's id.
const (
	TimerSupplierOverdue = "supplier_invoice.overdue"
	TimerCollection      = "supplier_invoice.collection"
	TimerDirectDebit     = "supplier_invoice.direct_debit"
)

const (
	// lateFeePercent of the bill is added when it becomes overdue.
	lateFeePercent = 2
	// collectionDays is how many working days an overdue invoice waits before
	// it is collected.
	collectionDays = 10
	// A wrong price is so much too high, in parts per million.
	overpricedLeast, maxOverpriced = 40_000, 140_000
)

// SupplierInvoiceLine is one material or service of a bill.
type SupplierInvoiceLine struct {
	_ struct{} `doc:"One material or service of a supplier's bill."`

	SKU            *string     `json:"sku" doc:"The material; null on overheads."`
	Service        *string     `json:"service" doc:"The purpose of an overhead; null on materials."`
	Quantity       int64       `json:"quantity" doc:"The quantity billed: the ordered one of a material, in its unit; days or pieces of a service."`
	UnitPriceMinor money.Minor `json:"unit_price_minor" doc:"The price of one on the bill, in minor units. It may be above that of the order by mistake."`
	AmountMinor    money.Minor `json:"amount_minor" doc:"quantity times unit_price_minor, in minor units."`
}

// SupplierInvoice is the company's debt to a supplier.
type SupplierInvoice struct {
	_ struct{} `doc:"A supplier's bill to the company: for goods of a purchase order, or for overheads."`

	record.Head
	Number          string                `json:"number" doc:"The number under which Head Office records the bill."`
	SupplierID      string                `json:"supplier_id" doc:"The supplier who bills: the id at /office/suppliers."`
	PurchaseOrderID *string               `json:"purchase_order_id" doc:"The purchase order that it bills; null for overheads."`
	Kind            string                `json:"kind" enum:"materials,overhead" doc:"materials bills a purchase order and waits for your payment; overhead, such as rent, is debited automatically on collect_on."`
	Lines           []SupplierInvoiceLine `json:"lines" doc:"The materials or services billed, each in one line."`
	BilledMinor     money.Minor           `json:"billed_minor" doc:"The sum of the lines, in minor units, without a late fee."`
	MatchedMinor    money.Minor           `json:"matched_minor" doc:"The amount that order and goods receipts justify, in minor units: the lesser of billed and received quantity, at the price of the order."`
	VarianceMinor   money.Minor           `json:"variance_minor" doc:"billed_minor less matched_minor."`
	MatchStatus     string                `json:"match_status" enum:"matched,quantity_mismatch,price_mismatch,quantity_and_price_mismatch,no_receipt,not_applicable" doc:"Compares order, goods receipts of Head Office and bill, again with each receipt. matched fits; quantity_mismatch bills more than was accepted, price_mismatch more than 1 % above the order, quantity_and_price_mismatch both; no_receipt has nothing accepted yet; not_applicable is an overhead."`
	DiscountPct     int64                 `json:"discount_pct" doc:"The early discount, in per cent of the amount paid by discount_until."`
	DiscountMinor   money.Minor           `json:"discount_minor" doc:"Saved by a payment of billed_minor by discount_until, in minor units, if a bookkeeper is at work; once the invoice is paid, the discount that was taken."`
	DiscountUntil   *moment.Date          `json:"discount_until" doc:"The last date for the early discount; null where there is none."`
	Currency        string                `json:"currency" doc:"Always XTS. Amounts count its hundredths."`
	IssuedOn        moment.Date           `json:"issued_on" doc:"The date on the bill."`
	DueDate         moment.Date           `json:"due_date" doc:"The last date for a payment in time: the terms of the supplier after issued_on, on a working day."`
	CollectOn       *moment.Date          `json:"collect_on" doc:"The date of the direct debit of an overhead, or of the collection once the invoice is overdue; null for a bill for materials before that."`
	LateFeeMinor    money.Minor           `json:"late_fee_minor" doc:"Added when it becomes overdue: 2 % of billed_minor, in minor units; 0 before."`
	Status          SupplierInvoiceStatus `json:"status" enum:"open,overdue,paid" doc:"open can be paid in time; overdue was not, and its supplier takes no orders until it is paid; paid is final."`
	PaidMinor       money.Minor           `json:"paid_minor" doc:"The amount that left the company, in minor units: late fee and discount are worked into it. 0 before."`
	CreditedMinor   money.Minor           `json:"credited_minor" doc:"The part of billed_minor that the supplier gave up because the match was right, in minor units."`
	PaidBy          *string               `json:"paid_by" enum:"client,direct_debit,collection" doc:"client: your program paid; direct_debit: an overhead was debited; collection: the supplier collected an overdue bill. Null before."`
	PaymentNote     *string               `json:"payment_note" doc:"The note that came with the payment; null without one."`
	PaidOn          *moment.Date          `json:"paid_on" doc:"The date of the payment; null before."`
	record.Stamps
}

// Resource implements record.Row.
func (*SupplierInvoice) Resource() string { return "supplier_invoice" }

// State implements record.Row.
func (i *SupplierInvoice) State() string { return string(i.Status) }

// charged is the part of an unpaid bill that is for no goods.
func (i *SupplierInvoice) charged() money.Minor {
	switch {
	case i.Status == SupplierInvoicePaid:
		return 0
	case i.Kind == OverheadInvoice:
		return i.BilledMinor
	default:
		return i.LateFeeMinor
	}
}

// payable is the amount that the bill asks for.
func (i *SupplierInvoice) payable() money.Minor {
	if i.Status == SupplierInvoicePaid {
		return 0
	}
	return i.BilledMinor + i.LateFeeMinor
}

func newSupplierInvoices() *record.Table[SupplierInvoice, struct{}] {
	return record.NewTable(record.Definition{Resource: "supplier_invoice", Prefix: "sin"},
		[]record.Filter[SupplierInvoice, struct{}]{
			{Name: "status", Of: (*SupplierInvoice).State},
			{Name: "match_status", Of: func(i *SupplierInvoice) string { return i.MatchStatus }},
			{Name: "kind", Of: func(i *SupplierInvoice) string { return i.Kind }},
			{Name: "purchase_order_id", Of: func(i *SupplierInvoice) string {
				if i.PurchaseOrderID == nil {
					return ""
				}
				return *i.PurchaseOrderID
			}},
		})
}

// editSupplierInvoice changes an invoice and keeps the sums of the debts.
func (o *Office) editSupplierInvoice(r *record.Recorder, id string, change func(*SupplierInvoice)) *SupplierInvoice {
	invoice, _ := o.SupplierInvoices.Edit(r, id)
	o.State.ChargedMinor -= invoice.charged()
	o.State.PayableMinor -= invoice.payable()
	change(invoice)
	o.State.ChargedMinor += invoice.charged()
	o.State.PayableMinor += invoice.payable()
	return invoice
}

// SupplierBills brings the bill for a truck: for the ordered quantity, however
// much came, and sometimes at the wrong price. It came so many working days ago, and
// waited to be booked.
func (o *Office) SupplierBills(r *record.Recorder, orderID string, days int64) {
	if o.waitsForBookkeeper(days) {
		r.Set(sim.Timer{
			Due: (r.Today() + 1).At(sim.PaymentMinute), Class: sim.ClassDay, Kind: TimerSupplierBills, Ref: orderID,
			Index: days + 1,
		})
		return
	}
	order, _ := o.PurchaseOrders.Find(orderID)
	supplier, _ := catalog.SupplierByID(order.SupplierID)
	nth, streams := record.Private(o.PurchaseOrders, orderID).Nth, o.suppliers[supplier.ID]
	factor := int64(sim.Million)
	if nth > 0 && streams.price.PPM(nth) < scale(supplier.BillingErrorPPM, int64(o.preset.Supply.BillingErrorFactor)) {
		factor += between(streams.priceShare, overpricedLeast, maxOverpriced, nth)
	}
	if record.Private(o.PurchaseOrders, orderID).Overbilled {
		factor = max(factor, sim.Million+overbilledPPM)
	}
	lines := make([]SupplierInvoiceLine, len(order.Lines))
	for i, line := range order.Lines {
		price := line.UnitPriceMinor
		if factor > sim.Million {
			price = max(price+1, price.Scaled(factor))
		}
		lines[i] = SupplierInvoiceLine{
			SKU: &line.SKU, Quantity: line.Quantity, UnitPriceMinor: price, AmountMinor: price.Times(line.Quantity),
		}
	}
	o.billOrder(r, orderID, SupplierInvoice{Lines: lines, IssuedOn: (r.Today() - sim.Day(days)).Date()})
}

// billOrder adds the invoice of a purchase order. The dates follow
// from the supplier's terms unless they are set.
func (o *Office) billOrder(r *record.Recorder, orderID string, invoice SupplierInvoice) {
	order, private := o.PurchaseOrders.Edit(r, orderID)
	supplier, _ := catalog.SupplierByID(order.SupplierID)
	invoice.SupplierID, invoice.PurchaseOrderID, invoice.Kind = supplier.ID, &order.ID, MaterialsInvoice
	if invoice.DueDate == 0 {
		invoice.DueDate = sim.DayFrom(invoice.IssuedOn.AddDays(supplier.Terms)).Date()
	}
	if supplier.DiscountPercent > 0 {
		invoice.DiscountPct = supplier.DiscountPercent
		invoice.DiscountUntil = new(invoice.IssuedOn.AddDays(supplier.DiscountDays))
	}
	for i := range order.Lines {
		order.Lines[i].QuantityBilled = invoice.Lines[i].Quantity
	}
	order.BillingStatus = BillingBilled
	invoice.matchWith(order)
	row := o.addSupplierInvoice(r, invoice)

	private.InvoiceID = row.ID
	o.State.OpenPurchaseOrders--
	record.EditPrivate(o.Suppliers, r, supplier.ID).OnOrderMinor -= order.TotalMinor
	r.Set(sim.Timer{
		Due: sim.DayAfter(row.DueDate).Open(), Class: sim.ClassSupplierOverdue, Kind: TimerSupplierOverdue, Ref: row.ID,
	})
}

// addSupplierInvoice adds an invoice and its event.
func (o *Office) addSupplierInvoice(r *record.Recorder, invoice SupplierInvoice) *SupplierInvoice {
	for _, line := range invoice.Lines {
		invoice.BilledMinor += line.AmountMinor
	}
	if invoice.Kind == OverheadInvoice {
		invoice.MatchedMinor, invoice.MatchStatus = invoice.BilledMinor, MatchNotApplicable
	}
	invoice.VarianceMinor = invoice.BilledMinor - invoice.MatchedMinor
	invoice.DiscountMinor = invoice.BilledMinor.PerCent(invoice.DiscountPct)
	invoice.Number = fmt.Sprintf("SI-%04d", o.State.NextSupplierInvoice)
	invoice.Currency, invoice.Status = money.Currency, SupplierInvoiceOpen
	o.State.NextSupplierInvoice++
	row, _ := o.SupplierInvoices.Add(r, invoice, struct{}{})
	o.State.ChargedMinor += row.charged()
	o.State.PayableMinor += row.payable()
	o.State.UnpaidSupplierInvoices++
	record.EditPrivate(o.Suppliers, r, row.SupplierID).UnpaidMinor += row.BilledMinor
	r.Born(row)
	r.Emit(event.SupplierInvoiceReceived, row, &event.SupplierInvoiceReceivedData{
		Number: row.Number, SupplierID: row.SupplierID, PurchaseOrderID: row.PurchaseOrderID, Kind: row.Kind,
		BilledMinor: row.BilledMinor,
		DueDate:     row.DueDate, DiscountUntil: row.DiscountUntil,
	})
	return row
}

// SupplierInvoiceOverdue marks an invoice that was not paid by its due date:
// a fee is added, the supplier takes no orders, and a day is set on which the
// money is collected.
func (o *Office) SupplierInvoiceOverdue(r *record.Recorder, id string) {
	if invoice, _ := o.SupplierInvoices.Find(id); invoice.Status != SupplierInvoiceOpen {
		return
	}
	collect := r.Today() + collectionDays
	invoice := o.editSupplierInvoice(r, id, func(i *SupplierInvoice) {
		record.Move(r, i, &i.Status, SupplierInvoiceOverdue)
		i.LateFeeMinor = LateFee(i.BilledMinor)
		i.CollectOn = new(collect.Date())
	})
	o.hold(r, invoice.SupplierID, id)
	r.Set(sim.Timer{Due: collect.Open(), Class: sim.ClassSupplierOverdue, Kind: TimerCollection, Ref: id})
	r.Emit(event.PaymentOverdue, invoice, &event.PaymentOverdueData{
		SupplierInvoiceID: id, SupplierID: invoice.SupplierID, BilledMinor: invoice.BilledMinor,
		LateFeeMinor: invoice.LateFeeMinor,
		DueDate:      invoice.DueDate, CollectOn: *invoice.CollectOn,
	})
}

// LateFee is added to a bill that is not paid in time.
func LateFee(billed money.Minor) money.Minor { return billed.PerCent(lateFeePercent) }

func (o *Office) checkSupplierInvoices() error {
	charged, payable, unpaid := money.Minor(0), money.Minor(0), int64(0)
	for invoice := range o.SupplierInvoices.All {
		billed := money.Minor(0)
		for _, line := range invoice.Lines {
			billed += line.AmountMinor
		}
		if billed != invoice.BilledMinor || invoice.VarianceMinor != invoice.BilledMinor-invoice.MatchedMinor {
			return fmt.Errorf("supplier invoice %s does not add up: %+v", invoice.ID, *invoice)
		}
		paid := invoice.BilledMinor + invoice.LateFeeMinor - invoice.DiscountMinor - invoice.CreditedMinor
		if invoice.Status == SupplierInvoicePaid && invoice.PaidMinor != paid {
			return fmt.Errorf("supplier invoice %s was paid with %d, not %d", invoice.ID, invoice.PaidMinor, paid)
		}
		if invoice.Status != SupplierInvoicePaid {
			unpaid++
		}
		charged += invoice.charged()
		payable += invoice.payable()
	}
	s := &o.State
	if charged != s.ChargedMinor || payable != s.PayableMinor || unpaid != s.UnpaidSupplierInvoices {
		return fmt.Errorf("%d supplier invoices ask for %d, %d of it for no goods; counted were %d, %d and %d",
			unpaid, payable, charged, s.UnpaidSupplierInvoices, s.PayableMinor, s.ChargedMinor)
	}
	return nil
}
