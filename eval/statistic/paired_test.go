package statistic_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"platen/eval/statistic"
)

// TestEqualPlayersAreSeldomToldApart draws many comparisons of equal players, whose results are skewed as those of
// companies are: a lucky world is worth far more than the others.
func TestEqualPlayersAreSeldomToldApart(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	result := func() float64 { return math.Exp(2 * random.NormFloat64()) }
	for worlds, comparisons := range map[int]int{5: 600, 6: 600, 8: 600, 10: 600, 20: 120} {
		claims, outside := 0, 0
		for range comparisons {
			differences := make([]float64, worlds)
			for i := range differences {
				differences[i] = result() - result()
			}
			p := statistic.Compare(differences)
			if p.Proven() {
				claims++
			}
			if p.Low != nil && (*p.Low > 0 || *p.High < 0) {
				outside++
			}
		}
		// One in 20 is wrong on average, and more than one in 11 in one of a thousand tests.
		if claims > comparisons/11 || outside > comparisons/11 {
			t.Errorf("%d worlds: %d of %d equal pairs told apart, %d intervals without 0; want one in 20 at most",
				worlds, claims, comparisons, outside)
		}
	}
}

func TestABetterPlayerIsTold(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for _, worlds := range []int{8, 12, 30} {
		differences := make([]float64, worlds)
		for i := range differences {
			differences[i] = 100 + 40*random.NormFloat64()
		}
		p := statistic.Compare(differences)
		if !p.Proven() || p.Low == nil || *p.Low <= 0 || *p.High < p.Mean {
			t.Errorf("%d worlds: %+v, want a proven lead of 100", worlds, p)
		}
	}
}

func TestFlippingTheFilesFlipsTheSign(t *testing.T) {
	t.Parallel()
	for _, differences := range [][]float64{
		{5, -1, 7, 3, 9, -2, 4}, {1, 2, 3, 4, 5, 6}, slices.Repeat([]float64{3, -1, 8, 2}, 10),
	} {
		flipped := make([]float64, len(differences))
		for i, d := range differences {
			flipped[i] = -d
		}
		one, other := statistic.Compare(differences), statistic.Compare(flipped)
		if one.Mean != -other.Mean || one.Ahead != other.Behind || one.Proven() != other.Proven() ||
			one.Luck != other.Luck || *one.Low != -*other.High || *one.High != -*other.Low {
			t.Errorf("%v: %+v, and flipped %+v", differences, one, other)
		}
	}
}

func TestFewWorldsProveNothing(t *testing.T) {
	t.Parallel()
	for worlds := range 6 {
		p := statistic.Compare(slices.Repeat([]float64{1000}, worlds))
		if p.Proven() || p.Low != nil {
			t.Errorf("%d worlds: %+v, want nothing proven", worlds, p)
		}
	}
	five := statistic.Compare([]float64{1, 1, 1, 1, 1})
	if want := 2.0 / 32; five.Luck != want {
		t.Errorf("a lead in five worlds of five is luck with %g, want %g", five.Luck, want)
	}
	if six := statistic.Compare([]float64{1, 1, 1, 1, 1, 1}); !six.Proven() || six.Luck != 2.0/64 {
		t.Errorf("a lead in six worlds of six: %+v, want it proven", six)
	}
}

func TestPlayersWhoAreLevelEverywhereAreEqual(t *testing.T) {
	t.Parallel()
	p := statistic.Compare(make([]float64, 20))
	if p.Proven() || p.Luck != 1 || *p.Low != 0 || *p.High != 0 || p.Level != 20 {
		t.Errorf("%+v, want no difference", p)
	}
}

func TestPassAnyIsOneLessThatAllFail(t *testing.T) {
	t.Parallel()
	got := statistic.PassAny([]statistic.Tries{{All: 3, Passed: 1}, {All: 3, Passed: 3}})
	for i, want := range []float64{(1.0/3 + 1) / 2, (2.0/3 + 1) / 2, 1} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("pass@%d is %g, want %g", i+1, got[i], want)
		}
	}
}
