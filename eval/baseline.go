package eval

import (
	"math"

	"platen/client"
	"platen/eval/statistic"
	"platen/internal/publish/economy"
	"platen/internal/words/money"
)

// Names of the baselines between which a player's skill is measured: 0 is greedy play, 1 is
// watchful play, the best of the players who know no more than a client does.
const (
	plainPlayer = "greedy"
	// carefulPlayer is the one whose obligations a score is compared with, and leastDue the least part of them: with
	// fewer a score has too little to judge.
	carefulPlayer, leastDue = "good", 1.0 / 3
	bestPlayer              = "watchful"
	// idlePlayer is the one above whom a reward begins.
	idlePlayer = "nothing"
	// fewestWorlds are those from which an interval can be told: fewer say too little about the spread of all.
	fewestWorlds = 5
)

// Known is the net worth of a player of known skill in the same world on the same day.
type Known struct {
	Player        string      `json:"player"`
	NetWorthMinor money.Minor `json:"net_worth_minor"`
	// Due counts the judged obligations of its integration, 0 with the auto bridge.
	Due int64 `json:"due,omitzero"`
}

// Comparison is a player of known skill beside the one that was evaluated, over the worlds
// that both played.
type Comparison struct {
	Player    string      `json:"player"`
	MeanMinor money.Minor `json:"mean_minor"`
	// LeadMinor is how much more the evaluated player came to, on average, and LowMinor to
	// HighMinor the interval in which that lies in 95 of 100 evaluations; nil below five worlds.
	LeadMinor money.Minor  `json:"lead_minor"`
	LowMinor  *money.Minor `json:"lead_low_minor"`
	HighMinor *money.Minor `json:"lead_high_minor"`
}

// Skill is the part of the way from greedy to watchful play that a player has gone, with the
// interval in which that lies in 95 of 100 evaluations.
type Skill struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	// NoInterval says why Low and High are nil.
	NoInterval string `json:"no_interval,omitempty"`
}

// Reasons why a skill has no interval.
const (
	tooFewWorlds = "too few worlds for an interval"
	oneWorld     = "no interval: without one world, watchful play is worth no more than greedy"
	noSpread     = "no interval: it is the same in every world"
)

// worthOf is the net worth of a baseline in a run's world.
func (r *Run) worthOf(player string) (worth money.Minor, ok bool) {
	for _, k := range r.Baselines {
		if k.Player == player {
			return k.NetWorthMinor, true
		}
	}
	return 0, false
}

// skill is the part of the way from greedy to watchful play that a run has gone, nil where
// watchful play does not come to more.
func (r *Run) skill() *float64 {
	plain, ok := r.worthOf(plainPlayer)
	best, ok2 := r.worthOf(bestPlayer)
	if !ok || !ok2 || best <= plain {
		return nil
	}
	return new(float64(r.NetWorthMinor-plain) / float64(best-plain))
}

// reward is that of a run for training, nil where no scale is published for the preset and the day.
func (r *Run) reward(p *economy.Preset, day int) *float64 {
	idle, ok := r.worthOf(idlePlayer)
	if p == nil || !ok {
		return nil
	}
	ended := r.report.Status == client.ReportStatusBankrupt && len(r.report.NetWorth)-1 <= day
	return p.Reward(day, r.NetWorthMinor, idle, ended)
}

// tooLittle reports whether a run's integration had too few obligations for its score to mean anything: a program
// that accepts nothing fails at nothing.
func (r *Run) tooLittle() bool {
	return r.Integration != nil && float64(r.Integration.Counts.Due) < leastDue*float64(r.carefulDue())
}

// carefulDue is how many obligations careful play has in a run's world, 0 where nobody knows.
func (r *Run) carefulDue() int64 {
	for _, k := range r.Baselines {
		if k.Player == carefulPlayer {
			return k.Due
		}
	}
	return 0
}

