package docs_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"platen/platentest"
	"platen/test/testclient"
)

// The suites of the clients in other languages run in their own language against real servers, and so do
// their type checkers.
const (
	root = "../.."
	// checkers are the packages of build/tools/clients.
	checkers = "build/tools/clients/node_modules/.bin"
)

// missing skips a test that lacks something. Where nothing may be missing, it fails.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("PLATEN_TEST_ALL") != "" {
		t.Fatalf("PLATEN_TEST_ALL is set and there is no %s", what)
	}
	t.Skipf("SKIPPED: needs %s", what)
}

// python is the interpreter itself.
func python(t *testing.T) string {
	t.Helper()
	testclient.Need(t, "python3")
	path, err := testclient.Python()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// pythonWith is an interpreter that has some modules: that of the PATH or that of the system.
// Without one the test is skipped.
func pythonWith(t *testing.T, modules ...string) string {
	t.Helper()
	for _, path := range []string{python(t), "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), path, "-c", "import sys, "+strings.Join(modules, ", ")+
			"; sys.exit(sys.version_info < (3, 11))").Run() == nil {
			return path
		}
	}
	missing(t, "Python with "+strings.Join(modules, ", "))
	return ""
}

// servers are the variables that tell a suite of its servers: one without limits, and one
// that asks for proofs of work and has a single place.
func servers(t *testing.T) []string {
	t.Helper()
	free := platentest.Start(t, map[string]string{"private-webhooks": "true"})
	busy := platentest.Start(t, map[string]string{"pow-difficulty": "10", "max-sandboxes": "1"})
	path, err := builtPlaten()
	if err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "PLATEN_URL="+free.BaseURL, "PLATEN_BUSY_URL="+busy.BaseURL, "PLATEN_BIN="+path)
}

// runSuite runs a program in a folder of the repository. Its output is shown when it fails, and
// when it does not say what it has to.
func runSuite(t *testing.T, folder string, environment []string, says string, argv ...string) string {
	t.Helper()
	program := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	program.Dir, program.Env = filepath.Join(root, folder), environment
	var out bytes.Buffer
	program.Stdout, program.Stderr = &out, &out
	if err := program.Run(); err != nil || !strings.Contains(out.String(), says) {
		t.Errorf("%s: %v, want %q in\n%s", strings.Join(argv, " "), err, says, out.String())
	}
	return out.String()
}

// told logs how long many tests with forks took.
func told(t *testing.T, out string) {
	t.Helper()
	for line := range strings.Lines(out) {
		if strings.Contains(line, "tests with forks took") {
			t.Log(strings.Trim(line, "# .\n"))
		}
	}
}

func TestTheJavaScriptClient(t *testing.T) {
	t.Parallel()
	node := testclient.Need(t, "node")
	suites, err := filepath.Glob(filepath.Join(root, "clients", "javascript", "test", "*.test.mjs"))
	if err != nil || len(suites) == 0 {
		t.Fatalf("%d suites, %v", len(suites), err)
	}
	all := "" // in one process: node --test would start one for each
	for _, suite := range suites {
		all += "import './test/" + filepath.Base(suite) + "';"
	}
	out := runSuite(t, "clients/javascript", servers(t), "# fail 0",
		node, "--test-reporter=tap", "--input-type=module", "-e", all)
	if !strings.Contains(out, "# skipped 0") {
		t.Errorf("something was skipped:\n%s", out)
	}
	told(t, out)
}

func TestThePythonClient(t *testing.T) {
	t.Parallel()
	// unittest itself needs nothing: what the plugin of pytest does is in runners_test.go.
	out := runSuite(t, "clients/python", servers(t), "OK", python(t), "-B", "-m", "unittest")
	switch {
	case strings.Contains(out, "ResourceWarning"):
		t.Errorf("something was left open:\n%s", out)
	case strings.Contains(out, "skipped"):
		t.Errorf("something was skipped:\n%s", out)
	}
	told(t, out)
}

func TestTheDeclarationsOfTheJavaScriptClient(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "internal/publish/clientgen writes the declarations of the operations")
	node := testclient.Need(t, "node")
	compiler := filepath.Join(root, checkers, "tsc")
	if _, err := os.Stat(compiler); err != nil {
		missing(t, "tsc: npm ci --prefix build/tools/clients")
	}
	runSuite(t, ".", os.Environ(), "", node, filepath.Join(checkers, "tsc"), "-p", "clients/javascript/test/types")
}

func TestTheTypesOfThePythonClient(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "internal/publish/clientgen writes the types of the operations")
	node := testclient.Need(t, "node")
	if _, err := os.Stat(filepath.Join(root, checkers, "pyright")); err != nil {
		missing(t, "pyright: npm ci --prefix build/tools/clients")
	}
	runSuite(t, "clients/python", os.Environ(), "0 errors", node, filepath.Join(root, checkers, "pyright"),
		"--pythonpath", python(t))
}
