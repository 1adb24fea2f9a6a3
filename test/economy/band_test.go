package main

import (
	"os"
	"slices"
	"testing"

	"platen/internal/company/preset"
	"platen/internal/economy"
	"platen/internal/money"
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

// TestThePublishedWorthsHold plays the first seeds again; a thorough run
// measures everything. A change of the company that moves a worth beyond the
// tolerance publishes a new measurement (go run ./test/economy -update) and
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
		tolerance := want.OpeningMinor.PerCent(tolerancePct)
		for _, who := range policies() {
			results, err := playAll(t.Context(), b.games(&p, who, 0, sampleDay))
			if err != nil {
				t.Fatal(err)
			}
			worth := make([]money.Minor, len(results))
			for i := range results {
				worth[i] = results[i].worth[0]
			}
			player, ok := want.Player(who.name)
			if !ok {
				t.Fatalf("nothing is published of %s in %s", who.name, name)
			}
			if got := mean(worth); distance(got, player.SampleMinor) > tolerance {
				t.Errorf("%s in %s comes to %s by day %d, published is %s",
					who.name, name, got, sampleDay, player.SampleMinor)
			}
		}
	}
}

// TestTheWholeMeasurementIsWhatIsPublished takes two minutes.
func TestTheWholeMeasurementIsWhatIsPublished(t *testing.T) {
	t.Parallel()
	if os.Getenv("PLATEN_TEST_THOROUGH") == "" {
		t.Skip("set PLATEN_TEST_THOROUGH to measure all seeds")
	}
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
		t.Fatalf("nothing is published of %s: go run ./test/economy -update", name)
	}
	return p
}

func distance(a, b money.Minor) money.Minor { return max(a-b, b-a) }

// TestTheEconomyIsWorthPlaying: what is published is a game in which skill
// pays, no skill is everything, and the obvious trap is one.
func TestTheEconomyIsWorthPlaying(t *testing.T) {
	t.Parallel()
	report := published(t)
	for _, c := range []struct {
		preset string
		// aloneDays is how long a company lives that is left alone: 90 working
		// days are the longest life of a sandbox whose clock runs by itself.
		aloneDays int
		// greedyGains and goodTimes are what is wanted of greedy and good play;
		// lotsRuin that taking every lot ends most companies.
		greedyGains bool
		goodTimes   float64
		lotsRuin    bool
	}{
		{"starter", 90, true, 2.5, true},
		{"manual", 90, true, 1.5, false},
		{"crunch", 40, true, 2.5, true}, // little cash is its point
		{"supply_shock", 90, false, 0, true},
		{"agent_eval", 60, true, 2.5, true}, // its clock stands still without ticks
	} {
		p := publishedPreset(t, report, c.preset)
		player := func(name string) *economy.Player {
			who, ok := p.Player(name)
			if !ok {
				t.Fatalf("nothing is published of %s in %s", name, c.preset)
			}
			return who
		}
		profit := func(who *economy.Player, day int) float64 {
			band, _ := who.On(day)
			return float64(band.Middle - p.OpeningMinor)
		}
		if alone := player(nothing); alone.Bankrupt > 0 && alone.First <= c.aloneDays {
			t.Errorf("%s: a company that is left alone ends on day %d, want it to live for %d",
				c.preset, alone.First, c.aloneDays)
		}
		if plain := player(greedy); c.greedyGains && plain.AboveOpening*4 < report.Seeds*3 {
			t.Errorf("%s: greedy play gains in %d of %d worlds only", c.preset, plain.AboveOpening, report.Seeds)
		}
		for _, day := range []int{60, 90} {
			if better, plain := profit(player(good), day), profit(player(greedy), day); better < c.goodTimes*plain ||
				better <= 0 {
				t.Errorf("%s: by day %d good play has gained %.0f, greedy play %.0f, want %.1f times as much",
					c.preset, day, better, plain, c.goodTimes)
			}
		}
		if trapped := player(greedyLots); c.lotsRuin && trapped.Bankrupt*2 < report.Seeds ||
			profit(trapped, 90) >= profit(player(greedy), 90) {
			t.Errorf("%s: taking every lot ends %d of %d companies only", c.preset, trapped.Bankrupt, report.Seeds)
		}
	}
	const mostPct = 50
	for _, skill := range report.Skills {
		if skill.SharePct > mostPct {
			t.Errorf("%s is %d %% of what good play earns more, want %d at most", skill.Name, skill.SharePct, mostPct)
		}
	}
	if !slices.ContainsFunc(report.Skills, func(s economy.Skill) bool { return s.Name == "lots" }) {
		t.Error("the skills are not measured")
	}
}
