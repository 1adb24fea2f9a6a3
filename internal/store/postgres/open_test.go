package postgres

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"platen/internal/store/migration"

	"platen/test/testclient"
)

// refuse checks that a database cannot be opened, and that the refusal says why
// and what to do.
func refuse(t *testing.T, dsn string, says ...string) {
	t.Helper()
	s, err := Open(t.Context(), dsn)
	if err == nil {
		s.Close()
		t.Fatal("it was opened")
	}
	for _, part := range says {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("refusal %q does not say %q", err, part)
		}
	}
}

func TestProcessesMayStartAtOnce(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	var running sync.WaitGroup
	for range 6 {
		running.Go(func() {
			s, err := Open(t.Context(), dsn)
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			if err := s.Ping(t.Context()); err != nil {
				t.Errorf("ping: %v", err)
			}
			s.Close()
		})
	}
	running.Wait()
	known, err := migration.List(migrationFiles)
	if err != nil {
		t.Fatal(err)
	}
	if got := query[int](t, dsn, "SELECT count(*) FROM platen_migrations"); got != len(known) {
		t.Errorf("%d migrations are recorded, want %d", got, len(known))
	}
}

func TestSchemaOfANewerVersionIsRefused(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	openTest(t, dsn).Close()
	run(t, dsn, "INSERT INTO platen_migrations (number, name, compatible_from) VALUES (9999, 'later', 9999)")
	refuse(t, dsn, "newer version of Platen", "9999")
	// One that adds and takes nothing away says from which on versions can work with it.
	known, err := migration.List(migrationFiles)
	if err != nil {
		t.Fatal(err)
	}
	run(t, dsn, fmt.Sprintf("UPDATE platen_migrations SET compatible_from = %d WHERE number = 9999", len(known)))
	openTest(t, dsn).Close()
	run(t, dsn, fmt.Sprintf("UPDATE platen_migrations SET compatible_from = %d WHERE number = 9999", len(known)+1))
	refuse(t, dsn, "newer version of Platen", "9999")
}

func TestSchemaOfAnUnreleasedVersionIsRefused(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	openTest(t, dsn).Close()
	run(t, dsn, "UPDATE platen_migrations SET name = '0001_sandboxes.sql' WHERE number = 1")
	refuse(t, dsn, "unreleased version of Platen", "another one")
}

func TestSchemaOfAnotherProgramIsRefused(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	run(t, dsn, "CREATE TABLE songs (title text)")
	refuse(t, dsn, "another program", "CREATE SCHEMA")
	if got := query[int](t, dsn, "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace"+
		" AND relkind = 'r'"); got != 1 {
		t.Errorf("the refused schema has %d tables, want its own one", got)
	}
}

func TestSchemaThatDoesNotExistIsRefused(t *testing.T) {
	t.Parallel()
	refuse(t, newSchema(t)+"_of_nobody", "_of_nobody", "CREATE SCHEMA")
}

func TestConnectionThatDoesNotFlushIsRefused(t *testing.T) {
	t.Parallel()
	refuse(t, newSchema(t)+" synchronous_commit=off", "synchronous_commit=off", "connection string")
}

func TestServerThatDoesNotFlushIsRefused(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestConnectionThatDoesNotFlushIsRefused")
	c := ownCluster(t)
	dsn := schemaIn(t, c)
	s := openTest(t, dsn)
	run(t, dsn, "ALTER SYSTEM SET synchronous_commit = off")
	run(t, dsn, "SELECT pg_reload_conf()")
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("ping: %v", err)
	}
	conn, err := s.writer.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var setting string
	err = conn.QueryRow(t.Context(), "SHOW synchronous_commit").Scan(&setting)
	conn.Release()
	if err != nil || setting != "on" {
		t.Errorf("the writer runs with synchronous_commit=%s, %v, want on whatever the server's default", setting, err)
	}
	openTest(t, dsn).Close()

	run(t, dsn, "ALTER SYSTEM SET fsync = off")
	run(t, dsn, "SELECT pg_reload_conf()")
	for query[string](t, dsn, "SHOW fsync") != "off" { // a reload takes its time
		if t.Context().Err() != nil {
			t.Fatal("fsync is still on")
		}
	}
	refuse(t, dsn, "fsync=off", "postgresql.conf")
}

func TestStandbyIsRefused(t *testing.T) {
	t.Parallel()
	refuse(t, newSchema(t)+" default_transaction_read_only=on", "read only")
}

func TestUnreadableConnectionStringKeepsItsPassword(t *testing.T) {
	t.Parallel()
	const password = "xyzzy"
	for _, dsn := range []string{
		"postgres://platen:" + password + "@[::1:5432/db", "host=/nowhere password=" + password + " port=none",
		"host=/nowhere password=" + password,
	} {
		_, err := Open(t.Context(), dsn)
		if err == nil || strings.Contains(err.Error(), password) {
			t.Errorf("%q gives %v, want an error without the password", dsn, err)
		}
	}
}
