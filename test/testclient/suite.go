// Package testclient holds what suites share that talk to a whole server.
package testclient

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Suite is the testing.TB of a server that all tests of a package share: it ends
// after the last test, when TestMain calls End.
type Suite struct {
	testing.TB

	mutex    sync.Mutex // guards what is below
	folders  []string
	cleanups []func()
	failed   bool
}

// Helper does nothing.
func (*Suite) Helper() {}

// Context is never cancelled.
func (*Suite) Context() context.Context { return context.Background() }

// Cleanup has f called by End. The function added last is called first.
func (s *Suite) Cleanup(f func()) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.cleanups = append(s.cleanups, f)
}

// TempDir makes a folder that End removes.
func (s *Suite) TempDir() string {
	folder, err := os.MkdirTemp("", "platen-suite-")
	if err != nil {
		panic(err)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.folders = append(s.folders, folder)
	return folder
}

// Errorf prints a failure, which End reports.
func (s *Suite) Errorf(format string, values ...any) {
	fmt.Fprintf(os.Stderr, strings.TrimSpace(format)+"\n", values...)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.failed = true
}

// Fatal panics.
func (*Suite) Fatal(values ...any) { panic(fmt.Sprint(values...)) }

// Fatalf panics.
func (*Suite) Fatalf(format string, values ...any) { panic(fmt.Sprintf(format, values...)) }

// End cleans up and returns the exit status of the process: code, or 1 where
// something of the suite has failed.
func (s *Suite) End(code int) int {
	for _, cleanup := range slices.Backward(s.cleanups) {
		cleanup()
	}
	for _, folder := range s.folders {
		if err := os.RemoveAll(folder); err != nil {
			s.Errorf("%v", err)
		}
	}
	if s.failed && code == 0 {
		return 1
	}
	return code
}
