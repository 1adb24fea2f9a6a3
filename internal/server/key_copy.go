package server

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"platen/internal/store/sqlite"
)

// databaseFile is the file that a path of a database leads to by all its links. What belongs to it is beside it: log,
// lock and key are the same by all its names.
func databaseFile(database string) (string, error) {
	path, err := filepath.Abs(database)
	if err == nil {
		path, err = sqlite.Resolve(path)
	}
	if err != nil {
		return "", fmt.Errorf("follow the links of %s: %w", database, err)
	}
	return path, nil
}

// keyFile is the file of the secret key of a database.
func keyFile(database string) (string, error) {
	path, err := databaseFile(database)
	return path + secretSuffix, err
}

// FindKey returns the file of the secret key of a database, and whether it is there.
func FindKey(database string) (file string, there bool) {
	file, err := keyFile(database)
	if err == nil {
		_, err = os.Stat(file)
	}
	return file, err == nil
}

// CopyKey copies the secret key of a database beside a copy of it, and returns the file, "" if there is no key to
// copy or it is there already.
func CopyKey(database, copied string) (string, error) {
	to, err := keyFile(copied)
	if err != nil {
		return "", err
	}
	key := &keyCopy{}
	if err := key.ready(database, to, false); err != nil {
		return "", err
	}
	if err := key.place(); err != nil {
		return "", errors.Join(err, key.discard())
	}
	return key.to, nil
}

// keyCopy is a copy of a secret key beside its place. Placing it can hardly fail any more, and a power cut leaves the
// key that was there or the new one. The zero keyCopy has nothing to place.
type keyCopy struct{ temporary, to string }

// ready copies the key of a database, where there is one and its place has another. It takes the place of another one
// only when replace is set.
func (k *keyCopy) ready(database, to string, replace bool) error {
	from, err := keyFile(database)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the operator has set it, or keeps it elsewhere
	}
	if err != nil {
		return fmt.Errorf("read the secret key: %w", err)
	}
	if target, err := filepath.EvalSymlinks(to); err == nil {
		to = target
	}
	switch there, err := os.ReadFile(to); {
	case err == nil && bytes.Equal(there, text):
		return nil
	case err == nil && !replace:
		return fmt.Errorf("%s is another secret key: %w", to, fs.ErrExist)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("read the secret key that is there: %w", err)
	}
	if k.temporary, err = writeBeside(to, text); err != nil {
		return fmt.Errorf("copy the secret key: %w", err)
	}
	k.to = to
	return nil
}

// place puts the copy where it belongs.
func (k *keyCopy) place() error {
	if k.temporary == "" {
		return nil
	}
	if err := os.Rename(k.temporary, k.to); err != nil {
		return fmt.Errorf("copy the secret key: %w", err)
	}
	return syncFolder(filepath.Dir(k.to))
}

// discard removes the copy, unless it has its place.
func (k *keyCopy) discard() error {
	if k.temporary == "" {
		return nil
	}
	if err := os.Remove(k.temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the copy of the secret key: %w", err)
	}
	return nil
}

// writeBeside writes a file beside a path, whole and readable by its owner alone, from where it can be renamed.
func writeBeside(path string, text []byte) (temporary string, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// removeRemains removes what killed processes have left of files that they wrote beside a path. The database is
// locked, so nobody writes one now.
func removeRemains(path string) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		number, ours := strings.CutPrefix(entry.Name(), filepath.Base(path)+".")
		if !ours || number == "" || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if err := os.Remove(filepath.Join(filepath.Dir(path), entry.Name())); err != nil {
			return err
		}
	}
	return nil
}
