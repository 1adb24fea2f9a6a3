package company_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
)

// TestABillKeepsNoPromise: an order or a lot whose goods do not come costs the same name, satisfaction and penalty
// whether Head Office has billed it or not, and its bill is disputed and never paid.
func TestABillKeepsNoPromise(t *testing.T) {
	t.Parallel()
	outcome := func(billed bool) *life {
		l := quiet(t, "manual", 4, steady, func(p *preset.Preset) { p.Lots.EveryDays = 250 })
		order := l.order("SO-1001")
		l.must(decline(l.order("SO-1002").ID, nil))
		l.must(decline(l.order("SO-1003").ID, nil))
		l.must(accept(order.ID))
		lot := l.offered()
		l.must(acceptLot(lot.ID))
		if billed {
			l.must(bill(order.ID, nil, nil))
			l.must(billLot(lot.ID, nil))
			if got := l.company.Summary().Score.LotsDelivered; got != 0 {
				t.Errorf("no goods have come, and %d lots count as delivered", got)
			}
		}
		l.until(max(sim.DayFrom(lot.DeliverBy), sim.DayFrom(order.CancelAfter)) + 20)
		order, lot = l.order("SO-1001"), l.lot(lot.ID)
		if order.Status != office.OrderExpired || *order.ExpiredReason != office.DeliveryMissed ||
			lot.Status != office.LotExpired || *lot.ExpiredReason != office.DeliveryMissed {
			t.Fatalf("billed %t: the order is %s, the lot %s", billed, order.Status, lot.Status)
		}
		checkFeed(t, l)
		return l
	}
	silent, billed := outcome(false), outcome(true)
	want, got := silent.company.Summary(), billed.company.Summary()
	if diff := cmp.Diff(want.Score, got.Score); diff != "" || got.Reputation != want.Reputation {
		t.Errorf("billed, the reputation is %d, without a bill %d; the score differs (-silent +billed): %s",
			got.Reputation, want.Reputation, diff)
	}
	if got.Score.OrdersExpired != 1 || got.Score.LotsExpired != 1 || got.Score.LotsDelivered != 0 {
		t.Errorf("the score is %+v", got.Score)
	}
	if a, b := billed.satisfaction("cus_lumen"), silent.satisfaction("cus_lumen"); a != b || a != 30_00 {
		t.Errorf("the customer is satisfied by %d, without a bill by %d, want 3000", a, b)
	}
	for _, id := range []*string{billed.order("SO-1001").InvoiceID, billed.lots()[0].InvoiceID} {
		i := rowOf[office.CustomerInvoice](billed, "customer_invoice", *id)
		if i.Status != office.InvoiceOverdue || i.DisputeCode == nil || i.AmountPaidMinor != 0 {
			t.Errorf("the bill for no goods is %+v", i)
		}
	}
	// The goods come at last: nobody takes them, and nobody pays.
	work := billed.make("prd_card", 10, "SO-1001")
	billed.must(shipGoods(work))
	billed.until(billed.company.Summary().Now.Day() + 10)
	if o, i := billed.order("SO-1001"), billed.invoiceOf("SO-1001"); o.Status != office.OrderExpired ||
		i.AmountPaidMinor != 0 || i.DisputeCode == nil {
		t.Errorf("goods came for an expired order, and it is %s with the invoice %+v", o.Status, i)
	}
	checkFeed(t, billed)
}

// TestAnEventCorrectsALotThatWasBilledInTime: the bill says that the lot is in time, and its expiry that it was not.
func TestAnEventCorrectsALotThatWasBilledInTime(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 4, steady,
		func(p *preset.Preset) { p.Lots.EveryDays, p.Lots.Sheets = 250, [2]int64{300, 400} })
	lot := l.offered()
	l.must(acceptLot(lot.ID))
	l.must(billLot(lot.ID, nil))
	l.until(sim.DayFrom(lot.DeliverBy) + 1)
	var told []string
	for _, e := range l.events {
		if b := decoded[body](t, e.Body); b.Data.ID == lot.ID {
			told = append(told, b.Type)
		}
	}
	if n := len(told); n < 2 || told[n-2] != "office.contract_lot.delivered" ||
		told[n-1] != "office.contract_lot.expired" {
		t.Errorf("of the lot the feed tells %v", told)
	}
	if got := l.bodiesOf("office.contract_lot.expired")[0].Data.PenaltyMinor; got != lot.PenaltyMinor {
		t.Errorf("the penalty is %d, want %d", got, lot.PenaltyMinor)
	}
	l.must(shipGoods(l.make(lot.SKU, lot.Quantity, lot.ID)))
	l.until(50)
	if i := rowOf[office.CustomerInvoice](l, "customer_invoice", *l.lot(lot.ID).InvoiceID); i.AmountPaidMinor != 0 {
		t.Errorf("goods that came too late were paid: %+v", i)
	}
	if got := rowsOf[factory.Shipment](l, "factory_shipment"); len(got) != 1 {
		t.Errorf("%d parcels left", len(got))
	}
	checkFeed(t, l)
}

func (l *life) lots() []office.ContractLot {
	l.t.Helper()
	return rowsOf[office.ContractLot](l, "contract_lot")
}
