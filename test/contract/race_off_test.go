//go:build !race

package contract

// testsAtOnce is how many tests run together. Most of them wait for a clock
// that can be moved once a second, so there are far more than processors.
const (
	underRace   = false
	testsAtOnce = 64
)
