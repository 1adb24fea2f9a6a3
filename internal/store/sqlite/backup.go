package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
// neither waits for the other. The copy gets its name once check, which may be nil, has no error for
// it, and is durable when Backup returns; after an error there is none.
func Backup(
	ctx context.Context, path, to string, check func(ctx context.Context, copied string) error,
) (Backed, error) {
	backed, err := backup(ctx, path, to, check)
	if err != nil {
		return Backed{}, fmt.Errorf("back up %s to %s: %w", path, to, err)
	}
	return backed, nil
}

func backup(
	ctx context.Context, path, to string, check func(ctx context.Context, copied string) error,
) (backed Backed, err error) {
	if to, err = filepath.Abs(to); err != nil {
		return Backed{}, err
	}
	if _, err := os.Lstat(to); err == nil {
		return Backed{}, fs.ErrExist
	}
	const backingUp = ".backup-"
	folder, err := os.MkdirTemp(filepath.Dir(to), filepath.Base(to)+backingUp+"*")
	if err != nil {
		return Backed{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	copied := filepath.Join(folder, "copy")
	if backed, err = copyDatabase(ctx, path, copied); err != nil {
		return Backed{}, err
	}
	if check != nil {
		if err := check(ctx, copied); err != nil {
			return Backed{}, err
		}
	}
	if err := giveName(copied, to); err != nil {
		return Backed{}, err
	}
	return backed, syncDirectory(filepath.Dir(to))
}

// giveName gives a file its name, unless another one has got it meanwhile.
func giveName(file, to string) error {
	err := os.Link(file, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(file, to) // on a file system without links
}

// copyDatabase copies a database into a new file, and counts its contents.
func copyDatabase(ctx context.Context, path, to string) (backed Backed, err error) {
	if err := mustBeRegular(path); err != nil {
		return Backed{}, err
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return Backed{}, err
	}
	file, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return Backed{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
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
	if backed, err = count(ctx, to); err != nil {
		return Backed{}, err
	}
	return backed, file.Sync()
}

// count counts the contents of a copy.
func count(ctx context.Context, path string) (backed Backed, err error) {
	db, err := connect(path, "ro", 1)
	if err != nil {
		return backed, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
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
