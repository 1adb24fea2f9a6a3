package company_test

import (
	"testing"

	"platen/internal/company/catalog"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/share"
)

func (l *life) satisfaction(customer string) share.PerCent {
	l.t.Helper()
	return rowOf[office.Customer](l, "customer", customer).SatisfactionPct
}

// TestSatisfactionMovesWithTheCustomersOwnOrders, and with those of nobody else: it starts at
// 60, and the customers of the opening's invoices, which are settled, keep it.
func TestSatisfactionMovesWithTheCustomersOwnOrders(t *testing.T) {
	t.Parallel()
	// The opening's orders are of Lumen, Brightwell and Halden; SO-1001 of Lumen is due on day 5.
	delivered := func(day sim.Day) func(*life) {
		return func(l *life) {
			ready := l.readyCards()
			l.until(day)
			l.must(shipGoods(ready))
		}
	}
	for name, c := range map[string]struct {
		do                        func(*life)
		lumen, brightwell, halden share.PerCent
	}{
		"nothing yet": {func(*life) {}, 60_00, 60_00, 60_00},
		"in time, two declined": {
			delivered(5), 64_00, 58_50, 58_50,
		},
		"a day late":                       {delivered(6), 52_00, 58_50, 58_50},
		"two days late":                    {delivered(7), 44_00, 58_50, 58_50},
		"three days late":                  {delivered(8), 36_00, 58_50, 58_50},
		"seven days late, no more is lost": {delivered(12), 36_00, 58_50, 58_50},
		"no answer":                        {func(l *life) { l.until(3) }, 54_00, 54_00, 54_00},
		"a promise that was broken": {func(l *life) {
			l.readyCards()
			l.until(13)
		}, 30_00, 58_50, 58_50},
	} {
		l := quiet(t, "starter", 3, steady)
		c.do(l)
		got := [3]share.PerCent{
			l.satisfaction("cus_lumen"), l.satisfaction("cus_brightwell"), l.satisfaction("cus_halden"),
		}
		if want := [3]share.PerCent{c.lumen, c.brightwell, c.halden}; got != want {
			t.Errorf("%s: Lumen, Brightwell and Halden are at %v, want %v", name, got, want)
		}
		for _, customer := range catalog.Customers() {
			if id := customer.ID; id != "cus_lumen" && id != "cus_brightwell" && id != "cus_halden" &&
				l.satisfaction(id) != 60_00 {
				t.Errorf("%s: %s, of whom there was no order, is at %d", name, id, l.satisfaction(id))
			}
		}
		checkFeed(t, l)
	}
}

// TestASlightedCustomerOrdersLess: two fifths of what comes from one whose promises were all
// broken, and all others order what they would have. A customer who is served orders more.
func TestASlightedCustomerOrdersLess(t *testing.T) {
	t.Parallel()
	const slighted = "cus_lumen"
	// The reputation brings nobody, so that only the customer's own mind is seen, and orders
	// that are not answered wait.
	even := func(p *preset.Preset) {
		p.Demand.PerDay = presetNamed(t, "crunch").Demand.PerDay
		p.Demand.ReputationBase, p.Demand.ReputationSlope, p.Demand.AnswerDays = sim.Million, 0, 250
		p.Demand.DueDays, p.Demand.CancelAfterDays, p.Demand.RushPct = [2]int64{1, 1}, 1, [2]int64{}
	}
	const spoilt, days = 15, 60
	less, usual := 0, 0
	for seed := range few(3, 8) {
		left, wronged := idle(t, "starter", seed, even), idle(t, "starter", seed, even)
		for day := range sim.Day(days) {
			for _, o := range rowsOf[office.SalesOrder](wronged, "sales_order") {
				if o.CustomerID == slighted && o.Status == office.OrderReceived {
					wronged.must(accept(o.ID))
				}
			}
			left.until(day + 1)
			wronged.until(day + 1)
		}
		if got := wronged.satisfaction(slighted); got != 0 {
			t.Fatalf("%s: after %d days the slighted customer is at %d", wronged.label, days, got)
		}
		from := func(l *life, of func(id string) bool) (orders int) {
			for _, o := range rowsOf[office.SalesOrder](l, "sales_order") {
				if of(o.CustomerID) && sim.DayFrom(o.ReceivedOn) >= spoilt {
					orders++
				}
			}
			return orders
		}
		isSlighted := func(id string) bool { return id == slighted }
		others := func(id string) bool { return id != slighted }
		less, usual = less+from(wronged, isSlighted), usual+from(left, isSlighted)
		if got, want := from(wronged, others), from(left, others); got != want {
			t.Errorf("%s: %d orders of others came, want %d", left.label, got, want)
		}
	}
	if usual < 10*int(few(3, 8)) || less < usual*3/10 || less > usual*1/2 {
		t.Errorf("from the slighted customer came %d orders, from one who is left alone %d", less, usual)
	}
}
