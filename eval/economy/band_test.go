package main

import (
	"slices"
	"testing"

	"platen/eval/player"
	"platen/internal/company/preset"
	"platen/internal/publish/economy"
	"platen/internal/words/money"
	"platen/test/testclient"
)

// tolerancePct is how far a measurement may be from what is published, in per
// cent of the net worth at the opening.
const tolerancePct = 10

// published returns what the docs say.
func published(t *testing.T) *economy.Report {
	t.Helper()
	r, err := economy.Published()
	if err != nil {
		t.Fatal(err)
	}
	return &r
}

// TestThePublishedWorthsHold plays the first seeds again where people begin; a thorough run
// does so in each preset, and measures everything. A change of the company that moves a worth beyond the
// tolerance publishes a new measurement (go run ./eval/economy -update) and
// says in the page of the economy what a player notices.
func TestThePublishedWorthsHold(t *testing.T) {
	t.Parallel()
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	report := published(t)
	b := bench{presets: presets, seeds: report.SampleSeeds, say: t.Logf}
	for _, name := range measured() {
		p, want := presets[name], publishedPreset(t, report, name)
		if p.Version != want.Version {
			t.Errorf("%s has the version %d, published is %d", name, p.Version, want.Version)
		}
		if name != skillsPreset && !testclient.Thorough() {
			continue
		}
		tolerance := want.OpeningMinor.PerCent(tolerancePct)
		for _, who := range quickly() {
			results, err := playAll(t.Context(), b.games(&p, who, 0, sampleDay))
			if err != nil {
				t.Fatal(err)
			}
			worth := make([]money.Minor, len(results))
			for i := range results {
				worth[i] = results[i].WorthMinor[0]
			}
			player, ok := want.Player(who.Name)
			if !ok {
				t.Fatalf("nothing is published of %s in %s", who.Name, name)
			}
			if got := mean(worth); distance(got, player.SampleMinor) > tolerance {
				t.Errorf("%s in %s comes to %s by day %d, published is %s",
					who.Name, name, got, sampleDay, player.SampleMinor)
			}
		}
	}
}

// quickly are the players whose games take no longer than one: an oracle plays five.
func quickly() []player.Policy {
	return slices.DeleteFunc(slices.Concat(player.Policies(), player.Exploiters()),
		func(p player.Policy) bool { return p.Name == player.Oracle().Name })
}

// TestTheScalesOfRewardsAreMeasuredAgain: the first four of agent_eval, whose companies are tasks, over all worlds.
func TestTheScalesOfRewardsAreMeasuredAgain(t *testing.T) {
	t.Parallel()
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	report := published(t)
	p, b, days := presets["agent_eval"], bench{seeds: report.Seeds}, rewardDays()[:4]
	var results [2][]player.Result
	for i, who := range []player.Policy{player.Nothing(), player.Watchful()} {
		if results[i], err = playAll(t.Context(), b.games(&p, who, 0, days...)); err != nil {
			t.Fatal(err)
		}
	}
	for _, scale := range rewardScales(results[0], results[1], days) {
		judgeScale(t, publishedPreset(t, report, p.Name), scale)
	}
}

// judgeScale compares a scale of rewards with the one that is published.
func judgeScale(t *testing.T, p *economy.Preset, is economy.RewardScale) {
	t.Helper()
	const tolerancePct = 2
	if want := p.RewardScale(is.Day); want <= 0 || distance(is.ScaleMinor, want) > want.PerCent(tolerancePct) {
		t.Errorf("%s: the scale of rewards on day %d is %s, published is %s", p.Name, is.Day, is.ScaleMinor, want)
	}
}

// TestTheWholeMeasurementIsWhatIsPublished takes six minutes.
func TestTheWholeMeasurementIsWhatIsPublished(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestThePublishedWorthsHold plays four seeds")
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	want := published(t)
	b := bench{presets: presets, seeds: want.Seeds, say: t.Logf}
	got, err := b.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range want.Presets {
		measured := publishedPreset(t, &got, p.Name)
		if len(measured.RewardScales) != len(p.RewardScales) {
			t.Errorf("%s has %d scales of rewards, published are %d", p.Name, len(measured.RewardScales),
				len(p.RewardScales))
		}
		for _, scale := range measured.RewardScales {
			judgeScale(t, &p, scale)
		}
		tolerance := p.OpeningMinor.PerCent(tolerancePct)
		for _, player := range p.Players {
			now, _ := measured.Player(player.Name)
			for i, band := range player.Bands {
				is := now.Bands[i]
				if max(distance(is.Low, band.Low), distance(is.Middle, band.Middle),
					distance(is.High, band.High)) > tolerance {
					t.Errorf("%s in %s comes to %v, published is %v", player.Name, p.Name, is, band)
				}
			}
		}
	}
	for i, skill := range want.Skills {
		const points = 10
		if is := got.Skills[i]; is.SharePct > skill.SharePct+points || is.SharePct < skill.SharePct-points {
			t.Errorf("the share of %s is %d %%, published are %d %%", skill.Name, is.SharePct, skill.SharePct)
		}
	}
}

