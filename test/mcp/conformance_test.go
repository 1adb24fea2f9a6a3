package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"platen/test/testclient"
)

// folder is where the programs of others are.
const folder = "conformance"

// suite is the program of the conformance suite.
const suite = folder + "/node_modules/@modelcontextprotocol/conformance/dist/index.js"

// node returns the program that runs a script among the packages of the
// protocol's own project. Without them the test is skipped, loudly, or fails
// where nothing may be.
func node(t testing.TB) string {
	t.Helper()
	program, err := filepath.Abs(filepath.Join(folder, "node_modules", ".bin", "node"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		if os.Getenv("PLATEN_TEST_ALL") != "" {
			t.Fatal("PLATEN_TEST_ALL is set, and the protocol's programs are not installed: " +
				"npm ci --prefix test/mcp/conformance")
		}
		t.Skip("SKIPPED: the protocol's programs are not installed: npm ci --prefix test/mcp/conformance")
	}
	return program
}

// required is how many scenarios a revision requires of servers, frozen at its
// release. The suite runs these first, and then some that do not count.
var required = map[string]int{"2025-11-25": 30, "2026-07-28": 37}

// TestTheOfficialSuitePasses for both revisions: on the shipped binary, where
// what needs fixtures fails as the baseline says, and on fixtures behind the
// same gateway. A scenario of a baseline that passes fails the suite, so
// baselines only shrink.
func TestTheOfficialSuitePasses(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "the clients in Go and TypeScript play, in each revision")
	node := node(t)
	binary := withKey(t, launch(t))
	fixtures := fixtures(t) + "/mcp"
	for _, c := range []struct {
		name, url, revision string
		passes              int
	}{
		{"binary", binary, "2025-11-25", 9}, {"binary", binary, "2026-07-28", 12},
		{"fixtures", fixtures, "2025-11-25", 25}, {"fixtures", fixtures, "2026-07-28", 37},
	} {
		t.Run(c.name+" "+c.revision, func(t *testing.T) {
			t.Parallel()
			baseline := filepath.Join(folder, c.name+"-"+c.revision+".yml")
			results := t.TempDir()
			out, err := exec.CommandContext(within(t), node, suite, "server", "--url", c.url, "--requirements",
				c.revision, "--expected-failures", baseline, "-o", results).CombinedOutput()
			if err != nil {
				t.Errorf("the suite ended with %v:\n%s\n%s", err, summary(out), failures(t, results))
			}
			passed, total := count(out, required[c.revision])
			t.Logf("%s, %s, %s: %d of %d passed", version(t), c.revision, c.name, passed, total)
			if passed < c.passes || total != required[c.revision] {
				t.Errorf("%d of %d scenarios passed, want %d of %d:\n%s",
					passed, total, c.passes, required[c.revision], summary(out))
			}
		})
	}
}

// withKey is an address that adds the key of a new sandbox to each request: the suite has none, and a client without
// one is offered no revision without sessions.
func withKey(t testing.TB, p *program) string {
	t.Helper()
	key := connect(t, p.url(), "").call("create_sandbox", object{"clock": "manual"})["office_key"].(string)
	front := httptest.NewUnstartedServer(nil)
	front.Config.Handler = testclient.BodyFirst(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		here := front.Listener.Addr().String() // what the suite says of hosts and origins is kept
		r.Out.URL.Scheme, r.Out.URL.Host = "http", p.address
		r.Out.Host = strings.Replace(r.In.Host, here, p.address, 1)
		if origin := r.In.Header.Get("Origin"); origin != "" {
			r.Out.Header.Set("Origin", strings.Replace(origin, here, p.address, 1))
		}
		r.Out.Header.Set("Authorization", "Bearer "+key)
	}})
	front.Start()
	t.Cleanup(front.Close)
	return front.URL + "/mcp"
}

// version is the suite by name and version.
func version(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(folder + "/node_modules/@modelcontextprotocol/conformance/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Name, Version string }
	if err := json.Unmarshal(b, &manifest); err != nil {
		t.Fatal(err)
	}
	return manifest.Name + " " + manifest.Version
}

// count reads how the first scenarios of a summary ended.
func count(out []byte, most int) (passed, total int) {
	for _, line := range regexp.MustCompile(`(?m)^([✓✗]) [a-z0-9-]+: \d+ passed`).FindAllSubmatch(summary(out), most) {
		total++
		if string(line[1]) == "✓" {
			passed++
		}
	}
	return passed, total
}

// failures are the checks that failed, a line each.
func failures(t testing.TB, results string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(results, "*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	var failed strings.Builder
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var checks []struct{ ID, Status, ErrorMessage string }
		if err := json.Unmarshal(b, &checks); err != nil {
			t.Fatal(err)
		}
		for _, c := range checks {
			if c.Status == "FAILURE" {
				fmt.Fprintf(&failed, "%s: %s: %s\n", filepath.Base(filepath.Dir(file)), c.ID, c.ErrorMessage)
			}
		}
	}
	return failed.String()
}

// summary is the end of what the suite says, without colours.
func summary(out []byte) []byte {
	if i := bytes.Index(out, []byte("=== SUMMARY")); i >= 0 {
		out = out[i:]
	}
	return regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAll(out, nil)
}
