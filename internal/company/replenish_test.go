package company_test

import (
	"slices"
	"testing"

	"platen/internal/company"
	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/preset"
)

// wishes are the Factory's requisitions for an item.
func (l *life) wishes(sku string) (all []factory.Requisition) {
	l.t.Helper()
	for _, q := range rowsOf[factory.Requisition](l, "factory_requisition") {
		if q.SKU == sku {
			all = append(all, q)
		}
	}
	return all
}

// filed are the requisitions for an item that the bridge has carried to Head Office.
func (l *life) filed(sku string) (all []office.Requisition) {
	l.t.Helper()
	for _, q := range rowsOf[office.Requisition](l, "office_requisition") {
		if q.Source == office.SourceBridge && q.Lines[0].SKU == sku {
			all = append(all, q)
		}
	}
	return all
}

// bought orders so much of an item, and counts its truck in, of which so much is accepted.
func (l *life) bought(supplier, sku string, quantity, accepted int64) {
	l.t.Helper()
	l.must(purchase(office.CreatePurchaseOrder{SupplierID: supplier,
		Lines: []office.MaterialLine{{SKU: sku, Quantity: quantity}}}))
	orders := rowsOf[office.PurchaseOrder](l, "purchase_order")
	order := orders[len(orders)-1]
	if order.Status == office.PurchasePending {
		l.must(approvePurchase(order.ID))
	}
	l.must(trigger("truck_early", company.PullTrigger{PurchaseOrderID: &order.ID}))
	trucks := rowsOf[factory.Delivery](l, "delivery")
	l.must(count(factory.CreateFactoryGoodsReceipt{DeliveryID: trucks[len(trucks)-1].ID,
		Lines: []catalog.ReceivedLine{{SKU: sku, QuantityAccepted: accepted}}}))
}

// reliable lets suppliers bring what was ordered, whatever it costs.
func reliable(p *preset.Preset) {
	p.CashMinor, p.Supply.POApprovalMinor = 100_000_000, 100_000_000
}

// TestARequisitionThatWasFilledExactlyIsFollowedByAnother where a review has raised the point out of its reach: who
// orders what the Factory asks for does not starve its presses.
func TestARequisitionThatWasFilledExactlyIsFollowedByAnother(t *testing.T) {
	t.Parallel()
	for name, carried := range map[string]int{"starter": 2, "manual": 0} {
		l := still(t, name, 1, reliable, func(p *preset.Preset) { p.Supply.RequisitionAutoMinor = 0 })
		l.printed("prd_flyer", 1_600) // of 16,000 sheets 4,680 are left
		first := l.wishes(catalog.Coated)
		if len(first) != 1 || first[0].Quantity != 16_000 || first[0].Status != factory.RequisitionOpen {
			t.Fatalf("%s: the Factory asks for %+v", l.label, first)
		}
		l.must(sell(catalog.Coated, l.stock(catalog.Coated).OnHand)) // so that what it asked for is too little
		l.until(5)
		if got := l.stock(catalog.Coated); got.ReorderPoint != 18_500 || got.Status != factory.StockLow {
			t.Fatalf("%s: after the review the stock is %+v", l.label, got)
		}
		at := len(l.events)
		l.bought(catalog.Mill, catalog.Coated, 16_000, 16_000)
		all := l.wishes(catalog.Coated)
		if len(all) != 2 || all[0].Status != factory.RequisitionClosed || all[1].Status != factory.RequisitionOpen ||
			all[1].Quantity != 18_500 || all[1].OnHandWhenFiled != 16_000 {
			t.Errorf("%s: filled in full, the requisitions are %+v", l.label, all)
		}
		kinds := slices.DeleteFunc(l.kindsOf(at), func(kind string) bool {
			return kind != "factory.goods_receipt.recorded" && kind != "factory.requisition.created" &&
				kind != "office.requisition.received"
		})
		want := []string{"factory.goods_receipt.recorded", "factory.requisition.created", "office.requisition.received"}
		if carried == 0 {
			want = want[:2]
		}
		if !slices.Equal(kinds, want) {
			t.Errorf("%s: the receipt wrote %v, want %v", l.label, kinds, want)
		}
		if got := l.filed(catalog.Coated); len(got) != carried {
			t.Errorf("%s: Head Office has the requisitions %+v", l.label, got)
		}
		l.bought(catalog.Mill, catalog.Coated, 4_000, 4_000) // with 20,000 it is above the point
		if got := l.wishes(catalog.Coated); len(got) != 2 || got[1].Status != factory.RequisitionClosed ||
			l.stock(catalog.Coated).Status != factory.StockOK {
			t.Errorf("%s: above the point the requisitions are %+v", l.label, got)
		}
		checkFeed(t, l)
	}
}

// TestARequisitionWaitsForAllThatItAsksFor: as long as less has come, by the notes of the trucks, the Factory does not
// ask again; goods that went back are on nobody's way any more.
func TestARequisitionWaitsForAllThatItAsksFor(t *testing.T) {
	t.Parallel()
	l := still(t, "manual", 1, reliable)
	l.must(sell(catalog.Coated, 12_000))
	l.bought(catalog.Mill, catalog.Coated, 6_000, 6_000)
	if all := l.wishes(catalog.Coated); len(all) != 1 || all[0].Status != factory.RequisitionOpen {
		t.Fatalf("6,000 of 16,000 have come, and the requisitions are %+v", all)
	}
	l.bought(catalog.Mill, catalog.Coated, 10_000, 0) // sent back whole
	if all := l.wishes(catalog.Coated); len(all) != 2 || all[1].Status != factory.RequisitionOpen ||
		all[1].OnHandWhenFiled != 6_000 {
		t.Errorf("all that was asked for has come or gone back, and the requisitions are %+v", all)
	}
	checkFeed(t, l)
}