func publishedPreset(t *testing.T, r *economy.Report, name string) *economy.Preset {
	t.Helper()
	p, ok := r.Preset(name)
	if !ok {
		t.Fatalf("nothing is published of %s: go run ./eval/economy -update", name)
	}
	return p
}

func distance(a, b money.Minor) money.Minor { return max(a-b, b-a) }

// TestTheEconomyIsWorthPlaying: what is published is a game in which skill pays, each of
// its parts, and no trick takes the place of it.
func TestTheEconomyIsWorthPlaying(t *testing.T) {
	t.Parallel()
	report := published(t)
	for _, c := range []struct {
		preset string
		// aloneDays is how long a company lives that is left alone: 90 working
		// days are the longest life of a sandbox whose clock runs by itself.
		aloneDays int
		// greedyGains and goodTimes are the bounds for greedy and good play.
		greedyGains bool
		goodTimes   float64
	}{
		{"starter", 90, true, 2.5},
		{"manual", 90, true, 2.5},
		{"crunch", 40, true, 2.5}, // little cash is its point
		{"supply_shock", 90, false, 0},
		{"agent_eval", 60, true, 2.5}, // its clock stands still without ticks
	} {
		p := publishedPreset(t, report, c.preset)
		who := func(name string) *economy.Player {
			found, ok := p.Player(name)
			if !ok {
				t.Fatalf("nothing is published of %s in %s", name, c.preset)
			}
			return found
		}
		profit := func(name string, day int) float64 {
			band, _ := who(name).On(day)
			return float64(band.Middle - p.OpeningMinor)
		}
		if alone := who("nothing"); alone.Bankrupt > 0 && alone.First <= c.aloneDays {
			t.Errorf("%s: a company that is left alone ends on day %d, want it to live for %d",
				c.preset, alone.First, c.aloneDays)
		}
		if plain := who("greedy"); c.greedyGains && plain.AboveOpening*4 < report.Seeds*3 {
			t.Errorf("%s: greedy play gains in %d of %d worlds only", c.preset, plain.AboveOpening, report.Seeds)
		}
		for _, day := range []int{60, 90} {
			if better, plain := profit("good", day), profit("greedy", day); better < c.goodTimes*plain || better <= 0 {
				t.Errorf("%s: by day %d good play has gained %.0f, greedy play %.0f, want %.1f times as much",
					c.preset, day, better, plain, c.goodTimes)
			}
			// The players are in the order of their knowledge.
			for _, name := range []string{"nothing", "random", "blind replay", "greedy+lots"} {
				if profit(name, day) >= profit("greedy", day) {
					t.Errorf("%s: by day %d %s has gained more than greedy play", c.preset, day, name)
				}
			}
			for _, pair := range [][2]string{{"watchful", "good"}, {"oracle", "watchful"}} {
				if profit(pair[0], day) < profit(pair[1], day) {
					t.Errorf("%s: by day %d %s play has gained less than %s play", c.preset, day, pair[0], pair[1])
				}
			}
		}
		for i := range p.Players {
			const certain = 2 // standard errors
			if e := &p.Players[i]; e.Exploiter && e.LeadMinor > e.LeadErrorMinor*certain {
				t.Errorf("%s: %s comes to %s more than good play, give or take %s",
					c.preset, e.Name, e.LeadMinor, e.LeadErrorMinor)
			}
		}
	}
}

// TestEachSkillIsWorthSomething, and none is everything.
func TestEachSkillIsWorthSomething(t *testing.T) {
	t.Parallel()
	const leastPct, mostPct, skills = 3, 40, 9
	report := published(t)
	if len(report.Skills) != skills {
		t.Errorf("%d skills are published, want %d", len(report.Skills), skills)
	}
	for _, skill := range report.Skills {
		if skill.SharePct < leastPct || skill.SharePct > mostPct {
			t.Errorf("%s is %d %% of what good play earns more, want %d to %d",
				skill.Name, skill.SharePct, leastPct, mostPct)
		}
	}
}

// TestTheWorldGetsHarder: who takes everything as it comes keeps fewer promises later on,
// since more and hastier orders come than two presses can print.
func TestTheWorldGetsHarder(t *testing.T) {
	t.Parallel()
	report := published(t)
	for _, name := range []string{"starter", "agent_eval"} {
		plain, _ := publishedPreset(t, report, name).Player("greedy")
		early, _ := plain.On(15)
		late, _ := plain.On(60)
		const points = 5
		if late.OnTimePct > early.OnTimePct-points {
			t.Errorf("%s: greedy play was in time with %d %% by day 15, with %d %% by day 60, want %d points less",
				name, early.OnTimePct, late.OnTimePct, points)
		}
	}
}
