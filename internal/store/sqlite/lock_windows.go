package sqlite

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// A fileLock keeps other processes from a database. The system lets go of it
// when the process ends, however it ends.
type fileLock struct{ file *os.File }

// takeLock locks the file beside the database at path, or refuses at once.
func takeLock(path string) (*fileLock, error) {
	name := path + ".lock"
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock file: %w", err)
	}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	if err == nil {
		return &fileLock{file}, nil
	}
	file.Close()
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return nil, inUse(path, name)
	}
	return nil, fmt.Errorf("lock %s: %w", name, err)
}

func (l *fileLock) release() error { return l.file.Close() }

// syncDirectory does nothing: Windows cannot sync a directory, and its file
// systems keep the names in their journal.
func syncDirectory(string) error { return nil }

// hold does nothing here: files have one name.
func (l *fileLock) hold(string) error { return nil }
