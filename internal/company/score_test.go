package company_test

import (
	"testing"

	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
)

// TestExpiredOrdersCountAsLate: of two orders that were accepted one came in time and one
// never, which is half; the third was never answered and was no promise.
func TestExpiredOrdersCountAsLate(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 1, steady)
	l.must(accept(l.order("SO-1001").ID))
	l.must(accept(l.order("SO-1003").ID))
	l.must(shipGoods(l.print(*l.order("SO-1001").BridgedWorkOrderID)))
	if s := l.company.Summary().Score; *s.OnTimePct != 100_00 || s.OrdersExpired != 0 || s.OrdersLapsed != 0 {
		t.Errorf("with one order shipped in time the score is %+v", s)
	}
	l.until(15) // SO-1003 is taken until day 14
	if got := l.order("SO-1003"); got.Status != office.OrderExpired {
		t.Fatalf("SO-1003 is %s", got.Status)
	}
	if s := l.company.Summary().Score; *s.OnTimePct != 50_00 || s.OrdersExpired != 1 || s.OrdersLapsed != 1 ||
		s.OrdersShipped != 1 {
		t.Errorf("with one that never came the score is %+v", s)
	}
}

// TestOnlyBrokenPromisesOfLotsCount: one that was refused or not answered is none.
func TestOnlyBrokenPromisesOfLotsCount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(*life, string)
		want int64
	}{
		"accepted": {func(l *life, id string) { l.must(acceptLot(id)) }, 1},
		"declined": {func(l *life, id string) { l.must(declineLot(id)) }, 0},
		"ignored":  {func(*life, string) {}, 0},
	} {
		l := quiet(t, "starter", 4, steady, func(p *preset.Preset) { p.Lots.EveryDays = 250 })
		lot := l.offered()
		c.do(l, lot.ID)
		l.until(sim.DayFrom(lot.DeliverBy) + 1)
		if s := l.company.Summary().Score; s.LotsExpired != c.want || s.LotsDelivered != 0 {
			t.Errorf("a lot that was %s makes the score %+v", name, s)
		}
	}
}

// TestALotWhoseGoodsCameWaitsForItsBill, without a penalty, however late it is.
func TestALotWhoseGoodsCameWaitsForItsBill(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 4, steady, func(p *preset.Preset) {
		p.Lots.Sheets, p.Lots.EveryDays = [2]int64{300, 400}, 250
	})
	lot := l.offered()
	l.must(acceptLot(lot.ID))
	l.must(shipGoods(l.make(lot.SKU, lot.Quantity, lot.Number)))
	l.until(sim.DayFrom(lot.DeliverBy) + 5)
	if got := l.lot(lot.ID).Status; got != office.LotAccepted {
		t.Fatalf("the goods came and no bill, and the lot is %s", got)
	}
	l.must(billLot(lot.ID, nil))
	s := l.company.Summary().Score
	if got := l.lot(lot.ID); got.Status != office.LotDelivered || s.LotsDelivered != 1 || s.LotsExpired != 0 {
		t.Errorf("billed, the lot is %+v, the score %+v", got, s)
	}
	for _, e := range rowsOf[office.LedgerEntry](l, "ledger_entry") {
		if e.Kind == office.LotPenalty {
			t.Errorf("a penalty was paid: %+v", e)
		}
	}
	i := rowOf[office.CustomerInvoice](l, "customer_invoice", *l.lot(lot.ID).InvoiceID)
	if i.TotalMinor != lot.TotalMinor {
		t.Errorf("the invoice is over %d, want %d", i.TotalMinor, lot.TotalMinor)
	}
	checkFeed(t, l)
}

// TestGoodsThatAreNotTheCustomersDoNotStopTheClock: a parcel with too little in it is no
// delivery, and the order expires.
func TestGoodsThatAreNotTheCustomersDoNotStopTheClock(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 1, steady)
	o := l.order("SO-1001")
	l.must(accept(o.ID))
	l.must(shipGoods(l.make(o.SKU, o.Quantity-1, o.ID)))
	l.until(13)
	if got := l.order("SO-1001").Status; got != office.OrderExpired {
		t.Errorf("one is missing, and on day 13 the order is %s", got)
	}
	if w := rowsOf[factory.WorkOrder](l, "work_order"); w[0].Status != factory.WorkShipped {
		t.Errorf("the parcel is %s", w[0].Status)
	}
}
