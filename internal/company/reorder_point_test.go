package company_test

import (
	"slices"
	"testing"

	"platen/internal/company/catalog"
	"platen/internal/company/factory"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
)

// points are the reorder point and quantity of a material.
func (l *life) points(sku string) [2]int64 {
	l.t.Helper()
	item := l.stock(sku)
	return [2]int64{item.ReorderPoint, item.ReorderQuantity}
}

// printed prints as much in one run and returns what it took of its paper.
func (l *life) printed(sku string, quantity int64) int64 {
	l.t.Helper()
	run := l.gang("prs_offset", 0, job{sku, quantity})
	l.must(tick(480))
	return run.SheetsPlanned
}

// TestReorderPointsFollowUse of the busier of the past two weeks, on Mondays: what goes to the
// presses in eight days of paper, in five of ink and plates, rounded up to steps. They are
// never below the catalogue's, and return there.
func TestReorderPointsFollowUse(t *testing.T) {
	t.Parallel()
	l := still(t, "starter", 1)
	catalogued := map[string][2]int64{}
	for _, sku := range materials {
		catalogued[sku] = l.points(sku)
	}
	if catalogued[catalog.Coated] != [2]int64{11_000, 16_000} || catalogued[catalog.Ink] != [2]int64{36, 40} {
		t.Fatalf("the catalogue says %v", catalogued)
	}
	// 1,600 flyers take 11,200 sheets, 120 to make ready, 27 cans, 4 plates.
	if used := l.printed("prd_flyer", 1_600); used != 11_320 {
		t.Fatalf("%d sheets were used", used)
	}
	l.must(sell(catalog.Uncoated, 6_000)) // sold, not used
	l.until(5)
	// 11,320 * 8 / 5 = 18,112; of ink 27 * 5 / 5.
	want := map[string][2]int64{}
	for _, sku := range materials {
		want[sku] = catalogued[sku]
	}
	want[catalog.Coated] = [2]int64{18_500, 18_500}
	check := func() {
		t.Helper()
		for _, sku := range materials {
			if got := l.points(sku); got != want[sku] {
				t.Errorf("on day %d %s has the point and quantity %v, want %v",
					l.company.Summary().Now.Day(), sku, got, want[sku])
			}
		}
	}
	check()
	l.until(10) // a week without use: it counts for two
	check()
	l.until(14)
	check()
	l.until(15)
	want[catalog.Coated] = catalogued[catalog.Coated]
	check()
	checkFeed(t, l)
}

// TestThePlannerAsksForWhatBecomesLow: when a review raises a point above the stock, the
// Factory asks for the new quantity, and the bridge carries that to Head Office.
func TestThePlannerAsksForWhatBecomesLow(t *testing.T) {
	t.Parallel()
	for name, carried := range map[string][]string{"starter": {"office.requisition.received"}, "manual": nil} {
		l := still(t, name, 1, func(p *preset.Preset) { p.Supply.RequisitionAutoMinor = 0 })
		l.must(buy(catalog.Uncoated, 5_000)) // 11,000 with the opening's
		l.until(1)
		l.must(tick(61))
		if used := l.printed("prd_notebook", 160); used != 5_240 { // notebooks of 32 sheets
			t.Fatalf("%d sheets were used", used)
		}
		l.until(4)
		l.must(tick(479))
		if item := l.stock(catalog.Uncoated); item.Status != factory.StockOK || item.OnHand != 5_760 {
			t.Fatalf("%s: before the review the stock is %+v", l.label, item)
		}
		at := len(l.events)
		l.must(tick(1))
		want := append([]string{"factory.stock.below_reorder_point", "factory.requisition.created"}, carried...)
		got := slices.DeleteFunc(l.kindsOf(at), func(kind string) bool { return !slices.Contains(want, kind) })
		if !slices.Equal(got, want) {
			t.Errorf("%s: the review wrote %v, want %v", l.label, got, want)
		}
		wish := rowsOf[factory.Requisition](l, "factory_requisition")
		// 5,240 * 8 / 5 = 8,384.
		newest := wish[len(wish)-1]
		if newest.SKU != catalog.Uncoated || newest.Quantity != 8_500 || newest.OnHandWhenFiled != 5_760 {
			t.Errorf("%s: the Factory asks for %+v", l.label, newest)
		}
		checkFeed(t, l)
	}
}

// TestAnOpeningWeekChangesNoReorderPoint: who prints little sees the catalogue's.
func TestAnOpeningWeekChangesNoReorderPoint(t *testing.T) {
	t.Parallel()
	l := stewarded(still(t, "manual", 2), 1)
	before := rowsOf[factory.StockItem](l, "stock_item")
	l.until(sim.Day(12))
	for i, item := range rowsOf[factory.StockItem](l, "stock_item") {
		if item.ReorderPoint != before[i].ReorderPoint || item.UpdatedAt != before[i].UpdatedAt {
			t.Errorf("%s was %+v and is %+v", item.SKU, before[i], item)
		}
	}
}