// worldsOf are the runs of each world as one, with the mean of what they came to.
func worldsOf(runs []*Run) []*Run {
	var worlds []*Run
	tries := map[uint64]float64{}
	for _, r := range runs {
		tries[r.Seed]++
	}
	sums, places := map[uint64]float64{}, map[uint64]int{}
	for _, r := range runs {
		if _, known := places[r.Seed]; !known {
			places[r.Seed] = len(worlds)
			worlds = append(worlds, &Run{Seed: r.Seed, Baselines: r.Baselines})
		}
		sums[r.Seed] += float64(r.NetWorthMinor) / tries[r.Seed]
		worlds[places[r.Seed]].NetWorthMinor = rounded(sums[r.Seed])
	}
	return worlds
}

// passes reports whether a run finished without an error and has a skill.
func (r *Run) passes(skill float64) bool {
	return r.Finished && r.Error == "" && r.Skill != nil && *r.Skill >= skill
}

// triesOf are the tries of each world, where a run passes with the skill of PassSkill.
func triesOf(runs []Run, passSkill float64) []statistic.Tries {
	var worlds []statistic.Tries
	places := map[uint64]int{}
	for i := range runs {
		r := &runs[i]
		place, known := places[r.Seed]
		if !known {
			place = len(worlds)
			places[r.Seed] = place
			worlds = append(worlds, statistic.Tries{})
		}
		worlds[place].All++
		if r.passes(passSkill) {
			worlds[place].Passed++
		}
	}
	return worlds
}

// compared are the baselines that all counted runs have, beside the evaluated player.
func compared(runs []*Run) []Comparison {
	all := []Comparison{}
	if len(runs) == 0 {
		return all
	}
next:
	for _, k := range runs[0].Baselines {
		leads, sum := make([]float64, len(runs)), 0.0
		for i, r := range runs {
			worth, ok := r.worthOf(k.Player)
			if !ok {
				continue next
			}
			leads[i] = float64(r.NetWorthMinor - worth)
			sum += float64(worth)
		}
		c := Comparison{Player: k.Player, MeanMinor: rounded(sum / float64(len(runs)))}
		c.LeadMinor, c.LowMinor, c.HighMinor = interval(leads)
		all = append(all, c)
	}
	return all
}

// overall is the skill over all runs: the sum of the ways that were gone, as a part of the
// sum of the ways that there are, so that a world in which watchful play earns little more than
// greedy play does not outweigh the others. Its interval is that of the jackknife.
func overall(runs []*Run) *Skill {
	gone, way := make([]float64, len(runs)), make([]float64, len(runs))
	goneSum, waySum := 0.0, 0.0
	for i, r := range runs {
		plain, ok := r.worthOf(plainPlayer)
		best, ok2 := r.worthOf(bestPlayer)
		if !ok || !ok2 {
			return nil
		}
		gone[i], way[i] = float64(r.NetWorthMinor-plain), float64(best-plain)
		goneSum += gone[i]
		waySum += way[i]
	}
	if waySum <= 0 {
		return nil
	}
	whole := goneSum / waySum
	if len(runs) < fewestWorlds {
		return &Skill{Value: whole, NoInterval: tooFewWorlds}
	}
	n := float64(len(runs))
	pseudo := make([]float64, len(runs))
	for i := range runs {
		rest := waySum - way[i]
		if rest <= 0 {
			return &Skill{Value: whole, NoInterval: oneWorld}
		}
		pseudo[i] = n*whole - (n-1)*(goneSum-gone[i])/rest
	}
	_, margin := statistic.Interval(pseudo)
	const rounding = 1e-9
	if margin < rounding {
		return &Skill{Value: whole, NoInterval: noSpread}
	}
	return &Skill{Value: whole, Low: new(whole - margin), High: new(whole + margin)}
}

// interval is the mean of an amount over worlds, and where that of all worlds is in 95 of 100 evaluations: nil below
// five worlds.
func interval(byWorld []float64) (mean money.Minor, low, high *money.Minor) {
	middle, margin := statistic.Interval(byWorld)
	if len(byWorld) < fewestWorlds {
		return rounded(middle), nil, nil
	}
	return rounded(middle), new(rounded(middle - margin)), new(rounded(middle + margin))
}

func rounded(minor float64) money.Minor { return money.Minor(math.Round(minor)) }
