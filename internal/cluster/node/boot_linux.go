package node

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot counts while the machine sleeps, which Go's own clock does not.
func sinceBoot() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		panic("read the clock of the machine: " + err.Error()) // every Linux has it
	}
	return time.Duration(now.Nano())
}
