package crash

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"platen/test/testclient"
)

// runProgram runs the program under test and returns what it prints.
func runProgram(t *testing.T, arguments ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), binary, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("platen %s: %v\n%s", strings.Join(arguments, " "), err, out)
	}
	return string(out)
}

// TestABackupUnderWritesIsRestoredToTheSameState: companies that nobody touches
// meanwhile have the same state hash, and of those that are written to without a
// pause everything is there that was acknowledged before the backup began.
func TestABackupUnderWritesIsRestoredToTheSameState(t *testing.T) {
	t.Parallel()
	still, busy := testclient.Few(2, 4), testclient.Few(3, 6)
	folder := t.TempDir()
	database, copied, restored := filepath.Join(folder, "platen.db"), filepath.Join(folder, "copy.db"),
		filepath.Join(folder, "restored", "platen.db")
	p, err := launch(database, "--tick-pause", "0")
	if err != nil {
		t.Fatal(err)
	}
	defer p.kill()
	tenants := make([]*tenant, still+busy)
	for i := range tenants {
		if tenants[i], err = newTenant(p, "starter", "manual"); err != nil {
			t.Fatal(err)
		}
	}
	write(t, p, tenants, "before", 12)
	hashes := stateHashes(t, p, tenants[:still])

	var acknowledgedSince atomic.Int64
	var writing sync.WaitGroup
	for i, n := range tenants[still:] {
		w := &writer{
			tenant: n, name: fmt.Sprint("during-", i), random: rand.New(rand.NewPCG(3, uint64(i))),
			acknowledged: func() { acknowledgedSince.Add(1) },
		}
		writing.Go(func() {
			if err := w.work(p); err != nil {
				t.Error(err)
			}
		})
	}
	for acknowledgedSince.Load() < int64(10*busy) && !t.Failed() {
		if err := tenants[still].follow(p, tenants[still].newest()); err != nil { // a reader, meanwhile
			t.Fatal(err)
		}
	}
	known := make([]*tenant, busy)
	for i, n := range tenants[still:] {
		n.mu.Lock()
		known[i] = &tenant{ID: n.ID, Office: n.Office, Factory: n.Factory, preset: n.preset, clock: n.clock}
		for _, in := range n.intents {
			if in.outcome == acknowledged {
				known[i].intents = append(known[i].intents, &intent{kind: in.kind, request: in.request,
					outcome: in.outcome, raw: slices.Clone(in.raw)})
			}
		}
		n.mu.Unlock()
	}
	before := acknowledgedSince.Load()
	said := runProgram(t, "backup", "--database", database, "--key", copied)
	t.Logf("%d writes were acknowledged before, and %d while it ran: %s", before, acknowledgedSince.Load()-before,
		strings.ReplaceAll(said, folder, ""))
	p.kill()
	writing.Wait()

	runProgram(t, "restore", "--database", restored, copied)
	if found := runProgram(t, "doctor", "--database", restored); !strings.Contains(found,
		fmt.Sprintf("has %d sandboxes", still+busy)) {
		t.Errorf("the doctor says\n%s", found)
	}
	q, err := launch(restored, "--tick-pause", "0")
	if err != nil {
		t.Fatal(err)
	}
	defer q.kill()
	for i, hash := range stateHashes(t, q, tenants[:still]) {
		if hash != hashes[i] {
			t.Errorf("company %d has the state %s, and had %s", i, hash, hashes[i])
		}
	}
	for _, n := range known {
		var y tally
		if err := n.follow(q, 0); err != nil {
			t.Fatal(err)
		}
		if err := n.replay(q, rand.New(rand.NewPCG(1, 1)), true, &y); err != nil {
			t.Error(err)
		}
		if err := n.agree(q); err != nil {
			t.Error(err)
		}
	}
	if err := q.complaints(); err != nil {
		t.Error(err)
	}
}

// stateHashes reads the hashes of the states of companies.
func stateHashes(t *testing.T, p *process, tenants []*tenant) []string {
	t.Helper()
	hashes := make([]string, len(tenants))
	for i, n := range tenants {
		var report struct {
			StateHash string `json:"state_hash"`
		}
		if err := n.object(p, "/sandbox/report", &report); err != nil || report.StateHash == "" {
			t.Fatalf("company %d has the state %q, %v", i, report.StateHash, err)
		}
		hashes[i] = report.StateHash
	}
	return hashes
}
