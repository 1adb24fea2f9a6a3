//go:build !linux

package node

import "time"

var began = time.Now() //nolint:gochecknoglobals // a moment to count from

// sinceBoot returns the time of Go's own clock. Where that stops while the machine
// sleeps, the wall clock tells.
func sinceBoot() time.Duration { return time.Since(began) }
