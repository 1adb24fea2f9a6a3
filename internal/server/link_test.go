package server

import (
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"platen/internal/config"
)

// TestADatabaseBehindALinkHasItsKeyBesideIt, and its lock and log: it is the same by all its names, for a server, for
// backup and restore, and for the metrics.
func TestADatabaseBehindALinkHasItsKeyBesideIt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: links want a right there")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "data", "platen.db")
	file, directory := filepath.Join(folder, "file.db"), filepath.Join(folder, "directory")
	for link, target := range map[string]string{file: filepath.Join("data", "platen.db"), directory: "data"} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, path, filepath.Join(directory, "platen.db")} {
		s := start(t, func(c *config.Config) { c.Database = name })
		if !strings.Contains(string(get(t, s, http.MethodGet, "/metrics", "").body), "platen_database_wal_bytes ") ||
			strings.Contains(string(get(t, s, http.MethodGet, "/metrics", "").body), "platen_database_wal_bytes 0") {
			t.Errorf("as %s it has no log by the metrics", name)
		}
		if err := s.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	linked, copied := &config.Config{Database: file}, filepath.Join(folder, "copies", "copy.db")
	if err := os.Mkdir(filepath.Dir(copied), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Backup(t.Context(), linked, copied, true); err != nil {
		t.Fatal(err)
	}
	key, err := CopyKey(file, copied)
	if err != nil || key != copied+".key" {
		t.Fatalf("the key is copied to %q, %v", key, err)
	}
	newest := filepath.Join(folder, "newest.db") // as some keep a link to the newest copy
	if err := os.Symlink(copied, newest); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	restored, err := Restore(t.Context(), linked, Restoring{From: newest, Check: true})
	if err != nil || !strings.HasSuffix(restored.Key, filepath.Join("data", "platen.db.key")) {
		t.Errorf("restored is %+v, %v", restored, err)
	}
	s := start(t, func(c *config.Config) { c.Database = path })
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	want := []string{filepath.Dir(copied), filepath.Dir(path), directory, file, newest}
	if err != nil || !slices.Equal(left, want) {
		t.Errorf("beside the links there are %v, %v", left, err)
	}
}
