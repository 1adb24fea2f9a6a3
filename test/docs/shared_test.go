package docs_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"platen/platentest"
)

// workshop is the folder of what outlives a single test.
var workshop string

func TestMain(m *testing.M) {
	var err error
	if workshop, err = os.MkdirTemp("", "platen-docs-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(workshop)
	os.Exit(code)
}

// shared is the server of all tests that want no settings of their own. A server
// makes all of its pages when it is asked for the first of them, which takes longer
// than most tests.
var shared = sync.OnceValue(func() *platentest.Platen { return platentest.Start(&lasting{}) })

// page reads a page as the server p serves it. Pages of servers differ in their
// addresses only.
func page(t *testing.T, p *platentest.Platen, path string) string {
	t.Helper()
	return strings.ReplaceAll(read(t, shared().Origin+path), shared().Origin, p.Origin)
}

// lasting is the testing.TB of what lives until the process ends.
type lasting struct{ testing.TB }

func (*lasting) Helper()                  {}
func (*lasting) Context() context.Context { return context.Background() }
func (*lasting) Cleanup(func())           {} // the process ends, and with it the server
func (*lasting) TempDir() string          { return workshop }
func (*lasting) Fatalf(format string, values ...any) {
	panic(fmt.Sprintf(format, values...))
}
