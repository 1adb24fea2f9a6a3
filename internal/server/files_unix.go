//go:build unix

package server

import "syscall"

// openFiles is how many files and connections this process may have open; not ok where that is not known.
func openFiles() (most uint64, ok bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false
	}
	return uint64(limit.Cur), true //nolint:unconvert // its type differs between systems
}
