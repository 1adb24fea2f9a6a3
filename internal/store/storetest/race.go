//go:build race

package storetest

import "flag"

// checksUnderRace is how many random lives a store leads while memory is
// watched: each takes ten times as long, and has its writers meet as often.
const checksUnderRace = "20"

// The command line, read later, has the last word.
func init() { //nolint:gochecknoinits // before the flags are read
	if err := flag.Set("rapid.checks", checksUnderRace); err != nil {
		panic(err)
	}
}
