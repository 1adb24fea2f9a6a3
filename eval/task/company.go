package task

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"platen/client"
	"platen/eval/player"
	"platen/internal/publish/economy"
	"platen/internal/words/money"
)

const (
	// companyPreset is the preset in which players are compared, companyDays how long its companies are played, and
	// fullSkill the skill that is worth all: 1 is watchful play.
	companyPreset = "agent_eval"
	fullSkill     = 1.5
	// maxYardsticks bounds the worlds whose players are remembered.
	maxYardsticks = 10000
)

// Companies are whole companies as tasks: 30 and 60 days of play, worth the skill of the player. They are none of All,
// whose tasks an oracle solves: nothing solves a company.
func Companies() []*Task { return []*Task{company(30), company(60)} }

// company is a company that is played for some days. Its score is the skill from 0 to 1.5, of 1.5.
func company(days int) *Task {
	return &Task{
		Name: fmt.Sprintf("company-%d", days), Title: fmt.Sprintf("Run the company for %d days", days),
		Difficulty: "hard", Preset: companyPreset, Bridge: client.BridgeAuto,
		Instruction: fmt.Sprintf("Run this printing company for %d working days and earn as much as you can. The "+
			"clock stands still until you move it (POST /sandbox/tick, or the tool advance_time). Only the net worth "+
			"at the close of day %d counts: cash, stock at cost (finished goods that no order holds at the market's "+
			"bid, if that is less), and what customers owe for delivered goods, less what is owed. A bankrupt "+
			"company is worth the price of its stock on the market, less its debts, and 0 at most. If you stop "+
			"early, the rest of the days pass without you.", days, days),
		Budget: Budget{Minutes: int64(days) * dayMinutes},
		Let: []Let{
			{Name: "greedy", Skill: new(0.0), Day: days}, {Name: "full", Skill: new(fullSkill), Day: days},
		},
		Checks: []Check{{
			Name: "skill: 0 for greedy play, two thirds for watchful play", Weight: 1, Share: true,
			All: []Predicate{{Worth: days, From: "${greedy}", To: "${full}"}},
		}},
		Guard:      Guard{Open: true},
		days:       days,
		yardsticks: &yardsticks{worths: map[yardstick]map[string]int64{}},
	}
}

// worthOfSkill is the net worth at which a player of this world has a skill at the close of a day, in minor units.
func (w *world) worthOfSkill(t *Task, skill float64, day int) (string, error) {
	worth, err := w.outcomes(t, day)
	plain, best := worth[player.Greedy().Name], worth[player.Watchful().Name]
	return strconv.FormatInt(plain+int64(skill*float64(best-plain)), 10), err
}

// yardsticks are the net worths of players of known skill in the worlds in which a company was judged before: a trainer
// plays the same worlds again and again, and to play all of these players takes longer than most episodes.
type yardsticks struct {
	sync.Mutex

	worths map[yardstick]map[string]int64
}

// yardstick is a world, as judges know it, and a day.
type yardstick struct {
	split       string
	seed, given uint64
	day         int
}

// outcomes are the net worths of the players of known skill in this world at the close of a day, by their names, in
// minor units.
func (w *world) outcomes(t *Task, day int) (map[string]int64, error) {
	at := yardstick{w.split, w.seed, w.given, day}
	t.yardsticks.Lock()
	worths := t.yardsticks.worths[at]
	t.yardsticks.Unlock()
	if worths != nil {
		return worths, nil
	}
	worlds := player.Worlds{Preset: t.Preset, Bridge: string(t.Bridge), Split: w.split, World: w.given}
	all, err := worlds.Outcomes(w.seed, day)
	if err != nil {
		return nil, err //nolint:wrapcheck // it says who played
	}
	worths = map[string]int64{}
	for _, o := range all {
		worths[o.Player] = int64(o.NetWorthMinor)
	}
	t.yardsticks.Lock()
	defer t.yardsticks.Unlock()
	if len(t.yardsticks.worths) >= maxYardsticks {
		clear(t.yardsticks.worths)
	}
	t.yardsticks.worths[at] = worths
	return worths, nil
}

// reward is that of a whole company for training, nil for other tasks and where no scale is published.
func (w *world) reward(ctx context.Context, t *Task) (*float64, error) {
	if t.days == 0 {
		return nil, nil
	}
	measured, err := economy.Published()
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what it was reading
	}
	p, ok := measured.Preset(t.Preset)
	if !ok || p.RewardScale(t.days) == 0 {
		return nil, nil
	}
	worth, err := w.worthAt(ctx, t.days)
	if err != nil {
		return nil, err
	}
	report, err := w.grader.GetReport(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the report: %w", err)
	}
	idle, err := w.outcomes(t, t.days)
	if err != nil {
		return nil, err
	}
	is, err := strconv.ParseInt(worth, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("read the net worth: %w", err)
	}
	ended := report.Status == client.ReportStatusBankrupt && len(report.NetWorth)-1 <= t.days
	return p.Reward(t.days, money.Minor(is), money.Minor(idle[player.Nothing().Name]), ended), nil
}

// played is the result of a player of known skill at the close of a day. It plays in this process, after what a
// prelude of triggers has made of the company, and meets no fault.
func (w *world) played(ctx context.Context, t *Task, name string, day int) (o player.Outcome, err error) {
	policies := []player.Policy{player.Nothing(), player.Greedy(), player.Bridge()}
	i := slices.IndexFunc(policies, func(p player.Policy) bool { return p.Name == name })
	if i < 0 {
		return o, fmt.Errorf("nobody called %q plays here", name)
	}
	var triggers [][]byte
	for _, s := range t.Prelude {
		if s.Call != "POST /sandbox/triggers" {
			return o, errors.New("who plays in this process knows no prelude but triggers")
		}
		body, err := w.fill(ctx, string(s.Body))
		if err != nil {
			return o, err
		}
		triggers = append(triggers, []byte(body))
	}
	all := player.Worlds{Preset: t.Preset, Bridge: string(t.Bridge), Split: w.split, World: w.given}
	return all.Outcome(w.seed, day, policies[i], triggers) //nolint:wrapcheck // it says who played
}

// worthAt is the net worth at the close of a day, in minor units. A company that has not come so far is played on
// without its player.
func (w *world) worthAt(ctx context.Context, day int) (string, error) {
	for {
		report, err := w.grader.GetReport(ctx)
		if err != nil {
			return "", fmt.Errorf("read the report: %w", err)
		}
		last := len(report.NetWorth) - 1
		if last >= day || report.Status != client.ReportStatusActive {
			return strconv.FormatInt(report.NetWorth[min(day, last)].NetWorthMinor, 10), nil
		}
		if _, err := w.grader.AdvanceTime(ctx, client.TickInput{Minutes: new(int64(dayMinutes))}); err != nil {
			return "", fmt.Errorf("play on: %w", err)
		}
	}
}
