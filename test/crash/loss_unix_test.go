//go:build unix

package crash

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen/internal/edge/ratelimit/valkey/valkeytest"
	"platen/internal/store/postgres/postgrestest"
	"platen/test/testclient"
)

// frozenTime is much longer than a node is taken for living without a beat.
const frozenTime = 20 * time.Second

func TestNothingIsLostWhenANodeIsKilled(t *testing.T) {
	t.Parallel()
	f := startFleet(t)
	f.under(func() {
		for _, m := range f.nodes[:testclient.Few(1, 2)] {
			f.outage()
			m.now().kill()
			f.work(60)
			t.Logf("killed: no client waited longer than %s", f.outage().Round(time.Millisecond))
			m.start()
			f.work(30)
		}
	})
}

func TestNothingIsLostWhenANodeIsFrozen(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestNothingIsLostWhenANodeIsKilled")
	f := startFleet(t)
	f.under(func() {
		f.outage()
		away := make(chan time.Duration)
		go func() { away <- f.away() }()
		f.nodes[0].freeze(frozenTime)
		f.work(60)
		t.Logf("frozen for %s: its sandboxes were elsewhere after %s, no client waited longer than %s", frozenTime,
			(<-away).Round(time.Millisecond), f.outage().Round(time.Millisecond))
	})
}

func TestNothingIsLostWhenANodeIsCutOffFromTheDatabase(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestNothingIsLostWhenANodeIsKilled")
	f := startFleet(t)
	f.under(func() {
		f.outage()
		f.nodes[0].wire.cut.Store(true)
		<-time.After(frozenTime)
		f.nodes[0].wire.cut.Store(false)
		f.nodes[0].wire.end()
		f.work(60)
		t.Logf("cut off for %s: no client waited longer than %s", frozenTime, f.outage().Round(time.Millisecond))
	})
}

func TestNothingIsLostInARollingRestart(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestNothingIsLostWhenANodeIsKilled")
	f := startFleet(t)
	f.under(func() {
		for _, m := range f.nodes {
			f.outage()
			if err := m.now().stop(); err != nil {
				t.Error(err)
			}
			m.start()
			f.work(30)
			t.Logf("started again: no client waited longer than %s", f.outage().Round(time.Millisecond))
		}
	})
}

func TestNothingIsLostWhenTheDatabaseIsKilled(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestNothingIsLostWhenANodeIsKilled")
	f := startFleet(t)
	f.under(func() {
		f.outage()
		if err := f.database.Crash(); err != nil {
			t.Fatal(err)
		}
		f.work(60)
		t.Logf("database killed: no client waited longer than %s", f.outage().Round(time.Millisecond))
	})
}

// TestNothingIsLostWhenAStandbyTakesThePlaceOfTheDatabase, for whose flush each commit
// has waited.
func TestNothingIsLostWhenAStandbyTakesThePlaceOfTheDatabase(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestNothingIsLostWhenANodeIsKilled")
	f := newFleet(t)
	standby, err := f.database.Standby()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(standby.Stop)
	f.standby = standby
	f.start()
	f.under(func() {
		f.outage()
		f.database.Stop()
		if err := standby.Promote(); err != nil {
			t.Fatal(err)
		}
		f.work(60)
		t.Logf("standby promoted: no client waited longer than %s", f.outage().Round(time.Millisecond))
	})
}

// TestNothingIsLostWhenTheSharedBudgetsAreAway: each server counts for itself then, and
// says so.
func TestNothingIsLostWhenTheSharedBudgetsAreAway(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestNothingIsLostWhenANodeIsKilled")
	shared, err := valkeytest.Begin()
	if errors.Is(err, valkeytest.ErrNoServer) && os.Getenv("PLATEN_TEST_ALL") != "1" {
		t.Skipf("SKIPPED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(shared.Close)
	f := startFleet(t, "--valkey", shared.Address(), "--ip-rate", "1000000")
	say := func(want string) {
		t.Helper()
		for _, m := range f.nodes {
			for m.metric("platen_budgets_shared") != want {
				f.work(1)
			}
		}
	}
	f.under(func() {
		say("1")
		f.outage()
		shared.Kill()
		f.work(60)
		say("0")
		t.Logf("budgets away: no client waited longer than %s", f.outage().Round(time.Millisecond))
		if err := shared.Start(); err != nil {
			t.Fatal(err)
		}
		say("1")
		t.Logf("and back: no client waited longer than %s", f.outage().Round(time.Millisecond))
	})
}

// TestDeliveriesOutliveNodes: the servers that live send what those that were killed had
// to send.
func TestDeliveriesOutliveNodes(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestDeliveriesOutliveKills")
	f := startFleet(t, "--private-webhooks")
	killed := 0
	outlive(t, f.front, func() { f.nodes[killed%fleetSize].now().kill() }, func() *process {
		f.nodes[killed%fleetSize].start()
		killed++
		return f.front
	})
}

// TestNothingIsLostWhenAServerOnPostgreSQLIsKilled is TestNothingAcknowledgedIsLostOrDoubledWhenTheServerIsKilled on
// another storage.
func TestNothingIsLostWhenAServerOnPostgreSQLIsKilled(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestNothingIsLostWhenANodeIsKilled")
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(strings.Repeat("k", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	lanes := make([]*lane, 2)
	for i := range lanes {
		lanes[i] = &lane{
			database: postgrestest.URL(clusterOf(t).Directory()), settings: []string{"--secret-key-file", key},
		}
	}
	const share = 4
	killAll(t, max(6, points(t)/share), lanes)
}

// TestAServerThatStopsLeavesAlsoWhenItsDatabaseHasJustComeBack: another one with other settings starts at once.
func TestAServerThatStopsLeavesAlsoWhenItsDatabaseHasJustComeBack(t *testing.T) {
	t.Parallel()
	cluster := clusterOf(t)
	database := postgrestest.URL(cluster.Directory())
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(strings.Repeat("k", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	start := func(settings ...string) *process {
		t.Helper()
		p, err := launch(database, append(settings, "--secret-key-file", key)...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.kill)
		return p
	}
	shared := []string{"--public-url", "http://platen.test", "--node-address"}
	for i, settings := range [][]string{
		append(shared, testclient.FreeAddress(t)), append(shared, testclient.FreeAddress(t), "--grace", "7m"), nil,
	} {
		p := start(settings...)
		if err := cluster.Crash(); err != nil {
			t.Fatal(err)
		}
		testclient.Eventually(t, "the database is back", startTimeout, func() bool {
			table, err := postgrestest.Connect(t.Context(), database)
			return err == nil && table.Close(t.Context()) == nil
		})
		if err := p.stop(); err != nil {
			t.Errorf("server %d: %v", i, err)
		}
	}
	start() // one that has the database for itself, as the last had
}
