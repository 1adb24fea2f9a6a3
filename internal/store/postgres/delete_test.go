package postgres

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"platen/internal/store"
	"platen/internal/store/groupcommit"
)

const countBodies = "SELECT (SELECT count(*) FROM commits) + (SELECT count(*) FROM snapshots)"

// fill makes a sandbox with commits and a snapshot of 10 KB each.
func fill(t *testing.T, s *Store, id string, commits int) {
	t.Helper()
	body := bytes.Repeat([]byte(id), 10_000/len(id))
	for i := range commits {
		c := store.Commit{SandboxID: id, Version: uint64(i + 1), Body: body}
		if i == 0 {
			c.Header = &store.Sandbox{ID: id, OfficeKey: store.KeyHash{1, id[0]}}
		}
		if err := s.Commit(t.Context(), c); err != nil {
			t.Fatalf("commit: %v", err)
		}
	}
	if err := s.SaveSnapshot(t.Context(), store.Snapshot{SandboxID: id, Version: 1, Body: body}); err != nil {
		t.Fatalf("snapshot: %v", err)
	}
}

// settle gives the writer something to do until nothing waits for removal.
func settle(t *testing.T, s *Store, dsn string) {
	t.Helper()
	conn := connectRaw(t, dsn)
	defer conn.Close(t.Context())
	for waiting := 1; waiting > 0; {
		if err := s.Ping(t.Context()); err != nil {
			t.Fatalf("ping: %v", err)
		}
		err := conn.QueryRow(t.Context(),
			"SELECT count(*) FROM sandboxes WHERE removed AND NOT emptied").Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestDeletionRemovesAllBodies(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	s, other := openTest(t, dsn), openTest(t, dsn)
	for _, id := range []string{"a", "b", "c", "d"} {
		fill(t, s, id, 100)
	}
	var running sync.WaitGroup
	for i, id := range []string{"b", "a", "d"} {
		deleter := []*Store{s, other}[i%2]
		running.Go(func() {
			if err := deleter.Delete(t.Context(), id, store.Fence{}); err != nil {
				t.Errorf("delete: %v", err)
			}
		})
	}
	running.Wait()
	if keys := query[int](t, dsn, "SELECT count(*) FROM keys"); keys != 1 {
		t.Errorf("%d keys are left, want the one of the last sandbox", keys)
	}
	settle(t, s, dsn)
	if bodies := query[int](t, dsn, countBodies); bodies != 101 {
		t.Errorf("%d bodies are left, want the 101 of one sandbox", bodies)
	}
	if image, err := s.Load(t.Context(), "c"); err != nil || len(image.Commits) != 99 {
		t.Errorf("the last sandbox: got %d commits, %v, want 99", len(image.Commits), err)
	}
}

// A crash may leave this: the header is gone, the bodies are not.
func TestInterruptedDeletionIsFinishedAfterOpen(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	s := openTest(t, dsn)
	fill(t, s, "a", 100)
	fill(t, s, "b", 3)
	s.Close()
	run(t, dsn, "UPDATE sandboxes SET removed = true WHERE id = 'a'")
	s = openTest(t, dsn)
	settle(t, s, dsn)
	if bodies := query[int](t, dsn, countBodies); bodies != 4 {
		t.Errorf("%d bodies are left, want the 4 of the other sandbox", bodies)
	}
}

// A commit that was acknowledged after the bodies were counted would stay for
// ever.
func TestDeletionLeavesNothingOfWritersBesideIt(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	writers := []*Store{openTest(t, dsn), openTest(t, dsn)}
	var running sync.WaitGroup
	for i := range 12 {
		id := fmt.Sprint("s", i)
		if err := writers[0].Commit(t.Context(), creation(id)); err != nil {
			t.Fatalf("create: %v", err)
		}
		busy := make(chan struct{})
		running.Go(func() {
			for version := uint64(2); ; version++ {
				err := writers[0].Commit(t.Context(), commitOf(id, version, 100))
				if version == 5 {
					close(busy)
				}
				if errors.Is(err, store.ErrConflict) {
					return // it is gone
				}
				if err != nil {
					t.Errorf("commit: %v", err)
					return
				}
			}
		})
		running.Go(func() {
			<-busy
			if err := writers[1].Delete(t.Context(), id, store.Fence{}); err != nil {
				t.Errorf("delete: %v", err)
			}
			if err := writers[0].Commit(t.Context(), creation(id)); !errors.Is(err, store.ErrConflict) {
				t.Errorf("create a deleted sandbox: got %v, want %v", err, store.ErrConflict)
			}
		})
	}
	running.Wait()
	settle(t, writers[1], dsn)
	if bodies := query[int](t, dsn, countBodies); bodies != 0 {
		t.Errorf("%d bodies are left of sandboxes that are gone", bodies)
	}
}

func TestCommitWaitsForTheDeletionBesideIt(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	s := openTest(t, dsn)
	for _, id := range []string{"a", "b"} {
		if err := s.Commit(t.Context(), creation(id)); err != nil {
			t.Fatalf("create: %v", err)
		}
	}
	// Another process is in the middle of its deletion.
	conn := connectRaw(t, dsn)
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), removeSandbox, []byte("a"), nil, 0); err != nil {
		t.Fatal(err)
	}
	answers := make(chan error, 2)
	go func() { answers <- s.Commit(t.Context(), commitOf("a", 2, 0)) }()
	waitForLock(t, dsn, s)
	go func() { answers <- s.Commit(t.Context(), creation("a")) }()
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-answers; !errors.Is(err, store.ErrConflict) {
			t.Errorf("commit: got %v, want %v", err, store.ErrConflict)
		}
	}
}

