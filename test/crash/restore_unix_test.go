//go:build unix

package crash

import (
	"bytes"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"platen/test/testclient"
)

// replaced is a database of a killed server, whose newest writes are in its log alone, and a copy of another one that
// is to come in its place, with its key.
type replaced struct {
	folder, copied string
	// old and copiedOf are a company of each, with its state.
	old, new company
}

// company is a tenant with the state that it has in a database, which has a key.
type company struct {
	tenant *tenant
	state  string
	key    string
}

// newReplaced makes both.
func newReplaced(t *testing.T) *replaced {
	t.Helper()
	work := t.TempDir()
	r := &replaced{folder: filepath.Join(work, "old"), copied: filepath.Join(work, "copy.db")}
	grown := func(database string) (*process, company) {
		p, err := launch(database, "--tick-pause", "0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.kill)
		n, err := newTenant(p, "starter", "manual")
		if err != nil {
			t.Fatal(err)
		}
		write(t, p, []*tenant{n}, "grown", 8)
		key := filepath.Join(work, filepath.Base(filepath.Dir(database))+".key")
		text, err := os.ReadFile(database + ".key")
		if err == nil {
			err = os.WriteFile(key, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return p, company{n, stateHashes(t, p, []*tenant{n})[0], key}
	}
	var p *process
	p, r.new = grown(filepath.Join(work, "new", "platen.db"))
	runProgram(t, "backup", "--database", filepath.Join(work, "new", "platen.db"), "--key", r.copied)
	p.kill()
	p, r.old = grown(filepath.Join(r.folder, "platen.db"))
	p.kill()
	if info, err := os.Stat(filepath.Join(r.folder, "platen.db-wal")); err != nil || info.Size() == 0 {
		t.Fatalf("the old database has no log: %v", err)
	}
	return r
}

// again returns another folder with the old database, as its server left it.
func (r *replaced) again(t *testing.T) (database string) {
	t.Helper()
	folder := t.TempDir()
	for name, content := range filesOf(t, r.folder) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, "platen.db")
}

// filesOf reads the files in a folder. A folder in it has no content.
func filesOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		files[entry.Name()] = ""
		if entry.Type().IsRegular() {
			content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			files[entry.Name()] = string(content)
		}
	}
	return files
}

// has starts a server on a database with the key of a company, and compares the company's state.
func (c *company) has(t *testing.T, database string) error {
	t.Helper()
	p, err := launch(database, "--tick-pause", "0", "--secret-key-file", c.key)
	if err != nil {
		return err
	}
	defer p.kill()
	if state := stateHashes(t, p, []*tenant{c.tenant})[0]; state != c.state {
		return fmt.Errorf("its company has the state %s, and had %s", state, c.state)
	}
	return p.stop()
}

