package company_test

import (
	"testing"
	"time"

	"platen/internal/company/preset"
	"platen/internal/company/sim"
)

// poor is a company with hardly any cash and no payments from customers.
func poor(t reporter, name string, mode sim.Mode, change func(*preset.Preset)) *life {
	t.Helper()
	p := presetNamed(t, name)
	p.Demand.PerDay, p.Documents, p.CashMinor = 0, false, 1
	calm(&p)
	change(&p)
	return live(t, p, 7, mode, usual)
}

// TestBelowTheOverdraftTheCompanyEndsAtTheClose: rent is debited on the Friday
// of the second week.
func TestBelowTheOverdraftTheCompanyEndsAtTheClose(t *testing.T) {
	t.Parallel()
	l := poor(t, "starter", sim.Manual, func(p *preset.Preset) {
		p.OverdraftLimitMinor, p.NegativeClosesToBankrupt = 0, 250
	})
	l.until(9)
	if l.company.Bankrupt() {
		t.Fatal("the company ended before anything was debited")
	}
	l.must(tick(480))
	s := l.company.Summary()
	if !s.Bankrupt || s.CashMinor >= 0 || s.Now != sim.Day(9).At(sim.CloseMinute) || s.DaysNegative != 1 {
		t.Fatalf("after the first debit the company is %+v", s)
	}
	last := l.bodiesOf("sandbox.bankrupt")
	if len(last) != 1 || last[0].ID != l.events[len(l.events)-1].ID || last[0].Data.Status != "bankrupt" ||
		last[0].Data.CashMinor != s.CashMinor || last[0].Links.Self != "/sandbox" {
		t.Errorf("the feed ends with %s", l.events[len(l.events)-1].Body)
	}
	checkFeed(t, l)
}

// TestTenNegativeClosesEndTheCompany, and one close above zero begins the
// count anew.
func TestTenNegativeClosesEndTheCompany(t *testing.T) {
	t.Parallel()
	l := poor(t, "starter", sim.Manual, func(p *preset.Preset) { p.OverdraftLimitMinor = 1_000_000_000 })
	for range 25 {
		if l.company.Bankrupt() {
			break
		}
		l.must(tick(480))
	}
	s := l.company.Summary()
	if s.DaysNegative != 10 || s.Now.Day() != 9+9 {
		t.Errorf("the company ended on day %d after %d negative closes, want day 18 after 10: "+
			"the first debit is on day 9", s.Now.Day(), s.DaysNegative)
	}
}

// TestTheClockOfABankruptCompanyStops, under either clock: nothing is due, and
// nothing happens any more.
func TestTheClockOfABankruptCompanyStops(t *testing.T) {
	t.Parallel()
	for _, mode := range []sim.Mode{sim.Manual, sim.Realtime} {
		l := poor(t, "starter", mode, func(p *preset.Preset) { p.OverdraftLimitMinor = 0 })
		if mode == sim.Realtime {
			l.must(wait(time.Hour))
		} else {
			l.until(9)
			l.must(tick(480))
		}
		before, events := l.company.StateHash(), len(l.events)
		if !l.company.Bankrupt() {
			t.Fatalf("%s: the company lives on", l.label)
		}
		if due, ok := l.company.NextDue(); ok || l.company.Due(l.wall.Add(1000*time.Hour)) {
			t.Errorf("%s: something is due at %s", l.label, due)
		}
		l.must(wait(100 * time.Hour))
		if l.company.StateHash() != before || len(l.events) != events {
			t.Errorf("%s: a hundred hours changed a company that has ended", l.label)
		}
		if err := l.company.Check(); err != nil {
			t.Errorf("%s: %v", l.label, err)
		}
		again := l.reborn(l.snapshot()).company
		if !again.Bankrupt() || again.StateHash() != before {
			t.Errorf("%s: read back from its commits the company is another", l.label)
		}
	}
}
