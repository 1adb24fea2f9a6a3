//go:build unix

package crash

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// nextVersion builds the program as a version with other rules of the simulation.
func nextVersion(t *testing.T) string {
	t.Helper()
	const engine = "internal/company/engine.go"
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(root, engine))
	if err != nil {
		t.Fatal(err)
	}
	rule := regexp.MustCompile(`(?m)^const Engine = `)
	if len(rule.FindAll(source, -1)) != 1 {
		t.Fatalf("%s does not say which version it is", engine)
	}
	folder := t.TempDir()
	replaced, built := filepath.Join(folder, "engine.go"), filepath.Join(folder, "platen")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, engine): replaced}})
	if err != nil {
		t.Fatal(err)
	}
	overlayFile := filepath.Join(folder, "overlay.json")
	for name, content := range map[string][]byte{
		overlayFile: overlay, replaced: rule.ReplaceAll(source, []byte("const Engine = 1 + ")),
	} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlayFile, "-o", built, "platen/cmd/platen")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the next version: %v\n%s", err, out)
	}
	return built
}

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
	f, next := startFleet(t), nextVersion(t)
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
