package sqlite_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen/internal/store"
	"platen/internal/store/sqlite"
)

// TestARestoredDatabaseIsTheCopyAndNothingOfTheOldOne, neither its commits nor
// the log beside it.
func TestARestoredDatabaseIsTheCopyAndNothingOfTheOldOne(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path, copied := filepath.Join(folder, "platen.db"), filepath.Join(folder, "copy.db")
	commit := func(s *sqlite.Store, id string, n byte) {
		t.Helper()
		c := store.Commit{SandboxID: id, Version: 1, Body: []byte(id), Header: sandboxOf(id, n)}
		if err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	commit(s, "sbx_kept", 1)
	if _, err := sqlite.Backup(t.Context(), path, copied, nil); err != nil {
		t.Fatal(err)
	}
	commit(s, "sbx_later", 2)
	if _, err := sqlite.Restore(t.Context(), copied, path, sqlite.Restoring{Replace: true}); err == nil {
		t.Error("a database in use was replaced")
	}
	log, err := os.ReadFile(path + "-wal")
	if err != nil || len(log) == 0 {
		t.Fatalf("the old database has no log: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-wal", log, 0o600); err != nil { // as a killed server leaves it
		t.Fatal(err)
	}
	if _, err := sqlite.Restore(t.Context(), copied, path, sqlite.Restoring{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a database: %v", err)
	}
	restored, err := sqlite.Restore(t.Context(), copied, path, sqlite.Restoring{Replace: true})
	if err != nil || restored.Sandboxes != 1 || restored.Commits != 1 {
		t.Fatalf("restored are %+v, %v", restored, err)
	}
	if s, err = sqlite.Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if image, err := s.Load(t.Context(), "sbx_kept"); err != nil || string(image.Commits[0].Body) != "sbx_kept" {
		t.Errorf("the sandbox of the copy is %+v, %v", image, err)
	}
	if _, err := s.Load(t.Context(), "sbx_later"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a sandbox from after the copy: %v", err)
	}
	commit(s, "sbx_new", 3)
	left, err := filepath.Glob(filepath.Join(folder, "*restore*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestOnlyTheTablesOfPlatenAreRestored: anything else in a copy could change what is written later.
func TestOnlyTheTablesOfPlatenAreRestored(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"a trigger":              `CREATE TRIGGER t AFTER INSERT ON commits BEGIN DELETE FROM commits; END`,
		"a view":                 `CREATE VIEW v AS SELECT * FROM commits`,
		"a view in its place":    `DROP TABLE snapshots; CREATE VIEW snapshots AS SELECT 1 AS sandbox, 1 AS version`,
		"an index":               `CREATE INDEX i ON commits (body)`,
		"a table without a rule": `DROP TABLE pings; CREATE TABLE pings (one INTEGER, count INTEGER)`,
		"a default of hyphens": `DROP TABLE pings; CREATE TABLE pings (
			one   INTEGER PRIMARY KEY CHECK (one = 1),
			count INTEGER NOT NULL DEFAULT '--'
		) STRICT`,
		"a table too few":         `DROP TABLE records`,
		"a schema of the future":  `INSERT INTO migrations (number, name, applied_at) VALUES (99, 'x', 0)`,
		"statistics, and no more": `ANALYZE`,
		"comments, and no more": `PRAGMA writable_schema = ON;
			UPDATE sqlite_schema SET sql = replace(sql, '-- The next moment', '-- When is the next moment')`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path, copied := filepath.Join(folder, "platen.db"), filepath.Join(folder, "copy.db")
			s := openStore(t, copied)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			db := openRaw(t, copied)
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
			db.Close()
			_, err := sqlite.Restore(t.Context(), copied, path, sqlite.Restoring{})
			if want := strings.HasSuffix(name, "and no more"); (err == nil) != want {
				t.Errorf("restored: %v", err)
			}
			if _, missing := os.Stat(path); err != nil && !errors.Is(missing, fs.ErrNotExist) {
				t.Errorf("left is a database, %v", missing)
			}
		})
	}
}

// TestADatabaseOfAnUnreleasedVersionIsRefused, opened or as a copy.
func TestADatabaseOfAnUnreleasedVersionIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "platen.db")
	if err := openStore(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	db := openRaw(t, path)
	const before = "UPDATE migrations SET name = '0001_sandboxes.sql' WHERE number = 1"
	if _, err := db.ExecContext(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	db.Close()
	refuse(t, path, "unreleased version of Platen")
	_, err := sqlite.Restore(t.Context(), path, filepath.Join(t.TempDir(), "restored.db"), sqlite.Restoring{})
	if err == nil || !strings.Contains(err.Error(), "unreleased version of Platen") {
		t.Errorf("a copy of it is restored: %v", err)
	}
}
