package company_test

import (
	"fmt"
	"slices"
	"testing"

	"platen/internal/company/factory"
	"platen/internal/company/lore"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/money"
)

func (l *life) majorOrders() []lore.MajorOrder { return rowsOf[lore.MajorOrder](l, "major_order") }

// ambitious is a company in which nothing happens but major orders, and which
// is asked for ninety units of posters a day.
func ambitious(t reporter, name string, seed uint64) *life {
	t.Helper()
	return idle(t, name, seed, func(p *preset.Preset) {
		p.MajorOrders = preset.MajorOrders{EveryDays: 25, FirstDay: 5}
		p.Demand.DailyOrder = &preset.DailyOrder{
			CustomerID: "cus_lumen", SKU: "prd_poster", Quantity: 90, UnitPriceMinor: 2600, DueDays: 5,
		}
	})
}

// delivers takes the newest order on, prints and ships it.
func (l *life) delivers() {
	l.t.Helper()
	orders := rowsOf[office.SalesOrder](l, "sales_order")
	order := orders[len(orders)-1]
	l.must(accept(order.ID))
	var id string
	for _, w := range l.entries("work_order") {
		id = w.ID
	}
	if l.company.Settings().Bridge == preset.ByHand {
		id = l.add(job{order.SKU, order.Quantity}, &order.ID)
	}
	l.must(shipGoods(l.printOffset(id)))
}

// printOffset prints a work order with plenty of overs on the offset press and
// waits until it is ready.
func (l *life) printOffset(id string) string {
	l.t.Helper()
	l.must(printRun(factory.StartPrintRun{PressID: "prs_offset", WorkOrderIDs: []string{id}, OversPct: new(int64(20))}))
	l.must(tick(200))
	return id
}

// TestMajorOrdersFollowTheirDates: day 5, and every 25 days; each is over after
// twenty days, having written six events at most, whose milestones grow.
func TestMajorOrdersFollowTheirDates(t *testing.T) {
	t.Parallel()
	ends := map[lore.MajorOrderStatus]int{}
	for seed := range uint64(20) {
		l := idle(t, "starter", seed, func(p *preset.Preset) {
			p.MajorOrders = preset.MajorOrders{EveryDays: 25, FirstDay: 5}
		})
		l.until(5 + 3*25 + 1)
		var opened []sim.Day
		for _, m := range l.majorOrders() {
			opens := sim.DayFrom(m.OpensOn)
			opened = append(opened, opens)
			ends[m.Status]++
			if sim.DayFrom(m.ClosesOn) != opens+19 || m.OwnQuantity != 0 || m.BonusPct != 12 || m.PoolMinor != 300_000 {
				t.Errorf("%s: %+v", l.label, m)
			}
			if share := m.WorldQuantity * 100 / m.TargetQuantity; m.Status == lore.MajorOrderMissed &&
				(share < 74 || share > 99) {
				t.Errorf("%s: the others have made %d per cent of %q", l.label, share, m.Title)
			}
			written, last := 0, int64(-1)
			for _, b := range l.bodiesOf("world.major_order.updated") {
				if b.Data.ID != m.ID {
					continue
				}
				written++
				if b.Data.Milestone < last || b.Data.Milestone == last && b.Data.Status == "open" ||
					b.Links.Self != "/sandbox/major-orders/"+m.ID {
					t.Errorf("%s: after the milestone %d comes %+v", l.label, last, b)
				}
				last = b.Data.Milestone
				if on := sim.DayFrom(b.SimDate); on < opens || on > opens+20 {
					t.Errorf("%s: on day %d there is an event of %+v", l.label, on, m)
				}
			}
			if written < 2 && opens < 80 || written > 6 {
				t.Errorf("%s: %q has %d events", l.label, m.Title, written)
			}
		}
		if !slices.Equal(opened, []sim.Day{5, 30, 55, 80}) {
			t.Errorf("%s: major orders open on the days %v", l.label, opened)
		}
		checkFeed(t, l)
	}
	if ends[lore.MajorOrderFulfilled] < 3 || ends[lore.MajorOrderMissed] < 20 || ends[lore.MajorOrderOpen] != 20 {
		t.Errorf("of the major orders of twenty seeds %v", ends)
	}
}

