package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen/test/testclient"
)

// The suites of examples/tests are those of users: projects with the client as a package, in
// the runners that the fixtures claim beside node:test and unittest. Each has fifty tests
// with a fork each, three in a worker of their own, and two that end with the gate.
const (
	suites = "examples/tests"
	passed = "55 passed"
)

// play is the environment of such a suite.
func play(t *testing.T, more ...string) []string {
	t.Helper()
	path, err := builtPlaten()
	if err != nil {
		t.Fatal(err)
	}
	return append(append(os.Environ(), "PLATEN_BIN="+path, "NO_COLOR=1"), more...)
}

// installed is where npm has put a package of a suite. Without it the test is skipped.
func installed(t *testing.T, suite, name string) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, suites, suite, "node_modules", name)); err != nil {
		missing(t, name+": npm ci --prefix "+suites+"/"+suite)
	}
	return filepath.Join("node_modules", name)
}

// took logs what a runner says of its time.
func took(t *testing.T, out, word string) {
	t.Helper()
	for line := range strings.Lines(out) {
		if strings.Contains(line, word) {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// TestTheFixtureInVitest: also where a hook has no time by itself, since the fixture knows how
// long a server may take.
func TestTheFixtureInVitest(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestTheJavaScriptClient has the fixture in the runner of its language")
	node := testclient.Need(t, "node")
	vitest := filepath.Join(installed(t, "vitest", "vitest"), "vitest.mjs")
	out := runSuite(t, suites+"/vitest", play(t), passed, node, vitest, "run", "--hookTimeout=1")
	took(t, out, "Duration")
}

func TestTheFixtureInJest(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestTheJavaScriptClient has the fixture in the runner of its language")
	node := testclient.Need(t, "node")
	jest := filepath.Join(installed(t, "jest", "jest"), "bin", "jest.js")
	out := runSuite(t, suites+"/jest", play(t), passed+", 55 total", node, "--experimental-vm-modules", jest, "--ci",
		"--maxWorkers=2")
	took(t, out, "Time:")
}

// TestTheFixtureInPytest: the installed package brings the fixtures by itself, to one process
// and to each worker of pytest-xdist.
func TestTheFixtureInPytest(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestThePythonClient has the fixture in the runner of its language")
	folder := t.TempDir()
	source, packages := filepath.Join(folder, "source"), filepath.Join(folder, "packages")
	if err := os.CopyFS(source, os.DirFS(filepath.Join(root, "clients", "python"))); err != nil {
		t.Fatal(err)
	}
	runSuite(t, ".", os.Environ(), "", pythonWith(t, "setuptools", "wheel", "pip"), "-m", "pip", "install", "--quiet",
		"--no-index", "--no-deps", "--no-build-isolation", "--target", packages, source)
	for _, c := range []struct {
		name, module string
		argv         []string
	}{
		{"one after the other", "pytest", nil},
		{"in workers", "xdist", []string{"-n", "2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			interpreter := pythonWith(t, "pytest", c.module)
			argv := append([]string{interpreter, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"}, c.argv...)
			out := runSuite(t, suites+"/pytest", play(t, "PYTHONPATH="+packages), passed, argv...)
			took(t, out, passed)
		})
	}
}
