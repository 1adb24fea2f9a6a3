//go:build race

package storetest

import (
	"flag"
	"testing"
)

// checksUnderRace is the number of random histories of a store that are run
// under the race detector: each takes ten times as long, and has its writers
// meet as often.
const checksUnderRace = "20"

// fewerChecks lowers the number of runs of the property, unless the command
// line sets it.
func fewerChecks(t *testing.T) {
	t.Helper()
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		if err := checks.Value.Set(checksUnderRace); err != nil {
			t.Fatal(err)
		}
	}
}
