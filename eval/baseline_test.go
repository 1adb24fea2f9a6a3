package eval

import (
	"math"
	"testing"

	"platen/client"
	"platen/cmd/platen/cli"
	"platen/eval/statistic"
	"platen/internal/publish/economy"
	"platen/internal/words/money"
)

func played(worth, plain, best money.Minor) *Run {
	return &Run{NetWorthMinor: worth, Baselines: []Known{
		{Player: plainPlayer, NetWorthMinor: plain}, {Player: bestPlayer, NetWorthMinor: best},
	}}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestSkillIsTheWayFromGreedyToWatchfulPlay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		worth money.Minor
		want  float64
	}{{1000, 0}, {3000, 1}, {2000, 0.5}, {0, -0.5}, {4000, 1.5}} {
		if got := played(c.worth, 1000, 3000).skill(); got == nil || !near(*got, c.want) {
			t.Errorf("%d between 1000 and 3000 is %v, want %g", c.worth, got, c.want)
		}
	}
	if got := played(5, 10, 10).skill(); got != nil {
		t.Errorf("where watchful play earns nothing more the skill is %g", *got)
	}
	if got := (&Run{NetWorthMinor: 5}).skill(); got != nil {
		t.Errorf("without baselines the skill is %g", *got)
	}
}

func TestAWorldInWhichSkillHardlyPaysDoesNotOutweighTheOthers(t *testing.T) {
	t.Parallel()
	runs := []*Run{played(2000, 1000, 3000), played(2000, 1000, 3000), played(1100, 1000, 1001)}
	if s := overall(runs); s == nil || s.Value < 0.5 || s.Value > 0.6 {
		t.Errorf("over all worlds the skill is %+v, and in the last alone it is 100", s)
	}
	if s := overall([]*Run{played(2000, 3000, 1000)}); s != nil {
		t.Errorf("where watchful play earns less the skill is %+v", s)
	}
}

// TestASkillHasAnIntervalOnlyWhereOneCanBeTold, and says why it has none.
func TestASkillHasAnIntervalOnlyWhereOneCanBeTold(t *testing.T) {
	t.Parallel()
	ways := func(all ...*Run) []*Run { return all }
	usual, better, level := played(2000, 1000, 3000), played(2500, 1000, 3000), played(1000, 1000, 900)
	for name, c := range map[string]struct {
		runs []*Run
		want string
	}{
		"one world":        {ways(usual), tooFewWorlds},
		"four worlds":      {ways(usual, better, usual, better), tooFewWorlds},
		"five worlds":      {ways(usual, better, usual, better, usual), ""},
		"all in one world": {ways(usual, level, level, level, level), oneWorld},
		"always the same":  {ways(usual, usual, usual, usual, usual), noSpread},
	} {
		s := overall(c.runs)
		if s == nil || s.NoInterval != c.want || (s.Low == nil) != (c.want != "") || (s.High == nil) != (c.want != "") {
			t.Errorf("%s: %+v, want %q", name, s, c.want)
			continue
		}
		if s.Low != nil && (*s.Low >= s.Value || *s.High <= s.Value) {
			t.Errorf("%s: %g to %g around %g", name, *s.Low, *s.High, s.Value)
		}
	}
}

// TestThePairedIntervalKnowsTheWorlds: a player who is always ahead by the same amount is
// ahead for certain, however different the worlds are.
func TestThePairedIntervalKnowsTheWorlds(t *testing.T) {
	t.Parallel()
	steady := compared([]*Run{
		played(1100, 1000, 5000), played(9100, 9000, 9500), played(-400, -500, 0), played(100, 0, 1),
		played(200, 100, 1),
	})
	if len(steady) != 2 || steady[0].Player != plainPlayer || steady[0].LeadMinor != 100 ||
		*steady[0].LowMinor != 100 || *steady[0].HighMinor != 100 {
		t.Errorf("always 100 ahead is %+v", steady)
	}
	// Leads of 0, 0, 100, 200 and 200: 100, give or take 2.776 * 44.7.
	unsteady := compared([]*Run{
		played(1000, 1000, 2000), played(1000, 1000, 2000), played(1100, 1000, 2000), played(1200, 1000, 2000),
		played(1200, 1000, 2000),
	})
	if unsteady[0].LeadMinor != 100 || *unsteady[0].LowMinor != -24 || *unsteady[0].HighMinor != 224 {
		t.Errorf("0 to 200 ahead is %+v, %d to %d", unsteady[0], *unsteady[0].LowMinor, *unsteady[0].HighMinor)
	}
	few := compared([]*Run{played(1000, 1000, 2000), played(1200, 1000, 2000)})
	if few[0].LeadMinor != 100 || few[0].LowMinor != nil || few[0].HighMinor != nil {
		t.Errorf("two worlds have an interval: %+v", few[0])
	}
	if other := compared([]*Run{played(1, 1, 1), {NetWorthMinor: 1}}); len(other) != 0 {
		t.Errorf("baselines that not all worlds have are compared: %+v", other)
	}
}

