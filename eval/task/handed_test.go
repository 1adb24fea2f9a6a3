package task

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"platen/client"
	"platen/eval/oracle"
	"platen/eval/player"
	"platen/test/testclient"
)

// mends are the changes that bridge.py needs: replace the first occurrence of the one by the other.
var mends = [][2]string{
	{"kind(**row)", "kind(**{name: row[name] for name in kind._fields})"},
	{"HABITS[customers[order.customer_id].payment_habit]", "HABITS.get(customers[order.customer_id].payment_habit, 9)"},
}

// TestTheProgramOfDriftFailsUntilItIsMended: as it is handed over it ends with an error, since
// the API grows; it works where the API does not; and with two lines mended it solves the task.
func TestTheProgramOfDriftFailsUntilItIsMended(t *testing.T) {
	t.Parallel()
	testclient.Need(t, "python3")
	python, err := testclient.Python()
	if err != nil {
		t.Fatal(err)
	}
	p, k := shared(), named(t, "drift")
	run := func(s *Prepared, text string) error {
		file := filepath.Join(t.TempDir(), "bridge.py")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), python, file)
		cmd.Env = append(os.Environ(),
			"PLATEN_URL="+p.BaseURL, "PLATEN_OFFICE_KEY="+s.OfficeKey, "PLATEN_FACTORY_KEY="+s.FactoryKey)
		return cmd.Run()
	}
	grade := func(k *Task, s *Prepared) *Grade {
		g, err := k.Judge(t.Context(), p.BaseURL, s.GradingKey, nil)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	calm := *k
	calm.Faults = nil
	s := prepareAll(t, p, k, 1, 2)
	handed := string(s[0].Files["bridge.py"])
	mended := handed
	for _, m := range mends {
		if !strings.Contains(mended, m[0]) {
			t.Fatalf("the program has no %s", m[0])
		}
		mended = strings.Replace(mended, m[0], m[1], 1)
	}
	if err := run(s[0], handed); err == nil {
		t.Error("the program works as it is handed over")
	}
	const most = 0.1
	if g := grade(k, s[0]); g.Score > most {
		t.Errorf("what the broken program has done scores %g: %s", g.Score, shown(g))
	}
	if err := run(s[1], mended); err != nil {
		t.Errorf("the mended program ends with %v", err)
	}
	if g := grade(k, s[1]); !g.Passed {
		t.Errorf("what the mended program has done scores %g: %s", g.Score, shown(g))
	}
	without := prepareAll(t, p, &calm, 1)[0]
	if err := run(without, handed); err != nil {
		t.Errorf("where the API does not grow the program ends with %v", err)
	}
	if g := grade(&calm, without); !g.Passed {
		t.Errorf("where the API does not grow the program scores %g: %s", g.Score, shown(g))
	}
}

// TestTheAuditIsNotReadFromTheBills: what they say of themselves answers none of its questions.
func TestTheAuditIsNotReadFromTheBills(t *testing.T) {
	t.Parallel()
	p, k := shared(), named(t, "audit")
	read := func(ctx context.Context, player *oracle.Player) (any, error) {
		claims, overpaid, debt, back := []string{}, []string{}, int64(0), int64(0)
		bills := player.Client.SupplierInvoices(ctx, client.ListSupplierInvoicesParams{Kind: "materials"})
		for b, err := range bills {
			more := b.VarianceMinor - b.CreditedMinor
			switch {
			case err != nil:
				return nil, err
			case b.Status == "paid" && more > 0:
				overpaid, back = append(overpaid, b.Number), back+more
			case b.Status != "paid":
				debt += b.MatchedMinor
				if more > 0 {
					claims = append(claims, b.Number)
				}
			}
		}
		slices.Sort(claims)
		slices.Sort(overpaid)
		return map[string]any{"claims": claims, "owed_minor": debt, "overpaid": overpaid, "back_minor": back}, nil
	}
	for _, seed := range Published() {
		if g := try(t, p, k, seed, read); g.Score != 0 {
			t.Errorf("with seed %d the bills alone score %g: %s", seed, g.Score, shown(g))
		}
	}
}

// TestTheAuditWaitsForABookkeeperWhoIsAway: in these worlds nobody records a bill on the day after the trucks.
func TestTheAuditWaitsForABookkeeperWhoIsAway(t *testing.T) {
	t.Parallel()
	p, k := shared(), named(t, "audit")
	for _, seed := range []uint64{50, 141} {
		if g := try(t, p, k, seed, oracle.Solutions()[k.Name]); !g.Passed {
			t.Errorf("with seed %d the oracle scores %g: %s", seed, g.Score, shown(g))
		}
	}
}

// TestThePromisesAreKeptWhereASupplierSendsTwoTrucks: in these worlds an order comes in two parts, each with its bill.
func TestThePromisesAreKeptWhereASupplierSendsTwoTrucks(t *testing.T) {
	t.Parallel()
	p, k := shared(), named(t, "promises")
	for _, seed := range []uint64{103, 127} {
		s, err := k.Prepare(t.Context(), p.BaseURL, "", World{Split: client.SplitDev, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		endWith(t, s)
		if g := tryPrepared(t, p, k, s, oracle.Solutions()[k.Name]); !g.Passed {
			t.Errorf("with seed %d the oracle scores %g: %s", seed, g.Score, shown(g))
		}
	}
}

// TestTheAnswersOfTheAuditCountAlone: a player without one of them loses its weight and no more.
func TestTheAnswersOfTheAuditCountAlone(t *testing.T) {
	t.Parallel()
	p, k := shared(), named(t, "audit")
	s := prepareAll(t, p, k, 1)[0]
	player := oracle.NewPlayer(p.BaseURL, client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey}, s.Files)
	answer, err := oracle.Solutions()[k.Name](t.Context(), player)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range k.Checks {
		partial := maps.Clone(answer.(map[string]any))
		delete(partial, c.All[0].Answer)
		filed, err := json.Marshal(partial)
		if err != nil {
			t.Fatal(err)
		}
		g, err := k.Judge(t.Context(), p.BaseURL, s.GradingKey, filed)
		if want := 1 - c.Weight; err != nil || math.Abs(g.Score-want) > 1e-6 {
			t.Errorf("without %s the score is %g, want %g, %v", c.All[0].Answer, g.Score, want, err)
		}
	}
}

// TestTheMeasureOfShockIsWhatOthersComeTo: the judge plays the two ends of the way by which its score is measured
// in its own process, and the same players come to the same net worth over HTTP.
func TestTheMeasureOfShockIsWhatOthersComeTo(t *testing.T) {
	t.Parallel()
	const days = 15
	p, k := shared(), named(t, "shock")
	for _, other := range []player.Policy{player.Nothing(), player.Greedy()} {
		s := prepareAll(t, p, k, 1)[0]
		w := newWorld(s.Sandbox, p.BaseURL)
		w.seed = 1
		if err := w.let(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		pl := oracle.NewPlayer(p.BaseURL, s.Keys(), s.Files)
		if err := other.PlayRemote(t.Context(), pl.Client, days); err != nil {
			t.Fatal(err)
		}
		if worth, err := w.worthAt(t.Context(), days); worth != w.named[other.Name] || err != nil {
			t.Errorf("%s comes to %s, the judge says %s, %v", other.Name, worth, w.named[other.Name], err)
		}
	}
}
