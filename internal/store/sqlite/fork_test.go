package sqlite_test

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
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

// TestOthersWriteWhileALongParentIsForked: a fork takes the writer for a part of the copies at a time.
func TestOthersWriteWhileALongParentIsForked(t *testing.T) {
	t.Parallel()
	const newest, least = 3000, 10 // of 15 parts
	s := openStore(t, filepath.Join(t.TempDir(), "platen.db"))
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
	done := make(chan error, newest)
	for version := uint64(2); version <= newest; version++ {
		commit(store.Commit{SandboxID: "parent", Version: version, Body: make([]byte, 100)})
	}
	var ended atomic.Bool
	go func() {
		err := s.Commit(t.Context(), store.Commit{SandboxID: "fork", Version: newest + 1, Header: header("fork"),
			Fork: &store.Fork{Parent: "parent"}})
		ended.Store(true)
		done <- err
	}()
	wrote := uint64(0)
	for version := uint64(2); !ended.Load(); version++ {
		commit(store.Commit{SandboxID: "other", Version: version})
		wrote++
		if _, err := s.Load(t.Context(), "fork"); err == nil && wrote < least {
			break
		}
	}
	if err := <-done; err != nil || wrote < least {
		t.Errorf("%d commits of another sandbox were written before the fork, want %d at least; %v", wrote, least, err)
	}
	image, err := s.Load(t.Context(), "fork")
	if err != nil || len(image.Commits) != newest+1 {
		t.Errorf("the fork has %d commits, %v", len(image.Commits), err)
	}
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
