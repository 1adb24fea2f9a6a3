package office

import (
	"fmt"
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// RequisitionStatus is the status of a requisition.
//
//	received ──by policy, or approve──▶ approved
//	   └─────reject, or undecided─────▶ rejected
type RequisitionStatus string

// Statuses.
const (
	RequisitionReceived RequisitionStatus = "received"
	RequisitionApproved RequisitionStatus = "approved"
	RequisitionRejected RequisitionStatus = "rejected"
)

// Deciders of requisitions and purchase orders.
const (
	ByPolicy = "policy"
	ByClient = "client"
	ByLapse  = "lapse"
)

// TimerRequisitionLapses rejects a requisition that was not decided on; its Ref
// is the requisition's id.
const TimerRequisitionLapses = "requisition.lapses"

// RequisitionDays is how many working days a requisition waits for a decision
// (contract: OPEN.STATE.OFFICE_REQUISITION).
const RequisitionDays = 5

// MaxOpenRequisitions bounds the requisitions that are undecided, or approved
// and not ordered (contract: OPEN.STATE.PURCHASE_ORDER.MAX_OPEN).
const MaxOpenRequisitions = 500

// RequisitionLine is one material that is asked for.
type RequisitionLine struct {
	_ struct{} `doc:"One material of a requisition at Head Office."`

	SKU      string `json:"sku" doc:"The material, such as mat_coated."`
	Quantity int64  `json:"quantity" doc:"The quantity asked for, in the unit of the material: sheets, cans or plates."`
}

// Requisition is a request for material, at Head Office.
type Requisition struct {
	_ struct{} `doc:"A request for material at Head Office, which becomes a purchase order when it is approved."`

	record.Head
	Number          string            `json:"number" doc:"The number of the requisition on paper at Head Office, such as RQ-8001."`
	Reference       *string           `json:"reference" doc:"The requisition of the Factory that it comes from, or any text; null without one."`
	Lines           []RequisitionLine `json:"lines" doc:"The materials asked for, each in one line."`
	EstimatedMinor  money.Minor       `json:"estimated_minor" doc:"The cost at list prices, in minor units; suppliers ask more or less. Cheap requisitions are approved automatically."`
	Currency        string            `json:"currency" doc:"Always XTS. Amounts count its hundredths."`
	NeededBy        *moment.Date      `json:"needed_by" doc:"The date by which the material is wanted; null without one. Nothing happens when it passes."`
	Source          string            `json:"source" enum:"bridge,client,opening" doc:"bridge: the auto bridge filed it; client: your program did; opening: the company opened with it."`
	Status          RequisitionStatus `json:"status" enum:"received,approved,rejected" doc:"received waits for a decision, and is rejected after five working days without one; approved can be ordered, which purchase_order_id shows; rejected is final."`
	DecidedBy       *string           `json:"decided_by" enum:"policy,client,lapse" doc:"policy: approved automatically, being cheap; client: decided by your program; lapse: rejected because no decision came. Null before."`
	RejectReason    *string           `json:"reject_reason" doc:"The reason of the rejection; null without one."`
	PurchaseOrderID *string           `json:"purchase_order_id" doc:"The purchase order that fulfils it; null while there is none."`
	record.Stamps
}

// RequisitionPrivate holds the state of a requisition that is never served.
type RequisitionPrivate struct {
	// ApprovedOn is the day of the approval, nil before.
	ApprovedOn *sim.Day `json:"approved_on,omitzero"`
}

// Resource implements record.Row.
func (*Requisition) Resource() string { return "office_requisition" }

// State implements record.Row.
func (q *Requisition) State() string { return string(q.Status) }

// Open reports whether the requisition still waits for a decision or an order.
func (q *Requisition) Open() bool {
	return q.Status == RequisitionReceived || q.Status == RequisitionApproved && q.PurchaseOrderID == nil
}

// asksFor reports whether the requisition asks for the material of a line.
func (q *Requisition) asksFor(line MaterialLine) bool {
	return slices.ContainsFunc(q.Lines, func(l RequisitionLine) bool { return l.SKU == line.SKU })
}

func newRequisitions() *record.Table[Requisition, RequisitionPrivate] {
	return record.NewTable(record.Definition{Resource: "office_requisition", Prefix: "rqn"},
		[]record.Filter[Requisition, RequisitionPrivate]{
			{Name: "status", Of: (*Requisition).State},
		})
}

// MaterialLine is one material of a requisition or a purchase order.
type MaterialLine struct {
	_ struct{} `doc:"One material in the body of a requisition or a purchase order."`

	SKU      string `json:"sku" required:"true" minLength:"1" maxLength:"40" example:"mat_coated" doc:"The material, such as mat_coated. GET /office/suppliers lists what each supplier sells." agent:"-"`
	Quantity int64  `json:"quantity" required:"true" minimum:"1" maximum:"200000" doc:"The quantity, in the unit of the material: sheets, cans or plates." agent:"-"`
}

// CreateRequisition is the body of POST /office/requisitions.
type CreateRequisition struct {
	_ struct{} `doc:"The body that asks Head Office for material."`

	Lines     []MaterialLine `json:"lines" required:"true" minItems:"1" maxItems:"10" doc:"The materials asked for, each in one line." agent:"-"`
	Reference *string        `json:"reference,omitzero" nullable:"true" minLength:"1" maxLength:"64" doc:"The Factory's requisition, or any text; no two requisitions have the same."`
	NeededBy  *moment.Date   `json:"needed_by,omitzero" nullable:"true" doc:"The date by which the material is wanted, for the record: nothing happens when it passes." agent:"-"`
}

// RejectRequisition is the body of POST /office/requisitions/{id}/reject.
type RejectRequisition struct {
	_ struct{} `doc:"The body that rejects a requisition at Head Office, with an optional reason."`

	Reason *string `json:"reason,omitzero" nullable:"true" minLength:"1" maxLength:"200" doc:"The reason of the rejection, for the record." agent:"-"`
}

// DuplicateDetails are the details of duplicate_reference.
type DuplicateDetails struct {
	RequisitionID  string `json:"requisition_id,omitzero"`
	GoodsReceiptID string `json:"goods_receipt_id,omitzero"`
}

// CanRequire refuses a requisition for an unknown material, that has been filed
// already, or that is one too many.
func (o *Office) CanRequire(in *CreateRequisition) error {
	var fields []problem.Field
	for i, line := range in.Lines {
		if item, ok := catalog.ItemBySKU(line.SKU); !ok || item.Class != catalog.Material {
			fields = append(fields, problem.Field{Field: fmt.Sprintf("lines[%d].sku", i), Rule: "exists",
				Message: fmt.Sprintf("%q is no material; GET /office/suppliers lists what can be bought.", line.SKU)})
		}
	}
	if fields = append(fields,
		twice(len(in.Lines), func(i int) string { return in.Lines[i].SKU })...); len(fields) > 0 {
		return problem.Invalid(fields...)
	}
	if err := catalog.CheckReference("reference", in.Reference); err != nil {
		return err
	}
	if in.Reference != nil {
		if id := o.requisitionByReference(*in.Reference); id != "" && !o.mayRepeat(id) {
			return problem.New(problem.DuplicateReference, "The requisition %s has the reference %q already.",
				id, *in.Reference).With(DuplicateDetails{RequisitionID: id})
		}
	}
	if o.State.OpenRequisitions >= MaxOpenRequisitions {
		return problem.New(problem.TooManyOpen, "%d requisitions are open; decide on some, or order them, first.",
			o.State.OpenRequisitions)
	}
	return nil
}

// twice reports lines that name the same material as an earlier one.
func twice(lines int, sku func(int) string) []problem.Field {
	var fields []problem.Field
	seen := map[string]bool{}
	for i := range lines {
		if seen[sku(i)] {
			fields = append(fields, problem.Field{Field: fmt.Sprintf("lines[%d].sku", i), Rule: "uniqueItems",
				Message: "A material can be in one line only."})
		}
		seen[sku(i)] = true
	}
	return fields
}

// requisitionByReference finds the requisition that holds a reference. A
// rejected one holds none, so that it can be filed again.
func (o *Office) requisitionByReference(reference string) string {
	for q := range o.Requisitions.All {
		if q.Status != RequisitionRejected && q.Reference != nil &&
			catalog.Folded(*q.Reference) == catalog.Folded(reference) {
			return q.ID
		}
	}
	return ""
}

// mayRepeat reports whether the reference of a requisition can be filed again: a client may double its
// own work, and not what the company opened with.
func (o *Office) mayRepeat(id string) bool {
	q, _ := o.Requisitions.Find(id)
	return o.DoubleWork && q.Source != SourceOpening
}

// Require files a requisition and returns its id. A cheap one is approved by
// policy at once; the rest waits for a decision.
func (o *Office) Require(r *record.Recorder, in *CreateRequisition, source string) string {
	lines := make([]RequisitionLine, len(in.Lines))
	for i, line := range in.Lines {
		lines[i] = RequisitionLine(line)
	}
	q, _ := o.Requisitions.Add(r, Requisition{
		Number:    fmt.Sprintf("RQ-%04d", o.State.NextRequisition),
		Reference: catalog.Trimmed(in.Reference), Lines: lines, EstimatedMinor: o.estimate(lines),
		Currency: money.Currency,
		NeededBy: in.NeededBy, Source: source, Status: RequisitionReceived,
	}, RequisitionPrivate{})
	o.State.NextRequisition++
	o.State.OpenRequisitions++
	r.Born(q)
	total := int64(0)
	for _, line := range q.Lines {
		total += line.Quantity
	}
	r.Emit(event.OfficeRequisitionReceived, q, &event.OfficeRequisitionReceivedData{
		Number: q.Number, Reference: q.Reference, SKU: q.Lines[0].SKU, Quantity: total,
		EstimatedMinor: q.EstimatedMinor, Source: q.Source,
	})
	switch {
	case q.EstimatedMinor <= o.preset.Supply.RequisitionAutoMinor:
		o.ApproveRequisition(r, q.ID, ByPolicy)
		return q.ID
	case q.Source == SourceOpening:
		o.ApproveRequisition(r, q.ID, ByClient)
		return q.ID
	}
	r.Set(sim.Timer{Due: (r.Today() + RequisitionDays + 1).Open(), Class: sim.ClassRequisition,
		Kind: TimerRequisitionLapses, Ref: q.ID})
	return q.ID
}

func (o *Office) estimate(lines []RequisitionLine) money.Minor {
	total := money.Minor(0)
	for _, line := range lines {
		item, _ := catalog.ItemBySKU(line.SKU)
		total += item.BaseCostMinor.Scaled(int64(o.preset.Supply.PriceFactor)).Times(line.Quantity)
	}
	return total
}

// Decidable returns a requisition that can still be approved or rejected.
func (o *Office) Decidable(id string) (*Requisition, error) {
	q, ok := o.Requisitions.Find(id)
	if !ok {
		return nil, problem.Missing("office_requisition", id)
	}
	if q.Status != RequisitionReceived {
		return nil, problem.WrongState("office_requisition", q.Number, string(q.Status), "approved or rejected",
			string(RequisitionReceived))
	}
	return q, nil
}

// ApproveRequisition approves a decidable requisition.
func (o *Office) ApproveRequisition(r *record.Recorder, id, by string) {
	q, private := o.Requisitions.Edit(r, id)
	q.DecidedBy, private.ApprovedOn = &by, new(r.Today())
	record.Move(r, q, &q.Status, RequisitionApproved)
	r.Emit(event.OfficeRequisitionApproved, q, &event.OfficeRequisitionApprovedData{Number: q.Number, DecidedBy: by})
}

// RejectRequisition rejects a decidable requisition. The reason is optional.
func (o *Office) RejectRequisition(r *record.Recorder, id, by string, reason *string) {
	q, _ := o.Requisitions.Edit(r, id)
	q.DecidedBy, q.RejectReason = &by, reason
	record.Move(r, q, &q.Status, RequisitionRejected)
	o.State.OpenRequisitions--
	r.Emit(event.OfficeRequisitionRejected, q,
		&event.OfficeRequisitionRejectedData{Number: q.Number, DecidedBy: by, Reason: reason})
}

// RequisitionLapses rejects a requisition that was not decided on in time.
func (o *Office) RequisitionLapses(r *record.Recorder, id string) {
	if q, _ := o.Requisitions.Find(id); q.Status == RequisitionReceived {
		o.RejectRequisition(r, id, ByLapse, nil)
	}
}

func (o *Office) checkRequisitions() error {
	open := int64(0)
	for q := range o.Requisitions.All {
		if q.Open() {
			open++
		}
		if (q.Status == RequisitionReceived) != (q.DecidedBy == nil) {
			return fmt.Errorf("requisition %s is %s, decided by %v", q.ID, q.Status, q.DecidedBy)
		}
		if q.PurchaseOrderID == nil {
			continue
		}
		if order, ok := o.PurchaseOrders.Find(*q.PurchaseOrderID); !ok || order.RequisitionID == nil ||
			*order.RequisitionID != q.ID {
			return fmt.Errorf("requisition %s names the purchase order %s, which does not name it",
				q.ID, *q.PurchaseOrderID)
		}
	}
	if open != o.State.OpenRequisitions {
		return fmt.Errorf("%d requisitions are open, counted were %d", open, o.State.OpenRequisitions)
	}
	return nil
}
