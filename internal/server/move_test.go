package server

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"platen/internal/config"
	"platen/internal/store"
	"platen/internal/store/sqlite"
)

// unreadable is a store some of whose commits cannot be read.
type unreadable struct{ store.Store }

var errUnreadable = errors.New("unreadable")

func (unreadable) Commits(context.Context, string, uint64, uint64) ([]store.Commit, error) {
	return nil, errUnreadable
}

// TestNoServerStartsOnAPartOfADatabase: nor is more moved into it.
func TestNoServerStartsOnAPartOfADatabase(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	open := func(name string) store.Store {
		t.Helper()
		db, err := sqlite.Open(t.Context(), filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	from, to := open("from.db"), open("to.db")
	end := time.Now().UTC().Truncate(time.Microsecond)
	header := store.Sandbox{
		ID: "sbx_1", OfficeKey: store.KeyHash{1}, FactoryKey: store.KeyHash{2}, GradingKey: store.KeyHash{3},
		Evaluation: true, CreatedAt: end, ExpiresAt: end, DeleteAt: end, WakeAt: end,
	}
	err := from.Commit(t.Context(), store.Commit{SandboxID: "sbx_1", Version: 1, Header: &header, Body: []byte("body")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := moveStore(t.Context(), unreadable{from}, to); !errors.Is(err, errUnreadable) {
		t.Fatalf("a move that fails ends with %v", err)
	}
	if _, err := moveStore(t.Context(), from, to); !errors.Is(err, errHalfMoved) {
		t.Errorf("moving into a part ends with %v", err)
	}
	if _, err := moveStore(t.Context(), to, open("third.db")); !errors.Is(err, errHalfMoved) {
		t.Errorf("moving a part ends with %v", err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Database = filepath.Join(folder, "to.db")
	if _, err := New(t.Context(), c, slog.New(slog.DiscardHandler)); !errors.Is(err, errHalfMoved) {
		t.Errorf("a server on a part: %v", err)
	}
	// Into another one everything goes, what this program cannot read too.
	whole := open("whole.db")
	if moved, err := moveStore(t.Context(), from, whole); err != nil || moved.Sandboxes != 1 || moved.Commits != 1 {
		t.Errorf("a move that works: %+v, %v", moved, err)
	}
	if found, err := whole.FindKey(t.Context(), header.GradingKey); err != nil || found != header {
		t.Errorf("there is %+v, %v", found, err)
	}
}
