package company_test

import (
	"testing"

	"platen/internal/company"
	"platen/internal/company/attention"
	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/sim"
)

// coated is the paper of brochures.
const coated = "mat_coated"

// asksFor files a requisition for coated paper and approves it.
func (l *life) asksFor(quantity int64) (id string) {
	l.t.Helper()
	l.must(require(office.CreateRequisition{Lines: []office.MaterialLine{{SKU: coated, Quantity: quantity}}}))
	rows := rowsOf[office.Requisition](l, "office_requisition")
	last := rows[len(rows)-1]
	if last.Status != office.RequisitionApproved {
		l.must(decide(last.ID, true))
	}
	return last.ID
}

// lacksPaper accepts an order that takes more coated paper than there is, and returns how much more.
func (l *life) lacksPaper() (lacking int64) {
	l.t.Helper()
	sku, quantity := "prd_brochure", int64(600)
	l.must(trigger("order", company.PullTrigger{SKU: &sku, Quantity: &quantity}))
	orders := l.entries("sales_order")
	l.must(accept(orders[len(orders)-1].ID))
	for _, w := range rowsOf[factory.WorkOrder](l, "work_order") {
		for _, need := range w.MaterialNeeds {
			if need.SKU == coated {
				lacking += need.Quantity
			}
		}
	}
	for _, item := range rowsOf[factory.StockItem](l, "stock_item") {
		if item.SKU == coated {
			lacking -= item.OnHand
		}
	}
	if lacking <= 0 {
		l.t.Fatalf("the order leaves %d sheets", -lacking)
	}
	return lacking
}

// TestAnOrderThatOneSupplierRefusesIsForAnother: the refusal of one hid the offer of the other, and presses stood
// without paper beside a full bank account.
func TestAnOrderThatOneSupplierRefusesIsForAnother(t *testing.T) {
	t.Parallel()
	const more = 60_000 // than the quick supplier lends
	l := live(t, presetNamed(t, "starter"), 31, sim.Manual, usual)
	id := l.asksFor(more)
	order := office.CreatePurchaseOrder{
		SupplierID: "sup_quick", RequisitionID: &id, Lines: []office.MaterialLine{{SKU: coated, Quantity: more}},
	}
	if l.act(purchase(order)) == nil {
		t.Fatal("the quick supplier takes the order, so this shows nothing")
	}
	remedy := l.company.Propose().Requisitions[id]
	if remedy == nil || remedy.Do != attention.Purchase {
		t.Fatalf("for a requisition that one of the suppliers would fulfil there is the command %+v", remedy)
	}
	l.must(does(remedy))
}

// TestARequisitionThatNobodyFulfilsLeavesWorkItsPaper: as much as the work lacks is bought without it.
func TestARequisitionThatNobodyFulfilsLeavesWorkItsPaper(t *testing.T) {
	t.Parallel()
	const more = 900_000 // than anybody lends
	l := live(t, presetNamed(t, "starter"), 31, sim.Manual, usual)
	lacking := l.lacksPaper()
	id := l.asksFor(more)
	proposals := l.company.Propose()
	if remedy := proposals.Requisitions[id]; remedy != nil {
		t.Fatalf("somebody takes the order: %+v", remedy)
	}
	buy := proposals.Purchases[coated]
	if buy == nil || buy.Lines[0].Quantity < lacking {
		t.Fatalf("work lacks %d sheets, and the proposed purchase is %+v", lacking, buy)
	}
	l.must(purchase(*buy))
}

// TestPaperThatComesTooLateIsBoughtFromTheQuickest, once: the truck with more of it is two weeks away.
func TestPaperThatComesTooLateIsBoughtFromTheQuickest(t *testing.T) {
	t.Parallel()
	l := live(t, presetNamed(t, "starter"), 31, sim.Manual, usual)
	lacking := l.lacksPaper()
	const plenty = 100_000
	l.must(purchase(office.CreatePurchaseOrder{
		SupplierID: "sup_mill", Lines: []office.MaterialLine{{SKU: coated, Quantity: plenty}},
	}))
	orders := rowsOf[office.PurchaseOrder](l, "purchase_order")
	l.must(approvePurchase(orders[len(orders)-1].ID))
	buy := l.company.Propose().Purchases[coated]
	if buy == nil || buy.SupplierID != "sup_quick" || buy.Lines[0].Quantity != lacking {
		t.Fatalf("work lacks %d sheets for a week, and the proposed purchase is %+v", lacking, buy)
	}
	l.must(purchase(*buy))
	for range 4 {
		if again := l.company.Propose().Purchases[coated]; again != nil {
			t.Fatalf("the paper is on the way, and more is proposed: %+v", again)
		}
		l.must(tick(int(sim.DayLength) / 2))
	}
}

// TestARequisitionIsLeftWhereEnoughIsOnOrder: the same paper was bought twice.
func TestARequisitionIsLeftWhereEnoughIsOnOrder(t *testing.T) {
	t.Parallel()
	l := live(t, presetNamed(t, "starter"), 31, sim.Manual, usual)
	const some = 16_000
	id := l.asksFor(some)
	if p := l.company.Propose(); p.Covered[id] || p.Requisitions[id] == nil {
		t.Fatalf("nothing is on order, and the requisition is left: %+v", p)
	}
	l.must(purchase(office.CreatePurchaseOrder{
		SupplierID: "sup_mill", Lines: []office.MaterialLine{{SKU: coated, Quantity: 4 * some}},
	}))
	if p := l.company.Propose(); !p.Covered[id] || p.Requisitions[id] != nil {
		t.Errorf("enough is on order, and there is the command %+v", p.Requisitions[id])
	}
}
