package sim_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"platen/internal/company/sim"
)

// TestDrawsAreWhatTheyWere: each value is fixed for ever, since every seed's
// world is made of them. A second implementation, in Python, agreed with them
// and with the golden counts below.
func TestDrawsAreWhatTheyWere(t *testing.T) {
	t.Parallel()
	s := sim.NewStream(1, "demand.n")
	for _, c := range []struct {
		got, want any
	}{
		{sim.Mix(0), uint64(0xe220a8397b1dcdaf)}, // the first output of SplitMix64 from 0
		{sim.Mix(0x9e3779b97f4a7c15), uint64(0x6e789e6aa1b965f4)},
		{sim.Hash(""), uint64(0xcbf29ce484222325)}, // the offset basis of FNV
		{sim.Hash("foobar"), uint64(0x85944171f73967e8)},
		{s.Draw(), uint64(0x9b316786a13bee49)}, {s.Draw(0), uint64(0x795ec12bd94cf3f1)},
		{s.Draw(1), uint64(0xcbb5966c62adb034)}, {s.Draw(1, 2), uint64(0x648b682fa665980d)},
		{s.Draw(-1), uint64(0x96096b0b92645269)}, {s.Below(6, 1), int64(4)}, {s.PPM(1), int64(795_739)},
		{s.Normal(1), int64(263_488)}, {s.Poisson(9*sim.Million, 1), 11}, {sim.ID("so", 0), "so_0000000000000"},
		{sim.ID("so", 1), "so_0000000000001"}, {sim.ID("wo", math.MaxUint64), "wo_fzzzzzzzzzzzz"},
	} {
		if c.got != c.want {
			t.Errorf("got %#v, want %#v", c.got, c.want)
		}
	}
}

// TestBelowIsEven: a hundred thousand fixed draws over ten values.
func TestBelowIsEven(t *testing.T) {
	t.Parallel()
	s := sim.NewStream(1, "even")
	counts := make([]int, 10)
	for i := range int64(100_000) {
		counts[s.Below(10, i)]++
	}
	if want := []int{9905, 9985, 10040, 9983, 10102, 10033, 9940, 9855, 10069, 10088}; !slices.Equal(counts, want) {
		t.Errorf("counts are %v, want %v", counts, want)
	}
	for _, n := range []int64{1, 2, 1 << 40, math.MaxInt64} {
		for i := range int64(1000) {
			if v := s.Below(n, i); v < 0 || v >= n {
				t.Fatalf("Below(%d) is %d", n, v)
			}
		}
	}
}

// TestStreamsAndCoordinatesAreIndependent: no two of many neighbouring draws
// are alike.
func TestStreamsAndCoordinatesAreIndependent(t *testing.T) {
	t.Parallel()
	seen := map[uint64]string{}
	for seed := range uint64(20) {
		for _, name := range []string{"demand.n", "demand.t", "sick", "spoil.prs_offset"} {
			for i := range int64(20) {
				for j := range int64(20) {
					key := fmt.Sprint(seed, name, i, j)
					v := sim.NewStream(seed, name).Draw(i, j)
					if other, twice := seen[v]; twice {
						t.Fatalf("%s and %s draw the same", key, other)
					}
					seen[v] = key
				}
			}
		}
	}
}

// TestPoissonCounts: ten thousand fixed draws each, their sum and the first
// counts of the distribution.
func TestPoissonCounts(t *testing.T) {
	t.Parallel()
	s := sim.NewStream(1, "poisson")
	for _, c := range []struct {
		mean int64
		want string
	}{
		{0, "0 [10000 0 0 0 0] 0 0"},
		{500_000, "5124 [5985 3081 779 135 20] 0 0"},
		{3_000_000, "30115 [474 1533 2187 2247 1714] 24 0"},
		{9_000_000, "90352 [2 9 45 149 319] 1322 0"},
		{30_000_000, "300610 [0 0 0 0 0] 0 713"},
	} {
		sum, counts := 0, make([]int, 101)
		for i := range int64(10_000) {
			n := s.Poisson(c.mean, i)
			sum += n
			counts[n]++
		}
		if got := fmt.Sprint(sum, counts[:5], counts[9], counts[30]); got != c.want {
			t.Errorf("mean %d: got %q, want %q", c.mean, got, c.want)
		}
		// Five standard errors of the mean, so that a wrong golden value shows.
		if mean := float64(c.mean) / sim.Million; math.Abs(float64(sum)/10_000-mean) > 5*math.Sqrt(mean/10_000) {
			t.Errorf("mean %d: ten thousand draws add up to %d", c.mean, sum)
		}
	}
}

