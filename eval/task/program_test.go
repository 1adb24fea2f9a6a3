package task

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"platen/client"
	"platen/eval/oracle"
	"platen/test/testclient"
)

// defects are those that the program of repair can have.
func defects(t *testing.T) []string {
	t.Helper()
	return named(t, "repair").Vary["defects"].From
}

// filed is an answer with a program.
func filed(t *testing.T, text string) []byte {
	t.Helper()
	answer, err := json.Marshal(map[string]string{"program": text})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// repaired is the answer with the oracle's program for a prepared world, and some defects left in it.
func repaired(t *testing.T, s *Prepared, left ...string) []byte {
	t.Helper()
	answer, err := oracle.Repaired(oracle.NewPlayer("", client.Keys{}, s.Files), left...)
	if err != nil {
		t.Fatal(err)
	}
	return filed(t, answer.(map[string]string)["program"])
}

// judged is the grade of an answer.
func judged(t *testing.T, k *Task, s *Prepared, answer []byte) *Grade {
	t.Helper()
	g, err := k.Judge(t.Context(), shared().BaseURL, s.GradingKey, answer)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestEachDefectOfTheProgramCosts: as it is handed over the program has a tenth at most, and with any one of the
// defects it has seven tenths at most.
func TestEachDefectOfTheProgramCosts(t *testing.T) {
	t.Parallel()
	testclient.Need(t, "python3")
	k := named(t, "repair")
	for i, s := range prepareAll(t, shared(), k, played()...) {
		if g := judged(t, k, s, filed(t, string(s.Files["bridge.py"]))); g.Score > 0.1 || g.Passed {
			t.Errorf("seed %d: as it was handed over it scores %g: %s", played()[i], g.Score, shown(g))
		}
		for _, d := range defects(t) {
			t.Run(d, func(t *testing.T) {
				t.Parallel()
				g := judged(t, k, s, repaired(t, s, d))
				if g.Score > 0.7 || g.Passed {
					t.Errorf("seed %d: with %s it scores %g: %s", played()[i], d, g.Score, shown(g))
				}
				t.Logf("%s: %g %s", d, g.Score, shown(g))
			})
		}
	}
}

// TestOneMendedDefectIsNotEnough: with the others that its world has drawn the program has less than half.
func TestOneMendedDefectIsNotEnough(t *testing.T) {
	t.Parallel()
	testclient.Need(t, "python3")
	k := named(t, "repair")
	for i, s := range prepareAll(t, shared(), k, played()...) {
		drawn := strings.Split(k.drawn(World{Seed: played()[i]}.key(k))["vary.defects"], ",")
		for j := range drawn {
			left := slices.Delete(slices.Clone(drawn), j, j+1)
			if g := judged(t, k, s, repaired(t, s, left...)); g.Score > 0.4 {
				t.Errorf("seed %d: without %s it scores %g: %s", played()[i], drawn[j], g.Score, shown(g))
			}
		}
	}
}

// TestAProgramThatKnowsItsFieldsWorksWhereNoneAreNew: the fields that it knows are those of a sales order.
func TestAProgramThatKnowsItsFieldsWorksWhereNoneAreNew(t *testing.T) {
	t.Parallel()
	testclient.Need(t, "python3")
	calm, faults := *named(t, "repair"), *named(t, "repair").Faults
	faults.Rules = slices.DeleteFunc(slices.Clone(faults.Rules), func(r client.FaultRuleInput) bool {
		return r.Kind == client.FaultKindGrowth
	})
	calm.Faults = &faults
	s := prepareAll(t, shared(), &calm, 1)[0]
	if g := judged(t, &calm, s, repaired(t, s, "growth")); !g.Passed {
		t.Errorf("it scores %g: %s", g.Score, shown(g))
	}
}

// TestAProgramThatDoesNotEndWellHasNothing, and the grade says why.
func TestAProgramThatDoesNotEndWellHasNothing(t *testing.T) {
	t.Parallel()
	testclient.Need(t, "python3")
	k := named(t, "repair")
	s := prepareAll(t, shared(), k, 1)[0]
	for text, why := range map[string]string{
		"": "no program was filed", strings.Repeat("#", MaxProgram+1): "and may have",
		"import sys\nsys.exit('it is late')": "start 1 of 8 of the program ended with status 1: it is late",
		"while True: print('x' * 1000)":      "start 1 of 8 of the program printed more than",
		"def":                                "ended with status 1: SyntaxError",
		"import os\nif os.path.exists('n'): os._exit(3)\nopen('n', 'w')": "start 2 of 8 of the program ended with",
	} {
		if g := judged(t, k, s, filed(t, text)); g.Score != 0 || g.Passed || !strings.Contains(g.Void, why) {
			t.Errorf("the program %.40q scores %g: %s", text, g.Score, shown(g))
		}
	}
	hasty, program := *k, *k.Program
	program.Seconds, hasty.Program = 1, &program
	const forever = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'while True: pass'])"
	if g := judged(t, &hasty, s, filed(t, forever)); g.Score != 0 || !strings.Contains(g.Void, "within 1 seconds") {
		t.Errorf("a program without an end scores %g: %s", g.Score, shown(g))
	}
}

