//go:build unix

package scenario

import "testing"

// concurrent are the tests that have several callers or a program that is killed: those that
// the race detector watches. test/archtest finds a test that starts goroutines and is not
// here.
var concurrent = []func(*testing.T){
	TestAnIntegrationKilledAtAnyCallLosesNothingAndDoublesNothing,
	TestAnIntegrationKilledAllTheTimeGetsThroughTheWeek,
	TestItFollowsTheFeedUntilItIsAskedToStop,
	TestManyAtOnceDoNothingTwice,
}
