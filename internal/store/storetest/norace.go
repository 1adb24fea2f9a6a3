//go:build !race

package storetest

import "testing"

// fewerChecks does nothing where the race detector is off.
func fewerChecks(*testing.T) {}
