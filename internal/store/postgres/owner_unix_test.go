//go:build unix

package postgres

import (
	"errors"
	"strings"
	"testing"

	"platen/internal/store"

	"platen/test/testclient"
)

// TestASecondServerIsRefusedAndToldOfTheFirst, until the first has ended. A server
// that lost its connection takes the lock again before it writes.
func TestASecondServerIsRefusedAndToldOfTheFirst(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	first, err := Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	refused := func() {
		t.Helper()
		_, err := open(t.Context(), dsn, own, 0)
		if !errors.Is(err, errOwned) || !strings.Contains(err.Error(), applicationName()) ||
			!strings.Contains(err.Error(), "since 2") {
			t.Fatalf("a second server is answered with %v", err)
		}
	}
	refused()
	other, err := Open(t.Context(), newSchema(t)) // a database of its own
	if err != nil {
		t.Fatal(err)
	}
	other.Close()
	run(t, dsn, "SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.locktype = 'advisory' AND l.objid = "+
		"(hashtext(current_schema())::int8 & 4294967295)::oid")
	for err := errors.New("not yet"); err != nil; err = first.Ping(t.Context()) {
		if t.Context().Err() != nil {
			t.Fatal("the first server does not come back")
		}
	}
	refused()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
}

// TestAServerThatIsGoneIsSaidToBe: reads and writes that cannot have had an effect
// say so.
func TestAServerThatIsGoneIsSaidToBe(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestTerminatedSessionsAreReplaced")
	c := ownCluster(t)
	s, err := Open(t.Context(), schemaIn(t, c))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Stop()
	// The first write goes to a connection that breaks under it: its
	// outcome is not known. From then on it is certain.
	_ = s.Ping(t.Context())
	for range 3 {
		if err := s.Ping(t.Context()); !errors.Is(err, store.ErrUnreachable) {
			t.Errorf("a write is answered with %v", err)
		}
		if _, err := s.Load(t.Context(), "sbx_1"); !errors.Is(err, store.ErrUnreachable) {
			t.Errorf("a read is answered with %v", err)
		}
	}
}

// TestAServerThatTakesNoWritesIsLeft: the connection ends, and another one is sought.
func TestAServerThatTakesNoWritesIsLeft(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestStandbyIsRefused")
	dsn := schemaIn(t, ownCluster(t))
	s, err := Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	writes := dsn + " default_transaction_read_only=off"
	become := func(readOnly string) {
		t.Helper()
		run(t, writes, "ALTER SYSTEM SET default_transaction_read_only = "+readOnly)
		run(t, writes, "SELECT pg_reload_conf()")
	}
	become("on")
	for err = nil; err == nil; err = s.Methods.Ping(t.Context()) {
		if t.Context().Err() != nil {
			t.Fatal("it goes on writing")
		}
	}
	if !errors.Is(err, store.ErrUnreachable) {
		t.Errorf("a write is answered with %v", err)
	}
	// The one that it had is closed, and with it the lock goes.
	run(t, writes, `DO $$ BEGIN
		FOR i IN 1..1000 LOOP
			EXIT WHEN NOT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory');
			ASSERT i < 1000, 'the connection stays';
			PERFORM pg_sleep(0.01);
		END LOOP;
	END $$`)
	become("off")
	for err = errors.New("not yet"); err != nil; err = s.Ping(t.Context()) {
		if t.Context().Err() != nil {
			t.Fatal("it does not come back")
		}
	}
}
