package postgres

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"platen/internal/store"
)

func creation(id string) store.Commit {
	return store.Commit{SandboxID: id, Version: 1, Body: []byte("one"), Header: &store.Sandbox{ID: id}}
}

// A gate is an operation that keeps the writer until it is let go.
type gate struct{ entered, leave chan struct{} }

func newGate() gate { return gate{make(chan struct{}), make(chan struct{})} }

func (gate) sandboxID() string { return "" }

func (gate) bodyBytes() int { return 0 }

func (gate) alone() bool { return false }

func (g gate) join(*group, *request) {
	close(g.entered)
	<-g.leave
}

// hold keeps the writer until the function it returns is called, which returns
// when the writer has gone on.
func hold(t *testing.T, s *Store) func() {
	t.Helper()
	g := newGate()
	held := make(chan error)
	go func() { held <- s.write(t.Context(), g) }()
	<-g.entered
	return func() {
		close(g.leave)
		if err := <-held; err != nil {
			t.Errorf("the gate: %v", err)
		}
	}
}

// waitForQueue returns when the writer has so many requests before it.
func waitForQueue(s *Store, length int) {
	for len(s.writer.queue) < length {
		runtime.Gosched()
	}
}

func TestWaitingCommitIsTakenBackByItsContext(t *testing.T) {
	t.Parallel()
	s := openTest(t, newSchema(t))
	letGo := hold(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	answer := make(chan error)
	go func() { answer <- s.Commit(ctx, creation("a")) }()
	waitForQueue(s, 1)
	cancel()
	if err := <-answer; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled commit: got %v, want %v", err, context.Canceled)
	}
	letGo()
	if err := s.Ping(t.Context()); err != nil {
		t.Fatalf("ping: %v", err)
	}
	if _, err := s.Load(t.Context(), "a"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("load: got %v, want %v", err, store.ErrNotFound)
	}
}

func TestTakenCommitIsAnsweredWithTheTruth(t *testing.T) {
	t.Parallel()
	s := openTest(t, newSchema(t))
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
	s := openTest(t, newSchema(t))
	letGo := hold(t, s)
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
	letGo()
	if err := s.Commit(t.Context(), creation("a")); err != nil {
		t.Errorf("commit after the queue has drained: %v", err)
	}
}

// waiting is a writer with requests before it and nobody who writes them.
func waiting(operations ...operation) *writer {
	w := &writer{queue: make(chan *request, len(operations))}
	for _, op := range operations {
		w.queue <- &request{operation: op}
	}
	return w
}

func commitOf(id string, version uint64, bodyBytes int) commit {
	return commit{store.Commit{SandboxID: id, Version: version, Body: make([]byte, bodyBytes)}}
}

func TestGroupIsLimitedInNumberAndSize(t *testing.T) {
	t.Parallel()
	queue := func(n, bodyBytes int) *writer {
		var all []operation
		for i := range n {
			all = append(all, commitOf(fmt.Sprint(i), 1, bodyBytes))
		}
		return waiting(all...)
	}
	w := queue(groupCommits+44, 1)
	for _, want := range []int{groupCommits, 44} {
		if got := len(w.gather(nil)); got != want {
			t.Errorf("group of %d, want %d", got, want)
		}
	}
	w = queue(5, groupBytes/2)
	for _, want := range []int{2, 2, 1} {
		if got := len(w.gather(nil)); got != want {
			t.Errorf("group of %d large bodies, want %d", got, want)
		}
	}
}

func TestGroupHoldsOneOperationOfASandbox(t *testing.T) {
	t.Parallel()
	w := waiting(commitOf("a", 1, 0), commitOf("a", 2, 0), ping{}, commitOf("b", 1, 0), ping{},
		deletion("a"), commitOf("b", 2, 0))
	for _, want := range []string{"a 1, ping, b 1, ping", "a 2, b 2", "delete a", ""} {
		var got []string
		for _, r := range w.gather(nil) {
			switch op := r.operation.(type) {
			case commit:
				got = append(got, fmt.Sprint(op.SandboxID, " ", op.Version))
			case deletion:
				got = append(got, "delete "+string(op))
			case ping:
				got = append(got, "ping")
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("group is %q, want %q", got, want)
		}
	}
}

// A sandbox with more requests than a group holds must not make the writer
// collect all that ever comes.
func TestHeldRequestsAreLimited(t *testing.T) {
	t.Parallel()
	w := waiting(slices.Repeat([]operation{commitOf("a", 1, 0)}, queueLength)...)
	for range 3 {
		if got := len(w.gather(nil)); got != 1 {
			t.Fatalf("group of %d, want 1", got)
		}
		if len(w.held) > groupCommits+1 {
			t.Errorf("%d requests are held, the limit is %d", len(w.held), groupCommits)
		}
	}
}

func TestCommitsThatWaitTogetherKeepTheirOrder(t *testing.T) {
	t.Parallel()
	s := openTest(t, newSchema(t))
	if err := s.Commit(t.Context(), creation("a")); err != nil {
		t.Fatalf("create: %v", err)
	}
	letGo := hold(t, s)
	const newest = 20
	answers := make(chan error, newest)
	for version := uint64(2); version <= newest; version++ {
		go func() { answers <- s.Commit(t.Context(), commitOf("a", version, 10).Commit) }()
		waitForQueue(s, int(version)-1)
	}
	letGo()
	for range newest - 1 {
		if err := <-answers; err != nil {
			t.Errorf("commit: %v", err)
		}
	}
}

func TestRefusedTransactionHarmsOnlyWhoWasRefused(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	s := openTest(t, dsn)
	// Checked when the transaction is committed, after each statement has
	// reported success: an answer that does not wait for the end is a lie.
	run(t, dsn, `
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			IF NEW.body = 'full'::bytea THEN
				RAISE EXCEPTION 'no space' USING ERRCODE = '53100';
			ELSIF NEW.body = 'broken'::bytea THEN
				RAISE EXCEPTION 'broken';
			END IF;
			RETURN NULL;
		END $$;
		CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON commits
		DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`)
	type result struct {
		id  string
		err error
	}
	answers := make(chan result)
	letGo := hold(t, s)
	ids := []string{"good", "full", "other", "broken", "conflict"}
	for _, id := range ids {
		c := creation(id)
		c.Body = []byte(id)
		if id == "conflict" {
			c.Version, c.Header = 7, nil
		}
		go func() { answers <- result{id, s.Commit(t.Context(), c)} }()
	}
	waitForQueue(s, len(ids))
	letGo()
	got := map[string]error{}
	for range ids {
		r := <-answers
		got[r.id] = r.err
	}
	for id, want := range map[string]error{
		"good": nil, "other": nil, "full": store.ErrFull, "conflict": store.ErrConflict,
	} {
		if !errors.Is(got[id], want) {
			t.Errorf("%s: got %v, want %v", id, got[id], want)
		}
	}
	err := got["broken"]
	if err == nil || errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrConflict) {
		t.Errorf("broken: got %v, want an error that is no sentinel", err)
	}
	for _, id := range ids {
		_, err := s.Load(t.Context(), id)
		if errors.Is(err, store.ErrNotFound) != (got[id] != nil) {
			t.Errorf("%s was answered %v and loads with %v", id, got[id], err)
		}
	}
}

// The bubble panics when a goroutine begun in it outlives the test.
func TestCloseLeavesNoGoroutine(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(t.Context(), dsn)
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
