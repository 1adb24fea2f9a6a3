//go:build race

package storetest

import (
	"flag"
	"testing"
)

// checksUnderRace is how many random lives a store leads while memory is
// watched: each takes ten times as long, and has its writers meet as often.
const checksUnderRace = "20"

// fewerChecks lowers how often the property is tried, unless the command line
// says how often.
func fewerChecks(t *testing.T) {
	t.Helper()
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		if err := checks.Value.Set(checksUnderRace); err != nil {
			t.Fatal(err)
		}
	}
}
