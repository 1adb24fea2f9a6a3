package scenario

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"platen/client"
)

// seedOfMuch is a company in which everything happens early.
const seedOfMuch = 1

// victim is an integration that is killed while it works.
type victim struct {
	*integration

	line *line
	// mutex guards process: a program must not make a call before it is known
	// whom to kill.
	mutex   sync.Mutex
	process *process
}

func newVictim(t testing.TB, p program, w *world) *victim {
	t.Helper()
	v := &victim{line: between(t, w)}
	v.integration = p.install(t, w).at(v.line.url())
	v.line.cut = func() {
		v.mutex.Lock()
		defer v.mutex.Unlock()
		v.process.kill()
	}
	return v
}

// once runs the program until it ends or is killed.
func (v *victim) once() run {
	v.t.Helper()
	v.mutex.Lock()
	v.process = v.start("--once")
	v.mutex.Unlock()
	return v.process.wait()
}

// untilDone starts the program again after each kill.
func (v *victim) untilDone() {
	v.t.Helper()
	for {
		r := v.once()
		if r.killed {
			continue
		}
		if r.status != 0 {
			v.t.Fatalf("the integration failed: %v", r)
		}
		return
	}
}

// TestAnIntegrationKilledAtAnyCallLosesNothingAndDoublesNothing plays the same
// two days again and again: in the nth, the program is killed at its nth call,
// before the server hears of it or before the answer is heard. It is started
// again, and the company must have lived the life of the one where nothing was
// killed.
func TestAnIntegrationKilledAtAnyCallLosesNothingAndDoublesNothing(t *testing.T) {
	t.Parallel()
	const days = 2
	live := func(t *testing.T, fate func(int, *http.Request) fate) (life, *line) {
		t.Helper()
		w := found(t, "starter", client.BridgeManual, seedOfMuch)
		v := newVictim(t, inGo, w)
		v.line.fate = fate
		p := newPlayer(w, v.untilDone)
		p.hasty = true
		p.play(days)
		return w.told(), v.line
	}
	want, undisturbed := live(t, func(int, *http.Request) fate { return passes })
	if missing := want.has(handOffs[:4]...); len(missing) > 0 {
		t.Fatalf("in %d days there was no %v: choose another seed", days, missing)
	}
	calls := undisturbed.made()
	if len(calls) == 0 {
		t.Fatal("the integration made no call")
	}
	t.Logf("%d calls", len(calls))
	every := everyNth
	if every == 1 && !thorough() {
		every = 6
	}
	for i, c := range calls {
		if i%every != 0 {
			continue
		}
		fates := map[string]fate{"before": lostBefore}
		if c.write() {
			fates["after"] = lostAfter // a read that is lost is lost either way
		}
		for name, lost := range fates {
			t.Run(fmt.Sprintf("call %d, %s %s, %s", i+1, c.method, c.path, name), func(t *testing.T) {
				t.Parallel()
				got, line := live(t, func(n int, _ *http.Request) fate {
					if n == i+1 {
						return lost
					}
					return passes
				})
				same(t, got, want)
				line.checkKeys()
			})
		}
	}
}

// TestAnIntegrationKilledAllTheTimeGetsThroughTheWeek kills the program at the
// first call of its first start, at the second of its second, and so on, until
// a start has fewer calls than that; and all again after each step of the
// player. Programs whose interpreter is slow to start are killed at every twelfth
// call, but in a thorough run. The twin with the auto bridge must not be able to tell.
func TestAnIntegrationKilledAllTheTimeGetsThroughTheWeek(t *testing.T) {
	t.Parallel()
	const days = 5
	twin := found(t, "starter", client.BridgeAuto, seedOfMuch)
	companies := map[string]*world{}
	t.Run("lives", func(t *testing.T) {
		for _, p := range programs {
			t.Run(p.name, func(t *testing.T) {
				p.argv(t) // skips without its language
				w := found(t, "starter", client.BridgeManual, seedOfMuch)
				companies[p.name] = w
				t.Parallel()
				v := newVictim(t, p, w.within(t))
				calls, starts, steps := 0, 0, 0 // the line's
				v.line.fate = func(int, *http.Request) fate {
					if calls++; calls < starts {
						return passes
					}
					return []fate{lostBefore, lostAfter}[(starts+steps)%2]
				}
				player := newPlayer(w.within(t), func() {
					v.line.quiet(func() { starts, steps = 0, steps+1 })
					for {
						v.line.quiet(func() { calls, starts = 0, starts+p.stride() })
						r := v.once()
						if r.killed {
							continue
						}
						if r.status != 0 {
							t.Fatalf("the integration failed: %v", r)
						}
						return
					}
				})
				player.hasty = true
				player.play(days)
				v.line.checkKeys()
			})
		}
		t.Run("auto", func(t *testing.T) {
			t.Parallel()
			player := newPlayer(twin.within(t), func() {})
			player.play(days)
		})
	})
	want := twin.told()
	if missing := want.has(handOffs...); len(missing) > 0 {
		t.Fatalf("in %d days there was no %v: choose another seed", days, missing)
	}
	for name, w := range companies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sameBusiness(t, w.within(t).told(), want)
		})
	}
}

// TestABadLineChangesNothing loses calls and answers, turns calls away, has a
// gateway in between and makes every list many pages long, for each program.
func TestABadLineChangesNothing(t *testing.T) {
	t.Parallel()
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			days, wanted := 5, handOffs
			if p.needs != "" && !thorough() { // slow to start
				days, wanted = 2, handOffs[:4]
			}
			w, twin := found(t, "starter", client.BridgeManual, seedOfMuch),
				found(t, "starter", client.BridgeAuto, seedOfMuch)
			line := between(t, w)
			line.shortPages = true
			integration := p.install(t, w).at(line.url())
			// No two troubles in a row: a second try gets through.
			troubles := []fate{
				lostBefore, passes, turnedAway, passes, lostAfter, passes, busy, passes, gateway, passes, passes,
			}
			line.fate = func(n int, _ *http.Request) fate { return troubles[n%len(troubles)] }
			t.Run("twins", func(t *testing.T) {
				t.Run("auto", func(t *testing.T) {
					t.Parallel()
					newPlayer(twin.within(t), func() {}).play(days)
				})
				t.Run("manual", func(t *testing.T) {
					t.Parallel()
					player := newPlayer(w.within(t), integration.carry)
					player.hasty = true
					player.play(days)
				})
			})
			want := twin.told()
			sameBusiness(t, w.told(), want)
			if missing := want.has(wanted...); len(missing) > 0 {
				t.Errorf("in %d days there was no %v: choose another seed", days, missing)
			}
			line.checkKeys()
			kinds := map[fate]int{}
			for _, c := range line.made() {
				kinds[c.fate]++
			}
			if len(kinds) != 6 {
				t.Errorf("the line had only these troubles: %v", kinds)
			}
		})
	}
}
