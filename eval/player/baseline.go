package player

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"platen/internal/company"
	"platen/internal/company/preset"
	"platen/internal/sandbox"
	"platen/internal/words/money"
)

// Worlds are those of a built-in preset that the seeds of a split count.
type Worlds struct {
	// Preset is the name of a preset, Bridge and Split are those that were asked for, "" for
	// the preset's own and for train.
	Preset, Bridge, Split string
	// Secret is that of the worlds of the split test. Who has the world itself gives it as World, and needs no secret.
	Secret string
	World  uint64
}

// Outcome is the result of a player in one world.
type Outcome struct {
	Player        string
	NetWorthMinor money.Minor
	// Due counts the judged obligations of its integration, 0 with the auto bridge.
	Due int64
}

// Given is the world that a seed counts in the split test, 0 in the others.
func (w *Worlds) Given(seed uint64) uint64 {
	if w.World != 0 || w.Split != string(sandbox.TestSplit) {
		return w.World
	}
	return sandbox.TestWorld([]byte(w.Secret), w.Preset, seed)
}

// settings are those of the company of a seed, false for a preset that is not built in.
func (w *Worlds) settings(seed uint64) (s company.Settings, ok bool, err error) {
	presets, err := preset.Builtin()
	if err != nil {
		return s, false, err //nolint:wrapcheck // it says what it was reading
	}
	p, ok := presets[w.Preset]
	return company.Settings{
		Preset: p, Bridge: preset.Bridge(w.Bridge), Seed: seed, Split: w.Split, GivenWorld: w.Given(seed),
	}, ok, nil
}

// Outcome is the result of a player in the world of a seed at the close of a day, counted from 1. Before the first
// morning triggers are pulled: the bodies of pull_trigger.
func (w *Worlds) Outcome(seed uint64, day int, policy Policy, triggers [][]byte) (o Outcome, err error) {
	settings, ok, err := w.settings(seed)
	if err != nil || !ok {
		return o, errors.Join(err, fmt.Errorf("the preset %s, in which to play as %s, is not built in", w.Preset,
			policy.Name))
	}
	d := newInside(theTable(), settings)
	for _, body := range triggers {
		var in company.PullTrigger
		if err := json.Unmarshal(body, &in); err != nil {
			return o, fmt.Errorf("read a trigger: %w", err)
		}
		if err := d.call(triggerOperation, "", &in); err != nil {
			return o, fmt.Errorf("pull a trigger: %w", err)
		}
	}
	g := Game{Settings: settings, Policy: policy, Days: []int{day}}
	r, err := g.through(d)
	if err != nil {
		return o, err
	}
	return Outcome{Player: policy.Name, NetWorthMinor: r.WorthMinor[0], Due: r.Due}, nil
}

// triggerOperation lets something happen in a company.
const triggerOperation = "pull_trigger"

// Outcomes returns what the players of Policies come to in the world of a seed by a day,
// counted from 1: nothing for a preset that is not built in.
func (w *Worlds) Outcomes(seed uint64, day int) ([]Outcome, error) {
	settings, ok, err := w.settings(seed)
	if err != nil || !ok {
		return nil, err
	}
	policies := Policies()
	all, failed := make([]Outcome, len(policies)), make([]error, len(policies))
	var games sync.WaitGroup
	for i, policy := range policies {
		games.Go(func() {
			g := Game{Settings: settings, Policy: policy, Days: []int{day}}
			r, err := g.Play()
			if err != nil {
				failed[i] = fmt.Errorf("play as %s: %w", policy.Name, err)
				return
			}
			all[i] = Outcome{Player: policy.Name, NetWorthMinor: r.WorthMinor[0], Due: r.Due}
		})
	}
	games.Wait()
	return all, errors.Join(failed...)
}
