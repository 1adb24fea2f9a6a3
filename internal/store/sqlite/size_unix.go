//go:build unix

package sqlite

import "golang.org/x/sys/unix"

// fileSizeLimit is the most bytes that this process may write into one file; not ok where there is no limit.
func fileSizeLimit() (bytes uint64, ok bool) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil || limit.Cur == unix.RLIM_INFINITY {
		return 0, false
	}
	return uint64(limit.Cur), true //nolint:unconvert // its type differs between systems
}
