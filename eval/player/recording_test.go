package player

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"platen/internal/company"
	"platen/internal/company/preset"
)

func builtin(t *testing.T, name string) preset.Preset {
	t.Helper()
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return presets[name]
}

// TestARecordingSentInItsOwnWorldIsTheSameGame: what stands for an id leads to the record
// that was meant.
func TestARecordingSentInItsOwnWorldIsTheSameGame(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"starter", "manual"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := Game{
				Settings: company.Settings{Preset: builtin(t, name), Seed: 3}, Policy: Good(), Days: []int{5, 20},
			}
			recorded := &recorder{inside: newInside(theTable(), g.Settings)}
			want, err := g.through(recorded)
			if err != nil {
				t.Fatal(err)
			}
			again := newInside(theTable(), g.Settings)
			got, err := g.with(again, &parrot{door: again, steps: recorded.steps})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.WorthMinor, want.WorthMinor) {
				t.Errorf("sent again the game came to %v, the first time to %v", got.WorthMinor, want.WorthMinor)
			}
			if a, b := again.company.BusinessHash(), recorded.company.BusinessHash(); a != b {
				t.Errorf("sent again the game ended as %s, the first time as %s", a, b)
			}
			for _, s := range recorded.steps {
				if businessID.MatchString(s.id) || businessID.MatchString(s.body) {
					t.Fatalf("a recorded step names a record of its own world: %+v", s)
				}
			}
		})
	}
}

// TestABlindPlayerMeansOtherRecords: in another world the same numbers are other orders,
// and what is right for one is wrong for another.
func TestABlindPlayerMeansOtherRecords(t *testing.T) {
	t.Parallel()
	play := func(p Policy) Result {
		g := Game{Settings: company.Settings{Preset: builtin(t, "starter"), Seed: 3}, Policy: p, Days: []int{30}}
		r, err := g.Play()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	seeing, blindly := play(Good()), play(Blind())
	if blindly.Refused < 100 || blindly.WorthMinor[0] >= seeing.WorthMinor[0] {
		t.Errorf("blind replay came to %s with %d refusals, good play to %s",
			blindly.WorthMinor[0], blindly.Refused, seeing.WorthMinor[0])
	}
}

// TestGamesAreRepeatable, those of chance too.
func TestGamesAreRepeatable(t *testing.T) {
	t.Parallel()
	for _, p := range Policies() {
		g := Game{Settings: company.Settings{Preset: builtin(t, "crunch"), Seed: 4}, Policy: p, Days: []int{6}}
		first, err := g.Play()
		if err != nil {
			t.Fatal(err)
		}
		second, err := g.Play()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(first.WorthMinor, second.WorthMinor) || first.Refused != second.Refused {
			t.Errorf("%s came to %+v, and then to %+v", p.Name, first, second)
		}
	}
}

// TestTheOracleIsNeverBehindWatchfulPlay, which is one of its plans, nor behind good play, which is another.
func TestTheOracleIsNeverBehindWatchfulPlay(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		settings := company.Settings{Preset: builtin(t, "agent_eval"), Seed: seed}
		days := []int{10, 20}
		foreseen, err := (&Game{Settings: settings, Policy: Oracle(), Days: days}).Play()
		if err != nil {
			t.Fatal(err)
		}
		var before []Result
		for _, plan := range []Policy{Good(), Watchful()} {
			played, err := (&Game{Settings: settings, Policy: plan, Days: days}).Play()
			if err != nil {
				t.Fatal(err)
			}
			before = append(before, played)
			for i, day := range days {
				if foreseen.WorthMinor[i] < played.WorthMinor[i] {
					t.Errorf("seed %d: by day %d the oracle has %s, %s play %s",
						seed, day, foreseen.WorthMinor[i], plan.Name, played.WorthMinor[i])
				}
			}
		}
		again, err := (&Game{Settings: settings, Policy: Oracle(), Days: days, Played: before}).Play()
		if err != nil || !reflect.DeepEqual(again, foreseen) {
			t.Errorf("seed %d: where two plans were played before, the oracle has %+v, else %+v, %v",
				seed, again, foreseen, err)
		}
	}
}

// TestPlayersHaveNamesOfTheirOwn: results are found by them.
func TestPlayersHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range slices.Concat(Policies(), Exploiters()) {
		if seen[p.Name] || p.Name == "" || !strings.HasSuffix(p.Text, ".") {
			t.Errorf("the player %q is not well named, or described by %q", p.Name, p.Text)
		}
		seen[p.Name] = true
	}
}
