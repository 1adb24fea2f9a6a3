package office

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// PurchaseOrderStatus is the status of a purchase order. The quantities
// received and billed are derived beside it, never mixed into it.
//
//	draft ──total within the limit──▶ approved
//	  └──above it──▶ pending_approval ──approve──▶ approved
type PurchaseOrderStatus string

// Statuses. A draft lives only inside the transaction of its birth.
const (
	PurchaseDraft    PurchaseOrderStatus = "draft"
	PurchasePending  PurchaseOrderStatus = "pending_approval"
	PurchaseApproved PurchaseOrderStatus = "approved"
)

// Degrees to which a purchase order has been received.
const (
	ReceiptNone    = "none"
	ReceiptPartial = "partial"
	ReceiptFull    = "full"
)

// Whether a purchase order has been billed and paid.
const (
	BillingNone   = "none"
	BillingBilled = "billed"
	BillingPaid   = "paid"
)

// MaxOpenPurchaseOrders bounds the purchase orders that have not been billed
// (contract: OPEN.STATE.PURCHASE_ORDER.MAX_OPEN).
const MaxOpenPurchaseOrders = 500

const firstPurchaseOrder = 5001

// PurchaseOrderLine is one material of a purchase order.
type PurchaseOrderLine struct {
	_ struct{} `doc:"One material of a purchase order: ordered, received and billed."`

	Line             int         `json:"line" doc:"The position of the line in the order, from 1."`
	SKU              string      `json:"sku" doc:"The material, such as mat_coated."`
	Quantity         int64       `json:"quantity" doc:"The quantity ordered, in the unit of the material: sheets, cans or plates."`
	UnitPriceMinor   money.Minor `json:"unit_price_minor" doc:"The price of one, in minor units, at the time of the order."`
	AmountMinor      money.Minor `json:"amount_minor" doc:"quantity times unit_price_minor, in minor units."`
	QuantityExpected int64       `json:"quantity_expected" doc:"The quantity on trucks still to come."`
	QuantityReceived int64       `json:"quantity_received" doc:"The quantity that goods receipts at Head Office have accepted so far."`
	QuantityBilled   int64       `json:"quantity_billed" doc:"The quantity on the supplier's bills; one that came twice counts twice until it is closed as a duplicate."`
}

// PurchaseOrder is the company's order to a supplier.
type PurchaseOrder struct {
	_ struct{} `doc:"The company's order to a supplier, with its approval, receipts and bills."`

	record.Head
	Number           string              `json:"number" doc:"The number on paper, such as PO-5001. It is printed on the delivery note, by which the Factory knows the order."`
	SupplierID       string              `json:"supplier_id" doc:"The supplier it goes to: the id at /office/suppliers."`
	RequisitionID    *string             `json:"requisition_id" doc:"The requisition that it fulfils; null for an order without one."`
	Lines            []PurchaseOrderLine `json:"lines" doc:"The materials ordered, each in one line."`
	TotalMinor       money.Minor         `json:"total_minor" doc:"The sum of the lines, in minor units."`
	Currency         string              `json:"currency" doc:"Always XTS. Amounts count its hundredths."`
	Status           PurchaseOrderStatus `json:"status" enum:"draft,pending_approval,approved" doc:"pending_approval is above the approval limit and not sent yet; approved is with the supplier and stays so. draft lasts only within the creation. receipt_status and billing_status tell the rest."`
	ApprovalRequired bool                `json:"approval_required" doc:"True when total_minor is above the approval limit of the company."`
	ApprovedBy       *string             `json:"approved_by" enum:"policy,client" doc:"policy: approved automatically, being within the limit. client: approved by your program. Null before."`
	ApprovedOn       *moment.Date        `json:"approved_on" doc:"The date of the approval; null before."`
	ExpectedOn       *moment.Date        `json:"expected_on" doc:"The date for which the supplier promises the truck; null before the approval. It does not move when the truck is late."`
	ReceiptStatus    string              `json:"receipt_status" enum:"none,partial,full" doc:"none, partial or full: how much of it the goods receipts at Head Office have accepted."`
	BillingStatus    string              `json:"billing_status" enum:"none,billed,paid" doc:"none before a bill of the supplier; billed while one is unpaid or to come; paid afterwards."`
	record.Stamps
}

