package server

import "golang.org/x/sys/windows"

// diskFree is the room on the disk of a folder that this process may still fill, in bytes, 0 where that is not known.
func diskFree(folder string) (free uint64) {
	name, err := windows.UTF16PtrFromString(folder)
	if err != nil || windows.GetDiskFreeSpaceEx(name, &free, nil, nil) != nil {
		return 0
	}
	return free
}