// TestAKilledRestoreLeavesTheOldDatabaseOrTheNewOne, with every write that was acknowledged, at whichever change of
// files it is killed. The next restore leaves the new one, and nothing else.
func TestAKilledRestoreLeavesTheOldDatabaseOrTheNewOne(t *testing.T) {
	t.Parallel()
	r := newReplaced(t)
	restore := func(database string) []string {
		return []string{"restore", "--database", database, "--replace", r.copied}
	}
	total := runTraced(t, 0, restore(r.again(t))...)
	points := testclient.Few(8, total)
	t.Logf("killed at %d of %d changes of files", points, total)
	outcomes := map[string]int{}
	for i := range points {
		at := 1 + i*total/points
		if points < total && i >= points/2 { // the half of them where the copy gets its place
			at = total - 2*(points-1-i)
		}
		database := r.again(t)
		runTraced(t, at, restore(database)...)
		switch old := r.old.has(t, database); {
		case old == nil:
			outcomes["old"]++
		case r.new.has(t, database) == nil:
			outcomes["new"]++
		default:
			t.Errorf("killed at change %d it has neither database: %v", at, old)
		}
		if key := filesOf(t, filepath.Dir(database))["platen.db.key"]; key != read(t, r.old.key) &&
			key != read(t, r.new.key) {
			t.Errorf("killed at change %d it has the key %q", at, key)
		}
		runProgram(t, restore(database)...)
		if left := slices.Sorted(maps.Keys(filesOf(t, filepath.Dir(database)))); !slices.Equal(left,
			[]string{"platen.db", "platen.db.key", "platen.db.lock"}) {
			t.Errorf("killed at change %d, and restored again, it leaves %v", at, left)
		}
		if err := r.new.has(t, database); err != nil {
			t.Errorf("killed at change %d, and restored again: %v", at, err)
		}
	}
	t.Logf("then there is %v", outcomes)
	if outcomes["old"] == 0 || outcomes["new"] == 0 {
		t.Errorf("the kills show too little: %v", outcomes)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestADatabaseThatCannotBeOpenedIsReplaced: it may be the reason for the restore. Its log is not taken for one of
// the copy.
func TestADatabaseThatCannotBeOpenedIsReplaced(t *testing.T) {
	t.Parallel()
	r := newReplaced(t)
	database := r.again(t)
	if err := os.WriteFile(database, bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(filepath.Dir(database), "platen.db.key")
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	runProgram(t, "restore", "--database", database, "--replace", r.copied)
	if err := r.new.has(t, database); err != nil {
		t.Error(err)
	}
	if left := filesOf(t, filepath.Dir(database)); len(left) != 3 {
		t.Errorf("it leaves %v", slices.Sorted(maps.Keys(left)))
	}
}

// TestALogWithoutItsDatabaseIsNotThrownAway: somebody has moved the file, and its newest writes are still here.
func TestALogWithoutItsDatabaseIsNotThrownAway(t *testing.T) {
	t.Parallel()
	r := newReplaced(t)
	database := r.again(t)
	if err := os.Rename(database, database+".away"); err != nil {
		t.Fatal(err)
	}
	const says = "platen.db-wal has newer writes"
	if said := failing(t, "restore", "--database", database, r.copied); !strings.Contains(said, says) {
		t.Errorf("restore says %s", said)
	}
	if p, err := launch(database); err == nil || !strings.Contains(err.Error(), says) {
		p.kill()
		t.Errorf("the server starts, or says %v", err)
	}
	if err := os.Rename(database+".away", database); err != nil {
		t.Fatal(err)
	}
	if err := r.old.has(t, database); err != nil {
		t.Error(err)
	}
}

// TestADamagedCopyIsRefusedWithItsPlace, and the server goes on with the database that it has. A damaged database is
// backed up only when that is asked for.
func TestADamagedCopyIsRefusedWithItsPlace(t *testing.T) {
	t.Parallel()
	r := newReplaced(t)
	database := r.again(t)
	db, err := sql.Open("sqlite", "file:"+r.copied)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const damage = "UPDATE commits SET body = zeroblob(length(body)) WHERE version = 2"
	if _, err := db.ExecContext(t.Context(), damage); err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "again.db")
	for _, arguments := range [][]string{
		{"restore", "--database", database, "--replace", r.copied}, {"backup", "--database", r.copied, again},
	} {
		if said := failing(t, arguments...); !strings.Contains(said, "sandbox "+r.new.tenant.ID) ||
			!strings.Contains(said, "commit 2") || !strings.Contains(said, "--no-check") {
			t.Errorf("platen %s says %s", arguments[0], said)
		}
	}
	if err := r.old.has(t, database); err != nil {
		t.Error(err)
	}
	for _, arguments := range [][]string{
		{"restore", "--no-check", "--database", database, "--replace", r.copied},
		{"backup", "--no-check", "--database", r.copied, again},
	} {
		if said := runProgram(t, arguments...); !strings.Contains(said, "NOT CHECKED") {
			t.Errorf("platen %s without a check says %s", arguments[0], said)
		}
	}
}