// TestTheReviewClosesWhatIsLowNoMore, with an event of its own: a point that falls to the stock or below leaves
// nothing to ask for.
func TestTheReviewClosesWhatIsLowNoMore(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"starter", "manual"} {
		l := still(t, name, 2)
		l.must(trigger("stock_low", company.PullTrigger{SKU: new(catalog.Ink)}))
		item := l.stock(catalog.Ink)
		if item.Status != factory.StockLow || item.OnHand >= item.ReorderPoint {
			t.Fatalf("%s: the ink is %+v", l.label, item)
		}
		at := len(l.events)
		l.until(5)
		item = l.stock(catalog.Ink)
		if all := l.wishes(catalog.Ink); item.Status != factory.StockOK || item.OnHand < item.ReorderPoint ||
			len(all) != 1 || all[0].Status != factory.RequisitionClosed {
			t.Errorf("%s: after the review the ink is %+v, its requisitions are %+v", l.label, item, all)
		}
		var told []body
		for _, e := range l.events[at:] {
			if b := decoded[body](t, e.Body); b.Type == "factory.stock.below_reorder_point" {
				told = append(told, b)
			}
		}
		if len(told) != 1 || told[0].Data.Status != "ok" || len(told[0].Data.Changes) != 1 ||
			told[0].Data.Changes[0].Resource != "factory_requisition" || told[0].Data.Changes[0].To != "closed" {
			t.Errorf("%s: of it the feed tells %+v", l.label, told)
		}
		checkFeed(t, l)
	}
}

// TestTheBridgeCarriesARequisitionWhenThereIsRoom, however the client makes it, and only while the Factory still asks.
func TestTheBridgeCarriesARequisitionWhenThereIsRoom(t *testing.T) {
	t.Parallel()
	for name, room := range map[string]func(l *life, filed []office.Requisition){
		"a decision": func(l *life, filed []office.Requisition) { l.must(decide(filed[0].ID, false)) },
		"an order": func(l *life, filed []office.Requisition) {
			l.must(decide(filed[0].ID, true))
			l.must(purchase(office.CreatePurchaseOrder{SupplierID: "sup_chroma", RequisitionID: &filed[0].ID,
				Lines: []office.MaterialLine{{SKU: catalog.Ink, Quantity: 30}}}))
		},
		"a lapse": func(l *life, _ []office.Requisition) { l.until(6) },
	} {
		l := still(t, "starter", 1, reliable, func(p *preset.Preset) { p.Supply.RequisitionAutoMinor = 0 })
		l.must(sell(catalog.Board, 4_000)) // carried
		for range office.MaxOpenRequisitions - 1 {
			l.must(require(office.CreateRequisition{Lines: []office.MaterialLine{{SKU: catalog.Ink, Quantity: 30}}}))
		}
		l.must(sell(catalog.Coated, 12_000))
		l.must(sell(catalog.Uncoated, l.stock(catalog.Uncoated).OnHand))
		l.bought(catalog.Mill, catalog.Uncoated, 30_000, 30_000)
		if got := l.filed(catalog.Coated); len(got) != 0 {
			t.Fatalf("%s: Head Office is full, and has %+v", name, got)
		}
		// The company goes on from its stored form, and the bridge still knows.
		loaded, err := company.Load(l.company.Image(), company.Engine)
		if err != nil {
			t.Fatal(err)
		}
		l.company = loaded
		room(l, rowsOf[office.Requisition](l, "office_requisition")[1:])
		wish := l.wishes(catalog.Coated)[0]
		if got := l.filed(catalog.Coated); len(got) != 1 || *got[0].Reference != wish.ID ||
			got[0].Lines[0].Quantity != wish.Quantity || *got[0].NeededBy != wish.NeededBy {
			t.Errorf("%s made room, and Head Office has %+v", name, got)
		}
		if got := l.filed(catalog.Uncoated); len(got) != 0 {
			t.Errorf("%s: the Factory asks no more for uncoated paper, and Head Office has %+v", name, got)
		}
		if err := l.company.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		checkFeed(t, l)
	}
}

// TestTheOpeningsCopyIsItsOriginal, in each preset with documents: the same quantity, wanted by the same day.
func TestTheOpeningsCopyIsItsOriginal(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"starter", "manual", "crunch", "supply_shock", "agent_eval"} {
		l := quiet(t, name, 1)
		wishes, copies := rowsOf[factory.Requisition](l, "factory_requisition"),
			rowsOf[office.Requisition](l, "office_requisition")
		if len(wishes) != 1 || len(copies) != 1 {
			t.Fatalf("%s: the opening has %d requisitions and %d copies", name, len(wishes), len(copies))
		}
		wish, filed := wishes[0], copies[0]
		if *filed.Reference != wish.ID || len(filed.Lines) != 1 || filed.Lines[0].SKU != wish.SKU ||
			filed.Lines[0].Quantity != wish.Quantity || filed.NeededBy == nil || *filed.NeededBy != wish.NeededBy {
			t.Errorf("%s: the Factory asks for %+v, Head Office has %+v", name, wish, filed)
		}
	}
}
