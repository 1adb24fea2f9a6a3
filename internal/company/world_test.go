package company_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"platen/internal/company/lore"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/words/event"
)

func (l *life) loreEvents() []lore.Event { return rowsOf[lore.Event](l, "lore_event") }

// disruptionsOf are the lore events of a life that disrupt something.
func (l *life) disruptionsOf() []lore.Event {
	return slices.DeleteFunc(l.loreEvents(), func(e lore.Event) bool { return e.Disruption == nil })
}

// TestTheFirstDisruptionComesWithinTheFirstDays, whatever the seed, and what
// follows keeps the rules: two at most at once, never two of a kind, each as
// long as its kind is, each over when its row says so.
func TestTheFirstDisruptionComesWithinTheFirstDays(t *testing.T) {
	t.Parallel()
	seen := map[event.DisruptionKind]map[lore.Severity]bool{}
	for _, name := range []string{"starter", "crunch"} {
		bounds := presetNamed(t, name).Disruptions
		for seed := range few(12, 30) {
			l := idle(t, name, seed, func(p *preset.Preset) { p.Disruptions = bounds })
			l.until(60)
			all := l.disruptionsOf()
			first := sim.DayFrom(all[0].StartedOn)
			if first < 3 || first > 6 {
				t.Errorf("%s: the first disruption comes on day %d", l.label, first)
			}
			for i, e := range all {
				d := e.Disruption
				if seen[d.Kind] == nil {
					seen[d.Kind] = map[lore.Severity]bool{}
				}
				seen[d.Kind][d.Severity] = true
				days := int(sim.DayFrom(d.EndsOn) - sim.DayFrom(e.StartedOn))
				if want := lengths[d.Kind]; days < want[0] || days > want[1] {
					t.Errorf("%s: a %s takes %d days, want %v", l.label, d.Kind, days, want)
				}
				at := 0
				for _, other := range all[:i] {
					if other.Disruption.EndsOn > e.StartedOn {
						at++
						if other.Disruption.Kind == d.Kind {
							t.Errorf("%s: two of %s at once", l.label, d.Kind)
						}
					}
				}
				if at > 1 {
					t.Errorf("%s: on %s there are %d others", l.label, e.StartedOn, at)
				}
				today := l.company.Summary().Now.Date()
				if e.Status == lore.EventOver && d.EndsOn > today || e.Status == lore.EventRunning && d.EndsOn < today {
					t.Errorf("%s: it is %s, and what ends on %s is %s", l.label, today, d.EndsOn, e.Status)
				}
			}
			checkFeed(t, l)
		}
	}
	for kind := range lengths {
		if want := 3; len(seen[kind]) != want && kind != event.PowerCut {
			t.Errorf("of %s there were the severities %v", kind, seen[kind])
		}
	}
}

// lengths are how many days after its start a disruption can end.
var lengths = map[event.DisruptionKind][2]int{
	event.PaperShortage: {5, 9}, event.CourierStrike: {2, 4}, event.FluWave: {3, 6}, event.PressFault: {1, 3},
	event.PowerCut: {0, 0}, event.TradeFair: {4, 7}, event.PaymentOutage: {2, 4}, event.HeatWave: {3, 5},
}

// idle is a company in which nothing moves but what the test lets.
func idle(t reporter, name string, seed uint64, change ...func(*preset.Preset)) *life {
	t.Helper()
	return quiet(t, name, seed, append([]func(*preset.Preset){func(p *preset.Preset) {
		steady(p)
		p.Lots, p.Payroll.Paid, p.NegativeClosesToBankrupt = preset.Lots{}, false, 250
	}}, change...)...)
}

