package company_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"platen/internal/company"
	"platen/internal/company/office"
	"platen/internal/company/sim"
)

// settled is a company of a preset, a split and a seed, whose world may be given.
func settled(t reporter, name, split string, seed, world uint64) *life {
	t.Helper()
	p := presetNamed(t, name)
	l := &life{t: t, label: fmt.Sprintf("preset %s, split %s, seed %d", name, split, seed), wall: opened, seen: opened}
	l.company = company.New(company.Settings{
		SandboxID: usual.sandbox, Preset: p, Bridge: p.Bridge, Seed: seed, Split: split, GivenWorld: world,
		UID: usual.uid,
	}, sim.Manual, opened)
	l.flush()
	return l
}

// drawn returns the ids of the rows that a world creates, and the wishes of customers with their
// days: not the rows that every company opens with.
func (l *life) drawn() (ids map[string]bool, wanted string) {
	l.t.Helper()
	ids = map[string]bool{}
	for _, table := range []string{
		"sales_order", "employee", "ledger_entry", "contract_lot", "attendance", "lore_event",
	} {
		for _, e := range l.entries(table) {
			ids[e.ID] = true
		}
	}
	clock := l.company.Summary().Clock
	for _, o := range rowsOf[office.SalesOrder](l, "sales_order") {
		if at := clock.Minute(o.CreatedAt); at > 0 || o.ReceivedOn > sim.Start {
			wanted += fmt.Sprintln(o.ReceivedOn, o.CustomerID, o.SKU, o.Quantity)
		}
	}
	return ids, wanted
}

// TestWorldsOfPresetsSplitsAndSeedsHaveNothingInCommon: practice on a seed teaches nothing of
// it in another preset, nor in the split of an examination.
func TestWorldsOfPresetsSplitsAndSeedsHaveNothingInCommon(t *testing.T) {
	t.Parallel()
	ids, wanted := map[string]string{}, map[string]string{}
	for _, name := range []string{"starter", "manual", "crunch", "supply_shock", "agent_eval"} {
		for _, split := range []string{"train", "test", "starter"} {
			for _, seed := range []uint64{0, 1, 2, 1<<53 - 1} {
				l := settled(t, name, split, seed, 0)
				l.until(4)
				own, wants := l.drawn()
				if wants == "" {
					t.Errorf("%s: no customer came, which shows nothing", l.label)
				}
				if other, ok := wanted[wants]; ok {
					t.Errorf("%s: customers want what they want in %s", l.label, other)
				}
				wanted[wants] = l.label
				for _, id := range slices.Sorted(maps.Keys(own)) {
					if other, ok := ids[id]; ok {
						t.Fatalf("%s: the id %s is one in %s", l.label, id, other)
					}
					ids[id] = l.label
				}
			}
		}
	}
}

// TestNoSplitIsThatOfPractice, and everything follows from a world that is given, whatever the
// seed and the split.
func TestNoSplitIsThatOfPractice(t *testing.T) {
	t.Parallel()
	same := func(one, other *life) bool {
		one.until(4)
		other.until(4)
		ids, wanted := one.drawn()
		others, otherwise := other.drawn()
		return maps.Equal(ids, others) && wanted == otherwise
	}
	if !same(settled(t, "starter", "", 5, 0), settled(t, "starter", company.TrainSplit, 5, 0)) {
		t.Error("without a split there is another world than that of practice")
	}
	given := settled(t, "starter", "", 5, 0).company.Settings()
	if !same(settled(t, "starter", "", 5, 0), settled(t, "starter", "test", 9, given.World())) {
		t.Error("a world that is given is another one")
	}
	if same(settled(t, "starter", "", 5, 0), settled(t, "starter", "", 5, 77)) {
		t.Error("a world that is given does not count")
	}
}

// TestNoIDGivesTheWorldAway: clients see ids, and a number that can be followed from one of
// them back to the world would tell them all that is to come. Ids are not what the streams'
// own mixing, which can be turned round, makes of the world or of the seed.
func TestNoIDGivesTheWorldAway(t *testing.T) {
	t.Parallel()
	identified := map[string]string{"so": "sales_order", "emp": "employee", "led": "ledger_entry"}
	for _, seed := range []uint64{0, 1, 20260907} {
		l := settled(t, "starter", "", seed, 0)
		l.until(4)
		settings := l.company.Settings()
		mixed := map[string]bool{}
		for _, from := range []uint64{seed, settings.World()} {
			for prefix, table := range identified {
				for n := range uint64(len(l.entries(table))) {
					for _, number := range []uint64{
						sim.Mix(sim.Mix(from^sim.Hash(prefix)) ^ n), sim.Mix(from ^ sim.Hash(prefix) ^ n),
						sim.Mix(from + n), sim.Mix(sim.Mix(from) ^ n), from ^ n, from + n,
					} {
						mixed[sim.ID(prefix, number)] = true
					}
				}
			}
		}
		shown := 0
		for _, table := range identified {
			for _, e := range l.entries(table) {
				if shown++; mixed[e.ID] {
					t.Errorf("%s: the id %s can be followed to the world", l.label, e.ID)
				}
			}
		}
		if shown < 20 {
			t.Errorf("%s: %d ids show nothing", l.label, shown)
		}
	}
}
