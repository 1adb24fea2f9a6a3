//go:build unix

package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"platen/internal/store/postgres/postgrestest"
	"platen/test/testclient"
)

// TestForksOutliveNodes: the same behind three servers, of which two are killed. A fork is
// asked for at any of them, decided by the owner of its parent and made by the one that
// hands out places.
func TestForksOutliveNodes(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestForksOutliveKills")
	fleet := startFleet(t)
	f, err := newFamily(fleet.front)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var working sync.WaitGroup
	for i := range forkWorkers {
		working.Go(func() {
			if err := f.work(ctx, fleet.front, i); err != nil {
				t.Error(err)
			}
		})
	}
	more := func(n int64) {
		until := f.answered.Load() + n
		reached := func() bool { return f.answered.Load() >= until || t.Failed() }
		testclient.Eventually(t, "more forks", fleetPatience, reached)
	}
	more(forksEach)
	for _, m := range fleet.nodes[:2] {
		m.now().kill()
		more(2 * forksEach)
		m.start()
		more(forksEach)
	}
	stop()
	working.Wait()
	if err := f.check(fleet.front); err != nil {
		t.Error(err)
	}
	f.report(t)
}

// mirror sends what a sandbox is asked to its fork too, once there is one, and compares
// the responses.
type mirror struct {
	server       *process
	parent, twin *tenant
	compared     int
}

// send implements the fleet of a process.
func (m *mirror) send(q request) (*testclient.Answer, error) {
	a, err := m.server.once(q)
	if err != nil || m.twin == nil {
		return a, err
	}
	if q.key == m.parent.Factory {
		q.key = m.twin.Factory
	} else {
		q.key = m.twin.Office
	}
	b, err := m.server.once(q)
	if err != nil {
		return nil, err
	}
	if m.compared++; a.Status != b.Status || code(a) != code(b) {
		return nil, fmt.Errorf("%s %s %s: the sandbox answers %d %s, its fork %d %s",
			q.method, q.path, q.body, a.Status, a.Raw, b.Status, b.Raw)
	}
	return a, nil
}

func (*mirror) unsettled(request) bool { return false }

// code is that of an error, "" for none.
func code(a *testclient.Answer) string {
	var envelope struct{ Error struct{ Code string } }
	_ = json.Unmarshal(a.Raw, &envelope)
	return envelope.Error.Code
}

// TestAForkGoesOnLikeItsParent with the same requests, from many points of random lives,
// on either engine.
func TestAForkGoesOnLikeItsParent(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]func(t *testing.T) string{
		"sqlite":     func(t *testing.T) string { t.Helper(); return filepath.Join(t.TempDir(), "platen.db") },
		"postgresql": func(t *testing.T) string { t.Helper(); return postgrestest.URL(clusterOf(t).Directory()) },
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			key := filepath.Join(t.TempDir(), "key")
			if err := os.WriteFile(key, []byte(strings.Repeat("k", 32)), 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := launch(database(t), "--tick-pause", "0s", "--secret-key-file="+key)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(p.kill)
			if engine != "sqlite" {
				testclient.InCheck(t, "the same in a file")
			}
			for life := range testclient.Few(livesFew, lives) {
				goOnAlike(t, p, uint64(life))
			}
			if err := p.complaints(); err != nil {
				t.Error(err)
			}
		})
	}
}

// lives is how many random lives are led, each with so many forks, and so many requests
// after each of them.
const (
	livesFew      = 1
	lives         = 3
	forksFew      = 2
	forksOfALife  = 4
	requestsAfter = 120
)

func goOnAlike(t *testing.T, p *process, seed uint64) {
	t.Helper()
	m := &mirror{server: p}
	both := &process{fleet: m, log: &tail{}}
	var err error
	if m.parent, err = newTenant(p, []string{"starter", "manual", "crunch"}[seed%3], "manual"); err != nil {
		t.Fatal(err)
	}
	w := &writer{tenant: m.parent, name: fmt.Sprint("life ", seed), random: rand.New(rand.NewPCG(seed, 3)), ticks: true}
	for fork := range testclient.Few(forksFew, forksOfALife) {
		for range requestsAfter {
			in, err := w.next(both)
			if err == nil && in != nil {
				_, err = m.parent.try(both, in)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if m.twin != nil {
			if hashes := stateHashes(t, p, []*tenant{m.parent, m.twin}); hashes[0] != hashes[1] {
				t.Fatalf("life %d, fork %d: after the same requests the fork is another company", seed, fork)
			}
		}
		body := ""
		if fork%2 == 1 {
			label := fmt.Sprintf(`"after %d"`, fork)
			a, err := both.send(request{method: http.MethodPost, path: "/sandbox/checkpoints", key: m.parent.Office,
				body: `{"label":` + label + `}`})
			if err != nil || a.Status != http.StatusCreated {
				t.Fatalf("a checkpoint: %v, %v", a, err)
			}
			body = `{"checkpoint":` + label + `}`
		}
		a, err := p.send(request{method: http.MethodPost, path: "/sandbox/forks", key: m.parent.Office, body: body})
		if err != nil || a.Status != http.StatusCreated {
			t.Fatalf("a fork: %v, %v", a, err)
		}
		m.twin = &tenant{preset: m.parent.preset, clock: m.parent.clock}
		if err := json.Unmarshal(a.Raw, &struct{ Data *tenant }{m.twin}); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("life %d: %d requests answered alike", seed, m.compared)
}

// clusterOf is a PostgreSQL server, or skips the test where there is none.
func clusterOf(t *testing.T) *postgrestest.Cluster {
	t.Helper()
	cluster, err := postgrestest.Start()
	if errors.Is(err, postgrestest.ErrNoServer) && os.Getenv("PLATEN_TEST_ALL") != "1" {
		t.Skipf("SKIPPED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	return cluster
}
