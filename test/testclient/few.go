package testclient

import (
	"flag"
	"strconv"
)

// Few is how much is tried of things that are alike: few, and all in make check.
func Few(few, all int) int {
	if Thorough() {
		return all
	}
	return few
}

// FewChecks lowers the number of draws of property tests but in make check, unless the
// command line says how many. TestMain calls it after flag.Parse.
func FewChecks(few int) {
	if checks := flag.Lookup("rapid.checks"); !Thorough() && checks.Value.String() == checks.DefValue {
		_ = checks.Value.Set(strconv.Itoa(few)) // a number is one
	}
}
