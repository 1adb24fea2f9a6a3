package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"platen/internal/config"
	"platen/internal/edge/webhook"
	"platen/internal/store"
)

const (
	// secretBytes is the number of random bytes of a key made here.
	secretBytes = 32
	// secretSuffix names the file of the key, beside the database.
	secretSuffix = ".key"
)

// kindServer and keyCanary name the record by which a server knows its own key
// again: a text that was sealed with it.
const (
	kindServer  = "server"
	keyCanary   = "secret key"
	canaryText  = "sealed with the secret key of this database"
	canaryLasts = 100 * 365 * 24 * time.Hour
)

// secretSource is a key and where it is from.
type secretSource struct {
	// text is the key, empty when its file is yet to be made.
	text []byte
	// place names the origin of the key, for people.
	place, file string
}

// secret returns the key of the encryption at rest: the operator's setting, or
// that of the file beside the database, which is created at the first start. A
// database that is no file comes with a key, or the settings are refused. A key
// that the database was not written with is refused, unless the operator asks
// for a new one.
func (s *Server) secret(ctx context.Context) ([]byte, error) {
	source, err := readSecret(s.config)
	if err != nil {
		return nil, err
	}
	record, err := s.store.Find(ctx, kindServer, keyCanary)
	known := err == nil
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("look up the mark of the secret key: %w", err)
	}
	if known && !s.config.NewSecretKey {
		if err := source.fits(record.Body); err != nil {
			return nil, err
		}
	}
	if source.text == nil {
		if source.text, err = makeSecret(source.file); err != nil {
			return nil, fmt.Errorf("write the secret key: %w", err)
		}
	}
	sum := sha256.Sum256(source.text)
	if known && source.fits(record.Body) == nil {
		return sum[:], nil
	}
	if known {
		s.log.Warn("a new secret key begins: subscriptions to webhooks must be made anew", "key", source.place)
	}
	sealer, err := webhook.NewSealer(sum[:])
	if err != nil {
		return nil, fmt.Errorf("seal the mark of the secret key: %w", err)
	}
	mark := store.Record{
		Kind: kindServer, Key: keyCanary, Body: sealer.Seal(canaryText, keyCanary),
		EndsAt: s.now().Add(canaryLasts).UTC().Truncate(time.Microsecond),
	}
	if err := s.store.Write(ctx, []store.Write{{Record: mark}}); err != nil {
		return nil, fmt.Errorf("keep the mark of the secret key: %w", err)
	}
	return sum[:], nil
}

// fits refuses a key that did not seal the mark of the database.
func (k *secretSource) fits(mark []byte) error {
	if k.text == nil {
		return fmt.Errorf("the secret key of this database is missing: %s is not there. "+
			"Put it back, or start with --new-secret-key: then recreate all webhook subscriptions", k.file)
	}
	sum := sha256.Sum256(k.text)
	sealer, err := webhook.NewSealer(sum[:])
	if err != nil {
		return fmt.Errorf("open the mark of the secret key: %w", err)
	}
	if _, err := sealer.Open(mark, keyCanary); err != nil {
		return fmt.Errorf("the secret key in %s is not the one that this database was written with. Put that one "+
			"back, or start with --new-secret-key: then recreate all webhook subscriptions", k.place)
	}
	return nil
}

// readSecret finds the key of the settings.
func readSecret(c *config.Config) (*secretSource, error) {
	switch {
	case c.SecretKey != "":
		return &secretSource{text: []byte(c.SecretKey), place: "secret-key"}, nil
	case c.SecretKeyFile != "":
		text, err := readSecretFile(c.SecretKeyFile)
		if err != nil {
			return nil, fmt.Errorf("read the secret key: %w", err)
		}
		return &secretSource{text: text, place: c.SecretKeyFile}, nil
	}
	file, err := keyFile(c.Database)
	if err != nil {
		return nil, err
	}
	if err := removeRemains(file); err != nil {
		return nil, fmt.Errorf("remove what is left of a secret key: %w", err)
	}
	text, err := readSecretFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &secretSource{place: file, file: file}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the secret key: %w", err)
	}
	return &secretSource{text: text, place: file, file: file}, nil
}

func readSecretFile(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text := bytes.TrimSpace(b)
	if len(text) < config.SecretLeast {
		return nil, fmt.Errorf("the key in %s has less than %d characters: "+
			"put the right one there, or remove the file to generate one", path, config.SecretLeast)
	}
	return text, nil
}

// makeSecret makes a key and its file. The database is open by then, so no other
// process makes the same.
func makeSecret(path string) ([]byte, error) {
	random := make([]byte, secretBytes)
	rand.Read(random)
	text := []byte(base64.RawStdEncoding.EncodeToString(random))
	return text, writeSecret(path, text)
}

// writeSecret writes a file that only its owner can read, whole or not at all.
func writeSecret(path string, text []byte) error {
	temporary, err := writeBeside(path, append(text, '\n'))
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	// The name must outlast a loss of power, as the data that is sealed with
	// the key does.
	return syncFolder(filepath.Dir(path))
}
