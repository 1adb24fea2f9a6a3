package main

import (
	"fmt"

	"platen/internal/company/preset"
	"platen/internal/money"
)

// game is one company and who plays it.
type game struct {
	preset *preset.Preset
	policy policy
	seed   uint64
	// days are when the net worth is read; the last one ends the game.
	days []int
	// watch is the day until which the company is played beyond that, to see
	// whether it ends.
	watch int
}

// result is what one game came to.
type result struct {
	opening money.Minor
	// worth is the net worth at the close of the game's days; a company that is
	// bankrupt keeps its last.
	worth []money.Minor
	// bankrupt is the day on which the company ended, 0 when it has not.
	bankrupt int
	// refused counts commands that were refused.
	refused int
}

// play plays a game inside, without HTTP.
func (g *game) play(t *table) (result, error) {
	return g.through(newInside(t, g.preset, g.seed))
}

// through plays a game through a door.
func (g *game) through(d door) (result, error) {
	p, err := newPlayer(d, g.policy)
	if err != nil {
		return result{}, err
	}
	r := result{opening: p.state.NetWorthMinor - p.state.Score.ProfitMinor}
	for day := 1; day <= max(g.watch, g.days[len(g.days)-1]); day++ {
		if r.bankrupt == 0 {
			alive, err := p.day()
			if err != nil {
				return r, fmt.Errorf("play %s, seed %d, as %s on day %d: %w",
					g.preset.Name, g.seed, g.policy.name, day, err)
			}
			if !alive {
				r.bankrupt = day
			}
		}
		if n := len(r.worth); n < len(g.days) && day == g.days[n] {
			points, err := d.series()
			if err != nil {
				return r, fmt.Errorf("read the series on day %d: %w", day, err)
			}
			r.worth = append(r.worth, points[len(points)-1].NetWorthMinor)
		}
	}
	r.refused = p.refused
	return r, nil
}
