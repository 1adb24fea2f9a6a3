//go:build race

package contract

// underRace says that memory is watched, which makes everything many times
// slower: fewer tests run together, or their calls would wait for each other
// longer than a receiver has for its answer, and answers are not held against
// the document. They were, by the same tests without the detector.
const (
	underRace   = true
	testsAtOnce = 12
)