// PurchaseOrderPrivate holds the state of a purchase order that is never
// served.
type PurchaseOrderPrivate struct {
	// Nth is the number of the order at its supplier, 0 for orders of the
	// opening, whose trucks are fixed.
	Nth int64 `json:"nth,omitzero"`
	// Trucks are those of the order, none before its supplier has it. BilledApart is set for a bill for each.
	Trucks      []Truck `json:"trucks,omitempty"`
	BilledApart bool    `json:"billed_apart,omitzero"`
	// Parted is set where a trigger has parted the order, Called where one has called its truck.
	Parted bool `json:"parted,omitzero"`
	Called bool `json:"called,omitzero"`
	// InvoiceIDs are the supplier's bills in the order in which they came. SecondBillDue is set while one of them is
	// to come again.
	InvoiceIDs    []string `json:"invoice_ids,omitempty"`
	SecondBillDue bool     `json:"second_bill_due,omitzero"`
	// MissingPct and DamagedPct are the triggered faults in the first line of the next truck,
	// Overbilled that of the next bills.
	MissingPct int64 `json:"missing_pct,omitzero"`
	DamagedPct int64 `json:"damaged_pct,omitzero"`
	Overbilled bool  `json:"overbilled,omitzero"`
}

// Resource implements record.Row.
func (*PurchaseOrder) Resource() string { return "purchase_order" }

// State implements record.Row.
func (p *PurchaseOrder) State() string { return string(p.Status) }

func (p *PurchaseOrder) line(sku string) *PurchaseOrderLine {
	for i := range p.Lines {
		if p.Lines[i].SKU == sku {
			return &p.Lines[i]
		}
	}
	return nil
}

// billed reports whether an order has the bills of all of its trucks.
func (p *PurchaseOrderPrivate) billed() bool {
	return len(p.Trucks) > 0 && !slices.ContainsFunc(p.Trucks, func(t Truck) bool { return !t.Billed })
}

// Awaits reports whether the supplier is about to bill what has come.
func (p *PurchaseOrderPrivate) Awaits() bool {
	return slices.ContainsFunc(p.Trucks, func(t Truck) bool { return t.BillOn > 0 && !t.Billed })
}

// UnderWay reports whether a truck of an order that its supplier has is still to come.
func (p *PurchaseOrderPrivate) UnderWay() bool {
	return slices.ContainsFunc(p.Trucks, func(t Truck) bool { return !t.Came })
}

// unbilled is the part of an order that has not been billed, at the prices of the order.
func (p *PurchaseOrder) unbilled(private *PurchaseOrderPrivate) money.Minor {
	if len(private.Trucks) == 0 {
		return p.TotalMinor
	}
	sum := money.Minor(0)
	for i := range private.Trucks {
		if at := &private.Trucks[i]; !at.Billed {
			sum += p.worth(at.Quantities)
		}
	}
	return sum
}

// worth is that of quantities of the lines, at the prices of the order.
func (p *PurchaseOrder) worth(quantities []int64) money.Minor {
	sum := money.Minor(0)
	for i := range quantities {
		sum += p.Lines[i].UnitPriceMinor.Times(quantities[i])
	}
	return sum
}

// Coming is how much of a line is ordered and has not been received: it is at the gate, or on a truck that is still to
// come.
func (p *PurchaseOrder) Coming(line int) int64 {
	if p.ReceiptStatus == ReceiptNone {
		return p.Lines[line].Quantity
	}
	return p.Lines[line].QuantityExpected
}

// Open is how much of a material has been ordered and not received.
func (p *PurchaseOrder) Open(sku string) int64 {
	if line := p.line(sku); line != nil {
		return line.Quantity - line.QuantityReceived
	}
	return 0
}

func newPurchaseOrders() *record.Table[PurchaseOrder, PurchaseOrderPrivate] {
	return record.NewTable(record.Definition{Resource: "purchase_order", Prefix: "po"},
		[]record.Filter[PurchaseOrder, PurchaseOrderPrivate]{
			{Name: "status", Of: (*PurchaseOrder).State},
			{Name: "supplier_id", Of: func(p *PurchaseOrder) string { return p.SupplierID }},
		})
}