// TestAShareInAFulfilledMajorOrderEarnsABonus the next day: twelve per cent of
// the shipments' value and 3,000.00, by one event with one ledger entry.
func TestAShareInAFulfilledMajorOrderEarnsABonus(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"starter", "manual"} {
		l := fulfilled(t, name, 1)
		m := l.majorOrders()[0]
		if m.OwnQuantity != 90 {
			t.Fatalf("%s: the share is %+v", l.label, m)
		}
		done := l.company.Summary().Now.Day()
		if got := l.bonuses(); len(got) != 0 {
			t.Errorf("%s: on the day of the fulfilment there is the bonus %+v", l.label, got)
		}
		l.until(done + 1)
		l.lacks("a share without a bonus", "civic_duty")
		l.must(tick(int(sim.PaymentMinute)))
		l.has("the bonus", "civic_duty")
		want := money.Minor(300_000 + 90*2600*12/100)
		got := l.bonuses()
		if len(got) != 1 || got[0].AmountMinor != want || *got[0].MajorOrderID != m.ID ||
			got[0].CustomerInvoiceID != nil || got[0].PayerName != "River Festival Committee" {
			t.Fatalf("%s: the bonus is %+v, want %d", l.label, got, want)
		}
		booked := 0
		for _, e := range rowsOf[office.LedgerEntry](l, "ledger_entry") {
			if e.Kind == office.MajorOrderBonus {
				booked++
				if e.AmountMinor != want || *e.ReferenceID != got[0].ID {
					t.Errorf("%s: the ledger says %+v", l.label, e)
				}
			}
		}
		if booked != 1 {
			t.Errorf("%s: the bonus was booked %d times", l.label, booked)
		}
		if err := l.company.Check(); err != nil {
			t.Errorf("%s: %v", l.label, err)
		}
		checkFeed(t, l)
	}
}

// TestTooSmallAShareEarnsNothing.
func TestTooSmallAShareEarnsNothing(t *testing.T) {
	t.Parallel()
	l := fulfilled(t, "starter", 0)
	l.until(l.company.Summary().Now.Day() + 3)
	if got := l.bonuses(); len(got) != 0 {
		t.Errorf("%s: without a share there is the bonus %+v", l.label, got)
	}
	l.lacks("no share", "civic_duty")
}

// TestOwnWorkCanDecideAMajorOrder: what the others would miss is fulfilled with
// the company's own shipments, and the others make the same of it.
func TestOwnWorkCanDecideAMajorOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		idle := ambitious(t, "starter", seed)
		idle.until(25)
		missed := idle.majorOrders()[0]
		if missed.Status != lore.MajorOrderMissed || missed.WorldQuantity < missed.TargetQuantity-4*90 {
			continue
		}
		l := ambitious(t, "starter", seed)
		l.until(5)
		for range 4 {
			l.delivers()
			l.until(l.company.Summary().Now.Day() + 1)
		}
		before := l.majorOrders()[0]
		if before.OwnQuantity != 4*90 {
			t.Fatalf("%s: own work is %+v", l.label, before)
		}
		l.until(25)
		if m := l.majorOrders()[0]; m.Status != lore.MajorOrderFulfilled ||
			m.WorldQuantity-m.OwnQuantity > missed.WorldQuantity {
			t.Errorf("%s: with %d of its own the company sees %+v; without, it was missed with %d",
				l.label, m.OwnQuantity, m, missed.WorldQuantity)
		}
		return
	}
	t.Fatal("no seed has an order that is missed by little")
}

// TestOnlyWhatCustomersTakeCounts: goods without a customer and other goods do
// not.
func TestOnlyWhatCustomersTakeCounts(t *testing.T) {
	t.Parallel()
	l := ambitious(t, "manual", 1)
	l.until(6)
	for i, j := range []job{{"prd_poster", 20}, {"prd_card", 20}} {
		l.must(shipGoods(l.printOffset(l.add(j, new(fmt.Sprint("nobody ", i))))))
	}
	if m := l.majorOrders()[0]; m.OwnQuantity != 0 {
		t.Errorf("%s: what nobody takes counts: %+v", l.label, m)
	}
	l.delivers()
	if m := l.majorOrders()[0]; m.OwnQuantity != 90 {
		t.Errorf("%s: ninety were shipped: %+v", l.label, m)
	}
}

func (l *life) bonuses() []office.Payment {
	return slices.DeleteFunc(rowsOf[office.Payment](l, "payment"), func(p office.Payment) bool {
		return p.Kind != office.BonusPaymentKind
	})
}

// fulfilled is a company on the morning on which the first major order has been
// fulfilled, mostly by others, after it has shipped for it some days.
func fulfilled(t reporter, name string, days int) *life {
	t.Helper()
	const seeds = 100
	for seed := uint64(0); ; seed++ {
		l := ambitious(t, name, seed)
		l.until(5)
		for range days {
			l.delivers()
		}
		for range 20 {
			l.until(l.company.Summary().Now.Day() + 1)
			if l.majorOrders()[0].Status == lore.MajorOrderFulfilled {
				return l
			}
		}
		if seed == seeds {
			t.Fatalf("no seed fulfils the first major order")
		}
	}
}
