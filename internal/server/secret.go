package server

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"platen/internal/config"
)

const (
	// secretBytes is how many random bytes a key has that we make.
	secretBytes = 32
	// secretSuffix names the file of the key, beside the database.
	secretSuffix = ".key"
)

// secret returns the key of the encryption at rest: what the operator set, or
// what the file beside the database holds, which is made at the first start. A
// database that is no file comes with a key, or the settings are refused.
func secret(c *config.Config) ([]byte, error) {
	text := []byte(c.SecretKey)
	if len(text) == 0 {
		var err error
		if text, err = secretFile(c.Database + secretSuffix); err != nil {
			return nil, err
		}
	}
	sum := sha256.Sum256(text)
	return sum[:], nil
}

// secretFile reads the key of a file, or makes both. The database is open by
// then, so no other process makes the same.
func secretFile(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err == nil {
		if text := bytes.TrimSpace(b); len(text) >= config.SecretLeast {
			return text, nil
		}
		return nil, fmt.Errorf("the key in %s has less than %d characters: put the right one there, or remove the file to have one made", path, config.SecretLeast)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the secret key: %w", err)
	}
	random := make([]byte, secretBytes)
	rand.Read(random)
	text := []byte(base64.RawStdEncoding.EncodeToString(random))
	if err := writeSecret(path, text); err != nil {
		return nil, fmt.Errorf("write the secret key: %w", err)
	}
	return text, nil
}

// writeSecret writes a file that nobody else can read, whole or not at all.
func writeSecret(path string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
