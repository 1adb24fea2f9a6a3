package server_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"platen/internal/config"
	"platen/internal/server"
)

// opened opens the storage of a server over a database, and closes it.
func opened(t *testing.T, database string) error {
	t.Helper()
	c := config.Default()
	c.Database = database
	s, err := server.New(t.Context(), c, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return s.Stop(context.Background())
}

func TestTheSecretKeyIsMadeOnceAndForOneselfAlone(t *testing.T) {
	t.Parallel()
	database := filepath.Join(t.TempDir(), "data", "platen.db")
	if err := opened(t, database); err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadFile(database + ".key")
	if err != nil || len(strings.TrimSpace(string(made))) < config.SecretLeast {
		t.Fatalf("the key has %d bytes, %v", len(made), err)
	}
	if info, err := os.Stat(database + ".key"); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("its file has the mode %v, %v", info.Mode(), err)
	}
	if err := opened(t, database); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(database + ".key"); err != nil || string(again) != string(made) {
		t.Errorf("the next start made another key, %v", err)
	}
	files, err := filepath.Glob(database + ".key*")
	if err != nil || len(files) != 1 {
		t.Errorf("beside the key there are %v, %v", files, err)
	}
}

func TestAKeyFileThatIsNoneIsNotReplaced(t *testing.T) {
	t.Parallel()
	database := filepath.Join(t.TempDir(), "platen.db")
	if err := os.WriteFile(database+".key", []byte("cut off"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := opened(t, database); err == nil || !strings.Contains(err.Error(), ".key has less than") {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadFile(database + ".key"); err != nil || string(left) != "cut off" {
		t.Errorf("the file is now %q, %v", left, err)
	}
}

// TestALostKeyIsNotReplacedInSilence: what is encrypted could never be read again.
func TestALostKeyIsNotReplacedInSilence(t *testing.T) {
	t.Parallel()
	database := filepath.Join(t.TempDir(), "platen.db")
	if err := opened(t, database); err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(database + ".key")
	if err != nil {
		t.Fatal(err)
	}
	start := func(change func(*config.Config)) error {
		c := config.Default()
		c.Database = database
		change(c)
		s, err := server.New(t.Context(), c, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		return s.Stop(context.Background())
	}
	if err := os.Remove(database + ".key"); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*config.Config){
		"no key":      func(*config.Config) {},
		"another key": func(c *config.Config) { c.SecretKey = strings.Repeat("x", config.SecretLeast) },
	} {
		err := start(change)
		if err == nil || !strings.Contains(err.Error(), "--new-secret-key") || strings.Contains(err.Error(), "xxx") {
			t.Errorf("with %s it starts: %v", name, err)
		}
		if _, err := os.Stat(database + ".key"); err == nil {
			t.Errorf("with %s a key was made", name)
		}
	}
	elsewhere := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(elsewhere, key, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := start(func(c *config.Config) { c.SecretKeyFile = elsewhere }); err != nil {
		t.Errorf("with the key in another file: %v", err)
	}
	if err := start(func(c *config.Config) { c.NewSecretKey = true }); err != nil {
		t.Errorf("with a new key: %v", err)
	}
	if again, err := os.ReadFile(database + ".key"); err != nil || string(again) == string(key) {
		t.Errorf("the new key is the old one, or there is none: %v", err)
	}
	if err := opened(t, database); err != nil {
		t.Errorf("with the new key the next start is refused: %v", err)
	}
	if err := start(func(c *config.Config) { c.SecretKeyFile = elsewhere }); err == nil {
		t.Error("with the old key it starts")
	}
}
