package company_test

import (
	"testing"

	"platen/internal/company/sim"
	"platen/internal/words/event"
)

// TestTheTimetableIsKept: what comes by itself comes at the minutes that the handbook prints.
func TestTheTimetableIsKept(t *testing.T) {
	t.Parallel()
	open := sim.Minute(0)
	want := map[event.Type]sim.Minute{
		event.SalesOrderExpired: open, event.ContractLotOffered: open, event.ContractLotExpired: open,
		event.CustomerInvoiceOverdue: open, event.PaymentOverdue: open, event.EmployeeSick: open,
		event.MarketDeliveryReceived: sim.MarketMinute, event.DeliveryArrived: sim.TruckMinute,
		event.PaymentReceived: sim.PaymentMinute, event.PayrollDue: sim.CloseMinute,
	}
	seen := map[event.Type]int{}
	l := live(t, presetNamed(t, "starter"), 3, sim.Manual, usual)
	for day := range 60 {
		l.must(tick(1))
		if day < 20 {
			steward{l}.round()
			if day%5 == 1 {
				l.must(buy("mat_board", 100))
			}
		}
		minutes := 479
		l.must(action{name: "a day", do: func(l *life) error {
			l.company.Tick(l.wall, minutes)
			for _, n := range l.company.Notices() {
				if at, ok := want[n.Type]; ok {
					if seen[n.Type]++; n.Minute.OfDay() != at {
						t.Errorf("%s comes at %s, the timetable says %s", n.Type, n.Minute.Text(), at.ClockText())
					}
				}
			}
			return nil
		}})
	}
	for kind := range want {
		if seen[kind] == 0 {
			t.Errorf("no %s came", kind)
		}
	}
}
