package player

import (
	"fmt"
	"slices"

	"platen/internal/company"
	"platen/internal/words/money"
	"platen/internal/words/share"
)

// Game is one company and who plays it.
type Game struct {
	// Settings are those of the company: its preset, its bridge and its world. The clock is
	// moved by hand in every game.
	Settings company.Settings
	Policy   Policy
	// Days are when the net worth is read, counted from 1, in growing order; the last one ends
	// the game.
	Days []int
	// Watch is the day until which the company is played beyond that, to see whether it ends.
	Watch int
	// Played are results of this very game by the first plans of a foreseeing player, which then are not
	// played again.
	Played []Result
}

// Result is the outcome of one game.
type Result struct {
	OpeningMinor money.Minor
	// WorthMinor is the net worth at the close of the game's days; a company that is
	// bankrupt keeps that of its liquidation.
	WorthMinor []money.Minor
	// OnTimePct is the share of orders that came in time up to then, 0 while there is none.
	OnTimePct []share.PerCent
	// Bankrupt is the day on which the company ended, 0 when it has not.
	Bankrupt int
	// Refused counts commands that were refused.
	Refused int
	// Due counts the obligations of the integration that were judged by then, 0 with the auto bridge.
	Due int64
}

// Play plays a game without HTTP and without a disk.
func (g *Game) Play() (Result, error) {
	switch g.Policy.kind {
	case foreseeing:
		return g.foresee()
	case blind:
		return g.repeat()
	case byRules, idle, atRandom, ruinous:
	}
	if g.Policy.terms.horizonDays > 0 && len(g.Days) > 1 {
		return g.eachDay()
	}
	return g.through(newInside(theTable(), g.Settings))
}

// actor plays one day after the other.
type actor interface {
	// day plays one working day and reports whether the company lives on.
	day() (alive bool, err error)
	// rejections counts the commands that were refused.
	rejections() int
}

// through plays a game by its policy through a door.
func (g *Game) through(d door) (Result, error) {
	p, err := newPlayer(d, g.Policy, g.Days[len(g.Days)-1])
	if err != nil {
		return Result{}, err
	}
	if g.Policy.kind == atRandom {
		return g.with(d, newGambler(p, g.Settings.World()))
	}
	return g.with(d, p)
}

// with lets an actor play a game through a door.
func (g *Game) with(d door, a actor) (Result, error) {
	status, err := d.glance()
	if err != nil {
		return Result{}, err
	}
	r := Result{OpeningMinor: status.NetWorthMinor - status.Score.ProfitMinor}
	for day := 1; day <= max(g.Watch, g.Days[len(g.Days)-1]); day++ {
		if r.Bankrupt == 0 {
			alive, err := a.day()
			if err != nil {
				return r, fmt.Errorf("play %s, seed %d, as %s on day %d: %w",
					g.Settings.Preset.Name, g.Settings.Seed, g.Policy.Name, day, err)
			}
			if !alive {
				r.Bankrupt = day
			}
		}
		if n := len(r.WorthMinor); n < len(g.Days) && day == g.Days[n] {
			points, err := d.series()
			if err != nil {
				return r, fmt.Errorf("read the series on day %d: %w", day, err)
			}
			r.WorthMinor = append(r.WorthMinor, points[len(points)-1].NetWorthMinor)
			if status, err = d.glance(); err != nil {
				return r, err
			}
			onTime := share.PerCent(0)
			if pct := status.Score.OnTimePct; pct != nil {
				onTime = *pct
			}
			r.OnTimePct = append(r.OnTimePct, onTime)
		}
	}
	r.Refused = a.rejections()
	r.Due, err = d.due()
	return r, err
}

// eachDay plays a game for each of the days: a player who knows the last day plays for it.
func (g *Game) eachDay() (Result, error) {
	var all Result
	for _, day := range g.Days {
		to := *g
		to.Days = []int{day}
		r, err := to.Play()
		if err != nil {
			return r, err
		}
		r.WorthMinor, r.OnTimePct = append(all.WorthMinor, r.WorthMinor...), append(all.OnTimePct, r.OnTimePct...)
		all = r
	}
	return all, nil
}

// foresee plays each plan, and keeps the best on each day.
func (g *Game) foresee() (Result, error) {
	var best Result
	for i := range g.Policy.plans {
		plan := *g
		plan.Policy, plan.Played = g.Policy.plans[i], nil
		var r Result
		if i < len(g.Played) {
			r = g.Played[i]
		} else {
			var err error
			if r, err = plan.Play(); err != nil {
				return r, err
			}
		}
		if i == 0 {
			best = r
			best.WorthMinor = slices.Clone(r.WorthMinor)
			continue
		}
		for day := range r.WorthMinor {
			best.WorthMinor[day] = max(best.WorthMinor[day], r.WorthMinor[day])
		}
	}
	return best, nil
}

// elsewhere is so far away that no measurement plays the world.
const elsewhere = 1_000_003

// repeat lets the good player play another world, and sends its commands in this one.
func (g *Game) repeat() (Result, error) {
	other := *g
	other.Settings.Seed, other.Settings.GivenWorld = g.Settings.Seed+elsewhere, 0
	other.Policy = Good()
	recorded := &recorder{inside: newInside(theTable(), other.Settings)}
	if _, err := other.through(recorded); err != nil {
		return Result{}, err
	}
	d := newInside(theTable(), g.Settings)
	return g.with(d, &parrot{door: d, steps: recorded.steps})
}
