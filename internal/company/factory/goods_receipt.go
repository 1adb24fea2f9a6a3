package factory

import (
	"fmt"
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// GoodsReceiptStatus is the status of a goods receipt: there is only one.
type GoodsReceiptStatus string

// ReceiptRecorded is a goods receipt's status from its birth.
const ReceiptRecorded GoodsReceiptStatus = "recorded"

// ReceiptLine is the accepted and the rejected quantity of one material. The
// rejected goods go back with the driver.
type ReceiptLine struct {
	_ struct{} `doc:"One material of the Factory's goods receipt: the quantities accepted and rejected."`

	SKU              string `json:"sku" doc:"The material, such as mat_coated."`
	QuantityAccepted int64  `json:"quantity_accepted" doc:"The quantity taken into stock, in the unit of the material."`
	QuantityRejected int64  `json:"quantity_rejected" doc:"The quantity sent back with the driver."`
}

// GoodsReceipt is the Factory's record of a delivery that was counted in.
type GoodsReceipt struct {
	_ struct{} `doc:"The Factory's record of a truck that was counted in."`

	record.Head
	DeliveryID          string             `json:"delivery_id" doc:"The delivery that it counted in."`
	PurchaseOrderNumber string             `json:"purchase_order_number" doc:"The number of the purchase order on the delivery note: Head Office finds its order by it."`
	Lines               []ReceiptLine      `json:"lines" doc:"The accepted and rejected quantities, one line for each material."`
	ReceivedOn          moment.Date        `json:"received_on" doc:"The in-world date of the count."`
	Status              GoodsReceiptStatus `json:"status" enum:"recorded" doc:"Always recorded."`
	record.Stamps
}

// Resource implements record.Row.
func (*GoodsReceipt) Resource() string { return "factory_goods_receipt" }

// State implements record.Row.
func (g *GoodsReceipt) State() string { return string(g.Status) }

func newGoodsReceipts() *record.Table[GoodsReceipt, struct{}] {
	return record.NewTable[GoodsReceipt, struct{}](record.Definition{Resource: "factory_goods_receipt", Prefix: "grf"},
		nil)
}

// CreateFactoryGoodsReceipt is the body of POST /factory/goods-receipts.
type CreateFactoryGoodsReceipt struct {
	_ struct{} `doc:"The body that counts a supplier's truck in at the Factory."`

	DeliveryID string                 `json:"delivery_id" required:"true" minLength:"1" maxLength:"64" doc:"The delivery to count in: one whose status is arrived." agent:"-"`
	Lines      []catalog.ReceivedLine `json:"lines,omitzero" minItems:"1" maxItems:"10" doc:"Left out, everything that is there and undamaged is accepted; so is each material that no line names."`
}

// ReceivedDetails are the details of delivery_already_received.
type ReceivedDetails struct {
	GoodsReceiptID string `json:"goods_receipt_id"`
}

// CountedDetails are the details of quantity_exceeds_delivery.
type CountedDetails struct {
	SKU             string `json:"sku"`
	QuantityCounted int64  `json:"quantity_counted"`
	QuantityDamaged int64  `json:"quantity_damaged"`
}

// CanReceive refuses to count in goods that are not on the truck, and returns
// the lines of the receipt.
func (f *Factory) CanReceive(r *record.Recorder, in *CreateFactoryGoodsReceipt) ([]ReceiptLine, error) {
	d, ok := f.Deliveries.Find(in.DeliveryID)
	if !ok {
		return nil, problem.Missing("delivery", in.DeliveryID)
	}
	if d.Status != DeliveryArrived {
		return nil, problem.New(problem.DeliveryAlreadyReceived, "The delivery for %s has been counted in already.",
			d.PurchaseOrderNumber).
			With(ReceivedDetails{GoodsReceiptID: *d.GoodsReceiptID})
	}
	if err := f.handled(r, d.ArrivedOn, "the truck for "+d.PurchaseOrderNumber+" waits"); err != nil {
		return nil, err
	}
	lines := make([]ReceiptLine, len(d.Lines))
	for i, line := range d.Lines {
		lines[i] = ReceiptLine{
			SKU: line.SKU, QuantityAccepted: line.QuantityCounted - line.QuantityDamaged,
			QuantityRejected: line.QuantityDamaged,
		}
	}
	for i, count := range in.Lines {
		if slices.ContainsFunc(in.Lines[:i], func(c catalog.ReceivedLine) bool { return c.SKU == count.SKU }) {
			return nil, problem.Invalid(problem.Field{Field: fmt.Sprintf("lines[%d].sku", i), Rule: "uniqueItems",
				Message: "A material can be in one line only."})
		}
		at := slices.IndexFunc(d.Lines, func(l event.DeliveryLine) bool { return l.SKU == count.SKU })
		if at < 0 {
			return nil, problem.New(problem.QuantityExceedsDelivery, "No %s is on the truck.", count.SKU).
				With(CountedDetails{SKU: count.SKU})
		}
		line := d.Lines[at]
		accepted := count.QuantityAccepted
		rejected := line.QuantityCounted - min(accepted, line.QuantityCounted)
		if count.QuantityRejected != nil {
			rejected = *count.QuantityRejected
		}
		if accepted > line.QuantityCounted-line.QuantityDamaged || rejected > line.QuantityCounted-accepted {
			return nil, problem.New(problem.QuantityExceedsDelivery, "%d of %s are on the truck, %d of them damaged.",
				line.QuantityCounted, line.SKU, line.QuantityDamaged).
				With(CountedDetails{
					SKU: line.SKU, QuantityCounted: line.QuantityCounted, QuantityDamaged: line.QuantityDamaged,
				})
		}
		lines[at].QuantityAccepted, lines[at].QuantityRejected = accepted, rejected
	}
	return lines, nil
}

// Receive counts a delivery in, with the lines that CanReceive returned: today, but for the deliveries of the opening.
// It returns the receipt's id, the cost of the accepted goods, and the ids of the requisitions of what is still low.
func (f *Factory) Receive(r *record.Recorder, deliveryID string, lines []ReceiptLine,
	on moment.Date) (id string, worth money.Minor, requisitions []string) {
	d, private := f.Deliveries.Edit(r, deliveryID)
	g, _ := f.GoodsReceipts.Add(r, GoodsReceipt{
		DeliveryID: d.ID, PurchaseOrderNumber: d.PurchaseOrderNumber, Lines: lines, ReceivedOn: on,
		Status: ReceiptRecorded,
	}, struct{}{})
	d.GoodsReceiptID = &g.ID
	f.State.DeliveriesWaiting--
	r.Born(g)
	record.Move(r, d, &d.Status, DeliveryReceived)
	data := &event.FactoryGoodsReceiptRecordedData{DeliveryID: d.ID, PurchaseOrderNumber: d.PurchaseOrderNumber}
	skus := make([]string, len(lines))
	for i, line := range lines {
		data.QuantityAccepted += line.QuantityAccepted
		data.QuantityRejected += line.QuantityRejected
		data.Moves(line.SKU, line.QuantityAccepted)
		f.refilled(r, line.SKU, line.QuantityAccepted, d.Lines[i].QuantityAdvised)
		skus[i] = line.SKU
	}
	eventID := r.Emit(event.FactoryGoodsReceiptRecorded, g, data)
	for i, line := range lines {
		cost := private.CostMinor[i].Times(line.QuantityAccepted)
		worth += cost
		f.move(r, line.SKU, line.QuantityAccepted, cost, cause{MoveReceipt, eventID, g.ID})
	}
	return g.ID, worth, f.ask(r, skus...)
}
