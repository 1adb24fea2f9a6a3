package statistic

import (
	"math"
	"testing"
)

func TestPassHatIsTheShareOfTheChoices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		worlds []Tries
		want   []float64
	}{
		{nil, nil},
		{[]Tries{{4, 2}}, []float64{1. / 2, 1. / 6, 0, 0}},
		{[]Tries{{3, 3}, {3, 0}}, []float64{1. / 2, 1. / 2, 1. / 2}},
		{[]Tries{{3, 2}, {2, 2}}, []float64{5. / 6, 2. / 3}},
		{[]Tries{{1, 1}, {0, 0}}, nil},
	} {
		got := PassHat(c.worlds)
		if len(got) != len(c.want) {
			t.Errorf("of %v: got %v, want %v", c.worlds, got, c.want)
			continue
		}
		for k, want := range c.want {
			if math.Abs(got[k]-want) > 1e-12 {
				t.Errorf("of %v: pass^%d is %g, want %g", c.worlds, k+1, got[k], want)
			}
		}
	}
}

func TestAnIntervalIsThatOfStudent(t *testing.T) {
	t.Parallel()
	if mean, margin := Interval([]float64{5}); mean != 5 || margin != 0 {
		t.Errorf("of one value: %g ± %g", mean, margin)
	}
	// Standard deviation 1, three values: 4.303 / sqrt(3).
	if mean, margin := Interval([]float64{1, 2, 3}); mean != 2 || math.Abs(margin-2.4843) > 1e-3 {
		t.Errorf("of three values: %g ± %g", mean, margin)
	}
	many := make([]float64, 1000)
	for i := range many {
		many[i] = float64(i % 2)
	}
	if mean, margin := Interval(many); math.Abs(mean-0.5) > 1e-9 || math.Abs(margin-0.03103) > 1e-4 {
		t.Errorf("of many values: %g ± %g", mean, margin)
	}
}

func TestStudentsQuantilesFallToTheNormal(t *testing.T) {
	t.Parallel()
	for freedom := 2; freedom < 2000; freedom++ {
		if student(freedom) >= student(freedom-1) {
			t.Fatalf("%g for %d degrees of freedom, %g for one less", student(freedom), freedom, student(freedom-1))
		}
	}
	for freedom, want := range map[int]float64{1: 12.706, 30: 2.042, 40: 2.021, 60: 2.000, 120: 1.980} {
		if got := student(freedom); math.Abs(got-want) > 0.0011 {
			t.Errorf("%g for %d degrees of freedom, want %g", got, freedom, want)
		}
	}
}