// CreatePurchaseOrder is the body of POST /office/purchase-orders.
type CreatePurchaseOrder struct {
	_ struct{} `doc:"The body that writes a purchase order of Head Office to a supplier."`

	SupplierID    string         `json:"supplier_id" required:"true" minLength:"1" maxLength:"40" example:"sup_mill" doc:"The supplier to order from: the id at /office/suppliers. It has to sell every line, and takes no order while it is on hold." agent:"-"`
	Lines         []MaterialLine `json:"lines" required:"true" minItems:"1" maxItems:"10" doc:"The materials to order, each in one line." agent:"-"`
	RequisitionID *string        `json:"requisition_id,omitzero" nullable:"true" minLength:"1" maxLength:"64" doc:"The approved requisition that this orders: one that asks for at least one of its materials."`
	DryRun        *bool          `json:"dry_run,omitzero" doc:"Change nothing and return the expected result: prices, total, approval, the promised day, the credit left."`
}

// Unasked reports whether no requisition asks for the order.
func (in *CreatePurchaseOrder) Unasked() bool { return in.RequisitionID == nil }

// OrderedDetails are the details of requisition_already_ordered.
type OrderedDetails struct {
	PurchaseOrderID string `json:"purchase_order_id"`
}

// SuppliedDetails are the details of sku_not_supplied.
type SuppliedDetails struct {
	SKU      string   `json:"sku"`
	Supplied []string `json:"supplied"`
}

// MinimumDetails are the details of below_minimum_order.
type MinimumDetails struct {
	SKU             string `json:"sku"`
	MinimumQuantity int64  `json:"minimum_quantity"`
}

// PurchasePlan is an order to a supplier that can be written.
type PurchasePlan struct {
	in       *CreatePurchaseOrder
	lines    []PurchaseOrderLine
	total    money.Minor
	required bool
}

// TotalMinor returns the total of the order, in minor units.
func (p *PurchasePlan) TotalMinor() money.Minor { return p.total }

// Lines are those of the order, with the supplier's prices.
func (p *PurchasePlan) Lines() []PurchaseOrderLine { return p.lines }

// ApprovalRequired reports whether the order is above the limit and waits for approval.
func (p *PurchasePlan) ApprovalRequired() bool { return p.required }

// CanPurchase returns the plan of an order to a supplier, or refuses.
func (o *Office) CanPurchase(in *CreatePurchaseOrder) (PurchasePlan, error) {
	lines, err := o.priceLines(in)
	if err != nil {
		return PurchasePlan{}, err
	}
	p := PurchasePlan{in: in, lines: lines}
	for _, line := range lines {
		p.total += line.AmountMinor
	}
	p.required = p.total > o.preset.Supply.POApprovalMinor
	return p, o.mayOrder(in, p.total)
}

// Purchase writes the purchase order of a plan of this moment and returns its id. A total
// within the approval limit is approved by policy; the supplier sees only approved
// orders.
func (o *Office) Purchase(r *record.Recorder, p PurchasePlan) string {
	order := o.write(r, PurchaseOrder{SupplierID: p.in.SupplierID, RequisitionID: p.in.RequisitionID, Lines: p.lines,
		TotalMinor: p.total, ApprovalRequired: p.required})
	if p.in.RequisitionID != nil {
		o.order(r, *p.in.RequisitionID, order.ID)
	}
	if p.required {
		o.askApproval(r, order)
		return order.ID
	}
	o.ApprovePurchase(r, order.ID, ByPolicy)
	return order.ID
}

// priceLines puts the supplier's prices on the ordered lines.
func (o *Office) priceLines(in *CreatePurchaseOrder) ([]PurchaseOrderLine, error) {
	supplier, ok := o.Suppliers.Find(in.SupplierID)
	if !ok {
		return nil, problem.Missing("supplier", in.SupplierID)
	}
	if fields := twice(len(in.Lines), func(i int) string { return in.Lines[i].SKU }); len(fields) > 0 {
		return nil, problem.Invalid(fields...)
	}
	lines := make([]PurchaseOrderLine, len(in.Lines))
	for i, wanted := range in.Lines {
		at := slices.IndexFunc(supplier.Prices, func(p Price) bool { return p.SKU == wanted.SKU })
		if at < 0 {
			supplied := []string{}
			for _, p := range supplier.Prices {
				supplied = append(supplied, p.SKU)
			}
			return nil, problem.New(problem.SKUNotSupplied, "%s does not sell %s.", supplier.Name, wanted.SKU).
				With(SuppliedDetails{SKU: wanted.SKU, Supplied: supplied})
		}
		price := supplier.Prices[at]
		if wanted.Quantity < price.MinimumQuantity {
			return nil, problem.New(problem.BelowMinimumOrder, "%s sells %s from %d on, not %d.",
				supplier.Name, wanted.SKU, price.MinimumQuantity, wanted.Quantity).
				With(MinimumDetails{SKU: wanted.SKU, MinimumQuantity: price.MinimumQuantity})
		}
		lines[i] = PurchaseOrderLine{
			Line: i + 1, SKU: wanted.SKU, Quantity: wanted.Quantity, UnitPriceMinor: price.UnitPriceMinor,
			AmountMinor: price.UnitPriceMinor.Times(wanted.Quantity), QuantityExpected: wanted.Quantity,
		}
	}
	return lines, nil
}

