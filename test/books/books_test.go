package books

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"platen/platentest"
	"platen/test/testclient"
)

// shared is the server of all companies.
var (
	shared *platentest.Platen
	suite  testclient.Suite
)

func TestMain(m *testing.M) {
	flag.Parse()
	shared = platentest.Start(&suite)
	os.Exit(suite.End(m.Run()))
}

// life is a company and how long it is played.
type life struct {
	preset, bridge string
	seed           int64
	days           int
	// parts is how many orders of a hundred go in parts, 0 for a third.
	parts int
	// supplies is at how many looks of a hundred a supplier is made to send two trucks, or to bill twice.
	supplies int
}

func (l life) String() string {
	return fmt.Sprintf("%s%s_%d_%d_days", l.preset, l.bridge, l.seed, l.days)
}

// outcome has the findings of a life.
type outcome struct {
	life

	// last are the books of the last day, audits all checks of all days.
	last     *books
	audits   *tally
	findings []string
}

// play plays a life and audits its books each week.
func (l life) play(t testing.TB) *outcome {
	c := &company{t: t, Sandbox: shared.Sandbox(t, platentest.Options{
		Preset: l.preset, Bridge: l.bridge, Clock: "manual", Seed: &l.seed,
	})}
	p, o := newPlayer(c, l), &outcome{life: l, audits: newTally()}
	defer func() {
		o.audits.add(p.answers)
		if text := p.answers.findings(); text != "" {
			o.findings = append(o.findings, fmt.Sprintf("%s, as it was played:\n%s", l, text))
		}
	}()
	for day := workingDays; day < l.days+workingDays; day += workingDays { // each week, and at its end
		p.to(min(day, l.days))
		o.last = c.open()
		o.last.disputing = p.disputing
		found := audit(o.last)
		o.audits.add(found)
		if all := found.findings(); all != "" {
			o.findings = append(o.findings, fmt.Sprintf("%s, at %v:\n%s", l, object(o.last.status, "clock"), all))
		}
		if text(o.last.status, "status") != "active" {
			break
		}
	}
	return o
}

// judge fails where the books of a life do not add up.
func (o *outcome) judge(t *testing.T) {
	t.Helper()
	for _, finding := range o.findings {
		t.Error(finding)
	}
	t.Logf("%s: %s on day %d, %d events, %d checks", o.life, text(o.last.status, "status"), o.last.today(),
		len(o.last.events), o.audits.total())
}

// Four short lives are played in any run.
var (
	withBridge    = sync.OnceValue(func() *outcome { return life{preset: "starter", seed: 11, days: 15}.play(&suite) })
	withoutBridge = sync.OnceValue(func() *outcome { return life{preset: "manual", seed: 9, days: 15}.play(&suite) })
	inParts       = sync.OnceValue(func() *outcome {
		return life{preset: "starter", bridge: "manual", seed: 73, days: 22, parts: 80}.play(&suite)
	})
	inTrucks = sync.OnceValue(func() *outcome {
		return life{preset: "manual", seed: 25, days: 15, supplies: 30}.play(&suite)
	})
)

func TestTheBooksOfALifeAddUp(t *testing.T) {
	t.Parallel()
	audits := newTally()
	for _, o := range []*outcome{withBridge(), withoutBridge(), inParts(), inTrucks()} {
		o.judge(t)
		audits.add(o.audits)
	}
	expectFloors(t, audits, func(f floor) int { return f.quick })
}

// TestTheBooksOfABankruptCompanyAddUp: it has spent all its cash on paper, of which the last is under way.
func TestTheBooksOfABankruptCompanyAddUp(t *testing.T) {
	t.Parallel()
	c := &company{t: t, Sandbox: shared.Sandbox(t, platentest.Options{
		Preset: "crunch", Clock: "manual", Seed: new(int64(7)),
	})}
	for day := 0; text(c.get("/sandbox"), "status") == "active"; day++ {
		for _, sku := range []string{"mat_coated", "mat_uncoated", "mat_board"} {
			for _, quantity := range []int{1000, 200, 10} { // the last of the cash, too
				c.send(http.MethodPost, quotes, fmt.Sprintf(`{"side":"buy","sku":%q,"quantity":%d}`, sku, quantity),
					"Idempotency-Key", fmt.Sprintf("%s-%d-%d", sku, quantity, day))
			}
		}
		c.send(http.MethodPost, "/sandbox/tick", "{}").Want(http.StatusOK, "")
	}
	b := c.open()
	a := audit(b)
	if found := a.findings(); found != "" || a.checked["worth: a bankrupt company is its liquidation"] != 1 {
		t.Errorf("the books of a bankrupt company: %s", found)
	}
	if !add(100_000, "net_worth_minor", []row{b.status}) ||
		!strings.Contains(audit(b).findings(), "a bankrupt company is its liquidation") {
		t.Error("a thousand more is not noticed")
	}
}

func TestTheBooksOfManyLivesAddUp(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestTheBooksOfALifeAddUp")
	audits := newTally()
	t.Run("lives", func(t *testing.T) {
		for _, l := range manyLives {
			t.Run(l.String(), func(t *testing.T) {
				t.Parallel()
				o := l.play(t)
				o.judge(t)
				audits.add(o.audits)
			})
		}
	})
	expectFloors(t, audits, func(f floor) int { return f.thorough })
}

// manyLives are those of the thorough level.
var manyLives = []life{
	{"starter", "", 101, 60, 0, 10},
	{"starter", "", 201, 60, 0, 10},
	{"starter", "manual", 301, 60, 0, 10},
	{"manual", "", 102, 60, 0, 10},
	{"manual", "", 202, 60, 0, 10},
	{"manual", "auto", 302, 60, 0, 10},
	{"crunch", "", 103, 60, 0, 10},
	{"crunch", "manual", 203, 60, 0, 10},
	{"supply_shock", "", 104, 60, 0, 10},
	{"supply_shock", "manual", 204, 60, 0, 10},
	{"agent_eval", "", 105, 60, 0, 10},
	{"agent_eval", "", 205, 60, 0, 10},
	{"empty", "", 206, 60, 0, 10},
	{"starter", "manual", 401, 60, 80, 10},
	{"starter", "auto", 402, 60, 80, 10},
}

// expectFloors fails where a check had fewer cases than it should: one without a case proves nothing.
func expectFloors(t *testing.T, audits *tally, level func(floor) int) {
	t.Helper()
	for kind, n := range audits.checked {
		if _, ok := floors[kind]; !ok {
			t.Errorf("give %q a floor: it has %d cases", kind, n)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(floors)) {
		n, least := audits.checked[kind], level(floors[kind])
		if n < least {
			t.Errorf("%s: %d cases, at least %d were expected", kind, n, least)
		}
		if testclient.Thorough() {
			t.Logf("%8d %s", n, kind)
		}
	}
}
