package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"platen/eval/player"
	"platen/internal/company"
	"platen/internal/company/preset"
	"platen/internal/publish/economy"
	"platen/internal/words/money"
)

// These constants say what is measured.
const (
	// wholeSeeds is how many worlds a measurement is over, sampleSeeds how many
	// a quick test plays, up to sampleDay.
	wholeSeeds  = 40
	sampleSeeds = 4
	sampleDay   = 60
	// watchedDays is how long a company is watched that may end.
	watchedDays = 180
	// The skills are measured where people begin.
	skillsPreset = preset.Default
	skillsDay    = 60
)

// bandDays are the days whose net worth is published.
func bandDays() []int { return []int{15, 30, 60, 90} }

// rewardDays are the days with a scale of rewards, the bandDays among them.
func rewardDays() []int { return []int{10, 15, 20, 30, 45, 60, 90} }

// measured are the presets in the order of the docs.
func measured() []string {
	return []string{"starter", "manual", "crunch", "supply_shock", "agent_eval", "empty"}
}

// bench plays games, as many at a time as there are processors.
type bench struct {
	presets map[string]preset.Preset
	seeds   int
	// only names the presets to measure; empty for all.
	only []string
	say  func(format string, values ...any)
}

// playAll plays all games and returns their results in order.
func playAll(ctx context.Context, games []player.Game) ([]player.Result, error) {
	results, errs := make([]player.Result, len(games)), make([]error, len(games))
	var workers sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				results[i], errs[i] = games[i].Play()
			}
		})
	}
	for i := range games {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, context.Cause(ctx)
}

// measure plays everything that is published.
func (b *bench) measure(ctx context.Context) (economy.Report, error) {
	report := economy.Report{
		Seeds: b.seeds, SampleSeeds: min(sampleSeeds, b.seeds), MinutesBetweenLooks: player.LookMinutes,
		SkillsPreset: skillsPreset, SkillsDay: skillsDay,
	}
	for _, name := range measured() {
		if len(b.only) > 0 && !slices.Contains(b.only, name) {
			continue
		}
		began := time.Now()
		p, ok := b.presets[name]
		if !ok {
			return report, fmt.Errorf("there is no preset %q", name)
		}
		row, err := b.measurePreset(ctx, &p)
		if err != nil {
			return report, err
		}
		report.Presets = append(report.Presets, row)
		b.say("%-12s %s", name, time.Since(began).Round(100*time.Millisecond))
	}
	began := time.Now()
	if len(b.only) == 0 || slices.Contains(b.only, skillsPreset) {
		if err := b.measureSkills(ctx, &report); err != nil {
			return report, err
		}
	}
	b.say("%-12s %s", "skills", time.Since(began).Round(100*time.Millisecond))
	return report, nil
}

func (b *bench) measurePreset(ctx context.Context, p *preset.Preset) (economy.Preset, error) {
	row := economy.Preset{Name: p.Name, Version: p.Version}
	all, scaled := map[string][]player.Result{}, map[string][]player.Result{}
	for _, who := range slices.Concat(player.Policies(), player.Exploiters()) {
		watch := 0
		if who.Fragile() {
			watch = watchedDays
		}
		days := bandDays()
		ends := who.Name == player.Nothing().Name || who.Name == player.Watchful().Name // those of the rewards
		if ends {
			days = rewardDays()
		}
		games := b.games(p, who, watch, days...)
		if who.Name == player.Oracle().Name {
			for i := range games { // two of its plans have been played
				games[i].Played = []player.Result{all[player.Good().Name][i], all[player.Watchful().Name][i]}
			}
		}
		results, err := playAll(ctx, games)
		if err != nil {
			return row, err
		}
		if ends {
			scaled[who.Name] = results
			results = onBandDays(results)
		}
		row.OpeningMinor, all[who.Name] = results[0].OpeningMinor, results
		row.Players = append(row.Players, summarize(who, results, max(watch, bandDays()[len(bandDays())-1])))
	}
	row.RewardScales = rewardScales(scaled[player.Nothing().Name], scaled[player.Watchful().Name], rewardDays())
	for i := range row.Players {
		who := &row.Players[i]
		who.LeadMinor, who.LeadErrorMinor = lead(all[who.Name], all[player.Good().Name])
		who.SkillPct = skillPct(all[who.Name], all[player.Greedy().Name], all[player.Watchful().Name])
		who.Exploiter = slices.ContainsFunc(player.Exploiters(),
			func(p player.Policy) bool { return p.Name == who.Name })
	}
	return row, nil
}

// onBandDays are results of the rewardDays, of which only the bandDays are left.
func onBandDays(results []player.Result) []player.Result {
	kept := slices.Clone(results)
	for i, r := range results {
		kept[i].WorthMinor, kept[i].OnTimePct = nil, nil
		for _, day := range bandDays() {
			at := slices.Index(rewardDays(), day)
			kept[i].WorthMinor = append(kept[i].WorthMinor, r.WorthMinor[at])
			kept[i].OnTimePct = append(kept[i].OnTimePct, r.OnTimePct[at])
		}
	}
	return kept
}

