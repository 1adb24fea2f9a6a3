package sqlite

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"platen/internal/store"
	"platen/internal/store/groupcommit"
)

func openTest(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "platen.db"))
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func creation(id string) store.Commit {
	return store.Commit{SandboxID: id, Version: 1, Body: []byte("one"), Header: &store.Sandbox{ID: id}}
}

// openIdle is a writer whose goroutine does not run: the test is the writer.
func openIdle(t *testing.T) *writer {
	t.Helper()
	path := filepath.Join(t.TempDir(), "platen.db")
	if err := makeFile(path); err != nil {
		t.Fatal(err)
	}
	w, err := openWriter(t.Context(), path)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { w.disconnect() })
	return w
}

// do writes operations as one group and returns their outcomes.
func (w *writer) do(operations ...any) []error {
	var group []*groupcommit.Request
	for _, o := range operations {
		group = append(group, groupcommit.NewRequest(o))
	}
	w.write(group)
	var outcomes []error
	for _, r := range group {
		outcomes = append(outcomes, r.Outcome)
	}
	return outcomes
}

func (w *writer) execute(t *testing.T, script string) {
	t.Helper()
	if _, err := w.conn.ExecContext(t.Context(), script); err != nil {
		t.Fatalf("%s: %v", script, err)
	}
}

func TestFailedGroupLeavesNothing(t *testing.T) {
	t.Parallel()
	w := openIdle(t)
	// Commits and a conflict have been done when it fails.
	w.execute(t, `CREATE TRIGGER break BEFORE UPDATE ON pings BEGIN SELECT raise(ABORT, 'broken'); END`)
	conflicting := store.Commit{SandboxID: "b", Version: 2}
	for i, err := range w.do(creation("a"), conflicting, groupcommit.Ping{}, creation("c")) {
		if err == nil || !strings.Contains(err.Error(), "broken") || isRefusal(err) {
			t.Errorf("operation %d of a broken group: got %v, want what broke it", i, err)
		}
	}
	w.execute(t, "DROP TRIGGER break")
	got := w.do(creation("a"), conflicting, groupcommit.Ping{})
	for i, want := range []error{nil, store.ErrConflict, nil} {
		if !errors.Is(got[i], want) {
			t.Errorf("operation %d of the next group: got %v, want %v", i, got[i], want)
		}
	}
}

func TestFullDatabaseRefusesTheGroupAndGoesOn(t *testing.T) {
	t.Parallel()
	w := openIdle(t)
	large := store.Commit{SandboxID: "a", Version: 2, Body: make([]byte, 1<<20)}
	if err := w.do(creation("a"))[0]; err != nil {
		t.Fatalf("create: %v", err)
	}
	w.execute(t, "PRAGMA max_page_count = 1") // which means: as large as it is now
	for range 2 {
		for i, err := range w.do(creation("b"), large) {
			if !errors.Is(err, store.ErrFull) {
				t.Errorf("operation %d without space: got %v, want %v", i, err, store.ErrFull)
			}
		}
	}
	w.execute(t, "PRAGMA max_page_count = 1048576")
	for i, err := range w.do(creation("b"), large) {
		if err != nil {
			t.Errorf("operation %d with space again: %v", i, err)
		}
	}
}

func TestFailedSweepRestsAndLosesNothing(t *testing.T) {
	t.Parallel()
	w := openIdle(t)
	for _, err := range w.do(creation("a"), groupcommit.Deletion{SandboxID: "a"}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	w.execute(t, "PRAGMA query_only = 1")
	w.step(true)
	if w.queue.Sweep.Due() || !w.queue.Sweep.Owed {
		t.Errorf("after a failed step: got %+v, want one that rests and is owed", w.queue.Sweep)
	}
	w.execute(t, "PRAGMA query_only = 0")
	steps := 0
	for w.queue.Sweep = (groupcommit.Sweep{Owed: true}); w.queue.Sweep.Due(); w.step(true) {
		steps++
	}
	var left int
	err := w.conn.QueryRowContext(t.Context(),
		"SELECT (SELECT count(*) FROM commits) + (SELECT count(*) FROM tombstones WHERE emptied = 0)").Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("after %d steps %d rows are left, %v, want none", steps, left, err)
	}
}

func TestConnectionKeepsTheDurablePromise(t *testing.T) {
	t.Parallel()
	w := openIdle(t)
	for pragma, want := range map[string]string{
		"synchronous":          "2", // FULL
		"journal_mode":         "wal",
		"auto_vacuum":          "2", // INCREMENTAL
		"fullfsync":            "1",
		"checkpoint_fullfsync": "1",
	} {
		var got string
		if err := w.conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", pragma, got, err, want)
		}
	}
}

func TestReaderCannotWrite(t *testing.T) {
	t.Parallel()
	s := openTest(t)
	if _, err := s.reader.db.ExecContext(t.Context(), "UPDATE pings SET count = 0"); err == nil {
		t.Error("a connection of the readers has written")
	}
}
