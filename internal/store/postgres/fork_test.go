package postgres

import (
	"testing"

	"platen/internal/store"
)

// TestOthersWriteWhileAParentIsForked, and so does the parent: another process holds the key of the fork, so the fork
// waits, and all else is written before it.
func TestOthersWriteWhileAParentIsForked(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	s := openTest(t, dsn)
	for _, id := range []string{"parent", "other"} {
		if err := s.Commit(t.Context(), creation(id)); err != nil {
			t.Fatalf("create: %v", err)
		}
	}
	key := store.KeyHash{1}
	tx, err := connectRaw(t, dsn).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `INSERT INTO keys (hash, sandbox) VALUES ($1, 0)`, key[:]); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- s.Commit(t.Context(), store.Commit{SandboxID: "fork", Version: 2,
			Header: &store.Sandbox{ID: "fork", OfficeKey: key}, Fork: &store.Fork{Parent: "parent"}})
	}()
	waitForLock(t, dsn, s)
	for _, id := range []string{"parent", "other"} {
		if err := s.Commit(t.Context(), commitOf(id, 2, 0)); err != nil {
			t.Errorf("commit of %s: %v", id, err)
		}
	}
	if err := s.Delete(t.Context(), "parent", store.Fence{}); err != nil {
		t.Errorf("delete the parent: %v", err)
	}
	if len(ended) > 0 {
		t.Fatalf("the fork was written or given up before the others: %v", <-ended)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatalf("fork: %v", err)
	}
	if image, err := s.Load(t.Context(), "fork"); err != nil || len(image.Commits) != 2 {
		t.Errorf("the fork has %d commits, %v", len(image.Commits), err)
	}
}
