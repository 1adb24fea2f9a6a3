//go:build unix

package crash

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"platen/test/selfexec"
	"platen/test/testclient"
)

// status asks a server for a sandbox, as often as it says to come again.
func (f *fleet) status(n *tenant) (status int, body string) {
	f.t.Helper()
	a, err := f.send(request{method: http.MethodGet, path: "/sandbox", key: n.Office})
	if err != nil {
		f.t.Fatal(err)
	}
	return a.Status, string(a.Raw)
}

// TestNothingIsLostInARollingUpgrade: while a version with other rules takes the place of
// an old one, each sandbox goes on where its version runs, whichever server is asked; and
// after the last old server has ended, it is kept for an operator who goes back.
func TestNothingIsLostInARollingUpgrade(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestSandboxesOfAnEarlierEngineEndCleanly of internal/server, and the fleet of "+
		"TestNothingIsLostWhenANodeIsKilled")
	f := startFleet(t)
	next, err := selfexec.Next(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	restart := func(m *fleetNode, binary string) {
		f.outage()
		if err := m.now().stop(); err != nil {
			t.Error(err)
		}
		m.binary = binary
		m.start()
	}
	before := f.under(func() {
		for _, m := range f.nodes[:2] {
			restart(m, next)
			f.work(30)
			t.Logf("upgraded: no client waited longer than %s", f.outage())
		}
	})
	last := f.nodes[2]
	if err := last.now().stop(); err != nil {
		t.Error(err)
	}
	f.nodes = f.nodes[:2] // a balancer asks none that is not there
	for _, n := range before {
		status, body := f.status(n)
		if status != http.StatusUnauthorized || !strings.Contains(body, "another version") {
			t.Errorf("without a server of its version a sandbox says %d %s", status, body)
		}
	}
	// From now on a new server hands out places, and goes on when the old one comes back.
	if _, err := newTenant(f.front, "manual", "manual"); err != nil {
		t.Fatal(err)
	}
	last.start()
	f.nodes = append(f.nodes, last)
	f.acknowledged.Store(0)
	f.under(func() {
		f.work(60)
		var y tally
		for _, n := range before {
			sum, err := n.check(f.front, rand.New(rand.NewPCG(1, 1)), true)
			if err != nil {
				t.Error(err)
			}
			y.add(sum)
		}
		t.Logf("after its return: %d replays the same to the byte, %d events compared", y.replays, y.events)
		// Those that a new version began need no old one.
		restart(last, next)
		f.work(30)
		t.Logf("upgraded: no client waited longer than %s", f.outage())
	})
}
