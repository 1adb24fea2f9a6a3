package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// besides are the files that SQLite keeps beside a database. It would take those of another one for its own.
func besides() []string { return []string{"-wal", "-journal", "-shm"} }

// restoring is in the name of the folder in which a restore works, beside the database.
const restoring = ".restore-"

// A predecessor is the database in whose place a copy comes. It keeps a name in a folder until the copy is there for
// good, and so can have its place back.
type predecessor struct {
	path, folder string
	// there is a database, kept says that the folder has a link to it.
	there, kept bool
}

// setAside readies a path for another database: the log of the one that is there is folded into it, so that it is
// whole without the files beside it. Where SQLite cannot open it, its log goes into the folder, from which remove
// puts it back.
func setAside(ctx context.Context, path, folder string) (*predecessor, error) {
	p := &predecessor{path: path, folder: folder}
	if _, err := os.Stat(path); err == nil {
		p.there = true
		linked := os.Link(path, p.aside(""))
		if errors.Is(linked, syscall.EXDEV) { // from a folder beside it
			return nil, fmt.Errorf("%s is a mount of its own, so no other file can take its place: "+
				"mount the folder with the database in place of the file, or restore it where the folder is", path)
		}
		p.kept = linked == nil
		folded := foldLog(ctx, path)
		if isBusy(folded) {
			return nil, fmt.Errorf("another program reads the old database, a backup for instance: wait for it, "+
				"or stop it: %w", folded)
		}
		if folded != nil && linked != nil {
			return nil, fmt.Errorf("keep the old database until the copy is there: %w", errors.Join(linked, folded))
		}
	}
	for _, suffix := range besides() {
		if err := os.Rename(path+suffix, p.aside(suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("move the old log aside: %w", err)
		}
	}
	// A loss of power must not leave the log beside the copy, nor nowhere.
	return p, errors.Join(syncDirectory(folder), syncDirectory(filepath.Dir(path)))
}

// aside is the name in the folder of the database, or of a file beside it.
func (p *predecessor) aside(suffix string) string { return filepath.Join(p.folder, "old"+suffix) }

// replace gives the place to a copy.
func (p *predecessor) replace(copied string) error {
	if err := os.Rename(copied, p.path); err != nil {
		return err
	}
	if err := syncDirectory(filepath.Dir(p.path)); err != nil {
		return errors.Join(err, p.putBack())
	}
	return nil
}

// putBack gives the database its place again.
func (p *predecessor) putBack() error {
	switch {
	case p.kept:
		again := filepath.Join(p.folder, "again") // the name in the folder stays: remove looks for it
		err := os.Link(p.aside(""), again)
		if err == nil {
			err = os.Rename(again, p.path)
		}
		if err != nil {
			return fmt.Errorf("put the old database back: %w", err)
		}
	case p.there:
		return errors.New("the copy is in the place of the old database, which cannot be put back " +
			"on a file system without hard links")
	default:
		if err := os.Remove(p.path); err != nil {
			return fmt.Errorf("remove the copy: %w", err)
		}
	}
	return syncDirectory(filepath.Dir(p.path))
}

// remove removes the folder, and with it the old database. If that has its place still, it gets its log back first.
func (p *predecessor) remove() error {
	now, err := os.Stat(p.path)
	old, gone := os.Stat(p.aside(""))
	if err == nil && gone == nil && os.SameFile(now, old) {
		for _, suffix := range besides() {
			if _, err := os.Stat(p.path + suffix); err == nil {
				continue
			}
			if err := os.Rename(p.aside(suffix), p.path+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("put the old log back: %w", err)
			}
		}
		if err := syncDirectory(filepath.Dir(p.path)); err != nil {
			return err
		}
	}
	return os.RemoveAll(p.folder)
}

// cleanUp removes what killed restores have left beside the database at a path, which is locked.
func cleanUp(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), filepath.Base(path)+restoring) {
			continue
		}
		left := &predecessor{path: path, folder: filepath.Join(filepath.Dir(path), entry.Name())}
		if err := left.remove(); err != nil {
			return fmt.Errorf("clean up after a restore that was killed: %w", err)
		}
	}
	return nil
}

// foldLog writes the log of a database into it. SQLite removes the log then.
func foldLog(ctx context.Context, path string) (err error) {
	if err := hasHeader(path); err != nil {
		return err // SQLite could take the log for all there is
	}
	// With all settings of a server, a database of another program would change its form.
	db, err := dial(path, url.Values{"mode": {"rw"}, "_pragma": {"fullfsync(1)", "checkpoint_fullfsync(1)"}}, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var busy, pages, folded int
	if err := db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &folded); err != nil {
		return err
	}
	if busy != 0 {
		return errRead
	}
	var objects int // a journal of another mode is only rolled back by a read
	return db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&objects)
}

// fileHeader begins each database of SQLite.
const fileHeader = "SQLite format 3\x00"

// hasHeader refuses a file that is no database of SQLite.
func hasHeader(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	begins := make([]byte, len(fileHeader))
	if _, err := io.ReadFull(file, begins); err != nil && !errors.Is(err, io.EOF) &&
		!errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if string(begins) != fileHeader {
		return errors.New("it is not a database of SQLite: give this one another path")
	}
	return nil
}
