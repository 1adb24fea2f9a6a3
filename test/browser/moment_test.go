package browser_test

import (
	"crypto/rand"
	"time"
)

func randomText() string { return rand.Text() }

// waitForTick waits until time may be moved again: a limit of the server, which
// no channel tells of.
func waitForTick() { <-time.After(1010 * time.Millisecond) }