// TestADisruptionEndsWhenItSaysSo: the event of its end is of that day, and a
// power cut is over at noon.
func TestADisruptionEndsWhenItSaysSo(t *testing.T) {
	t.Parallel()
	for kind := range lengths {
		l := disrupted(t, "starter", kind)
		e := l.disruptionsOf()[0]
		if got := l.company.Summary().Disruptions; len(got) != 1 || got[0].LoreEventID != e.ID || got[0].Kind != kind ||
			got[0].EndsOn != e.Disruption.EndsOn {
			t.Errorf("%s: at a glance there runs %+v, want %+v", l.label, got, e)
		}
		began, ended := l.bodiesOf("world.lore_event.started"), l.bodiesOf("sandbox.disruption.ended")
		if len(began) != 1 || began[0].Data.ID != e.ID || began[0].Data.Status != "running" ||
			began[0].Links.Self != "/sandbox/lore-events/"+e.ID || len(ended) != 0 {
			t.Fatalf("%s: it begins with %+v and %+v", l.label, began, ended)
		}
		ends := sim.DayFrom(e.Disruption.EndsOn).Open()
		if kind == event.PowerCut {
			ends += 240
		}
		for left := int(ends-l.company.Summary().Now) - 1; left > 0; left = int(ends-l.company.Summary().Now) - 1 {
			l.must(tick(min(left, 480)))
		}
		if len(l.bodiesOf("sandbox.disruption.ended")) != 0 {
			t.Errorf("%s: the %s is over before its time", l.label, kind)
		}
		l.must(tick(1))
		ended = l.bodiesOf("sandbox.disruption.ended")
		if len(ended) != 1 || ended[0].Data.ID != e.ID || ended[0].Data.Status != "over" ||
			ended[0].SimDate != e.Disruption.EndsOn || ended[0].Links.Self != "/sandbox/lore-events/"+e.ID {
			t.Errorf("%s: it ends with %+v", l.label, ended)
		}
		if got := l.company.Summary().Disruptions; len(got) != 0 {
			t.Errorf("%s: at its end there runs %+v", l.label, got)
		}
		checkFeed(t, l)
	}
}

// disrupted is a company of the preset on the morning of day 3, when a
// disruption of a kind has begun and nothing else happens. Which seed has it
// is found by trying.
func disrupted(t reporter, name string, kind event.DisruptionKind, change ...func(*preset.Preset)) *life {
	t.Helper()
	const seeds = 200
	for seed := uint64(0); ; seed++ {
		l := idle(t, name, seed, append([]func(*preset.Preset){stormy}, change...)...)
		l.until(3)
		if l.disruptionsOf()[0].Disruption.Kind == kind {
			return l
		}
		if seed == seeds {
			t.Fatalf("no seed begins with a %s", kind)
		}
	}
}

// stormy lets the first disruption begin on day 3, and hardly ever another.
func stormy(p *preset.Preset) {
	p.Disruptions = preset.Disruptions{EveryDays: 250, FirstDays: [2]int64{3, 3}, MostAtOnce: 1}
}

// spared is the same company in a world without disruptions.
func (l *life) spared(name string, change ...func(*preset.Preset)) *life {
	l.t.Helper()
	twin := idle(l.t, name, l.company.Settings().Seed, change...)
	twin.until(l.company.Summary().Now.Day())
	return twin
}

// told returns the lore events of a world, without ids and wall times.
func (l *life) told() []string {
	var told []string
	for _, e := range l.loreEvents() {
		disruption := ""
		if e.Disruption != nil {
			disruption = fmt.Sprintf("%+v", *e.Disruption)
		}
		told = append(told, fmt.Sprint(e.StartedOn, e.Kind, e.Title, e.Status, disruption))
	}
	return told
}

