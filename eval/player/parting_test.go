package player

import (
	"testing"

	"platen/internal/company"
	"platen/internal/words/money"
	"platen/test/testclient"
)

// TestPartsAndTolerancesAreNoProfit: who sends the first units of each order one by one, or closes orders with as few
// units as are taken as the whole, ends where the good player does.
func TestPartsAndTolerancesAreNoProfit(t *testing.T) {
	t.Parallel()
	const day, tolerancePct = 60, 3
	presets, worlds := []string{"starter"}, uint64(6)
	if testclient.Thorough() {
		presets, worlds = []string{"starter", "manual", "crunch", "supply_shock", "agent_eval"}, 15
	}
	singly, short := Good(), Good()
	singly.singly, short.short = true, true
	for _, name := range presets {
		mean := func(p Policy) (sum money.Minor) {
			for seed := range worlds {
				settings := company.Settings{Preset: builtin(t, name), Seed: seed + 1}
				g := Game{Settings: settings, Policy: p, Days: []int{day}}
				r, err := g.Play()
				if err != nil {
					t.Fatal(err)
				}
				sum += r.WorthMinor[0]
			}
			return sum / money.Minor(worlds)
		}
		good := mean(Good())
		for kind, p := range map[string]Policy{"one by one": singly, "short": short} {
			if got := mean(p); got > good+good.PerCent(tolerancePct) {
				t.Errorf("%s: %s comes to %s, good to %s", name, kind, got, good)
			}
		}
	}
}
