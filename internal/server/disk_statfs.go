//go:build linux || darwin

package server

import "golang.org/x/sys/unix"

// diskFree is the room on the disk of a folder that this process may still fill, in bytes, 0 where that is not known.
func diskFree(folder string) uint64 {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0
	}
	return uint64(s.Bavail) * uint64(s.Bsize) //nolint:unconvert // their types differ between systems
}
