package testclient

import (
	"os"
	"os/exec"
	"testing"
)

// Thorough reports whether everything is tried, as `make check` does. Else a share of what
// is alike has to do: `go test ./...` is quick.
func Thorough() bool { return os.Getenv("PLATEN_TEST_THOROUGH") != "" }

// InCheck skips a test that `go test ./...` has no time for. proof says what proves the
// same there, or a share of it.
func InCheck(t testing.TB, proof string) {
	t.Helper()
	if !Thorough() {
		t.Skip("in make check (PLATEN_TEST_THOROUGH=1); here: " + proof)
	}
}

// Need finds a program other than Go. Without it the test is skipped, and fails
// where PLATEN_TEST_ALL is set: no suite may be missing there.
func Need(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("PLATEN_TEST_ALL") != "":
		t.Fatalf("PLATEN_TEST_ALL is set and there is no %s", name)
	default:
		t.Skipf("SKIPPED: needs %s", name)
	}
	return path
}
