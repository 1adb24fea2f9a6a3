package sqlite_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"platen/internal/store/sqlite"
)

// TestAFileThatIsNoDatabaseStaysAsItIs, and nothing is left beside it: its path may be a slip.
func TestAFileThatIsNoDatabaseStaysAsItIs(t *testing.T) {
	t.Parallel()
	foreign := filepath.Join(t.TempDir(), "foreign.db")
	db := openRaw(t, foreign)
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE accounts (name TEXT)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(foreign)
	if err != nil {
		t.Fatal(err)
	}
	for says, content := range map[string][]byte{
		"it is not a database of SQLite":  []byte("a text, and long enough to be looked at as a database\n"),
		"platen.db: it is not a database": []byte("x"),
		"not a database":                  bytes.Repeat([]byte{0}, 1<<16),
		"the tables of another program":   other,
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, "platen.db")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := sqlite.Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want %q, it opens: %v, %v", says, s, err)
		}
		if _, err := sqlite.Restore(t.Context(), foreign, path, sqlite.Restoring{}); err == nil {
			t.Errorf("want %q, it is restored over", says)
		}
		if left := filesIn(t, folder); len(left) != 1 || !bytes.Equal(left["platen.db"], content) {
			t.Errorf("want %q, left are %v", says, slices.Sorted(maps.Keys(left)))
		}
	}
	folder := t.TempDir()
	if s, err := sqlite.Open(t.Context(), folder); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a folder opens: %v, %v", s, err)
	}
	if left := filesIn(t, filepath.Dir(folder)); left[filepath.Base(folder)+".lock"] != nil {
		t.Error("a lock is beside a folder")
	}
}

// filesIn reads the files of a folder.
func filesIn(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.Base(path)] = content
		}
	}
	return files
}
