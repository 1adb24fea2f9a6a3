// Package sqlite keeps sandboxes in one SQLite file. It is the built-in engine.
//
// One goroutine writes. It does a group of waiting requests (package groupcommit)
// in one transaction and returns to the callers after COMMIT, so that many of them
// share one flush of the disk (synchronous=FULL on a write-ahead log). A commit is
// compare-and-swap in a single statement, which changes no row when it conflicts:
// there is nothing to undo, and so nothing that could harm the others of its
// group.
//
// Readers have connections of their own, which cannot write, and never wait for
// the writer.
//
// A deletion takes the header away at once and leaves a tombstone. The writer
// removes the bodies between groups, in small steps, and then gives the free
// pages back to the file system. A crash cannot undo the tombstone: the next
// Open goes on from there.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"platen/internal/store"
	"platen/internal/store/groupcommit"
	"platen/internal/store/migration"
)

const (
	// busyTimeoutMillis is how long a connection waits for a lock of another
	// process. This process holds none; an operator's backup may, for a moment.
	busyTimeoutMillis = "5000"
	// journalLimitBytes is the size to which the log is cut back after a burst.
	journalLimitBytes = "67108864"
)

// Store is a store.Store in one file.
type Store struct {
	groupcommit.Methods

	writer *writer
	reader *reader
	lock   *fileLock
	// path is where the file was opened, and file is that file.
	path string
	file os.FileInfo

	close func() error
}

var _ store.Store = (*Store)(nil)

// Open opens the database at path, which it creates when there is none, with
// its directories. It brings an older database up to date and refuses a newer
// one. Only one Store at a time can have a path open, on the whole machine.
func Open(ctx context.Context, path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	if err := makeDirectory(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	if path, err = Resolve(path); err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	if err := mayBeOurs(ctx, path); err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	lock, err := takeLock(path)
	if err != nil {
		return nil, err
	}
	s, err := openLocked(ctx, path, lock)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", path, explain(err)), lock.release())
	}
	return s, nil
}

// Resolve follows links, so that one file has one name and one lock, however it
// was called. A file that is yet to be made has the name of its folder.
func Resolve(path string) (string, error) {
	whole, err := filepath.EvalSymlinks(path)
	if err == nil {
		return whole, nil
	}
	if target, linked := os.Readlink(path); linked == nil { // to a file that is yet to be made
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		return Resolve(target)
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return path, err
	}
	return filepath.Join(folder, filepath.Base(path)), nil
}

// openLocked does the work of Open once the lock is held.
func openLocked(ctx context.Context, path string, lock *fileLock) (*Store, error) {
	if err := cleanUp(path); err != nil {
		return nil, err
	}
	if err := strayLog(path); err != nil {
		return nil, err
	}
	if err := makeFile(path); err != nil {
		return nil, err
	}
	if err := lock.hold(path); err != nil {
		return nil, err
	}
	if err := mayWrite(path); err != nil {
		return nil, err
	}
	file, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	w, err := openWriter(ctx, path)
	if err != nil {
		return nil, err
	}
	r, err := openReader(ctx, path)
	if err != nil {
		return nil, errors.Join(err, w.disconnect())
	}
	s := &Store{Methods: w.queue.Methods(), writer: w, reader: r, lock: lock, path: path, file: file}
	s.close = sync.OnceValue(s.shutdown)
	go w.run()
	return s, nil
}

// Close finishes the calls under way, refuses new ones with store.ErrClosed,
// folds the log into the database and lets go of the lock. Closing again does
// nothing and returns the same.
func (s *Store) Close() error { return s.close() }

func (s *Store) shutdown() error {
	s.writer.queue.Close()
	return errors.Join(s.reader.db.Close(), s.writer.close(), s.lock.release())
}

// Ping writes a row and reads one. It reports the error of either, and store.ErrMoved when
// the file that it writes to is no longer the one at its path.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.Methods.Ping(ctx); err != nil {
		return err
	}
	if _, err := s.Count(ctx); err != nil {
		return err
	}
	file, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(file, s.file) {
		return fmt.Errorf("ping: %w: %s", store.ErrMoved, s.path)
	}
	return nil
}

// connect opens a pool of connections to the file at path. mode is SQLite's
// own: rw or ro.
func connect(path, mode string, limit int) (*sql.DB, error) {
	options := url.Values{"mode": {mode}}
	if mode == "ro" { // the file system keeps the pages, too, and there are several readers
		options["_pragma"] = []string{"cache_size(-" + readerCacheKiB + ")"}
	}
	if mode == "rw" {
		// The driver sets auto_vacuum before anything that writes, as it must
		// be: a database that has pages no longer takes it.
		options.Set("_auto_vacuum", "INCREMENTAL")
		options.Set("_journal_mode", "WAL")
		options.Set("_synchronous", "FULL")
		// fullfsync is for Macs, where fsync alone does not reach the medium.
		options["_pragma"] = []string{
			"fullfsync(1)", "checkpoint_fullfsync(1)", "journal_size_limit(" + journalLimitBytes + ")",
		}
	}
	return dial(path, options, limit)
}

// dial opens a pool of connections with options of the driver.
func dial(path string, options url.Values, limit int) (*sql.DB, error) {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter, on Windows
	}
	options.Set("_busy_timeout", busyTimeoutMillis)
	file := url.URL{Scheme: "file", Path: slashed, RawQuery: options.Encode()}
	db, err := sql.Open("sqlite", file.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(limit)
	db.SetMaxIdleConns(limit)
	return db, nil
}

// makeFile creates the database file, readable by its owner alone. The files
// SQLite puts beside it take its mode.
func makeFile(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}

// mayBeOurs refuses a path that leads to no database of Platen, before anything is beside it or in it. It reads the
// file alone: a log may have newer tables, and another process may be writing.
func mayBeOurs(ctx context.Context, path string) (err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = mustBeRegular(path)
	}
	if err != nil || info.Size() == 0 {
		return err
	}
	if err := hasHeader(path); err != nil {
		return err
	}
	db, err := dial(path, url.Values{"mode": {"ro"}, "immutable": {"1"}}, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// All other errors are those of the real start, which is alone and knows the log.
	known, err := migration.List(migrationFiles)
	if err != nil {
		return err
	}
	if _, err := schemaNumber(ctx, conn, known); errors.Is(err, errForeign) {
		return err
	}
	return nil
}

// strayLog refuses a path with the log of a database that is not there: the first write to another one would delete
// what the log has of it.
func strayLog(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		return fmt.Errorf("%s-wal has newer writes of a database that is no longer beside it: put that one back, "+
			"or remove this file", path)
	}
	return nil
}

// mayWrite refuses files that this process cannot write: the database, and the
// files that SQLite keeps beside it. SQLite itself would open the database for
// reading, and leave a shared-memory file that has its mode and stops the next
// start too.
func mayWrite(path string) error {
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		file, err := os.OpenFile(name, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) && name != path {
			continue
		}
		if err != nil {
			return fmt.Errorf("%w: the server must be able to write the database and the -wal and -shm files beside it",
				err)
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return nil
}

// makeDirectory creates a directory and its parents, and makes their names
// durable: a database whose directory is forgotten is lost too.
func makeDirectory(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	parent := filepath.Dir(path)
	if parent != path {
		if err := makeDirectory(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDirectory(parent)
}
