package docsite

import (
	"strconv"

	"platen/internal/publish/economy"
	"platen/internal/words/money"
)

// economyView is the data of the economy's page: a measurement, in thousands.
type economyView struct {
	economy.Report
}

func (l *library) addEconomy() error {
	return l.add("/docs/economy", guides, func() (page, error) {
		report, err := economy.Published()
		return page{
			Template: "economy", Title: "Economy", Contents: l.sections(), Content: economyView{report},
			Description: "The net worth that players of different skill reach, and the value of each skill.",
		}, err //nolint:wrapcheck // it says what was read
	})
}

// Players describe the measured players: they are the same in every preset.
func (e economyView) Players() []economy.Player {
	if len(e.Presets) == 0 {
		return nil
	}
	return e.Presets[0].Players
}

// Days are the days of the bands.
func (e economyView) Days() []int {
	var days []int
	if players := e.Players(); len(players) > 0 {
		for _, band := range players[0].Bands {
			days = append(days, band.Day)
		}
	}
	return days
}

// InTime is the share of a player's orders that came in time by day 60.
func (e economyView) InTime(p economy.Player) string {
	const day = 60
	band, ok := p.On(day)
	if !ok || band.OnTimePct == 0 {
		return "–"
	}
	return strconv.FormatInt(band.OnTimePct, 10) + " %"
}

// Skill is the part of the way from greedy to watchful play that a player has gone.
func (e economyView) Skill(p economy.Player) string {
	if p.SkillPct == nil {
		return "–"
	}
	return strconv.FormatInt(*p.SkillPct, 10) + " %"
}

// Thousands writes an amount in thousands, rounded.
func (e economyView) Thousands(amount money.Minor) string {
	const thousand money.Minor = 100_000
	half := thousand / 2
	if amount < 0 {
		half = -half
	}
	return strconv.FormatInt(int64((amount+half)/thousand), 10)
}
