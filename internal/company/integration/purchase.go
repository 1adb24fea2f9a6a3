package integration

import (
	"fmt"
	"maps"
	"slices"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/words/event"
)

// wishes finds the Factory's requisitions by their ids and numbers.
func (v *verifier) wishes() map[string]*factory.Requisition {
	wishes := map[string]*factory.Requisition{}
	for q := range v.Factory.Requisitions.All {
		wishes[q.ID], wishes[catalog.Folded(q.Number)] = q, q
	}
	return wishes
}

// required compares the Factory's requisitions with those at Head Office that name them. One
// without a reference is Head Office's own idea.
func (v *verifier) required() {
	wishes := v.wishes()
	filed := map[string][]effect{}
	rejected := map[string]effect{}
	rows := map[string]*office.Requisition{}
	opening := map[string]bool{}
	ordinal := -1
	for q := range v.Office.Requisitions.All {
		ordinal++
		if q.Reference == nil {
			continue
		}
		e := effect{Record{event.Office, "office_requisition", q.ID, q.Number}, sim.DayFrom(q.CreatedOn), q.UpdatedAt,
			ordinal}
		wish, known := wishes[catalog.Folded(*q.Reference)]
		switch {
		case !known:
			v.unexplained(Requisition, &e, false,
				fmt.Sprintf("%s is for %q, which the Factory never asked for.", q.Number, *q.Reference))
		case q.Source == office.SourceOpening:
			opening[wish.ID] = true
		case q.Status == office.RequisitionRejected:
			rejected[wish.ID], rows[q.ID] = e, q
		default:
			filed[wish.ID], rows[q.ID] = append(filed[wish.ID], e), q
		}
	}
	ordinal = -1
	for wish := range v.Factory.Requisitions.All {
		ordinal++
		effects := filed[wish.ID]
		if last, ok := rejected[wish.ID]; ok && len(effects) == 0 {
			effects = []effect{last}
		}
		if opening[wish.ID] || wish.Status == factory.RequisitionClosed && len(effects) == 0 {
			continue // the material came in another way
		}
		o := obligation{
			kind: Requisition, Record: Record{event.Factory, "factory_requisition", wish.ID, wish.Number},
			since: sim.DayFrom(wish.CreatedOn), updated: wish.UpdatedAt, ordinal: ordinal, effects: effects,
			doubled: len(effects) > 1, inTime: inTimeDays, missed: missedDays, wants: "requisition at Head Office",
		}
		if len(effects) == 1 {
			o.differs = lines(rows[effects[0].ID].Lines, wish)
		}
		v.judge(&o)
	}
}

// lines compares what was filed with what the Factory asked for.
func lines(filed []office.RequisitionLine, wish *factory.Requisition) string {
	if len(filed) != 1 {
		return fmt.Sprintf("it has %d lines, not 1", len(filed))
	}
	return firstOf(compared("sku", filed[0].SKU, wish.SKU), compared("quantity", filed[0].Quantity, wish.Quantity))
}

// purchased compares approved requisitions with the purchase orders that name them. An order
// that names none is legal.
func (v *verifier) purchased() {
	wishes := v.wishes()
	ordinal := -1
	for q, private := range v.Office.Requisitions.All {
		ordinal++
		if q.Source == office.SourceOpening || q.Status != office.RequisitionApproved || private.ApprovedOn == nil {
			continue
		}
		o := obligation{
			kind: Purchase, Record: Record{event.Office, "office_requisition", q.ID, q.Number},
			since: *private.ApprovedOn, updated: q.UpdatedAt, ordinal: ordinal,
			inTime: inTimeDays, missed: missedDays, wants: "purchase order",
		}
		if q.PurchaseOrderID == nil {
			if q.Reference != nil {
				if wish, ok := wishes[catalog.Folded(*q.Reference)]; ok && wish.Status == factory.RequisitionClosed {
					continue // the material came in another way
				}
			}
			v.judge(&o)
			if v.lost(&o) {
				v.missedToo(&o, Receipt)
				v.missedToo(&o, Payment)
			}
			continue
		}
		order, _ := v.Office.PurchaseOrders.Find(*q.PurchaseOrderID)
		o.effects = []effect{{Record{event.Office, "purchase_order", order.ID, order.Number},
			sim.DayFrom(order.CreatedOn), order.UpdatedAt, v.Office.PurchaseOrders.Rows.Ordinal(order.ID)}}
		o.differs = v.ordered(order, q.Lines)
		v.judge(&o)
	}
}

