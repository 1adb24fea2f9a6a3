package server

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen/internal/company"
	"platen/internal/config"
	"platen/internal/store"
	"platen/internal/store/sqlite"
	"platen/test/testclient"
)

// keptDatabase is a database of testdata with commits and snapshots.
func keptDatabase(t *testing.T) *config.Config {
	t.Helper()
	c := config.Default()
	c.Database = unpackDatabase(t, fmt.Sprintf("testdata/engine-%d", company.Engine), "snapshot")
	return c
}

// TestADatabaseOfAnEarlierBuildIsBackedUpAndRestored, to the byte of each commit.
func TestADatabaseOfAnEarlierBuildIsBackedUpAndRestored(t *testing.T) {
	t.Parallel()
	for _, name := range keptDatabases {
		c, restored := config.Default(), config.Default()
		c.Database = unpackDatabase(t, fmt.Sprintf("testdata/engine-%d", company.Engine), name)
		copied := filepath.Join(t.TempDir(), "copy.db")
		restored.Database = filepath.Join(filepath.Dir(copied), "platen.db")
		if _, err := Backup(t.Context(), c, copied, true); err != nil {
			t.Fatal(err)
		}
		if _, err := Restore(t.Context(), restored, Restoring{From: copied, Check: true}); err != nil {
			t.Fatal(err)
		}
		if contents(t, restored.Database) != contents(t, c.Database) {
			t.Errorf("%s is restored as something else", name)
		}
	}
}

// TestDamageIsInNoBackupAndIsNotRestored: one bit of a commit or a snapshot is refused with its sandbox, as a database
// that is to be copied and as a copy that is to be restored. Nothing is left of either, and the good database is
// unchanged.
func TestDamageIsInNoBackupAndIsNotRestored(t *testing.T) {
	t.Parallel()
	c, good := keptDatabase(t), keptDatabase(t)
	if _, err := Restore(t.Context(), good, Restoring{From: c.Database, Replace: true, Check: true}); err != nil {
		t.Fatalf("without damage: %v", err)
	}
	before := contents(t, good.Database)
	db, err := sql.Open("sqlite", "file:"+c.Database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	draw := rand.New(rand.NewPCG(5, 6))
	to := filepath.Join(t.TempDir(), "copy.db")
	for i := range testclient.Few(16, 400) {
		table := []string{"commits", "snapshots"}[i%2]
		var row int64
		var body []byte
		if err := db.QueryRowContext(t.Context(), "SELECT rowid, body FROM "+table+" ORDER BY rowid LIMIT 1 "+
			"OFFSET ? % (SELECT count(*) FROM "+table+")", draw.IntN(1<<20)).Scan(&row, &body); err != nil {
			t.Fatal(err)
		}
		at, bit := draw.IntN(len(body)), draw.IntN(8)
		flip := func() {
			body[at] ^= 1 << bit
			if _, err := db.ExecContext(t.Context(), "UPDATE "+table+" SET body = ? WHERE rowid = ?", body,
				row); err != nil {
				t.Fatal(err)
			}
		}
		flip()
		_, backedUp := Backup(t.Context(), c, to, true)
		_, restored := Restore(t.Context(), good, Restoring{From: c.Database, Replace: true, Check: true})
		for what, err := range map[string]error{"backed up": backedUp, "restored": restored} {
			if damage, ok := errors.AsType[*DamageError](err); !ok || damage.Count != 1 ||
				!strings.Contains(err.Error(), "sandbox sbx_") {
				t.Errorf("bit %d of byte %d of %s %d is %s: %v", bit, at, table, row, what, err)
			}
		}
		flip()
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(to), "*")); err != nil || len(left) > 0 {
		t.Errorf("refused backups leave %v, %v", left, err)
	}
	if after := contents(t, good.Database); after != before {
		t.Error("the database that was to be replaced is another one")
	}
}

// TestADamagedDatabaseIsNotMoved, and the new one stays empty.
func TestADamagedDatabaseIsNotMoved(t *testing.T) {
	t.Parallel()
	from, to := keptDatabase(t), config.Default()
	to.Database = filepath.Join(t.TempDir(), "platen.db")
	change(t, from.Database, "UPDATE commits SET body = zeroblob(40) WHERE rowid = 1")
	_, err := Move(t.Context(), from, to, true)
	if damage, ok := errors.AsType[*DamageError](err); !ok || damage.Count != 1 {
		t.Errorf("it is moved: %v", err)
	}
	if moved, err := Move(t.Context(), from, to, false); err != nil || moved.Sandboxes == 0 {
		t.Errorf("without a check %+v are moved, %v", moved, err)
	}
}

// TestAnEmergencyCopiesDamage, when that is asked for.
func TestAnEmergencyCopiesDamage(t *testing.T) {
	t.Parallel()
	c, good := keptDatabase(t), keptDatabase(t)
	change(t, c.Database, "UPDATE commits SET body = zeroblob(40) WHERE rowid = 1")
	to := filepath.Join(t.TempDir(), "copy.db")
	if _, err := Backup(t.Context(), c, to, false); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(t.Context(), good, Restoring{From: to, Replace: true}); err != nil {
		t.Fatal(err)
	}
	if found, err := CheckDatabase(t.Context(), good); err != nil || len(found.Damages) != 1 {
		t.Errorf("what was restored has %+v, %v", found, err)
	}
}

// TestABitOfTheFileIsFoundOrHarmless: wherever in the file it is, what is restored has the commits and snapshots that
// were backed up, or is refused.
func TestABitOfTheFileIsFoundOrHarmless(t *testing.T) {
	t.Parallel()
	c := keptDatabase(t)
	copied := filepath.Join(t.TempDir(), "copy.db")
	if _, err := Backup(t.Context(), c, copied, true); err != nil {
		t.Fatal(err)
	}
	want := contents(t, copied)
	file, err := os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	draw := rand.New(rand.NewPCG(7, 8))
	refused := 0
	flips := testclient.Few(16, 400)
	for range flips {
		folder := t.TempDir()
		changed := bytes.Clone(file)
		at, bit := draw.IntN(len(file)), draw.IntN(8)
		changed[at] ^= 1 << bit
		from := filepath.Join(folder, "copy.db")
		if err := os.WriteFile(from, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		to := config.Default()
		to.Database = filepath.Join(folder, "platen.db")
		if _, err := Restore(t.Context(), to, Restoring{From: from, Check: true}); err != nil {
			refused++
			continue
		}
		if contents(t, to.Database) != want {
			t.Errorf("bit %d of byte %d is restored as something else", bit, at)
		}
	}
	t.Logf("of %d bits %d were refused", flips, refused)
	if refused == 0 {
		t.Error("no bit was refused: the draw shows too little")
	}
}

// contents are the commits and snapshots of a database: what has sums.
func contents(t *testing.T, database string) string {
	t.Helper()
	db, err := sqlite.OpenMoment(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	never := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	headers, err := db.Due(t.Context(), never, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for i := range headers {
		image, err := db.Load(t.Context(), headers[i].ID)
		if err != nil {
			t.Fatal(err)
		}
		commits, err := db.Commits(t.Context(), headers[i].ID, 1, store.MaxCommits)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%d %x %v\n", image.Snapshot.Version, image.Snapshot.Body, commits)
	}
	return text.String()
}

// change changes a database behind the back of servers.
func change(t *testing.T, database, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(context.Background(), statement); err != nil {
		t.Fatal(err)
	}
}
