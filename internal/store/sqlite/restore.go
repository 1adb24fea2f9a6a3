package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Restore puts a copy in the place of the database at a path, which no server may have
// open. A database that is there already is only replaced when the caller says so. The
// copy is checked first, also that it has the tables of Platen and nothing else, and
// stays as it is. The result is durable when Restore returns; after an error the old
// database is still there.
func Restore(ctx context.Context, from, path string, replace bool) (Backed, error) {
	restored, err := restore(ctx, from, path, replace)
	if err != nil {
		return Backed{}, fmt.Errorf("restore %s from %s: %w", path, from, err)
	}
	return restored, nil
}

func restore(ctx context.Context, from, path string, replace bool) (backed Backed, err error) {
	if err := mustBeRegular(from); err != nil {
		return Backed{}, err
	}
	if _, err := inspect(ctx, from); err != nil {
		return Backed{}, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return Backed{}, err
	}
	if err := makeDirectory(filepath.Dir(path)); err != nil {
		return Backed{}, err
	}
	if path, err = resolve(path); err != nil {
		return Backed{}, err
	}
	lock, err := takeLock(path)
	if err != nil {
		return Backed{}, err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	switch _, err := os.Stat(path); {
	case err == nil && !replace:
		return Backed{}, fmt.Errorf("there is a database already: %w", fs.ErrExist)
	case err == nil:
		if err := lock.hold(path); err != nil {
			return Backed{}, err
		}
	}
	folder, err := os.MkdirTemp(filepath.Dir(path), filepath.Base(path)+".restore-*")
	if err != nil {
		return Backed{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	copied := filepath.Join(folder, "copy")
	if backed, err = Backup(ctx, from, copied); err != nil {
		return Backed{}, err
	}
	if err := checkSchema(ctx, copied); err != nil { // of the copy, which nobody else can change
		return Backed{}, fmt.Errorf("check the copy: %w", err)
	}
	// The log of the old database must not be there when the new one has its name:
	// SQLite would take it for its own.
	for _, name := range []string{path + "-wal", path + "-shm"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Backed{}, err
		}
	}
	if err := os.Rename(copied, path); err != nil {
		return Backed{}, err
	}
	return backed, syncDirectory(filepath.Dir(path))
}

// Inspect checks the structure of the database at a path, also while a server runs
// on it, and counts its contents.
func Inspect(ctx context.Context, path string) (Backed, error) {
	if err := mustBeRegular(path); err != nil {
		return Backed{}, fmt.Errorf("inspect: %w", err)
	}
	found, err := inspect(ctx, path)
	if err != nil {
		return Backed{}, fmt.Errorf("inspect %s: %w", path, err)
	}
	return found, nil
}
