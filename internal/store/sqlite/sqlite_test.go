package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen/internal/store"
	"platen/internal/store/sqlite"
	"platen/internal/store/storetest"
)

func TestStoreKeepsItsWord(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Reopener {
		path := filepath.Join(t.TempDir(), "platen.db")
		return func(ctx context.Context) (store.Store, error) { return sqlite.Open(ctx, path) }
	})
}

func openStore(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return s
}

// openRaw opens the file as any SQLite program would.
func openRaw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func query[T any](t *testing.T, db *sql.DB, text string, to *T) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), text).Scan(to); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// settle gives the writer something to do until it has removed what was
// deleted and given the space back.
func settle(t *testing.T, s *sqlite.Store, path string) {
	t.Helper()
	db := openRaw(t, path)
	defer db.Close()
	for {
		if err := s.Ping(t.Context()); err != nil {
			t.Fatalf("ping: %v", err)
		}
		var waiting, free int
		query(t, db, "SELECT count(*) FROM tombstones WHERE emptied = 0", &waiting)
		query(t, db, "PRAGMA freelist_count", &free)
		if waiting == 0 && free == 0 {
			return
		}
	}
}

func fill(t *testing.T, s store.Store, id string, commits int) {
	t.Helper()
	body := bytes.Repeat([]byte(id), 20_000)
	for i := range commits {
		c := store.Commit{SandboxID: id, Version: uint64(i + 1), Body: body}
		if i == 0 {
			c.Header = &store.Sandbox{ID: id}
		}
		if err := s.Commit(t.Context(), c); err != nil {
			t.Fatalf("commit: %v", err)
		}
	}
	if err := s.SaveSnapshot(t.Context(), store.Snapshot{SandboxID: id, Version: 1, Body: body}); err != nil {
		t.Fatalf("snapshot: %v", err)
	}
}

func TestDeletionGivesSpaceBack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "platen.db")
	s := openStore(t, path)
	defer s.Close()
	db := openRaw(t, path)
	var empty, full, after, bodies int
	query(t, db, "PRAGMA page_count", &empty)
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		fill(t, s, id, 100)
	}
	query(t, db, "PRAGMA page_count", &full)
	for _, id := range []string{"b", "a", "f", "d", "c"} {
		if err := s.Delete(t.Context(), id, store.Fence{}); err != nil {
			t.Fatalf("delete: %v", err)
		}
	}
	settle(t, s, path)
	query(t, db, "PRAGMA page_count", &after)
	if after-empty > (full-empty)/5 {
		t.Errorf("%d pages are left of %d when five of six sandboxes are gone (%d when empty)", after, full, empty)
	}
	query(t, db, "SELECT (SELECT count(*) FROM commits) + (SELECT count(*) FROM snapshots)", &bodies)
	if bodies != 101 {
		t.Errorf("%d bodies are left, want the 101 of one sandbox", bodies)
	}
	if image, err := s.Load(t.Context(), "e"); err != nil || len(image.Commits) != 99 {
		t.Errorf("the last sandbox: got %d commits, %v, want 99", len(image.Commits), err)
	}
}

// A crash may leave this: the header is gone, the bodies are not.
func TestInterruptedDeletionIsFinishedAfterOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "platen.db")
	s := openStore(t, path)
	fill(t, s, "a", 100)
	fill(t, s, "b", 3)
	if err := s.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	db := openRaw(t, path)
	for _, text := range []string{
		"INSERT INTO tombstones (number, id) SELECT number, id FROM sandboxes WHERE id = 'a'",
		"DELETE FROM sandboxes WHERE id = 'a'",
	} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	s = openStore(t, path)
	defer s.Close()
	settle(t, s, path)
	var bodies int
	query(t, db, "SELECT (SELECT count(*) FROM commits) + (SELECT count(*) FROM snapshots)", &bodies)
	if bodies != 4 {
		t.Errorf("%d bodies are left, want the 4 of the other sandbox", bodies)
	}
}

func TestDatabaseOfANewerVersionIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "platen.db")
	if err := openStore(t, path).Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	db := openRaw(t, path)
	if _, err := db.ExecContext(t.Context(), "INSERT INTO migrations VALUES (9999, 'later', 0)"); err != nil {
		t.Fatal(err)
	}
	refuse(t, path, "newer version of Platen")
}

func TestDatabaseOfAnotherProgramIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "other.db")
	if _, err := openRaw(t, path).ExecContext(t.Context(), "CREATE TABLE songs (title TEXT)"); err != nil {
		t.Fatal(err)
	}
	refuse(t, path, "another program")

	path = filepath.Join(t.TempDir(), "letter.txt")
	if err := os.WriteFile(path, bytes.Repeat([]byte("Dear Sir or Madam, "), 100), 0o600); err != nil {
		t.Fatal(err)
	}
	refuse(t, path, "not a database")
}

// refuse checks that a path cannot be opened, why, and that the refusal lets
// go of it.
func refuse(t *testing.T, path, why string) {
	t.Helper()
	for range 2 {
		s, err := sqlite.Open(t.Context(), path)
		if err == nil {
			s.Close()
			t.Fatalf("%s was opened", path)
		}
		if !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), path) {
			t.Errorf("refusal %q names neither %q nor %q", err, why, path)
		}
	}
}

func TestFilesAreCreatedForTheirOwnerOnly(t *testing.T) {
	t.Parallel()
	directory := filepath.Join(t.TempDir(), "new", "with space, % and ?#&")
	path := filepath.Join(directory, "ünï?code#.db")
	s := openStore(t, path)
	fill(t, s, "a", 1)
	for name, want := range map[string]os.FileMode{
		filepath.Dir(directory): 0o700 | os.ModeDir,
		directory:               0o700 | os.ModeDir,
		path:                    0o600,
		path + "-wal":           0o600,
		path + "-shm":           0o600,
		path + ".lock":          0o600,
	} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", name, info.Mode(), want)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	if _, err := os.Stat(path + "-wal"); !os.IsNotExist(err) {
		t.Errorf("the log is still there after Close: %v", err)
	}
}
