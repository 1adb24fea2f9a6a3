package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"platen/internal/config"
	"platen/internal/sandbox"
	"platen/internal/store/sqlite"
)

// ErrNoFile refuses the backup of a database that is no file.
var ErrNoFile = errors.New("this is for a SQLite file; PostgreSQL has tools of its own, such as pg_dump")

// Backup copies the database of the settings into a new file, also while a server
// runs on it.
func Backup(ctx context.Context, c *config.Config, to string) (sqlite.Backed, error) {
	if c.Postgres() {
		return sqlite.Backed{}, ErrNoFile
	}
	return sqlite.Backup(ctx, c.Database, to)
}

// Restored describes a database that was restored.
type Restored struct {
	sqlite.Backed

	// Key is the file that got the secret key of the copy, if there was one and it was another.
	Key string
}

// Restore puts a copy in the place of the database of the settings, which no
// server may run on, and the key beside the copy in the place of its key. After an error both
// are unchanged.
func Restore(ctx context.Context, c *config.Config, from string, replace bool) (restored Restored, err error) {
	if c.Postgres() {
		return restored, ErrNoFile
	}
	key := &keyCopy{}
	restored.Backed, err = sqlite.Restore(ctx, from, c.Database, sqlite.Restoring{
		Replace: replace,
		Ready: func(_ context.Context, _, path string) error {
			if err := removeRemains(path + secretSuffix); err != nil {
				return fmt.Errorf("clean up after a restore that was killed: %w", err)
			}
			return key.ready(from, path+secretSuffix, replace)
		},
		Placed: func() error { return key.place() },
	})
	if err != nil {
		return Restored{}, errors.Join(err, key.discard())
	}
	restored.Key = key.to
	return restored, nil
}

// CheckDatabase looks for damage in the database of the settings, also while a
// server runs on it. It reads a copy of one moment, which is beside the database
// for as long as it takes.
func CheckDatabase(ctx context.Context, c *config.Config) (found sandbox.Checked, err error) {
	if c.Postgres() {
		return found, ErrNoFile
	}
	if _, err := sqlite.Inspect(ctx, c.Database); err != nil {
		return found, err //nolint:wrapcheck // the error names the file
	}
	folder, err := os.MkdirTemp(filepath.Dir(c.Database), filepath.Base(c.Database)+".check-*")
	if err != nil {
		return found, fmt.Errorf("make room for a copy: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	copied := filepath.Join(folder, "copy.db")
	if _, err := sqlite.Backup(ctx, c.Database, copied); err != nil {
		return found, fmt.Errorf("%w. The check reads a copy, which needs as much room as the database beside it. "+
			"Where there is none, make the copy on another disk with platen backup, and check that one", err)
	}
	db, err := sqlite.Open(ctx, copied)
	if err != nil {
		return found, err //nolint:wrapcheck // the error names the file
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return sandbox.CheckStore(ctx, db)
}
