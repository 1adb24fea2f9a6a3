package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"platen/internal/company/preset"
	"platen/internal/economy"
	"platen/internal/money"
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
func bandDays() []int { return []int{30, 60, 90} }

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
func playAll(ctx context.Context, games []game) ([]result, error) {
	t, results, errs := newTable(), make([]result, len(games)), make([]error, len(games))
	var workers sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				results[i], errs[i] = games[i].play(t)
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
		Seeds: b.seeds, SampleSeeds: min(sampleSeeds, b.seeds), MinutesBetweenLooks: lookMinutes,
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
	for _, who := range policies() {
		watch := 0
		if who.idle || who.lots == allLots {
			watch = watchedDays
		}
		results, err := playAll(ctx, b.games(p, who, watch, bandDays()...))
		if err != nil {
			return row, err
		}
		row.OpeningMinor = results[0].opening
		row.Players = append(row.Players, summarize(who, results, max(watch, bandDays()[len(bandDays())-1])))
	}
	return row, nil
}

// games are those of one player over all seeds.
func (b *bench) games(p *preset.Preset, who policy, watch int, days ...int) []game {
	games := make([]game, b.seeds)
	for i := range games {
		games[i] = game{preset: p, policy: who, seed: uint64(i) + 1, days: days, watch: watch}
	}
	return games
}

func summarize(who policy, results []result, watched int) economy.Player {
	row := economy.Player{Name: who.name, Text: who.text, Watched: watched}
	for i, day := range bandDays() {
		worth := make([]money.Minor, len(results))
		for j := range results {
			worth[j] = results[j].worth[i]
		}
		if day == sampleDay {
			row.SampleMinor = mean(worth[:min(sampleSeeds, len(worth))])
		}
		slices.Sort(worth)
		row.Bands = append(row.Bands,
			economy.Band{Day: day, Low: quantile(worth, 10), Middle: quantile(worth, 50), High: quantile(worth, 90)})
	}
	var ends []int
	for _, r := range results {
		if r.worth[len(r.worth)-1] > r.opening {
			row.AboveOpening++
		}
		if r.bankrupt > 0 {
			ends = append(ends, r.bankrupt)
		}
	}
	slices.Sort(ends)
	if row.Bankrupt = len(ends); row.Bankrupt > 0 {
		row.First, row.Median, row.Last = ends[0], quantile(ends, 50), ends[len(ends)-1]
	}
	return row
}

// quantile returns the value of sorted ones below which so many per cent lie.
func quantile[N any](sorted []N, percent int) N { return sorted[(len(sorted)-1)*percent/100] }

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
	play := func(who policy) ([]money.Minor, error) {
		results, err := playAll(ctx, b.games(&p, who, 0, skillsDay))
		if err != nil {
			return nil, err
		}
		worth := make([]money.Minor, len(results))
		for i := range results {
			worth[i] = results[i].worth[0]
		}
		return worth, nil
	}
	whole, err := play(goodPolicy())
	if err != nil {
		return err
	}
	plain, err := play(greedyPolicy())
	if err != nil {
		return err
	}
	report.ExtraMinor = mean(whole) - mean(plain)
	for _, l := range levers() {
		without := goodPolicy()
		without.name = "good without " + l.name
		l.without(&without)
		rest, err := play(without)
		if err != nil {
			return err
		}
		gained := make([]money.Minor, len(whole)) // world by world
		for i := range whole {
			gained[i] = whole[i] - rest[i]
		}
		report.Skills = append(report.Skills, economy.Skill{
			Name: l.name, Text: l.text, WorthMinor: mean(gained), ErrorMinor: standardError(gained),
			SharePct: int64(mean(gained) * 100 / report.ExtraMinor),
		})
	}
	return nil
}
