package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"platen/internal/store"
)

// header is that of a sandbox, with keys of its own.
func header(id string) *store.Sandbox {
	h := &store.Sandbox{
		ID: id, Network: "n", CreatedAt: time.Unix(1, 0), ExpiresAt: time.Unix(2, 0), DeleteAt: time.Unix(3, 0),
	}
	copy(h.OfficeKey[:], "office "+id)
	copy(h.FactoryKey[:], "factory "+id)
	return h
}

// TestOthersWriteWhileALongParentIsForked: the rows of commits are numbered in the order in which they were
// written. Where two commits of another sandbox lie among those of a fork, the second one began and ended while the
// fork was half copied, since it began when the first one had ended.
func TestOthersWriteWhileALongParentIsForked(t *testing.T) {
	t.Parallel()
	const newest, tries = 1000, 20 // of 20 parts each, should the machine let nobody else run
	path := filepath.Join(t.TempDir(), "platen.db")
	s := openStore(t, path)
	defer s.Close()
	commit := func(c store.Commit) {
		t.Helper()
		if err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"parent", "other"} {
		commit(store.Commit{SandboxID: id, Version: 1, Header: header(id)})
	}
	for version := uint64(2); version <= newest; version++ {
		commit(store.Commit{SandboxID: "parent", Version: version, Body: make([]byte, 100)})
	}
	written := uint64(1)
	for try := range tries {
		id := fmt.Sprint("fork ", try)
		ended := make(chan error, 1)
		go func() {
			ended <- s.Commit(t.Context(), store.Commit{SandboxID: id, Version: newest + 1, Header: header(id),
				Fork: &store.Fork{Parent: "parent"}})
		}()
		for len(ended) == 0 {
			written++
			commit(store.Commit{SandboxID: "other", Version: written})
		}
		if err := <-ended; err != nil {
			t.Fatalf("fork: %v", err)
		}
		if image, err := s.Load(t.Context(), id); err != nil || len(image.Commits) != newest+1 {
			t.Fatalf("the fork has %d commits, %v", len(image.Commits), err)
		}
		var amid int
		query(t, openRaw(t, path), fmt.Sprintf(`
			WITH fork AS (SELECT min(c.rowid) AS first, max(c.rowid) AS last
				FROM commits c JOIN sandboxes s ON s.number = c.sandbox WHERE s.id = '%s')
			SELECT count(*) FROM fork, commits c JOIN sandboxes s ON s.number = c.sandbox
			WHERE s.id = 'other' AND c.rowid BETWEEN fork.first AND fork.last`, id), &amid)
		if amid >= 2 {
			return
		}
	}
	t.Errorf("in none of %d forks did another sandbox write while it was copied", tries)
}

// TestHalfAForkIsRemoved that a crash has left.
func TestHalfAForkIsRemoved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "platen.db")
	s := openStore(t, path)
	if err := s.Commit(t.Context(), store.Commit{SandboxID: "a", Version: 1, Header: header("a")}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	db := openRaw(t, path)
	for _, statement := range []string{
		`UPDATE sqlite_sequence SET seq = 9`, `INSERT INTO tombstones (number, id, emptied) VALUES (9, 'fork 9', 2)`,
		`INSERT INTO commits (sandbox, version, body) VALUES (9, 1, x'00'), (9, 2, x'00')`,
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", statement, err))
		}
	}
	db.Close()
	s = openStore(t, path)
	defer s.Close()
	settle(t, s, path)
	var left int
	query(t, openRaw(t, path), `SELECT count(*) FROM commits WHERE sandbox = 9`, &left)
	if n, err := s.Count(t.Context()); left != 0 || n != 1 || err != nil {
		t.Errorf("%d commits of the fork are left, and there are %d sandboxes, %v", left, n, err)
	}
}
