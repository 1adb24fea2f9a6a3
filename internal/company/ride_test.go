package company_test

import (
	"strings"
	"testing"

	"platen/internal/company/lore"
	"platen/internal/company/mission"
	"platen/internal/company/office"
	"platen/internal/company/preset"
	"platen/internal/words/event"
)

// TestADisruptionIsRiddenOutByShippingAndLosingNoOrder: both, and before it is
// over.
func TestADisruptionIsRiddenOutByShippingAndLosingNoOrder(t *testing.T) {
	t.Parallel()
	asked := func(p *preset.Preset) {
		p.Documents, p.Demand.AnswerDays = false, 4
		p.Demand.DailyOrder = &preset.DailyOrder{
			CustomerID: "cus_lumen", SKU: "prd_poster", Quantity: 90, UnitPriceMinor: 2600, DueDays: 9,
		}
	}
	for _, c := range []struct {
		name                string
		ships, answers, yes bool
	}{
		{"ships and answers", true, true, true},
		{"answers and ships nothing", false, true, false},
		{"ships and lets orders lapse", true, false, false},
	} {
		for _, name := range []string{"starter", "manual"} {
			l := disrupted(t, name, event.PaperShortage, asked)
			if c.ships {
				l.delivers()
			}
			l = l.reborn(l.snapshot()) // only the stored state is known from here on
			for l.disruptionsOf()[0].Status == lore.EventRunning {
				for _, order := range rowsOf[office.SalesOrder](l, "sales_order") {
					if c.answers && order.Status == office.OrderReceived {
						l.must(decline(order.ID, nil))
					}
				}
				if rowOf[mission.Mission](l, "mission", "ride_out_disruption").Status == mission.Completed {
					t.Fatalf("%s: who %s has ridden it out before its end", l.label, c.name)
				}
				l.must(tick(480))
			}
			if got := rowOf[mission.Mission](l, "mission",
				"ride_out_disruption").Status == mission.Completed; got != c.yes {
				t.Errorf("%s: who %s has ridden it out: %t", l.label, c.name, got)
			}
			if strings.Contains(l.company.StateBytes(), "rides") {
				t.Errorf("%s: after the end it is still watched", l.label)
			}
			if err := l.company.Check(); err != nil {
				t.Error(err)
			}
		}
	}
}
