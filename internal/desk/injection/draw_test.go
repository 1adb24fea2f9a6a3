package injection_test

import (
	"slices"
	"testing"

	"platen/internal/company/fault"
	"platen/internal/company/sim"
	"platen/internal/desk/injection"
)

// TestARuleHoldsFromItsFirstMinuteToBeforeItsLast, for the operations that it names.
func TestARuleHoldsFromItsFirstMinuteToBeforeItsLast(t *testing.T) {
	t.Parallel()
	plan := injection.Plan{Plan: &fault.Plan{Seed: 5, Rules: []fault.Rule{
		{Kind: fault.WebhookLate, SharePPM: sim.Million, FromMinute: 9, ToMinute: 12},
		{Kind: fault.ClockOff, SharePPM: sim.Million, FromMinute: 20, Operations: []string{"get_sandbox"}},
	}}}
	var struck, off []sim.Minute
	for minute := range sim.Minute(24) {
		if plan.Strikes(fault.WebhookLate, &injection.Delivery{Sequence: 1, Attempt: 1, Minute: minute}) {
			struck = append(struck, minute)
		}
		for _, system := range []injection.System{injection.Office, injection.Factory} {
			call := injection.Call{Key: system, Operation: "get_sandbox", Minute: minute}
			if plan.Off(&call) != 0 {
				off = append(off, minute)
			}
			if call.Operation = "tick"; plan.Off(&call) != 0 {
				t.Errorf("in minute %d an operation is struck that the rule does not name", minute)
			}
		}
	}
	if want := []sim.Minute{9, 10, 11}; !slices.Equal(struck, want) {
		t.Errorf("deliveries are struck in %v, want %v", struck, want)
	}
	if want := []sim.Minute{20, 21, 22, 23}; !slices.Equal(off, want) {
		t.Errorf("one clock is off in %v, want %v", off, want)
	}
}
