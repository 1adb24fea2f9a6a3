package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Backed holds the counts of a backup.
type Backed struct {
	Sandboxes, Commits int
	Bytes              int64
}

// Backup copies the database at a path into a new file that only its owner can
// read, as it is at one moment. A server may go on writing to it meanwhile:
// neither waits for the other. The copy is checked, and durable when Backup
// returns; after an error there is none.
func Backup(ctx context.Context, path, to string) (Backed, error) {
	if err := mustBeRegular(path); err != nil {
		return Backed{}, fmt.Errorf("back up: %w", err)
	}
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return Backed{}, fmt.Errorf("back up to %s: %w", to, err)
	}
	if err := file.Close(); err != nil {
		return Backed{}, errors.Join(fmt.Errorf("back up to %s: %w", to, err), os.Remove(to))
	}
	backed, err := backup(ctx, path, to)
	if err != nil {
		return Backed{}, errors.Join(fmt.Errorf("back up %s to %s: %w", path, to, err), os.Remove(to))
	}
	return backed, nil
}

func backup(ctx context.Context, path, to string) (Backed, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return Backed{}, err
	}
	source, err := connect(absolute, "ro", 1)
	if err != nil {
		return Backed{}, err
	}
	// One statement reads one state of the database, which a copy page by page
	// would have to begin again with each commit.
	_, err = source.ExecContext(ctx, "VACUUM INTO ?", to)
	if err = errors.Join(err, source.Close()); err != nil {
		return Backed{}, err
	}
	backed, err := inspect(ctx, to)
	if err != nil {
		return Backed{}, err
	}
	file, err := os.OpenFile(to, os.O_RDWR, 0)
	if err != nil {
		return Backed{}, err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return Backed{}, err
	}
	return backed, syncDirectory(filepath.Dir(to))
}

// inspect checks a copy and counts its contents.
func inspect(ctx context.Context, path string) (backed Backed, err error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return backed, err
	}
	db, err := connect(absolute, "ro", 1)
	if err != nil {
		return backed, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var state string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&state); err != nil {
		return backed, fmt.Errorf("check the copy: %w", err)
	}
	if state != "ok" {
		return backed, fmt.Errorf("check the copy: %s", state)
	}
	if err := db.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM sandboxes), (SELECT count(*) FROM commits)").
		Scan(&backed.Sandboxes, &backed.Commits); err != nil {
		return backed, fmt.Errorf("count what the copy holds: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return backed, err
	}
	backed.Bytes = info.Size()
	return backed, nil
}
