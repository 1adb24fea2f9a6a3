package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Restoring has the choices of a caller, and the steps that are the caller's own.
type Restoring struct {
	// Replace lets the copy take the place of a database that is there.
	Replace bool
	// Ready gets the file of the copy, to check it, and the path of the database, links followed, before anything is
	// changed. Its error ends the restore.
	Ready func(ctx context.Context, copied, path string) error
	// Placed is called once the copy has its place. After its error the old database has it back.
	Placed func() error
}

// Restore puts a copy in the place of the database at a path, which no server may have
// open. A database that is there already is only replaced when the caller says so. The
// copy must have the tables of Platen and nothing else, and stays as it is. At each moment the
// path has the old database, whole, or the new one: also when the process is killed, whose remains
// the next Restore or Open removes. The result is durable when Restore returns; after an error
// everything is as it was.
func Restore(ctx context.Context, from, path string, r Restoring) (Backed, error) {
	restored, err := r.restore(ctx, from, path)
	if err != nil {
		return Backed{}, fmt.Errorf("restore %s from %s: %w", path, from, err)
	}
	return restored, nil
}

func (r Restoring) restore(ctx context.Context, from, path string) (backed Backed, err error) {
	if err := mustBeRegular(from); err != nil {
		return Backed{}, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return Backed{}, err
	}
	if err := makeDirectory(filepath.Dir(path)); err != nil {
		return Backed{}, err
	}
	if path, err = Resolve(path); err != nil {
		return Backed{}, err
	}
	if err := r.mayReplace(path); err != nil { // before the lock file is there
		return Backed{}, err
	}
	lock, err := takeLock(path)
	if err != nil {
		return Backed{}, err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	err = r.mayReplace(path)
	if _, missing := os.Stat(path); err == nil && missing == nil {
		err = lock.hold(path)
	}
	if err != nil {
		return Backed{}, err
	}
	if err := cleanUp(path); err != nil {
		return Backed{}, err
	}
	folder, err := os.MkdirTemp(filepath.Dir(path), filepath.Base(path)+restoring+"*")
	if err != nil {
		return Backed{}, err
	}
	defer func() { err = errors.Join(err, (&predecessor{path: path, folder: folder}).remove()) }()
	copied := filepath.Join(folder, "copy")
	if backed, err = copyDatabase(ctx, from, copied); err != nil {
		return Backed{}, err
	}
	if err := checkSchema(ctx, copied); err != nil { // of the copy, which nobody else can change
		return Backed{}, fmt.Errorf("check the copy: %w", err)
	}
	if r.Ready != nil {
		if err := r.Ready(ctx, copied, path); err != nil {
			return Backed{}, err
		}
	}
	old, err := setAside(ctx, path, folder)
	if err != nil {
		return Backed{}, err
	}
	if err := old.replace(copied); err != nil {
		return Backed{}, err
	}
	if r.Placed != nil {
		if err := r.Placed(); err != nil {
			return Backed{}, errors.Join(err, old.putBack())
		}
	}
	return backed, nil
}

// mayReplace refuses a path that has something which is to stay.
func (r Restoring) mayReplace(path string) error {
	switch err := mustBeRegular(path); {
	case errors.Is(err, fs.ErrNotExist) && r.Replace:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return strayLog(path)
	case err == nil && !r.Replace:
		return fmt.Errorf("there is a database already: %w", fs.ErrExist)
	default:
		return err
	}
}
