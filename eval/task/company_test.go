package task

import (
	"math"
	"testing"

	"platen/platentest"
)

// TestACompanyIsWorthTheSkillOfItsPlayer: watchful play has skill 1, two thirds of all that counts; and a player who
// does nothing, or stops early, is judged at the close of the same day. The reward for training begins there.
func TestACompanyIsWorthTheSkillOfItsPlayer(t *testing.T) {
	t.Parallel()
	const days = 10 // the first with a scale of rewards
	p := platentest.Start(t)
	k := company(days)
	for name, want := range map[string]float64{"watchful": 1 / fullSkill, "nothing": 0} {
		s, err := k.Prepare(t.Context(), p.BaseURL, "", k.Seeds[0])
		if err != nil {
			t.Fatal(err)
		}
		if name == "watchful" {
			if _, err := Oracle(t.Context(), k, s, p.BaseURL); err != nil {
				t.Fatal(err)
			}
		}
		g, err := k.Judge(t.Context(), p.BaseURL, s.GradingKey, nil)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(g.Score-want) > 1e-3 {
			t.Errorf("%s: the score is %g, want %g: %+v", name, g.Score, want, g)
		}
		if g.Reward == nil || (*g.Reward > 0) != (want > 0) || *g.Reward < 0 || *g.Reward > 1.5 {
			t.Errorf("%s: the reward is %v", name, g.Reward)
		}
	}
}
