package task

import (
	"math"
	"testing"

	"platen/client"
	"platen/eval/player"
	"platen/platentest"
)

// TestACompanyIsWorthTheSkillOfItsPlayer: watchful play has skill 1, two thirds of all that counts; and a player who
// does nothing, or stops early, is judged at the close of the same day. That is so in the worlds of a secret too, which
// the judge does not know. The reward for training begins there.
func TestACompanyIsWorthTheSkillOfItsPlayer(t *testing.T) {
	t.Parallel()
	const days = 10 // the first with a scale of rewards
	k, open := company(days), platentest.Start(t)
	secret := World{Split: client.SplitTest, Seed: 1, Secret: freshSecret}
	for _, c := range []struct {
		player string
		p      *platentest.Platen
		key    string
		at     World
		want   float64
	}{
		{"watchful", open, "", World{Seed: 1}, 1 / fullSkill}, {"nothing", open, "", World{Seed: 1}, 0},
		{"watchful", freshServer(), freshSecret, secret, 1 / fullSkill},
	} {
		s, err := k.Prepare(t.Context(), c.p.BaseURL, c.key, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if c.player == "watchful" {
			if _, err := Oracle(t.Context(), k, s, c.p.BaseURL); err != nil {
				t.Fatal(err)
			}
		}
		g, err := k.Judge(t.Context(), c.p.BaseURL, s.GradingKey, nil)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(g.Score-c.want) > 1e-3 {
			t.Errorf("%s in %+v: the score is %g, want %g: %+v", c.player, c.at, g.Score, c.want, g)
		}
		if g.Reward == nil || (*g.Reward > 0) != (c.want > 0) || *g.Reward < 0 || *g.Reward > 1.5 {
			t.Errorf("%s in %+v: the reward is %v", c.player, c.at, g.Reward)
		}
	}
}

// TestAWorldIsMeasuredOnce: the judge does not play the players of known skill again for the next try of a world.
func TestAWorldIsMeasuredOnce(t *testing.T) {
	t.Parallel()
	k, p := company(10), platentest.Start(t)
	reward := func(seed uint64) float64 {
		t.Helper()
		g := tryPrepared(t, p, k, prepareAll(t, p, k, seed)[0], nothing)
		if g.Reward == nil {
			t.Fatalf("seed %d has no reward", seed)
		}
		return *g.Reward
	}
	if is := reward(1); is != 0 {
		t.Errorf("who does nothing gets the reward %g", is)
	}
	for _, worths := range k.yardsticks.worths {
		worths[player.Nothing().Name] -= 1000000
	}
	if again := reward(1); again <= 0 {
		t.Errorf("the world is measured again: the reward is %g", again)
	}
	if other := reward(2); other != 0 {
		t.Errorf("another world has the measure of the first: the reward is %g", other)
	}
}
