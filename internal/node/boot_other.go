//go:build !linux

package node

import "time"

var began = time.Now() //nolint:gochecknoglobals // a moment to count from

// sinceBoot is Go's own clock. Where that stands still while the machine sleeps, the
// wall clock tells.
func sinceBoot() time.Duration { return time.Since(began) }
