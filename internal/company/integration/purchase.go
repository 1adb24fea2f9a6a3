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

// recorded is a goods receipt of Head Office, which a client has recorded.
type recorded struct {
	effect
	reference string
	lines     []office.ReceiptLine
}

// received compares the goods that the Factory took in with those that Head Office has
// recorded. A delivery may be recorded in several receipts, each thing once, and an order's two deliveries in one.
func (v *verifier) received() {
	all := map[string][]recorded{}
	ordinal := -1
	for g := range v.Office.GoodsReceipts.All {
		ordinal++
		if g.Source != office.SourceClient {
			continue
		}
		order, _ := v.Office.PurchaseOrders.Find(g.PurchaseOrderID)
		row := Record{event.Office, "office_goods_receipt", g.ID, ""}
		r := recorded{effect{row, sim.DayFrom(g.RecordedOn), g.UpdatedAt, ordinal}, "", g.Lines}
		if g.Reference != nil {
			r.reference = catalog.Folded(*g.Reference)
		}
		all[order.Number] = append(all[order.Number], r)
	}
	deliveries := map[string][]*factory.GoodsReceipt{}
	for g := range v.Factory.GoodsReceipts.All {
		deliveries[g.PurchaseOrderNumber] = append(deliveries[g.PurchaseOrderNumber], g)
	}
	ordinal = -1
	for g := range v.Factory.GoodsReceipts.All {
		ordinal++
		if g.ReceivedOn < sim.Start { // before the opening
			continue
		}
		o := obligation{
			kind: Receipt, Record: Record{event.Factory, "factory_goods_receipt", g.ID, ""},
			since: sim.DayFrom(g.ReceivedOn), updated: g.UpdatedAt, ordinal: ordinal,
			inTime: inTimeDays, missed: missedDays, wants: "goods receipt at Head Office",
		}
		number := g.PurchaseOrderNumber
		of, lines := shared(all[number], deliveries[number], g)
		for i := range of {
			o.effects = append(o.effects, of[i].effect)
		}
		o.compare(summed(of), lines)
		v.judge(&o)
		v.remember(Receipt, number, &o) // who records it names the order
	}
	for _, number := range slices.Sorted(maps.Keys(all)) {
		if effects := all[number]; len(deliveries[number]) == 0 {
			v.unexplained(Receipt, &effects[0].effect, true,
				fmt.Sprintf("%s is for %s, of which the Factory has counted nothing in.", effects[0].ID, number))
		}
	}
}

// shared returns the receipts of an order that record one of its deliveries, and the lines that they should have: all
// of them and all lines for an order that came once, or is recorded whole by receipts that name no delivery. Of two
// deliveries each has the receipts that name it, and the first delivery that has none those that name none.
func shared(all []recorded, deliveries []*factory.GoodsReceipt, g *factory.GoodsReceipt) (
	of []recorded, lines []factory.ReceiptLine,
) {
	if len(deliveries) == 1 {
		return all, g.Lines
	}
	own := map[string][]recorded{}
	var unnamed []recorded
	for i := range all {
		at := slices.IndexFunc(deliveries, func(d *factory.GoodsReceipt) bool {
			return catalog.Folded(d.ID) == all[i].reference
		})
		if at < 0 {
			unnamed = append(unnamed, all[i])
		} else {
			own[deliveries[at].ID] = append(own[deliveries[at].ID], all[i])
		}
	}
	var together []factory.ReceiptLine
	for _, d := range deliveries {
		together = append(together, d.Lines...)
	}
	if len(unnamed) > 0 && maps.Equal(summed(all), wanted(together)) {
		return all, together
	}
	for _, r := range unnamed {
		at := slices.IndexFunc(deliveries, func(d *factory.GoodsReceipt) bool { return len(own[d.ID]) == 0 })
		id := deliveries[max(0, at)].ID
		own[id] = append(own[id], r)
	}
	return own[g.ID], g.Lines
}

// summed adds up what receipts have recorded of each material.
func summed(all []recorded) map[string]counted {
	sums := map[string]counted{}
	for i := range all {
		for _, line := range all[i].lines {
			was := sums[line.SKU]
			sums[line.SKU] = counted{was.accepted + line.QuantityAccepted, was.rejected + line.QuantityRejected}
		}
	}
	return sums
}

// wanted adds up what the Factory has counted in of each material.
func wanted(lines []factory.ReceiptLine) map[string]counted {
	sums := map[string]counted{}
	for _, line := range lines {
		was := sums[line.SKU]
		sums[line.SKU] = counted{was.accepted + line.QuantityAccepted, was.rejected + line.QuantityRejected}
	}
	return sums
}

// compare compares what was recorded with what was counted.
func (o *obligation) compare(recorded map[string]counted, lines []factory.ReceiptLine) {
	if len(o.effects) == 0 {
		return
	}
	sums := wanted(lines)
	for _, sku := range slices.Sorted(maps.Keys(sums)) {
		got, want := recorded[sku], sums[sku]
		o.doubled = o.doubled || len(o.effects) > 1 && (got.accepted > want.accepted || got.rejected > want.rejected)
		o.differs = firstOf(o.differs, compared("quantity_accepted of "+sku, got.accepted, want.accepted),
			compared("quantity_rejected of "+sku, got.rejected, want.rejected))
		delete(recorded, sku)
	}
	for _, sku := range slices.Sorted(maps.Keys(recorded)) {
		if recorded[sku] != (counted{}) {
			o.differs = firstOf(o.differs, sku+" was not on the truck")
		}
	}
}

// closing is the end of a bill for goods that another bill was paid for.
const closing = "end as a duplicate"

// paid compares bills for materials with their payments. It is right to pay the billed
// amount where the bill matches, and else the amount that order and receipts justify, and to close one of two bills for
// the same goods as a duplicate of the other.
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
		first := v.Office.PaidTwice(bill)
		if bill.DuplicateOf != nil || first != nil {
			o.wants = closing
		}
		if bill.PaidBy != nil && *bill.PaidBy == office.PaidByClient {
			own := effect{o.Record, sim.DayFrom(*bill.PaidOn), bill.UpdatedAt, ordinal}
			o.effects = []effect{own}
			right := bill.BilledMinor
			switch {
			case bill.DuplicateOf != nil:
				right = 0
			case first != nil:
				row := Record{event.Office, "supplier_invoice", first.ID, first.Number}
				earlier := effect{row, sim.DayFrom(*first.PaidOn), first.UpdatedAt,
					v.Office.SupplierInvoices.Rows.Ordinal(first.ID)}
				o.doubled, o.effects = true, []effect{earlier, own}
			case bill.MatchStatus != office.Matched:
				right = bill.MatchedMinor
			}
			o.differs = compared("the amount", bill.BilledMinor-bill.CreditedMinor, right)
		}
		v.judge(&o)
	}
}
