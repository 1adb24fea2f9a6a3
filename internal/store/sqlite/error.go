package sqlite

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"platen/internal/store"
)

// inUse is the error of a second process.
func inUse(path, lock string) error {
	return fmt.Errorf("database %s is in use by another process, which holds %s: "+
		"stop that process, or give this one another path", path, lock)
}

// isRefusal reports whether err is an error for one caller that left the
// transaction as it was.
func isRefusal(err error) bool {
	return errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrFenced) || errors.Is(err, store.ErrNotFound)
}

// errRead refuses to fold a log that another connection reads.
var errRead = errors.New("another connection reads its log")

// isBusy reports whether err means that another connection holds the lock, or reads.
func isBusy(err error) bool {
	var failure *sqlite.Error
	return errors.Is(err, errRead) || errors.As(err, &failure) && failure.Code()&0xff == sqlite3.SQLITE_BUSY
}

// isFull reports whether err is a write that the disk did not take: no space,
// a quota, a limit on the size of a file, a short write. Such a write came
// before the end of the transaction in the log, so nothing of it counts. A
// failed flush is not among them: after it, the outcome is not known.
func isFull(err error) bool {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return false
	}
	return failure.Code()&0xff == sqlite3.SQLITE_FULL || failure.Code() == sqlite3.SQLITE_IOERR_WRITE
}

// explain says of a file that could not grow which limit it met: SQLite knows a number alone.
func explain(err error) error {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return err
	}
	switch failure.Code() {
	case sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_TRUNCATE:
		if bytes, limited := fileSizeLimit(); limited {
			return fmt.Errorf("file too large: this process may write %d bytes into one file (ulimit -f); "+
				"raise that limit, or remove it: %w", bytes, err)
		}
	}
	return err
}

// errForeign refuses a file that another program has written.
var errForeign = errors.New("it holds the tables of another program: give this one another path")
