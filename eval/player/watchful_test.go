package player

import (
	"testing"

	"platen/internal/company"
	"platen/internal/company/factory"
	"platen/internal/company/preset"
)

// TestWatchfulPlayBeginsNothingThatTheEndCutsOff: at the close of the last day no goods are printed or finished,
// and on the last days nothing was bought. The good player, who does not know the day, prints and buys on.
func TestWatchfulPlayBeginsNothingThatTheEndCutsOff(t *testing.T) {
	t.Parallel()
	const days, last = 20, 3
	for _, c := range []struct {
		policy  Policy
		playsOn bool
	}{{Watchful(), false}, {Good(), true}} {
		g := Game{Settings: settingsOf(t, "starter", 11), Policy: c.policy, Days: []int{days}}
		in := &recorder{inside: newInside(theTable(), g.Settings)}
		if _, err := g.through(in); err != nil {
			t.Fatal(err)
		}
		begun := 0
		for _, wait := range []factory.Wait{factory.WaitsForRun, factory.WaitsForFinishing} {
			work, err := in.list("list_work_orders", nil, "waits_for", string(wait))
			if err != nil {
				t.Fatal(err)
			}
			begun += len(work)
		}
		bought, looks := 0, int64(0)
		for _, s := range in.steps {
			switch s.operationID {
			case tickOperation:
				looks++
			case "create_purchase_order", "trade_on_market":
				if looks*c.policy.terms.lookMinutes >= (days-last)*dayMinutes {
					bought++
				}
			}
		}
		if (begun > 0) != c.playsOn || (bought > 0) != c.playsOn {
			t.Errorf("%s leaves %d work orders that are printed or finished, and buys %d times on the last %d days",
				c.policy.Name, begun, bought, last)
		}
	}
}

func settingsOf(t *testing.T, name string, seed uint64) company.Settings {
	t.Helper()
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return company.Settings{Preset: presets[name], Seed: seed}
}