// rewardScales are the medians of what watchful play is worth more than an idle company, on each of the days.
func rewardScales(idle, watchful []player.Result, days []int) []economy.RewardScale {
	scales := make([]economy.RewardScale, len(days))
	for i, day := range days {
		more := make([]money.Minor, len(idle))
		for j := range idle {
			more[j] = watchful[j].WorthMinor[i] - idle[j].WorthMinor[i]
		}
		slices.Sort(more)
		scales[i] = economy.RewardScale{Day: day, ScaleMinor: quantile(more, 50)}
	}
	return scales
}

// games are those of one player over all seeds.
func (b *bench) games(p *preset.Preset, who player.Policy, watch int, days ...int) []player.Game {
	games := make([]player.Game, b.seeds)
	for i := range games {
		games[i] = player.Game{
			Settings: company.Settings{Preset: *p, Seed: uint64(i) + 1}, Policy: who, Days: days, Watch: watch,
		}
	}
	return games
}

func summarize(who player.Policy, results []player.Result, watched int) economy.Player {
	row := economy.Player{Name: who.Name, Text: who.Text, Watched: watched}
	for i, day := range bandDays() {
		worth, onTime := make([]money.Minor, len(results)), int64(0)
		for j := range results {
			worth[j] = results[j].WorthMinor[i]
			onTime += int64(results[j].OnTimePct[i])
		}
		if day == sampleDay {
			row.SampleMinor = mean(worth[:min(sampleSeeds, len(worth))])
		}
		slices.Sort(worth)
		row.Bands = append(row.Bands,
			economy.Band{Day: day, Low: quantile(worth, 10), Middle: quantile(worth, 50), High: quantile(worth, 90),
				OnTimePct: onTime / int64(len(results)) / 100})
	}
	var ends []int
	for _, r := range results {
		if r.WorthMinor[len(r.WorthMinor)-1] > r.OpeningMinor {
			row.AboveOpening++
		}
		if r.Bankrupt > 0 {
			ends = append(ends, r.Bankrupt)
		}
	}
	slices.Sort(ends)
	if row.Bankrupt = len(ends); row.Bankrupt > 0 {
		row.First, row.Median, row.Last = ends[0], quantile(ends, 50), ends[len(ends)-1]
	}
	return row
}

// lead is how much more some games came to than others of the same worlds, on the day of
// the sample, and the standard error of it.
func lead(games, others []player.Result) (gained, deviation money.Minor) {
	day := slices.Index(bandDays(), sampleDay)
	gains := make([]money.Minor, len(games))
	for i := range games {
		gains[i] = games[i].WorthMinor[day] - others[i].WorthMinor[day]
	}
	return mean(gains), standardError(gains)
}

// skillPct is the part of the way from plain to the best games of the same worlds that some games have gone,
// on the day of the sample.
func skillPct(games, plain, best []player.Result) *int64 {
	day := slices.Index(bandDays(), sampleDay)
	gone, way := money.Minor(0), money.Minor(0)
	for i := range games {
		gone += games[i].WorthMinor[day] - plain[i].WorthMinor[day]
		way += best[i].WorthMinor[day] - plain[i].WorthMinor[day]
	}
	if way <= 0 {
		return nil
	}
	return new(int64(math.Round(float64(gone) * 100 / float64(way))))
}

// quantile returns the value of sorted ones below which so many per cent lie.
func quantile[N any](sorted []N, percent int) N {
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}

func mean(values []money.Minor) money.Minor {
	sum := money.Minor(0)
	for _, v := range values {
		sum += v
	}
	return sum / money.Minor(len(values))
}

// standardError is how far the mean of some values may be from that of all
// worlds, in two cases out of three.
func standardError(values []money.Minor) money.Minor {
	middle, squares := float64(mean(values)), 0.0
	for _, v := range values {
		squares += (float64(v) - middle) * (float64(v) - middle)
	}
	n := float64(len(values))
	return money.Minor(math.Round(math.Sqrt(squares / (n - 1) / n)))
}

// measureSkills takes one skill after the other away from the good player.
func (b *bench) measureSkills(ctx context.Context, report *economy.Report) error {
	p := b.presets[skillsPreset]
	play := func(who player.Policy) ([]money.Minor, error) {
		results, err := playAll(ctx, b.games(&p, who, 0, skillsDay))
		if err != nil {
			return nil, err
		}
		worth := make([]money.Minor, len(results))
		for i := range results {
			worth[i] = results[i].WorthMinor[0]
		}
		return worth, nil
	}
	whole, err := play(player.Good())
	if err != nil {
		return err
	}
	plain, err := play(player.Greedy())
	if err != nil {
		return err
	}
	report.ExtraMinor = mean(whole) - mean(plain)
	for _, l := range player.Levers() {
		rest, err := play(player.GoodWithout(l))
		if err != nil {
			return err
		}
		gained := make([]money.Minor, len(whole)) // world by world
		for i := range whole {
			gained[i] = whole[i] - rest[i]
		}
		report.Skills = append(report.Skills, economy.Skill{
			Name: l.Name, Text: l.Text, WorthMinor: mean(gained), ErrorMinor: standardError(gained),
			SharePct: int64(mean(gained) * 100 / report.ExtraMinor),
		})
	}
	return nil
}
