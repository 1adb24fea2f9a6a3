// Package economy holds measurements of the company's worth under different
// players: eval/economy plays and writes the numbers, the docs publish them.
package economy

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"platen/internal/words/money"
)

// Report is a whole measurement.
type Report struct {
	// Seeds is how many worlds each player played, from seed 1 on.
	Seeds int `json:"seeds"`
	// SampleSeeds is how many of them each Player's sample is of.
	SampleSeeds int `json:"sample_seeds"`
	// MinutesBetweenLooks is how many working minutes a player waits before
	// looking at the company again.
	MinutesBetweenLooks int64    `json:"minutes_between_looks"`
	Presets             []Preset `json:"presets"`
	// SkillsPreset and SkillsDay say where and when Skills were measured.
	SkillsPreset string `json:"skills_preset"`
	SkillsDay    int    `json:"skills_day"`
	// ExtraMinor is the good player's lead over the greedy one, on average over
	// the seeds.
	ExtraMinor money.Minor `json:"extra_minor"`
	Skills     []Skill     `json:"skills"`
}

// Preset holds the players' results in one preset.
type Preset struct {
	Name    string `json:"preset"`
	Version int    `json:"version"`
	// OpeningMinor is the net worth on the first morning.
	OpeningMinor money.Minor `json:"opening_minor"`
	// RewardScales are the denominators of rewards for training, by day.
	RewardScales []RewardScale `json:"reward_scales"`
	Players      []Player      `json:"players"`
}

// RewardScale is how much more watchful play is worth than an idle company at the close of a day: the median over the
// seeds.
type RewardScale struct {
	Day        int         `json:"day"`
	ScaleMinor money.Minor `json:"scale_minor"`
}

// Player is how one player did over all seeds.
type Player struct {
	Name string `json:"player"`
	// Text says how the player plays.
	Text  string `json:"text"`
	Bands []Band `json:"bands"`
	// AboveOpening is how many companies were worth more than at the opening
	// on the last day of the bands.
	AboveOpening int `json:"above_opening"`
	// Watched is the day until which the company was watched, Bankrupt how many
	// had ended by then, on the days First, Median and Last.
	Watched  int `json:"watched"`
	Bankrupt int `json:"bankrupt"`
	First    int `json:"first"`
	Median   int `json:"median"`
	Last     int `json:"last"`
	// LeadMinor is how much more the player came to than the good one on day 60, on average
	// over the worlds that both played, and LeadErrorMinor the standard error of it.
	LeadMinor      money.Minor `json:"lead_minor"`
	LeadErrorMinor money.Minor `json:"lead_error_minor"`
	// SkillPct is the part of the way from greedy to watchful play that the player has gone by day 60, over
	// all worlds together; nil where watchful play does not come to more.
	SkillPct *int64 `json:"skill_pct,omitempty"`
	// Exploiter is set for players who look for money where none should be.
	Exploiter bool `json:"exploiter,omitzero"`
	// SampleMinor is the mean net worth of the first seeds on the day of the
	// sample: a quick test compares it.
	SampleMinor money.Minor `json:"sample_minor"`
}

// Band is the net worth at the close of a day: one company in ten has less
// than Low, half have less than Middle, nine in ten less than High.
type Band struct {
	Day    int         `json:"day"`
	Low    money.Minor `json:"low_minor"`
	Middle money.Minor `json:"middle_minor"`
	High   money.Minor `json:"high_minor"`
	// OnTimePct is the share of orders that came in time up to the day, on average.
	OnTimePct int64 `json:"on_time_pct"`
}

// Skill is the loss of worth without one skill of the good player, on average
// over the seeds, and its share of the extra earnings of good play.
type Skill struct {
	Name       string      `json:"skill"`
	Text       string      `json:"text"`
	WorthMinor money.Minor `json:"worth_minor"`
	// ErrorMinor is the standard error of WorthMinor: a difference smaller than
	// twice as much may be chance.
	ErrorMinor money.Minor `json:"error_minor"`
	SharePct   int64       `json:"share_pct"`
}

//go:embed measured.json
var measured []byte

// Published returns the newest measurement.
func Published() (Report, error) {
	var r Report
	if err := json.Unmarshal(measured, &r); err != nil {
		return Report{}, fmt.Errorf("read the measured economy: %w", err)
	}
	return r, nil
}

// Preset returns the measurements of a preset.
func (r *Report) Preset(name string) (*Preset, bool) {
	for i := range r.Presets {
		if r.Presets[i].Name == name {
			return &r.Presets[i], true
		}
	}
	return nil, false
}

// Player returns how a player did.
func (p *Preset) Player(name string) (*Player, bool) {
	for i := range p.Players {
		if p.Players[i].Name == name {
			return &p.Players[i], true
		}
	}
	return nil, false
}

// On returns the band of a day.
func (p *Player) On(day int) (Band, bool) {
	for _, b := range p.Bands {
		if b.Day == day {
			return b, true
		}
	}
	return Band{}, false
}

// What a reward may be: of a living company never as little as of a bankrupt one.
const (
	bankruptReward = -1
	leastReward    = -0.99
	mostReward     = 1.5
)

// Reward is for training: the worth of a company at the close of a day, above that of an idle company in the same
// world, as a part of the day's scale. 1 is as much as watchful play earns in the middle of all worlds. It is
// nil where no scale is published.
func (p *Preset) Reward(day int, worth, idle money.Minor, bankrupt bool) *float64 {
	scale := p.RewardScale(day)
	switch {
	case scale == 0:
		return nil
	case bankrupt:
		return new(float64(bankruptReward))
	}
	return new(min(max(float64(worth-idle)/float64(scale), leastReward), mostReward))
}

// RewardScale returns the denominator of rewards on a day, 0 where none is published or watchful play is worth no more
// than an idle company.
func (p *Preset) RewardScale(day int) money.Minor {
	for _, scale := range p.RewardScales {
		if scale.Day == day {
			return max(0, scale.ScaleMinor)
		}
	}
	return 0
}
