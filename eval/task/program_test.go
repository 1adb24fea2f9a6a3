package task

import (
	"encoding/json"
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
// defects left in it it has seven tenths at most.
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

// TestAProgramThatDoesNotEndWellHasNothing, and the grade says why.
func TestAProgramThatDoesNotEndWellHasNothing(t *testing.T) {
	t.Parallel()
	testclient.Need(t, "python3")
	k := named(t, "repair")
	s := prepareAll(t, shared(), k, 1)[0]
	sound := string(repaired(t, s))
	_ = sound
	for text, why := range map[string]string{
		"":                                   "no program was filed",
		strings.Repeat("#", MaxProgram+1):    "and may have",
		"import sys\nsys.exit('it is late')": "start 1 of 8 of the program ended with status 1: it is late",
		"while True: print('x' * 1000)":      "printed more than",
		"def":                                "ended with status 1: SyntaxError",
		"import os\nif os.path.exists('n'): os._exit(3)\nopen('n', 'w')": "start 2 of 8 of the program ended with status 3",
	} {
		g := judged(t, k, s, filed(t, text))
		if g.Score != 0 || g.Passed || !strings.Contains(g.Void, why) {
			t.Errorf("the program %.40q scores %g: %s", text, g.Score, shown(g))
		}
	}
}
