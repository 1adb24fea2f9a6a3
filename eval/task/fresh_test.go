package task

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"

	"platen/client"
	"platen/eval/oracle"
	"platen/platentest"
	"platen/test/testclient"
)

// freshSecret is that of worlds for which no task was written. They stay the same, so that a failure can be repeated.
const freshSecret = "worlds-that-nobody-saw-while-the-tasks-were-written"

// freshServer is a closed server with these worlds.
var freshServer = sync.OnceValue(func() *platentest.Platen {
	return platentest.Start(&suite, map[string]string{
		"private-webhooks": "true", "creation-key": freshSecret, "evaluation-secret": freshSecret,
	})
})

// freshWorlds is a task in worlds of the split test.
type freshWorlds struct {
	*Task
	seeds []uint64
}

// prepare prepares the task in each world, all at once.
func (f *freshWorlds) prepare(t *testing.T) []*Prepared {
	t.Helper()
	all, failed := make([]*Prepared, len(f.seeds)), make([]error, len(f.seeds))
	var wg sync.WaitGroup
	for i, seed := range f.seeds {
		wg.Go(func() {
			at := World{Split: client.SplitTest, Seed: seed, Secret: freshSecret}
			all[i], failed[i] = f.Prepare(t.Context(), freshServer().BaseURL, freshSecret, at)
		})
	}
	wg.Wait()
	for i, err := range failed {
		if err != nil {
			t.Fatalf("seed %d: %v", f.seeds[i], err)
		}
	}
	return all
}

// solve has the oracle solve each world, and returns what it sent.
func (f *freshWorlds) solve(t *testing.T) []*tape {
	t.Helper()
	tapes := make([]*tape, len(f.seeds))
	for i, s := range f.prepare(t) {
		on := &tape{}
		g := tryPrepared(t, freshServer(), f.Task, s, func(ctx context.Context, p *oracle.Player) (any, error) {
			player := oracle.NewPlayer(freshServer().BaseURL, s.Keys(), p.Files,
				client.HTTPClient(&http.Client{Transport: on}))
			var err error
			on.answer, err = oracle.Solutions()[f.Name](ctx, player)
			return on.answer, err
		})
		if g.Score != 1 || !g.Passed {
			t.Errorf("the oracle scores %g with seed %d: %s", g.Score, f.seeds[i], shown(g))
		}
		tapes[i] = on
		f.remove(t, s)
	}
	return tapes
}

// repeat sends in each world what the oracle has sent in the next one, unless both ask for the same, which it counts.
func (f *freshWorlds) repeat(t *testing.T, tapes []*tape) (alike int) {
	t.Helper()
	const most = 0.3
	for i, s := range f.prepare(t) {
		next := (i + 1) % len(tapes)
		if slices.Equal(tapes[i].writes(), tapes[next].writes()) {
			alike++
		} else if g := tryPrepared(t, freshServer(), f.Task, s, tapes[next].again); g.Score > most || g.Passed {
			t.Errorf("what solves seed %d scores %g with seed %d: %s", f.seeds[next], g.Score, f.seeds[i], shown(g))
		}
		f.remove(t, s)
	}
	return alike
}

func (*freshWorlds) remove(t *testing.T, s *Prepared) {
	t.Helper()
	if err := remove(t.Context(), s.Sandbox); err != nil {
		t.Error(err)
	}
}

// TestFreshWorldsAreSolvedByTheirOracleAlone: in worlds that nobody has seen the oracle has 1.00, doing nothing a tenth
// at most, and what the oracle has sent in another world three tenths at most, wherever there is something else to do.
// That is so in nine of ten pairs of worlds or more.
func TestFreshWorldsAreSolvedByTheirOracleAlone(t *testing.T) {
	t.Parallel()
	const idle, manyAlike = 0.1, 10
	seeds := []uint64{1, 2}
	if testclient.Thorough() {
		seeds = seeds[:0]
		for seed := range uint64(20) {
			seeds = append(seeds, seed+1)
		}
	}
	for _, k := range allTasks(t) {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			longOnlyInCheck(t, k)
			needs(t, k)
			f := &freshWorlds{k, seeds}
			tapes := f.solve(t)
			if alike := f.repeat(t, tapes); alike*manyAlike > len(seeds) {
				t.Errorf("%d of %d worlds ask for the same as the next one", alike, len(seeds))
			}
			for i, s := range f.prepare(t) {
				if g := tryPrepared(t, freshServer(), k, s, nothing); g.Score > idle || g.Passed {
					t.Errorf("who does nothing scores %g with seed %d: %s", g.Score, seeds[i], shown(g))
				}
				f.remove(t, s)
			}
		})
	}
}
