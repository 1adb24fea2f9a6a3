package company_test

import (
	"testing"

	"platen/internal/company/hr"
	"platen/internal/company/mission"
	"platen/internal/company/sim"
	"platen/internal/words/event"
)

// TestTheBusinessHashIsOfTheBusinessAlone: what clients read and learn on the way leaves no
// trace in it, and neither does a command that is refused.
func TestTheBusinessHashIsOfTheBusinessAlone(t *testing.T) {
	t.Parallel()
	begin := func() *life { return live(t, presetNamed(t, "starter"), 5, sim.Manual, usual) }
	plain, curious := begin(), begin()
	curious.company.Note(mission.ReadAnything)
	if err := curious.company.AcceptSalesOrder("so_0000000000000"); err == nil {
		t.Fatal("an order that there is not was accepted")
	}
	for _, l := range []*life{plain, curious} {
		stewarded(l, 3)
	}
	if a, b := plain.company.StateHash(), curious.company.StateHash(); a == b {
		t.Error("the state hash is the same, so the test shows nothing")
	}
	if a, b := plain.company.BusinessHash(), curious.company.BusinessHash(); a != b {
		t.Errorf("the business hash is %s, and after reading %s", a, b)
	}
	// One more command of any kind is another business.
	before := plain.company.BusinessHash()
	if _, err := plain.company.HireEmployee(&hr.HireEmployee{Role: event.Finisher}); err != nil {
		t.Fatal(err)
	}
	if plain.company.BusinessHash() == before {
		t.Error("somebody was hired, and the business hash is the same")
	}
}
