package company_test

import (
	"testing"

	"platen/internal/company/sim"
)

// TestTheEndOfTheSandboxIsNoPartOfTheLife: it is announced by the wall clock,
// which two lives do not share.
func TestTheEndOfTheSandboxIsNoPartOfTheLife(t *testing.T) {
	t.Parallel()
	quiet := live(t, presetNamed(t, "starter"), 3, sim.Manual, usual)
	warned := live(t, presetNamed(t, "starter"), 3, sim.Manual, usual)
	for day := range 4 {
		stewarded(quiet, 1)
		warned.company.Expiring(warned.wall, 2-day%3)
		warned.flush()
		stewarded(warned, 1)
	}
	if got, want := warned.company.StateHash(), quiet.company.StateHash(); got != want {
		t.Errorf("with its end announced the company has the hash %s, without %s", got, want)
	}
	one, _ := quiet.company.Newest()
	other, _ := warned.company.Newest()
	if other != one+4 {
		t.Errorf("%d events with the end announced 4 times, %d without", other, one)
	}
}
