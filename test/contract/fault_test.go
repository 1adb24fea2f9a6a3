package contract

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver with which the tests get in the way

	"platen/platentest"
)

// over starts a server over a database that the test can reach too.
func over(t *testing.T) (s *service, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "platen.db")
	s = serve(t, map[string]string{"database": path})
	s.faults = true
	return s, path
}

func TestKeysAreStoredAsHashesOnly(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.AUTH.HASHED")
	s, path := over(t)
	n := s.create(t, `{"clock":"manual"}`)
	n.work("prd_notebook", 1, "")
	n.row("/office/cash")
	files, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	var stored []byte
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, b...)
	}
	if !bytes.Contains(stored, []byte(n.id)) {
		t.Fatalf("in %v there is no sandbox", files)
	}
	for _, key := range []string{n.office, n.factory} {
		hash := sha256.Sum256([]byte(key))
		if !bytes.Contains(stored, hash[:]) {
			t.Error("the SHA-256 of a key is not stored")
		}
		if bytes.Contains(stored, []byte(key)) || bytes.Contains(stored, []byte(key[len("lab_off_"):])) {
			t.Error("a key is stored as it is")
		}
	}
}

// meddle opens a server's database beside it.
func meddle(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// TestAFaultOfOursIsAnInternalError takes the tables away from a running
// server, and gives them back.
func TestAFaultOfOursIsAnInternalError(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.INTERNAL_ERROR", "OPEN.ERR.RETRYABLE")
	s, path := over(t)
	n := s.create(t, `{"clock":"manual"}`)
	order := text(n.order("SO-1001"), "id")
	db := meddle(t, path)
	var tables []string
	found, err := db.QueryContext(t.Context(),
		"SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	for found.Next() {
		var name string
		if err := found.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	rename := func(from, to string) {
		for _, name := range tables {
			statement := `ALTER TABLE "` + strings.ReplaceAll(from, "*", name) + `" RENAME TO "` +
				strings.ReplaceAll(to, "*", name) + `"`
			if _, err := db.ExecContext(context.WithoutCancel(t.Context()), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	}
	rename("*", "hidden_*")
	a := n.post("/office/sales-orders/"+order+"/accept", "", "Idempotency-Key", "once")
	rename("hidden_*", "*")
	a.want(http.StatusInternalServerError, "internal_error")
	for _, inside := range []string{"sqlite", "SQL", "table", path} {
		if strings.Contains(string(a.Raw), inside) {
			t.Errorf("the answer tells of %s: %s", inside, a.Raw)
		}
	}
	if got := n.post("/office/sales-orders/"+order+"/accept", "", "Idempotency-Key", "once").
		want(200, ""); got.Data()["status"] != "in_production" {
		t.Errorf("afterwards the order is %v", got.Data()["status"])
	}
}

// TestADamagedSandboxIsNotServed changes a bit of what is stored of an answer, and
// asks for the answer again.
func TestADamagedSandboxIsNotServed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.SANDBOX_DAMAGED")
	s, path := over(t)
	n := s.create(t, `{"clock":"manual"}`)
	order := text(n.order("SO-1001"), "id")
	accept := func() *answer {
		return n.post("/office/sales-orders/"+order+"/accept", "", "Idempotency-Key", "once")
	}
	first := accept().want(200, "")
	db := meddle(t, path)
	var commit int64
	var body []byte
	if err := db.QueryRowContext(t.Context(),
		"SELECT rowid, body FROM commits ORDER BY rowid DESC LIMIT 1 OFFSET 1").Scan(&commit, &body); err != nil {
		t.Fatal(err)
	}
	change := func() {
		for row := commit; row <= commit+1; row++ { // that of the order, and that of the mission behind it
			if err := db.QueryRowContext(t.Context(), "SELECT body FROM commits WHERE rowid = ?", row).
				Scan(&body); err != nil {
				t.Fatal(err)
			}
			body[len(body)/2] ^= 1
			_, err := db.ExecContext(t.Context(), "UPDATE commits SET body = ? WHERE rowid = ?", body, row)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	change()
	accept().want(http.StatusInternalServerError, "sandbox_damaged")
	change()
	if again := accept().want(200, ""); string(again.Raw) != string(first.Raw) {
		t.Errorf("with the bit changed back the answer is %s, and was %s", again.Raw, first.Raw)
	}
}

// TestABusyStoreIsUnavailable holds the database's lock for longer than the
// server waits.
func TestABusyStoreIsUnavailable(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.UNAVAILABLE")
	s, path := over(t)
	n := s.create(t, `{"clock":"manual"}`)
	order := text(n.order("SO-1001"), "id")
	connection, err := meddle(t, path).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if _, err := connection.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	a := n.post("/office/sales-orders/"+order+"/accept", "", "Idempotency-Key", "once")
	if _, err := connection.ExecContext(context.WithoutCancel(t.Context()), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if a.want(http.StatusServiceUnavailable, "unavailable"); a.Header.Get("Retry-After") == "" ||
		a.Failure()["retryable"] != true {
		t.Errorf("unavailable has Retry-After %q and retryable %v",
			a.Header.Get("Retry-After"), a.Failure()["retryable"])
	}
	n.post("/office/sales-orders/"+order+"/accept", "", "Idempotency-Key", "once").want(200, "")
}

// testStoppingIsUnavailable goes on asking from the moment in which a server is
// signalled to stop until connections are refused. A busy machine may miss that
// short time, so there are several servers to stop.
func testStoppingIsUnavailable(t *testing.T) {
	rows(t, "OPEN.ERR.UNAVAILABLE")
	const servers = 5
	for range servers {
		refusals := askWhileStopping(t)
		for _, a := range refusals {
			if a.want(http.StatusServiceUnavailable, "unavailable"); a.Header.Get("Retry-After") == "" ||
				a.Failure()["retryable"] != true {
				t.Errorf("unavailable has Retry-After %q and retryable %v",
					a.Header.Get("Retry-After"), a.Failure()["retryable"])
			}
		}
		if len(refusals) > 0 {
			return
		}
	}
	t.Errorf("%d servers stopped without a single answer of 503 unavailable: connections were cut instead", servers)
}

// askWhileStopping starts a server, stops it, and returns what it answered in
// between but for the answers of a running server.
func askWhileStopping(t *testing.T) []*answer {
	t.Helper()
	var refusals []*answer // read again only after the asker has gone
	stopping, gone := make(chan struct{}), make(chan struct{})
	var s *service
	go func() {
		defer close(gone)
		<-stopping
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
			a, err := s.try(t, request{method: "GET", path: "/sandbox"})
			if errors.Is(err, syscall.ECONNREFUSED) {
				return
			}
			if err == nil && a.Status != http.StatusUnauthorized {
				refusals = append(refusals, a)
			}
		}
	}()
	t.Run("server", func(t *testing.T) {
		s = &service{Platen: platentest.Start(t), judge: shared.judge, faults: true}
		t.Cleanup(func() { close(stopping) }) // runs before the server's own, which stops it
	})
	<-gone
	return refusals
}
