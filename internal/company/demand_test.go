package company_test

import (
	"fmt"
	"testing"
	"time"

	"platen/internal/company"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
)

// wish is the request of a customer, without the price, which the company's reputation
// raises or lowers.
type wish struct {
	at       sim.Minute
	customer string
	sku      string
	quantity int64
	due      moment.Date
}

// wishes counts the orders of a life that customers placed after the opening.
// The clock must be one that has only run by itself.
func wishes(t reporter, l *life) map[wish]int {
	t.Helper()
	clock := l.company.Summary().Clock
	counted := map[wish]int{}
	for _, o := range rowsOf[office.SalesOrder](l, "sales_order") {
		if at := clock.Minute(o.CreatedAt); at > 0 {
			counted[wish{at, o.CustomerID, o.SKU, o.Quantity, o.DueDate}]++
		}
	}
	return counted
}

// TestWhatCustomersWantDoesNotDependOnTheClient: a better reputation brings
// more orders and better prices, but the customers that a neglected company
// has come to the good one as well, at the same minute, for the same goods.
func TestWhatCustomersWantDoesNotDependOnTheClient(t *testing.T) {
	t.Parallel()
	for seed := uint64(1); seed <= few(1, 4); seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			passive := live(t, presetNamed(t, "starter"), seed, sim.Realtime, usual)
			good := live(t, presetNamed(t, "starter"), seed, sim.Realtime, usual)
			better := false
			for range 25 * 4 {
				passive.must(wait(15 * time.Second))
				steward{good}.round()
				good.must(wait(15 * time.Second))
				better = better || good.company.Summary().Reputation > passive.company.Summary().Reputation
				if better && good.company.Summary().Reputation < passive.company.Summary().Reputation {
					t.Fatal("the steward has lost the better reputation, so the comparison shows nothing")
				}
			}
			few, many := wishes(t, passive), wishes(t, good)
			for w, n := range few {
				if many[w] < n {
					t.Errorf("seed %d: the passive client was asked %d times for %+v, the good one %d times",
						seed, n, w, many[w])
				}
			}
			if len(few) < 10 || len(many) <= len(few) {
				t.Errorf("seed %d: %d wishes of the passive client and %d of the good one show nothing",
					seed, len(few), len(many))
			}
		})
	}
}

// TestRushOrdersAreDueAtOncePayMoreAndForgiveLess: where all orders are rush orders the same
// ones come, within one or two working days, at 1.35 times the price, to be answered by
// tomorrow, with a tenth off for each day of delay.
func TestRushOrdersAreDueAtOncePayMoreAndForgiveLess(t *testing.T) {
	t.Parallel()
	at := func(pct int64) []office.SalesOrder {
		l := idle(t, "starter", 3, func(p *preset.Preset) {
			p.Demand = presetNamed(t, "crunch").Demand
			p.Demand.RushPct, p.Demand.ReputationSlope, p.Documents = [2]int64{pct, pct}, 0, false
			p.Demand.AnswerDays = 250
		})
		l.until(1) // before anything of today matters to another order
		return rowsOf[office.SalesOrder](l, "sales_order")
	}
	rush, usual := at(100), at(0)
	if len(rush) < 3 || len(rush) != len(usual) {
		t.Fatalf("%d rush orders and %d usual ones came", len(rush), len(usual))
	}
	for i, o := range rush {
		u, came := usual[i], sim.DayFrom(o.ReceivedOn)
		if !o.Rush || u.Rush || o.CustomerID != u.CustomerID || o.SKU != u.SKU || o.Quantity != u.Quantity {
			t.Errorf("the rush order %+v is none of %+v", o, u)
		}
		due := sim.DayFrom(o.DueDate)
		if due < came+1 || due > came+2 || sim.DayFrom(o.CancelAfter) != due+2 || sim.DayFrom(o.AnswerBy) != came+1 ||
			o.LateDiscountPctPerDay != 10 || u.LateDiscountPctPerDay != 5 {
			t.Errorf("the terms of a rush order are %+v", o)
		}
		if exact := u.UnitPriceMinor * 135; o.UnitPriceMinor*100 < exact-135 || o.UnitPriceMinor*100 > exact+135 {
			t.Errorf("a rush order pays %d where a usual one pays %d", o.UnitPriceMinor, u.UnitPriceMinor)
		}
	}
}

// TestARushOrderThatIsBroughtAboutIsOne, with the terms of those that come by themselves.
func TestARushOrderThatIsBroughtAboutIsOne(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 3, steady)
	l.must(trigger("rush_order", company.PullTrigger{SKU: new("prd_card")}))
	rows := rowsOf[office.SalesOrder](l, "sales_order")
	o := rows[len(rows)-1]
	if !o.Rush || o.DueDate != sim.Day(1).Date() || o.CancelAfter != sim.Day(3).Date() ||
		o.AnswerBy != sim.Day(1).Date() || o.LateDiscountPctPerDay != 10 || o.UnitPriceMinor != 2970 {
		t.Errorf("the rush order is %+v", o)
	}
	l.must(accept(o.ID))
	ready := l.print(*l.order(o.Number).BridgedWorkOrderID)
	l.until(3)
	l.must(shipGoods(ready))
	if i := l.invoiceOf(o.Number); i.LateDiscountMinor != o.TotalMinor/5 {
		t.Errorf("two days late %d are taken off %d", i.LateDiscountMinor, o.TotalMinor)
	}
}

// TestDemandGrowsForSixtyDays, and stays there: by four fifths in the preset starter.
func TestDemandGrowsForSixtyDays(t *testing.T) {
	t.Parallel()
	early, late, later := 0, 0, 0
	for seed := range uint64(12) {
		l := idle(t, "starter", seed, func(p *preset.Preset) {
			p.Demand.PerDay, p.Demand.RushPct = presetNamed(t, "starter").Demand.PerDay, [2]int64{}
			p.Demand.ReputationBase, p.Demand.ReputationSlope, p.Demand.AnswerDays = sim.Million, 0, 250
		})
		l.until(90)
		for _, o := range rowsOf[office.SalesOrder](l, "sales_order") {
			switch day := sim.DayFrom(o.ReceivedOn); {
			case day > 0 && day < 15:
				early++
			case day >= 60 && day < 75:
				late++
			case day >= 75:
				later++
			}
		}
	}
	// 3.4 a day: by the factors 1.1 in the mean, 1.8 and 1.8.
	if early < 560 || early > 740 || late < 1000 || late > 1200 || later < 1000 || later > 1200 {
		t.Errorf("in the first days %d orders came, after sixty %d, after that %d", early, late, later)
	}
}
