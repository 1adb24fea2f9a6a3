//go:build unix

package crash

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"platen/internal/store/postgres/postgrestest"
	"platen/test/testclient"
)

// TestAMovedDatabaseIsTheSame: from a file to PostgreSQL and back to another file, each
// company has the state that it had, and every reply and event is there to the byte.
func TestAMovedDatabaseIsTheSame(t *testing.T) {
	t.Parallel()
	cluster := clusterOf(t)
	folder := t.TempDir()
	file, back := filepath.Join(folder, "platen.db"), filepath.Join(folder, "back.db")
	shared, key := postgrestest.URL(cluster.Directory()), "--secret-key-file="+file+".key"
	start := func(database string, settings ...string) *process {
		t.Helper()
		p, err := launch(database, append(settings, "--tick-pause", "0")...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.kill)
		return p
	}
	end := func(p *process) {
		t.Helper()
		if err := p.stop(); err != nil {
			t.Fatal(err)
		}
	}
	p := start(file)
	var tenants []*tenant
	for i := range testclient.Few(2, 5) {
		n, err := newTenant(p, []string{"starter", "manual"}[i%2], "manual")
		if err != nil {
			t.Fatal(err)
		}
		tenants = append(tenants, n)
	}
	write(t, p, tenants, "before", 15)
	a, err := p.send(request{method: "POST", path: "/sandbox/forks", key: tenants[0].Office})
	if err != nil || a.Status != 201 {
		t.Fatalf("a fork: %v, %v", a, err)
	}
	fork := &tenant{preset: tenants[0].preset, clock: "manual"}
	if err := json.Unmarshal(a.Raw, &struct{ Data *tenant }{fork}); err != nil {
		t.Fatal(err)
	}
	tenants = append(tenants, fork)
	hashes := stateHashes(t, p, tenants)
	if said := failing(t, "move", "--from", file, "--to", shared); !strings.Contains(said, "platen") {
		t.Errorf("beside a server it says %s", said)
	}
	end(p)
	same := func(p *process) {
		t.Helper()
		for i, hash := range stateHashes(t, p, tenants) {
			if hash != hashes[i] {
				t.Errorf("company %d has the state %s, and had %s", i, hash, hashes[i])
			}
		}
		for _, n := range tenants {
			if n == fork {
				continue // its past has writes of the parent's clients
			}
			if _, err := n.check(p, rand.New(rand.NewPCG(1, 1)), true); err != nil {
				t.Error(err)
			}
		}
		hashes = stateHashes(t, p, tenants) // what was looked at has moved on
		end(p)
	}
	t.Log(runProgram(t, "move", "--from", "sqlite:"+file, "--to", shared))
	same(start(shared, key))
	t.Log(runProgram(t, "move", "--from", shared, "--to", back))
	same(start(back, key))
	said := failing(t, "move", "--from", file, "--to", shared)
	if !strings.Contains(said, "sandboxes in the new database already") {
		t.Errorf("into a database that is not empty: %s", said)
	}
	none := filepath.Join(folder, "none.db")
	if said := failing(t, "move", "--from", none, "--to", shared); !strings.Contains(said, "no such file") {
		t.Errorf("from a file that is not there: %s", said)
	}
}

// failing runs the program, which must fail, and returns what it says.
func failing(t *testing.T, arguments ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), binary, arguments...).CombinedOutput()
	if _, failed := errors.AsType[*exec.ExitError](err); !failed {
		t.Errorf("platen %s ended with %v: %s", strings.Join(arguments, " "), err, out)
	}
	return string(out)
}
