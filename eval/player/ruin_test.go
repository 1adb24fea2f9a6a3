package player

import (
	"testing"

	"platen/internal/words/money"
	"platen/test/testclient"
)

// TestARuinedCompanyIsWorthNoMoreThanOneLeftAlone, in every world; and those who know more are worth more on average.
func TestARuinedCompanyIsWorthNoMoreThanOneLeftAlone(t *testing.T) {
	t.Parallel()
	const day = 60
	worlds, order := uint64(2), []Policy{Suicide(), Nothing(), Greedy()}
	if testclient.Thorough() {
		worlds, order = 10, append(order, Planner(), Good(), Watchful())
	}
	for _, name := range []string{"starter", "agent_eval"} {
		sums := make([]money.Minor, len(order))
		for seed := range worlds {
			worth, ended := make([]money.Minor, len(order)), 0
			for i, policy := range order {
				g := Game{Settings: settingsOf(t, name, seed+1), Policy: policy, Days: []int{day}}
				r, err := g.Play()
				if err != nil {
					t.Fatal(err)
				}
				worth[i], sums[i] = r.WorthMinor[0], sums[i]+r.WorthMinor[0]
				if policy.Name == suicide {
					ended = r.Bankrupt
				}
			}
			t.Logf("%s, seed %d: %v, bankrupt on day %d", name, seed+1, worth, ended)
			if ended == 0 || worth[0] > worth[1] {
				t.Errorf("%s, seed %d: the ruined company is worth %s, one left alone %s; it ended on day %d",
					name, seed+1, worth[0], worth[1], ended)
			}
		}
		for i := range order[1:] {
			if sums[i] >= sums[i+1] {
				t.Errorf("%s: %s comes to %s in %d worlds, %s to %s",
					name, order[i].Name, sums[i], worlds, order[i+1].Name, sums[i+1])
			}
		}
	}
}
