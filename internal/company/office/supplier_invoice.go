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
	Quantity       int64       `json:"quantity" doc:"The quantity billed: that on the delivery notes of a material, in its unit; days or pieces of a service."`
	UnitPriceMinor money.Minor `json:"unit_price_minor" doc:"The price of one on the bill, in minor units. It may be above that of the order by mistake."`
	AmountMinor    money.Minor `json:"amount_minor" doc:"quantity times unit_price_minor, in minor units."`
}

// SupplierInvoice is the company's debt to a supplier.
type SupplierInvoice struct {
	_ struct{} `doc:"A supplier's bill to the company: for goods of a purchase order, or for overheads."`

	record.Head
	Number            string                `json:"number" doc:"The number under which Head Office records the bill."`
	SupplierReference string                `json:"supplier_reference" doc:"The supplier's own number of the bill. One that comes twice has the same, or a digit is misread."`
	SupplierID        string                `json:"supplier_id" doc:"The supplier who bills: the id at /office/suppliers."`
	PurchaseOrderID   *string               `json:"purchase_order_id" doc:"The purchase order that it bills; null for overheads."`
	Kind              string                `json:"kind" enum:"materials,overhead" doc:"materials bills a purchase order and waits for your payment; overhead, such as rent, is debited automatically on collect_on."`
	Lines             []SupplierInvoiceLine `json:"lines" doc:"The materials or services billed, each in one line."`
	BilledMinor       money.Minor           `json:"billed_minor" doc:"The sum of the lines, in minor units, without a late fee."`
	MatchedMinor      money.Minor           `json:"matched_minor" doc:"The amount that order and goods receipts justify, in minor units: the lesser of billed and received quantity, at the price of the order. A second truck takes what the first left; a bill that comes twice matches twice."`
	VarianceMinor     money.Minor           `json:"variance_minor" doc:"billed_minor less matched_minor."`
	MatchStatus       string                `json:"match_status" enum:"matched,quantity_mismatch,price_mismatch,quantity_and_price_mismatch,no_receipt,not_applicable" doc:"Compares order, goods receipts of Head Office and bill, again with each receipt. matched fits; quantity_mismatch bills more than was accepted, price_mismatch more than 1 % above the order, quantity_and_price_mismatch both; no_receipt has nothing accepted yet; not_applicable is an overhead."`
	DiscountPct       int64                 `json:"discount_pct" doc:"The early discount, in per cent of the amount paid by discount_until."`
	DiscountMinor     money.Minor           `json:"discount_minor" doc:"Saved by a payment of billed_minor by discount_until, in minor units, if a bookkeeper is at work; once the invoice is paid, the discount that was taken."`
	DiscountUntil     *moment.Date          `json:"discount_until" doc:"The last date for the early discount; null where there is none."`
	Currency          string                `json:"currency" doc:"Always XTS. Amounts count its hundredths."`
	IssuedOn          moment.Date           `json:"issued_on" doc:"The date on the bill."`
	DueDate           moment.Date           `json:"due_date" doc:"The last date for a payment in time: the terms of the supplier after issued_on, on a working day."`
	CollectOn         *moment.Date          `json:"collect_on" doc:"The date of the direct debit of an overhead, or of the collection once the invoice is overdue; null for a bill for materials before that."`
	LateFeeMinor      money.Minor           `json:"late_fee_minor" doc:"Added when it becomes overdue: 2 % of billed_minor, in minor units; 0 before."`
	Status            SupplierInvoiceStatus `json:"status" enum:"open,overdue,paid" doc:"open can be paid in time; overdue was not, and its supplier takes no orders until it is paid; paid is final."`
	PaidMinor         money.Minor           `json:"paid_minor" doc:"The amount that left the company, in minor units: late fee and discount are worked into it. 0 before."`
	CreditedMinor     money.Minor           `json:"credited_minor" doc:"The part of billed_minor that the supplier gave up because the match was right, in minor units."`
	PaidBy            *string               `json:"paid_by" enum:"client,direct_debit,collection" doc:"client: your program paid; direct_debit: an overhead was debited; collection: the supplier collected an overdue bill. Null before."`
	PaymentNote       *string               `json:"payment_note" doc:"The note that came with the payment; null without one."`
	DuplicateOf       *string               `json:"duplicate_of" doc:"The bill of which you closed this one as a duplicate; null otherwise."`
	PaidOn            *moment.Date          `json:"paid_on" doc:"The date of the payment; null before."`
	record.Stamps
}