func (o *Office) mayOrder(in *CreatePurchaseOrder, total money.Minor) error {
	if in.RequisitionID != nil {
		q, ok := o.Requisitions.Find(*in.RequisitionID)
		switch {
		case !ok:
			return problem.Missing("office_requisition", *in.RequisitionID)
		case q.Status != RequisitionApproved:
			refusal := problem.New(problem.RequisitionNotApproved, "The requisition %s is %s, not approved.",
				q.Number, q.Status).
				With(problem.StateDetails{Status: string(q.Status), Allowed: []string{string(RequisitionApproved)}})
			if q.Status == RequisitionRejected {
				return refusal.Hinting("A rejected requisition stays rejected: " +
					"file a new one with POST /office/requisitions, or order without naming one.")
			}
			return refusal
		case q.PurchaseOrderID != nil:
			return problem.New(problem.RequisitionAlreadyOrdered, "The requisition %s has been ordered already.",
				q.Number).With(OrderedDetails{PurchaseOrderID: *q.PurchaseOrderID})
		case !slices.ContainsFunc(in.Lines, q.asksFor):
			return problem.Invalid(problem.Field{Field: "requisition_id", Rule: "exists",
				Message: fmt.Sprintf("The requisition %s asks for nothing that this orders.", q.Number)})
		}
	}
	if err := o.takesOrders(in.SupplierID); err != nil {
		return err
	}
	supplier, _ := o.Suppliers.Find(in.SupplierID)
	if err := o.lends(supplier, total); err != nil {
		return err
	}
	if o.State.OpenPurchaseOrders >= MaxOpenPurchaseOrders {
		return problem.New(problem.TooManyOpen,
			"%d purchase orders are open; wait for some to be delivered and billed.", o.State.OpenPurchaseOrders)
	}
	return nil
}

// write adds a draft and its event.
func (o *Office) write(r *record.Recorder, order PurchaseOrder) *PurchaseOrder {
	order.Number = fmt.Sprintf("PO-%04d", firstPurchaseOrder+o.PurchaseOrders.Rows.Len())
	order.Currency, order.Status = money.Currency, PurchaseDraft
	order.ReceiptStatus, order.BillingStatus = ReceiptNone, BillingNone
	row, _ := o.PurchaseOrders.Add(r, order, PurchaseOrderPrivate{})
	o.State.OpenPurchaseOrders++
	record.EditPrivate(o.Suppliers, r, row.SupplierID).OnOrderMinor += row.TotalMinor
	r.Born(row)
	lines := make([]event.OrderedLine, len(row.Lines))
	for i, line := range row.Lines {
		lines[i] = event.OrderedLine{
			Line: line.Line, SKU: line.SKU, Quantity: line.Quantity, UnitPriceMinor: line.UnitPriceMinor,
			AmountMinor: line.AmountMinor,
		}
	}
	r.Emit(event.PurchaseOrderCreated, row, &event.PurchaseOrderCreatedData{
		Number: row.Number, SupplierID: row.SupplierID, TotalMinor: row.TotalMinor,
		RequisitionID: row.RequisitionID, Lines: lines,
	})
	return row
}

// order notes that a requisition has its purchase order.
func (o *Office) order(r *record.Recorder, requisitionID, orderID string) {
	q, _ := o.Requisitions.Edit(r, requisitionID)
	q.PurchaseOrderID = &orderID
	o.State.OpenRequisitions--
}