// TestARewardCountsFromAnIdleCompany, in the published scale: never as little for a living company as for a bankrupt
// one, and for nobody more than one and a half.
func TestARewardCountsFromAnIdleCompany(t *testing.T) {
	t.Parallel()
	p := &economy.Preset{RewardScales: []economy.RewardScale{{Day: 30, ScaleMinor: 1000}, {Day: 60, ScaleMinor: -5}}}
	for _, c := range []struct {
		worth  money.Minor
		status client.ReportStatus
		closes int
		want   float64
	}{
		{200, client.ReportStatusActive, 30, 0}, {1200, client.ReportStatusActive, 30, 1},
		{700, client.ReportStatusExpired, 30, 0.5}, {9000, client.ReportStatusActive, 30, 1.5},
		{-9000, client.ReportStatusActive, 30, -0.99}, {0, client.ReportStatusBankrupt, 9, -1},
		{0, client.ReportStatusBankrupt, 30, -1}, {1200, client.ReportStatusBankrupt, 31, 1}, // later than the day
	} {
		r := &Run{NetWorthMinor: c.worth, Baselines: []Known{{Player: idlePlayer, NetWorthMinor: 200}}}
		r.report = &client.Report{Status: c.status, NetWorth: make([]client.NetWorthPoint, c.closes+1)}
		if got := r.reward(p, 30); got == nil || !near(*got, c.want) {
			t.Errorf("%+v has the reward %v", c, got)
		}
		for _, day := range []int{31, 60} {
			if got := r.reward(p, day); got != nil {
				t.Errorf("without a scale on day %d %+v has the reward %g", day, c, *got)
			}
		}
		if got := r.reward(nil, 30); got != nil {
			t.Errorf("with a preset of one's own the reward is %g", *got)
		}
	}
}

// TestTriesOfAWorldCountAsOne, so that a world that was played more often outweighs no other.
func TestTriesOfAWorldCountAsOne(t *testing.T) {
	t.Parallel()
	a, b, c := played(1000, 1000, 3000), played(3000, 1000, 3000), played(3000, 1000, 3000)
	a.Seed, b.Seed, c.Seed = 1, 1, 2
	worlds := worldsOf([]*Run{a, b, c})
	if len(worlds) != 2 || worlds[0].NetWorthMinor != 2000 || worlds[1].NetWorthMinor != 3000 {
		t.Fatalf("the worlds are %+v", worlds)
	}
	if s := overall(worlds); s == nil || !near(s.Value, 0.75) {
		t.Errorf("the skill is %+v", s)
	}
}

func TestARunPassesWithItsSkillAndWithoutAnError(t *testing.T) {
	t.Parallel()
	run := func(seed uint64, skill float64, finished bool, failure string) Run {
		return Run{Seed: seed, Skill: &skill, Finished: finished, Error: failure}
	}
	runs := []Run{
		run(1, 1, true, ""), run(1, 0.99, true, ""), run(2, 2, true, ""), run(2, 2, false, ""),
		run(3, 2, true, "exit status 1"), {Seed: 3, Finished: true},
	}
	if got := statistic.PassHat(triesOf(runs, 1)); len(got) != 2 || !near(got[0], 1./3) || got[1] != 0 {
		t.Errorf("pass^k is %v", got)
	}
}

// TestAScoreOfFewObligationsCountsAsZero: a program that accepts nothing fails at nothing, and a world in which it gave
// up early does not raise its mean.
func TestAScoreOfFewObligationsCountsAsZero(t *testing.T) {
	t.Parallel()
	run := func(due int64, score float64) Run {
		r := Run{ExactlyOnce: &score, Integration: &cli.Integration{Integration: &client.Integration{}}}
		r.Integration.Counts.Due = due
		r.Baselines = []Known{{Player: "greedy", Due: 300}, {Player: "good", Due: 90}}
		r.TooLittleToJudge = r.tooLittle()
		return r
	}
	runs := []Run{run(29, 1), run(30, 0.5), run(90, 0.7)}
	for i, want := range []bool{true, false, false} {
		if runs[i].TooLittleToJudge != want {
			t.Errorf("of %d obligations too little is judged: %t", runs[i].Integration.Counts.Due, !want)
		}
	}
	if mean := meanScore(runs); mean == nil || !near(*mean, 0.4) {
		t.Errorf("the mean is %v", mean)
	}
	if mean := meanScore(runs[:1]); mean == nil || *mean != 0 {
		t.Errorf("the mean of a world with too little to judge is %v", mean)
	}
	if mean := meanScore([]Run{{Integration: runs[0].Integration}}); mean != nil {
		t.Errorf("the mean of nothing that is due is %v", *mean)
	}
	auto := Run{Baselines: runs[0].Baselines}
	if auto.tooLittle() {
		t.Error("the auto bridge has too little to judge")
	}
}
