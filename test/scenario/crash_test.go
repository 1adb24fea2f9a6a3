package scenario

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"sync"
	"testing"

	"platen/client"
	"platen/test/testclient"
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

// morning is a company on whose fifth day nothing has been carried yet, with the state of
// the integration that carried until then.
type morning struct {
	*world

	state []byte
}

func newMorning(t *testing.T) *morning {
	t.Helper()
	const mondayToThursday = 4
	m := &morning{world: found(t, "starter", client.BridgeManual, seedOfMuch)}
	until := inGo.install(t, m.world)
	p := newPlayer(m.world, until.carry)
	p.hasty = true
	p.play(mondayToThursday)
	before := m.told()
	p.carry = func() {}
	p.day(true)
	var err error
	if m.state, err = os.ReadFile(until.state); err != nil {
		t.Fatal(err)
	}
	if len(m.told().events) == len(before.events) {
		t.Fatal("nothing happened on the fifth day")
	}
	return m
}

// lived is a fork of the morning in which an integration catches up, and what came of it.
// It is killed at its nth call, 0 for none.
func (m *morning) lived(t *testing.T, p program, n int, lost fate) (life, *line) {
	t.Helper()
	s, err := m.api.ForkSandbox(t.Context(), client.ForkSandboxInput{})
	if err != nil {
		t.Fatal(err)
	}
	w := (&world{url: m.url, keys: client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey}, seed: m.seed}).within(t)
	v := newVictim(t, p, w)
	known := regexp.MustCompile(`sbx_[0-9a-z]+`).ReplaceAll(m.state, []byte(s.SandboxID))
	if err := os.WriteFile(v.state, known, 0o600); err != nil {
		t.Fatal(err)
	}
	v.line.quiet(func() {
		v.line.fate = func(made int, _ *http.Request) fate {
			if made == n {
				return lost
			}
			return passes
		}
	})
	v.untilDone()
	return w.told(), v.line
}

// kill is a way to die: at the nth call, with what becomes of it.
type kill struct {
	nth  int
	call call
	fate fate
}

func (k kill) String() string {
	return fmt.Sprintf("call %d, %s %s, answered: %t", k.nth, k.call.method, k.call.path, k.fate == lostAfter)
}

// some are the kills that a program is tried with: all of them in a thorough run.
func (p program) some(kills []kill) (chosen []kill) {
	many := 8
	if p.needs != "" { // slow to start
		many = 2
	}
	if testclient.Thorough() {
		many = len(kills)
	}
	for i := range many {
		chosen = append(chosen, kills[(2*i+1)*len(kills)/(2*many)])
	}
	return chosen
}

// TestAnIntegrationKilledAtAnyCallLosesNothingAndDoublesNothing has integrations catch up
// with a day, each in a fork of the same company. In the nth, the program is killed at its
// nth call, before the server hears of it or before the answer is heard. It is started
// again, and the company must have come to where nothing was killed.
func TestAnIntegrationKilledAtAnyCallLosesNothingAndDoublesNothing(t *testing.T) {
	t.Parallel()
	m := newMorning(t)
	want, _ := m.lived(t, inGo, 0, passes)
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			p.argv(t) // skips without its language
			m := &morning{world: m.within(t), state: m.state}
			calm, undisturbed := m.lived(t, p, 0, passes)
			sameBusiness(t, calm, want)
			var kills []kill
			for i, c := range undisturbed.made() {
				kills = append(kills, kill{i + 1, c, lostBefore})
				if c.write() { // a read that is lost is lost either way
					kills = append(kills, kill{i + 1, c, lostAfter})
				}
			}
			carried := len(kills) - len(undisturbed.made())
			if carried < 4 {
				t.Fatalf("only %d records were carried: choose another seed", carried)
			}
			t.Logf("%d ways to be killed", len(kills))
			for _, k := range p.some(kills) {
				t.Run(k.String(), func(t *testing.T) {
					t.Parallel()
					m := &morning{world: m.within(t), state: m.state}
					got, line := m.lived(t, p, k.nth, k.fate)
					same(t, got, calm)
					line.checkKeys()
				})
			}
		})
	}
}

// TestAnIntegrationKilledAllTheTimeGetsThroughTheWeek kills the program at the
// first call of its first start, at the second of its second, and so on, until
// a start has fewer calls than that; and all again after each step of the
// player. The twin with the auto bridge must not be able to tell.
func TestAnIntegrationKilledAllTheTimeGetsThroughTheWeek(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestAnIntegrationKilledAtAnyCallLosesNothingAndDoublesNothing kills at a share of the calls")
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
						v.line.quiet(func() { calls, starts = 0, starts+1 })
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
			if !testclient.Thorough() {
				if p.needs != "" { // slow to start
					testclient.InCheck(t, "the bridge in Go has such a line")
				}
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
