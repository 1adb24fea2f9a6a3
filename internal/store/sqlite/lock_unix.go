//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// A fileLock keeps other processes from a database. The kernel releases it when
// the process ends, however it ends. The file itself stays: a process that
// removed it could remove one that another process has just locked.
type fileLock struct {
	file *os.File
	// database is the database's own file, locked as well: it may have other names.
	// It stays open until SQLite is done with the file, since closing any copy of it
	// would end SQLite's own locks.
	database *os.File
}

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
		return &fileLock{file: file}, nil
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
	if l.database != nil {
		err = errors.Join(err, unix.Flock(int(l.database.Fd()), unix.LOCK_UN), l.database.Close())
	}
	return errors.Join(err, l.file.Close())
}

// hold locks the database's own file too, where that is known not to touch
// SQLite's locks.
func (l *fileLock) hold(path string) error {
	if runtime.GOOS != "linux" {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	for errors.Is(err, unix.EINTR) {
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if err == nil {
		l.database = file
		return nil
	}
	file.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return inUse(path, path)
	}
	return fmt.Errorf("lock %s: %w", path, err)
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
