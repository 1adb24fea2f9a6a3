package postgres

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"platen/internal/store"
	"platen/internal/store/postgres/postgrestest"
	"platen/internal/store/storetest"
)

// shared is the cluster of most tests. It flushes like any other.
var shared = sync.OnceValues(postgrestest.Start)

// sharedStarted tells TestMain that there is something to stop.
var sharedStarted atomic.Bool

// fewChecks is how many random histories are gone through, but in a thorough run:
// SQLite goes through more of the same ones, at a fifth of the time.
const fewChecks = "1"

func TestMain(m *testing.M) {
	flag.Parse()
	chosen := os.Getenv("PLATEN_TEST_THOROUGH") != ""
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "rapid.checks" })
	if !chosen {
		if err := flag.Set("rapid.checks", fewChecks); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	if sharedStarted.Load() {
		if c, err := shared(); err == nil {
			c.Stop()
		}
	}
	os.Exit(code)
}

// usable skips the test when there is no server, unless all tests must run.
func usable(t testing.TB, c *postgrestest.Cluster, err error) *postgrestest.Cluster {
	t.Helper()
	if errors.Is(err, postgrestest.ErrNoServer) && os.Getenv("PLATEN_TEST_ALL") != "1" {
		t.Skipf("SKIPPED: %v", err)
	}
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	return c
}

// ownCluster starts a cluster for one test that does harm to it.
func ownCluster(t testing.TB) *postgrestest.Cluster {
	t.Helper()
	c, err := postgrestest.Start()
	usable(t, c, err)
	t.Cleanup(c.Stop)
	return c
}

// newSchema returns the DSN of an empty schema in the shared cluster.
func newSchema(t testing.TB) string {
	t.Helper()
	sharedStarted.Store(true)
	c, err := shared()
	return schemaIn(t, usable(t, c, err))
}

var schemas atomic.Int64

func schemaIn(t testing.TB, c *postgrestest.Cluster) string {
	t.Helper()
	name := fmt.Sprint("test_", schemas.Add(1))
	run(t, dsnOf(c), "CREATE SCHEMA "+name)
	return dsnOf(c) + " search_path=" + name
}

func dsnOf(c *postgrestest.Cluster) string {
	return fmt.Sprintf("host='%s' user=platen dbname=postgres", c.Directory())
}

// connectRaw is any client of the database.
func connectRaw(t testing.TB, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func run(t testing.TB, dsn, script string) {
	t.Helper()
	conn := connectRaw(t, dsn)
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), script, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatalf("%s: %v", script, err)
	}
}

func query[T any](t testing.TB, dsn, text string) T {
	t.Helper()
	conn := connectRaw(t, dsn)
	defer conn.Close(t.Context())
	var value T
	if err := conn.QueryRow(t.Context(), text).Scan(&value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

func openTest(t testing.TB, dsn string) *Store {
	t.Helper()
	// Without the lock of the one server that there may be: many of these tests
	// show that a second store does no harm.
	s, err := open(t.Context(), dsn, unclaimed, 0)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStoreKeepsItsWord(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Reopener {
		dsn := newSchema(t)
		return func(ctx context.Context) (store.Store, error) { return Open(ctx, dsn) }
	})
}

func TestNodesKeepTheirWord(t *testing.T) {
	t.Parallel()
	storetest.RunNodes(t, func(t *testing.T) func(context.Context) (storetest.NodeStore, error) {
		dsn := newSchema(t)
		return func(ctx context.Context) (storetest.NodeStore, error) { return open(ctx, dsn, unclaimed, 0) }
	})
}

// unclaimed opens a database without the lock of its one server.
func unclaimed(context.Context, *pgx.Conn) error { return nil }