func (o *Office) askApproval(r *record.Recorder, order *PurchaseOrder) {
	record.Move(r, order, &order.Status, PurchasePending)
	r.Emit(event.PurchaseOrderApprovalRequired, order, &event.PurchaseOrderApprovalRequiredData{
		Number: order.Number, TotalMinor: order.TotalMinor, LimitMinor: o.preset.Supply.POApprovalMinor,
	})
}

// Approvable returns a purchase order that waits for approval.
func (o *Office) Approvable(id string) (*PurchaseOrder, error) {
	order, ok := o.PurchaseOrders.Find(id)
	if !ok {
		return nil, problem.Missing("purchase_order", id)
	}
	if order.Status != PurchasePending {
		return nil, problem.WrongState("purchase_order", order.Number, string(order.Status), "approved",
			string(PurchasePending))
	}
	return order, o.takesOrders(order.SupplierID)
}

// ApprovePurchase sends a purchase order to its supplier, whose truck is then
// under way.
func (o *Office) ApprovePurchase(r *record.Recorder, id, by string) {
	order, private := o.PurchaseOrders.Edit(r, id)
	supplier, _ := catalog.SupplierByID(order.SupplierID)
	at := record.EditPrivate(o.Suppliers, r, supplier.ID)
	at.Orders++
	private.Nth = at.Orders
	o.load(order, private, supplier)
	drawn := supplier.LeadMin + o.suppliers[supplier.ID].lead.Below(supplier.LeadMax-supplier.LeadMin+1, private.Nth)
	o.approve(r, order, by, approval{
		on: r.Date(), truck: r.Today() + sim.Day(o.leadDays(supplier, drawn)),
		promised: o.promisedOn(r, supplier),
	})
}

// approval holds the dates that are settled when a supplier gets an order.
type approval struct {
	// promised is when the supplier says that the truck will come, truck when
	// it does, 0 when it has.
	on, promised moment.Date
	truck        sim.Day
}

func (o *Office) approve(r *record.Recorder, order *PurchaseOrder, by string, a approval) {
	order.ApprovedBy, order.ApprovedOn, order.ExpectedOn = &by, &a.on, &a.promised
	record.Move(r, order, &order.Status, PurchaseApproved)
	if a.truck > 0 {
		r.Set(sim.Timer{Due: a.truck.At(sim.TruckMinute), Class: sim.ClassDay, Kind: TimerTruck, Ref: order.ID})
	}
	r.Emit(event.PurchaseOrderApproved, order, &event.PurchaseOrderApprovedData{
		Number: order.Number, SupplierID: order.SupplierID, TotalMinor: order.TotalMinor, ApprovedBy: by,
		ExpectedOn: *order.ExpectedOn,
	})
}

// OrderByNumber finds the purchase order with the number on a delivery note.
func (o *Office) OrderByNumber(number string) (*PurchaseOrder, bool) {
	digits, ok := strings.CutPrefix(number, "PO-")
	if !ok {
		return nil, false
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return nil, false
	}
	order, ok := o.PurchaseOrders.Find(o.PurchaseOrders.Rows.IDAt(n - firstPurchaseOrder))
	if !ok || order.Number != number {
		return nil, false
	}
	return order, true
}

func (o *Office) checkPurchaseOrders() error {
	open, takenIn := int64(0), money.Minor(0)
	for order, private := range o.PurchaseOrders.All {
		total := money.Minor(0)
		for _, line := range order.Lines {
			total += line.AmountMinor
			if line.QuantityReceived > line.Quantity || line.QuantityExpected < 0 ||
				line.AmountMinor != line.UnitPriceMinor.Times(line.Quantity) {
				return fmt.Errorf("purchase order %s has the line %+v", order.ID, line)
			}
		}
		if total != order.TotalMinor || order.Status == PurchaseDraft || order.ReceiptStatus != order.received() {
			return fmt.Errorf("purchase order %s does not add up: %+v", order.ID, *order)
		}
		if !private.billed() {
			open++
		}
		for i := range private.Trucks {
			takenIn += private.Trucks[i].TakenInMinor
		}
	}
	if open != o.State.OpenPurchaseOrders || takenIn != o.State.TakenInMinor {
		return fmt.Errorf("%d purchase orders are open and %d taken in, counted were %d and %d",
			open, takenIn, o.State.OpenPurchaseOrders, o.State.TakenInMinor)
	}
	return nil
}
