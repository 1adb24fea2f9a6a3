//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// A fileLock keeps other processes from a database. The kernel lets go of it
// when the process ends, however it ends. The file itself stays: whoever
// removed it could remove one that another process has just locked.
type fileLock struct{ file *os.File }

// takeLock locks the file beside the database at path, or refuses at once.
func takeLock(path string) (*fileLock, error) {
	name := path + ".lock"
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock file: %w", err)
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	for errors.Is(err, unix.EINTR) {
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if err == nil {
		return &fileLock{file}, nil
	}
	file.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, inUse(path, name)
	}
	return nil, fmt.Errorf("lock %s: %w", name, err)
}

// release unlocks before it closes: a child that is being started holds a copy
// of every open file until its program runs, and closing ours alone would leave
// the database locked for so long.
func (l *fileLock) release() error {
	err := unix.Flock(int(l.file.Fd()), unix.LOCK_UN)
	return errors.Join(err, l.file.Close())
}

// syncDirectory makes the names in a directory durable.
func syncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	defer directory.Close()
	// Some file systems cannot sync a directory and have no need to.
	if err := directory.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return fmt.Errorf("sync directory: %w", err)
	}
	return nil
}
