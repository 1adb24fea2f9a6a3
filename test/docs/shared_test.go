package docs_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"platen/platentest"
	"platen/test/selfexec"
	"platen/test/testclient"
)

// suite holds what lives longer than a test.
var suite testclient.Suite

func TestMain(m *testing.M) {
	selfexec.Main()
	os.Exit(suite.End(m.Run()))
}

// shared is the server of all tests that need no settings of their own. The index of
// its search reads all pages, which takes longer than most tests.
var shared = sync.OnceValue(func() *platentest.Platen { return platentest.Start(&suite) })

// everything reports whether all is tried that is alike: in a thorough run, and where
// answers are written.
func everything() bool { return testclient.Thorough() || *update }

// chosen reports whether the i-th of what is alike is tried: else every few. Neighbours
// are about the same.
func chosen(i, few int) bool { return i%few == 0 || everything() }

// page reads a page as the server p serves it. Pages of servers differ in their
// addresses only.
func page(t *testing.T, p *platentest.Platen, path string) string {
	t.Helper()
	return strings.ReplaceAll(read(t, shared().Origin+path), shared().Origin, p.Origin)
}

// builtPlaten is the program that the fixtures of the clients start: this test binary under
// another name.
var builtPlaten = sync.OnceValues(func() (string, error) { return selfexec.Platen(suite.TempDir()) })
