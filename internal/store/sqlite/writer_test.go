package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"platen/internal/store"
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

// A gate is an operation that keeps the writer until it is let go.
type gate struct{ entered, leave chan struct{} }

func newGate() gate { return gate{make(chan struct{}), make(chan struct{})} }

func (g gate) apply(*writer) error {
	close(g.entered)
	<-g.leave
	return nil
}

func (gate) bodyBytes() int { return 0 }

func TestWaitingCommitIsTakenBackByItsContext(t *testing.T) {
	t.Parallel()
	s := openTest(t)
	g := newGate()
	held := make(chan error)
	go func() { held <- s.write(t.Context(), g) }()
	<-g.entered

	ctx, cancel := context.WithCancel(t.Context())
	answer := make(chan error)
	go func() { answer <- s.Commit(ctx, creation("a")) }()
	for len(s.writer.queue) == 0 {
		runtime.Gosched()
	}
	cancel()
	if err := <-answer; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled commit: got %v, want %v", err, context.Canceled)
	}
	close(g.leave)
	if err := <-held; err != nil {
		t.Errorf("the one before: %v", err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Fatalf("ping: %v", err)
	}
	if _, err := s.Load(t.Context(), "a"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("load: got %v, want %v", err, store.ErrNotFound)
	}
}

func TestTakenCommitIsAnsweredWithTheTruth(t *testing.T) {
	t.Parallel()
	s := openTest(t)
	ctx, cancel := context.WithCancel(t.Context())
	g := newGate()
	answer := make(chan error)
	go func() { answer <- s.write(ctx, g) }()
	<-g.entered
	cancel()
	close(g.leave)
	if err := <-answer; err != nil {
		t.Errorf("got %v, want nil: it was written", err)
	}
}

func TestFullQueueHoldsCallersOnlyAsLongAsTheyLike(t *testing.T) {
	t.Parallel()
	s := openTest(t)
	g := newGate()
	held := make(chan error)
	go func() { held <- s.write(t.Context(), g) }()
	<-g.entered
	for range queueLength {
		withdrawn := &request{operation: ping{}}
		withdrawn.claimed.Store(true)
		s.writer.queue <- withdrawn
	}
	ctx, cancel := context.WithCancel(t.Context())
	answer := make(chan error)
	go func() { answer <- s.Commit(ctx, creation("a")) }()
	cancel()
	if err := <-answer; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	close(g.leave)
	if err := <-held; err != nil {
		t.Errorf("the one before: %v", err)
	}
	if err := s.Commit(t.Context(), creation("a")); err != nil {
		t.Errorf("commit after the queue has drained: %v", err)
	}
}

func TestGroupIsLimitedInNumberAndSize(t *testing.T) {
	t.Parallel()
	queue := func(n, bodyBytes int) *writer {
		w := &writer{queue: make(chan *request, n)}
		for range n {
			w.queue <- &request{operation: commit{store.Commit{Body: make([]byte, bodyBytes)}}}
		}
		return w
	}
	w := queue(groupCommits+44, 1)
	for _, want := range []int{groupCommits, 44} {
		if got := len(w.gather(nil, <-w.queue)); got != want {
			t.Errorf("group of %d, want %d", got, want)
		}
	}
	w = queue(5, groupBytes/2)
	for _, want := range []int{2, 2, 1} {
		if got := len(w.gather(nil, <-w.queue)); got != want {
			t.Errorf("group of %d large bodies, want %d", got, want)
		}
	}
}

// A failure is an operation that the database does not survive.
type failure struct{ error }

func (f failure) apply(*writer) error { return f.error }

func (failure) bodyBytes() int { return 0 }

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

// do writes operations as one group and returns their answers.
func (w *writer) do(operations ...operation) []error {
	var group []*request
	for _, op := range operations {
		group = append(group, &request{operation: op, answer: make(chan error, 1)})
	}
	w.write(slices.Clone(group)) // it forgets what it has written
	var answers []error
	for _, r := range group {
		answers = append(answers, <-r.answer)
	}
	return answers
}

func TestFailedGroupLeavesNothing(t *testing.T) {
	t.Parallel()
	w := openIdle(t)
	broken := errors.New("broken")
	conflicting := commit{store.Commit{SandboxID: "b", Version: 2}}
	for i, err := range w.do(commit{creation("a")}, conflicting, failure{broken}, ping{}) {
		if !errors.Is(err, broken) {
			t.Errorf("operation %d of a broken group: got %v, want %v", i, err, broken)
		}
	}
	got := w.do(commit{creation("a")}, conflicting, ping{})
	for i, want := range []error{nil, store.ErrConflict, nil} {
		if !errors.Is(got[i], want) {
			t.Errorf("operation %d of the next group: got %v, want %v", i, got[i], want)
		}
	}
}

func TestFullDatabaseRefusesTheGroupAndGoesOn(t *testing.T) {
	t.Parallel()
	w := openIdle(t)
	limit := func(pages int) {
		t.Helper()
		text := fmt.Sprintf("PRAGMA max_page_count = %d", pages)
		if _, err := w.conn.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	large := store.Commit{SandboxID: "a", Version: 2, Body: make([]byte, 1<<20)}
	if err := w.do(commit{creation("a")})[0]; err != nil {
		t.Fatalf("create: %v", err)
	}
	limit(1) // which means: as large as it is now
	for range 2 {
		for i, err := range w.do(commit{creation("b")}, commit{large}) {
			if !errors.Is(err, store.ErrFull) {
				t.Errorf("operation %d without space: got %v, want %v", i, err, store.ErrFull)
			}
		}
	}
	limit(1 << 20)
	for i, err := range w.do(commit{creation("b")}, commit{large}) {
		if err != nil {
			t.Errorf("operation %d with space again: %v", i, err)
		}
	}
}

func TestFailedSweepRestsAndLosesNothing(t *testing.T) {
	t.Parallel()
	w := openIdle(t)
	for _, err := range w.do(commit{creation("a")}, deletion{"a"}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.conn.ExecContext(t.Context(), "PRAGMA query_only = 1"); err != nil {
		t.Fatal(err)
	}
	w.step(true)
	if w.sweep.due() || !w.sweep.owed {
		t.Errorf("after a failed step: got %+v, want one that rests and is owed", w.sweep)
	}
	if _, err := w.conn.ExecContext(t.Context(), "PRAGMA query_only = 0"); err != nil {
		t.Fatal(err)
	}
	steps := 0
	for w.sweep.pause = nil; w.sweep.due(); w.step(true) {
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

func TestMigrationsAreNumberedAndExplained(t *testing.T) {
	t.Parallel()
	list, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		if !strings.HasPrefix(m.script, "-- ") {
			t.Errorf("migration %s does not begin with a comment that says what it is for", m.name)
		}
	}
}

// The bubble panics when a goroutine begun in it outlives the test.
func TestCloseLeavesNoGoroutine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "platen.db")
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Fatalf("open: %v", err)
		}
		for _, id := range []string{"a", "b"} {
			if err := s.Commit(t.Context(), creation(id)); err != nil {
				t.Errorf("commit: %v", err)
			}
		}
		if _, err := s.Load(t.Context(), "a"); err != nil {
			t.Errorf("load: %v", err)
		}
		if err := s.Delete(t.Context(), "b"); err != nil {
			t.Errorf("delete: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}
