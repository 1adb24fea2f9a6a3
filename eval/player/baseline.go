package player

import (
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
	// Secret is that of the worlds of the split test.
	Secret string
}

// Outcome is the result of a player in one world.
type Outcome struct {
	Player        string
	NetWorthMinor money.Minor
	// Due counts the judged obligations of its integration, 0 with the auto bridge.
	Due int64
}

// Outcomes returns what the players of Policies come to in the world of a seed by a day,
// counted from 1: nothing for a preset that is not built in.
func (w *Worlds) Outcomes(seed uint64, day int) ([]Outcome, error) {
	presets, err := preset.Builtin()
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what it was reading
	}
	p, ok := presets[w.Preset]
	if !ok {
		return nil, nil
	}
	settings := company.Settings{Preset: p, Bridge: preset.Bridge(w.Bridge), Seed: seed, Split: w.Split}
	if w.Split == string(sandbox.TestSplit) {
		settings.GivenWorld = sandbox.TestWorld([]byte(w.Secret), p.Name, seed)
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