// TestTheWorldDoesNotDependOnTheClient: who does nothing, who works all day,
// and who lets weeks pass at once meet the same disruptions and hear the same
// stories.
func TestTheWorldDoesNotDependOnTheClient(t *testing.T) {
	t.Parallel()
	for seed := range few(2, 6) {
		passive := live(t, presetNamed(t, "crunch"), seed, sim.Manual, usual)
		busy := live(t, presetNamed(t, "crunch"), seed, sim.Manual, usual)
		asleep := live(t, presetNamed(t, "crunch"), seed, sim.Realtime, usual)
		passive.until(20)
		stewarded(busy, 20)
		asleep.must(wait(20 * time.Minute))
		if len(passive.told()) < 4 {
			t.Errorf("%s: %v is too little to compare", passive.label, passive.told())
		}
		if !slices.Equal(busy.told(), passive.told()) || !slices.Equal(asleep.told(), passive.told()) {
			t.Errorf("%s: the passive client is told\n%v, the busy one\n%v, the sleeping one\n%v",
				passive.label, passive.told(), busy.told(), asleep.told())
		}
	}
}

// TestNoTaleIsToldTwiceInALife of ninety days, as long as there are tales; and
// the first one comes early, so that the list is not empty for long.
func TestNoTaleIsToldTwiceInALife(t *testing.T) {
	t.Parallel()
	const tales = 5 // of a kind of disruption
	for seed := range uint64(12) {
		l := idle(t, "crunch", seed, func(p *preset.Preset) {
			whole := presetNamed(t, "crunch")
			p.Disruptions, p.Stories = whole.Disruptions, whole.Stories
		})
		l.until(90)
		titles, kinds := map[string]bool{}, map[event.DisruptionKind]int{}
		for i, e := range l.loreEvents() {
			if i == 0 && (e.Disruption != nil || sim.DayFrom(e.StartedOn) > 2) {
				t.Errorf("%s: the first story is %+v", l.label, e)
			}
			kind := event.DisruptionKind("")
			if e.Disruption != nil {
				kind = e.Disruption.Kind
			}
			kinds[kind]++
			if titles[e.Title] && (kind == "" || kinds[kind] <= tales) {
				t.Errorf("%s: %q is told again", l.label, e.Title)
			}
			titles[e.Title] = true
			if len(strings.Fields(e.Story)) < 10 || !strings.HasSuffix(e.Story, ".") {
				t.Errorf("%s: %q is no story: %s", l.label, e.Title, e.Story)
			}
			if e.Disruption == nil && (e.Status != lore.EventOver || len(titles) == 0) {
				t.Errorf("%s: a story is %s", l.label, e.Status)
			}
		}
		if kinds[""] < 3 {
			t.Errorf("%s: ninety days had %d stories", l.label, kinds[""])
		}
	}
}

// TestTheWorldOfABankruptCompanyStops: what runs at its end runs for ever, its
// presses stay down, and no story is told.
func TestTheWorldOfABankruptCompanyStops(t *testing.T) {
	t.Parallel()
	down := 0
	for seed := range uint64(20) {
		p := presetNamed(t, "starter")
		p.Demand.PerDay, p.Documents, p.CashMinor, p.OverdraftLimitMinor = 0, false, 1, 0
		p.Disruptions.FirstDays = [2]int64{9, 9}
		l := live(t, p, seed, sim.Realtime, usual)
		l.must(wait(time.Hour))
		if !l.company.Bankrupt() {
			t.Fatalf("%s: the company lives on", l.label)
		}
		before, told := l.company.StateHash(), len(l.events)
		down += l.company.Summary().Presses.Down
		l.must(wait(100 * time.Hour))
		if l.company.StateHash() != before || len(l.events) != told || l.company.Summary().Now.Day() != 9 {
			t.Errorf("%s: after the end the world went on", l.label)
		}
		if d := l.disruptionsOf(); len(d) != 1 ||
			d[0].Disruption.Kind != event.PowerCut && d[0].Status != lore.EventRunning {
			t.Errorf("%s: at the end there are %+v", l.label, d)
		}
		if err := l.company.Check(); err != nil {
			t.Errorf("%s: %v", l.label, err)
		}
	}
	if down == 0 {
		t.Error("no company has ended with a press that is down")
	}
}
