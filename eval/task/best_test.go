package task

import (
	"testing"

	"platen/eval/oracle"
)

// TestTheOracleReachesTheBestAndNoMore: its play comes to the bound that is computed before, so the bound
// is both possible and the most.
func TestTheOracleReachesTheBestAndNoMore(t *testing.T) {
	t.Parallel()
	p := shared()
	for _, name := range []string{"paper-out", "gang-up"} {
		k := named(t, name)
		outcome := k.Checks[len(k.Checks)-1].All
		for _, seed := range played() {
			s := prepareAll(t, p, k, seed)[0]
			w := newWorld(s.Sandbox, p.BaseURL)
			w.named = k.drawn(World{Seed: seed}.key(k))
			if err := w.let(t.Context(), k); err != nil {
				t.Fatal(err)
			}
			best := w.named[k.Let[0].Name]
			player := oracle.NewPlayer(p.BaseURL, s.Keys(), s.Files)
			if _, err := oracle.Solutions()[name](t.Context(), player); err != nil {
				t.Fatal(err)
			}
			w.forget()
			if got, err := w.total(t.Context(), &outcome[len(outcome)-1]); got != best || err != nil {
				t.Errorf("%s, seed %d: the oracle comes to %s, the best is %s, %v", name, seed, got, best, err)
			}
		}
	}
}

// TestAPartOfTheBestIsWorthItsShare, and never more than all of it; where less is better, too.
func TestAPartOfTheBestIsWorthItsShare(t *testing.T) {
	t.Parallel()
	worth := Predicate{Sum: "/office/sales-orders", Field: "total_minor", From: "0", To: "${best}"}
	runs := Predicate{Count: "/factory/print-runs", From: "6", To: "${fewest}"}
	w := &world{named: map[string]string{"best": "100", "fewest": "1"}}
	for _, c := range []struct {
		of   *Predicate
		is   string
		want float64
	}{
		{&worth, "-5", 0}, {&worth, "0", 0}, {&worth, "25", 0.25}, {&worth, "100", 1}, {&worth, "140", 1},
		{&runs, "9", 0}, {&runs, "6", 0}, {&runs, "2", 0.8}, {&runs, "1", 1},
	} {
		share, why, err := w.way(t.Context(), c.of, c.is)
		if share != c.want || (why == "") != (c.want == 1) || err != nil {
			t.Errorf("%s of %s is worth %g (%s), want %g, %v", c.is, c.of.To, share, why, c.want, err)
		}
	}
}
