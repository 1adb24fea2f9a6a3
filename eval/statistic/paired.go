package statistic

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// FewestPairs are those from which two players are compared. Even a lead in all of them is not yet more than
	// luck: that takes six.
	FewestPairs = 5
	// luck is the probability from which on a difference is not taken for luck.
	luck = 0.05
	// mostExact is the most pairs of which every choice of signs is tried; of more, draws are.
	mostExact, draws = 14, 20_000
)

// Pairs compares two players by what one came to more than the other in each world that both played.
type Pairs struct {
	Worlds               int
	Ahead, Level, Behind int
	// Mean is the mean difference. The true one is between Low and High in 95 cases of 100, nil where
	// there are too few worlds to say.
	Mean      float64
	Low, High *float64
	// Luck is the probability of a mean difference as great as this one, in either direction, if the players were
	// equally good: if in each world chance alone had said which result is whose. It is 1 below FewestPairs.
	Luck float64
}

// Proven reports whether the difference is more than luck.
func (p *Pairs) Proven() bool { return p.Worlds >= FewestPairs && p.Luck < luck }

// Compare compares players by the differences of what they came to, world by world. It gives the same result
// whenever it is given the same differences.
func Compare(differences []float64) Pairs {
	p := Pairs{Worlds: len(differences), Mean: average(differences), Luck: 1}
	for _, d := range differences {
		switch {
		case d > 0:
			p.Ahead++
		case d < 0:
			p.Behind++
		default:
			p.Level++
		}
	}
	if p.Worlds < FewestPairs {
		return p
	}
	p.Luck = signFlips(differences)
	p.Low, p.High = typical(differences)
	return p
}

// signFlips is the share of all choices of signs whose sum is as far from 0 as that of the differences.
func signFlips(differences []float64) float64 {
	sum, size := 0.0, 0.0
	for _, d := range differences {
		sum += d
		size += math.Abs(d)
	}
	least := math.Abs(sum) - size*rounding
	far, all := 0, 0
	choices(len(differences), func(chosen func(int) bool) {
		other := 0.0
		for i, d := range differences {
			if chosen(i) {
				other += d
			} else {
				other -= d
			}
		}
		all++
		if math.Abs(other) >= least {
			far++
		}
	})
	if len(differences) > mostExact { // the differences themselves are one choice, which no draw may have hit
		far, all = far+1, all+1
	}
	return float64(far) / float64(all)
}

// rounding is how far two equal sums may lie apart, as a part of their size.
const rounding = 1e-12

// typical is the interval that belongs to the choices of signs: the means of all choices of differences divide the
// line into parts in each of which the true mean is equally likely (Hartigan, 1969). It is nil where the
// outermost parts are wider than the interval.
func typical(differences []float64) (low, high *float64) {
	var means []float64
	choices(len(differences), func(chosen func(int) bool) {
		sum, n := 0.0, 0
		for i, d := range differences {
			if chosen(i) {
				sum += d
				n++
			}
		}
		if n > 0 {
			means = append(means, sum/float64(n))
		}
	})
	outside := int(luck / 2 * float64(len(means)+1))
	if outside < 1 {
		return nil, nil
	}
	slices.Sort(means)
	return &means[outside-1], &means[len(means)-outside]
}

// choices calls a function for each choice of n things, or for many drawn ones where there are too many.
//
//nolint:forbidigo // the same draws for the same differences; no company is near
func choices(n int, each func(chosen func(int) bool)) {
	if n <= mostExact {
		for bits := range uint64(1) << n {
			each(func(i int) bool { return bits>>i&1 == 1 })
		}
		return
	}
	random := rand.New(rand.NewPCG(uint64(n), draws))
	words := make([]uint64, (n+63)/64)
	for range draws {
		for i := range words {
			words[i] = random.Uint64()
		}
		each(func(i int) bool { return words[i/64]>>(i%64)&1 == 1 })
	}
}