// waitForLock returns when a statement of the store waits for the
// transaction of another connection.
func waitForLock(t *testing.T, dsn string, s *Store) {
	t.Helper()
	conn := connectRaw(t, dsn)
	defer conn.Close(t.Context())
	schema := s.writer.pool.Config().ConnConfig.RuntimeParams["search_path"]
	for waiting := 0; waiting == 0; {
		err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks l JOIN pg_locks t ON t.pid = l.pid
			JOIN pg_class c ON c.oid = t.relation AND c.relnamespace = $1::regnamespace
			WHERE NOT l.granted`, schema).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestFailedSweepRestsAndLosesNothing(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	s := openTest(t, dsn)
	fill(t, s, "a", 3)
	s.Close()
	run(t, dsn, `UPDATE sandboxes SET removed = true;
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
		CREATE TRIGGER refuse BEFORE DELETE ON commits EXECUTE FUNCTION refuse()`)
	w, err := openWriter(t.Context(), dsn, unclaimed, 0) // its goroutine does not run: the test is the writer
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer w.pool.Close()
	w.turn()
	if w.queue.Sweep.Due() || !w.queue.Sweep.Owed {
		t.Errorf("after a failed step: got %+v, want one that rests and is owed", w.queue.Sweep)
	}
	run(t, dsn, "DROP TRIGGER refuse ON commits")
	steps := 0
	for w.queue.Sweep = (groupcommit.Sweep{Owed: true}); w.queue.Sweep.Due(); w.turn() {
		steps++
	}
	if left := query[int](t, dsn, countBodies); left != 0 || steps != 3 {
		t.Errorf("after %d steps %d bodies are left, want none after 3", steps, left)
	}
}

func TestStepOfASweepIsBounded(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	s := openTest(t, dsn)
	if err := s.Commit(t.Context(), creation("a")); err != nil {
		t.Fatal(err)
	}
	s.Close()
	run(t, dsn, `UPDATE sandboxes SET removed = true;
		INSERT INTO commits SELECT number, v, repeat('x', 400000)::bytea, 0 FROM sandboxes, generate_series(2, 6) v;
		INSERT INTO commits SELECT number, v, 'x', 0 FROM sandboxes, generate_series(7, 100) v`)
	w, err := openWriter(t.Context(), dsn, unclaimed, 0)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer w.pool.Close()
	for _, want := range []int{96, 32, 0, 0} {
		w.turn()
		if got := query[int](t, dsn, countBodies); got != want {
			t.Errorf("%d bodies after a step, want %d", got, want)
		}
	}
}

func TestOldTombstonesAreForgotten(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	s := openTest(t, dsn)
	for _, id := range []string{"old", "kept"} {
		if err := s.Commit(t.Context(), creation(id)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Delete(t.Context(), "old", store.Fence{}); err != nil {
		t.Fatal(err)
	}
	settle(t, s, dsn)
	run(t, dsn, fmt.Sprintf("ALTER TABLE sandboxes ALTER number RESTART WITH %d", groupcommit.MaxTombstones+10))
	if err := s.Commit(t.Context(), creation("new")); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "new", store.Fence{}); err != nil {
		t.Fatal(err)
	}
	settle(t, s, dsn)
	got := query[string](t, dsn, "SELECT string_agg(convert_from(id, 'UTF8'), ' ' ORDER BY number) FROM sandboxes")
	if got != "kept new" {
		t.Errorf("rows of %q are left, want those of %q", got, "kept new")
	}
}

func TestBodiesStayInTheirRows(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	s := openTest(t, dsn)
	c := creation("a")
	c.Body = make([]byte, 7500)
	for c.Version = 1; c.Version < 10; c.Version++ {
		rand.Read(c.Body)
		if err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		c.Header = nil
	}
	outside := query[int](t, dsn,
		"SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE oid = 'commits'::regclass")
	if outside != 0 {
		t.Errorf("%d bytes of bodies that fit a page are out of line", outside)
	}
}

func TestPingDoesNotWaitForThePingOfAnotherProcess(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	s := openTest(t, dsn)
	conn := connectRaw(t, dsn)
	err := pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), touchPing); err != nil {
			return err
		}
		return s.Ping(t.Context())
	})
	if err != nil {
		t.Error(err)
	}
}
