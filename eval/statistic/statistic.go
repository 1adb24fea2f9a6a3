// Package statistic has the estimates that evaluations report.
package statistic

import "math"

// Interval returns the mean of values, and how far the true one may be from it in 95 cases of
// 100, by Student's distribution; 0 for a single value.
func Interval(values []float64) (mean, margin float64) {
	if len(values) < 2 {
		return average(values), 0
	}
	return average(values), student(len(values)-1) * Deviation(values) / math.Sqrt(float64(len(values)))
}

func average(values []float64) float64 {
	mean := 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	return mean
}

// Deviation is the standard deviation of a sample, 0 for a single value.
func Deviation(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	mean, squares := average(values), 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return math.Sqrt(squares / float64(len(values)-1))
}

// student is the two-sided 95 % quantile of Student's distribution, by its degrees of freedom.
func student(freedom int) float64 {
	table := []float64{
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
		2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
	}
	if freedom <= len(table) {
		return table[freedom-1]
	}
	const normal = 1.960
	// The next term of the expansion is exact to a thousandth from here on.
	return normal + 2.4/float64(freedom)
}

// Tries says of one world how many tries there were, and how many of them passed.
type Tries struct{ All, Passed int }

// PassHat estimates pass^k for k from 1 to the tries of each world: the probability that k tries
// of the same world all pass, as the mean over the worlds. It stops at the fewest tries of a world.
func PassHat(worlds []Tries) []float64 {
	var all []float64
	for k := 1; len(worlds) > 0; k++ {
		sum := 0.0
		for _, w := range worlds {
			if w.All < k {
				return all
			}
			// Of all ways to choose k tries, the share that chose k passed ones.
			share := 1.0
			for i := range k {
				share *= float64(max(0, w.Passed-i)) / float64(w.All-i)
			}
			sum += share
		}
		all = append(all, sum/float64(len(worlds)))
	}
	return all
}

// PassAny estimates pass@k for k from 1 to the tries of each world: the probability that at least one of k tries of
// a world passes, as the mean over the worlds. It stops at the fewest tries of a world.
func PassAny(worlds []Tries) []float64 {
	failed := make([]Tries, len(worlds))
	for i, w := range worlds {
		failed[i] = Tries{All: w.All, Passed: w.All - w.Passed}
	}
	all := PassHat(failed)
	for i := range all {
		all[i] = 1 - all[i]
	}
	return all
}