// TestSkewBendsTowardsZero: it grows, stays within its bounds and is u to the
// power of 27/16.
func TestSkewBendsTowardsZero(t *testing.T) {
	t.Parallel()
	last := int64(0)
	for u := range int64(sim.Million + 1) {
		v := sim.Skew(u)
		if v < last || v > u {
			t.Fatalf("Skew(%d) is %d, the one before it %d", u, v, last)
		}
		if want := math.Pow(float64(u)/sim.Million, 27.0/16) * sim.Million; math.Abs(float64(v)-want) > 1.001 {
			t.Fatalf("Skew(%d) is %d, want %g", u, v, want)
		}
		last = v
	}
	for u, want := range map[int64]int64{0: 0, 1: 0, 500_000: 310_464, 999_999: 999_998, sim.Million: sim.Million} {
		if got := sim.Skew(u); got != want {
			t.Errorf("Skew(%d) is %d, want %d", u, got, want)
		}
	}
}

// TestExpIsThePowerOfE to the last part per million, or to nine digits where
// the value has more, and never falls.
func TestExpIsThePowerOfE(t *testing.T) {
	t.Parallel()
	last := int64(-1)
	for ppm := int64(-20 * sim.Million); ppm <= 20*sim.Million; ppm += 97 {
		got, want := sim.Exp(ppm), math.Exp(float64(ppm)/sim.Million)*sim.Million
		if off := math.Abs(float64(got) - want); off > 0.5+1e-9*want {
			t.Fatalf("Exp(%d) is %d, want %.3f", ppm, got, want)
		}
		if got < last {
			t.Fatalf("Exp(%d) is %d, less than %d before it", ppm, got, last)
		}
		last = got
	}
	for ppm, want := range map[int64]int64{
		0: sim.Million, 1: 1_000_001, -1: 999_999, sim.Million: 2_718_282, -sim.Million: 367_879,
		3 * sim.Million: 20_085_537, -3 * sim.Million: 49_787, -20 * sim.Million: 0,
	} {
		if got := sim.Exp(ppm); got != want {
			t.Errorf("Exp(%d) is %d, want %d", ppm, got, want)
		}
	}
}

// TestNormalIsNormal enough: a million fixed draws, bounded by six deviations.
func TestNormalIsNormal(t *testing.T) {
	t.Parallel()
	const draws = 1_000_000
	s := sim.NewStream(1, "normal")
	sum, squares, beyond := 0.0, 0.0, [3]int{}
	for i := range int64(draws) {
		v := s.Normal(i)
		if v < -6*sim.Million || v > 6*sim.Million {
			t.Fatalf("Normal(%d) is %d", i, v)
		}
		x := float64(v) / sim.Million
		sum, squares = sum+x, squares+x*x
		for k := range beyond {
			if math.Abs(x) > float64(k+1) {
				beyond[k]++
			}
		}
	}
	mean := sum / draws
	deviation := math.Sqrt(squares/draws - mean*mean)
	if math.Abs(mean) > 0.005 || math.Abs(deviation-1) > 0.005 {
		t.Errorf("mean %g and deviation %g, want 0 and 1", mean, deviation)
	}
	// Of a true normal 31.73, 4.55 and 0.27 per cent lie beyond one, two and
	// three deviations; the sum of twelve has thinner tails.
	for k, want := range []float64{0.3173, 0.0455, 0.0027} {
		if got := float64(beyond[k]) / draws; math.Abs(got-want) > 0.25*want {
			t.Errorf("%g lie beyond %d deviations, want about %g", got, k+1, want)
		}
	}
}