// SupplierInvoicePrivate holds the state of a bill that is never served.
type SupplierInvoicePrivate struct {
	// Trucks are those of its order that it bills, from 0.
	Trucks []int `json:"trucks,omitempty"`
	// Justified are the quantities that order and receipts justify, one for each line.
	Justified []int64 `json:"justified,omitempty"`
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

func newSupplierInvoices() *record.Table[SupplierInvoice, SupplierInvoicePrivate] {
	return record.NewTable(record.Definition{Resource: "supplier_invoice", Prefix: "sin"},
		[]record.Filter[SupplierInvoice, SupplierInvoicePrivate]{
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

// SupplierBills brings the bills for the trucks of an order that are to be billed: for the quantities on their delivery
// notes, however much came, and sometimes at the wrong price. Without a bookkeeper they wait to be booked.
func (o *Office) SupplierBills(r *record.Recorder, orderID string) {
	order, _ := o.PurchaseOrders.Find(orderID)
	private := record.Private(o.PurchaseOrders, orderID)
	var at []int
	for i, t := range private.Trucks {
		if t.BillOn > 0 && t.BillOn <= r.Today() && !t.Billed {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return // another bill waited for a bookkeeper, and this one was booked with it
	}
	if o.waitsForBookkeeper(int64(r.Today() - private.Trucks[at[0]].BillOn)) {
		r.Set(sim.Timer{
			Due: (r.Today() + 1).At(sim.PaymentMinute), Class: sim.ClassDay, Kind: TimerSupplierBills, Ref: orderID,
		})
		return
	}
	supplier, _ := catalog.SupplierByID(order.SupplierID)
	nth, streams := private.Nth, o.suppliers[supplier.ID]
	factor := int64(sim.Million)
	if nth > 0 && streams.price.PPM(nth) < scale(supplier.BillingErrorPPM, int64(o.preset.Supply.BillingErrorFactor)) {
		factor += between(streams.priceShare, overpricedLeast, maxOverpriced, nth)
	}
	if private.Overbilled {
		factor = max(factor, sim.Million+overbilledPPM)
	}
	if !private.BilledApart {
		o.billTrucks(r, order, at, factor)
		return
	}
	for _, truck := range at {
		o.billTrucks(r, order, []int{truck}, factor)
	}
}

// billTrucks adds the invoice for trucks of an order, at its prices times a factor in parts per million.
func (o *Office) billTrucks(r *record.Recorder, order *PurchaseOrder, trucks []int, factor int64) {
	all := record.Private(o.PurchaseOrders, order.ID).Trucks
	lines := make([]SupplierInvoiceLine, len(order.Lines))
	for i, line := range order.Lines {
		price, quantity := line.UnitPriceMinor, int64(0)
		if factor > sim.Million {
			price = max(price+1, price.Scaled(factor))
		}
		for _, truck := range trucks {
			quantity += all[truck].Quantities[i]
		}
		lines[i] = SupplierInvoiceLine{
			SKU: &line.SKU, Quantity: quantity, UnitPriceMinor: price, AmountMinor: price.Times(quantity),
		}
	}
	o.billOrder(r, order.ID, trucks, SupplierInvoice{Lines: lines, IssuedOn: all[trucks[0]].BillOn.Date()})
}

// billOrder adds the invoice for trucks of a purchase order. The dates follow
// from the supplier's terms unless they are set.
func (o *Office) billOrder(r *record.Recorder, orderID string, trucks []int, invoice SupplierInvoice) {
	order, private := o.PurchaseOrders.Edit(r, orderID)
	supplier, _ := catalog.SupplierByID(order.SupplierID)
	invoice.SupplierID, invoice.PurchaseOrderID, invoice.Kind = supplier.ID, &order.ID, MaterialsInvoice
	unbilled := order.unbilled(private)
	for _, truck := range trucks {
		private.Trucks[truck].Billed = true
	}
	o.addBill(r, order, private, trucks, invoice)
	record.EditPrivate(o.Suppliers, r, supplier.ID).OnOrderMinor -= unbilled - order.unbilled(private)
	if private.billed() {
		o.State.OpenPurchaseOrders--
		o.drawSecondBill(r, order, private)
	}
}

// addBill adds a bill for materials of trucks of an order, and matches it.
func (o *Office) addBill(r *record.Recorder, order *PurchaseOrder, private *PurchaseOrderPrivate, trucks []int,
	invoice SupplierInvoice) {
	supplier, _ := catalog.SupplierByID(order.SupplierID)
	if invoice.DueDate == 0 {
		invoice.DueDate = sim.DayFrom(invoice.IssuedOn.AddDays(supplier.Terms)).Date()
	}
	if supplier.DiscountPercent > 0 {
		invoice.DiscountPct = supplier.DiscountPercent
		invoice.DiscountUntil = new(invoice.IssuedOn.AddDays(supplier.DiscountDays))
	}
	for i := range order.Lines {
		order.Lines[i].QuantityBilled += invoice.Lines[i].Quantity
	}
	of := SupplierInvoicePrivate{Trucks: trucks}
	of.Justified = invoice.matchWith(order, o.justified(private, trucks[0]-1))
	row := o.addSupplierInvoice(r, invoice, of)
	private.InvoiceIDs = append(private.InvoiceIDs, row.ID)
	order.BillingStatus = BillingBilled
	r.Set(sim.Timer{
		Due: sim.DayAfter(row.DueDate).Open(), Class: sim.ClassSupplierOverdue, Kind: TimerSupplierOverdue, Ref: row.ID,
	})
}

// addSupplierInvoice adds an invoice and its event.
func (o *Office) addSupplierInvoice(
	r *record.Recorder, invoice SupplierInvoice, private SupplierInvoicePrivate,
) *SupplierInvoice {
	if invoice.SupplierReference == "" {
		invoice.SupplierReference = o.nextReference(r, invoice.SupplierID)
	}
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
	row, _ := o.SupplierInvoices.Add(r, invoice, private)
	o.State.ChargedMinor += row.charged()
	o.State.PayableMinor += row.payable()
	o.State.UnpaidSupplierInvoices++
	record.EditPrivate(o.Suppliers, r, row.SupplierID).UnpaidMinor += row.BilledMinor
	r.Born(row)
	r.Emit(event.SupplierInvoiceReceived, row, &event.SupplierInvoiceReceivedData{
		Number: row.Number, SupplierReference: row.SupplierReference, SupplierID: row.SupplierID,
		PurchaseOrderID: row.PurchaseOrderID, Kind: row.Kind, BilledMinor: row.BilledMinor,
		DueDate: row.DueDate, DiscountUntil: row.DiscountUntil,
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
	quantities := map[string][]int64{} // billed, by the purchase order
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
		if invoice.Kind != MaterialsInvoice || invoice.DuplicateOf != nil {
			continue
		}
		if quantities[*invoice.PurchaseOrderID] == nil {
			quantities[*invoice.PurchaseOrderID] = make([]int64, len(invoice.Lines))
		}
		for i, line := range invoice.Lines {
			quantities[*invoice.PurchaseOrderID][i] += line.Quantity
		}
	}
	for order, private := range o.PurchaseOrders.All {
		for i, line := range order.Lines {
			if line.QuantityBilled > 0 && line.QuantityBilled != quantities[order.ID][i] {
				return fmt.Errorf("purchase order %s is billed for %d of %s, its bills add up to %d",
					order.ID, line.QuantityBilled, line.SKU, quantities[order.ID][i])
			}
		}
		if len(private.InvoiceIDs) > 0 && order.BillingStatus != o.billing(private) {
			return fmt.Errorf("purchase order %s is %s, its bills say %s",
				order.ID, order.BillingStatus, o.billing(private))
		}
	}
	s := &o.State
	if charged != s.ChargedMinor || payable != s.PayableMinor || unpaid != s.UnpaidSupplierInvoices {
		return fmt.Errorf("%d supplier invoices ask for %d, %d of it for no goods; counted were %d, %d and %d",
			unpaid, payable, charged, s.UnpaidSupplierInvoices, s.PayableMinor, s.ChargedMinor)
	}
	return nil
}
