// Package selfexec lets a test binary be the programs that its tests start, so that no
// test builds one. A link to the test binary has the name of the program, and TestMain
// knows it by that name: processes in between, a shell or node, need no variable.
package selfexec

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"platen/cmd/platen/command"
)

// These are the names of the links under which a test binary is the program.
const (
	platen = "platen"
	next   = "platen-next"
)

// Main is the first call of TestMain. In a process that was started as platen it runs
// the command line and does not return.
func Main() {
	switch strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") {
	case platen:
		command.Main()
	case next:
		command.Next()
	default:
		return
	}
	os.Exit(0)
}

// Platen makes a link to this test binary in a folder and returns its path: starting
// it starts the command line.
func Platen(folder string) (string, error) { return link(folder, platen) }

// Next is Platen for a program with the next version of the simulation's rules.
func Next(folder string) (string, error) { return link(folder, next) }

func link(folder, name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the test binary: %w", err)
	}
	path := filepath.Join(folder, name)
	if runtime.GOOS == "windows" { // where a link needs a privilege
		path += ".exe"
		return path, copied(path, self)
	}
	if err := os.Symlink(self, path); err != nil {
		return "", fmt.Errorf("link the test binary: %w", err)
	}
	return path, nil
}

func copied(to, from string) error {
	const executable = 0o755
	source, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("copy the test binary: %w", err)
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, executable)
	if err != nil {
		return fmt.Errorf("copy the test binary: %w", err)
	}
	_, err = io.Copy(target, source)
	if err := errors.Join(err, target.Close()); err != nil {
		return fmt.Errorf("copy the test binary: %w", err)
	}
	return nil
}