// TestAProgramThatWritesMoreThanItShouldHasNothing: one that mends everything and hires somebody too, and one that
// lets time pass or finds more in its environment than the address and the keys.
func TestAProgramThatWritesMoreThanItShouldHasNothing(t *testing.T) {
	t.Parallel()
	testclient.Need(t, "python3")
	k := named(t, "repair")
	s := prepareAll(t, shared(), k, 1)[0]
	answer := map[string]string{}
	if err := json.Unmarshal(repaired(t, s), &answer); err != nil {
		t.Fatal(err)
	}
	const variables = `["PLATEN_FACTORY_KEY", "PLATEN_OFFICE_KEY", "PLATEN_URL"]`
	for _, try := range []struct{ more, why string }{
		{
			`call("office", "POST", "/office/employees", {"role": "finisher"}, "hire")`,
			"/office/employees was to be left alone",
		},
		{`assert sorted(set(os.environ) - {"LC_CTYPE"}) == ` + variables + `, os.environ`, ""},
		{`assert os.listdir(".") == ["bridge.py"] or os.path.exists(STATE), os.listdir(".")`, ""},
		{`assert "grd" not in str(call("office", "GET", "/sandbox")), "a grading key"`, ""},
	} {
		text := strings.Replace(answer["program"], "        accept()\n", "        "+try.more+"\n        accept()\n", 1)
		g := judged(t, k, s, filed(t, text))
		if try.why == "" && !g.Passed || try.why != "" && (g.Score != 0 || !strings.Contains(g.Void, try.why)) {
			t.Errorf("with %s it scores %g: %s", try.more, g.Score, shown(g))
		}
	}
}

// TestAProgramIsGradedTheSameEachTime, and its company is gone afterwards.
func TestAProgramIsGradedTheSameEachTime(t *testing.T) {
	t.Parallel()
	testclient.Need(t, "python3")
	k := named(t, "repair")
	s := prepareAll(t, shared(), k, 1)[0]
	answer := repaired(t, s, "busy")
	first := judged(t, k, s, answer)
	if again := judged(t, k, s, answer); !reflect.DeepEqual(first, again) {
		t.Errorf("it is graded\n%s, and before\n%s", shown(again), shown(first))
	}
}

// TestATrialIsGradedTheSameEachTime, whatever fields the API grows while it is looked at.
func TestATrialIsGradedTheSameEachTime(t *testing.T) {
	t.Parallel()
	testclient.Need(t, "python3")
	k := named(t, "repair")
	s := prepareAll(t, shared(), k, 1)[0]
	trial, err := k.Try(t.Context(), shared().BaseURL, s.GradingKey, repaired(t, s))
	if err != nil {
		t.Fatal(err)
	}
	if err := trial.runHere(t.Context()); err != nil || !trial.Over() {
		t.Fatalf("the program was not run to its end: %v", err)
	}
	for range 6 {
		if g, err := trial.Judge(t.Context()); err != nil || !g.Passed {
			t.Errorf("it scores %g, %v: %s", g.Score, err, shown(g))
		}
	}
	if err := trial.End(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestWithoutPythonAProgramIsNotGraded, and the error names what is missing.
func TestWithoutPythonAProgramIsNotGraded(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	const missing = "python3, which is not on the PATH"
	if err := named(t, "repair").Gradable(); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("it can be graded: %v", err)
	}
	if err := named(t, "drift").Gradable(); err != nil {
		t.Errorf("a task without a program cannot be graded: %v", err)
	}
}