// ordered compares a purchase order with the requisition that it is for: the same materials
// and quantities, or the least that the supplier sells.
func (v *verifier) ordered(order *office.PurchaseOrder, wanted []office.RequisitionLine) string {
	if len(order.Lines) != len(wanted) {
		return fmt.Sprintf("it has %d lines, not %d", len(order.Lines), len(wanted))
	}
	supplier, _ := v.Office.Suppliers.Find(order.SupplierID)
	quantities := map[string]int64{}
	for _, line := range order.Lines {
		quantities[line.SKU] = line.Quantity
	}
	for _, line := range wanted {
		want := line.Quantity
		for _, price := range supplier.Prices {
			if price.SKU == line.SKU {
				want = max(want, price.MinimumQuantity)
			}
		}
		if text := compared("quantity of "+line.SKU, quantities[line.SKU], want); text != "" {
			return text
		}
	}
	return ""
}

// counted is the accepted and the rejected quantity of a material.
type counted struct{ accepted, rejected int64 }

// received compares the goods that the Factory took in with those that Head Office has
// recorded. A delivery may be recorded in several receipts, each thing once.
func (v *verifier) received() {
	recorded := map[string][]effect{}
	sums := map[string]map[string]counted{}
	ordinal := -1
	for g := range v.Office.GoodsReceipts.All {
		ordinal++
		if g.Source != office.SourceClient {
			continue
		}
		order, _ := v.Office.PurchaseOrders.Find(g.PurchaseOrderID)
		row := Record{event.Office, "office_goods_receipt", g.ID, ""}
		recorded[order.Number] = append(recorded[order.Number],
			effect{row, sim.DayFrom(g.RecordedOn), g.UpdatedAt, ordinal})
		sum := sums[order.Number]
		if sum == nil {
			sum = map[string]counted{}
			sums[order.Number] = sum
		}
		for _, line := range g.Lines {
			was := sum[line.SKU]
			sum[line.SKU] = counted{was.accepted + line.QuantityAccepted, was.rejected + line.QuantityRejected}
		}
	}
	counts := map[string]bool{}
	ordinal = -1
	for g := range v.Factory.GoodsReceipts.All {
		ordinal++
		counts[g.PurchaseOrderNumber] = true
		if g.ReceivedOn < sim.Start { // before the opening
			continue
		}
		o := obligation{
			kind: Receipt, Record: Record{event.Factory, "factory_goods_receipt", g.ID, ""},
			since: sim.DayFrom(g.ReceivedOn), updated: g.UpdatedAt, ordinal: ordinal,
			effects: recorded[g.PurchaseOrderNumber], inTime: inTimeDays, missed: missedDays,
			wants: "goods receipt at Head Office",
		}
		o.compare(sums[g.PurchaseOrderNumber], g.Lines)
		v.judge(&o)
		v.remember(Receipt, g.PurchaseOrderNumber, &o) // who records it names the order
	}
	for _, number := range slices.Sorted(maps.Keys(recorded)) {
		if effects := recorded[number]; !counts[number] {
			v.unexplained(Receipt, &effects[0], true,
				fmt.Sprintf("%s is for %s, of which the Factory has counted nothing in.", effects[0].ID, number))
		}
	}
}

// compare compares what was recorded with what was counted.
func (o *obligation) compare(recorded map[string]counted, lines []factory.ReceiptLine) {
	if len(o.effects) == 0 {
		return
	}
	for _, line := range lines {
		got, want := recorded[line.SKU], counted{line.QuantityAccepted, line.QuantityRejected}
		o.doubled = o.doubled || len(o.effects) > 1 && (got.accepted > want.accepted || got.rejected > want.rejected)
		o.differs = firstOf(o.differs, compared("quantity_accepted of "+line.SKU, got.accepted, want.accepted),
			compared("quantity_rejected of "+line.SKU, got.rejected, want.rejected))
		delete(recorded, line.SKU)
	}
	for _, sku := range slices.Sorted(maps.Keys(recorded)) {
		if recorded[sku] != (counted{}) {
			o.differs = firstOf(o.differs, sku+" was not on the truck")
		}
	}
}

// paid compares bills for materials with their payments. It is right to pay the billed
// amount where the bill matches, and else the amount that order and receipts justify.
func (v *verifier) paid() {
	ordinal := -1
	for bill := range v.Office.SupplierInvoices.All {
		ordinal++
		if bill.Kind != office.MaterialsInvoice {
			continue
		}
		o := obligation{
			kind: Payment, Record: Record{event.Office, "supplier_invoice", bill.ID, bill.Number},
			since: sim.DayFrom(bill.DueDate), updated: bill.UpdatedAt, ordinal: ordinal, missed: missedPaymentDays,
			wants: "payment",
		}
		if bill.PaidBy != nil && *bill.PaidBy == office.PaidByClient {
			o.effects = []effect{{o.Record, sim.DayFrom(*bill.PaidOn), bill.UpdatedAt, ordinal}}
			right := bill.BilledMinor
			if bill.MatchStatus != office.Matched {
				right = bill.MatchedMinor
			}
			o.differs = compared("the amount", bill.BilledMinor-bill.CreditedMinor, right)
		}
		v.judge(&o)
	}
}
