//go:build !race

package contract

// testsAtOnce is how many tests run together. Some of them wait for a minute of
// the wall clock, so there are more than processors.
const (
	underRace   = false
	testsAtOnce = 64
)
