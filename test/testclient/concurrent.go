package testclient

import (
	"flag"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// OnlyConcurrent leaves to the race detector, where it is on, the tests that have several
// callers or something in the background, since it makes each ten times as long: all others
// of the package ask one question after another. The tests are named as functions, so that
// one with another name does not compile. TestMain calls it after flag.Parse; -run overrules.
func OnlyConcurrent(tests ...func(*testing.T)) {
	if run := flag.Lookup("test.run"); underRace && run.Value.String() == "" {
		_ = run.Value.Set(pattern(tests)) // a text is one
	}
}

// pattern is the regular expression that chooses tests.
func pattern(tests []func(*testing.T)) string {
	names := make([]string, len(tests))
	for i, test := range tests {
		name := runtime.FuncForPC(reflect.ValueOf(test).Pointer()).Name()
		names[i] = name[strings.LastIndexByte(name, '.')+1:]
	}
	return "^(" + strings.Join(names, "|") + ")$"
}
