package company_test

import (
	"errors"
	"testing"

	"platen/internal/company"
	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/words/problem"
)

// TestWhatIsBroughtAboutHasAnEnd: a company takes memory with each record, so records
// that only wait are not added without end.
func TestWhatIsBroughtAboutHasAnEnd(t *testing.T) {
	t.Parallel()
	for kind, most := range map[string]int{"order": 500, "contract_lot": 100, "story": 1000} {
		w := begin(t, "starter", 3, sim.Manual)
		made := 0
		for ; made <= most; made++ {
			_, err := w.company.Trigger(&company.PullTrigger{Type: kind})
			if p, ok := errors.AsType[*problem.Problem](err); ok && p.Code == problem.TriggerImpossible {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if w.flush(); made > most || made < most-10 {
			t.Errorf("%d times %s was brought about, the most is about %d", made, kind, most)
		}
		w.tick(480)
	}
}

// TestATriggerThatIsRefusedLeavesNoTrace.
func TestATriggerThatIsRefusedLeavesNoTrace(t *testing.T) {
	t.Parallel()
	for _, kind := range company.Triggers() {
		w := begin(t, "empty", 3, sim.Manual)
		hash := w.company.StateHash()
		if _, err := w.company.Trigger(&company.PullTrigger{Type: kind.Type, BadgeNo: new("none"), SKU: new("none"),
			Days: new(int64(1)), Pct: new(int64(1)), PressID: new("none")}); err == nil {
			t.Errorf("%s takes everything", kind.Type)
		}
		if w.company.Changed() || w.company.StateHash() != hash {
			t.Errorf("%s was refused and changed something", kind.Type)
		}
	}
}

// TestOnlyWhatIsNotDueYetIsDisputed: an invoice that is overdue already is no longer disputed,
// since a dispute begins on the due date.
func TestOnlyWhatIsNotDueYetIsDisputed(t *testing.T) {
	t.Parallel()
	l := quiet(t, "starter", 3)
	l.must(shipGoods(l.readyCards()))
	invoice := l.invoiceOf("SO-1001")
	l.must(trigger("customer_pays_late", company.PullTrigger{CustomerInvoiceID: &invoice.ID, Days: new(int64(20))}))
	for l.invoiceOf("SO-1001").Status == office.InvoiceOpen {
		l.must(tick(int(sim.DayLength)))
	}
	err := l.act(trigger("customer_disputes", company.PullTrigger{CustomerInvoiceID: &invoice.ID}))
	if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Code != problem.TriggerImpossible {
		t.Errorf("to dispute an overdue invoice is %v", err)
	}
}
