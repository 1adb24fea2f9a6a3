package company_test

import (
	"fmt"
	"testing"
	"time"

	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/moment"
)

// wish is what a customer asks for, without the price, which the company's
// reputation raises or lowers.
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
	for seed := uint64(1); seed <= 4; seed++ {
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
