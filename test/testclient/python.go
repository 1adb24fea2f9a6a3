package testclient

import (
	"os/exec"
	"strings"
	"sync"
)

// Python returns the path of the Python interpreter itself. The python3 of the PATH
// may be a script that looks for it, which takes longer than most programs of tests.
func Python() (string, error) { return python() }

var python = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	return strings.TrimSpace(string(out)), err
})
