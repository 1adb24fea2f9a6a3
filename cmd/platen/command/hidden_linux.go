package command

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// errSeesAll is for a process whose programs read the memory of every other one.
var errSeesAll = errors.New("this process may read every other one (CAP_SYS_PTRACE, CAP_SYS_ADMIN or CAP_PERFMON), " +
	"and so may the program that it runs: start platen as another user than root, or drop these capabilities")

// seeing are the capabilities that open what hide closes: the last two, newer kernels' environments.
var seeing = []uint{unix.CAP_SYS_PTRACE, unix.CAP_SYS_ADMIN, unix.CAP_PERFMON} //nolint:gochecknoglobals // read only

// hide closes the memory and the environment of this process (/proc/PID/mem and environ) to other programs of its
// user. It fails where they see it all the same.
func hide() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("hide the memory of this process: %w", err)
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	if err := unix.Capget(&head, &has[0]); err != nil {
		return fmt.Errorf("read the capabilities of this process: %w", err)
	}
	for _, capability := range seeing {
		if has[capability/32].Effective&(1<<(capability%32)) != 0 {
			return errSeesAll
		}
	}
	return nil
}
