package office

import (
	"fmt"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// GoodsReceiptStatus is the status of a goods receipt: there is only one.
type GoodsReceiptStatus string

// ReceiptRecorded is a goods receipt's status from its birth.
const ReceiptRecorded GoodsReceiptStatus = "recorded"

// ReceiptLine is the accepted and the rejected quantity of one material.
type ReceiptLine struct {
	_ struct{} `doc:"One material of Head Office's goods receipt: the quantities accepted and rejected."`

	SKU              string `json:"sku" doc:"The material, such as mat_coated."`
	QuantityAccepted int64  `json:"quantity_accepted" doc:"The quantity taken into stock, in the unit of the material. Bills are matched with it."`
	QuantityRejected int64  `json:"quantity_rejected" doc:"The quantity sent back with the driver."`
}

// GoodsReceipt is Head Office's record of the goods that the Factory took in: a
// supplier's bill is matched against it.
type GoodsReceipt struct {
	_ struct{} `doc:"Head Office's record of goods that the Factory accepted; supplier invoices are matched with it."`

	record.Head
	PurchaseOrderID string             `json:"purchase_order_id" doc:"The purchase order that the goods were ordered with."`
	Reference       *string            `json:"reference" doc:"The goods receipt of the Factory that it copies, or any text; null without one."`
	Lines           []ReceiptLine      `json:"lines" doc:"The accepted and rejected quantities, one line for each material."`
	Source          string             `json:"source" enum:"bridge,client,opening" doc:"bridge: the auto bridge recorded it; client: your program did; opening: the company opened with it."`
	RecordedOn      moment.Date        `json:"recorded_on" doc:"The in-world date on which Head Office recorded it."`
	Status          GoodsReceiptStatus `json:"status" enum:"recorded" doc:"Always recorded."`
	record.Stamps
}

// Resource implements record.Row.
func (*GoodsReceipt) Resource() string { return "office_goods_receipt" }

// State implements record.Row.
func (g *GoodsReceipt) State() string { return string(g.Status) }

func newGoodsReceipts() *record.Table[GoodsReceipt, struct{}] {
	return record.NewTable(record.Definition{Resource: "office_goods_receipt", Prefix: "gro"},
		[]record.Filter[GoodsReceipt, struct{}]{
			{Name: "purchase_order_id", Of: func(g *GoodsReceipt) string { return g.PurchaseOrderID }},
		})
}

// CreateOfficeGoodsReceipt is the body of POST /office/goods-receipts.
type CreateOfficeGoodsReceipt struct {
	_ struct{} `doc:"The body that records at Head Office the goods that the Factory accepted."`

	PurchaseOrderID string                 `json:"purchase_order_id" required:"true" minLength:"1" maxLength:"64" doc:"The purchase order that the goods were ordered with. The delivery note has its number." agent:"-"`
	Lines           []catalog.ReceivedLine `json:"lines" required:"true" minItems:"1" maxItems:"10" doc:"The accepted and rejected quantities, one line for each material. Taken as written, also for goods that the Factory sent back." agent:"-"`
	Reference       *string                `json:"reference,omitzero" nullable:"true" minLength:"1" maxLength:"64" doc:"The Factory's goods receipt, or any text; no two receipts have the same."`
}

// lines are those of the receipt. Rejected goods that are not named are none.
func (in *CreateOfficeGoodsReceipt) lines() []ReceiptLine {
	lines := make([]ReceiptLine, len(in.Lines))
	for i, line := range in.Lines {
		lines[i] = ReceiptLine{SKU: line.SKU, QuantityAccepted: line.QuantityAccepted}
		if line.QuantityRejected != nil {
			lines[i].QuantityRejected = *line.QuantityRejected
		}
	}
	return lines
}

// OpenLineDetails are the details of quantity_exceeds_order.
type OpenLineDetails struct {
	SKU          string `json:"sku"`
	QuantityOpen int64  `json:"quantity_open"`
}

// CanReceive refuses a receipt that no approved order explains.
func (o *Office) CanReceive(in *CreateOfficeGoodsReceipt) error {
	order, ok := o.PurchaseOrders.Find(in.PurchaseOrderID)
	if !ok {
		return problem.Missing("purchase_order", in.PurchaseOrderID)
	}
	if order.Status != PurchaseApproved {
		return problem.New(problem.PurchaseOrderNotApproved,
			"The purchase order %s waits for approval; its supplier has not seen it.", order.Number).
			With(problem.StateDetails{Status: string(order.Status), Allowed: []string{string(PurchaseApproved)}})
	}
	if fields := twice(len(in.Lines), func(i int) string { return in.Lines[i].SKU }); len(fields) > 0 {
		return problem.Invalid(fields...)
	}
	if err := catalog.CheckReference("reference", in.Reference); err != nil {
		return err
	}
	if in.Reference != nil {
		for g := range o.GoodsReceipts.All {
			repeatable := o.DoubleWork && g.Source != SourceOpening
			same := g.Reference != nil && catalog.Folded(*g.Reference) == catalog.Folded(*in.Reference)
			if same && !repeatable {
				return problem.New(problem.DuplicateReference, "The goods receipt %s has the reference %q already.",
					g.ID, *in.Reference).With(DuplicateDetails{GoodsReceiptID: g.ID})
			}
		}
	}
	for _, received := range in.lines() {
		open := order.Open(received.SKU)
		if order.line(received.SKU) == nil || received.QuantityAccepted+received.QuantityRejected > open {
			return problem.New(problem.QuantityExceedsOrder, "%d of %s are open on %s, not %d.",
				open, received.SKU, order.Number, received.QuantityAccepted+received.QuantityRejected).
				With(OpenLineDetails{SKU: received.SKU, QuantityOpen: open})
		}
	}
	return nil
}

// Receive records a goods receipt that CanReceive has let pass, and returns
// its id. It is of today but for receipts of the opening. The unpaid bills of the
// order are matched again.
func (o *Office) Receive(r *record.Recorder, in *CreateOfficeGoodsReceipt, source string, on moment.Date) string {
	order, private := o.PurchaseOrders.Edit(r, in.PurchaseOrderID)
	g, _ := o.GoodsReceipts.Add(r, GoodsReceipt{
		PurchaseOrderID: order.ID, Reference: catalog.Trimmed(in.Reference), Lines: in.lines(), Source: source,
		RecordedOn: on, Status: ReceiptRecorded,
	}, struct{}{})
	accepted, rejected := int64(0), int64(0)
	for _, received := range g.Lines {
		accepted += received.QuantityAccepted
		rejected += received.QuantityRejected
		if line := order.line(received.SKU); line != nil {
			line.QuantityReceived += received.QuantityAccepted
		}
	}
	order.ReceiptStatus = order.received()
	o.match(r, order, private)
	r.Born(g)
	r.Emit(event.OfficeGoodsReceiptRecorded, g, &event.OfficeGoodsReceiptRecordedData{
		PurchaseOrderID: order.ID, Reference: g.Reference, QuantityAccepted: accepted, QuantityRejected: rejected,
		Source: source, ReceiptStatus: order.ReceiptStatus,
	})
	return g.ID
}

// received derives the receipt status from the lines.
func (p *PurchaseOrder) received() string {
	some, all := false, true
	for _, line := range p.Lines {
		some = some || line.QuantityReceived > 0
		all = all && line.QuantityReceived == line.Quantity
	}
	switch {
	case all:
		return ReceiptFull
	case some:
		return ReceiptPartial
	default:
		return ReceiptNone
	}
}

func (o *Office) checkGoodsReceipts() error {
	type line struct{ order, sku string }
	received := map[line]int64{}
	for g := range o.GoodsReceipts.All {
		for _, l := range g.Lines {
			received[line{g.PurchaseOrderID, l.SKU}] += l.QuantityAccepted
		}
	}
	for order := range o.PurchaseOrders.All {
		for _, l := range order.Lines {
			if got := received[line{order.ID, l.SKU}]; got != l.QuantityReceived {
				return fmt.Errorf("purchase order %s has received %d of %s, the receipts add up to %d",
					order.ID, l.QuantityReceived, l.SKU, got)
			}
		}
	}
	return nil
}
