package postgres

import (
	"errors"
	"testing"

	"platen/internal/store"
	"platen/internal/store/groupcommit"
)

func creation(id string) store.Commit {
	return store.Commit{SandboxID: id, Version: 1, Body: []byte("one"), Header: &store.Sandbox{ID: id}}
}

func commitOf(id string, version uint64, bodyBytes int) store.Commit {
	return store.Commit{SandboxID: id, Version: version, Body: make([]byte, bodyBytes)}
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
	w, err := openWriter(t.Context(), dsn, unclaimed, 0) // its goroutine does not run: the test is the writer
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer w.pool.Close()
	conn, err := w.connect()
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	defer conn.Release()
	var group []*groupcommit.Request
	for _, id := range []string{"good", "full", "other", "broken", "conflict"} {
		c := creation(id)
		c.Body = []byte(id)
		if id == "conflict" {
			c.Version, c.Header = 7, nil
		}
		group = append(group, groupcommit.NewRequest(c))
	}
	w.write(conn, group)
	got := map[string]error{}
	for _, r := range group {
		got[r.SandboxID] = r.Outcome
	}
	for id, want := range map[string]error{
		"good": nil, "other": nil, "full": store.ErrFull, "conflict": store.ErrConflict,
	} {
		if !errors.Is(got[id], want) {
			t.Errorf("%s: got %v, want %v", id, got[id], want)
		}
	}
	err = got["broken"]
	if err == nil || errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrConflict) {
		t.Errorf("broken: got %v, want an error that is no sentinel", err)
	}
	for id := range got {
		_, err := s.Load(t.Context(), id)
		if errors.Is(err, store.ErrNotFound) != (got[id] != nil) {
			t.Errorf("%s was answered %v and loads with %v", id, got[id], err)
		}
	}
}
