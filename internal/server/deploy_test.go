package server

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"platen/internal/config"
)

// deployed are the files that operators begin with.
func deployed(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range []string{
		"Dockerfile", "build/deploy/alerts.yaml", "build/deploy/compose.yaml",
		"build/deploy/compose.cluster.yaml", "build/deploy/haproxy.cfg",
		"build/deploy/platen.service",
	} {
		content, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(content)
	}
	return files
}

// TestWhatIsDeployedSetsWhatThereIs: every setting that the files name is one.
func TestWhatIsDeployedSetsWhatThereIs(t *testing.T) {
	t.Parallel()
	settings := map[string]bool{
		"PLATEN_IMAGE": true, "PLATEN_PORT": true, // of the compose file itself
	}
	for _, o := range config.Default().Fields() {
		settings[o.Variable()] = true
	}
	found := 0
	for name, content := range deployed(t) {
		for _, variable := range regexp.MustCompile(`PLATEN_[A-Z_]+`).FindAllString(content, -1) {
			if found++; !settings[variable] {
				t.Errorf("%s sets %s, which is no setting", name, variable)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d settings were found", found)
	}
}

// TestAlertsAskForFiguresThatThereAre, of a server among others with shared budgets, or of one with a database of its
// own.
func TestAlertsAskForFiguresThatThereAre(t *testing.T) {
	t.Parallel()
	metrics := regexp.MustCompile(`platen_[a-z_]+`)
	asked := metrics.FindAllString(deployed(t)["build/deploy/alerts.yaml"], -1)
	slices.Sort(asked)
	asked = slices.Compact(asked)
	if len(asked) < 8 {
		t.Fatalf("only %v are asked for", asked)
	}
	s := several(t, 1, func(c *config.Config) { c.Valkey = "redis://127.0.0.1:1" })[0]
	there := metrics.FindAllString(ask(t, s, http.MethodGet, "/metrics", "", "").body, -1)
	alone := get(t, startBeside(t), http.MethodGet, "/metrics", "")
	there = append(there, metrics.FindAllString(string(alone.body), -1)...)
	for _, name := range asked {
		if !slices.Contains(there, name) {
			t.Errorf("no figure is %s", name)
		}
	}
}

// TestTheBalancerNamesClientsAndBoundsThem: an address that clients share with the balancer is not
// trusted, they cannot name another one, and a body that does not come stays in the balancer.
func TestTheBalancerNamesClientsAndBoundsThem(t *testing.T) {
	t.Parallel()
	files := deployed(t)
	cluster := files["build/deploy/compose.cluster.yaml"]
	trusted := regexp.MustCompile(`PLATEN_TRUSTED_PROXY: (\S+)/32\n`).FindStringSubmatch(cluster)
	if trusted == nil || !regexp.MustCompile(
		`(?s)haproxy.*ipv4_address: `+regexp.QuoteMeta(trusted[1])+`\b`).MatchString(cluster) {
		t.Errorf("the servers trust %v, which is not the balancer alone", trusted)
	}
	for _, line := range []string{
		`option http-buffer-request`, `stick-table .*conn_cur`, `tcp-request connection reject .*conn_cur gt`,
		`http-request set-header X-Forwarded-For %\[src\]`,
	} {
		if !regexp.MustCompile(`(?m)^  ` + line).MatchString(files["build/deploy/haproxy.cfg"]) {
			t.Errorf("haproxy.cfg has no line %s", line)
		}
	}
}
